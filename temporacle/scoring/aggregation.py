"""From judgements of documents to one score: counts first, ratios last."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from temporacle.results import Counts, Score, harmonic_mean
from temporacle.scoring.options import Average

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Remark
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
        confusion=judgement.confusion,
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

    def add(self, score: Score) -> None:
        """Take the score of one document in."""
        self.documents += 1
        self._counts = self._counts + score.counts
        if self._average is Average.MACRO:
            self._means = [
                mean + value for mean, value in zip(self._means, (score.precision, score.recall, score.f1), strict=True)
            ]
            self._beside.update(score.beside)
        self._labels = score.labels
        self._confusion.update(score.confusion)
        for name, groups in score.breakdown.items():
            table = self._breakdown.setdefault(name, {})
            for group, counts in groups.items():
                table[group] = table[group] + counts if group in table else counts

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
            confusion=self._confusion,
            derived=self._counts.derived(empty),
            beside=beside,
            labels=self._labels,
        )
