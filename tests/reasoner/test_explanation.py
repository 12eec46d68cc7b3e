"""Conflicts in words."""

from random import Random

from naive import TRAP, network_of, random_network

from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle


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


def test_alternatives():
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
