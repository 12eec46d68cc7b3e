"""Conflicts in words."""

from collections import Counter
from random import Random

from naive import TRAP, network_of, random_network

from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.disjunctions.cases import refute
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.cycles import shortest_strict_cycle
from temporacle.results import ProofCycle


def words(*links, **texts):
    network = Network.of(links)
    located = [link._replace(line=number * 10) for number, link in enumerate(network.links, 1)]
    return explain(minimal_conflict(Network(located), Budget()), texts)


def test_two_links():
    assert words(("a", "BEFORE", "b"), ("a", "INCLUDES", "b"), a="the\n long   storm") == [
        'a "the long storm" ends before b starts (l1, line 10)',
        "b starts before it ends",
        'b ends before a "the long storm" ends (l2, line 20)',
        'so a "the long storm" would end before it ends',
    ]


def test_equal_and_possibly_equal_endpoints():
    said = words(("a", "m", "b"), ("a", "b", "c"), ("c", "b|m", "d"), ("d", "s", "b"))
    assert "a ends when b starts (l1, line 10)" in said or "b starts when a ends (l1, line 10)" in said
    assert any("ends before or when d starts (l3, line 30)" in sentence for sentence in said)


def test_an_entity_with_itself():
    assert words(("a", "BEFORE", "a"))[-1] == "so a would end before it ends"


def test_alternatives_are_told_case_by_case():
    said = words(*TRAP)
    assert said[0] == "1. Suppose 0 starts 1 (l1, line 10)."
    assert said[1].startswith("1.1. Suppose 0 starts 2 (l2, line 20). Then ")
    assert ", which contradicts that " in said[1]
    assert any(sentence.startswith("2. So 0 finishes 1 (l1, line 10). Suppose ") for sentence in said)
    assert said[-1] == "No case is left."


def test_each_case_of_a_proof_is_told_once_and_long_proofs_in_short():
    rng = Random(9)
    entities = [f"e{k}" for k in range(5)]
    lengths = Counter()
    for _ in range(150):
        network = network_of(random_network(rng, entities, "arbitrary", 0.9), entities)
        if Oracle(network).is_consistent():
            continue
        part = Network(minimal_conflict(network, Budget()))
        if shortest_strict_cycle(len(part.entities), part.constraints) is not None:
            continue
        said = explain(part.links)
        cases = sum(isinstance(step, ProofCycle) for step in refute(part, Budget()).steps)
        lengths[cases > 12] += 1
        if cases > 12:
            assert len(said) == 2
            assert said[1] == f"2. None holds, in {cases} cases."
        else:
            assert sum("which contradicts that" in each or "But " in each for each in said) == cases
            assert all(f"({link.id})" in "".join(said) for link in part.links)
    assert lengths[False] > 5


def test_a_long_proof_is_told_in_short(monkeypatch):
    monkeypatch.setattr("temporacle.reasoner.conflicts.explanation._MOST_CASES", 3)
    assert words(*TRAP) == [
        "1. Either 0 starts 1 or 0 finishes 1 (l1, line 10).",
        "2. None holds, in 8 cases.",
    ]


def test_links_are_listed_where_no_proof_is_found_in_time(monkeypatch):
    monkeypatch.setattr("temporacle.reasoner.conflicts.explanation._MOST_BRANCHINGS", 0)
    said = words(*TRAP)
    assert len(said) == 7
    assert "0 s|f 1 [s|f] (l1, line 10)" in said
    assert said[-1] == "no choice among these alternatives fits together"


def test_long_texts_are_cut():
    assert max(map(len, words(("a", "b", "b"), ("b", "b", "a"), a="x" * 500))) < 100


def test_every_link_of_a_conflict_is_mentioned():
    rng = Random(4)
    entities = [f"e{k}" for k in range(6)]
    for _ in range(40):
        network = network_of(random_network(rng, entities, "convex", 0.8), entities)
        if not Oracle(network).is_consistent():
            conflict = minimal_conflict(network, Budget())
            said = "\n".join(explain(conflict))
            assert all(f"({link.id})" in said for link in conflict)
