"""Linear programs solved exactly: maximise c x, subject to A x <= b and x >= 0, where b >= 0.

The simplex method on a dense table of whole numbers. A pivot multiplies across and divides by the pivot before it,
which is always exact (Edmonds, Bareiss), so there are no fractions and no rounding. The entering column is the one that
promises most; after several steps without progress it is the first one that promises anything (Bland), so it ends.

For the small programs behind the optimality of repairs and decodings: hundreds of rows and columns.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.reasoner.network import Budget

_STALLED = 20  # steps without progress before the rule that cannot cycle


class Solution(NamedTuple):
    """The best x, and the price of each row: by how much the maximum grows with its b."""

    x: list[Fraction]
    prices: list[Fraction]
    value: Fraction


class Unbounded(NamedTuple):
    """There is no maximum: from ``x``, going on in the direction ``ray`` is always allowed and always better."""

    x: list[Fraction]
    ray: list[Fraction]


def maximise(
    c: Sequence[int], rows: Sequence[Mapping[int, int]], b: Sequence[int], budget: Budget
) -> Solution | Unbounded:
    """Return the best solution. ``rows`` are the coefficients by column. No b may be negative.

    >>> from temporacle.reasoner.network import Budget
    >>> maximise([1, 1, 1], [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}], [1, 1, 1], Budget()).value
    Fraction(3, 2)
    """
    columns, height = len(c), len(rows)
    table = np.zeros((height + 1, columns + height + 1), dtype=object)
    for place, row in enumerate(rows):
        for column, coefficient in row.items():
            table[place, column] = coefficient
        table[place, columns + place] = 1
        table[place, -1] = b[place]
    table[-1, :columns] = [-each for each in c]
    basis = list(range(columns, columns + height))
    scale, stalled = 1, 0  # the table holds everything times ``scale``
    while True:
        budget.check()
        entering = _entering(table[-1, :-1], by_order=stalled > _STALLED)
        if entering is None:
            return Solution(
                _values(table[:-1, -1], basis, columns, scale),
                [Fraction(int(each), scale) for each in table[-1, columns:-1]],
                Fraction(int(table[-1, -1]), scale),
            )
        leaving = _leaving(table, entering, basis)
        if leaving is None:
            ray = _values(-table[:-1, entering], basis, columns, scale)
            if entering < columns:
                ray[entering] = Fraction(1)
            return Unbounded(_values(table[:-1, -1], basis, columns, scale), ray)
        before = Fraction(int(table[-1, -1]), scale)
        scale = _pivot(table, leaving, entering, scale)
        basis[leaving] = entering
        stalled = stalled + 1 if Fraction(int(table[-1, -1]), scale) == before else 0


def _entering(costs: np.ndarray, *, by_order: bool) -> int | None:
    column = int(np.argmax(costs < 0)) if by_order else int(np.argmin(costs))
    return column if costs[column] < 0 else None


def _leaving(table: np.ndarray, column: int, basis: Sequence[int]) -> int | None:
    """Return the row that limits the entering column; among equals the one with the first basic column."""
    candidates = np.flatnonzero(table[:-1, column] > 0).tolist()
    if not candidates:
        return None
    return int(min(candidates, key=lambda row: (Fraction(int(table[row, -1]), int(table[row, column])), basis[row])))


def _pivot(table: np.ndarray, row: int, column: int, scale: int) -> int:
    """Bring a column into the basis. Return the new scale."""
    pivot = int(table[row, column])
    others = np.arange(len(table)) != row
    table[others] = (table[others] * pivot - np.outer(table[others, column], table[row])) // scale
    return pivot


def _values(amounts: np.ndarray, basis: Sequence[int], columns: int, scale: int) -> list[Fraction]:
    found = [Fraction(0)] * columns
    for column, amount in zip(basis, amounts, strict=True):
        if column < columns:
            found[column] = Fraction(int(amount), scale)
    return found
