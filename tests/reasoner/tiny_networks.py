"""Tiny networks of disjunctions with the truth about them, for tests against brute force."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from naive import brute_force, network_of, random_network

from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.disjunctions.search import Search
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import Relation, atom_holding

if TYPE_CHECKING:
    from random import Random

needs_solver = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")
NAMES = ("a", "b", "c", "d")
BEFORE, AFTER = int(Relation.of("b")), int(Relation.of("bi"))


def atom_at(times: list[int], source: int, target: int) -> int:
    return int(Relation.of(atom_holding(*((times[2 * each], times[2 * each + 1]) for each in (source, target)))))


def holds_at(times: list[int], constraints: list[tuple[int, int, int]]) -> bool:
    return all(atom_at(times, source, target) & mask for source, mask, target in constraints)


def tiny(rng: Random, size: int = 4, density: float = 0.9) -> tuple[Network, dict[tuple[int, int], int] | None]:
    """A network with what is true about it: the strongest relation of every pair, None if it is inconsistent."""
    triples = random_network(rng, NAMES[:size], "arbitrary", density)
    network = network_of(triples, NAMES[:size])
    truth = brute_force(triples, NAMES[:size])
    named = None if truth is None else {(NAMES.index(x), NAMES.index(y)): int(mask) for (x, y), mask in truth.items()}
    return network, named


def searched(network: Network) -> Search:
    """A search in which links between the same entities are stated together, in either direction."""
    relations: dict[tuple[int, int], int] = {}
    for source, mask, target in network.constraints:
        relations[source, target] = relations.get((source, target), ALL) & mask
    return Search(len(network.entities), relations, Budget())
