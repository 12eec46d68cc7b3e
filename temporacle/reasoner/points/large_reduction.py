"""The minimal graphs of large documents without disjunctions: the same as ``minimal_graph``, in linear memory.

``SparseReduction`` is for scores: it finds the labels that are asked for by paths, and only counts the edges of the
closure. ``SearchedReduction`` is for listing all edges of a sparse document, numbered as in ``minimal_graph``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from temporacle.reasoner.points.graph import model_of
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.large import PathQuestion, PathQuestions, PointEdges
from temporacle.reasoner.points.minimal_graph import NodeEdge, ReducedGraph, named_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.points.searched_rows import SearchedRows

# ----------------------------------------------------------------------------------------------------
# The minimal graph of a large document, for scoring: the same as ``minimal_graph``, without a closure.
#
# An edge of the minimal graph is an edge of the endpoint graph, with equal points merged. For ``x < z`` follows from a
# strict path; if it has more than one edge, it passes a node y, and the labels on both sides of y compose to ``<``. The
# same holds for ``<=``. So an edge is dropped just if another path leads from x to z, a strict one if the edge is
# strict (``large.PathQuestions``).
#
# Labels of other pairs are looked up by the same means, all that are needed at once: ``ask`` comes before ``label``.
#
# Only the number of edges of the closure needs all pairs. It is counted 4,096 sources at a time, in O(nodes edges / 64)
# steps and linear memory; no quicker way to count them is known.

COUNTED = 4096  # sources at a time


class SparseReduction(ReducedGraph):
    """The minimal graph of consistent convex links.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> links = [("a", "MEETS", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")]
    >>> reduced = SparseReduction(Network.of(links), Budget())
    >>> [(reduced.nodes[edge.source], edge.label, reduced.nodes[edge.target]) for edge in reduced.major]
    [(('b.end',), '<', ('c.start',))]
    >>> reduced.count_edges()
    10
    """

    different = 0  # convex links never leave two points only known to differ

    def __init__(self, network: Network, budget: Budget) -> None:
        self.entities = network.entities
        self._budget = budget
        size = len(network.entities)
        numbers = model_of(graph_of(size, network.constraints).condense())  # edges lead to higher ones
        self._edges = _merged(PointEdges.of(size, network.constraints), numbers)
        nodes = 1 + max(numbers, default=-1)
        self._paths = PathQuestions(self._edges, range(nodes), budget)
        self.node_of, self.nodes = named_nodes(network.entities, numbers)
        trivial = self.trivial_pairs()
        self.major = tuple(edge for edge in self._kept() if (edge.source, edge.target) not in trivial)
        self._labels: dict[tuple[int, int], str | None] = {}

    def _kept(self) -> Iterable[NodeEdge]:
        """Return the edges that no other path implies."""
        columns = (self._edges.sources, self._edges.targets, self._edges.strict)
        edges = [(x, z, bool(strict)) for x, z, strict in zip(*(each.tolist() for each in columns), strict=True)]
        implied = self._paths.answers([PathQuestion(*edge, 1, indirect=True) for edge in edges])
        return (
            NodeEdge(x, "<" if strict else "<=", z)
            for (x, z, strict), is_implied in zip(edges, implied, strict=True)
            if not is_implied
        )

    def ask(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Find the labels of some pairs of nodes."""
        new = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]))
        weak = self._paths.answers([PathQuestion(*pair, strict=False, before=1) for pair in new])
        ordered = [pair for pair, is_ordered in zip(new, weak, strict=True) if is_ordered]
        strict = self._paths.answers([PathQuestion(*pair, strict=True, before=1) for pair in ordered])
        self._labels.update(dict.fromkeys(new))
        self._labels.update(zip(ordered, ("<" if each else "<=" for each in strict), strict=True))

    def label(self, source: int, target: int) -> str | None:
        """Return the relation of two nodes that were asked about; None if nothing is known."""
        if source == target:
            return "="
        if source < target:
            return self._labels[source, target]
        label = self._labels[target, source]
        return None if label is None else label.replace("<", ">")

    def count_edges(self) -> int:
        """Return the number of edges of the closure."""
        size = len(self.nodes)
        successors: list[list[int]] = [[] for _ in range(size)]
        for source, target in zip(self._edges.sources.tolist(), self._edges.targets.tolist(), strict=True):
            successors[source].append(target)
        total = 0
        for first in range(0, size, COUNTED):
            self._budget.check()
            reaching: dict[int, int] = {}  # which of the sources reach a node, as a bit set
            for node in range(first, size):
                bits = reaching.pop(node, 0)
                total += bits.bit_count()
                if node < first + COUNTED:
                    bits |= 1 << node - first
                elif not bits:
                    if not reaching:
                        break
                    continue
                for target in successors[node]:
                    reaching[target] = reaching.get(target, 0) | bits
        return total


def _merged(edges: PointEdges, numbers: Sequence[int]) -> PointEdges:
    """Return the edges between nodes: one for each pair, strict if one of its edges is. All have age 0."""
    node = np.array(numbers, dtype=np.int64)
    sources, targets = node[edges.sources], node[edges.targets]
    differ = sources != targets
    # The strict edge of a pair comes last.
    keys = (sources[differ] * len(node) + targets[differ]) * 2 + edges.strict[differ]
    keys = np.unique(keys)
    last = np.append(keys[1:] >> 1 != keys[:-1] >> 1, True) if len(keys) else np.zeros(0, dtype=bool)
    keys = keys[last]
    pairs = keys >> 1
    return PointEdges(pairs // max(1, len(node)), pairs % max(1, len(node)), keys & 1, np.zeros_like(keys))


# ----------------------------------------------------------------------------------------------------
# The minimal graph of a large and sparse document, found by searches: the same as ``minimal_graph``, in linear memory.
#
# Nodes, their order and the rule that drops an edge are those of ``minimal_graph``. A bit set for each node would take
# memory that grows with the square of the nodes. Here the nodes that one reaches are searched for whenever they are
# needed: once to sort it, once for its edges, and once for each edge that leads to it. So time grows with the edges of
# the closure.


class SearchedReduction(ReducedGraph):
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
        self.node_of, self.nodes = named_nodes(entities, self._node)
        trivial = self.trivial_pairs()
        kept = [edge for node in range(len(self.nodes)) for edge in self._kept_edges(node)]
        self.major = tuple(edge for edge in kept if (edge.source, edge.target) not in trivial)
        self.trivial = tuple(edge for edge in kept if (edge.source, edge.target) in trivial)

    def minor_rows(self) -> Iterator[tuple[int, list[int], int]]:
        others = self.trivial_pairs() | {(edge.source, edge.target) for edge in self.major}
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
        """Yield the edges of a node that no other node implies, nearest first: see ``minimal_graph``."""
        targets = self._targets(node)
        implied: set[int] = set()
        for other, strictly in sorted(targets.items()):
            if other in implied:
                continue
            yield NodeEdge(node, "<" if strictly else "<=", other)
            for further, strict in self._targets(other).items():
                if not targets[further] or strictly or strict:
                    implied.add(further)
