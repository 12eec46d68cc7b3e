"""A solver that lies, in every way there is, is found out: no lie becomes a verdict.

The stub stands where OR-Tools' solver stands. It solves honestly and then changes the answer.
"""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.disjunctions import pointmodel, pointproblem, residual
from temporacle.reasoner.disjunctions.pointproblem import PointProblem, has_solution, is_small
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise import solver as cpmodel
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


@pytest.fixture(autouse=True)
def _only_cpsat(monkeypatch):
    """Small documents are decided by cases: here they go to the solver that lies."""
    monkeypatch.setattr(residual, "DECIDERS", ("cpsat",))


def liar(monkeypatch, **methods):
    """Replace the solver by one with these methods."""
    calls = []

    class Liar(cpmodel.CpSolver):
        def solve(self, model, *rest):
            calls.append(self.parameters.cp_model_presolve)
            honest = super().solve(model, *rest)
            return methods["solve"](self, honest) if "solve" in methods else honest

        for name, method in methods.items():
            if name != "solve":
                locals()[name] = method

    monkeypatch.setattr(cpmodel, "CpSolver", Liar)
    return calls


def test_the_cases_need_the_solver():
    for statements, answer in ((CONSISTENT, True), (INCONSISTENT, False)):
        oracle = Oracle(statements)
        assert oracle.is_consistent() is answer
        assert oracle.decided_by == "cpsat"


def test_a_wrong_solution_is_an_internal_error(monkeypatch):
    liar(monkeypatch, value=lambda self, variable: 0)
    with pytest.raises(InternalError, match="does not satisfy"):
        Oracle(CONSISTENT).consistency()
    with pytest.raises(InternalError, match="does not satisfy"):
        Oracle(CONSISTENT).entails("a", "b", "b")
    with pytest.raises(InternalError, match="the links do not hold"):
        Oracle(CONSISTENT, engine="cpsat").consistency()


def test_a_wrong_solution_in_booleans_is_an_internal_error(monkeypatch):
    liar(monkeypatch, boolean_value=lambda self, literal: True)
    with pytest.raises(InternalError, match="does not satisfy"):
        pointmodel.solve(pointmodel.full_problem(Network.of(CONSISTENT)), Budget(), pointmodel.Encoding.BOOLEANS)


def test_a_solution_of_the_impossible_is_an_internal_error(monkeypatch):
    liar(monkeypatch, solve=lambda self, honest: cp_model.FEASIBLE, value=lambda self, variable: 1)
    with pytest.raises(InternalError, match="does not satisfy"):
        Oracle(INCONSISTENT).consistency()


def test_denying_a_solution_is_an_internal_error(monkeypatch):
    liar(monkeypatch, solve=lambda self, honest: cp_model.INFEASIBLE)
    with pytest.raises(InternalError, match="search by cases found one"):
        Oracle(CONSISTENT).consistency()
    with pytest.raises(InternalError, match="search by cases found one"):
        Oracle(CONSISTENT).entails("a", "b", "b")
    with pytest.raises(InternalError, match="search by cases found one"):
        Oracle(CONSISTENT).minimal_network()


def test_denying_a_solution_passes_without_the_second_opinion(monkeypatch):
    """The test above fails when its defence is taken away."""
    liar(monkeypatch, solve=lambda self, honest: cp_model.INFEASIBLE)
    monkeypatch.setattr(pointmodel, "is_small", lambda problem: False)
    assert not Oracle(CONSISTENT).is_consistent()


@pytest.mark.parametrize("core", [[], [0], [99], "everything"])
def test_a_wrong_core_costs_time_not_correctness(monkeypatch, core):
    monkeypatch.setattr("temporacle.reasoner.conflicts.conflicts._SHORT_PROOF", 0)

    def blamed(self):
        return list(range(200)) if core == "everything" else core

    liar(monkeypatch, sufficient_assumptions_for_infeasibility=blamed)
    network = Network.of(INCONSISTENT)
    conflict = minimal_conflict(network, Budget())
    assert not Oracle(conflict).is_consistent()
    for fewer in combinations(conflict, len(conflict) - 1):
        assert Oracle(fewer).is_consistent()


def test_giving_up_early_is_asked_again_then_undecided(monkeypatch):
    calls = liar(monkeypatch, solve=lambda self, honest: cp_model.UNKNOWN)
    answer = Oracle(CONSISTENT).consistency()
    assert isinstance(answer, Undecided)
    assert "gave up" in answer.reason
    assert sorted(calls) == [False, True]
    assert Oracle(CONSISTENT).entails("a", "b", "b") is Verdict.UNKNOWN
    with pytest.raises(BudgetExceeded):
        Oracle(CONSISTENT).strongest("a", "b")


