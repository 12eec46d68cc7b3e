"""The engine ``path-consistency``: Allen's closure by sweeps over all triangles at once.

*Sound, not complete*: see ``propagation``, which has a queue of pairs instead of sweeps and comes to the same
relations. Sweeps are quicker for dense networks, the queue for large sparse ones.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from temporacle.reasoner.disjunctions.completion import Triangles, complete, converse_all, make_path_consistent
from temporacle.reasoner.network import PairTable, intersect_links, require_memory
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from temporacle.reasoner.disjunctions.completion import Masks
    from temporacle.reasoner.network import Budget, Network


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return an entailed relation of every pair; None if inconsistent. A table does *not* mean that the links are
    consistent.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> closure(Network.of([("a", "m", "b"), ("b", "m", "c")]), Budget()).relation("a", "c")
    Relation('b')
    """
    labels, triangles = all_pairs(network)
    if labels is None or not make_path_consistent(labels, triangles, budget):
        return None
    return PairTable(network.entities, table_of(labels, triangles))  # type: ignore[arg-type]  # only ever indexed


def all_pairs(network: Network) -> tuple[Masks | None, Triangles]:
    """Return the relations of all pairs as the links state them, and all triangles; no relations if a self-link is
    impossible.
    """
    size = len(network.entities)
    require_memory(64 * size**3 // 6, f"all triangles of {size} entities")
    triangles = Triangles(complete(size, combinations(range(size), 2), range(size)))
    rows = intersect_links(network)
    if not all(rows[entity][entity] & EQUAL for entity in range(size)):
        return None, triangles
    firsts, seconds = triangles.first.tolist(), triangles.second.tolist()
    stated = (rows[first][second] for first, second in zip(firsts, seconds, strict=True))
    return np.fromiter(stated, np.uint16, triangles.pairs), triangles


def table_of(labels: Masks, triangles: Triangles) -> Masks:
    """Return the relations of all pairs, in both directions, as rows."""
    size = len(triangles.number)
    rows = np.full((size, size), int(EQUAL), np.uint16)
    rows[triangles.first, triangles.second] = labels
    rows[triangles.second, triangles.first] = converse_all(labels)
    return rows
