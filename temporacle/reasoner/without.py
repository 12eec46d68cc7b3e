"""What convex links say about a pair without one of them, for many of them in turn.

Leaving a link out changes only the paths that use its edges. So all links are closed once, and for each link that is
left out, the paths between its four points are walked again without its edges. The closure of all links keeps these
walks short: they only visit points that lead to the goal, and they end when as much is found as all links say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ANY, CROSS_PAIRS, EQ, GT, LT, mask_of
from temporacle.reasoner.pointgraph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.pointgraph import Closure

    Constraint = tuple[int, int, int]  # source, mask, target

_SIGNS = (ANY, LT | EQ, LT)  # by what leads from a point to another: nothing, a path, a strict path
_BACK = (ANY, GT | EQ, GT)  # the same for paths that lead back


class ConvexLinks:
    """Convex links that are consistent, with their closure.

    >>> from temporacle.reasoner.algebra import ALL
    >>> from temporacle.reasoner.tighten import graph_of
    >>> constraints = [(0, 1, 1), (1, 1, 2), (0, 1, 2)]
    >>> links = ConvexLinks(constraints, graph_of(3, constraints).close())
    >>> links.relation_without(2), links.relation_without(0) == ALL
    (1, True)
    """

    def __init__(self, constraints: Sequence[Constraint], closure: Closure) -> None:
        self._constraints = constraints
        self._closure = closure
        # An edge to y is stored as 2y, or 2y + 1 if it is strict, beside the number of its link; -1 for start < end.
        self._edges: list[list[tuple[int, int]]] = [[] for _ in range(2 * closure.entities)]
        for start in range(0, 2 * closure.entities, 2):
            self._edges[start].append((2 * start + 3, -1))
        for number, (source, mask, target) in enumerate(constraints):
            if source != target:
                points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
                for x, y, strict in hull_edges(mask):
                    self._edges[points[x]].append((2 * points[y] + strict, number))

    def relation_without(self, number: int) -> int:
        """Return the strongest relation that all other links say about the two entities of a link."""
        source, _, target = self._constraints[number]
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        signs = []
        for near, far in CROSS_PAIRS:
            x, y = points[near], points[far]
            signs.append(_SIGNS[self._path(x, y, number)] & _BACK[self._path(y, x, number)])
        return mask_of((signs[0], signs[1], signs[2], signs[3]))

    def _path(self, start: int, goal: int, left_out: int) -> int:
        """Return whether a path without the edges of a link leads to a point: 0 no, 1 yes, 2 yes, by a strict edge."""
        components, reach = self._closure.components, self._closure.reach
        own, last = components[start], components[goal]
        if not reach[own] >> last & 1:
            return 0
        most = 2 if self._closure.strict[own] >> last & 1 else 1
        best = 0
        edges = self._edges
        met = {2 * start}  # points, as edges are stored: strictly reached ones have an odd number
        waiting = [2 * start]
        while waiting:
            here = waiting.pop()
            for edge, number in edges[here >> 1]:
                there = edge | here & 1
                if number == left_out or there in met or not reach[components[edge >> 1]] >> last & 1:
                    continue
                met.add(there)
                if edge >> 1 == goal:
                    best = max(best, 1 + (there & 1))
                    if best == most:
                        return best
                waiting.append(there)
        return best
