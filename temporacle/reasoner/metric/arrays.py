"""The table of all pairs at once, with numpy: shortest distances by Floyd and Warshall, then the atoms that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from temporacle.reasoner.metric.table import atom_edges
from temporacle.reasoner.network import require_memory
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.metric.weights import WeightedEdge
    from temporacle.reasoner.network import Budget

_LARGEST = 1 << 58  # sums of weights below this fit 64 bits with room for "not in reach"
_MOST_POINTS = 3_000  # beyond, single searches take less time
_PAIRS_AT_ONCE = 1 << 18  # whose atoms are found together: some megabytes


def table_by_arrays(graph: Sequence[Sequence[WeightedEdge]], entities: int, budget: Budget) -> list[list[int]] | None:
    """Return the strongest relation of every pair; None if the numbers or the table are too large for this method."""
    total = sum(abs(edge.weight) for each in graph for edge in each) + 1
    if total > _LARGEST or len(graph) > _MOST_POINTS:
        return None
    require_memory(3 * 8 * len(graph) ** 2, f"the distances of {entities} entities")
    # No path is longer than the sum of all edges. A sum with one "far" in it stays beyond twice that, and so on.
    far = 4 * total
    distances = np.full((len(graph), len(graph)), far, dtype=np.int64)
    np.fill_diagonal(distances, 0)
    for each in graph:
        for edge in each:
            distances[edge.left, edge.right] = min(distances[edge.left, edge.right], edge.weight)
    for middle in range(len(graph)):
        if middle & 63 == 63:
            budget.check()
        np.minimum(distances, distances[:, middle, None] + distances[middle], out=distances)
    distances[distances > 2 * total] = far
    rows: list[list[int]] = []
    step = 1 + _PAIRS_AT_ONCE // (entities + 1)
    for first in range(0, entities, step):
        budget.check()
        rows += _rows(distances, range(first, min(first + step, entities)), entities).tolist()
    return rows


def _rows(distances: NDArray[np.int64], sources: range, entities: int) -> NDArray[np.uint16]:
    """Return the masks of some sources with all targets."""
    starts = np.arange(sources.start, sources.stop) * 2
    targets = np.arange(entities) * 2
    known: list[list[NDArray[np.int64]]] = [[np.empty(0, dtype=np.int64)] * 4 for _ in range(4)]
    shape = (len(starts), entities)
    places = [("s", 0), ("s", 1), ("t", 0), ("t", 1)]
    for i, (left, x) in enumerate(places):
        for j, (right, y) in enumerate(places):
            rows = starts[:, None] + x if left == "s" else targets[None, :] + x
            columns = starts[:, None] + y if right == "s" else targets[None, :] + y
            known[i][j] = np.broadcast_to(distances[rows, columns], shape)
    masks = np.zeros(shape, dtype=np.uint16)
    for position in range(len(ATOMS)):
        masks |= _fits(known, atom_edges(position)).astype(np.uint16) << np.uint16(position)
    return masks


def _fits(known: list[list[NDArray[np.int64]]], edges: Sequence[tuple[int, int, int]]) -> NDArray[np.bool_]:
    """Return where edges close no negative cycle with the distances of four points (``table.possible_atoms``)."""
    matrix = [list(row) for row in known]
    fits = np.ones(known[0][0].shape, dtype=np.bool_)
    for left, right, weight in edges:
        fits &= matrix[right][left] + weight >= 0
        for i in range(4):
            through = matrix[i][left] + weight
            for j in range(4):
                matrix[i][j] = np.minimum(matrix[i][j], through + matrix[right][j])
    return fits
