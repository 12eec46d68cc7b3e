"""Several answers or runs of one system: ``score(answers=True)`` and ``Runs``.

mean        every answer counts; the answers about one document together weigh as much as those about another
best        of each document the answer with the highest F1: what a perfect choice among them would reach
consensus   of each document the consistent labels with most votes, scored like an answer
agreement   the mean share of pairs that two answers relate in the same way
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.corpus.inputs import documents
from temporacle.corpus.references import bare_name
from temporacle.errors import UsageError
from temporacle.frames import Figure, digits, html_table, to_frame
from temporacle.io.values import holds_answers, is_frame
from temporacle.model import Document, Remark, Unreadable, counted
from temporacle.readings import BY_NAME, load_reading
from temporacle.results import skipped_sides, warned_words
from temporacle.scored import Objective
from temporacle.scoring.metric import metric_named
from temporacle.scoring.pairs import label_set_of
from temporacle.scoring.pairs.labels import TBDENSE, vocabulary
from temporacle.scoring.tally import Tally
from temporacle.tasks.check import agreement_of
from temporacle.tasks.decode import decoding_of
from temporacle.tasks.decodings import Voting, votes_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.corpus.inputs import Inputs
    from temporacle.io.source import Options
    from temporacle.results import Score
    from temporacle.scoring.metric import Average, MetricOptions

KINDS = ("mean", "best", "consensus")
COVERAGE = "unanswered-pairs"
COLUMNS = ("document", "answers", *KINDS, "agreement")


class Runs:
    """Several runs (seeds) of one system, each a complete corpus.

    >>> Runs("run1.jsonl", "run2.jsonl")
    Runs(2)
    """

    def __init__(self, *sources: Inputs) -> None:
        if not sources:
            raise UsageError("Runs() holds no run; give one source for each")
        self.sources = sources  # one for each run

    def __repr__(self) -> str:
        return f"Runs({len(self.sources)})"


def runs_of(source: Inputs) -> list[Inputs]:
    """Return the runs of a system: ``Runs``, or a list of complete corpora. Any other source is one run.

    >>> first, second = [("a", "BEFORE", "b")], [("a", "AFTER", "b")]
    >>> len(runs_of(Runs(first, second))), len(runs_of([first, second])), len(runs_of(first)), len(runs_of(["x", "y"]))
    (2, 2, 1, 1)
    """
    if isinstance(source, Runs):
        return list(source.sources)
    if isinstance(source, list | tuple) and source and all(map(_is_corpus, source)):
        return list(source)
    return [source]


def _is_corpus(source: object) -> bool:
    """Return whether a value in a list is a frame, or a list of documents or statements: no statement itself."""
    if isinstance(source, Runs):
        raise UsageError("Runs() is a system; give it under a name, not in a list of runs")
    if isinstance(source, Mapping):  # columns, or documents by name: no row and no single document
        if any(isinstance(each, str) or each is None for each in source.values()):
            return holds_answers(source)
        return "links" not in source and bool(source)
    if is_frame(source):
        return True
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and all(isinstance(each, Document | Unreadable | list | tuple) for each in source)
    )


class AnsweredDocument(NamedTuple):
    """The scores of the answers about one document."""

    document: str
    answers: tuple[Score, ...]
    best: Score
    consensus: Score | None  # None: it was not found in time
    agreement: Figure | None  # None: fewer than two answers, or no pair that two answers relate

    @property
    def mean(self) -> Figure:
        """Return the mean F1 of the answers."""
        return Figure(sum(each.f1 for each in self.answers) / len(self.answers))

    def row(self) -> dict[str, Any]:
        """Return the cells of a table: F1 of each kind."""
        f1 = (self.mean, self.best.f1, None if self.consensus is None else self.consensus.f1, self.agreement)
        shown = (None if each is None else float(each) for each in f1)
        return dict(zip(COLUMNS, (self.document, len(self.answers), *shown), strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class AnswerScores:
    """The score of several answers about each document: ``mean``, ``best`` and ``consensus`` are scores."""

    mean: Score
    best: Score
    consensus: Score
    documents: tuple[AnsweredDocument, ...]

    def __repr__(self) -> str:
        figures = ", ".join(f"{kind} {digits(score.f1)}" for kind, score in self.figures())
        agreed = "" if self.agreement is None else f", agreement {digits(self.agreement)}"
        of = f"{counted(self.answers, 'answer')} about {counted(len(self.documents), 'document')}"
        skipped = skipped_sides(self.skipped_links)
        return f"AnswerScores({self.mean.title} of {of}: F1 {figures}{agreed}{skipped}{warned_words(self.warnings)})"

    @property
    def answers(self) -> int:
        """Return how many answers there are."""
        return sum(len(each.answers) for each in self.documents)

    @property
    def agreement(self) -> Figure | None:
        """Return the mean agreement of documents with two or more answers."""
        found = [each.agreement for each in self.documents if each.agreement is not None]
        return Figure(sum(found) / len(found)) if found else None

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return the warnings about the answers."""
        return self.mean.warnings

    @property
    def skipped_links(self) -> Mapping[str, Mapping[str, int]]:
        """Return how many links of gold and of all answers could not be used, by code."""
        return self.mean.skipped_links

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the total."""
        shown = None if self.agreement is None else float(self.agreement)
        totals = {kind: score.to_dict() for kind, score in self.figures()}
        return {"total": True, "answers": self.answers, "agreement": shown, **totals}

    def figures(self) -> Iterator[tuple[str, Score]]:
        """Yield the three scores by name."""
        return ((kind, getattr(self, kind)) for kind in KINDS)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table: F1 of each document, and the total last."""
        yield from (each.row() for each in self.documents)
        figures = (*(score.f1 for _, score in self.figures()), self.agreement)
        shown = (None if each is None else float(each) for each in figures)
        yield dict(zip(COLUMNS, ("TOTAL", self.answers, *shown), strict=True))

    def to_frame(self) -> Any:
        """Return a pandas frame with F1 of each document: mean, best, consensus, and the agreement of its answers."""
        return to_frame([each.row() for each in self.documents], COLUMNS)

    def _repr_html_(self) -> str:
        cells = [[digits(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in self.rows()]
        return html_table(COLUMNS, cells, caption=self.mean.signature)


def scored_answers(
    golds: Sequence[Document],
    system: Inputs,
    reading: Options,
    metrics: Sequence[tuple[str, MetricOptions]],
    score: Callable[[Sequence[Document], Sequence[Document]], list[Score]],
    *,
    average: Average,
    empty: int,
    limit: float | None,
) -> list[AnswerScores]:
    """Return the scores of all answers by each metric. ``score`` compares documents: gold's, and one answer to each."""
    sources = runs_of(system)
    answers = _by_document(sources, reading)
    if not answers:
        raise UsageError("the system has no document")
    meant = _meant(reading, golds)
    voters = answers if meant is reading else _by_document(sources, meant)
    parts: list[list[Score]] = []  # by answer number, then by metric
    for number in range(max(map(len, answers.values()))):
        asked = [gold for gold in golds if not number or len(answers.get(bare_name(gold.id), ())) > number]
        parts.append(score(asked, [each[number] for each in answers.values() if len(each) > number]))
    together = score(golds, [_consensus(name, each, voters[name], limit) for name, each in answers.items()])
    agreed = {name: agreement_of(each) for name, each in voters.items()}
    found = []
    for place, (name, options) in enumerate(metrics):
        metric = metric_named(name)
        summary = _summary(
            [part[place] for part in parts], together[place], agreed, partial(Tally, metric, empty, average)
        )
        told = () if metric.about_total is None else metric.about_total(summary.mean.counts, options)
        warnings = dict.fromkeys((*summary.mean.warnings, *told))
        found.append(replace(summary, mean=replace(summary.mean, warnings=tuple(warnings))))
    return found


def _by_document(sources: Sequence[Inputs], options: Options) -> dict[str, list[Document]]:
    """Return the answers about each document, in order. One that cannot be read is an answer without links."""
    found: dict[str, list[Document]] = {}
    unread = options.labels_like or load_reading("links")
    for source in sources:
        for each in documents(source, options):
            answer = each if isinstance(each, Document) else each.as_answer(unread)
            found.setdefault(bare_name(each.id), []).append(answer)
    return found


def _meant(reading: Options, golds: Sequence[Document]) -> Options:
    """Return options by which labels have a meaning: pairwise scores go by names, but votes must fit together."""
    if reading.labels_like is None or reading.labels_like.name != BY_NAME:
        return reading
    own = "dense" if label_set_of(golds) is TBDENSE else "matres"
    return replace(reading, labels_like=vocabulary(load_reading(own)))


def _consensus(name: str, answers: Sequence[Document], voters: Sequence[Document], limit: float | None) -> Document:
    """Return the consistent labels with most votes, read as the answers are. Beyond the time limit: those found."""
    voted = votes_on(name, dict(enumerate(voters)), Voting())
    found = decoding_of(voted, Objective.WEIGHT, alternatives=0, budget=limit)
    links = () if found.decoded is None else found.to_document().links
    like = next((each for each in answers if each.links), answers[0])
    named = tuple(link._replace(relation=like.reading.relation(link.label)) if link.label else link for link in links)
    return Document(name, named, how_read=like.how_read)


def _summary(
    parts: Sequence[Score], consensus: Score, agreed: Mapping[str, Any], tally: Callable[[], Tally]
) -> AnswerScores:
    by_document: dict[str, list[Score]] = {}
    for part in parts:
        for each in part.documents:
            by_document.setdefault(each.document or "", []).append(each)
    together = {each.document: each for each in consensus.documents}
    found = tuple(
        AnsweredDocument(
            name,
            tuple(scores),
            max(scores, key=lambda each: each.f1),
            together.get(name),
            None if (agreement := agreed.get(bare_name(name))) is None else Figure(agreement),
        )
        for name, scores in by_document.items()
    )
    mean, best = tally(), tally()
    common = lcm(*(len(each.answers) for each in found))
    for document in found:
        best.add(document.best)
        for answer in document.answers:
            mean.add(answer, common // len(document.answers))
    numbers = sorted({len(each.answers) for each in found}) or [0]
    signed = f"answers:{'-'.join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))}"

    def total(kind: str, score: Score, documents: Iterable[Score]) -> Score:
        return _signed(replace(score, documents=tuple(documents), scored=len(found)), parts, f"{signed}-{kind}")

    return AnswerScores(
        total("mean", mean.total(), (answer for each in found for answer in each.answers)),
        total("best", best.total(), (each.best for each in found)),
        total("consensus", consensus, consensus.documents),
        found,
    )


def _signed(total: Score, parts: Sequence[Score], part: str) -> Score:
    """Return a total with what is known of all answers."""
    skipped: dict[str, Counter[str]] = {"gold": Counter(parts[0].skipped_links["gold"]), "system": Counter()}
    for each in parts:
        skipped["system"].update(each.skipped_links["system"])
    sizes = "/".join(str(codes.total()) for codes in skipped.values())
    first = [each for each in parts[0].signature.split("|") if not each.startswith(("coverage:", "skipped:"))]
    before = next(place for place, each in enumerate(first) if each.startswith("version:"))
    coverage = total.counts.coverage() if "coverage:" in parts[0].signature else {}
    more = [
        *([f"coverage:{coverage['answered']}/{coverage['asked']}"] if coverage else []),
        *([f"skipped:{sizes}"] if any(skipped.values()) else []),
        part,
    ]
    return replace(
        total,
        convention=parts[0].convention,
        skipped=tuple(dict.fromkeys(each for part in parts for each in part.skipped)),
        warnings=tuple(dict.fromkeys(told for part in parts for told in part.warnings if told.code != COVERAGE)),
        skipped_links={side: dict(sorted(codes.items())) for side, codes in skipped.items()},
        signature="|".join((*first[:before], *more, *first[before:])),
    )
