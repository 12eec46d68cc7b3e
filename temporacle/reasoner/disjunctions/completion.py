"""Chordal completion of a graph of entities: which pairs a search has to look at.

A graph is chordal if every cycle of four or more has a shortcut. Relations on the edges of a chordal graph that agree
on every triangle fit together to a model of everything: scenarios on two cliques glue along what they share. So a
search needs variables only for the edges of a completion, and consistency only on its triangles.

    repeat  take away an entity with the fewest neighbours (the first of them); its neighbours become a clique

Entities are then called by their *place*, the order in which they were taken away. Neighbours are sets of bits, so a
graph of a hundred entities takes a millisecond.

References: Bliek and Sam-Haroud (1999), "Path consistency on triangulated constraint graphs"; Huang (2012),
"Compactness and its implications for qualitative spatial and temporal reasoning" (why scenarios glue together).
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from temporacle.reasoner.algebra import ALL, bits, compose, converse
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget


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


# ----------------------------------------------------------------------------------------------------
# The pairs and triangles of a completion as arrays, and path consistency on them.
#
# Pairs are numbered in the order of ``Completion.pairs``. A triangle of places i < j < k has three sides, the numbers
# of the pairs ij, jk and ik. Relations are read from the smaller place to the larger one.
#
# *Path consistency*: every side is intersected with the composition of the other two, all triangles at once, and
# again those with a side that changed, until nothing changes. A relation that becomes empty refutes the network. Sound,
# not complete: see ``published.propagation``, whose relations are the same where the completion has all pairs.

Numbers: TypeAlias = "NDArray[np.int32]"


class Triangles:
    """``sides`` are the pairs ij, jk, ik of every triangle; ``first`` and ``second`` the places of every pair."""

    __slots__ = ("first", "number", "pairs", "second", "sides")

    def __init__(self, completion: Completion) -> None:
        size = len(completion.order)
        counts = [len(others) for others in completion.later]
        self.pairs = sum(counts)
        self.first = np.repeat(np.arange(size, dtype=np.int32), counts)
        self.second = np.fromiter((other for _, other in completion.pairs()), np.int32, self.pairs)
        self.number = np.full((size, size), -1, np.int32)  # of a pair of places, the smaller first
        self.number[self.first, self.second] = np.arange(self.pairs, dtype=np.int32)
        parts: list[tuple[Numbers, Numbers, Numbers]] = []
        for place, others in enumerate(completion.later):
            if len(others) > 1:
                x, y = _all_pairs(len(others))
                around = np.asarray(others, np.int32)
                own = self.number[place, around]
                parts.append((own[x], self.number[around[x], around[y]], own[y]))
        none = np.zeros(0, np.int32)
        self.sides: tuple[Numbers, Numbers, Numbers] = (
            np.concatenate([none, *(part[0] for part in parts)]),
            np.concatenate([none, *(part[1] for part in parts)]),
            np.concatenate([none, *(part[2] for part in parts)]),
        )

    def __len__(self) -> int:
        return len(self.sides[0])


@lru_cache(maxsize=512)
def _all_pairs(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(size, 1)


_AT_A_TIME = 1 << 16  # triangles, so that what is worked on stays small


def make_path_consistent(labels: Masks, triangles: Triangles, budget: Budget) -> bool:
    """Narrow the relations of all pairs in place; False if one of them becomes empty."""
    if not labels.all():
        return False
    ij, jk, ik = triangles.sides
    changed = labels != ALL
    while True:
        touched = np.flatnonzero(changed[ij] | changed[jk] | changed[ik])
        if not touched.size:
            return True
        before = labels.copy()
        for start in range(0, len(touched), _AT_A_TIME):
            budget.check()
            some = touched[start : start + _AT_A_TIME]
            a, b, c = ij[some], jk[some], ik[some]
            first, second, across = labels[a], labels[b], labels[c]
            np.bitwise_and.at(labels, c, compose_all(first, second))
            np.bitwise_and.at(labels, a, compose_all(across, converse_all(second)))
            np.bitwise_and.at(labels, b, compose_all(converse_all(first), across))
        if not labels.all():
            return False
        changed = labels != before


# ----------------------------------------------------------------------------------------------------
# Composition and converse of whole arrays of relations.
#
# The composition table of all 8192 x 8192 relations would take 128 MB. Composition distributes over union, so a
# relation is cut into its first seven atoms and the other six: two tables of 128 and 64 rows, 3 MB together, answer
# everything. All is made from the atoms' own compositions (``algebra``) when it is first used, in some milliseconds.

Masks: TypeAlias = "NDArray[np.uint16]"
_CUT = 7
_LOW = (1 << _CUT) - 1


def compose_all(first: Masks, second: Masks) -> Masks:
    """Return ``compose(first[k], second[k])`` for every k."""
    low, high = _halves()
    composed: Masks = low[first & _LOW, second] | high[first >> _CUT, second]
    return composed


def converse_all(masks: Masks) -> Masks:
    """Return ``converse(masks[k])`` for every k."""
    return _converses()[masks]


@cache
def _halves() -> tuple[Masks, Masks]:
    atoms = range(len(ATOMS))
    rows = [doubled((compose(1 << atom, 1 << other) for other in atoms), np.zeros(1, np.uint16)) for atom in atoms]
    nothing = np.zeros((1, len(rows[0])), np.uint16)
    return doubled(rows[:_CUT], nothing), doubled(rows[_CUT:], nothing)


@cache
def _converses() -> Masks:
    return doubled((converse(1 << atom) for atom in range(len(ATOMS))), np.zeros(1, np.uint16))


def doubled(parts: Iterable[int | Masks], start: Masks) -> Masks:
    """Return the union of the parts for every subset of them. The second half of each stage also has the next part."""
    table = start
    for part in parts:
        table = np.concatenate([table, table | np.asarray(part, np.uint16)])
    return table
