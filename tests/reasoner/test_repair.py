"""Optimal repairs against brute force, against CP-SAT asked directly, and the rule for choosing among equals."""

from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import chain, combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network
from shares import few

from bench.direct_repair import fewest_to_drop
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.model import Link
from temporacle.readings import load_reading
from temporacle.reasoner.conflicts.repair import named_in, relabellings, repair, whole_weights
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise.choices import minimum_hitting_set
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation
from temporacle.results import Unrepairable

ENTITIES = ["a", "b", "c", "d"]


def subsets(items):
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def first_repair(network, protected=frozenset()):
    """Every set of links, lightest first, then fewest, then first in order: the definition."""
    numbers = [k for k in range(len(network.links)) if k not in protected]
    weights = [Fraction(str(link.weight)) for link in network.links]
    for dropped in sorted(subsets(numbers), key=lambda some: (sum(weights[k] for k in some), len(some), some)):
        kept = [link for k, link in enumerate(network.links) if k not in dropped]
        if brute_force([(link.source, link.relation, link.target) for link in kept], ENTITIES) is not None:
            return [network.links[k] for k in dropped]
    return None


def weighted(network, rng):
    return Network([link._replace(weight=rng.choice([0, 0.1, 0.25, 1, 2])) for link in network.links], ENTITIES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", ["equal", "various"])
def test_equals_brute_force(kind, weights):
    rng = Random(f"{kind} {weights}")
    for _ in range(40):
        network = network_of(random_network(rng, ENTITIES, kind, 0.9), ENTITIES)
        if weights == "various":
            network = weighted(network, rng)
        found = repair(network, Budget())
        assert list(found.dropped) == first_repair(network)
        assert found.weight == sum(Fraction(str(link.weight)) for link in found.dropped)


def test_protected_links_stay():
    rng = Random(3)
    impossible = 0
    for _ in range(60):
        network = network_of(random_network(rng, ENTITIES, "convex", 0.9), ENTITIES)
        protected = set(rng.sample(range(len(network.links)), len(network.links) // 2))
        names = {network.links[number].id for number in protected}
        found = repair(network, Budget(), named_in(names))
        expected = first_repair(network, protected)
        if isinstance(found, Unrepairable):
            impossible += 1
            assert expected is None
            assert {link.id for link in found.conflict} <= names
            assert not Oracle(Network(found.conflict)).is_consistent()
        else:
            assert list(found.dropped) == expected
    assert 0 < impossible < 60


def test_protection_by_label():
    network = Network.of([("a", "BEFORE", "b"), ("a", "AFTER", "b")])
    assert [link.id for link in repair(network, Budget()).dropped] == ["l1"]
    assert [link.id for link in repair(network, Budget(), named_in(["before"])).dropped] == ["l2"]


@pytest.mark.parametrize(("kind", "density"), few([("atomic", 0.12), ("convex", 0.2), ("arbitrary", 0.3)]))
def test_equals_direct_maximisation(kind, density):
    rng = Random(kind)
    entities = [f"e{k}" for k in range(16)]
    for _ in range(5):
        network = network_of(random_network(rng, entities, kind, density), entities)
        found = repair(network, Budget())
        gone = {link.id for link in found.dropped}
        assert Oracle(Network(link for link in network.links if link.id not in gone)).is_consistent()
        assert len(gone) == fewest_to_drop(network)


def test_nothing_to_repair():
    assert repair(Network.of([("a", "BEFORE", "b")]), Budget()).dropped == ()
    assert repair(Network(()), Budget()).dropped == ()


def test_bad_weights_are_refused():
    for weight in (-1, float("nan"), float("inf")):
        links = [link._replace(weight=weight) for link in Network.of([("a", "BEFORE", "b")]).links]
        with pytest.raises(UsageError, match="weight"):
            repair(Network(links), Budget())


def test_weights_are_read_as_written():
    links = [
        link._replace(weight=w) for link, w in zip(Network.of([("a", "b", "b")] * 3).links, (0.1, 0.2, 3), strict=True)
    ]
    weights, unit = whole_weights(links)
    assert [weights[k] * unit for k in range(3)] == [Fraction(1, 10), Fraction(1, 5), 3]


def test_no_time_no_answer():
    network = Network.of([("a", "BEFORE", "b"), ("b", "BEFORE", "a")])
    with pytest.raises(BudgetExceeded):
        repair(network, Budget(0))


def test_weights_of_many_digits_equal_brute_force():
    """As a system's confidences are: no whole numbers that the solver could add up."""
    rng = Random("confidences")
    for kind in KINDS:
        for _ in range(10):
            network = network_of(random_network(rng, ENTITIES, kind, 0.9), ENTITIES)
            network = Network([link._replace(weight=rng.random()) for link in network.links], ENTITIES)
            assert list(repair(network, Budget()).dropped) == first_repair(network)


@pytest.mark.parametrize("used", [False, True])
def test_a_foreign_label_is_proposed_only_where_the_document_uses_it(used):
    reading = load_reading("timeml")
    inside = [Link("l1", "a", Relation("d"), "b"), Link("l2", "b", Relation("d"), "c")]
    wrong = Link("l3", "a", Relation("b"), "c", weight=0.5)
    other = [Link("l4", "x", reading.relation("OVERLAP"), "y", label="overlap")] if used else []
    network = Network([*inside, wrong, *other], ["a", "b", "c", "x", "y"])
    (entry,) = relabellings(network, repair(network, Budget()), reading, Budget())
    assert entry.labels == ("IS_INCLUDED", "OVERLAP")[: 1 + used]


def test_relabellings_are_exactly_the_labels_that_fit():
    reading = load_reading("timeml")
    rng = Random(8)
    seen = 0
    for _ in range(25):
        network = network_of(random_network(rng, ENTITIES, "convex", 0.9), ENTITIES)
        found = repair(network, Budget())
        gone = {link.id for link in found.dropped}
        kept = [link for link in network.links if link.id not in gone]
        for entry in relabellings(network, found, reading, Budget()):
            seen += 1
            for label, meaning in reading.labels.items():
                if not meaning.is_universal:
                    fits = Oracle(Network([*kept, entry.link._replace(relation=meaning)], ENTITIES)).is_consistent()
                    assert (fits and label not in reading.foreign) == (label in entry.labels)
    assert seen


def acyclic(edges):
    """Whether links "before" can all be true, by the standard library."""
    before = {}
    for source, target in edges:
        before.setdefault(target, set()).add(source)
    try:
        tuple(TopologicalSorter(before).static_order())
    except CycleError:
        return False
    return True


def test_of_equal_repairs_the_first_in_the_document():
    """Dropping 1 and 4 would do as well, and is found sooner: 0 and 3 come first."""
    links = [("y", "b", "q"), ("x", "b", "p"), ("x", "b", "y"), ("y", "b", "x"), ("p", "b", "y"), ("q", "b", "x")]
    network = Network.of(links)
    assert [network.links.index(link) for link in repair(network, Budget()).dropped] == [0, 3]


def test_repairs_of_rings_are_the_first_of_the_best():
    rng = Random("rings")
    tried = 0
    while tried < 30:
        edges = [tuple(rng.sample("abcde", 2)) for _ in range(9)]
        if acyclic(edges):
            continue
        tried += 1
        best = next(
            chosen
            for size in range(10)
            for chosen in combinations(range(9), size)
            if acyclic([edge for number, edge in enumerate(edges) if number not in chosen])
        )
        links = [Link(str(number), source, Relation.of("b"), target) for number, (source, target) in enumerate(edges)]
        found = repair(Network(links), Budget())
        assert tuple(int(link.id) for link in found.dropped) == best, edges


def test_many_light_links_are_lighter_than_a_heavy_one():
    """Weight comes first, number second, however many there are."""
    sets = [{0, light} for light in range(1, 9)]
    for heavy, best in ((7, [0]), (8, [0]), (9, list(range(1, 9)))):
        weights = {0: heavy} | dict.fromkeys(range(1, 9), 1)
        assert minimum_hitting_set(sets, weights, Budget()) == best


def test_the_link_with_the_bad_weight_is_named():
    links = [Link(name, "a", Relation.of("b"), "b", weight=weight) for name, weight in (("zero", 0), ("bad", -1))]
    with pytest.raises(UsageError, match="link bad weighs -1"):
        repair(Network(links), Budget())
