"""From judgements of documents to one score: counts first, ratios last."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from temporacle.model import Kind
from temporacle.readings import canonical
from temporacle.reasoner.algebra import ALL
from temporacle.relation import ATOMS, Relation
from temporacle.results import NOTHING, Counts, Score, harmonic_mean
from temporacle.scoring.metric import Average

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.model import Document, Remark
    from temporacle.results import Unmatched
    from temporacle.scoring.metric import Judgement, Metric


def document_score(
    judgement: Judgement,
    *,
    metric: str,
    empty: int,
    document: str,
    convention: str = "",
    unmatched: Unmatched | None = None,
    warnings: Sequence[Remark] = (),
) -> Score:
    """Return the score of one document."""
    precision, recall = judgement.counts.precision(empty), judgement.counts.recall(empty)
    return Score(
        metric=metric,
        counts=judgement.counts,
        precision=precision,
        recall=recall,
        f1=harmonic_mean(precision, recall),
        convention=convention,
        document=document,
        breakdown=judgement.breakdown,
        confused=judgement.confusion,
        rows=judgement.rows,
        unmatched=unmatched,
        derived=judgement.counts.derived(empty),
        beside=judgement.counts.beside(empty),
        labels=judgement.labels,
        warnings=(*warnings, *judgement.warnings),
    )


class Tally:
    """Adds up the scores of documents as they come, and keeps none of them.

    Micro: counts add up, then divide. Macro: P, R and F1 of documents are averaged.
    """

    def __init__(self, metric: Metric, empty: int, average: Average) -> None:
        self.documents = 0
        self._counts: Counts = metric.counts()
        self._means = [Fraction(0)] * 3  # sums of P, R and F1
        self._beside: Counter[str] = Counter()  # sums of the figures; Counters can add fractions
        self._labels: tuple[str, ...] = ()
        self._breakdown: dict[str, dict[str, Counts]] = {}
        self._confusion: Counter[tuple[str, str]] = Counter()
        self._metric, self._empty, self._average = metric.name, empty, average

    def add(self, score: Score, times: int = 1) -> None:
        """Take the score of one document in, as often as it counts."""
        self.documents += times
        self._counts = self._counts + score.counts * times
        if self._average is Average.MACRO:
            figures = (score.precision, score.recall, score.f1)
            self._means = [mean + value * times for mean, value in zip(self._means, figures, strict=True)]
            self._beside.update({name: value * times for name, value in score.beside.items()})
        self._labels = score.labels
        self._confusion.update({labels: number * times for labels, number in score.confused.items()})
        for name, groups in score.breakdown.items():
            table = self._breakdown.setdefault(name, {})
            for group, counts in groups.items():
                table[group] = table[group] + counts * times if group in table else counts * times

    def total(self) -> Score:
        """Return the total score, without those of the documents."""
        empty = self._empty if self.documents else 0  # where nothing was scored, nothing was right
        beside = self._counts.beside(empty)
        if self._average is Average.MACRO and self.documents:
            precision, recall, f1 = (mean / self.documents for mean in self._means)
            beside = {name: Fraction(self._beside[name]) / self.documents for name in beside}
        else:
            precision, recall = self._counts.precision(empty), self._counts.recall(empty)
            f1 = harmonic_mean(precision, recall)
        return Score(
            metric=self._metric,
            counts=self._counts,
            precision=precision,
            recall=recall,
            f1=f1,
            scored=self.documents,
            breakdown={name: dict(sorted(table.items())) for name, table in self._breakdown.items()},
            confused=self._confusion,
            derived=self._counts.derived(empty),
            beside=beside,
            labels=self._labels,
        )


# ----------------------------------------------------------------------------------------------------
# Names for the rows of detailed tables: labels of relations, and kinds of pairs.

UNKNOWN = "(unknown entity)"  # the side does not mention one of the two


class LabelNames:
    """Labels for relations: of the reading that the documents were read by, else as they write them, else atoms.

    A reading has one name for a relation (SIMULTANEOUS, also where IDENTITY was written), so that tables of many
    documents add up.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._names: dict[int, str] = {}
        self._reading = None
        for document in documents:
            if self._reading is None and document.how_read is not None:
                self._reading = document.how_read.reading
            for link in document.links:
                if link.label and "|" not in link.label and link.label not in ATOMS:  # atoms are shown as such
                    self._names.setdefault(int(link.relation), canonical(link.label))

    def of(self, mask: int) -> str:
        if mask == ALL:
            return NOTHING
        relation = Relation(mask)
        if self._reading is not None and (label := self._reading.label_for(relation)) in self._reading.labels:
            return label
        return self._names.get(mask) or str(relation)


class PairKinds:
    """The kinds of entities that a pair joins: event-event, event-time, event-DCT, time-time, or other."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._kinds: dict[str, str] = {}
        for document in documents:
            for entity in document.entities:
                kind = "DCT" if entity.is_dct else entity.kind.value
                if self._kinds.get(entity.id, Kind.UNKNOWN.value) == Kind.UNKNOWN.value:
                    self._kinds[entity.id] = kind

    def of(self, source: str, target: str) -> str:
        return pair_kind(self.kind(source), self.kind(target))

    def kind(self, name: str) -> str:
        """Return the kind of an entity: event, time, DCT or unknown."""
        return self._kinds.get(name, Kind.UNKNOWN.value)


def pair_kind(first: str, second: str) -> str:
    """Return the kind of a pair of entities of these kinds."""
    pair = {first, second}
    if Kind.UNKNOWN.value in pair:
        return "other"
    if "event" not in pair:
        return "time-time"
    return "event-DCT" if "DCT" in pair else "event-time" if "time" in pair else "event-event"
