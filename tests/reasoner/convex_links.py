"""Random convex links that are true of some times, for tests of graphs without disjunctions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, RelationClass, classify
from temporacle.relation import Relation, atom_holding

if TYPE_CHECKING:
    from random import Random

CONVEX = [mask for mask in range(1, ALL) if classify(mask) is RelationClass.CONVEX]
AFTER = int(Relation.of("bi"))
NOT_LATER = int(Relation.of("b", "m", "o", "fi", "di", "s", "=", "si"))  # starts no later
WEAK = [int(Relation.of(*names)) for names in (("b", "m"), ("=",), ("s", "=", "si"), ("f", "=", "fi"), ("m",))]


def true_links(rng: Random, entities: int, count: int) -> list[tuple[int, int, int]]:
    """Convex links that are true of some times, weak ones among them; some are about one entity alone."""
    times = [tuple(sorted(rng.sample(range(6), 2))) for _ in range(entities)]
    links = []
    for _ in range(count):
        source, target = rng.randrange(entities), rng.randrange(entities)
        atom = int(Relation.of(atom_holding(times[source], times[target])))
        fitting = [each for each in (WEAK if rng.random() < 0.5 else CONVEX) if each & atom]
        links.append((source, rng.choice([atom, *fitting]), target))
    return links
