"""Edges of the endpoint graph without which something would not follow.

Every link of a consistent graph stands for a few edges (``hull_edges``). An edge x -> y is *needed* if no other path
leads from x to y, by a strict edge if the edge is strict. A convex link follows from all other links iff none of its
edges is needed: it is enough to leave out one edge at a time. Suppose another path from x to y uses an edge u -> v of
the same link, and is the first to do so. If u belongs to the other entity than x, then the path to u leads on to y by
start < end, or the graph has a strict cycle. If u belongs to the same entity as x, then x -> y would follow from u -> v
and start < end, and ``hull_edges`` has no such edges.

    inside a component      points are equal: look for another path inside it
    between components      count, for each component that is reached, whether one edge or more lead there.
                            Nothing leads back, so the closure of all edges is right about the rest of the path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.pointgraph import Closure, close_points, hull_edges, strong_components

if TYPE_CHECKING:
    from collections.abc import Sequence

    Constraint = tuple[int, int, int]  # source, mask, target


class PointEdge(NamedTuple):
    """``from_point <= to_point`` or ``<``."""

    from_point: int
    to_point: int
    strict: bool


class Needs(NamedTuple):
    """The closure of the hulls of some links, and the links with a needed edge."""

    closure: Closure
    links: list[bool]


def find_needed(entities: int, constraints: Sequence[Constraint]) -> Needs:
    """Return which links have a needed edge, for links whose hulls are consistent.

    >>> find_needed(3, [(0, 1, 1), (1, 1, 2), (0, 1, 2)]).links
    [True, True, False]
    """
    successors: list[list[int]] = [[] for _ in range(2 * entities)]
    for start in range(0, 2 * entities, 2):
        successors[start].append(2 * start + 3)
    edges: list[list[PointEdge]] = []  # of each link
    for source, mask, target in constraints:
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        own = []
        if source != target:
            own = [PointEdge(points[x], points[y], strict) for x, y, strict in hull_edges(mask)]
            for x, y, strict in own:
                successors[x].append(2 * y + strict)
        edges.append(own)
    components = strong_components(successors)
    reach, surely = close_points(successors, components)
    closure = Closure(entities, components, reach, surely, set())
    twice, twice_strictly = _reached_twice(successors, closure)

    def is_needed(edge: PointEdge) -> bool:
        own, other = components[edge.from_point], components[edge.to_point]
        if own == other:
            return not _leads_around(edge, successors, components)
        return not (twice_strictly if edge.strict else twice)[own] >> other & 1

    return Needs(closure, [any(map(is_needed, own)) for own in edges])


def _reached_twice(successors: Sequence[Sequence[int]], closure: Closure) -> tuple[list[int], list[int]]:
    """Return, for each component, those that it reaches by more than one of its outgoing edges; and strictly so."""
    components, reach, surely = closure.components, closure.reach, closure.strict
    size = len(reach)
    once, twice = [0] * size, [0] * size
    once_strictly, twice_strictly = [0] * size, [0] * size
    for point, targets in enumerate(successors):
        own = components[point]
        for target in targets:
            other = components[target >> 1]
            if other != own:
                weakly = reach[other]
                strictly = weakly if target & 1 else surely[other]
                twice[own] |= once[own] & weakly
                once[own] |= weakly
                twice_strictly[own] |= once_strictly[own] & strictly
                once_strictly[own] |= strictly
    return twice, twice_strictly


def _leads_around(edge: PointEdge, successors: Sequence[Sequence[int]], components: Sequence[int]) -> bool:
    """Return whether two equal points are connected by another path than this edge."""
    start, goal = edge.from_point, edge.to_point
    own = components[start]
    direct = 2 * goal + edge.strict
    if successors[start].count(direct) > 1:
        return True
    met = {start}
    waiting = [target >> 1 for target in successors[start] if target != direct]
    while waiting:
        point = waiting.pop()
        if point == goal:
            return True
        if point not in met and components[point] == own:
            met.add(point)
            waiting += [target >> 1 for target in successors[point]]
    return False
