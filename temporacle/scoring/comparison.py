"""Is one system better than another? Paired bootstrap and approximate randomisation over documents.

    bootstrap       documents are drawn with replacement, the same for both systems; the middle 95 % of the differences
                    seen is the confidence interval (Efron & Tibshirani 1993)
    randomisation   the answers of the two systems to each document are swapped or not at random; p is how often the
                    difference is then at least as large as the real one, (1 + times) / (1 + samples) (Noreen 1989)

Both resample documents because links of one document depend on each other. Everything is exact arithmetic over counts,
and the seed decides the samples: the same seed gives the same figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.results import harmonic_mean
from temporacle.scoring.options import Average

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.results import Counts, Score

MEASURES = ("precision", "recall", "f1")
_OUTSIDE = Fraction(5, 100)  # of the samples, outside the confidence interval


@dataclass(frozen=True, slots=True)
class Difference:
    """First system minus second, in one measure."""

    measure: str
    observed: Fraction
    low: Fraction
    high: Fraction
    p_value: Fraction


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two systems over the documents that both have a score for."""

    documents: int
    samples: int
    seed: int
    differences: tuple[Difference, ...]

    def of(self, measure: str) -> Difference:
        """The difference in precision, recall or f1."""
        return next(each for each in self.differences if each.measure == measure)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "documents": self.documents,
            "samples": self.samples,
            "seed": self.seed,
            "differences": {
                each.measure: {
                    "observed": float(each.observed),
                    "low": float(each.low),
                    "high": float(each.high),
                    "p_value": float(each.p_value),
                }
                for each in self.differences
            },
        }


def compare(
    first: Sequence[Score], second: Sequence[Score], *, average: Average, empty: int, samples: int = 1000, seed: int = 0
) -> Comparison:
    """Compare the scores of documents of two systems."""
    import numpy as np

    by_name = {score.document: score for score in second}
    shared = [score for score in first if score.document in by_name]
    if not shared:
        raise UsageError("the two systems have no scored document in common")
    figures = _Figures((shared, [by_name[score.document] for score in shared]), average, empty)
    size = len(shared)
    rng = np.random.default_rng(seed)
    everything = np.ones(size, dtype=np.int64)
    observed = figures.differences(everything @ figures.first, everything @ figures.second)
    drawn = []
    for _ in range(samples):
        weights = np.bincount(rng.integers(0, size, size), minlength=size)
        drawn.append(figures.differences(weights @ figures.first, weights @ figures.second))
    extreme = [0] * len(MEASURES)
    for _ in range(samples):
        moved = rng.integers(0, 2, size) @ (figures.second - figures.first)
        swapped = figures.differences(everything @ figures.first + moved, everything @ figures.second - moved)
        for position, difference in enumerate(swapped):
            extreme[position] += abs(difference) >= abs(observed[position])
    return Comparison(
        size,
        samples,
        seed,
        tuple(
            Difference(
                measure, observed[k], *_interval([row[k] for row in drawn]), Fraction(1 + extreme[k], 1 + samples)
            )
            for k, measure in enumerate(MEASURES)
        ),
    )


def f1_interval(
    documents: Sequence[Score], average: Average, empty: int, samples: int = 1000, seed: int = 0
) -> tuple[Fraction, Fraction]:
    """Where the middle 95 % of F1 lie when documents are drawn with replacement."""
    import numpy as np

    figures = _Figures((documents, documents), average, empty)
    rng, size = np.random.default_rng(seed), len(documents)
    drawn = [
        figures.measures(np.bincount(rng.integers(0, size, size), minlength=size) @ figures.first)[-1]
        for _ in range(samples)
    ]
    return _interval(drawn)


def _interval(values: list[Fraction]) -> tuple[Fraction, Fraction]:
    """The middle of the values without the share outside."""
    ordered = sorted(values)
    low = floor(_OUTSIDE / 2 * len(ordered))
    high = ceil((1 - _OUTSIDE / 2) * len(ordered)) - 1
    return ordered[low], ordered[high]


class _Figures:
    """What is added up over documents, a row each: counts, or for macro averages P, R and F1 themselves.

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
        largest = max(
            abs(value) * scale for column, scale in zip(columns, self._scales, strict=True) for value in column
        )
        kind = np.int64 if largest * self._documents < 1 << 62 else object
        self.first, self.second = (
            np.array([[int(v * s) for v, s in zip(row, self._scales, strict=True)] for row in side], dtype=kind)
            for side in rows
        )

    def _row(self, score: Score) -> list[Fraction]:
        if self._kind is None:
            return [score.precision, score.recall, score.f1]
        return [Fraction(value) for _, value in score.counts.items()]

    def differences(self, first: Any, second: Any) -> list[Fraction]:
        """P, R and F1 of one sum of rows minus those of another."""
        return [own - other for own, other in zip(self.measures(first), self.measures(second), strict=True)]

    def measures(self, row: Any) -> list[Fraction]:
        sums = [Fraction(int(value), scale) for value, scale in zip(row, self._scales, strict=True)]
        if self._kind is None:
            return [value / self._documents for value in sums]
        counts = self._kind(*sums)
        precision, recall = counts.precision(self._empty), counts.recall(self._empty)
        return [precision, recall, harmonic_mean(precision, recall)]
