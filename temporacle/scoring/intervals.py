"""How far the score of one system would vary with other documents: a bootstrap interval (Efron & Tibshirani 1993).

Documents are drawn with replacement, as many as there are; the interval holds the middle 95 % of the F1 of these
draws. Documents are resampled, and not links, because links of one document depend on each other. The counts are added
up exactly, and the seed decides the draws: the same seed gives the same interval. Differences of two systems are in
``comparison``.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, lcm
from typing import TYPE_CHECKING, NamedTuple

from temporacle.results import harmonic_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.results import Counts, Score

SAMPLES = 1000
_OUTSIDE = Fraction(5, 100)  # of the draws, outside the interval
_FEWEST = 2  # documents: every draw from one document is that document


class ScoreInterval(NamedTuple):
    """Where the middle 95 % of the drawn scores lie."""

    low: Fraction
    high: Fraction


def f1_interval(
    documents: Sequence[Score], *, empty: int = 0, samples: int = SAMPLES, seed: int = 0
) -> ScoreInterval | None:
    """The interval of micro-averaged F1; None for fewer than two documents, which say nothing about others."""
    import numpy as np

    if len(documents) < _FEWEST:
        return None
    kind: type[Counts] = type(documents[0].counts)
    rows = [[Fraction(value) for _, value in score.counts.items()] for score in documents]
    scales = [lcm(*(value.denominator for value in column)) for column in zip(*rows, strict=True)]
    whole = [[int(value * scale) for value, scale in zip(row, scales, strict=True)] for row in rows]
    largest = max((abs(value) for row in whole for value in row), default=0)
    table = np.array(whole, dtype=np.int64 if largest * len(documents) < 1 << 62 else object)
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(samples):
        weights = np.bincount(random.integers(0, len(documents), len(documents)), minlength=len(documents))
        sums = weights @ table
        counts = kind(*(Fraction(int(value), scale) for value, scale in zip(sums, scales, strict=True)))
        drawn.append(harmonic_mean(counts.precision(empty), counts.recall(empty)))
    return middle(drawn)


def middle(values: Sequence[Fraction]) -> ScoreInterval:
    """The values at both ends of the middle 95 %.

    >>> middle([Fraction(n) for n in range(1000)])
    ScoreInterval(low=Fraction(25, 1), high=Fraction(974, 1))
    """
    ordered = sorted(values)
    return ScoreInterval(
        ordered[floor(_OUTSIDE / 2 * len(ordered))], ordered[ceil((1 - _OUTSIDE / 2) * len(ordered)) - 1]
    )
