"""The input and output of an experiment: rows for a table, curves for figures, claims with numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.model import Document  # noqa: TC001 - part of the public signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
class Figure:
    """A figure to draw. ``diagonal`` adds the line y = x; ``scatter`` draws points without joining them."""

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    diagonal: bool = False
    scatter: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
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
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
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
