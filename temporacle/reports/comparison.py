"""The report of systems against a gold standard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InputError
from temporacle.io.pairing import pair
from temporacle.io.report.compared import Answer, ComparedPage, ComparedRow, ComparisonPage
from temporacle.io.report.comparison import compared_article, comparison_page
from temporacle.io.report.timeline import MOST_BARS
from temporacle.io.report.values import Connection, Status
from temporacle.io.report.writer import Pages
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.reports.documents import linked_entities, timeline_of
from temporacle.reports.entities import entity_rows, pieces_of
from temporacle.reports.judgements import judged_links
from temporacle.reports.scores import SAMPLES, choices, differences, figures, metric_row, request_for, system_page
from temporacle.scoring.alignment import align_by_spans
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.options import Align, ScoringOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.io.pairing import Pairing
    from temporacle.io.report.compared import JudgedLink
    from temporacle.io.report.values import EntityRow, Timeline
    from temporacle.results import Score

    Found = Document | Unreadable

MOST_DRAWN = 150  # links over one timeline


class Side(NamedTuple):
    """A corpus with the name it was given by."""

    name: str
    documents: Sequence[Found]


class Choices(NamedTuple):
    """What the caller may choose."""

    align: Align = Align.IDS
    during: str = "simultaneous"
    reading: str | None = None
    budget: float | None = None
    seed: int = 0


def looks_like_comparison(sides: Sequence[Side]) -> bool:
    """Whether every corpus after the first answers documents of the first: then they are systems, not more corpora."""
    return len(sides) > 1 and all(pair(sides[0].documents, side.documents).pairs for side in sides[1:])


def write_comparison_report(
    gold: Side,
    systems: Sequence[Side],
    target: str,
    chosen: Choices,
    *,
    linked: bool | None = None,
    progress: Callable[[str], None] = lambda _what: None,
) -> list[ComparedRow]:
    """Score every system by every metric, judge every link, and write the page; returns the rows of its table."""
    pages = Pages(target, linked=linked)
    pairings = [_paired(gold, system, chosen.align) for system in systems]
    formats = {document.format for document in gold.documents if isinstance(document, Document)}
    names = short_names([system.name for system in systems])
    metrics, totals = [], []
    for number, pairing in enumerate(pairings):
        for place, choice in enumerate(choices(formats, chosen.budget)):
            # Entities were aligned before pairing; the signature still tells how.
            request = request_for(choice, chosen.align, chosen.during, chosen.reading)
            scored, line = replace(request, align=Align.IDS), request.signature()
            row, total = metric_row(number, choice, pairing, scored, chosen.seed)
            metrics.append((place, number, row._replace(signature=line)))
            if choice.metric == "awareness":
                totals.append(total)
            progress(f"{names[number]}: {choice.name}")
    metrics.sort(key=lambda entry: entry[:2])  # systems side by side
    rows = []
    for key, page in _compared(gold, pairings, totals, chosen.budget):
        pages.add(key, page.id, compared_article(page, key, names))
        gold_links = max((sum(each.side == "gold" for each in a.links) for a in page.answers if a), default=0)
        rows.append(ComparedRow(key, page.id, gold_links, tuple(a.figures if a else None for a in page.answers)))
        progress(page.id)
    summary = ComparisonPage(
        gold=gold.name,
        systems=tuple(system_page(name, total) for name, total in zip(names, totals, strict=True)),
        metrics=tuple(row for _, _, row in metrics),
        differences=differences(totals, chosen.seed),
        samples=SAMPLES,
        seed=chosen.seed,
    )
    pages.finish(comparison_page(summary, rows, pages.articles, pages.href))
    return rows


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path if that tells them apart, the whole path otherwise.

    >>> short_names(["runs/a/", "runs/b"]), short_names(["a/out", "b/out"])
    (['a', 'b'], ['a/out', 'b/out'])
    """
    last = [name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for name in names]
    return last if len(set(last)) == len(last) and all(last) else list(names)


