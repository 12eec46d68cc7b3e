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
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.scoring.intervals import DocumentFigures, middle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.results import Score
    from temporacle.scoring.options import Average

MEASURES = ("precision", "recall", "f1")


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
        """Return the difference in precision, recall or f1."""
        return next(each for each in self.differences if each.measure == measure)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
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
    figures = DocumentFigures((shared, [by_name[score.document] for score in shared]), average, empty)
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
            Difference(measure, observed[k], *middle([row[k] for row in drawn]), Fraction(1 + extreme[k], 1 + samples))
            for k, measure in enumerate(MEASURES)
        ),
    )
