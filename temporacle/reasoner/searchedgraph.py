"""Answers about a few pairs of a large endpoint graph, by a search for each, without closing it.

A closure takes a row of bits for every point, whether one pair is asked about or all of them. A search for one pair of
points is linear in the graph at worst, and never leaves the range between the two in the order of time. After many
questions the graph is closed after all, if it is not too large for that.

Exact for convex links, for the reasons given in ``pointgraph``: ``x <= y`` follows if y can be reached from x, and
``x < y`` if it can be reached by a path with a strict edge.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ANY, EQ, GT, LT, mask_of
from temporacle.reasoner.pointgraph import model_of
from temporacle.reasoner.searchedrows import SearchedRows, is_sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.pointgraph import Closure, PointGraph

MANY_QUESTIONS = 1_000  # closing costs about as much as so many searches


class SearchedGraph:
    """A consistent graph of convex links, and what follows for pairs of entities.

    >>> from temporacle.reasoner.network import Budget
    >>> from temporacle.reasoner.pointgraph import PointGraph
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
            return SearchedRows(self._graph, self._components, self._budget)
        if self._closure is None:
            self._closure = self._graph.close(self._budget)
        return self._closure.table()

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
