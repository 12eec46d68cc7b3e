"""Evidence and certificates of single faults, and the judgement of one document: what is given, and what is not."""

from __future__ import annotations

import json

import pytest

from temporacle.audit.answers import Closed, Declined, Failed, Failure, Fault, FaultKind, Manner, SaidInconsistent
from temporacle.audit.claims import ClaimedDocument, ClaimsJob, JudgedDocument
from temporacle.audit.judge import NO_EVIDENCE, certificate_for, evidence_for, network_of
from temporacle.checker import verify
from temporacle.errors import ContradictionError, InternalError
from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EQUAL, EVERYTHING, Relation, atom_holding

B, M, O = Relation("b"), Relation("m"), Relation("o")  # noqa: E741 - Allen's letters
CHAIN = (("x", B, "y"), ("y", B, "z"))
CYCLE = (("x", B, "y"), ("p", M, "q"), ("y", B, "x"))

# links, fault, what the certificate proves
FAULTS = {
    "wrong": (CHAIN, Fault(FaultKind.UNSOUND, Manner.WRONG, ("x", "z"), B.converse(), B), "refuted"),
    "over-claimed": (CYCLE[:2], Fault(FaultKind.UNSOUND, Manner.OVER_CLAIMED, ("x", "p"), B, EVERYTHING), "open"),
    "a stranger": (CHAIN, Fault(FaultKind.UNSOUND, Manner.OVER_CLAIMED, ("x", "new"), B, EVERYTHING), None),
    "itself": (CHAIN, Fault(FaultKind.UNSOUND, Manner.WRONG, ("x", "x"), B, EQUAL), "refuted"),
    "a stranger and itself": (CHAIN, Fault(FaultKind.UNSOUND, Manner.WRONG, ("new", "new"), B | M, EQUAL), None),
    "missed": (CHAIN, Fault(FaultKind.INCOMPLETE, Manner.MISSED_ATOM, ("x", "z"), EVERYTHING, B), "entailed"),
    "missed contradiction": (CYCLE, Fault(FaultKind.MISSED_INCONSISTENCY, Manner.GOES_ON), "inconsistent"),
    "false alarm": (CHAIN, Fault(FaultKind.FALSE_INCONSISTENCY, Manner.FALSE_ALARM), "consistent"),
}
# The same on links whose closure takes a search.
HARD = tuple((f"e{i}", Relation("b|bi"), f"e{j}") for i in range(3) for j in range(i))
CRASH = Fault(FaultKind.CRASH, Manner.DIED, reason="killed")


def test_links_of_a_graph_are_numbered_and_keep_their_labels():
    links = network_of((("a", B | M, "b"), ("b", M, "a"))).links
    assert [(link.id, link.source, link.label, link.target) for link in links] == [
        ("l1", "a", "b|m", "b"),
        ("l2", "b", "m", "a"),
    ]


@pytest.mark.parametrize("name", FAULTS)
def test_evidence_shows_the_fault(name):
    graph, fault, _ = FAULTS[name]
    evidence = evidence_for(network_of(graph), fault, Budget())
    if fault.kind in (FaultKind.UNSOUND, FaultKind.FALSE_INCONSISTENCY):
        assert (evidence.links, evidence.certificate) == ((), None)
        assert all(holds_in(evidence.model, link) for link in network_of(graph).links)
        if fault.pair is not None:
            first, second = (evidence.model[end] for end in fault.pair)
            assert atom_holding(first, second) not in fault.claimed.atoms
    else:
        assert evidence.model is None
        needed = {"l1", "l2"} if fault.kind is FaultKind.INCOMPLETE else {"l1", "l3"}
        assert {link.id for link in evidence.links} == needed
        claim = "entailed" if fault.kind is FaultKind.INCOMPLETE else "inconsistent"
        assert verify(json.dumps(evidence.certificate))["claim"] == claim


@pytest.mark.parametrize("name", [name for name, (*_, claim) in FAULTS.items() if claim])
def test_a_certificate_proves_the_fault_from_all_links(name):
    graph, fault, claim = FAULTS[name]
    certificate = json.loads(json.dumps(certificate_for(network_of(graph), fault, Budget())))
    assert verify(json.dumps(certificate))["claim"] == claim
    assert certificate["document"]["id"] == "finding"
    if "query" in certificate:
        asked = certificate["query"]
        stated = fault.exact if fault.kind is FaultKind.INCOMPLETE else fault.claimed
        assert (asked["source"], asked["relation"], asked["target"]) == (
            fault.pair[0],
            list(stated.atoms),
            fault.pair[1],
        )


