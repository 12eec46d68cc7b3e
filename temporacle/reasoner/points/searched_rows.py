"""Rows of the table of all pairs of a large and sparse endpoint graph, each made by searches when it is asked for.

The whole table has a cell for each pair of entities, even if nothing follows for most of them. A row takes four
searches, from the two endpoints of its entity forwards and backwards, so all rows take as many steps as there are
pairs for which something follows, times the links at an entity. Only filling the empty cells is quadratic: 2 bytes
each, and one row is in memory at a time.

Exact for consistent convex links, for the reasons given in ``graph``. Its twin for dense graphs is ``Closure.table``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from temporacle.reasoner.algebra import ALL, ANY, EQ, GT, LT
from temporacle.reasoner.points.graph import masks_by_code

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.graph import PointGraph

_SAMPLE = 64  # points whose searches tell whether a graph is sparse
_SPARSE = 100  # a search of this share of the points costs as much as a row of the whole table
_NOTHING_KNOWN = 0o7777  # the signs of four pairs of endpoints, three bits each

Edges = Sequence[Sequence[int]]


class RelatedRows(Sequence[Sequence[int]]):
    """The rows of a table of all pairs, as arrays. Of each row, only what is known is found; the rest is filled in."""

    def related(self, entity: int) -> dict[int, int]:
        """Return the relations of an entity to others, itself included, about which something is known."""
        raise NotImplementedError

    def __getitem__(self, place: Any) -> Any:
        """Return the row of an entity."""
        import numpy as np

        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        found = self.related(range(len(self))[place])
        row = np.full(len(self), ALL, dtype=np.uint16)
        row[np.fromiter(found, np.intp, len(found))] = np.fromiter(found.values(), np.uint16, len(found))
        return row


class SearchedRows(RelatedRows):
    """The rows of ``Closure.table``. All rows as an array are that table."""

    def __init__(self, graph: PointGraph, components: Sequence[int], budget: Budget) -> None:
        self.components = components  # of points
        self._graph, self._budget = graph, budget
        self._predecessors = _reversed(graph.successors)

    def __len__(self) -> int:
        return self._graph.entities

    def related(self, entity: int) -> dict[int, int]:
        """Return the strongest relations of an entity to others about which something is known."""
        codes = self._codes(entity)
        return dict(zip(codes, map(_masks().__getitem__, codes.values()), strict=True))

    def __array__(self, *_: object, **__: object) -> NDArray[np.uint16]:
        """Return all rows. Raise BudgetExceeded if they are too large."""
        return self._graph.close(self._budget).table_by_arrays()

    def reached(self, point: int) -> dict[int, int]:
        """Return the points that are not earlier, itself included, each with 1 if it is later."""
        return reached(point, self._graph.successors)

    def _codes(self, entity: int) -> dict[int, int]:
        """Return the possible signs of endpoints for each entity about which something is known."""
        components = self.components
        codes: dict[int, int] = {}
        for end in (0, 1):
            point = 2 * entity + end
            own = components[point]
            for edges, possible in ((self._graph.successors, LT), (self._predecessors, GT)):
                for other, strict in reached(point, edges).items():
                    sign = EQ if components[other] == own else possible if strict else possible | EQ
                    impossible = (ANY ^ sign) << 3 * (2 * end + (other & 1))
                    codes[other >> 1] = codes.get(other >> 1, _NOTHING_KNOWN) & ~impossible
        return codes


@cache
def _masks() -> list[int]:
    """Return masks by code where looking one up is quick."""
    masks: list[int] = masks_by_code().tolist()
    return masks


def is_sparse(graph: PointGraph) -> bool:
    """Return whether searches are quicker than the whole table, by a sample of points spread over the graph."""
    points = len(graph.successors)
    most = points // _SPARSE
    sample = range(0, points, max(1, points // _SAMPLE))
    return sum(len(reached(point, graph.successors, most)) for point in sample) < most * len(sample) / 2


def reached(start: int, edges: Edges, most: int | None = None) -> dict[int, int]:
    """Return the points that can be reached, itself included, each with 1 if a path has a strict edge.

    With ``most`` the search ends when it has more points.
    """
    best = {start: 0}
    waiting = [2 * start]  # 2x, or 2x + 1 after a strict edge
    while waiting and (most is None or len(best) <= most):
        state = waiting.pop()
        strict = state & 1
        for edge in edges[state >> 1]:
            following = edge | strict
            if best.get(following >> 1, -1) < following & 1:
                best[following >> 1] = following & 1
                waiting.append(following)
    return best


def _reversed(successors: Edges) -> list[list[int]]:
    predecessors: list[list[int]] = [[] for _ in successors]
    for point, edges in enumerate(successors):
        for edge in edges:
            predecessors[edge >> 1].append(2 * point | edge & 1)
    return predecessors
