"""Proofs: found for every contradiction, never for anything else, and each step checked by the independent checker."""

import json
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.checker import verify
from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.reasoner.disjunctions.cases import refute
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.proofs.certificate import MOST_NEEDED, certify, certify_conflict, to_json
from temporacle.relation import NOTHING, Relation
from temporacle.results import Certificate, ProofCycle, ProofSplit

ENTITIES = ["a", "b", "c", "d"]
ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "d"}

# Path consistency accepts this network, which has no model (docs/what-certificates-prove.md has its proof).
TRAP = [("0", "s|f", "1"), ("0", "m|s", "2"), ("0", "m|s", "3"), ("1", "o", "2"), ("1", "o", "3"), ("2", "f|fi", "3")]


def accepted(certificate):
    return verify(json.dumps(to_json(certificate, ABOUT)))


@pytest.mark.parametrize("kind", KINDS)
def test_exactly_the_contradictions_are_refuted(kind):
    rng = Random(kind)
    refuted = 0
    for _ in range(120):
        triples = random_network(rng, ENTITIES, kind, 0.9)
        network = network_of(triples, ENTITIES)
        refutation = refute(network, Budget())
        assert (refutation is None) == (brute_force(triples, ENTITIES) is not None)
        if refutation is not None:
            refuted += 1
            assert set(refutation.used) <= set(range(len(triples)))
            used = [triples[number] for number in refutation.used]
            assert brute_force(used, ENTITIES) is None
    assert refuted > 10


@pytest.mark.parametrize("kind", KINDS)
def test_every_proof_is_accepted(kind):
    rng = Random(f"{kind} proofs")
    entities = [f"e{k}" for k in range(7)]
    for _ in range(25):
        certificate = certify(Judged(network_of(random_network(rng, entities, kind, 0.8), entities), Budget()))
        assert accepted(certificate)["claim"] == certificate.claim


def test_convex_links_need_one_cycle():
    rng = Random(5)
    entities = [f"e{k}" for k in range(9)]
    for _ in range(20):
        refutation = refute(network_of(random_network(rng, entities, "convex", 0.7), entities), Budget())
        assert refutation is None or [type(step) for step in refutation.steps] == [ProofCycle]


def test_the_network_that_path_consistency_accepts():
    certificate = certify(Judged(Network.of(TRAP), Budget()))
    assert certificate.claim == "inconsistent"
    assert len(certificate.conflict) == 6
    assert any(isinstance(step, ProofSplit) for step in certificate.proof)
    assert accepted(certificate)


@pytest.mark.parametrize("relation", [Relation.of("b"), Relation.of("b", "bi"), Relation.of("d", "oi", "s"), NOTHING])
def test_links_of_an_entity_to_itself(relation):
    certificate = certify(Judged(Network.of([("a", "b", "b"), ("c", relation, "c")]), Budget()))
    assert certificate.conflict == (1,)
    assert accepted(certificate)


def test_no_relation_at_all():
    assert accepted(certify(Judged(Network.of([("a", NOTHING, "b")]), Budget())))["claim"] == "inconsistent"


def test_branchings_can_be_limited():
    assert refute(Network.of(TRAP), Budget(), most_branchings=0) is None
    assert refute(Network.of(TRAP), Budget(), most_branchings=50) is not None


def test_no_time_no_proof():
    with pytest.raises(BudgetExceeded):
        refute(Network.of(TRAP), Budget(0))


def test_what_does_not_matter_is_not_in_the_proof():
    """Two disjunctions that have nothing to do with the contradiction, one of them narrowed by propagation."""
    links = [("x", "b", "y"), ("x", "b|bi", "y"), ("p", "o|oi", "q"), *TRAP]
    refutation = refute(Network.of(links), Budget())
    assert set(refutation.used) == set(range(3, 9))


def test_a_long_chain_needs_no_recursion():
    size = 3000
    links = [(f"e{k}", "b", f"e{k + 1}") for k in range(size)]
    certificate = certify(Judged(Network.of([*links, (f"e{size}", "b|m", "e0")]), Budget()))
    assert len(certificate.conflict) == size + 1
    assert isinstance(certificate, Certificate)


@pytest.mark.parametrize("more", [0, 1])
def test_that_every_link_is_needed_is_shown_for_conflicts_of_some_size_only(more):
    """Beyond that nothing is claimed about it, and the checker is content."""
    size = MOST_NEEDED + more
    ring = [Link(str(k), f"e{k}", Relation.of("b"), f"e{(k + 1) % size}", label=f"L{-k % 7}") for k in range(size)]
    form = to_json(certify(Judged(Network(ring), Budget())), ABOUT)
    assert verify(json.dumps(form)) == form
    assert form["needed"] is None if more else len(form["needed"]) == size
    assert form["readings"] == [[f"L{k}", ["b"]] for k in range(7)]  # in order


def test_a_known_conflict_is_taken_for_the_proof():
    """Two conflicts; the one that is named is the one that is certified."""
    links = [("a", "b", "b"), ("b", "b", "a"), ("x", "b", "y"), ("y", "b", "z"), ("z", "b", "x")]
    network = Network.of(links)
    assert sorted(certify_conflict(Judged(network, Budget()), [2, 3, 4]).conflict) == [2, 3, 4]
    assert sorted(certify_conflict(Judged(network, Budget())).conflict) == [0, 1]