@pytest.mark.parametrize("graph", [CHAIN, CYCLE])
@pytest.mark.parametrize("kind", FaultKind)
def test_a_proof_of_something_else_is_never_given_for_a_finding(graph, kind):
    network = network_of(graph)
    consistent = Oracle(network).is_consistent()
    exact = Oracle(network).strongest(*graph[0][::2]) if consistent else B
    wrong = Fault(kind, Manner.WRONG, graph[0][::2], exact, ~exact)  # claims the truth, and misses the opposite
    right = {FaultKind.MISSED_INCONSISTENCY: not consistent, FaultKind.FALSE_INCONSISTENCY: consistent}
    if right.get(kind) or kind is FaultKind.CRASH:
        assert (certificate_for(network, wrong, Budget()) is None) == (kind is FaultKind.CRASH)
        return
    with pytest.raises((InternalError, ContradictionError)):
        certificate_for(network, wrong, Budget())


def test_a_crash_needs_no_evidence():
    assert evidence_for(network_of(CHAIN), CRASH, Budget()) == NO_EVIDENCE
    assert certificate_for(network_of(CHAIN), CRASH, Budget()) is None


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_without_time_for_evidence_has_none(name):
    graph, fault, claim = FAULTS[name]
    network = network_of(HARD + graph)
    assert evidence_for(network, fault, Budget(1e-9)) == NO_EVIDENCE
    if claim:
        assert certificate_for(network, fault, Budget(1e-9)) is None


# --- one document ----------------------------------------------------------------------------------------------------


def item(graph, answer, entities=()):
    return ClaimedDocument("d", entities, network_of(graph).links, answer)


def test_a_document_for_which_time_ran_out_is_undecided_and_never_wrong():
    wrong = item(HARD, Closed((("e0", B, "e1"),)))
    assert ClaimsJob(budget=1e-9).judged(wrong) == JudgedDocument("d", undecided="not decided within 1e-09 s")
    assert len(ClaimsJob(budget=60).judged(wrong).findings) == 3


def test_entities_without_links_count_as_pairs():
    judged = ClaimsJob().judged(item(CHAIN, Closed((("lonely", B, "x"),)), ("lonely",)))
    assert (judged.consistent, judged.pairs, len(judged.findings)) == (True, 6, 4)


def test_demanding_single_relations_only_leaves_out_nothing_but_missed_disjunctions():
    graph = (("x", O, "y"), ("y", O, "z"), ("z", B, "w"), ("y", B, "w"))
    claims = Closed((("x", O, "y"), ("y", O, "z"), ("z", M, "w")))
    every = {each.fault.pair: each.fault.manner for each in ClaimsJob().judged(item(graph, claims)).findings}
    assert every == {
        ("x", "z"): Manner.MISSED_DISJUNCTION,
        ("x", "w"): Manner.MISSED_ATOM,
        ("y", "w"): Manner.MISSED_ATOM,
        ("z", "w"): Manner.WRONG,
    }
    strict = ClaimsJob(determined_only=True).judged(item(graph, claims))
    assert {each.fault.pair for each in strict.findings} == every.keys() - {("x", "z")}


def test_the_first_findings_get_evidence_and_a_certificate_where_asked():
    graph = tuple((f"e{number}", B, f"e{number + 1}") for number in range(3))
    claims = item(graph, Closed(graph))
    plain = ClaimsJob(evidence=2).judged(claims).findings
    assert [each.evidence == NO_EVIDENCE for each in plain] == [False, False, True]
    assert [each.certificate for each in plain] == [None, None, None]
    assert {each.document for each in plain} == {"d"}
    proved = ClaimsJob(evidence=2, certify=True).judged(claims).findings
    assert [each.certificate is None for each in proved] == [False, False, True]


def test_the_digest_changes_with_whatever_is_judged_and_with_nothing_else():
    base = item(CHAIN, Closed(CHAIN, frozenset({("x", "z")})))
    assert base.digest == base._replace(name="other").digest
    assert base.digest == item(CHAIN, Closed(CHAIN, frozenset({("x", "z")}), labels=frozenset({"BEFORE"}))).digest
    others = [
        base._replace(entities=("x",)),
        item(CYCLE, base.answer),
        item(CHAIN, Closed(CHAIN)),
        item(CHAIN, Closed(CHAIN, frozenset({("x", "z")}), torn=True)),
        item(CHAIN, Closed(CYCLE, frozenset({("x", "z")}))),
        item(CHAIN, SaidInconsistent()),
        item(CHAIN, Failed(Failure.MALFORMED, "torn")),
        item(CHAIN, Declined("no")),
    ]
    assert len({each.digest for each in [base, *others]}) == len(others) + 1
