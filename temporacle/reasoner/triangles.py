"""The pairs and triangles of a completion as arrays, and path consistency on them.

Pairs are numbered in the order of ``Completion.pairs``. A triangle of places i < j < k has three sides, the numbers of
the pairs ij, jk and ik. Relations are read from the smaller place to the larger one.

*Path consistency*: every side is intersected with the composition of the other two, all triangles at once, and again
those with a side that changed, until nothing changes. A relation that becomes empty refutes the network. Sound, not
complete: see ``propagation``, whose relations are the same where the completion has all pairs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.masktables import Masks, compose_all, converse_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from temporacle.reasoner.chordal import Completion
    from temporacle.reasoner.network import Budget

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
