"""The three measures of Tannier & Muller's experiments, on closed graphs over the same entities."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.reduction import reduction_of
from temporacle.results import MatchCounts
from temporacle.scoring import closed_pairs, reduction

if TYPE_CHECKING:
    from temporacle.reasoner.network import PairTable
    from temporacle.results import Counts

MEASURES = ("strict", "relaxed", "point")


class Measured(NamedTuple):
    """One figure for each measure."""

    strict: float
    relaxed: float
    point: float


class Key:
    """A closed graph that others are compared with: its reduction is computed once."""

    def __init__(self, table: PairTable) -> None:
        self.table = table
        self.reduction = reduction_of(table)

    def recall(self, answer: PairTable) -> Measured:
        return Measured(*(float(counts.recall(0)) for counts in self._counts(answer)))

    def precision(self, answer: PairTable) -> Measured:
        return Measured(*(float(counts.precision(0)) for counts in self._counts(answer)))

    def _counts(self, answer: PairTable) -> list[Counts]:
        cases = closed_pairs.count_cases(self.table, answer, None)
        strict, relaxed = (
            sum((case.times(number, relaxed=scheme) for case, number in cases.items()), MatchCounts())
            for scheme in (False, True)
        )
        return [strict, relaxed, reduction.compare(self.reduction, reduction_of(answer))]
