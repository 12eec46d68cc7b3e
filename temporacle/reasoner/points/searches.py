"""Answers about a few pairs of a large endpoint graph, by a search for each, without closing it.

A closure takes a row of bits for every point, whether one pair is asked about or all of them. A search for one pair of
points is linear in the graph at worst, and never leaves the range between the two in the order of time. After many
questions the graph is closed after all, if it is not too large for that.

Exact for convex links, for the reasons given in ``pointgraph``: ``x <= y`` follows if y can be reached from x, and
``x < y`` if it can be reached by a path with a strict edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ALL, ANY, EQ, GT, LT, mask_of
from temporacle.reasoner.network import TooLarge
from temporacle.reasoner.points.graph import masks_by_code, model_of
from temporacle.reasoner.points.reduction import NodeEdge

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.graph import Closure, PointGraph

MANY_QUESTIONS = 1_000  # closing costs about as much as so many searches


class SearchedGraph:
    """A consistent graph of convex links, and what follows for pairs of entities.

    >>> from temporacle.reasoner.network import Budget
    >>> from temporacle.reasoner.points.graph import PointGraph
    >>> graph = PointGraph(2)
    >>> graph.add(0, 1, 1)                                         # entity 0 before entity 1
    >>> SearchedGraph(graph, Budget()).relation(1, 0) == 1 << 12  # after
    True
    """

    def __init__(self, graph: PointGraph, budget: Budget) -> None:
        """Raise Contradiction if the links contradict each other."""
        self._graph, self._budget = graph, budget
        self._components = graph.condense()  # edges never lead to a higher number
        self._closure: Closure | None = None
        self._questions = 0

    def model(self) -> list[int]:
        """Return integer times for all points."""
        return model_of(self._components)

    def table(self) -> Sequence[Sequence[int]]:
        """Return the strongest relation of every pair, row by row if the graph is sparse.

        Raise BudgetExceeded if it is dense and too large to be closed.
        """
        if self._closure is None and is_sparse(self._graph):
            return self._searched()
        if self._closure is None:
            self._closure = self._graph.close(self._budget)
        return self._closure.table()

    def some_rows(self) -> Sequence[Sequence[int]]:
        """Return the same to be listed as far as the time goes: row by row, too, if half of it is not enough for all.

        A row takes a hundredth of the time of the whole table, or less, so the first rows are there at once.
        """
        left = self._budget.remaining()
        try:
            with self._budget.at_most(None if left is None else left / 2):
                return self.table()
        except TooLarge:
            raise
        except BudgetExceeded:
            return self._searched()

    def _searched(self) -> SearchedRows:
        return SearchedRows(self._graph, self._components, self._budget)

    def possible(self, source: int, target: int, within: int) -> int:
        """Return the atoms of ``within`` that can hold between two entities."""
        return self.relation(source, target) & within

    def relation(self, source: int, target: int) -> int:
        """Return the strongest relation that follows for a pair of entities."""
        self._questions += 1
        if self._questions == MANY_QUESTIONS and self._closure is None:
            with suppress(BudgetExceeded):  # too large; if the time is over, the search says so
                self._closure = self._graph.close(self._budget)
        if self._closure is not None:
            return self._closure.relation(source, target)
        s, t = 2 * source, 2 * target
        signs = self._signs
        return mask_of((signs(s, t), signs(s, t + 1), signs(s + 1, t), signs(s + 1, t + 1)))

    def _signs(self, x: int, y: int) -> int:
        """Return the signs that are possible between two points."""
        own, other = self._components[x], self._components[y]
        if own == other:
            return EQ
        if own > other:
            reached = self._reached(x, y)
            return ANY if reached is None else LT if reached else LT | EQ
        reached = self._reached(y, x)
        return ANY if reached is None else GT if reached else GT | EQ

    def _reached(self, source: int, target: int) -> bool | None:
        """Return whether a path to a later point is strict; None if there is no path."""
        self._budget.check()
        components, successors = self._components, self._graph.successors
        last = components[target]
        weakly: bool | None = None
        seen = {2 * source}  # a point is 2x, and 2x + 1 after a strict edge
        waiting = [2 * source]
        while waiting:
            state = waiting.pop()
            for edge in successors[state >> 1]:
                following = edge | state & 1
                if following in seen or following | 1 in seen or components[following >> 1] < last:
                    continue
                if components[following >> 1] == last:
                    if following & 1:
                        return True
                    weakly = False
                seen.add(following)
                waiting.append(following)
        return weakly


# ----------------------------------------------------------------------------------------------------
# Rows of the table of all pairs of a large and sparse endpoint graph, each made by searches when it is asked for.
#
# The whole table has a cell for each pair of entities, even if nothing follows for most of them. A row takes four
# searches, from the two endpoints of its entity forwards and backwards, so all rows take as many steps as there are
# pairs for which something follows, times the links at an entity. Only filling the empty cells is quadratic: 2 bytes
# each, and one row is in memory at a time.
#
# Exact for consistent convex links, for the reasons given in ``pointgraph``. Its twin for dense graphs is
# ``Closure.table``.

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


# ----------------------------------------------------------------------------------------------------
# The minimal graph of a large and sparse document, found by searches: the same as ``reduction``, in linear memory.
#
# Nodes, their order and the rule that drops an edge are those of ``reduction``. A bit set for each node would take
# memory that grows with the square of the nodes. Here the nodes that one reaches are searched for whenever they are
# needed: once to sort it, once for its edges, and once for each edge that leads to it. So time grows with the edges of
# the closure.


class SearchedReduction:
    """The minimal graph of consistent convex links, with ``minor`` edges made when they are asked for."""

    different = 0  # convex links never leave two points only known to differ

    def __init__(self, entities: tuple[str, ...], rows: SearchedRows, budget: Budget) -> None:
        """Raise BudgetExceeded if the time runs out."""
        self.entities = entities
        self._rows, self._budget = rows, budget
        first: dict[int, int] = {}  # the first point of each component
        for point, component in enumerate(rows.components):
            first.setdefault(component, point)
        # x <= y and not y <= x: x reaches strictly more points than y, so this is an order in time.
        self._order = sorted(first.values(), key=lambda point: (-len(self._reached(point)), point))
        number = {rows.components[point]: node for node, point in enumerate(self._order)}
        self._node = [number[component] for component in rows.components]  # by point
        names = [f"{name}.{end}" for name in entities for end in ("start", "end")]
        self.node_of = dict(zip(names, self._node, strict=True))
        members: list[list[str]] = [[] for _ in self._order]
        for name, node in self.node_of.items():
            members[node].append(name)
        self.nodes = tuple(map(tuple, members))
        self._trivial_pairs = set(zip(self._node[0::2], self._node[1::2], strict=True))
        kept = [edge for node in range(len(self.nodes)) for edge in self._kept_edges(node)]
        self.major = tuple(edge for edge in kept if (edge.source, edge.target) not in self._trivial_pairs)
        self.trivial = tuple(edge for edge in kept if (edge.source, edge.target) in self._trivial_pairs)

    def minor(self) -> Iterator[NodeEdge]:
        """Yield non-trivial edges of the closure that the reduction leaves out."""
        for source, targets, weak in self.minor_rows():
            for target in targets:
                yield NodeEdge(source, "<=" if weak >> target & 1 else "<", target)

    def minor_rows(self) -> Iterator[tuple[int, list[int], int]]:
        """Yield the same by node: the node, the targets of its minor edges, and as a bit set those that are only
        ``<=``.
        """
        others = self._trivial_pairs | {(edge.source, edge.target) for edge in self.major}
        for node in range(len(self.nodes)):
            found = self._targets(node)
            targets = [target for target in sorted(found) if (node, target) not in others]
            if targets:
                yield node, targets, sum(1 << target for target in targets if not found[target])

    def count_minor(self) -> int:
        """Return the number of minor edges."""
        return sum(len(targets) for _, targets, _ in self.minor_rows())

    def _reached(self, point: int) -> dict[int, int]:
        self._budget.check()
        return self._rows.reached(point)

    def _targets(self, node: int) -> dict[int, int]:
        """Return the later nodes, each with 1 if it is strictly later."""
        nodes = self._node
        found = {nodes[point]: strict for point, strict in self._reached(self._order[node]).items()}
        del found[node]
        return found

    def _kept_edges(self, node: int) -> Iterator[NodeEdge]:
        """Yield the edges of a node that no other node implies, nearest first: see ``reduction``."""
        targets = self._targets(node)
        implied: set[int] = set()
        for other, strictly in sorted(targets.items()):
            if other in implied:
                continue
            yield NodeEdge(node, "<" if strictly else "<=", other)
            for further, strict in self._targets(other).items():
                if not targets[further] or strictly or strict:
                    implied.add(further)
