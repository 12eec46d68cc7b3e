"""Strict cycles of the endpoint graph: why convex links cannot all be true.

A cycle x <= ... < ... <= x is a contradiction. Count one for each edge that comes from a link, nothing for start < end
of an entity. The *globally* shortest strict cycle is a smallest conflict among convex links:

- It passes each entity once: if it visited an entity's start and later its end elsewhere, the stretch between could be
  replaced by the free strict edge start -> end. So its k edges come from k different links.
- Every inconsistent set of links contains a strict cycle, and that one can be shortened in the same way to use each
  link at most once; so the set has at least k links.

A shortest cycle through a given edge has no such guarantee: the search must be global.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.pointgraph import hull_edges, strong_components

if TYPE_CHECKING:
    from collections.abc import Sequence


class CycleEdge(NamedTuple):
    """``x <= y`` or ``x < y`` between endpoints, and the number of the link that says so (None: start < end)."""

    from_point: int
    to_point: int
    strict: bool
    link: int | None


def shortest_strict_cycle(entities: int, constraints: Sequence[tuple[int, int, int]]) -> list[CycleEdge] | None:
    """A strict cycle with the fewest links among the hulls of the links; None if there is none.

    Breadth first from every point of a contradictory component over (point, was there a strict edge), never deeper than
    the best cycle found so far; a point that has been searched from is taken out. O(V E) at worst, but cycles are
    short in practice, and the bound stops the search at their length.
    """
    edges = _labelled_edges(entities, constraints)
    best: list[CycleEdge] | None = None
    length = len(constraints) + 1
    removed = bytearray(2 * entities)
    for start in _contradictory_points(edges):
        cycle = _shortest_through(start, edges, removed, length)
        removed[start] = True
        if cycle is not None:
            best = cycle
            length = sum(edge.link is not None for edge in cycle)
            if length == 1:
                break
    return best


def _labelled_edges(entities: int, constraints: Sequence[tuple[int, int, int]]) -> list[list[CycleEdge]]:
    outgoing: list[list[CycleEdge]] = [[] for _ in range(2 * entities)]
    for number, (source, mask, target) in enumerate(constraints):
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        for x, y, strict in hull_edges(mask):
            outgoing[points[x]].append(CycleEdge(points[x], points[y], strict, number))
    return outgoing


def _contradictory_points(edges: Sequence[Sequence[CycleEdge]]) -> list[int]:
    """Points in components that hold a strict edge; all other edges lead nowhere."""
    successors = [[2 * edge.to_point + edge.strict for edge in outgoing] for outgoing in edges]
    for start in range(0, len(edges), 2):
        successors[start].append(2 * start + 3)
    components = strong_components(successors)
    bad = {
        components[point]
        for point, targets in enumerate(successors)
        for target in targets
        if target & 1 and components[target >> 1] == components[point]
    }
    return [point for point in range(len(edges)) if components[point] in bad]


def _shortest_through(
    start: int, edges: Sequence[Sequence[CycleEdge]], removed: bytearray, shorter_than: int
) -> list[CycleEdge] | None:
    """A shortest strict cycle through a point that has fewer links than given. States are 2 * point + strict so far."""
    goal = 2 * start + 1
    came_by: dict[int, tuple[int, CycleEdge] | None] = {2 * start: None}
    frontier = [2 * start]
    for links in range(shorter_than):
        for state in frontier:  # free edges first: they cost no link (the list grows while it is read)
            point = state >> 1
            free = 2 * point + 3
            if not point & 1 and not removed[point + 1] and free not in came_by:
                came_by[free] = (state, CycleEdge(point, point + 1, strict=True, link=None))
                frontier.append(free)
        following: list[int] = []
        if goal not in came_by and links + 1 < shorter_than:
            for state in frontier:
                for edge in edges[state >> 1]:
                    reached = 2 * edge.to_point + (state & 1 | edge.strict)
                    if reached not in came_by and not removed[edge.to_point]:
                        came_by[reached] = (state, edge)
                        following.append(reached)
        if goal in came_by:
            return _trace(came_by, goal)
        frontier = following
    return None


def _trace(came_by: dict[int, tuple[int, CycleEdge] | None], goal: int) -> list[CycleEdge]:
    cycle: list[CycleEdge] = []
    step = came_by[goal]
    while step is not None:
        state, edge = step
        cycle.append(edge)
        step = came_by[state]
    return cycle[::-1]
