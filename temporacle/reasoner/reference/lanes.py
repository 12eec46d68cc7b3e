"""The parts of the exact engine, each made to answer alone, whatever the size of a graph.

The exact engine chooses by size: small graphs are closed, large ones searched; few disjunctions never reach the solver.
So a comparison on small graphs alone would leave most of it out. Each function here is a *lane*: it returns what
answers all questions about a network by one part. UsageError says that the part is not made for such links.

    graph       the endpoint graph, closed                    declines what it leaves open
    large       the endpoint graph of large documents         declines disjunctions
    splitting   consistency of large documents with disjunctions, one case after another
    cdcl        path consistency and the incremental solver, on all links
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError, UsageError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.disjunctions.search import Search
from temporacle.reasoner.points import hulls
from temporacle.reasoner.points.graph import Contradiction
from temporacle.reasoner.points.hulls import is_convex, tighten
from temporacle.reasoner.points.large import LargeGraph
from temporacle.reasoner.reference.models import ByModels
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.points.graph import Closure
    from temporacle.reasoner.reference.models import Constraint


def graph(network: Network, budget: Budget) -> Closure | None:
    """Return the closed endpoint graph; None if it shows a contradiction."""
    try:
        tightened = tighten(len(network.entities), network.constraints, budget)
    except Contradiction:
        return None
    if tightened.residual:
        raise UsageError("the endpoint graph leaves disjunctions open: use the engine exact")
    return tightened.closure


class BothWays(LargeGraph):
    """The graph of a large document, asked about every pair in both of its ways."""

    def table(self) -> Sequence[Sequence[int]]:
        """Return the strongest relation of every pair. Raise InternalError if pairs and rows do not agree."""
        rows = super().table()
        everyone = range(len(rows))
        pairs = [[self.relation(source, target) for target in everyone] for source in everyone]
        if any(int(rows[source][target]) != pairs[source][target] for source in everyone for target in everyone):
            raise InternalError("a large graph answers differently about a pair and about all pairs")
        return pairs


def large(network: Network, budget: Budget) -> BothWays | None:
    """Return the searches on a graph that is too large to be closed; None if it shows a contradiction."""
    if not is_convex(network.constraints):
        raise UsageError("a large graph is searched only if all links are convex: use the engine exact")
    try:
        return BothWays.of_all(network, budget)
    except Contradiction:
        return None


def splitting(network: Network, budget: Budget) -> ByModels:
    """Return what decides by splitting the disjunctions that an order of the endpoints breaks."""

    def find(question: Constraint | None) -> list[int] | None:
        asked = [] if question is None else [question]
        return hulls.model_by_splitting(len(network.entities), [*network.constraints, *asked], budget)

    return ByModels(network, find)


def cdcl(network: Network, budget: Budget) -> ByModels | None:
    """Return what decides by one incremental solver; None if a link is impossible by itself."""
    relations: dict[tuple[int, int], int] = {}
    for source, mask, target in network.constraints:
        if not mask or (source == target and not mask & EQUAL):
            return None
        if source != target:
            pair, seen = ((source, target), mask) if source < target else ((target, source), converse(mask))
            relations[pair] = relations.get(pair, ALL) & seen
    search = Search(len(network.entities), relations, budget, expects_hard_questions=True)
    return ByModels(network, search.find)
