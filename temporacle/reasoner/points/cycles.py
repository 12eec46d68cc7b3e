"""Strict cycles of the endpoint graph: why convex links cannot all be true.

A cycle x <= ... < ... <= x is a contradiction. Count one for each edge that comes from a link, nothing for start < end
of an entity. The *globally* shortest strict cycle is a smallest conflict among convex links:

- It passes each entity once: if it visited an entity's start and later its end elsewhere, the stretch between could be
  replaced by the free strict edge start -> end. So its k edges come from k different links.
- Every inconsistent set of links contains a strict cycle, and that one can be shortened in the same way to use each
  link at most once; so the set has at least k links.

A shortest cycle through a given edge has no such guarantee: the search must be global. Where any conflicts will do, and
many are wanted, ``disjoint_cycles`` finds them at the cost of one strongly connected component each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.points.graph import contradictory, edges_between, strong_components

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from temporacle.reasoner.network import Budget


class CycleEdge(NamedTuple):
    """``x <= y`` or ``x < y`` between endpoints, and the number of the link that says so (None: start < end)."""

    from_point: int
    to_point: int
    strict: bool
    link: int | None


def shortest_strict_cycle(
    entities: int, constraints: Sequence[tuple[int, int, int]], budget: Budget | None = None
) -> list[CycleEdge] | None:
    """Return a strict cycle with the fewest links among the hulls of the links; None if there is none.

    Breadth first from every point of a contradictory component over (point, was there a strict edge), never deeper than
    the best cycle found so far; a point that has been searched from is taken out. O(V E) at worst, but cycles are
    short in practice, and the bound stops the search at their length. Where they are long, taking out points soon
    leaves no cycle at all: whenever the searches have cost as much as finding components does, those are found anew.
    """
    edges = _labelled_edges(entities, constraints)
    best: list[CycleEdge] | None = None
    length = len(constraints) + 1
    removed = bytearray(2 * entities)
    waiting = _contradictory_points(edges, removed)[::-1]
    spent = 0
    while waiting and length > 1:
        start = waiting.pop()
        cycle, steps = _shortest_through(start, edges, removed, length, budget)
        removed[start] = True
        spent += steps
        if cycle is not None:
            best = cycle
            length = sum(edge.link is not None for edge in cycle)
        if spent > 2 * entities:
            waiting = _contradictory_points(edges, removed)[::-1]
            spent = 0
    return best


def links_on_cycles(entities: int, constraints: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the links with an edge inside a contradictory component: no other can be part of a strict cycle."""
    edges = _labelled_edges(entities, constraints)
    bad = set(_contradictory_points(edges, bytearray(2 * entities)))
    return sorted(
        {edge.link for point in bad for edge in edges[point] if edge.link is not None and edge.to_point in bad}
    )


def disjoint_cycles(
    entities: int, constraints: Sequence[tuple[int, int, int]], budget: Budget | None = None
) -> list[list[CycleEdge]]:
    """Return strict cycles among the hulls that share no link, until no strict cycle is left.

    Each is shortest through one of its strict edges: short, though not always minimal as a conflict. The search goes on
    only inside the component that the last cycle was taken from, so components shrink as links are used up.
    """
    edges = _labelled_edges(entities, constraints)
    for start in range(0, 2 * entities, 2):
        edges[start].append(CycleEdge(start, start + 1, strict=True, link=None))
    used: set[int] = set()
    cycles = []
    regions: list[Sequence[int]] = [range(2 * entities)]
    while regions:
        if budget is not None:
            budget.check()
        found = _contradictory_components(regions.pop(), edges, used)
        for component, edge in found[:1]:  # the others wait: a link used here may have had an edge there, too
            cycle = [edge, *_shortest_path(edge.to_point, edge.from_point, edges, component, used)]
            cycles.append(cycle)
            used.update(step.link for step in cycle if step.link is not None)
        regions += [sorted(component) for component, _ in found]
    return cycles


