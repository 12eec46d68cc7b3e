"""Closures that are wrong on purpose are all found out, each with a minimal counterexample."""

from __future__ import annotations

from functools import cache

import broken_closures
import pytest
from shares import few

from temporacle.audit.answers import (
    Closed,
    Failed,
    Failure,
    FaultKind,
    Manner,
    NoticedBy,
    SaidInconsistent,
    Vocabulary,
    entities_of,
)
from temporacle.audit.engines import InProcessSubject
from temporacle.audit.generate import CasePlan
from temporacle.audit.judge import combined, judge, network_of
from temporacle.audit.live import LiveAudit
from temporacle.audit.pasted_tests import python_test
from temporacle.reasoner.judged import closure, holds_in
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation, atom_holding

# name: kind, how it is noticed, entities and links of the smallest graph that can show it
BROKEN = {
    "wrong_composition": (FaultKind.UNSOUND, NoticedBy.EXACT, 3, 2),
    "dropped_converse": (FaultKind.INCOMPLETE, NoticedBy.EXACT, 2, 2),
    "no_self_check": (FaultKind.MISSED_INCONSISTENCY, NoticedBy.EXACT, 1, 1),
    "meets_as_before": (FaultKind.UNSOUND, NoticedBy.EXACT, 2, 1),
    "last_link_wins": (FaultKind.MISSED_INCONSISTENCY, NoticedBy.ORDER, 2, 2),
    "greedy": (FaultKind.MISSED_INCONSISTENCY, NoticedBy.ORDER, 2, 2),
    "one_round": (FaultKind.INCOMPLETE, NoticedBy.EXACT, 4, 3),
    "singleton_compositions": (FaultKind.INCOMPLETE, NoticedBy.EXACT, 3, 2),
    "leaking": (FaultKind.FALSE_INCONSISTENCY, NoticedBy.STATE, 0, 0),
    "prefix_names": (FaultKind.FALSE_INCONSISTENCY, NoticedBy.RENAMING, 3, 2),
    "false_alarm": (FaultKind.FALSE_INCONSISTENCY, NoticedBy.EXACT, 2, 2),
    "explosion": (FaultKind.MISSED_INCONSISTENCY, NoticedBy.EXACT, 2, 2),
    "empties": (FaultKind.MISSED_INCONSISTENCY, NoticedBy.EXACT, 1, 1),
    "forgets_stated": (FaultKind.INCOMPLETE, NoticedBy.EXACT, 2, 1),
    "crashes_on_equal": (FaultKind.CRASH, NoticedBy.EXACT, 1, 1),
}


def asked(function, graph):
    """A double's answer as the judge wants it."""
    try:
        found = function([(source, str(relation), target) for source, relation, target in graph])
    except KeyError as error:
        return Failed(Failure.EXCEPTION, f"KeyError: {error}")
    if found is None:
        return SaidInconsistent()
    return Closed(tuple((source, Relation.of(*relation.split("|")), target) for source, relation, target in found))


def subject(name):
    def fresh():
        broken_closures._seen.clear()
        return lambda graph: asked(getattr(broken_closures, name), graph)

    return InProcessSubject(name, fresh)


@cache
def audited(name):
    return LiveAudit(subject(name)).run(CasePlan(400, seed=11, entities=5, large=0))


def faults_of(name, graph):
    answer = subject(name).ask(graph)[0]
    return judge(network_of(graph), answer, closure(network_of(graph), Budget())).faults


def test_the_right_closure_is_found_right():
    report = audited("right")
    assert report.clean
    assert report.cases == 400
    assert report.consistent > 50
    assert report.inconsistent > 30
    assert report.pairs > 300


@pytest.mark.parametrize("name", few(BROKEN, 3))
def test_is_caught_with_a_minimal_counterexample(name):
    kind, check, entities, links = BROKEN[name]
    report = audited(name)
    assert not report.clean
    found = [finding for finding in report.findings if finding.fault.kind is kind and finding.noticed_by is check]
    assert found, [(finding.fault.kind, finding.noticed_by) for finding in report.findings]
    best = min(found, key=lambda finding: (len(entities_of(finding.graph)), len(finding.graph)))
    assert (len(entities_of(best.graph)), len(best.graph)) == (entities, links)


# What an implementation does with a contradiction, and entities and links of the smallest graph that can show it.
@pytest.mark.parametrize(
    ("name", "manner", "size"),
    [
        ("explosion", Manner.EXPLODES, (2, 2)),
        ("empties", Manner.EMPTIES, (2, 2)),
        ("greedy", Manner.GOES_ON, (1, 1)),
    ],
)
def test_manners_of_missing_an_inconsistency_are_told_apart(name, manner, size):
    graphs = [finding.graph for finding in audited(name).findings if finding.fault.manner is manner]
    assert min((len(entities_of(graph)), len(graph)) for graph in graphs) == size