def test_giving_up_once_is_mended_by_asking_again(monkeypatch):
    answers = [cp_model.UNKNOWN]
    calls = liar(monkeypatch, solve=lambda self, honest: answers.pop() if answers else honest)
    assert Oracle(CONSISTENT).is_consistent()
    assert len(calls) == 2


@pytest.mark.parametrize("status", [cp_model.MODEL_INVALID, 17, None])
def test_no_answer_at_all_is_an_internal_error(monkeypatch, status):
    liar(monkeypatch, solve=lambda self, honest: status)
    for statements in (CONSISTENT, INCONSISTENT):
        with pytest.raises(InternalError):
            Oracle(statements).consistency()


def test_a_solver_that_crashes_is_an_internal_error(monkeypatch):
    def crash(self, honest):
        raise RuntimeError("out of cheese")

    liar(monkeypatch, solve=crash)
    with pytest.raises(InternalError, match="out of cheese"):
        Oracle(CONSISTENT).consistency()


def test_a_choice_that_breaks_a_conflict_is_an_internal_error(monkeypatch):
    liar(monkeypatch, boolean_value=lambda self, literal: literal.index % 2 == 0)  # rank 0 everywhere
    with pytest.raises(InternalError, match="breaks a conflict"):
        cpsolver.cheapest_by_cpsat(
            {1: (0, 1), 2: (0, 1), 3: (0, 1)}, [{1: 1, 2: 1}, {2: 1, 3: 1}], Budget(), cpsolver.Tie.ANY
        )


def test_a_lying_solver_never_reaches_the_command_line_as_a_verdict(monkeypatch, tmp_path, capsys):
    from temporacle.cli import run

    path = tmp_path / "d.tsv"
    path.write_text("".join(f"{source}\t{relation}\t{target}\n" for source, relation, target in CONSISTENT))
    liar(monkeypatch, solve=lambda self, honest: cp_model.INFEASIBLE)
    for arguments in (["closure", str(path)], ["check", str(path)], ["entails", str(path), "a", "b", "b"]):
        assert run([*arguments, "--output", "json"]) == 3
        out, err = capsys.readouterr()
        assert '"inconsistent"' not in out
        assert '"refuted"' not in out
        assert "search by cases" in out + err


LIES = {
    "infeasible": {"solve": lambda self, honest: cp_model.INFEASIBLE},
    "feasible": {"solve": lambda self, honest: cp_model.OPTIMAL},
    "values": {"value": lambda self, variable: 0},
    "booleans": {"boolean_value": lambda self, literal: True},
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("statements", [CONSISTENT, INCONSISTENT[:5], INCONSISTENT])
def test_a_lying_solver_gets_no_certificate_of_a_closure_or_a_score(monkeypatch, tmp_path, lie, statements):
    """What is written at all is true: the checker accepts it, and it says what an honest solver says."""
    import json
    from contextlib import suppress

    import temporacle as tp

    honest = Oracle(statements).minimal_network()
    liar(monkeypatch, **LIES[lie])
    with suppress(InternalError):
        tp.closure(statements, certificates=tmp_path / "closures")
        tp.score(statements, [*statements[1:], statements[0]], certificates=tmp_path / "scores")
    written = [json.loads(path.read_text()) for path in sorted(tmp_path.rglob("*.json"))]
    assert not written or tp.verify(tmp_path).valid is True
    for certificate in written:
        if certificate["claim"] == "closure":
            listed = [pair[1] for part in certificate["parts"] for pair in part["pairs"]]
            assert listed == [list(relation.atoms) for _, relation, _ in honest.pairs(universal=True)]
        else:
            assert certificate["claim"] != "inconsistent" or honest is None


# --- the second opinion itself against brute force -----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_search_by_cases_equals_brute_force(kind):
    rng = Random(f"cases {kind}")
    names = ("a", "b", "c", "d")
    answers = set()
    for _ in range(60):
        triples = random_network(rng, names, kind, rng.choice((0.6, 1.0)))
        truth = brute_force(triples, names) is not None
        found = has_solution(pointmodel.full_problem(network_of(triples, names)), Budget())
        assert found is truth, triples
        answers.add(found)
    assert answers == {True, False}


def test_search_by_cases_says_nothing_when_it_takes_too_long():
    problem = pointmodel.full_problem(Network.of(INCONSISTENT))
    assert has_solution(problem, Budget()) is False
    assert has_solution(problem, Budget(), most_cases=1) is None
    with pytest.raises(BudgetExceeded):
        has_solution(problem, Budget(-1))


def test_only_small_problems_get_a_second_opinion():
    assert is_small(PointProblem(4))
    assert not is_small(PointProblem(pointproblem.MOST_POINTS + 1))
    many = pointmodel.full_problem(
        Network.of([(f"x{i}", "b|bi", f"x{i + 1}") for i in range(pointproblem.MOST_CHOICES + 1)])
    )
    assert not is_small(many)
