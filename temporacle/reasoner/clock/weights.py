"""Difference constraints as a weighted graph.

Theorem 1. Constraints ``right - left <= weight`` have a solution iff no cycle of their edges has a negative sum.
*Proof.* A cycle adds up to 0 <= sum. Without a negative one, shortest distances d from a new point with edges of weight
0 to all others are defined, and d(right) <= d(left) + weight: they are a solution.

    potentials      such a solution, or a negative cycle: relaxing with a queue; near linear on documents, O(V E) at
                    worst. Every V relaxations the graph of predecessors is searched for a cycle, which is negative
    Distances       shortest distances from single points: Dijkstra's algorithm, with weights made non-negative by a
                    solution

Where the solution is known, an edge is *tight* if it holds with equality. Two points differ by the same amount in all
solutions iff tight edges lead from each to the other (``rigid_parts``): the sum of such a cycle is 0.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.points.graph import strong_components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from temporacle.reasoner.network import Budget


class WeightedEdge(NamedTuple):
    """``right - left <= weight`` between points, and the number of the fact that says so (None: always true)."""

    left: int
    right: int
    weight: int
    fact: int | None


class Solution(NamedTuple):
    """Times of all points that satisfy every edge."""

    times: list[int]


class NegativeCycle(NamedTuple):
    """Edges, head to tail, that cannot all hold."""

    edges: list[WeightedEdge]

    @property
    def facts(self) -> list[int]:
        """The facts on the cycle, each once, in its order."""
        return list(dict.fromkeys(edge.fact for edge in self.edges if edge.fact is not None))


def outgoing(points: int, edges: Iterable[WeightedEdge]) -> list[list[WeightedEdge]]:
    """Return the edges by the point where they begin."""
    found: list[list[WeightedEdge]] = [[] for _ in range(points)]
    for edge in edges:
        found[edge[0]].append(edge)
    return found


def potentials(
    edges: Sequence[Sequence[WeightedEdge]],
    budget: Budget,
    start: Sequence[int] | None = None,
    moved: Collection[int] | None = None,
) -> Solution | NegativeCycle:
    """Return a solution or a negative cycle.

    ``start``: times that are nearly a solution. ``moved``: the points from which an edge may not hold at these times.
    """
    size = len(edges)
    times = [0] * size if start is None else list(start)
    came_by: list[WeightedEdge | None] = [None] * size
    waiting = deque(_in_order(edges) if moved is None else moved)
    is_waiting = bytearray(size)
    for point in waiting:
        is_waiting[point] = 1
    until_search = size
    while waiting:
        point = waiting.popleft()
        is_waiting[point] = 0
        time = times[point]
        for edge in edges[point]:
            _, other, weight, _ = edge
            if time + weight < times[other]:
                if other == point:
                    return NegativeCycle([edge])
                times[other] = time + weight
                came_by[other] = edge
                until_search -= 1
                if not is_waiting[other]:
                    is_waiting[other] = 1
                    waiting.append(other)
        if until_search <= 0:
            budget.check()
            cycle = _cycle_of_predecessors(came_by)
            if cycle is not None:
                return NegativeCycle(cycle)
            until_search = size
    return Solution(times)


_FEW = 200  # points; for fewer the order does not matter


def _in_order(edges: Sequence[Sequence[WeightedEdge]]) -> Iterable[int]:
    """Return the points in an order in which most edges lead to later points, so that few are visited twice."""
    if len(edges) <= _FEW:
        return range(len(edges))
    without_bounds = [[2 * edge.right for edge in each if edge.weight <= 0] for each in edges]
    components = strong_components(without_bounds)
    return sorted(range(len(edges)), key=lambda point: -components[point])


def _cycle_of_predecessors(came_by: Sequence[WeightedEdge | None]) -> list[WeightedEdge] | None:
    """Return a cycle among the edges from which points got their times."""
    seen = [0] * len(came_by)
    for number, first in enumerate(came_by, 1):
        point, edge = number - 1, first
        while edge is not None and not seen[point]:
            seen[point] = number
            point = edge.left
            edge = came_by[point]
        if edge is not None and seen[point] == number:
            cycle = [edge]
            while edge.left != point:
                edge = came_by[edge.left]
                assert edge is not None  # noqa: S101 - a cycle has no end
                cycle.append(edge)
            return cycle[::-1]
    return None


class Distances:
    """Shortest distances in a graph of which a solution is known."""

    def __init__(self, edges: Sequence[Sequence[WeightedEdge]], times: Sequence[int], budget: Budget) -> None:
        self._edges = edges
        self._times = times
        self._budget = budget
        self._rows: dict[int, dict[int, int]] = {}
        self._came_by: dict[int, dict[int, WeightedEdge]] = {}

    def row(self, source: int) -> dict[int, int]:
        """Return the distance to every point that can be reached."""
        found = self._rows.get(source)
        if found is None:
            self._budget.check()
            found = self._rows[source] = self._search(source)
        return found

    def path(self, source: int, target: int) -> list[WeightedEdge]:
        """Return the edges of a shortest path. The target must be reachable."""
        self.row(source)
        path = []
        while target != source:
            edge = self._came_by[source][target]
            path.append(edge)
            target = edge.left
        return path[::-1]

    def _search(self, source: int) -> dict[int, int]:
        times, edges = self._times, self._edges
        done: dict[int, int] = {}
        came_by: dict[int, WeightedEdge] = {}
        best = {source: 0}
        queue = [(0, source)]
        while queue:
            so_far, point = heappop(queue)
            if point in done:
                continue
            done[point] = so_far
            base = so_far + times[point]
            for edge in edges[point]:
                _, other, weight, _ = edge
                length = base + weight - times[other]
                if other not in done and length < best.get(other, length + 1):
                    best[other] = length
                    came_by[other] = edge
                    heappush(queue, (length, other))
        self._came_by[source] = came_by
        shift = times[source]
        return {point: length - shift + times[point] for point, length in done.items()}


def reversed_edges(edges: Sequence[Sequence[WeightedEdge]]) -> list[list[WeightedEdge]]:
    """Return the reversed graph: distances from a point become distances to it."""
    return outgoing(len(edges), (WeightedEdge(e.right, e.left, e.weight, e.fact) for each in edges for e in each))


def rigid_parts(edges: Sequence[Sequence[WeightedEdge]], times: Sequence[int]) -> list[int]:
    """Return the number of its part for each point. Points of one part keep their differences in all solutions."""
    tight = [[2 * edge.right for edge in each if times[edge.left] + edge.weight == times[edge.right]] for each in edges]
    return strong_components(tight)
