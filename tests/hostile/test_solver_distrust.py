"""A solver that lies, in every way there is, is found out: no lie becomes a verdict.

The stub stands where OR-Tools' solver stands. It solves honestly and then changes the answer.
"""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.disjunctions import residual
from temporacle.reasoner.disjunctions.cases import decide
from temporacle.reasoner.disjunctions.residual import MOST_BRANCHINGS
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise import solver as cpsolver
from temporacle.reasoner.oracle import Oracle
from temporacle.results import Undecided, Verdict

cp_model = cpsolver.load_solver()

# Consistent, and inconsistent without a cycle of hulls: both need the solver.
CONSISTENT = [("a", "b|bi", "b"), ("b", "b|bi", "c"), ("a", "o|oi", "c")]
INCONSISTENT = [
    ("a", "s|f", "b"),
    ("a", "m|s", "c"),
    ("a", "m|s", "d"),
    ("b", "o", "c"),
    ("b", "o", "d"),
    ("c", "f|fi", "d"),
]


def asked(statements):
    """The engine that is CP-SAT alone."""
    return Oracle(statements, engine="cpsat")


def liar(monkeypatch, **methods):
    """Replace the solver by one with these methods."""
    calls = []

    class Liar(cp_model.CpSolver):
        def solve(self, model, *rest):
            calls.append(self.parameters.cp_model_presolve)
            honest = super().solve(model, *rest)
            return methods["solve"](self, honest) if "solve" in methods else honest

        for name, method in methods.items():
            if name != "solve":
                locals()[name] = method

    monkeypatch.setattr(cp_model, "CpSolver", Liar)
    return calls


def test_the_solver_decides():
    for statements, answer in ((CONSISTENT, True), (INCONSISTENT, False)):
        oracle = asked(statements)
        assert oracle.is_consistent() is answer
        assert oracle.decided_by == "cpsat"


def test_a_wrong_solution_is_an_internal_error(monkeypatch):
    liar(monkeypatch, value=lambda self, variable: 0)
    with pytest.raises(InternalError, match="the links do not hold"):
        asked(CONSISTENT).consistency()
    with pytest.raises(InternalError, match="the links do not hold"):
        asked(CONSISTENT).entails("a", "b", "b")


def test_a_solution_of_the_impossible_is_an_internal_error(monkeypatch):
    liar(monkeypatch, solve=lambda self, honest: cp_model.FEASIBLE, value=lambda self, variable: 1)
    with pytest.raises(InternalError, match="the links do not hold"):
        asked(INCONSISTENT).consistency()


def test_the_exact_engine_does_not_ask_it(monkeypatch):
    """CP-SAT shows no proof that there is no solution: so no verdict rests on that, unless it is asked for by name."""
    liar(monkeypatch, solve=lambda self, honest: cp_model.INFEASIBLE)
    assert not asked(CONSISTENT).is_consistent()
    assert Oracle(CONSISTENT).is_consistent()
    assert not Oracle(INCONSISTENT).is_consistent()


@pytest.mark.parametrize("core", [None, [], [0], "everything"])
def test_a_wrong_core_costs_time_not_correctness(monkeypatch, core):
    monkeypatch.setattr("temporacle.reasoner.conflicts.conflicts._SHORT_PROOF", 0)
    network = Network.of(INCONSISTENT)
    blamed = list(range(len(network.links))) if core == "everything" else core
    monkeypatch.setattr("temporacle.reasoner.disjunctions.cores.first_core", lambda *_: blamed)
    conflict = minimal_conflict(network, Budget())
    assert not Oracle(conflict).is_consistent()
    for fewer in combinations(conflict, len(conflict) - 1):
        assert Oracle(fewer).is_consistent()


def test_giving_up_early_is_asked_again_then_undecided(monkeypatch):
    calls = liar(monkeypatch, solve=lambda self, honest: cp_model.UNKNOWN)
    answer = asked(CONSISTENT).consistency()
    assert isinstance(answer, Undecided)
    assert "gave up" in answer.reason
    assert sorted(calls) == [False, True]
    assert asked(CONSISTENT).entails("a", "b", "b") is Verdict.UNKNOWN
    with pytest.raises(BudgetExceeded):
        asked(CONSISTENT).strongest("a", "b")


def test_giving_up_once_is_mended_by_asking_again(monkeypatch):
    answers = [cp_model.UNKNOWN]
    calls = liar(monkeypatch, solve=lambda self, honest: answers.pop() if answers else honest)
    assert asked(CONSISTENT).is_consistent()
    assert len(calls) == 2


@pytest.mark.parametrize("status", [cp_model.MODEL_INVALID, 17, None])
def test_no_answer_at_all_is_an_internal_error(monkeypatch, status):
    liar(monkeypatch, solve=lambda self, honest: status)
    for statements in (CONSISTENT, INCONSISTENT):
        with pytest.raises(InternalError):
            asked(statements).consistency()


def test_a_solver_that_crashes_is_an_internal_error(monkeypatch):
    def crash(self, honest):
        raise RuntimeError("out of cheese")

    liar(monkeypatch, solve=crash)
    with pytest.raises(InternalError, match="out of cheese"):
        asked(CONSISTENT).consistency()


def test_a_choice_that_breaks_a_conflict_is_an_internal_error(monkeypatch):
    liar(monkeypatch, boolean_value=lambda self, literal: literal.index % 2 == 0)  # rank 0 everywhere
    with pytest.raises(InternalError, match="breaks a conflict"):
        cpsolver.cheapest_by_cpsat(
            {1: (0, 1), 2: (0, 1), 3: (0, 1)}, [{1: 1, 2: 1}, {2: 1, 3: 1}], Budget(), cpsolver.Tie.ANY
        )


# --- search by cases against brute force ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_search_by_cases_equals_brute_force(kind):
    rng = Random(f"cases {kind}")
    names = ("a", "b", "c", "d")
    answers = set()
    for _ in range(60):
        triples = random_network(rng, names, kind, rng.choice((0.6, 1.0)))
        truth = brute_force(triples, names) is not None
        network = network_of(triples, names)
        found = decide(len(network.entities), network.constraints, Budget(), MOST_BRANCHINGS).times is not None
        assert found is truth, triples
        answers.add(found)
    assert answers == {True, False}


def test_search_by_cases_says_nothing_when_it_takes_too_long():
    network = Network.of(INCONSISTENT)
    asked_about = len(network.entities), network.constraints
    assert decide(*asked_about, Budget(), MOST_BRANCHINGS).times is None
    assert decide(*asked_about, Budget(), 0) is None
    with pytest.raises(BudgetExceeded):
        decide(*asked_about, Budget(-1), MOST_BRANCHINGS)


def test_many_disjunctions_are_not_searched_by_cases(monkeypatch):
    assert Oracle(CONSISTENT).judged.decided_by == "cases"
    monkeypatch.setattr(residual, "MOST_CHOICES", 2)
    assert Oracle(CONSISTENT).judged.decided_by == "cdcl"
