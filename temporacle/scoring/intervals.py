"""Bootstrap intervals: how far the score of one system would vary with other documents (Efron & Tibshirani 1993).

Documents are drawn with replacement, as many as there are; the interval holds the middle 95 % of the F1 of these
draws. Documents are resampled, and not links, because links of one document depend on each other. The counts are added
up exactly, and the seed decides the draws: the same seed gives the same interval. Differences of two systems are in
``comparison``.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, lcm
from operator import mul, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.results import harmonic_mean
from temporacle.scoring.options import Average

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.results import Counts, Score

SAMPLES = 1000
_OUTSIDE = Fraction(5, 100)  # of the draws, outside the interval
_FEWEST = 2  # documents: every draw from one document is that document


class ScoreInterval(NamedTuple):
    """The interval that contains the middle 95 % of the drawn scores."""

    low: Fraction
    high: Fraction


def f1_interval(
    documents: Sequence[Score],
    *,
    average: Average = Average.MICRO,
    empty: int = 0,
    samples: int = SAMPLES,
    seed: int = 0,
) -> ScoreInterval | None:
    """Return the interval of F1; None for fewer than two documents."""
    import numpy as np

    size = len(documents)
    if size < _FEWEST:
        return None
    figures = DocumentFigures((documents, documents), average, empty)
    random = np.random.default_rng(seed)
    drawn = [
        figures.measures(np.bincount(random.integers(0, size, size), minlength=size) @ figures.first)[-1]
        for _ in range(samples)
    ]
    return middle(drawn)


def middle(values: Sequence[Fraction]) -> ScoreInterval:
    """Return the values at both ends of the middle 95 %.

    >>> middle([Fraction(n) for n in range(1000)])
    ScoreInterval(low=Fraction(25, 1), high=Fraction(974, 1))
    """
    ordered = sorted(values)
    return ScoreInterval(
        ordered[floor(_OUTSIDE / 2 * len(ordered))], ordered[ceil((1 - _OUTSIDE / 2) * len(ordered)) - 1]
    )


class DocumentFigures:
    """The numbers that are added up over documents, one row each: counts, or P, R and F1 for macro averages.

    Every column is multiplied by a common denominator, so that sums are sums of whole numbers.
    """

    def __init__(self, sides: tuple[Sequence[Score], Sequence[Score]], average: Average, empty: int) -> None:
        import numpy as np

        self._kind: type[Counts] | None = None if average is Average.MACRO else type(sides[0][0].counts)
        self._empty = empty
        self._documents = len(sides[0])
        rows = [[self._row(score) for score in side] for side in sides]
        columns = list(zip(*rows[0], *rows[1], strict=True))
        self._scales = [lcm(*(value.denominator for value in column)) for column in columns]
        whole = [[list(map(int, map(mul, row, self._scales))) for row in side] for side in rows]
        largest = max(abs(value) for side in whole for row in side for value in row)
        kind = np.int64 if largest * self._documents < 1 << 62 else object
        self.first, self.second = (np.array(side, dtype=kind) for side in whole)

    def _row(self, score: Score) -> list[Fraction]:
        if self._kind is None:
            return [score.precision, score.recall, score.f1]
        return [Fraction(value) for _, value in score.counts.items()]

    def differences(self, first: Any, second: Any) -> list[Fraction]:
        """Return P, R and F1 of one sum of rows minus those of another."""
        return list(map(sub, self.measures(first), self.measures(second)))

    def measures(self, row: Any) -> list[Fraction]:
        sums = list(map(Fraction, map(int, row), self._scales))
        if self._kind is None:
            return [value / self._documents for value in sums]
        counts = self._kind(*sums)
        precision, recall = counts.precision(self._empty), counts.recall(self._empty)
        return [precision, recall, harmonic_mean(precision, recall)]
