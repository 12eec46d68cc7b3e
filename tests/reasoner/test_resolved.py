"""The conflicts that a repair resolves, against their definition and against the search without a short cut."""

from random import Random

import pytest
from naive import network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.conflicts.canonical import resolved_conflicts
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.conflicts.repair import repair
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle


def assert_minimal(conflict):
    assert not Oracle(Network(conflict)).is_consistent()
    for link in conflict:
        assert Oracle(Network(other for other in conflict if other is not link)).is_consistent()


def inconsistent_networks(seed, kind, count, density):
    rng = Random(seed)
    entities = [f"e{k}" for k in range(7)]
    for _ in range(count):
        network = network_of(random_network(rng, entities, kind, density), entities)
        if not Oracle(network).is_consistent():
            yield network


@pytest.mark.parametrize(("kind", "count"), [("convex", 60), ("arbitrary", 25)])
def test_one_minimal_conflict_for_each_dropped_link(kind, count):
    seen = 0
    for network in inconsistent_networks(8, kind, count, 0.9):
        dropped = repair(network, Budget()).dropped
        seen += len(dropped) > 1
        found = list(resolved_conflicts(network, dropped, Budget()))
        assert len(found) == len(dropped)
        for conflict in found:
            assert_minimal(conflict)
            assert sum(any(link is gone for gone in dropped) for link in conflict) == 1
        covered = {id(link) for conflict in found for link in conflict}
        assert {id(link) for link in dropped} <= covered
    assert seen > 5


def test_convex_conflicts_are_as_small_as_can_be():
    """The twin: the globally smallest conflict of the kept links and one dropped link."""
    for network in inconsistent_networks(9, "convex", 60, 0.9):
        dropped = repair(network, Budget()).dropped
        gone = {id(link) for link in dropped}
        kept = [link for link in network.links if id(link) not in gone]
        for link, conflict in zip(dropped, resolved_conflicts(network, dropped, Budget()), strict=True):
            assert any(link is each for each in conflict)
            assert len(conflict) == len(minimal_conflict(Network([*kept, link]), Budget()))


def test_links_that_contradict_themselves():
    network = Network.of([("a", "b", "a"), ("a", "b", "b"), ("c", "m", "c"), ("b", "b", "a")])
    dropped = repair(network, Budget()).dropped
    found = [[link.id for link in conflict] for conflict in resolved_conflicts(network, dropped, Budget())]
    assert sorted(found) == [["l1"], ["l2", "l4"], ["l3"]]


def test_what_was_found_before_the_time_is_over_is_kept(monkeypatch):
    def out_of_time(*_arguments):
        yield from ()
        raise BudgetExceeded("not decided within 1 s")

    monkeypatch.setattr("temporacle.reasoner.inquiry.resolved_conflicts", out_of_time)
    network = Network.of([("a", "b", "b"), ("b", "b", "a"), ("c", "b", "d"), ("d", "m", "c")])
    from temporacle.model import Document

    found = check_document(Document("d", network.links), CheckOptions(repair=True))
    assert (len(found.conflicts), len(found.to_drop), found.is_complete) == (1, 2, False)
