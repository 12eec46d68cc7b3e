"""The adapter of CP-SAT: every way to write a problem down gives the truth, and the solver gets what was promised."""

from random import Random

import pytest
from naive import TRAP, brute_force

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.disjunctions.cases import decide
from temporacle.reasoner.disjunctions.cores import first_core
from temporacle.reasoner.disjunctions.residual import MOST_BRANCHINGS
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise import solver
from temporacle.reasoner.reference import cpsat
from temporacle.reasoner.reference.models import is_model
from temporacle.relation import Relation


def test_search_by_cases_finds_models():
    rng = Random("by cases")
    seen = set()
    for _ in range(300):
        size = rng.randint(2, 4)
        constraints = []
        for _ in range(rng.randint(1, 6)):
            source, target = rng.randrange(size), rng.randrange(size)
            mask = 0 if rng.random() < 0.05 else rng.randrange(1, ALL + 1) & rng.randrange(1, ALL + 1)
            constraints.append((source, mask, target))
        names = "abcd"[:size]
        triples = [(names[source], Relation(mask), names[target]) for source, mask, target in constraints]
        truth = brute_force(triples, names) is not None
        found = decide(size, constraints, Budget(), MOST_BRANCHINGS)
        assert (found.times is not None) is truth, constraints
        assert not truth or is_model(found.times, constraints, size)
        seen.add(truth)
    assert seen == {True, False}


def test_no_time_no_answer():
    with pytest.raises(BudgetExceeded):
        decide(4, Network.of(TRAP).constraints, Budget(-1), MOST_BRANCHINGS)
    with pytest.raises(BudgetExceeded):
        first_core(Network.of(TRAP), Budget(-1))


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
