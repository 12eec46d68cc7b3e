"""The list of conflicts, alternatives and all conflicts and repairs, each against its definition on small networks."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.conflicts import canonical, conflicts
from temporacle.reasoner.conflicts.canonical import alternatives, canonical_conflicts
from temporacle.reasoner.conflicts.repair import repair, whole_weights
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.hulls import is_convex
from temporacle.relation import Relation
from temporacle.results import Unrepairable

NAMES = ["a", "b", "c"]
needs_sat = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")


def judge(network):
    """Return whether a set of positions is consistent, by trying all orders; remembered."""
    known = {}

    def fits(numbers):
        key = frozenset(numbers)
        if key not in known:
            links = [network.links[number] for number in key]
            known[key] = brute_force([(one.source, one.relation, one.target) for one in links], NAMES) is not None
        return known[key]

    return fits


def networks(seed, count, most=6):
    rng = Random(seed)
    while count:
        kind = rng.choice(KINDS)
        triples = random_network(rng, NAMES, kind, 0.9) + random_network(rng, NAMES, kind, 0.7)
        if rng.random() < 0.2:
            triples.append(("a", Relation(rng.choice(["b", "="])), "a"))
        rng.shuffle(triples)
        network = network_of(triples[:most], NAMES)
        if not judge(network)(range(len(network.links))):
            count -= 1
            weights = rng.choice([(1,), (0.5, 1)])
            yield Network([link._replace(weight=rng.choice(weights)) for link in network.links], NAMES)


def dropped_of(network):
    return [network.links.index(link) for link in repair(network, Budget()).dropped]


@pytest.fixture(params=["by the oracle", "by the solver"])
def way(request, monkeypatch):
    if request.param == "by the solver":
        if not is_available():
            pytest.skip("python-sat is not installed")
        monkeypatch.setattr(conflicts, "_MANY_DISJUNCTIONS", 0)


def test_the_list_of_conflicts_by_its_definition(way):
    convex = ties = 0
    for network in networks("list", 150):
        fits = judge(network)
        dropped = dropped_of(network)
        kept = [number for number in range(len(network.links)) if number not in dropped]
        for number, found in zip(dropped, canonical_conflicts(network, dropped, Budget()), strict=True):
            within = sorted([*kept, number])
            if is_convex(network.constraints):
                every = (some for size in range(1, len(within) + 1) for some in combinations(within, size))
                refused = [some for some in every if not fits(some)]
                smallest = [some for some in refused if len(some) == len(refused[0])]
                expected = list(smallest[0])
                convex, ties = convex + 1, ties + (len(smallest) > 1)
            else:
                expected = within
                for last in reversed(within):
                    fewer = [other for other in expected if other != last]
                    expected = expected if fits(fewer) else fewer
            assert found == expected
    assert convex > 30
    assert ties > 5


def test_alternatives_by_their_definition(way, monkeypatch):
    some = 0
    for network in networks("alternatives", 150):
        fits = judge(network)
        weights, _ = whole_weights(network.links)
        protected = {0}
        found = repair(network, Budget(), lambda link, first=network.links[0]: link is first)
        if isinstance(found, Unrepairable):
            continue
        dropped = [network.links.index(link) for link in found.dropped]
        kept = [number for number in range(len(network.links)) if number not in dropped]
        expected = [
            [
                other
                for other in kept
                if other not in protected
                and weights[other] == weights[number]
                and fits([each for each in [*kept, number] if each != other])
            ]
            for number in dropped
        ]
        assert alternatives(network, dropped, weights, protected, Budget()) == expected
        some += any(expected)
        monkeypatch.setattr(canonical, "_MOST_ALTERNATIVES", 1)
        assert alternatives(network, dropped, weights, protected, Budget()) == [each[:1] for each in expected]
        monkeypatch.undo()
    assert some > 30


def test_a_repair_says_what_else_could_be_dropped():
    ring = [("a", "b", "b"), ("b", "b", "c"), ("c", "b", "a"), ("x", "b", "y")]
    found = Oracle(ring).repair(protect=["l2"])
    assert [link.id for link in found.dropped] == ["l1"]
    assert [[link.id for link in each] for each in found.alternatives] == [["l3"]]


def test_a_repair_is_kept_if_the_time_is_over_for_alternatives(monkeypatch):
    def too_late(*_arguments):
        raise BudgetExceeded("over")

    monkeypatch.setattr("temporacle.reasoner.conflicts.repair.alternatives", too_late)
    found = Oracle([("a", "b", "b"), ("b", "b", "a")]).repair()
    assert [link.id for link in found.dropped] == ["l1"]
    assert found.alternatives is None


def test_a_long_ring_has_ten_alternatives():
    ring = Network.of([(f"e{k}", "b", f"e{(k + 1) % 500}") for k in range(500)])
    assert alternatives(ring, [0], dict.fromkeys(range(500), 1), [], Budget()) == [list(range(1, 11))]


@needs_sat
def test_all_conflicts_and_repairs_by_all_subsets():
    several = 0
    for network in networks("all", 120):
        fits = judge(network)
        numbers = range(len(network.links))
        subsets = [frozenset(some) for size in range(len(numbers) + 1) for some in combinations(numbers, size)]
        refused = [some for some in subsets if not fits(some)]
        enough = [some for some in subsets if fits(set(numbers) - some)]

        def minimal(sets):
            return {some for some in sets if not any(other < some for other in sets)}

        places = {id(link): number for number, link in enumerate(network.links)}
        found = [frozenset(places[id(link)] for link in conflict) for conflict in Oracle(network).conflicts()]
        assert len(found) == len(set(found))
        assert set(found) == minimal(refused)
        repairs = list(Oracle(network).repairs())
        dropped = [frozenset(places[id(link)] for link in each.dropped) for each in repairs]
        assert len(dropped) == len(set(dropped))
        assert set(dropped) == minimal(enough)
        assert min(each.weight for each in repairs) == repair(network, Budget()).weight
        for each in repairs:
            assert each.weight == sum(Fraction(str(link.weight)) for link in each.dropped)
        several += len(found) > 1
        assert len(list(Oracle(network).conflicts(1))) == 1
    assert several > 40


@needs_sat
def test_a_consistent_document_has_no_conflict_and_the_empty_repair():
    for relation in ("b", "b|bi"):
        oracle = Oracle([("a", relation, "b")])
        assert list(oracle.conflicts()) == []
        assert [each.dropped for each in oracle.repairs()] == [()]


@needs_sat
def test_time_ends_the_stream():
    network = Network.of([(f"e{i}", "b", f"e{j}") for i in range(12) for j in range(12) if i != j])
    found = Oracle(network, budget=0.5).conflicts()
    assert next(found)
    with pytest.raises(BudgetExceeded):
        list(found)
