"""The parts of a repair on tiny networks: conflicts by both methods, and the grounds of a repair."""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.model import Link
from temporacle.readings import load_reading
from temporacle.reasoner.conflicts import repair as repairing
from temporacle.reasoner.conflicts.repair import (
    conflicts_without,
    relabellings,
    repair,
    repair_grounds,
)
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.hulls import is_convex
from temporacle.relation import Relation
from temporacle.results import Repair, Unrepairable

needs_sat = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")
ENTITIES = ["a", "b", "c"]
BEFORE = Relation.of("b")


def statements(network, numbers=None):
    chosen = range(len(network.links)) if numbers is None else numbers
    return [(network.links[k].source, network.links[k].relation, network.links[k].target) for k in chosen]


def can_be_true(network, numbers):
    return brute_force(statements(network, numbers), ENTITIES) is not None


def networks(seed, count, kinds=KINDS):
    """Small networks, some of them with a second opinion on each pair, and with links of an entity to itself."""
    rng = Random(seed)
    for _ in range(count):
        kind = rng.choice(kinds)
        links = random_network(rng, ENTITIES, kind, 0.9) + random_network(rng, ENTITIES, kind, 0.6)
        if rng.random() < 0.3:
            links.insert(rng.randint(0, len(links)), ("a", Relation(rng.choice(["b", "="])), "a"))
        yield network_of(links, ENTITIES), rng


# --- conflicts --------------------------------------------------------------------------------------------------------


def check_conflicts(network, dropped, found):
    """Conflicts are minimal, share no link, avoid what is dropped, and are missing only if the rest can be true."""
    kept = [k for k in range(len(network.links)) if k not in dropped]
    used = [k for conflict in found for k in conflict]
    assert len(used) == len(set(used))
    assert set(used) <= set(kept)
    for conflict in found:
        assert not can_be_true(network, conflict)
        assert all(can_be_true(network, [k for k in conflict if k != one]) for one in conflict)
    assert bool(found) is not can_be_true(network, kept)
    return bool(found)


def test_conflicts_by_cycles_and_by_the_oracle():
    seen = []
    for network, rng in networks("conflicts", 40):
        dropped = {k for k in range(len(network.links)) if rng.random() < 0.2}
        seen.append(check_conflicts(network, dropped, conflicts_without(network, dropped, Budget())))
    assert set(seen) == {False, True}


@needs_sat
def test_both_methods_give_the_same_repair(monkeypatch):
    used = []
    honest = repairing._by_search

    def noted(*arguments):
        used.append(True)
        return honest(*arguments)

    monkeypatch.setattr(repairing, "_by_search", noted)
    for network, rng in networks("methods", 25):
        links = [link._replace(weight=rng.choice([0, 0.5, 1, 2])) for link in network.links]
        weighted = Network(links, ENTITIES)
        monkeypatch.setattr(repairing, "is_matter_for_search", lambda _network: False)
        used.clear()
        one = repair(weighted, Budget())
        assert not used
        monkeypatch.setattr(repairing, "is_matter_for_search", lambda _network: True)
        other = repair(weighted, Budget())
        assert bool(used) is not is_convex(weighted.constraints)
        assert one == other


def test_time_is_looked_at_before_each_round():
    network = network_of([("a", BEFORE, "b"), ("b", BEFORE, "a")], ENTITIES)
    with pytest.raises(BudgetExceeded):
        conflicts_without(network, set(), Budget(0))
    assert conflicts_without(network, set(), Budget()) == [[0, 1]]


# --- grounds ----------------------------------------------------------------------------------------------------------


def test_conflicts_of_a_repair_show_that_it_is_the_lightest():
    for network, rng in networks("grounds", 30):
        protected = {link.id for link in network.links if rng.random() < 0.15}
        found = repair_grounds(Judged(network), protected)
        if isinstance(found, Unrepairable):
            assert {link.id for link in found.conflict} <= protected
            continue
        assert {network.links[k].id for k in found.protected} == protected
        kept = [k for k in range(len(network.links)) if k not in found.dropped]
        assert can_be_true(network, kept)
        free = [set(conflict) - found.protected for conflict in found.conflicts]
        assert all(not can_be_true(network, conflict) for conflict in found.conflicts)
        for size in range(len(found.dropped)):  # all weigh 1: nothing smaller meets every conflict
            assert not any(
                all(conflict & set(some) for conflict in free) for some in combinations(range(len(network.links)), size)
            )


def test_nothing_is_protected_unless_it_is_said():
    network = network_of([("a", BEFORE, "b"), ("b", BEFORE, "a")], ENTITIES)
    assert repair_grounds(Judged(network)) == ((0,), ((0, 1),), frozenset())


def test_relabellings_are_about_links():
    network = Network([Link("l1", "a", Relation.of("b"), "b"), Link("l2", "b", Relation.of("b"), "a")])
    repaired = repair(network, Budget())
    (proposed,) = relabellings(network, repaired, load_reading("timeml"), Budget())
    assert proposed.link is repaired.dropped[0]
    other = Repair((*repaired.dropped, object()), repaired.weight)  # the value of a time expression has no label
    assert len(relabellings(network, other, load_reading("timeml"), Budget())) == 1


def test_weights_that_no_sum_can_have_are_refused():
    with pytest.raises(UsageError, match="link l1 weighs -1"):
        repair(Network([Link("l1", "a", Relation.of("b"), "b", weight=-1)]), Budget())
