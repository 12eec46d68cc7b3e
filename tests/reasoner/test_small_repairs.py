"""The conflicts that repairs resolve, and which links hold at given times, against definitions on tiny networks."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from naive import atom_between, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.conflicts import canonical
from temporacle.reasoner.conflicts.canonical import resolved_conflicts
from temporacle.reasoner.conflicts.repair import repair
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.times import LinkArrays, with_times_for
from temporacle.relation import Relation

NAMES = ("a", "b", "c", "d")


def fits(links):
    return brute_force([(link.source, link.relation, link.target) for link in links], NAMES) is not None


def contradictory(seed, kind, count):
    rng = Random(seed)
    while count:
        network = network_of(random_network(rng, NAMES, kind, 1.0), NAMES)
        if not fits(network.links):
            count -= 1
            yield network


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["convex", "arbitrary"])
def test_each_dropped_link_has_a_conflict_with_kept_ones(kind, seed):
    for network in contradictory(f"{kind} {seed}", kind, 2):
        dropped = repair(network, Budget()).dropped
        kept = [link for link in network.links if link not in dropped]
        found = list(resolved_conflicts(network, dropped, Budget()))
        assert len(found) == len(dropped)
        for link, conflict in zip(dropped, found, strict=True):
            assert link in conflict
            assert all(other in kept for other in conflict if other != link)
            assert not fits(conflict)
            smaller = combinations([*kept, link] if kind == "convex" else conflict, len(conflict) - 1)
            assert all(map(fits, smaller))


@pytest.mark.parametrize("relation", ["b", "b|bi"])
def test_a_dropped_link_that_fits_is_noticed(relation):
    network = Network.of([("a", relation, "b"), ("b", relation, "c")])
    with pytest.raises(InternalError, match="fits together"):
        list(resolved_conflicts(network, network.links[:1], Budget()))


def test_time_is_looked_at_for_each_dropped_link(monkeypatch):
    network = Network.of([("a", "b", "b"), ("b", "b", "a")])
    monkeypatch.setattr(canonical, "_smallest", lambda *_: lambda number: [number])
    with pytest.raises(BudgetExceeded):
        list(resolved_conflicts(network, network.links[:1], Budget(-1)))


@pytest.mark.parametrize("seed", range(4))
def test_links_that_hold_at_given_times(seed):
    rng = Random(f"holding {seed}")
    constraints = [(rng.randrange(4), rng.randrange(1 << 13), rng.randrange(4)) for _ in range(rng.randint(1, 8))]
    arrays = LinkArrays(constraints)
    rows = np.array([[time for _ in range(4) for time in sorted(rng.sample(range(5), 2))] for _ in range(12)])
    broken = []
    for times in rows.tolist():
        pairs = list(zip(times[::2], times[1::2], strict=True))
        atoms = [int(Relation.of(atom_between(pairs[source], pairs[target]))) for source, _, target in constraints]
        assert arrays.atoms(np.array(times)).tolist() == atoms
        broken.append([place for place, (_, mask, _) in enumerate(constraints) if not mask & atoms[place]])
        assert arrays.broken(np.array(times)).tolist() == broken[-1]


def test_entities_that_are_new_get_times():
    known = np.array([5, 7, 6, 9])
    assert with_times_for(1, known) is known
    assert with_times_for(2, known) is known
    assert with_times_for(4, known).tolist() == [5, 7, 6, 9, 0, 1, 0, 1]
