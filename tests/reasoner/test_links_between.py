"""The links that matter for a pair, against their naive twin: every set of links that entails something about it."""

from itertools import combinations
from random import Random

from convex_links import true_links

from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.paths import LinksBetween
from temporacle.relation import Relation

EVERYTHING = Relation((1 << 13) - 1)


def numbered(triples):
    return Network.of((f"e{source}", Relation(mask), f"e{target}") for source, mask, target in triples)


def strongest(links, source, target):
    oracle = Oracle(links)
    known = oracle.network.index
    return oracle.strongest(source, target) if source in known and target in known else EVERYTHING


def minimal_grounds(network, source, target):
    """Yield all minimal sets of links from which the strongest relation of a pair follows."""
    exact = strongest(network.links, source, target)
    found = []
    for size in range(len(network.links) + 1):
        for chosen in combinations(network.links, size):
            if any(smaller <= set(chosen) for smaller in found):
                continue
            if strongest(chosen, source, target) == exact:
                found.append(set(chosen))
    return found


def test_every_minimal_reason_lies_between_the_entities():
    rng = Random("between")
    left_out = 0
    for _ in range(60):
        network = numbered(true_links(rng, 5, 6))
        between = LinksBetween(network)
        for source, target in combinations(network.entities, 2):
            near = set(between.of(source, target))
            left_out += len(network.links) - len(near)
            for grounds in minimal_grounds(network, source, target):
                assert grounds <= near, (network.links, source, target)
    assert left_out > 200  # else the test would accept all links for every pair


def test_conflicts_are_as_small_as_among_all_links():
    rng = Random("small")
    compared = 0
    for _ in range(12):
        network = numbered(true_links(rng, 12, 25))
        between, oracle = LinksBetween(network), Oracle(network)
        for source, target in combinations(network.entities, 2):
            exact = oracle.strongest(source, target)
            opposite = (source, ~exact, target)
            if exact == EVERYTHING:
                continue
            compared += 1
            among_all = minimal_conflict(Network.of([*network.links, opposite]), Budget())
            among_near = minimal_conflict(Network.of([*between.of(source, target), opposite]), Budget())
            if Oracle([opposite]).is_convex:  # else a conflict is minimal, but may not be the smallest
                assert len(among_near) == len(among_all)
            assert not Oracle(among_near).is_consistent()
    assert compared > 100


def test_links_far_away_are_left_out():
    network = Network.of([(f"e{number}", "b", f"e{number + 1}") for number in range(1000)])
    assert [link.source for link in LinksBetween(network).of("e503", "e500")] == ["e500", "e501", "e502"]


def test_all_links_count_where_paths_do_not_tell_everything():
    far = ("x", "b", "y")
    for triples in ([("a", "b|bi", "b"), far], [("a", "b", "b"), ("b", "b", "a"), far], [("a", "b", "a"), far]):
        network = Network.of(triples)
        assert LinksBetween(network).of("a", "b") == network.links


def test_an_entity_without_links_has_none_of_its_own():
    network = Network.of([("a", "b", "b"), ("c", "b", "d")])
    assert LinksBetween(network).of("zebra", "ibis") == ()
    assert LinksBetween(network).of("zebra", "b") == ()
    assert LinksBetween(network).of("a", "a") == ()
