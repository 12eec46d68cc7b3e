"""The adapter of CP-SAT: every way to write a problem down gives the truth, and the solver gets what was promised."""

from itertools import product
from random import Random

import pytest
from naive import TRAP, atom_between

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.disjunctions import pointmodel
from temporacle.reasoner.disjunctions.pointmodel import Encoding, chordal_triangles, infeasible_core, solve
from temporacle.reasoner.disjunctions.pointproblem import (
    MOST_CHOICES,
    MOST_POINTS,
    Choice,
    PointProblem,
    has_solution,
    is_small,
)
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise import solver
from temporacle.reasoner.optimise.solver import CpSolver
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
                assert problem.satisfied_by(times) is meets(times, problem)
                seen.add(meets(times, problem))
    assert seen == {True, False}
    edge = PointProblem(2, [(0, 1, False)])
    assert [edge.satisfied_by(times) for times in ([0, 1], [1, 1], [1, 0])] == [True, True, False]


@pytest.mark.parametrize("encoding", [*Encoding, None])
def test_problems_by_exhaustion(monkeypatch, encoding):
    if encoding is None:  # it chooses by the number of choices: here often the one, often the other
        monkeypatch.setattr(pointmodel, "_CHOICES_FOR_BOOLEANS", 1)
    rng = Random(f"cpsat {encoding}")
    seen = set()
    for _ in range(120):
        problem = random_problem(rng)
        truth = by_exhaustion(problem)
        times = solve(problem, Budget(), encoding)
        assert (times is not None) == truth, problem
        if truth:
            assert problem.satisfied_by(times)
        assert has_solution(problem, Budget()) is truth
        assert has_solution(problem, Budget(), most_cases=0) is None
        seen.add(truth)
    assert seen == {True, False}


@pytest.mark.parametrize("encoding", Encoding)
def test_an_empty_problem_and_one_point(encoding):
    assert solve(PointProblem(0), Budget(), encoding) == []
    assert solve(PointProblem(1, [(0, 0, False)]), Budget(), encoding) == [0]
    assert solve(PointProblem(1, [(0, 0, True)]), Budget(), encoding) is None
    assert solve(PointProblem(2, [(0, 1, True)]), Budget(), encoding) == [0, 1]


@pytest.mark.parametrize("encoding", [*Encoding, None])
def test_no_time_no_answer(encoding):
    problem = pointmodel.full_problem(Network.of(TRAP))
    with pytest.raises(BudgetExceeded):
        solve(problem, Budget(-1), encoding)
    with pytest.raises(BudgetExceeded):
        infeasible_core(Network.of(TRAP), Budget(-1))
    with pytest.raises(BudgetExceeded):
        has_solution(problem, Budget(-1))


def test_the_number_of_triangles_can_be_limited():
    rng = Random(4)
    for _ in range(60):
        size = rng.randint(1, 8)
        edges = [(rng.randrange(size), rng.randrange(size), False) for _ in range(rng.randrange(14))]
        problem = PointProblem(size, edges)
        triangles = chordal_triangles(problem, Budget())
        assert len({frozenset(corners) for corners in triangles}) == len(triangles)
        assert all(len(set(corners)) == 3 for corners in triangles)
        assert chordal_triangles(problem, Budget(), most=len(triangles)) == triangles
        if triangles:
            assert chordal_triangles(problem, Budget(), most=len(triangles) - 1) is None
    ring = PointProblem(5, [(k, (k + 1) % 5, False) for k in range(5)])
    assert len(chordal_triangles(ring, Budget())) == 3  # as a pentagon is cut
    clique = PointProblem(6, [(x, y, False) for x in range(6) for y in range(x)])
    assert len(chordal_triangles(clique, Budget())) == 20
    tree = PointProblem(9, [(k, k // 2, False) for k in range(1, 9)])
    assert chordal_triangles(tree, Budget()) == []


def test_too_many_triangles_are_solved_as_integers(monkeypatch):
    """The limit decides about the encoding alone."""
    problem = pointmodel.full_problem(Network.of(TRAP[:-1]))
    used = []
    honest = pointmodel.run_solver

    def counting(model, *rest, **more):
        used.append(len(model.proto.variables))
        return honest(model, *rest, **more)

    monkeypatch.setattr(pointmodel, "_CHOICES_FOR_BOOLEANS", 2)
    monkeypatch.setattr(pointmodel, "run_solver", counting)
    for most in (400_000, 0):
        monkeypatch.setattr(pointmodel, "_MOST_TRIANGLES", most)
        times = solve(problem, Budget())
        assert problem.satisfied_by(times)
    assert used[0] != used[1]
    monkeypatch.setattr(pointmodel, "_MOST_TRIANGLES", 400_000)
    for limit, expected in ((3, used[1]), (2, used[0])):  # the problem has three choices: "more than" counts
        monkeypatch.setattr(pointmodel, "_CHOICES_FOR_BOOLEANS", limit)
        solve(problem, Budget())
        assert used[-1] == expected


def test_what_counts_as_small():
    choice = Choice(0, 1, 2, 3, 5)
    assert is_small(PointProblem(MOST_POINTS, [], [choice] * MOST_CHOICES))
    assert not is_small(PointProblem(MOST_POINTS + 1, [], []))
    assert not is_small(PointProblem(4, [], [choice] * (MOST_CHOICES + 1)))


def test_a_core_is_blamed_only_where_there_is_one():
    assert infeasible_core(Network.of(TRAP[:-1]), Budget()) is None
    assert infeasible_core(Network([]), Budget()) is None
    core = infeasible_core(Network.of(TRAP), Budget())
    assert core == sorted(core)
    assert set(core) <= set(range(6))
    ring = [("x", "b", "y"), ("a", "b", "b"), ("b", "b", "c"), ("c", "b", "a"), ("x", "=", "x")]
    assert infeasible_core(Network.of(ring), Budget()) == [1, 2, 3]


# --- what the solver is told ------------------------------------------------------------------------------------------


@pytest.fixture
def told(monkeypatch):
    """The parameters of each call of a solver that always gives up."""
    calls = []

    def give_up(self, model):
        calls.append(self.parameters)
        return solver.load_solver().UNKNOWN

    monkeypatch.setattr(CpSolver, "solve", give_up)
    return calls


def test_the_solver_is_alone_seeded_and_limited(told):
    with pytest.raises(BudgetExceeded, match="gave up"):
        solve(pointmodel.full_problem(Network.of(TRAP)), Budget(500), Encoding.INTEGERS)
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
        solve(pointmodel.full_problem(Network.of(TRAP)), Budget(), Encoding.BOOLEANS)
    assert [bool(each.cp_model_presolve) for each in told] == [True, False]
    assert all(each.max_time_in_seconds > 1e9 for each in told)
    with pytest.raises(BudgetExceeded):
        solver.cheapest_by_cpsat({1: (0, 1), 2: (0, 1)}, [{1: 1, 2: 1}], Budget(), solver.Tie.ANY)
    assert told[-1].linearization_level == 2


def test_a_search_that_never_begins_is_an_error(monkeypatch):
    def fail(self, model):
        raise RuntimeError("broken")

    monkeypatch.setattr(CpSolver, "solve", fail)
    with pytest.raises(InternalError, match="broken"):
        solve(PointProblem(2, [(0, 1, True)]), Budget(), Encoding.INTEGERS)
