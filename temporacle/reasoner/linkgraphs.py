"""The graph of a document's links for judging many links at once: by a closure, or without one if it is large.

``SmallGraph`` and ``LargeGraph`` give the same answers to the same three questions: what the links before each link say
about it, which links follow from all of them, and what follows about pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.growing import GrowingGraph
from temporacle.reasoner.tighten import is_convex
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.reasoner.growing import Constraint
    from temporacle.reasoner.largegraph import LargeGraph
    from temporacle.reasoner.network import Budget, Network

_MANY_ENTITIES = 1_000  # from here on, rows of bits take more time and memory than searches


class SmallGraph(GrowingGraph):
    """A growing graph that is asked about many links. Links of every class."""

    def walk(self, positions: Iterable[int]) -> Iterator[Verdict]:
        """Yield the verdict about each link in turn, and add it if it is open. Raise BudgetExceeded if undecided."""
        is_open = Verdict.OPEN
        constraints, connected = self.network.constraints, self._hulls.connected
        for position in positions:
            source, mask, target = constraint = constraints[position]
            # Nothing is known about unconnected entities, and most links of a sparse graph connect them.
            is_news = 0 < mask < ALL and not connected(source, target)
            verdict = is_open if is_news else self.verdict(constraint)
            if verdict is is_open:
                self.add(position)
            yield verdict

    def entails_each(self, constraints: Iterable[Constraint]) -> list[bool]:
        """Return which of these the links added so far entail. Raise BudgetExceeded if undecided."""
        if self._disjunctive:
            return [self.entails(constraint) for constraint in constraints]
        relation = self._hulls.relation  # exact without disjunctions
        return [not relation(source, target) & ~mask for source, mask, target in constraints]

    def strongest_each(self, pairs: Iterable[tuple[int, int]]) -> list[int]:
        """Return the strongest relation that follows for each pair."""
        return [self.strongest(source, target) for source, target in pairs]


def graph_for(network: Network, budget: Budget) -> SmallGraph | LargeGraph:
    """Return the graph for judging the links of a document."""
    if len(network.entities) < _MANY_ENTITIES or not is_convex(network.constraints):
        return SmallGraph(network, budget)
    from temporacle.reasoner.largegraph import LargeGraph

    return LargeGraph(network, budget)
