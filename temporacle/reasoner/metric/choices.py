"""Whether facts fit together, disjunctions included: lazy cycles.

    hull        a negative cycle among the edges of hulls is a contradiction
    !=          a convex set is not covered by finitely many hyperplanes unless one of them covers it. So any number of
                ``x != y`` can be met iff no x = y follows: iff x and y are in one rigid part, at the same time
    choices     pick a convex piece for each disjunction; look for a contradiction of this pick; learn the clause "not
                all of the pieces on it"; repeat. It ends, since each clause excludes the pick. If no pick is left, the
                facts contradict each other, and those of all clauses are a conflict

A clause excludes more than the pick: all pieces of a link that contain the edges used are excluded together.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.metric.weights import (
    NegativeCycle,
    WeightedEdge,
    potentials,
    rigid_parts,
)
from temporacle.reasoner.pointgraph import LocalEdge, hull_edges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.network import Budget

    Clause = dict[int, frozenset[int]]  # link -> pieces, not all of which links may be picked from

_PATIENCE = 20_000  # steps of a search for the next pick before CP-SAT takes over


class Model(NamedTuple):
    """Times that fit the hulls and pieces, and the pieces picked. ``!=`` can be met nearby."""

    times: list[int]
    picked: dict[int, int]  # link -> mask


class Core(NamedTuple):
    """Facts of the document that cannot all be true; some may not be needed."""

    facts: list[int]


def judge(
    problem: Problem,
    facts: Sequence[int],
    budget: Budget,
    extra: Sequence[WeightedEdge] = (),
    start: Sequence[int] | None = None,
) -> Model | Core:
    """Return a model of some facts and all assumptions, or facts among them that contradict each other.

    ``extra``: further edges that hold, of no fact. ``start``: times that are nearly a model.
    """
    budget.check()
    base = problem.graph(facts, extra)
    found = potentials(base, budget, start)
    if isinstance(found, NegativeCycle):
        return Core(problem.without_assumed(found.facts))
    different = problem.differences(facts)
    links = problem.choices(facts)
    if not links:
        blamed = _equal_though_different(base, found.times, different) if different else None
        return Model(found.times, {}) if blamed is None else Core(problem.without_assumed(_facts(blamed)))
    return _Picks(problem, facts, base, found.times, budget).search()


def is_settled_model(
    problem: Problem, facts: Sequence[int], extra: Sequence[WeightedEdge], budget: Budget, start: Sequence[int]
) -> bool:
    """Return whether some facts are consistent with further edges that settle all disjunctions."""
    graph = problem.graph(facts, extra)
    found = potentials(graph, budget, start)
    if isinstance(found, NegativeCycle):
        return False
    return _equal_though_different(graph, found.times, problem.differences(facts)) is None


class _Picks:
    """The search over pieces of disjunctions."""

    def __init__(
        self, problem: Problem, facts: Sequence[int], base: list[list[WeightedEdge]], times: list[int], budget: Budget
    ) -> None:
        self._problem = problem
        self._base = base
        self._start = times
        self._different = problem.differences(facts)
        links = problem.choices(facts)
        self._budget = budget
        self._pieces = {link: convex_pieces((problem.relation(link) or (0, 0, 0))[1]) for link in links}
        self._clauses: list[Clause] = []
        self._blamed: set[int] = set()

    def search(self) -> Model | Core:
        while True:
            self._budget.check()
            pick = next_pick({link: len(pieces) for link, pieces in self._pieces.items()}, self._clauses, self._budget)
            if pick is None:
                return Core(self._problem.without_assumed(self._blamed))
            masks = {link: self._pieces[link][place] for link, place in pick.items()}
            graph = list(self._base)
            copied: set[int] = set()
            for link, mask in masks.items():
                for edge in self._problem.link_edges(link, mask):
                    if edge.left not in copied:
                        copied.add(edge.left)
                        graph[edge.left] = list(graph[edge.left])
                    graph[edge.left].append(edge)
            found = potentials(graph, self._budget, self._start)
            if isinstance(found, NegativeCycle):
                self._learn(found.edges)
                continue
            self._start = found.times
            blamed = _equal_though_different(graph, found.times, self._different) if self._different else None
            if blamed is None:
                return Model(found.times, masks)
            self._learn(blamed)

    def _learn(self, edges: Iterable[WeightedEdge]) -> None:
        """What the pieces on these edges have in common is excluded."""
        used: dict[int, list[WeightedEdge]] = {}
        for edge in edges:
            if edge.fact is not None:
                self._blamed.add(edge.fact)
                if edge.fact in self._pieces:
                    used.setdefault(edge.fact, []).append(edge)
        clause: Clause = {}
        for link, steps in used.items():
            source, _, target = self._problem.relation(link) or (0, 0, 0)
            local = {2 * source: 0, 2 * source + 1: 1, 2 * target: 2, 2 * target + 1: 3}
            needed = [LocalEdge(local[step.right], local[step.left], step.weight < 0) for step in steps]
            pieces = self._pieces[link]
            containing = frozenset(k for k, piece in enumerate(pieces) if all(implies(piece, edge) for edge in needed))
            if len(containing) < len(pieces):
                clause[link] = containing
        self._clauses.append(clause)


@cache
def implies(mask: int, edge: LocalEdge) -> bool:
    """Return whether a relation says that one endpoint is not after, or is before, another."""
    best = {edge.from_point: 0}
    edges = (*hull_edges(mask), LocalEdge(0, 1, strict=True), LocalEdge(2, 3, strict=True))
    for _ in range(4):
        for from_point, to_point, strict in edges:
            if from_point in best:
                best[to_point] = max(best.get(to_point, 0), best[from_point] | strict)
    return best.get(edge.to_point, -1) >= edge.strict


def _equal_though_different(
    graph: Sequence[Sequence[WeightedEdge]], times: Sequence[int], different: Sequence[tuple[int, int, int]]
) -> list[WeightedEdge] | None:
    """Return the edges that make two points equal that a link calls different, and an edge for that link."""
    suspects = [each for each in different if times[each[0]] == times[each[1]]]
    if not suspects:
        return None
    parts = rigid_parts(graph, times)
    for x, y, link in suspects:
        if parts[x] == parts[y]:
            return [*_tight_path(graph, times, x, y), *_tight_path(graph, times, y, x), WeightedEdge(x, y, 0, link)]
    return None


def _tight_path(
    graph: Sequence[Sequence[WeightedEdge]], times: Sequence[int], source: int, target: int
) -> list[WeightedEdge]:
    """Return a path of edges that hold with equality."""
    came_by: dict[int, WeightedEdge | None] = {source: None}
    waiting = [source]
    for point in waiting:  # grows while it is read
        if point == target:
            break
        for edge in graph[point]:
            if edge.right not in came_by and times[point] + edge.weight == times[edge.right]:
                came_by[edge.right] = edge
                waiting.append(edge.right)
    path = []
    step = came_by[target]
    while step is not None:
        path.append(step)
        step = came_by[step.left]
    return path[::-1]


def _facts(edges: Iterable[WeightedEdge]) -> set[int]:
    return {edge.fact for edge in edges if edge.fact is not None}


def next_pick(sizes: Mapping[int, int], clauses: Sequence[Clause], budget: Budget) -> dict[int, int] | None:
    """Return a piece for each link that violates no clause; None if there is none.

    >>> from temporacle.reasoner.network import Budget
    >>> next_pick({7: 2, 8: 2}, [{7: frozenset([0])}, {7: frozenset([1]), 8: frozenset([0])}], Budget())
    {7: 1, 8: 1}
    """
    if any(not clause for clause in clauses):
        return None
    weight: dict[int, int] = dict.fromkeys(sizes, 0)
    for clause in clauses:
        for link in clause:
            weight[link] += 1
    order = sorted(sizes, key=lambda link: -weight[link])
    place = {link: number for number, link in enumerate(order)}
    # A clause is judged when its last link gets a piece.
    due: list[list[Clause]] = [[] for _ in order]
    for clause in clauses:
        due[max(place[link] for link in clause)].append(clause)
    picked = [-1] * len(order)
    depth = 0
    for _ in range(_PATIENCE):
        if depth == len(order):
            return dict(sorted(zip(order, picked, strict=True)))
        picked[depth] += 1
        if picked[depth] == sizes[order[depth]]:
            picked[depth] = -1
            depth -= 1
            if depth < 0:
                return None
        elif not any(all(picked[place[link]] in pieces for link, pieces in clause.items()) for clause in due[depth]):
            depth += 1
    from temporacle.reasoner.metric.picking import pick_pieces

    return pick_pieces(sizes, clauses, budget)
