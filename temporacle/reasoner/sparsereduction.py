"""The minimal graph of a large document, for scoring: the same as ``reduction``, without a closure.

An edge of the minimal graph is an edge of the endpoint graph, with equal points merged. For ``x < z`` follows from a
strict path; if it has more than one edge, it passes a node y, and the labels on both sides of y compose to ``<``. The
same holds for ``<=``. So an edge is dropped just if another path leads from x to z, a strict one if the edge is strict
(``pathquestions``).

Labels of other pairs are looked up by the same means, all that are needed at once: ``ask`` comes before ``label``.

Only the number of edges of the closure needs all pairs. It is counted 4,096 sources at a time, in O(nodes edges / 64)
steps and linear memory; no quicker way to count them is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from temporacle.reasoner.pathquestions import PathQuestions, PointEdges, Question
from temporacle.reasoner.pointgraph import PointGraph, model_of
from temporacle.reasoner.reduction import NodeEdge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.network import Budget, Network

COUNTED = 4096  # sources at a time


class SparseReduction:
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
        graph = PointGraph(size)
        graph.add_all(network.constraints)
        numbers = model_of(graph.condense())  # edges lead to higher ones
        self._edges = _merged(PointEdges.of(size, network.constraints), numbers)
        nodes = 1 + max(numbers, default=-1)
        self._paths = PathQuestions(self._edges, range(nodes), budget)
        names = [f"{name}.{end}" for name in network.entities for end in ("start", "end")]
        self.node_of = dict(zip(names, numbers, strict=True))
        members: list[list[str]] = [[] for _ in range(nodes)]
        for name, node in self.node_of.items():
            members[node].append(name)
        self.nodes = tuple(map(tuple, members))
        trivial = self.trivial_pairs()
        self.major = tuple(edge for edge in self._kept() if (edge.source, edge.target) not in trivial)
        self._labels: dict[tuple[int, int], str | None] = {}

    def _kept(self) -> Iterable[NodeEdge]:
        """Return the edges that no other path implies."""
        columns = (self._edges.sources, self._edges.targets, self._edges.strict)
        edges = [(x, z, bool(strict)) for x, z, strict in zip(*(each.tolist() for each in columns), strict=True)]
        implied = self._paths.answers([Question(*edge, 1, indirect=True) for edge in edges])
        return (
            NodeEdge(x, "<" if strict else "<=", z)
            for (x, z, strict), is_implied in zip(edges, implied, strict=True)
            if not is_implied
        )

    def trivial_pairs(self) -> set[tuple[int, int]]:
        """Return the nodes of start and end of every entity."""
        return {(self.node_of[f"{name}.start"], self.node_of[f"{name}.end"]) for name in self.entities}

    def ask(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Find the labels of some pairs of nodes."""
        new = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]))
        weak = self._paths.answers([Question(*pair, strict=False, before=1) for pair in new])
        ordered = [pair for pair, is_ordered in zip(new, weak, strict=True) if is_ordered]
        strict = self._paths.answers([Question(*pair, strict=True, before=1) for pair in ordered])
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
