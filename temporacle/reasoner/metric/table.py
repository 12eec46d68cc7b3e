"""What follows for pairs of entities, once facts are known to fit together.

Theorem 2. Let D be the matrix of shortest distances. An atom is possible between x and y iff the four endpoints with
D's twelve distances and the atom's edges have no negative cycle. *Proof.* A shortest path between two of the four
points in the graph with the atom's edges splits at these points into paths of the old graph, none shorter than D says.

Looking at the signs of endpoint pairs one by one is not enough with lengths: of one day and three days the starts can
be equal and the ends can be equal, but not both.

``!=`` is tested again with the atom put in. Disjunctions: the hull gives an upper bound; each pick of pieces that fits
is a problem without disjunctions, whose table is a lower bound for all pairs at once; what is between is asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, ATOM_SIGNS, CROSS_PAIRS, EQ, LT, converse
from temporacle.reasoner.metric.choices import Core, Model, is_settled_model, judge
from temporacle.reasoner.metric.weights import Distances, WeightedEdge
from temporacle.reasoner.network import require_memory
from temporacle.relation import ATOMS, EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.network import Budget

_FAR = 1 << 400  # more than any sum of weights


@cache
def atom_edges(position: int) -> tuple[tuple[int, int, int], ...]:
    """Return an atom as edges (left, right, -1 if strict) among its four endpoints."""
    edges = []
    for (x, y), sign in zip(CROSS_PAIRS, ATOM_SIGNS[position], strict=True):
        if sign == EQ:
            edges += [(x, y, 0), (y, x, 0)]
        else:
            edges.append((y, x, -1) if sign == LT else (x, y, -1))
    return tuple(edges)


def possible_atoms(distances: Sequence[Sequence[int]], among: int = ALL) -> int:
    """Return the atoms that fit the distances of four endpoints: source start, end, target start, end."""
    found = 0
    for position in range(len(ATOMS)):
        if among >> position & 1 and _fits(distances, atom_edges(position)):
            found |= 1 << position
    return found


def _fits(distances: Sequence[Sequence[int]], edges: Sequence[tuple[int, int, int]]) -> bool:
    """Return whether edges close no negative cycle with distances. They are added one after the other."""
    known = [list(row) for row in distances]
    for left, right, weight in edges:
        if known[right][left] + weight < 0:
            return False
        if weight < known[left][right]:
            for row in known:
                step = row[left] + weight
                for k in range(4):
                    row[k] = min(row[k], step + known[right][k])
    return True


class Convex:
    """Facts of which the disjunctions are settled: answers about pairs from shortest distances."""

    def __init__(self, problem: Problem, facts: Sequence[int], model: Model, budget: Budget) -> None:
        self._problem = problem
        self._facts = facts
        self._picked = tuple(edge for link, mask in model.picked.items() for edge in problem.link_edges(link, mask))
        self._budget = budget
        self._graph = problem.graph(facts, self._picked)
        self._distances = Distances(self._graph, model.times, budget)
        self._differences = bool(problem.differences(facts))
        self._times = model.times

    def relation(self, source: int, target: int, among: int = ALL) -> int:
        """Return the atoms that can hold between two entities."""
        if source == target:
            return int(EQUAL) & among
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        rows = [self._distances.row(point) for point in points]
        found = possible_atoms([[row.get(point, _FAR) for point in points] for row in rows], among)
        return self._without_differences(source, target, found) if self._differences else found

    def _without_differences(self, source: int, target: int, among: int) -> int:
        """Return the atoms that leave room for ``!=``."""
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        for position in range(len(ATOMS)):
            if among >> position & 1 and EQ in ATOM_SIGNS[position]:
                edges = [WeightedEdge(points[x], points[y], w, None) for x, y, w in atom_edges(position)]
                verdict = is_settled_model(
                    self._problem, self._facts, (*self._picked, *edges), self._budget, self._times
                )
                if not verdict:
                    among &= ~(1 << position)
        return among

    def rows(self) -> list[list[int]]:
        """Return the same for every pair."""
        size = len(self._problem.network.entities)
        require_memory(8 * size * size, f"a table of all pairs of {size} entities")
        if size >= _NUMPY_PAYS_FROM and not self._differences:
            from temporacle.reasoner.metric.arrays import table_by_arrays

            found = table_by_arrays(self._graph, size, self._budget)
            if found is not None:
                return found
        return self.rows_by_pairs()

    def rows_by_pairs(self) -> list[list[int]]:
        """Return one look-up per pair: the naive twin of ``table_by_arrays``."""
        size = len(self._problem.network.entities)
        rows = [[int(EQUAL)] * size for _ in range(size)]
        for source in range(size):
            self._budget.check()
            for target in range(source + 1, size):
                rows[source][target] = self.relation(source, target)
                rows[target][source] = converse(rows[source][target])
        return rows


_NUMPY_PAYS_FROM = 24  # entities


class PairTable:
    """Answers about pairs for facts that fit together."""

    def __init__(self, problem: Problem, facts: Sequence[int], model: Model, budget: Budget) -> None:
        self._problem = problem
        self._facts = facts
        self._budget = budget
        self._model = model
        self._cases = [Convex(problem, facts, model, budget)]
        self._hull = Convex(problem, facts, model._replace(picked={}), budget) if model.picked else None

    def possible(self, source: int, target: int, within: int) -> int:
        """Return atoms of ``within`` that can hold, not necessarily all of them; 0 only if none can."""
        for case in self._cases:
            if found := case.relation(source, target, within):
                return found
        if self._hull is None:
            return 0
        for position in self._open(source, target, within):
            if self._ask(source, target, position):
                return 1 << position
        return 0

    def relation(self, source: int, target: int) -> int:
        """Return all atoms that can hold."""
        found = 0
        for case in self._cases:
            found |= case.relation(source, target)
        if self._hull is None:
            return found
        for position in self._open(source, target, ALL & ~found):
            if not found >> position & 1 and self._ask(source, target, position):
                found |= self._cases[-1].relation(source, target)
        return found

    def table(self) -> list[list[int]]:
        """Return the same for every pair."""
        if self._hull is None:
            return self._cases[0].rows()
        size = len(self._problem.network.entities)
        upper = self._hull.rows()
        known = [case.rows() for case in self._cases]
        rows = [[0] * size for _ in range(size)]
        for source in range(size):
            self._budget.check()
            rows[source][source] = int(EQUAL)
            for target in range(source + 1, size):
                found = 0
                for each in known:
                    found |= each[source][target]
                for position in range(len(ATOMS)):
                    if (upper[source][target] & ~found) >> position & 1 and self._ask(source, target, position):
                        known.append(self._cases[-1].rows())
                        found |= known[-1][source][target]
                rows[source][target] = found
                rows[target][source] = converse(found)
        return rows

    def _open(self, source: int, target: int, among: int) -> Iterator[int]:
        """Return atoms that the hull allows."""
        assert self._hull is not None  # noqa: S101 - narrows the type only
        left = self._hull.relation(source, target, among)
        return (position for position in range(len(ATOMS)) if left >> position & 1)

    def _ask(self, source: int, target: int, position: int) -> bool:
        """Return whether an atom can hold between two different entities, by a search over the disjunctions.

        If so, the pick becomes a case.
        """
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        edges = [WeightedEdge(points[x], points[y], w, None) for x, y, w in atom_edges(position)]
        verdict = judge(self._problem, self._facts, self._budget, edges, self._model.times)
        if isinstance(verdict, Core):
            return False
        self._cases.append(Convex(self._problem, self._facts, verdict, self._budget))
        return True
