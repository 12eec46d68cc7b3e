"""A negative cycle with the fewest edges of facts.

A contradiction of convex facts is a negative cycle. One of links alone is a strict cycle of the endpoint graph; any
other passes an origin or an entity with a length. From each of these points walk in rounds: after k rounds the least
weight is known of a walk to every point with at most k edges of facts (start < end, and the zone, are free). The first
walk that comes back with a negative weight has the fewest edges. All walks advance together, O(E) each round.

A fact may lie on the cycle twice, so the fewest edges need not be the fewest facts; they nearly always are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.cycles import shortest_strict_cycle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.metric.weights import WeightedEdge
    from temporacle.reasoner.network import Budget

_MOST_STEPS = 2_000_000  # along edges, before the search is given up


def shortest_cycle(problem: Problem, budget: Budget) -> list[int] | None:
    """The facts on a cycle with the fewest edges of facts, each once; None if the search is too long.

    For contradictory problems without assumptions, disjunctions and ``!=``.
    """
    links = problem.network
    strict = shortest_strict_cycle(len(links.entities), links.constraints, budget)
    best = None if strict is None else list(dict.fromkeys(edge.link for edge in strict if edge.link is not None))
    edges = problem.graph(problem.every)
    walks = [_Walk(edges, source) for source in _sources(problem)]
    rounds = 0
    steps = 0
    while walks and steps < _MOST_STEPS and (best is None or rounds < len(best)):
        budget.check()
        for walk in walks:
            steps += walk.advance()
            if walk.is_negative:
                return walk.facts()
        walks = [walk for walk in walks if walk.is_going_on]
        rounds += 1
    return best


def _sources(problem: Problem) -> Iterator[int]:
    """The origins, and the start of each entity that a value gives a length."""
    yield from (problem.local, problem.utc)
    lengths = {
        edge.left & ~1
        for number in range(len(problem.document_links), problem.droppable)
        for edge in problem.edges_of[number]
        if edge.left < problem.local and edge.right < problem.local
    }
    yield from sorted(lengths)


class _Walk:
    """Least weights from a point, one more edge of a fact each round; the first round has none."""

    def __init__(self, edges: Sequence[Sequence[WeightedEdge]], source: int) -> None:
        self._edges = edges
        self._source = source
        self._weights = {source: 0}
        self._improved = [source]  # in the last round
        self._came_by: list[dict[int, tuple[WeightedEdge, int]]] = []  # by round: the edge, and the round it began in

    @property
    def is_negative(self) -> bool:
        return self._weights[self._source] < 0

    @property
    def is_going_on(self) -> bool:
        return bool(self._improved)

    def advance(self) -> int:
        """The number of edges looked at."""
        weights, edges, now = self._weights, self._edges, len(self._came_by)
        came_by: dict[int, tuple[WeightedEdge, int]] = {}
        self._came_by.append(came_by)
        reached = self._improved if not now else []
        steps = 0
        for point, base in [(point, weights[point]) for point in self._improved] if now else ():
            steps += len(edges[point])
            for edge in edges[point]:
                _, other, weight, fact = edge
                if fact is not None and (other not in weights or base + weight < weights[other]):
                    weights[other] = base + weight
                    came_by[other] = (edge, now - 1)
                    reached.append(other)
        for point in reached:  # grows while it is read: free steps, from an end to its start or between the clocks
            base = weights[point]
            for edge in edges[point]:
                _, other, weight, fact = edge
                if fact is None and (other not in weights or base + weight < weights[other]):
                    weights[other] = base + weight
                    came_by[other] = (edge, now)
                    reached.append(other)
        self._improved = list(dict.fromkeys(reached))
        return steps

    def facts(self) -> list[int]:
        """The facts on the walk back to its beginning."""
        found: dict[int, None] = {}
        point, now = self._source, len(self._came_by) - 1
        while True:
            edge, now = self._came_by[now][point]
            if edge.fact is not None:
                found[edge.fact] = None
            point = edge.left
            if point == self._source:
                return list(found)[::-1]
