"""The adapter of CP-SAT: every way to write a problem down gives the truth, and the solver gets what was promised."""

from itertools import product
from random import Random

import pytest
from naive import TRAP, atom_between
from point_problems import full_problem, has_solution, satisfies

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.disjunctions.cores import first_core
from temporacle.reasoner.disjunctions.pointproblem import (
    MOST_CHOICES,
    MOST_POINTS,
    Choice,
    PointProblem,
    is_small,
    solve_by_cases,
)
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise import solver
from temporacle.reasoner.reference import cpsat
from temporacle.relation import ATOMS


def random_problem(rng):
    """Two or three entities, some of whose points are one; edges of all kinds, also from a point to itself."""
    entities = rng.randint(2, 3)
    size = rng.randint(2, 5)
    ends = [rng.sample(range(size), 2) for _ in range(entities)]
    problem = PointProblem(size, [(start, end, True) for start, end in ends])
    for _ in range(rng.randrange(3)):
        problem.edges.append((rng.randrange(size), rng.randrange(size), rng.random() < 0.3))
    for _ in range(rng.randint(0, 3)):
        first, second = rng.sample(range(entities), 2)
        mask = 0 if rng.random() < 0.05 else rng.randrange(1, ALL + 1) & rng.randrange(1, ALL + 1)
        problem.choices.append(Choice(*ends[first], *ends[second], mask))
    return problem


INTERVALS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
ATOM = {
    tuple((p > q) - (p < q) for p in x for q in y): 1 << ATOMS.index(atom_between(x, y))
    for x, y in product(INTERVALS, repeat=2)
}


def meets(times, problem):
    """Straight from what edges and choices mean."""
    if any(times[x] > times[y] or (strict and times[x] == times[y]) for x, y, strict in problem.edges):
        return False
    orders = (
        tuple((times[p] > times[q]) - (times[p] < times[q]) for p in choice[:2] for q in choice[2:4])
        for choice in problem.choices
    )
    return all(ATOM[order] & choice.mask for order, choice in zip(orders, problem.choices, strict=True))


def by_exhaustion(problem):
    return any(meets(times, problem) for times in product(range(problem.size), repeat=problem.size))


def test_solutions_are_judged_by_what_edges_and_choices_mean():
    rng = Random("judged")
    seen = set()
    for _ in range(400):
        problem = random_problem(rng)
        for _ in range(6):
            times = [rng.randrange(4) for _ in range(problem.size)]
            if all(times[start] < times[end] for choice in problem.choices for start, end in (choice[:2], choice[2:4])):
                assert satisfies(times, problem) is meets(times, problem)
                seen.add(meets(times, problem))
    assert seen == {True, False}
    edge = PointProblem(2, [(0, 1, False)])
    assert [satisfies(times, edge) for times in ([0, 1], [1, 1], [1, 0])] == [True, True, False]


def test_problems_by_exhaustion():
    rng = Random("by cases")
    seen = set()
    for _ in range(300):
        problem = random_problem(rng)
        truth = by_exhaustion(problem)
        assert has_solution(problem, Budget()) is truth, problem
        assert has_solution(problem, Budget(), most_cases=0) is None
        found = solve_by_cases(problem, Budget())
        assert found.times is None or satisfies(found.times, problem)
        seen.add(truth)
    assert seen == {True, False}


def test_no_time_no_answer():
    with pytest.raises(BudgetExceeded):
        has_solution(full_problem(Network.of(TRAP)), Budget(-1))
    with pytest.raises(BudgetExceeded):
        first_core(Network.of(TRAP), Budget(-1))


def test_what_counts_as_small():
    choice = Choice(0, 1, 2, 3, 5)
    assert is_small(PointProblem(MOST_POINTS, [], [choice] * MOST_CHOICES))
    assert not is_small(PointProblem(MOST_POINTS + 1, [], []))
    assert not is_small(PointProblem(4, [], [choice] * (MOST_CHOICES + 1)))


def test_a_core_is_blamed_only_where_there_is_one():
    assert first_core(Network.of(TRAP[:-1]), Budget()) is None
    assert first_core(Network([]), Budget()) is None
    core = first_core(Network.of(TRAP), Budget())
    assert core == sorted(core)
    assert set(core) <= set(range(6))
    ring = [("x", "b", "y"), ("a", "b", "b"), ("b", "b", "c"), ("c", "b", "a"), ("x", "=", "x")]
    assert first_core(Network.of(ring), Budget()) == [1, 2, 3]


# --- what the solver is told ------------------------------------------------------------------------------------------


@pytest.fixture
def told(monkeypatch):
    """The parameters of each call of a solver that always gives up."""
    calls = []

    def give_up(self, model):
        calls.append(self.parameters)
        return solver.load_solver().UNKNOWN

    monkeypatch.setattr(solver.load_solver().CpSolver, "solve", give_up)
    return calls


def test_the_solver_is_alone_seeded_and_limited(told):
    with pytest.raises(BudgetExceeded, match="gave up"):
        cpsat.decider(Network.of(TRAP), Budget(500)).model()
    assert len(told) == 2
    assert [bool(each.cp_model_presolve) for each in told] == [False, True]
    for each in told:
        assert each.num_workers == 1  # or the answer would depend on which worker is first
        assert each.random_seed == solver._SEED
        assert each.max_memory_in_mb == solver._MOST_MEGABYTES
        assert 400 < each.max_time_in_seconds <= 500
        assert each.linearization_level == 0
        assert not each.catch_sigint_signal


def test_without_a_budget_the_solver_has_all_the_time(told):
    with pytest.raises(BudgetExceeded, match="gave up"):
        cpsat.decider(Network.of(TRAP), Budget()).model()
    assert all(each.max_time_in_seconds > 1e9 for each in told)
    with pytest.raises(BudgetExceeded):
        solver.cheapest_by_cpsat({1: (0, 1), 2: (0, 1)}, [{1: 1, 2: 1}], Budget(), solver.Tie.ANY)
    assert told[-1].linearization_level == 2


def test_a_search_that_never_begins_is_an_error(monkeypatch):
    def fail(self, model):
        raise RuntimeError("broken")

    monkeypatch.setattr(solver.load_solver().CpSolver, "solve", fail)
    with pytest.raises(InternalError, match="broken"):
        cpsat.decider(Network.of(TRAP), Budget()).model()
