"""Measure how straight a curve is: a least-squares line, the share of the variance it explains, and distances."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.experiments.outcome import Curve

NEARLY_LINEAR = 0.98  # of the variance explained; the parabola 2x - x^2 on [0, 1] has 0.9375


@dataclass(frozen=True, slots=True)
class Line:
    """y = slope x + intercept. ``r_squared`` is 1 for points on the line; 1 by convention where y never changes."""

    slope: float
    intercept: float
    r_squared: float
    largest: float  # distance of a point from the line, along y

    @property
    def is_straight(self) -> bool:
        return self.r_squared >= NEARLY_LINEAR

    def __str__(self) -> str:
        return f"R² = {self.r_squared:.3f}, slope {self.slope:.3g}, at most {self.largest:.2g} off the line"


def line_through(points: Sequence[tuple[float, float]], weights: Sequence[float] | None = None) -> Line:
    """Return the least-squares line. A point of weight n counts like n points.

    >>> line_through([(0, 1), (1, 3), (2, 5)])
    Line(slope=2.0, intercept=1.0, r_squared=1.0, largest=0.0)
    """
    if not points:
        return Line(0.0, 0.0, 0.0, 0.0)
    weighted = [(x, y, w) for (x, y), w in zip(points, weights or [1.0] * len(points), strict=True)]
    total = sum(w for _, _, w in weighted)
    mean_x, mean_y = sum(w * x for x, _, w in weighted) / total, sum(w * y for _, y, w in weighted) / total
    spread_x = sum(w * (x - mean_x) ** 2 for x, _, w in weighted)
    spread_y = sum(w * (y - mean_y) ** 2 for _, y, w in weighted)
    slope = sum(w * (x - mean_x) * (y - mean_y) for x, y, w in weighted) / spread_x if spread_x else 0.0
    intercept = mean_y - slope * mean_x
    errors = [abs(y - slope * x - intercept) for x, y in points]
    left = sum(w * error**2 for (_, _, w), error in zip(weighted, errors, strict=True))
    return Line(slope, intercept, 1 - left / spread_y if spread_y else 1.0, max(errors))


def line_of(curve: Curve) -> Line:
    """Return the line through the means of a curve. Each mean weighs as many measurements as it was made from."""
    return line_through([(point.x, point.y) for point in curve.points], [point.size for point in curve.points])


def off_diagonal(curve: Curve) -> float:
    """Return the root of the mean squared distance from y = x, weighted in the same way.

    >>> from temporacle.experiments.outcome import Curve, CurvePoint
    >>> off_diagonal(Curve("a", (CurvePoint(0.0, 0.5), CurvePoint(1.0, 0.5))))
    0.5
    """
    total = sum(point.size for point in curve.points)
    return sqrt(sum(point.size * (point.y - point.x) ** 2 for point in curve.points) / total) if total else 0.0


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the power k for which y grows like x^k: the slope between the logarithms. Points at or below 0 are
    ignored.

    >>> round(exponent([(1, 3), (2, 12), (4, 48)]), 6)
    2.0
    """
    return line_through([(log(x), log(y)) for x, y in points if x > 0 and y > 0]).slope
