"""All minimal conflicts and all minimal repairs of a document, one after the other (MARCO).

A solver keeps a *map* of the sets of links that nothing is known about yet. Each of them is judged:

    consistent      it is made as large as possible; what it leaves out is a minimal repair
    inconsistent    it is made as small as possible: a minimal conflict

Then the parts of the one, or all sets that contain the other, are taken from the map, until it is empty. So both lists
are complete and without repetition. They can be exponentially long: this is a stream for a limit, never the way to an
optimal repair.

Reference: Liffiton, Previti, Malik and Marques-Silva (2016), "Fast, flexible MUS enumeration".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import atom_at
from temporacle.reasoner.conflicts.conflicts import impossible_links, subnetwork
from temporacle.reasoner.disjunctions.sat import Cdcl, is_available
from temporacle.reasoner.points.cycles import WalksThrough, shortest_strict_cycle
from temporacle.reasoner.points.graph import Contradiction, model_of
from temporacle.reasoner.points.hulls import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.reasoner.judged import Judged
    from temporacle.reasoner.network import Budget, Network


class FactSubsets(Protocol):
    """Sets of the links or other facts of a document."""

    def core(self, numbers: Sequence[int]) -> list[int] | None:
        """Return some of these facts that contradict each other; None if they are consistent."""

    def holding(self, numbers: Sequence[int]) -> list[int]:
        """Return those, or some of those, that hold in the model of the last consistent set."""


class _LinkSubsets(Protocol):
    times: list[int]  # of all points, at which the last consistent set holds

    def core(self, numbers: Sequence[int]) -> list[int] | None: ...


def all_conflicts_and_repairs(judged: Judged) -> Iterator[tuple[list[int], bool]]:
    """Yield sorted positions of links, and whether they are a minimal conflict (else a minimal repair)."""
    network = judged.network
    links = range(len(network.links))
    return conflicts_and_repairs(links, list(impossible_links(network)), _subsets(judged), judged.budget)


def conflict_through(judged: Judged, number: int) -> list[int] | None:
    """Return a minimal conflict that a link is in; None if it is in none.

    >>> from temporacle.reasoner.judged import Judged
    >>> from temporacle.reasoner.network import Network
    >>> links = [("a", "b", "b"), ("b", "b", "a"), ("a", "b", "b"), ("b", "b", "c")]
    >>> judged = Judged(Network.of(links))
    >>> conflict_through(judged, 2), conflict_through(judged, 3)
    ([1, 2], None)
    """
    network = judged.network
    alone = list(impossible_links(network))
    if judged.is_convex and number not in alone:
        return _convex_conflict_with(judged, number, alone)
    return conflict_with(number, range(len(network.links)), alone, _subsets(judged), judged.budget)


def _convex_conflict_with(judged: Judged, number: int, alone: Sequence[int]) -> list[int] | None:
    """Return a minimal conflict that a convex link is in; None if it is in none.

    As ``conflict_with``, but the sets of others need not be consistent: only a closed walk through the link matters. If
    the links of one are consistent, it is found; otherwise the map loses all sets with their conflict. If a set has no
    walk, the map loses all sets without a link that leads on from what the set can reach.
    """
    network, budget = judged.network, judged.budget
    others = frozenset(range(len(network.links))).difference(alone, [number])
    walks = WalksThrough(len(network.entities), network.constraints, number)
    subsets = _subsets(judged)
    unknown = _map_of(network.links, budget)
    try:
        while unknown.solve():
            values = unknown.values(len(network.links))
            walk, leading = walks.within({other for other in others if not values[other]}, budget)
            if walk is None:
                if not (more := sorted(leading & others)):
                    return None
                unknown.add([[-other - 1 for other in more]])
            elif (core := subsets.core(walk)) is None:
                return sorted(_shrunk(subsets, sorted([*walk, number])))
            else:
                unknown.add([[other + 1 for other in _shrunk(subsets, core)]])
    finally:
        unknown.close()
    return None


def _subsets(judged: Judged) -> _Holding:
    network, budget = judged.network, judged.budget
    subsets: _LinkSubsets
    if judged.is_convex:
        subsets = _ConvexSubsets(network, budget)
    else:
        from temporacle.reasoner.disjunctions.cores import SelectedLinks  # loads numpy

        subsets = SelectedLinks(len(network.entities), network.constraints, budget)
    return _Holding(network, subsets)


def conflicts_and_repairs(
    facts: Sequence[int], alone: Sequence[int], subsets: FactSubsets, budget: Budget
) -> Iterator[tuple[list[int], bool]]:
    """Yield minimal conflicts (True) and repairs (False) of facts, by number. ``alone``: facts that are conflicts."""
    unknown = _map_of(facts, budget)
    for number in alone:
        yield [number], True
    links = sorted(set(facts).difference(alone))
    try:
        while unknown.solve():
            # A variable is true for a link that is left out. The solver prefers false, so large sets come first.
            values = unknown.values(len(facts))
            chosen = [number for number in links if not values[number]]
            core = subsets.core(chosen)
            if core is not None:
                conflict = _shrunk(subsets, core)
                unknown.add([[number + 1 for number in conflict]])
                yield sorted(conflict), True
                continue
            kept = _grown(subsets, chosen, links)
            repair = [number for number in links if number not in kept]
            yield sorted([*repair, *alone]), False
            if not repair:
                return  # no set is left
            unknown.add([[-number - 1 for number in repair]])
    finally:
        unknown.close()


def conflict_with(
    fact: int, facts: Sequence[int], alone: Sequence[int], subsets: FactSubsets, budget: Budget
) -> list[int] | None:
    """Return a minimal conflict that a fact is in; None if it is in none.

    It is in one iff it contradicts a consistent set of others: made smaller, this set and the fact are the conflict.
    The map has the sets of others that may be such a set. It loses the sets that contain a conflict, and those that are
    part of a consistent set with the fact.
    """
    if fact in alone:
        return [fact]
    others = sorted(set(facts).difference(alone, [fact]))
    unknown = _map_of(facts, budget)
    try:
        while unknown.solve():
            values = unknown.values(len(facts))
            chosen = [number for number in others if not values[number]]
            core = subsets.core(chosen)
            if core is not None:
                unknown.add([[number + 1 for number in _shrunk(subsets, core)]])
                continue
            core = subsets.core(sorted([*chosen, fact]))
            if core is not None:
                return sorted(_shrunk(subsets, core))
            kept = _grown(subsets, [*chosen, fact], others)
            repair = [number for number in others if number not in kept]
            if not repair:
                return None
            unknown.add([[-number - 1 for number in repair]])
    finally:
        unknown.close()
    return None


def _map_of(facts: Sequence[object], budget: Budget) -> Cdcl:
    """Return a map of all sets of facts."""
    if not is_available():
        raise BudgetExceeded("all conflicts are found only where python-sat is installed")
    unknown = Cdcl(budget)
    unknown.add([[-len(facts) - 1]])  # or the solver would have no variable, and no solution to show
    return unknown


def _grown(subsets: FactSubsets, chosen: Sequence[int], links: Sequence[int]) -> set[int]:
    """Return a largest consistent set around a consistent one that was judged last."""
    kept = {*chosen, *subsets.holding(links)}
    for number in links:
        if number not in kept and subsets.core(sorted([*kept, number])) is None:
            kept.add(number)
            kept.update(subsets.holding(links))
    return kept


class _Holding:
    """Sets of links, with those that hold at the times of the last consistent set."""

    def __init__(self, network: Network, subsets: _LinkSubsets) -> None:
        self._network = network
        self._subsets = subsets
        self.core = subsets.core

    def holding(self, numbers: Sequence[int]) -> list[int]:
        times = self._subsets.times
        return [
            number
            for number in numbers
            for source, mask, target in [self._network.constraints[number]]
            if atom_at(times, source, target) & mask
        ]


def _shrunk(subsets: FactSubsets, core: list[int]) -> list[int]:
    for number in reversed(core):
        if number in core:
            core = subsets.core([other for other in core if other != number]) or core
    return core


class _ConvexSubsets:
    """Sets of convex links, each judged by its graph."""

    def __init__(self, network: Network, budget: Budget) -> None:
        self._network = network
        self._budget = budget
        self.times: list[int] = []

    def core(self, numbers: Sequence[int]) -> list[int] | None:
        self._budget.check()
        constraints = [self._network.constraints[number] for number in numbers]
        try:
            self.times = model_of(graph_of(len(self._network.entities), constraints).condense())
        except Contradiction:
            part = subnetwork(self._network, numbers)
            cycle = shortest_strict_cycle(len(part.entities), part.constraints, self._budget)
            return [numbers[edge.link] for edge in cycle or () if edge.link is not None]
        return None