class WalksThrough:
    """Closed walks with a strict edge that use an edge of one link.

    Every conflict that the link is in has such a walk; and if the other links of a walk are consistent, there is one.
    """

    def __init__(self, entities: int, constraints: Sequence[tuple[int, int, int]], link: int) -> None:
        self._link = link
        self._edges = _labelled_edges(entities, constraints)
        self._own = [edge for outgoing in self._edges for edge in outgoing if edge.link == link]
        for start in range(0, 2 * entities, 2):
            self._edges[start].append(CycleEdge(start, start + 1, strict=True, link=None))

    def within(self, allowed: AbstractSet[int], budget: Budget) -> tuple[list[int] | None, set[int]]:
        """Return the other links of a short walk, if some links are used alone.

        If there is none: None, and the links one of which every walk has, because they lead on from what was reached.
        """
        usable = {None, self._link, *allowed}
        leading: set[int] = set()
        for own in self._own:
            budget.check()
            goal = 2 * own.from_point + 1
            came_by: dict[int, tuple[int, CycleEdge] | None] = {2 * own.to_point + own.strict: None}
            frontier = list(came_by)
            while frontier and goal not in came_by:
                following: list[int] = []
                for state in frontier:
                    for edge in self._edges[state >> 1]:
                        reached = 2 * edge.to_point + (state & 1 | edge.strict)
                        if edge.link in usable and reached not in came_by:
                            came_by[reached] = (state, edge)
                            # free edges first, as in a shortest path
                            (frontier if edge.link is None else following).append(reached)
                frontier = following
            if goal in came_by:
                used = {edge.link for edge in _trace(came_by, goal)}
                return sorted(number for number in used if number is not None and number != self._link), set()
            leading.update(
                edge.link
                for state in came_by
                for edge in self._edges[state >> 1]
                if edge.link is not None
                and edge.link not in usable
                and 2 * edge.to_point + (state & 1 | edge.strict) not in came_by
            )
        return None, leading


def _contradictory_components(
    points: Sequence[int], edges: Sequence[Sequence[CycleEdge]], used: set[int]
) -> list[tuple[set[int], CycleEdge]]:
    """Return components with a strict edge, and its first such edge, among some points without the used links."""
    number = {point: position for position, point in enumerate(points)}
    inside = [
        [edge for edge in edges[point] if edge.to_point in number and (edge.link is None or edge.link not in used)]
        for point in points
    ]
    components = strong_components([[2 * number[edge.to_point] for edge in outgoing] for outgoing in inside])
    found: dict[int, CycleEdge] = {}
    for own, outgoing in zip(components, inside, strict=True):
        if own not in found:
            for edge in outgoing:
                if edge.strict and components[number[edge.to_point]] == own:
                    found[own] = edge
                    break
    members: dict[int, set[int]] = {own: set() for own in found}
    for point, own in zip(points, components, strict=True):
        if own in members:
            members[own].add(point)
    return [(members[own], edge) for own, edge in found.items()]


def _shortest_path(
    start: int, goal: int, edges: Sequence[Sequence[CycleEdge]], points: set[int], used: set[int]
) -> list[CycleEdge]:
    """Return a path with the fewest links from one point to another of the same component."""
    if start == goal:
        return []
    came_by: dict[int, tuple[int, CycleEdge] | None] = {start: None}
    frontier = [start]
    while goal not in came_by:
        following: list[int] = []
        for point in frontier:
            for edge in edges[point]:
                reached = edge.to_point
                if reached in came_by or reached not in points or edge.link in used:
                    continue
                came_by[reached] = (point, edge)
                # A free edge costs nothing: what it reaches belongs to this frontier, which grows while it is read.
                (frontier if edge.link is None else following).append(reached)
        frontier = following
    return _trace(came_by, goal)


def _labelled_edges(entities: int, constraints: Sequence[tuple[int, int, int]]) -> list[list[CycleEdge]]:
    outgoing: list[list[CycleEdge]] = [[] for _ in range(2 * entities)]
    for number, (source, mask, target) in enumerate(constraints):
        for x, y, strict in edges_between(source, mask, target):
            outgoing[x].append(CycleEdge(x, y, strict, number))
    return outgoing


def _contradictory_points(edges: Sequence[Sequence[CycleEdge]], removed: bytearray) -> list[int]:
    """Return the points in components with a strict edge, without the removed ones. All other edges are irrelevant."""
    successors = [
        [] if removed[point] else [2 * edge.to_point + edge.strict for edge in outgoing if not removed[edge.to_point]]
        for point, outgoing in enumerate(edges)
    ]
    for start in range(0, len(edges), 2):
        if not removed[start] and not removed[start + 1]:
            successors[start].append(2 * start + 3)
    components = strong_components(successors)
    bad = contradictory(successors, components)
    return [point for point in range(len(edges)) if components[point] in bad]


def _shortest_through(
    start: int, edges: Sequence[Sequence[CycleEdge]], removed: bytearray, shorter_than: int, budget: Budget | None
) -> tuple[list[CycleEdge] | None, int]:
    """Return a shortest strict cycle through a point that has fewer links than given, and the number of states seen.

    States are 2 * point + strict so far.
    """
    goal = 2 * start + 1
    came_by: dict[int, tuple[int, CycleEdge] | None] = {2 * start: None}
    frontier = [2 * start]
    for links in range(shorter_than):
        if budget is not None:
            budget.check()
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
            return _trace(came_by, goal), len(came_by)
        if not following:
            break
        frontier = following
    return None, len(came_by)


def _trace(came_by: dict[int, tuple[int, CycleEdge] | None], goal: int) -> list[CycleEdge]:
    cycle: list[CycleEdge] = []
    step = came_by[goal]
    while step is not None:
        state, edge = step
        cycle.append(edge)
        step = came_by[state]
    return cycle[::-1]
