"""Conflicts: inconsistent, minimal by deletion, smallest where links are convex."""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.reasoner.conflicts.conflicts import minimal_conflict, smallest_within, subnetwork
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.cycles import disjoint_cycles
from temporacle.relation import NOTHING, Relation

ENTITIES = ["a", "b", "c", "d"]


def triples(links):
    return [(link.source, link.relation, link.target) for link in links]


def can_be_true(links):
    return brute_force(triples(links), ENTITIES) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_minimal_by_brute_force(kind):
    rng = Random(kind)
    found = 0
    while found < 60:
        network = network_of(random_network(rng, ENTITIES, kind, 0.9), ENTITIES)
        if can_be_true(network.links):
            continue
        found += 1
        conflict = minimal_conflict(network, Budget())
        assert set(conflict) <= set(network.links)
        assert not can_be_true(conflict)
        for link in conflict:
            assert can_be_true([other for other in conflict if other is not link])
        if kind in ("atomic", "convex"):
            for subset in combinations(network.links, len(conflict) - 1):
                assert can_be_true(subset)


@pytest.mark.parametrize(("kind", "size", "density"), [("convex", 12, 0.35), ("arbitrary", 9, 0.95)])
def test_minimal_on_larger_networks(kind, size, density):
    rng = Random(size)
    entities = [f"e{k}" for k in range(size)]
    found = 0
    while found < 8:
        network = network_of(random_network(rng, entities, kind, density), entities)
        if Oracle(network).is_consistent():
            continue
        found += 1
        conflict = minimal_conflict(network, Budget())
        assert not Oracle(Network(conflict)).is_consistent()
        for link in conflict:
            assert Oracle(Network(other for other in conflict if other is not link)).is_consistent()


@pytest.mark.parametrize("relation", [Relation.of("b"), Relation.of("b", "bi"), Relation.of("d", "oi", "s"), NOTHING])
def test_a_link_can_be_a_conflict_by_itself(relation):
    network = Network.of([("a", "BEFORE", "b"), ("c", relation, "c"), ("b", "BEFORE", "a")])
    assert [link.source for link in minimal_conflict(network, Budget())] == ["c"]


def test_no_relation_at_all():
    network = Network.of([("a", "BEFORE", "b"), ("a", NOTHING, "b")])
    assert [link.id for link in minimal_conflict(network, Budget())] == ["l2"]


def test_several_links_on_a_pair_are_kept_apart():
    network = Network.of([("a", "b|m", "b"), ("a", "b|bi", "b"), ("b", "b|mi", "a")])
    assert {link.id for link in minimal_conflict(network, Budget())} == {"l1", "l2", "l3"}


@pytest.mark.parametrize("kind", ["atomic", "convex"])
def test_disjoint_cycles(kind):
    """They are closed, strict and disjoint; what they leave is consistent; a smallest conflict stands inside each."""
    rng = Random(kind)
    entities = [f"e{k}" for k in range(14)]
    for _ in range(40):
        network = network_of(random_network(rng, entities, kind, 0.25), entities)
        used = set()
        for cycle in disjoint_cycles(len(network.entities), network.constraints):
            assert any(edge.strict for edge in cycle)
            for edge, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
                assert edge.to_point == following.from_point
            numbers = [edge.link for edge in cycle if edge.link is not None]
            assert used.isdisjoint(numbers)
            used.update(numbers)
            within = smallest_within(network, numbers)
            assert set(within) <= set(numbers)
            assert not Oracle(subnetwork(network, within)).is_consistent()
        rest = [number for number in range(len(network.links)) if number not in used]
        assert Oracle(subnetwork(network, rest)).is_consistent()
