"""The minimal graph of a large and sparse document, found by searches: the same as ``reduction``, in linear memory.

Nodes, their order and the rule that drops an edge are those of ``reduction``. A bit set for each node would take memory
that grows with the square of the nodes. Here the nodes that one reaches are searched for whenever they are needed:
once to sort it, once for its edges, and once for each edge that leads to it. So time grows with the edges of the
closure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.reduction import NodeEdge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.searchedrows import SearchedRows


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
