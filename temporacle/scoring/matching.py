"""Maximum weight matching between two small sets (the Hungarian method, Kuhn 1955; Munkres 1957).

    potentials u, v with u[i] + v[j] <= cost[i][j]; rows are added one by one
    for each row: a shortest alternating path to a free column by reduced costs, then flip the path

O(n^3) for n rows or columns, in whole numbers: exact for weights of any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def best_matching(weights: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return pairs (row, column) of largest total weight, with no row or column twice.

    Weights are positive; pairs without a weight are left out.

    >>> best_matching({(0, 0): 5, (0, 1): 4, (1, 0): 4})
    [(0, 1), (1, 0)]
    """
    rows, columns = ({name: place for place, name in enumerate(sorted(side))} for side in _sides(weights))
    size = max(len(rows), len(columns))
    cost = [[0] * size for _ in range(size)]
    for (row, column), weight in weights.items():
        cost[rows[row]][columns[column]] = -weight
    names = list(rows), list(columns)
    return [
        (names[0][row], names[1][column])
        for row, column in enumerate(_assignment(cost))
        if row < len(rows) and column < len(columns) and cost[row][column]
    ]


def _sides(weights: Mapping[tuple[int, int], int]) -> tuple[set[int], set[int]]:
    return {row for row, _ in weights}, {column for _, column in weights}


def _assignment(cost: list[list[int]]) -> list[int]:
    """Return the column of each row in an assignment of least cost. Rows and columns are counted from 1 internally."""
    size = len(cost)
    u, v = [0] * (size + 1), [0] * (size + 1)
    row_of = [0] * (size + 1)  # by column; 0: free
    for row in range(1, size + 1):
        row_of[0] = row
        column = 0
        least: list[int | None] = [None] * (size + 1)
        came_from = [0] * (size + 1)
        used = [False] * (size + 1)
        while row_of[column]:
            used[column] = True
            current, best, nearest = row_of[column], None, 0
            for other in range(1, size + 1):
                if used[other]:
                    continue
                reduced = cost[current - 1][other - 1] - u[current] - v[other]
                known = least[other]
                if known is None or reduced < known:
                    least[other] = known = reduced
                    came_from[other] = column
                if best is None or known < best:
                    best, nearest = known, other
            for other, is_used in enumerate(used):  # move the potentials: the nearest column is reached at no cost
                if is_used:
                    u[row_of[other]] += best or 0
                    v[other] -= best or 0
                elif (distance := least[other]) is not None:
                    least[other] = distance - (best or 0)
            column = nearest
        while column:
            before = came_from[column]
            row_of[column] = row_of[before]
            column = before
    found = [0] * size
    for column in range(1, size + 1):
        found[row_of[column] - 1] = column - 1
    return found
