"""Linear programs, exactly: against all corners of the region, and against what optimality means."""

from fractions import Fraction
from itertools import combinations
from random import Random

from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs.least_cost import PartSolution, Unbounded, maximise


def solved(matrix, right):
    """The solution of a square system; None if it has none or several."""
    size = len(matrix)
    rows = [[*map(Fraction, row), Fraction(b)] for row, b in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next((row for row in range(column, size) if rows[row][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [each / rows[column][column] for each in rows[column]]
        for row in range(size):
            if row != column:
                factor = rows[row][column]
                rows[row] = [x - factor * y for x, y in zip(rows[row], rows[column], strict=True)]
    return [row[-1] for row in rows]


def best_corner(c, dense, b):
    """The naive twin: the highest value at all corners."""
    size = len(c)
    every = [*dense, *([-(i == j) for j in range(size)] for i in range(size))]
    limits = [*b, *([0] * size)]
    values = []
    for chosen in combinations(range(len(every)), size):
        x = solved([every[row] for row in chosen], [limits[row] for row in chosen])
        if x is not None and all(
            sum(a * v for a, v in zip(row, x, strict=True)) <= most for row, most in zip(every, limits, strict=True)
        ):
            values.append(sum(a * v for a, v in zip(c, x, strict=True)))
    return max(values)


def test_against_all_corners():
    rng = Random("corners")
    kinds = set()
    for _ in range(300):
        size, height = rng.randint(1, 4), rng.randint(1, 5)
        c = [rng.randint(-1, 3) for _ in range(size)]
        dense = [[rng.choice((0, 0, 1, 1, -1, 2)) for _ in range(size)] for _ in range(height)]
        b = [rng.choice((0, 1, 2, 7)) for _ in range(height)]
        rows = [{column: a for column, a in enumerate(row) if a} for row in dense]
        found = maximise(c, rows, b, Budget())
        kinds.add(type(found))
        if isinstance(found, Unbounded):
            assert all(each >= 0 for each in (*found.x, *found.ray))
            assert sum(a * v for a, v in zip(c, found.ray, strict=True)) > 0
            for row, most in zip(dense, b, strict=True):
                assert sum(a * v for a, v in zip(row, found.ray, strict=True)) <= 0
                assert sum(a * v for a, v in zip(row, found.x, strict=True)) <= most
        else:
            assert found.value == best_corner(c, dense, b)
            assert found.value == sum(a * v for a, v in zip(c, found.x, strict=True))
            assert found.value == sum(a * v for a, v in zip(b, found.prices, strict=True))  # strong duality
    assert kinds == {PartSolution, Unbounded}


def test_large_numbers_stay_exact():
    big = 10**30 + 7
    found = maximise([1, 1, 1], [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}], [big, big, big], Budget())
    assert found.value == Fraction(3 * big, 2)