def _paired(gold: Side, system: Side, align: Align) -> Pairing:
    """Gold documents with their answers; entities renamed to those of gold where that is asked for."""
    answers = system.documents
    if len(gold.documents) == len(answers) == 1:
        answers = [replace(answers[0], id=gold.documents[0].id)]  # two documents are a pair, whatever their names
    pairing = pair(gold.documents, answers)
    if align is not Align.SPANS:
        return pairing
    return replace(pairing, pairs=tuple((key, _aligned(key, answer)) for key, answer in pairing.pairs))


def _aligned(key: Found, answer: Found) -> Found:
    if isinstance(key, Unreadable) or isinstance(answer, Unreadable) or not answer.links:
        return answer
    try:
        return align_by_spans(key, answer).system
    except InputError as error:
        return Unreadable(answer.id, answer.path or answer.id, error)


def _compared(
    gold: Side, pairings: Sequence[Pairing], totals: Sequence[Score | None], budget: float | None
) -> Iterator[tuple[str, ComparedPage]]:
    """One page for every gold document, in order."""
    answers = [{id(key): answer for key, answer in pairing.pairs} for pairing in pairings]
    scores = [{each.document: each for each in total.documents} if total else {} for total in totals]
    for number, key in enumerate(gold.documents, 1):
        name = f"d{number}"
        if isinstance(key, Unreadable):
            yield name, ComparedPage(key.id, key.path, (), (None,) * len(pairings), (str(key.error),))
            continue
        given = [side.get(id(key), Document(key.id)) for side in answers]
        yield name, _Comparer(key, budget).page(given, [side.get(key.id) for side in scores])


class _Comparer:
    """One gold document and its answers."""

    def __init__(self, gold: Document, budget: float | None) -> None:
        self.gold = gold
        self.budget = budget
        self.rows = entity_rows(gold)

    def page(self, answers: Sequence[Found], scores: Sequence[Score | None]) -> ComparedPage:
        found: list[Answer | None] = []
        reasons = []
        for answer, score in zip(answers, scores, strict=True):
            try:
                found.append(self._answer(answer, score))
            except (BudgetExceeded, InputError) as error:
                found.append(None)
                reasons.append(str(error))
        return ComparedPage(
            self.gold.id, self.gold.path or "", pieces_of(self.gold, self.rows), tuple(found), tuple(reasons)
        )

    def _answer(self, answer: Found, score: Score | None) -> Answer | None:
        if isinstance(answer, Unreadable):
            raise answer.error
        if score is None:
            return None
        budget = Budget(self.budget)
        key, given = (Annotation(side, ScoringOptions(), budget) for side in (self.gold, answer))
        links = judged_links(key, given, budget)
        rows = {**{row.id: row for row in entity_rows(answer).values()}, **self.rows}
        timeline, note = self._timeline(key, links, rows, budget)
        return Answer(figures(score), links, timeline, note)

    def _timeline(
        self, key: Annotation, links: Sequence[JudgedLink], rows: dict[str, EntityRow], budget: Budget
    ) -> tuple[Timeline | None, str]:
        """The witness of the gold links, with those found and missed, and wrong links of the system."""
        kept = [key.link(position) for position in key.kept]
        shown = linked_entities(kept)
        if not shown:
            return None, "No timeline: gold has no links."
        if len(shown) > MOST_BARS:
            return None, f"No timeline: {len(shown)} linked entities are more than the {MOST_BARS} that can be drawn."
        connections = [
            Connection(each.link, each.status)
            for each in links
            if each.side == "gold" or each.status is not Status.RIGHT
        ]
        timeline = timeline_of(Oracle(kept, budget=budget).witness(), rows, shown)
        note = f"Only the first {MOST_DRAWN} of {len(connections)} links are drawn."
        drawn = timeline._replace(connections=tuple(connections[:MOST_DRAWN]))
        return drawn, note if len(connections) > MOST_DRAWN else ""
