"""The graph of a document's links for judging many links at once: by a closure, or without one if it is large.

``SmallGraph`` and ``LargeGraph`` give the same answers to the same three questions: what the links before each link say
about it, which links follow from all of them, and what follows about pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.growing import GrowingGraph
from temporacle.reasoner.tighten import is_convex
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.growing import Constraint
    from temporacle.reasoner.largegraph import LargeGraph
    from temporacle.reasoner.network import Budget, Network

_MANY_ENTITIES = 1_000  # from here on, rows of bits take more time and memory than searches


class SmallGraph(GrowingGraph):
    """A growing graph that is asked about many links. Links of every class."""

    def walk(self, positions: Sequence[int]) -> list[Verdict]:
        """Return the verdict about each link in turn, and add it if it is open. Raise BudgetExceeded if undecided."""
        constraints = [self.network.constraints[position] for position in positions]
        if self._disjunctive or not is_convex(constraints):
            return [self._judged(position) for position in positions]
        verdicts = self._hulls.walk(constraints)  # exact without disjunctions
        is_open = Verdict.OPEN
        self._added += [position for position, found in zip(positions, verdicts, strict=True) if found is is_open]
        self._oracle = None
        return verdicts

    def _judged(self, position: int) -> Verdict:
        verdict = self.verdict(self.network.constraints[position])
        if verdict is Verdict.OPEN:
            self.add(position)
        return verdict

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
