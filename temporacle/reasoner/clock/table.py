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

import numpy as np

from temporacle.reasoner.algebra import ALL, ATOM_SIGNS, CROSS_PAIRS, EQ, LT, converse
from temporacle.reasoner.clock.picks import Core, Model, is_settled_model, judge
from temporacle.reasoner.clock.weights import Distances, WeightedEdge
from temporacle.reasoner.network import require_memory
from temporacle.relation import ATOMS, EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.clock.problem import CalendarProblem
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


def _edges_between(source: int, position: int, target: int) -> list[WeightedEdge]:
    """Return the edges of an atom between two entities."""
    points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
    return [WeightedEdge(points[x], points[y], weight, None) for x, y, weight in atom_edges(position)]


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

    def __init__(self, problem: CalendarProblem, facts: Sequence[int], model: Model, budget: Budget) -> None:
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
        for position in range(len(ATOMS)):
            if among >> position & 1 and EQ in ATOM_SIGNS[position]:
                edges = _edges_between(source, position, target)
                verdict = is_settled_model(
                    self._problem, self._facts, (*self._picked, *edges), self._budget, self._times
                )
                if not verdict:
                    among &= ~(1 << position)
        return among

    def rows(self) -> list[list[int]]:
        """Return the atoms that can hold, for every pair."""
        size = len(self._problem.network.entities)
        require_memory(8 * size * size, f"a table of all pairs of {size} entities")
        if size >= _NUMPY_PAYS_FROM and not self._differences:
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


class MetricTable:
    """Answers about pairs for facts that fit together."""

    def __init__(self, problem: CalendarProblem, facts: Sequence[int], model: Model, budget: Budget) -> None:
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
        """Return the atoms that can hold, for every pair."""
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
        edges = _edges_between(source, position, target)
        verdict = judge(self._problem, self._facts, self._budget, edges, self._model.times)
        if isinstance(verdict, Core):
            return False
        self._cases.append(Convex(self._problem, self._facts, verdict, self._budget))
        return True


# ----------------------------------------------------------------------------------------------------
# The table of all pairs at once, with numpy: shortest distances by Floyd and Warshall, then the atoms that fit.

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
        masks |= _fitting_atoms(known, atom_edges(position)).astype(np.uint16) << np.uint16(position)
    return masks


def _fitting_atoms(known: list[list[NDArray[np.int64]]], edges: Sequence[tuple[int, int, int]]) -> NDArray[np.bool_]:
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
