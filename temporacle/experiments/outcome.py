"""The input and output of an experiment: rows for a table, curves for figures, claims with numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.model import Document  # noqa: TC001 - part of the public signature
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.results import MatchCounts
from temporacle.scoring import closed, reduction

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.network import PairTable
    from temporacle.results import Counts

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an experiment. With a corpus, ``graphs`` of its documents replace generated graphs."""

    seed: int = 0
    entities: int = 10
    graphs: int = 10
    samples: int = 5
    corpus: tuple[Document, ...] = ()


class CurvePoint(NamedTuple):
    """A mean of ``size`` measurements."""

    x: float
    y: float
    size: int = 1


class Curve(NamedTuple):
    """One line, or one cloud of points, of a figure."""

    name: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class PlottedFigure:
    """A figure to draw. ``diagonal`` adds the line y = x; ``scatter`` draws points without joining them."""

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    diagonal: bool = False
    scatter: bool = False


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A claim of a paper, and whether it holds in the measurements."""

    text: str
    holds: bool
    measured: str

    def __str__(self) -> str:
        return f"{'Holds' if self.holds else 'Does not hold'}: {self.text} ({self.measured})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an experiment."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]
    figures: tuple[PlottedFigure, ...]
    claims: tuple[PaperClaim, ...]
    notes: tuple[str, ...] = ()


def averaged(name: str, pairs: Iterable[tuple[float, float]], bins: int | None = None) -> Curve:
    """Return the mean of y for every x; with ``bins``, for every interval of x of that length.

    >>> averaged("a", [(0.0, 1.0), (0.0, 3.0), (0.5, 1.0)]).points
    (CurvePoint(x=0.0, y=2.0, size=2), CurvePoint(x=0.5, y=1.0, size=1))
    """
    groups: dict[float, list[float]] = defaultdict(list)
    for x, y in pairs:
        groups[x if bins is None else round(x * bins) / bins].append(y)
    return Curve(name, tuple(CurvePoint(x, sum(ys) / len(ys), len(ys)) for x, ys in sorted(groups.items())))


def quiet(_done: int, _total: int) -> None:
    """Ignore progress."""


def column(rows: Sequence[tuple[str | int | float, ...]], *positions: int) -> list[tuple[float, ...]]:
    """Return some columns of a table as numbers."""
    return [tuple(float(row[position]) for position in positions) for row in rows]


# ----------------------------------------------------------------------------------------------------
# Measure how straight a curve is: a least-squares line, the share of the variance it explains, and distances.

NEARLY_LINEAR = 0.98  # of the variance explained; the parabola 2x - x^2 on [0, 1] has 0.9375


@dataclass(frozen=True, slots=True)
class PlotLine:
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


def line_through(points: Sequence[tuple[float, float]], weights: Sequence[float] | None = None) -> PlotLine:
    """Return the least-squares line. A point of weight n counts like n points.

    >>> line_through([(0, 1), (1, 3), (2, 5)])
    PlotLine(slope=2.0, intercept=1.0, r_squared=1.0, largest=0.0)
    """
    if not points:
        return PlotLine(0.0, 0.0, 0.0, 0.0)
    weighted = [(x, y, w) for (x, y), w in zip(points, weights or [1.0] * len(points), strict=True)]
    total = sum(w for _, _, w in weighted)
    mean_x, mean_y = sum(w * x for x, _, w in weighted) / total, sum(w * y for _, y, w in weighted) / total
    spread_x = sum(w * (x - mean_x) ** 2 for x, _, w in weighted)
    spread_y = sum(w * (y - mean_y) ** 2 for _, y, w in weighted)
    slope = sum(w * (x - mean_x) * (y - mean_y) for x, y, w in weighted) / spread_x if spread_x else 0.0
    intercept = mean_y - slope * mean_x
    errors = [abs(y - slope * x - intercept) for x, y in points]
    left = sum(w * error**2 for (_, _, w), error in zip(weighted, errors, strict=True))
    return PlotLine(slope, intercept, 1 - left / spread_y if spread_y else 1.0, max(errors))


def line_of(curve: Curve) -> PlotLine:
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


# ----------------------------------------------------------------------------------------------------
# The three measures of Tannier & Muller's experiments, on closed graphs over the same entities.

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
        cases = closed.count_cases(self.table, answer, None)
        strict, relaxed = (
            sum((case.counts(relaxed=scheme) * number for case, number in cases.items()), MatchCounts())
            for scheme in (False, True)
        )
        return [strict, relaxed, reduction.compare(self.reduction, reduction_of(answer))]
