"""The adapter of the SAT solver: answers, values, cores and proofs against all assignments; budgets; memory."""

import gc
import sys
from itertools import product
from random import Random

import pytest

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.disjunctions import sat
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.network import Budget


def pigeons(count, holes):
    """So many pigeons, each in a hole, no two in one: hard to refute if there are fewer holes than pigeons."""
    place = [[holes * pigeon + hole + 1 for hole in range(holes)] for pigeon in range(count)]
    alone = [[-place[a][hole], -place[b][hole]] for a in range(count) for b in range(a) for hole in range(holes)]
    return place + alone


def holds(clause, values):
    return any(values[abs(literal) - 1] == (literal > 0) for literal in clause)


def random_clauses(rng, variables):
    return [
        [rng.choice((1, -1)) * variable for variable in rng.sample(range(1, variables + 1), rng.randint(1, 3))]
        for _ in range(rng.randint(4, 14))
    ]


@pytest.fixture(params=["at once", "beside"])
def way(request, monkeypatch):
    """Let the solver answer at once, or leave each question to the thread."""
    if request.param == "beside":
        monkeypatch.setattr(sat, "_AT_ONCE", 0)
    return request.param


@pytest.mark.parametrize("with_proof", [False, True])
def test_answers_equal_all_assignments(way, with_proof):
    rng = Random("assignments")
    seen = set()
    for _ in range(12):
        clauses = random_clauses(rng, 4)
        worlds = [world for world in product((False, True), repeat=4) if all(holds(each, world) for each in clauses)]
        solver = Cdcl(Budget(), with_proof=with_proof)
        solver.add(clauses)
        for assumptions in ((), (1, -2), (-3, 4, 2)):
            answer = solver.solve(assumptions)
            assert answer is any(all(holds([each], world) for each in assumptions) for world in worlds)
            if answer:
                world = solver.values(4)
                assert len(world) == 4
                assert all(holds(each, world) for each in [*clauses, *([each] for each in assumptions)])
            elif assumptions:
                core = solver.core()
                assert set(core) <= set(assumptions)
                assert not any(all(holds([each], world) for each in core) for world in worlds)
            seen.add(answer)
        solver.close()
    assert seen == {True, False}


def test_a_question_that_is_easy_is_answered_at_once():
    solver = Cdcl(Budget())
    solver.add([[1, 2], [-1, 2]])
    assert solver.solve_at_once() is True
    assert solver.solve_at_once([-2]) is False
    assert solver.core() == [-2]
    assert solver.solve([-2]) is False


def test_a_question_that_is_hard_goes_on_beside():
    solver = Cdcl(Budget(60))
    solver.add(pigeons(8, 7))
    assert solver.solve_at_once() is None
    assert solver.solve() is False
    fits = Cdcl(Budget(60))
    fits.add(pigeons(7, 7))
    assert fits.solve() is True


def test_no_answer_in_time_is_an_error_and_the_solver_can_be_asked_again():
    budget = Budget(0.02)
    solver = Cdcl(budget)
    solver.add([*pigeons(12, 11), [200, 201]])
    with pytest.raises(BudgetExceeded, match=r"not decided within 0\.02 s"):
        solver.solve()
    budget.seconds = 60
    budget.restart()
    assert solver.solve([-200, -201]) is False
    assert set(solver.core()) == {-200, -201}


def test_a_search_that_is_stopped_early_has_no_answer(monkeypatch):
    """The time that is left may be rounded up: then the budget is not over yet, and still there is no answer."""
    budget = Budget(60)
    solver = Cdcl(budget)
    solver.add(pigeons(12, 11))
    monkeypatch.setattr(Budget, "remaining", lambda _budget: 0.0)
    with pytest.raises(BudgetExceeded, match="stopped before it had an answer"):
        solver.solve()
    monkeypatch.undo()
    assert solver.solve([1, -1]) is False


def test_the_budget_is_looked_at_before_anything_is_done():
    late = Cdcl(Budget(-1))
    late.add([[1]])
    for question in (late.solve, late.solve_at_once, lambda: late.add_many([[[2]]])):
        with pytest.raises(BudgetExceeded):
            question()
    late.add_many([])  # nothing to do, nothing to check


