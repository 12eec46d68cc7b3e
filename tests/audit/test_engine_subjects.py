"""Our own engines as subjects of an audit: which closure judges which, and what certificates are taken to prove."""

from __future__ import annotations

import pytest

from temporacle.audit import engines
from temporacle.audit.answers import Closed, Declined, Failed, Failure, SaidInconsistent
from temporacle.audit.engines import (
    CHECKED,
    CHECKED_ON_MEDIUM,
    EngineJudge,
    certified,
    check_engine,
    engine_function,
    engine_subject,
    judges,
)
from temporacle.audit.generate import CasePlan, MediumPlan
from temporacle.audit.judge import network_of
from temporacle.checker import Rejected
from temporacle.errors import BudgetExceeded, TemporacleError, UsageError
from temporacle.reasoner.network import Budget
from temporacle.reasoner.reference.engines import engine_named
from temporacle.relation import Relation

B = Relation("b")
CHAIN = (("x", B, "y"), ("y", B, "z"))
CYCLE = (("x", B, "y"), ("y", B, "x"))
CLOSURE = Closed((("x", B, "y"), ("x", B, "z"), ("y", B, "z")))
FEW = CasePlan(8, seed=1, entities=3, large=0)


@pytest.mark.parametrize("name", CHECKED)
def test_every_engine_is_a_function_from_links_to_their_closure(name):
    closure = engine_function(name)
    assert closure([("x", "b", "y"), ("y", "b", "z")]) == [("x", "b", "y"), ("x", "b", "z"), ("y", "b", "z")]
    assert closure([("x", "b", "y"), ("y", "b", "x")]) is None


def test_engines_that_promise_soundness_only_are_few():
    assert {name for name, complete in CHECKED.items() if not complete} == {"propagation", "path-consistency"}


def test_links_that_an_engine_does_not_support_are_an_error_of_the_function():
    with pytest.raises(TemporacleError):
        engine_function("timegraph")([("x", "b|bi", "y")])
    assert engine_function("splitting")([("x", "b|bi", "y")]) == [("x", "b|bi", "y")]


def test_what_an_engine_raises_decides_what_is_said_about_it():
    def asked(error):
        def closure(_network, _budget):
            raise error

        return engine_subject("mine", closure).ask(CHAIN)

    assert asked(UsageError("convex links only")) == (Declined("convex links only"),)
    assert asked(BudgetExceeded("too many cases")) == (Declined("too many cases"),)
    assert asked(ZeroDivisionError("by nothing")) == (Failed(Failure.EXCEPTION, "ZeroDivisionError: by nothing"),)


@pytest.mark.parametrize(
    ("name", "medium", "judge"),
    [
        ("exact", False, "enumeration"),
        ("propagation", False, "enumeration"),
        ("certificates", False, "enumeration"),
        ("enumeration", False, "cpsat"),
        ("exact", True, "cpsat"),
        ("cpsat", True, "exact"),
    ],
)
def test_no_engine_is_judged_by_itself(name, medium, judge):
    asked = []

    class Recording(EngineJudge):
        def __call__(self, network, budget):
            asked.append(self.name)
            return super().__call__(network, budget)

    by = tuple(Recording(each.name, each) for each in judges(medium=medium))
    done = []
    report = check_engine(name, FEW, lambda: done.append(1), by=by, medium=medium)
    assert set(asked) == {judge}
    assert (report.cases, len(done), report.varied) == (8, 8, 0)
    assert report.clean


def test_a_judge_answers_about_a_graph_once():
    asked = []

    def closure(network, _budget):
        asked.append(network)

    judge = EngineJudge("mine", closure)
    for graph in (CHAIN, CYCLE, CHAIN):
        assert judge(network_of(graph), Budget()) is None
    assert len(asked) == 2


@pytest.mark.parametrize("name", CHECKED_ON_MEDIUM)
def test_three_entities_of_a_larger_graph_as_the_whole_closure_has_them(name):
    for case in MediumPlan(4, seed=2):
        network = network_of(case.links)
        some, whole = engines._three_entities(name)(network, Budget()), engine_named("exact").closure(network, Budget())
        assert (some is None) == (whole is None)
        if some is not None:
            assert len(some.entities) == 3
            assert all(whole.relation(x, y) == relation for x, relation, y in some.pairs(universal=True))


# --- certificates ----------------------------------------------------------------------------------------------------


def test_certificates_prove_a_closure_or_a_contradiction():
    assert certified(CHAIN) == CLOSURE
    assert certified(CYCLE) == SaidInconsistent()
    assert certified(()) == Closed(())


def saying(monkeypatch, answer):
    """Let the checker say something else."""
    monkeypatch.setattr(engines, "verify", answer)


def test_what_the_checker_does_not_accept_as_entailed_is_not_claimed(monkeypatch):
    saying(monkeypatch, lambda text: {"claim": "open" if '"query"' in text else "consistent"})
    assert certified(CHAIN) == Closed(())


def test_a_contradiction_that_no_certificate_proves_is_not_reported(monkeypatch):
    saying(monkeypatch, lambda _text: {"claim": "consistent"})
    assert certified(CYCLE) == Closed(())  # the judge calls that a missed inconsistency


def test_a_certificate_that_the_checker_rejects_is_an_answer_that_cannot_be_read(monkeypatch):
    def rejecting(_text):
        raise Rejected("not a model")

    saying(monkeypatch, rejecting)
    answer = certified(CHAIN)
    assert isinstance(answer, Failed)
    assert answer.how is Failure.MALFORMED
    assert "not a model" in answer.reason
