"""Chordal completion of a graph of entities: which pairs a search has to look at.

A graph is chordal if every cycle of four or more has a shortcut. Relations on the edges of a chordal graph that agree
on every triangle fit together to a model of everything: scenarios on two cliques glue along what they share. So a
search needs variables only for the edges of a completion, and consistency only on its triangles.

    repeat  take away an entity with the fewest neighbours (the first of them); its neighbours become a clique

Entities are then called by their *place*, the order in which they were taken away. Neighbours are sets of bits, so a
graph of a hundred entities takes a millisecond.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Completion(NamedTuple):
    """``later[p]`` lists the neighbours of the entity at place p that come after it, as places in ascending order."""

    order: list[int]  # the entity at each place
    later: list[list[int]]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Return the edges, as places, smaller place first."""
        return ((place, other) for place, others in enumerate(self.later) for other in others)

    def triangles(self) -> Iterator[tuple[int, int, int]]:
        """Return the triangles as ascending places. This is the naive twin of the arrays of ``triangles.Triangles``."""
        return ((place, x, y) for place, others in enumerate(self.later) for x, y in combinations(others, 2))

    def count_triangles(self) -> int:
        """Return the number of triangles."""
        return sum(len(others) * (len(others) - 1) // 2 for others in self.later)


def complete(size: int, edges: Iterable[tuple[int, int]], order: Sequence[int] | None = None) -> Completion:
    """Return a chordal completion of a graph of entities 0 .. size - 1, by least degree or in a given order.

    >>> complete(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    Completion(order=[0, 1, 2, 3], later=[[1, 3], [2, 3], [3], []])
    """
    near = [0] * size
    for x, y in edges:
        if x != y:
            near[x] |= 1 << y
            near[y] |= 1 << x
    left = dict.fromkeys(range(size))
    taken: list[int] = []
    around: list[int] = []
    for step in range(size):
        entity = min(left, key=lambda other: near[other].bit_count()) if order is None else order[step]
        del left[entity]
        taken.append(entity)
        clique = near[entity]
        around.append(clique)
        gone = ~(1 << entity)
        for other in bits(clique):
            near[other] = (near[other] | clique) & ~(1 << other) & gone
    place = [0] * size
    for position, entity in enumerate(taken):
        place[entity] = position
    return Completion(taken, [sorted(place[entity] for entity in bits(clique)) for clique in around])


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits of a number, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