@pytest.mark.parametrize("was_on", [True, False])
def test_the_garbage_collector_rests_while_clauses_are_added(was_on):
    seen = []

    def parts():
        for part in ([[1, 2]], [[-1]], [[-2]]):
            seen.append(gc.isenabled())
            yield part

    solver = Cdcl(Budget())
    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        solver.add_many(parts())
        after = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False] * 3
    assert after is was_on
    assert solver.solve() is False


def test_values_of_variables_without_clauses_are_false():
    solver = Cdcl(Budget())
    solver.add([[2]])
    assert solver.solve()
    assert solver.values(4) == [False, True, False, False]
    assert solver.values(1) == [False]
    assert solver.values(0) == []


def test_a_solver_without_variables():
    solver = Cdcl(Budget())
    assert solver.solve()
    assert solver.values(0) == []


def test_values_without_a_solution_are_an_error():
    solver = Cdcl(Budget())
    solver.add([[1], [-1]])
    assert not solver.solve()
    with pytest.raises(InternalError, match="shows none"):
        solver.values(1)


def follows_by_propagation(clauses, lemma):
    values = {-literal for literal in lemma}
    while True:
        left = [[x for x in each if -x not in values] for each in clauses if not values.intersection(each)]
        if [] in left:
            return True
        units = {x for each in left if len(each) == 1 for x in each}
        if not units:
            return False
        values |= units


def test_the_proof_is_complete_and_each_lemma_follows():
    clauses = pigeons(4, 3)
    solver = Cdcl(Budget(), with_proof=True)
    solver.add(clauses)
    assert not solver.solve()
    known = list(clauses)
    for lemma in [*solver.learnt(), ()]:
        assert follows_by_propagation(known, lemma)
        known.append(lemma)
    assert not list(solver.learnt())  # each is given once


def test_what_is_learnt_from_several_questions():
    """Lemmas follow from the clauses alone, whatever was assumed, and so does each core after them."""
    solver = Cdcl(Budget(), with_proof=True)
    known = [[-20, *clause] for clause in pigeons(4, 3)]
    solver.add(known)
    assert not solver.solve([20, 21])
    for lemma in [*solver.learnt(), [-20]]:
        assert follows_by_propagation(known, lemma)
        known.append(lemma)
    assert solver.core() == [20]
    assert solver.solve([21])


def test_a_solver_that_writes_no_proof_has_none():
    solver = Cdcl(Budget())
    solver.add([[1], [-1]])
    solver.solve()
    with pytest.raises(InternalError, match="not asked to write a proof"):
        next(solver.learnt())


# --- memory and files -------------------------------------------------------------------------------------------------


@pytest.fixture
def given_back(monkeypatch):
    """The solvers whose memory was given back."""
    import pysolvers

    found = []

    def counting(delete):
        return lambda solver: found.append(delete(solver))

    for name in ("minisat22_del", "glucose41_del"):
        monkeypatch.setattr(pysolvers, name, counting(getattr(pysolvers, name)))
    return found


@pytest.mark.parametrize("with_proof", [False, True])
def test_memory_is_given_back_once(given_back, with_proof):
    solver = Cdcl(Budget(), with_proof=with_proof)
    solver.close()
    assert len(given_back) == 1
    solver.close()
    del solver
    assert len(given_back) == 1


def test_memory_is_given_back_without_close(given_back):
    solver = Cdcl(Budget(), with_proof=True)
    trace = solver._trace
    del solver
    assert len(given_back) == 1
    assert trace.closed


def test_a_solver_that_could_not_be_made_ends_quietly(monkeypatch):
    def no_library():
        raise ImportError("python-sat is missing")

    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    with monkeypatch.context() as patch:
        patch.setattr(sat, "_library", no_library)
        sat.is_available.cache_clear()
        assert sat.is_available() is False
        with pytest.raises(ImportError):
            Cdcl(Budget())
    sat.is_available.cache_clear()
    assert sat.is_available() is True
    assert unraisable == []
