"""The report of systems against a gold standard."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from temporacle.errors import BudgetExceeded, InputError
from temporacle.io.pairing import pair
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.report.compared import Answer, ComparedPage, ComparedRow, ComparisonPage
from temporacle.report.comparison import compared_article, comparison_page
from temporacle.report.documents import linked_entities, timeline_of
from temporacle.report.entities import entity_rows, pieces_of
from temporacle.report.judgements import judged_links
from temporacle.report.score_tables import SAMPLES, choices, differences, figures, metric_row, request_for, system_page
from temporacle.report.timeline import MOST_BARS
from temporacle.report.values import Connection, Status
from temporacle.report.writer import Pages
from temporacle.runner.place import Place, Plan
from temporacle.runner.spread import spread
from temporacle.scoring.alignment import align_by_spans
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.options import Align, ScoringOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.io.pairing import Pairing
    from temporacle.readings import Reading
    from temporacle.report.compared import JudgedLink, MetricRow
    from temporacle.report.values import EntityRow, Timeline
    from temporacle.results import Score

    Found = Document | Unreadable
    Item = TypeVar("Item")
    Result = TypeVar("Result")
    Failed = Callable[[Any, str], Any]  # what becomes of an item for this reason

MOST_DRAWN = 150  # links over one timeline


class Side(NamedTuple):
    """A corpus with the name it was given by."""

    name: str
    documents: Sequence[Found]


class Choices(NamedTuple):
    """What the caller may choose."""

    align: Align = Align.IDS
    during: str = "simultaneous"
    reading: Reading | None = None
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
    plan: Plan = Plan(jobs=1),  # noqa: B008 - an immutable value
    progress: Callable[[], None] = lambda: None,
) -> list[ComparedRow]:
    """Score every system by every metric, judge every link, and write the page; returns the rows of its table.

    ``progress`` hears of every pair that was scored, and of every gold document that was judged: ``steps`` in all.
    """
    with Place(plan) as place:
        return _Writer(gold, systems, chosen, place, progress).write(Pages(target, linked=linked))


def steps(gold: Side, systems: Sequence[Side]) -> int:
    """How often ``progress`` hears something, roughly: not every gold document needs to have an answer."""
    return len(gold.documents) * (1 + len(systems) * len(choices(_formats(gold), None)))


class _Writer:
    """One report on its way."""

    def __init__(
        self, gold: Side, systems: Sequence[Side], chosen: Choices, place: Place, progress: Callable[[], None]
    ) -> None:
        self._gold = gold
        self._chosen = chosen
        self._place = place
        self._progress = progress
        self._pairings = [_paired(gold, system, chosen.align) for system in systems]
        self._names = short_names([system.name for system in systems])

    def write(self, pages: Pages) -> list[ComparedRow]:
        metrics, totals = self._scores()
        rows = []
        for row, article in self._compared(totals):
            pages.add(row.key, row.id, article)
            rows.append(row)
        summary = ComparisonPage(
            gold=self._gold.name,
            systems=tuple(system_page(name, total) for name, total in zip(self._names, totals, strict=True)),
            metrics=tuple(metrics),
            differences=differences(totals, self._chosen.seed),
            samples=SAMPLES,
            seed=self._chosen.seed,
        )
        pages.finish(comparison_page(summary, rows, pages.articles, pages.href))
        return rows

    def _spread(self, function: Callable[[Item], Result], items: Iterable[Item], failed: Failed) -> Iterator[Result]:
        for _, result in spread(function, items, self._place, failed=failed):
            self._progress()
            yield result

    def _scores(self) -> tuple[list[MetricRow], list[Score | None]]:
        """Every metric, systems side by side; and temporal awareness of each system."""
        chosen = self._chosen
        metrics, totals = [], []
        for number, pairing in enumerate(self._pairings):
            for place, choice in enumerate(choices(_formats(self._gold), chosen.budget)):
                # Entities were aligned before pairing; the signature still tells how.
                request = request_for(choice, chosen.align, chosen.during, chosen.reading)
                scored, line = replace(request, align=Align.IDS), request.signature()
                spread_like_map = partial(self._spread, failed=_reason)
                row, total = metric_row(number, choice, pairing, scored, chosen.seed, spread=spread_like_map)
                metrics.append((place, number, row._replace(signature=line)))
                if choice.metric == "awareness":
                    totals.append(total)
        metrics.sort(key=lambda entry: entry[:2])
        return [row for _, _, row in metrics], totals

    def _compared(self, totals: Sequence[Score | None]) -> Iterator[tuple[ComparedRow, str]]:
        """Every gold document, in order: its row and its part of a page."""
        work = partial(_judged, names=self._names, budget=self._chosen.budget)
        return self._spread(work, self._questions(totals), partial(_not_judged, names=self._names))

    def _questions(self, totals: Sequence[Score | None]) -> Iterator[_Question]:
        answers = [{id(key): answer for key, answer in pairing.pairs} for pairing in self._pairings]
        scores = [{each.document: each for each in total.documents} if total else {} for total in totals]
        for number, key in enumerate(self._gold.documents, 1):
            given = [side.get(id(key), Document(key.id)) for side in answers]
            yield _Question(f"d{number}", key, given, [side.get(key.id) for side in scores])


class _Question(NamedTuple):
    """A gold document, under the name that it has in the page, with the answers of all systems and their scores."""

    key: str
    gold: Found
    answers: Sequence[Found]
    scores: Sequence[Score | None]


def _judged(question: _Question, names: Sequence[str], budget: float | None) -> tuple[ComparedRow, str]:
    """A function of values, for this process or another."""
    gold = question.gold
    if isinstance(gold, Unreadable):
        return _not_judged(question, str(gold.error), names)
    return _drawn(question.key, _Comparer(gold, budget).page(question.answers, question.scores), names)


def _not_judged(question: _Question, reason: str, names: Sequence[str]) -> tuple[ComparedRow, str]:
    nothing = (None,) * len(question.answers)
    page = ComparedPage(question.gold.id, question.gold.path or "", (), nothing, (reason,))
    return _drawn(question.key, page, names)


def _drawn(key: str, page: ComparedPage, names: Sequence[str]) -> tuple[ComparedRow, str]:
    gold_links = max((sum(each.side == "gold" for each in a.links) for a in page.answers if a), default=0)
    row = ComparedRow(key, page.id, gold_links, tuple(a.figures if a else None for a in page.answers))
    return row, compared_article(page, key, names)


def _reason(_pair: object, reason: str) -> str:
    return reason


def _formats(side: Side) -> set[str | None]:
    return {document.format for document in side.documents if isinstance(document, Document)}


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