@pytest.mark.parametrize("name", few(BROKEN, 3))
def test_every_counterexample_shows_its_fault_and_needs_every_link(name):
    for finding in audited(name).findings:
        if finding.noticed_by is not NoticedBy.EXACT:
            continue
        assert finding.fault.sort in {fault.sort for fault in faults_of(name, finding.graph)}
        for position in range(len(finding.graph)):
            fewer = finding.graph[:position] + finding.graph[position + 1 :]
            assert finding.fault.sort not in {fault.sort for fault in faults_of(name, fewer)}


@pytest.mark.parametrize("name", BROKEN)
def test_the_evidence_holds(name):
    for finding in audited(name).findings:
        network, fault, evidence = network_of(finding.graph), finding.fault, finding.evidence
        match fault.kind:
            case FaultKind.UNSOUND:
                assert all(holds_in(evidence.model, link) for link in network.links)
                x, y = (evidence.model[name] for name in fault.pair)
                assert atom_holding(x, y) not in fault.claimed.atoms
            case FaultKind.INCOMPLETE:
                strongest = Oracle(evidence.links).strongest(*fault.pair)
                assert strongest <= fault.exact
                assert not fault.claimed <= fault.exact
            case FaultKind.MISSED_INCONSISTENCY:
                assert not Oracle(evidence.links).is_consistent()
                assert set(evidence.links) <= set(network.links)
            case FaultKind.FALSE_INCONSISTENCY:
                assert all(holds_in(evidence.model, link) for link in network.links)
            case FaultKind.CRASH:
                assert "KeyError" in fault.reason


def test_order_dependence_names_two_orders_with_different_answers():
    finding = next(finding for finding in audited("last_link_wins").findings if finding.noticed_by is NoticedBy.ORDER)
    assert sorted(map(str, finding.graph)) == sorted(map(str, finding.variant))
    answers = [subject("last_link_wins").ask(graph)[0] for graph in (finding.graph, finding.variant)]
    assert answers[0] != answers[1]


def test_a_leak_names_the_call_before():
    finding = next(finding for finding in audited("leaking").findings if finding.noticed_by is NoticedBy.STATE)
    alone = subject("leaking").ask(finding.graph)[0]
    after = subject("leaking").ask(finding.history, finding.graph)[1]
    assert alone != after
    assert len(finding.history) <= 2


def test_a_call_that_kills_the_process_leaks_nothing_into_the_next():
    def ask(*graphs):
        answers = []
        for graph in graphs:
            dies = any(source == target for source, _, target in graph)
            answers.append(Failed(Failure.DIED, "killed") if dies else asked(broken_closures.right, graph))
            if dies:
                return (*answers, *[answers[-1]] * (len(graphs) - len(answers)))
        return tuple(answers)

    deadly = InProcessSubject("deadly", lambda: None)
    deadly.ask = ask
    report = LiveAudit(deadly).run(CasePlan(60, large=0))
    assert report.kinds[FaultKind.CRASH]
    assert not report.checks[NoticedBy.STATE]
    assert {finding.noticed_by for finding in report.findings} == {NoticedBy.EXACT}


def test_a_pasted_test_about_an_entity_and_itself_needs_no_claim():
    def wrong(links):
        found = broken_closures.right(links)
        return None if found is None else [*found, *((name, "b", name) for name, _, _ in links)]

    report = LiveAudit(InProcessSubject("wrong", lambda: lambda graph: asked(wrong, graph))).run(CasePlan(10, large=0))
    tests = [python_test(finding) for finding in report.findings if finding.fault.manner is Manner.WRONG]
    assert tests
    assert all(fails(test, wrong) and not fails(test, broken_closures.right) for test in tests)


def test_disjunctions_taken_apart_wrongly():
    """A double that takes the first atom of each disjunction is caught on disjunctive graphs only."""

    def first_atoms(links):
        return broken_closures.right([(source, relation.split("|")[0], target) for source, relation, target in links])

    doubtful = InProcessSubject("first atoms", lambda: lambda graph: asked(first_atoms, graph))
    assert LiveAudit(doubtful).run(CasePlan(60, large=0)).clean
    report = LiveAudit(doubtful).run(CasePlan(60, vocabulary=Vocabulary.CONVEX, entities=4, large=0))
    unsound = [
        finding
        for finding in report.findings
        if finding.fault.kind is FaultKind.UNSOUND and finding.noticed_by is NoticedBy.EXACT
    ]
    assert min(len(finding.graph) for finding in unsound) == 1


def test_claims_on_a_pair_are_read_together_and_from_both_sides():
    b, bm = Relation.of("b"), Relation.of("b", "m")
    assert combined((("x", bm, "y"), ("y", b.converse(), "x"))) == {("x", "y"): int(b), ("y", "x"): int(b.converse())}


def fails(test, implementation):
    """Whether a pasted test fails for an implementation."""
    namespace = {"closure": implementation}
    exec(test, namespace)
    function = next(value for name, value in namespace.items() if name.startswith("test_"))
    try:
        function()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("name", sorted(BROKEN.keys() - {"crashes_on_equal"}))
def test_pasted_tests_fail_for_the_broken_closure_and_pass_for_the_right_one(name):
    for finding in audited(name).findings:
        test = python_test(finding)
        broken_closures._seen.clear()
        assert fails(test, getattr(broken_closures, name))
        assert not fails(test, broken_closures.right)
