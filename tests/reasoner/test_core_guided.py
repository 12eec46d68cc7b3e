"""Core-guided search: the least cost, and exactly the optimal assignments, against all assignments there are."""

from itertools import product
from random import Random

import pytest

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.disjunctions.sat import Cdcl, is_available
from temporacle.reasoner.network import Budget
from temporacle.reasoner.optimise.core_guided import _Counter, least_cost

pytestmark = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")


class Plain:
    """A solver of clauses alone, whose wishes are variables 1 to ``size``."""

    def __init__(self, size, clauses, *, easy=50):
        self.size, self.last, self.easy = size, size, easy
        self.solver = Cdcl(Budget())
        self.solver.add(clauses)

    def solve(self, assumptions):
        return self.solver.solve(list(assumptions))

    def is_easily_refused(self, assumptions):
        return self.solver.solve_at_once(list(assumptions), conflicts=self.easy) is False

    def blamed(self):
        return self.solver.core()

    def refused(self):
        values = self.solver.values(self.size)
        return [number + 1 for number, value in enumerate(values) if not value]

    def add_clauses(self, clauses):
        self.solver.add(clauses)

    def new_variable(self):
        self.last += 1
        return self.last


def all_assignments(size, clauses):
    for values in product((False, True), repeat=size):
        if all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses):
            yield values


@pytest.mark.parametrize("kind", ["equal", "few", "many", "long"])
def test_costs_and_optimal_assignments(kind):
    rng = Random(kind)
    draw = {
        "equal": lambda: 1,
        "few": lambda: rng.choice((1, 2, 5)),
        "many": lambda: rng.randint(1, 1000),
        "long": lambda: rng.randrange(1, 10**40),
    }[kind]
    impossible = 0
    for _ in range(150):
        size = rng.randint(1, 7)
        literals = [sign * number for number in range(1, size + 1) for sign in (-1, -1, 1)]
        clauses = [rng.sample(literals, rng.randint(1, min(3, len(literals)))) for _ in range(rng.randint(1, 3 * size))]
        costs = {number: draw() for number in range(1, size + 1)}
        solver = Plain(size, clauses)
        found = least_cost(solver, costs)
        every = {
            values: sum(cost for number, cost in costs.items() if not values[number - 1])
            for values in all_assignments(size, clauses)
        }
        if not every:
            impossible += 1
            assert found is None
            continue
        assert found.cost == min(every.values())
        seen = set()
        while solver.solve(found.wishes):  # block each optimal assignment in turn
            values = tuple(solver.solver.values(size))
            seen.add(values)
            solver.add_clauses([[-number if values[number - 1] else number for number in range(1, size + 1)]])
        assert seen == {values for values, cost in every.items() if cost == found.cost}
    assert 0 < impossible < 100


def test_counters_count():
    for size in range(1, 8):
        solver = Plain(size, [])
        counter = _Counter(solver, range(1, size + 1))
        for number in (2, 1, size, *range(1, size + 1)):  # grows in any order
            if number <= size:
                output = counter.at_least(number)
                for values in product((False, True), repeat=size):
                    inputs = [place + 1 if value else -place - 1 for place, value in enumerate(values)]
                    assert solver.solve([*inputs, -output]) == (sum(values) < number)


def test_no_wishes_cost_nothing():
    assert least_cost(Plain(1, [[1]]), {}) == (0, [])
    assert least_cost(Plain(1, [[1], [-1]]), {}) is None


def test_a_core_that_is_granted_is_an_internal_error(monkeypatch):
    solver = Plain(2, [[-1, -2]])
    monkeypatch.setattr(solver, "blamed", lambda: [1])
    with pytest.raises(InternalError, match="grants what it has refused"):
        least_cost(solver, {1: 1, 2: 1})


def test_time_that_is_over_is_noticed(monkeypatch):
    solver = Plain(2, [[-1, -2]])
    monkeypatch.setattr(solver, "solver", Cdcl(Budget(0)))
    with pytest.raises(BudgetExceeded):
        least_cost(solver, {1: 1, 2: 1})
