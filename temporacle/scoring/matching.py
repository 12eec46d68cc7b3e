"""Maximum weight matching between two small sets (the Hungarian method, Kuhn 1955; Munkres 1957).

    potentials u, v with u[i] + v[j] <= cost[i][j]; rows are added one by one
    for each row: a shortest alternating path to a free column by reduced costs, then flip the path

O(n^3) for n rows or columns, in whole numbers: exact for weights of any size.
"""

from __future__ import annotations

from collections import Counter
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
        if cost[row][column]  # rows and columns that only fill the square have none
    ]


def _sides(weights: Mapping[tuple[int, int], int]) -> tuple[set[int], set[int]]:
    return {row for row, _ in weights}, {column for _, column in weights}


def _assignment(cost: list[list[int]]) -> list[int]:
    """Return the column of each row in an assignment of least cost. Rows and columns are counted from 1 internally."""
    size = len(cost)
    u: Counter[int] = Counter()
    v: Counter[int] = Counter()
    row_of: Counter[int] = Counter()  # by column; 0: free
    for row in range(1, size + 1):
        row_of[0] = row
        column = 0
        reached: list[int] = []
        left = list(range(1, size + 1))
        least: dict[int, int] = {}
        came_from: dict[int, int] = {}
        while current := row_of[column]:
            reached.append(column)
            for other in left:
                reduced = cost[current - 1][other - 1] - u[current] - v[other]
                if other not in least or reduced < least[other]:
                    least[other], came_from[other] = reduced, column
            column = min(left, key=least.__getitem__)
            left.remove(column)
            step = least[column]  # move the potentials: the nearest column is reached at no cost
            for other in reached:
                u[row_of[other]] += step
                v[other] -= step
            for other in left:
                least[other] -= step
        while column:
            before = came_from[column]
            row_of[column] = row_of[before]
            column = before
    return sorted(range(size), key=lambda column: row_of[column + 1])
