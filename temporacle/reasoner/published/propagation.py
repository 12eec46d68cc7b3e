"""Allen's constraint propagation: path consistency by composition (Allen 1983; Tannier & Muller 2011, Algorithm 1).

    repeat, for every pair (i, j) whose relation became stronger, and every k:
        R(i, k) := R(i, k) & (R(i, j) o R(j, k))
        R(j, k) := R(j, k) & (R(j, i) o R(i, k))
    until nothing changes; a relation without atoms is a contradiction

*Sound, not complete.* Whatever it derives is entailed, and None really means inconsistent. But it may accept
inconsistent links, and may leave atoms that no model has: for both, four entities are enough. Its relations are the
strongest ones if all links are convex or pointisable; it also decides consistency, but no more, of ORD-Horn links. It
is kept because it is what the literature means by temporal closure: to compare with, never to certify.

A relation can become stronger 13 times at most, and then n others are looked at: O(n^3) for n entities. All k are
done at once in numpy, so that a few hundred entities take about a second.
"""

from __future__ import annotations

from collections import deque
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from temporacle.reasoner.algebra import ALL, SIZE, atoms_in, compose, converse
from temporacle.reasoner.network import Budget, Network, PairTable, intersect_links
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Masks: TypeAlias = "NDArray[np.uint16]"


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return an entailed relation of every pair; None if inconsistent. A table does *not* mean that the links are
    consistent.

    >>> table = closure(Network.of([("a", "m", "b"), ("b", "m", "c")]), Budget())
    >>> table.relation("a", "c")
    Relation('b')
    """
    size = len(network.entities)
    rows = np.array(intersect_links(network), dtype=np.uint16).reshape(size, size)
    if not rows.all():
        return None
    converses = _converses()
    waiting = deque((int(i), int(j)) for i, j in np.argwhere(rows != ALL) if i < j)
    queued = set(waiting)
    while waiting:
        budget.check()
        pair = waiting.popleft()
        queued.discard(pair)
        for i, j in (pair, pair[::-1]):
            stronger = rows[i] & _composed_with(int(rows[i, j]))[rows[j]]
            changed = np.flatnonzero(stronger != rows[i])
            if not changed.size:
                continue
            rows[i, changed] = stronger[changed]
            rows[changed, i] = converses[stronger[changed]]
            if not stronger[changed].all():
                return None
            for k in changed.tolist():
                news = (i, k) if i < k else (k, i)
                if news not in queued:
                    queued.add(news)
                    waiting.append(news)
    return PairTable(network.entities, rows)  # type: ignore[arg-type]  # only ever indexed


@cache
def _converses() -> Masks:
    return np.array([converse(mask) for mask in range(SIZE)], dtype=np.uint16)


@lru_cache(maxsize=1024)  # 16 kB each; a document has few different relations
def _composed_with(first: int) -> Masks:
    """Return ``compose(first, second)`` for every ``second``."""
    table = np.zeros(SIZE, dtype=np.uint16)
    for atom in atoms_in(first):
        table |= _atom_composed_with(atom)
    return table


@cache
def _atom_composed_with(atom: int) -> Masks:
    table = np.zeros(1, dtype=np.uint16)
    for other in range(len(ATOMS)):  # the second half of the table has the next atom as well
        table = np.concatenate([table, table | compose(1 << atom, 1 << other)])
    return table
