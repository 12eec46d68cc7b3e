"""Why a pair could not keep its best label: a smallest conflict.

The best label of the pair is put beside the labels of the pairs that did keep theirs. If that is a contradiction, the
argmax had it. Otherwise the labels that others got instead belong to the reason. In both cases everything else is
consistent, so every conflict contains the pair.

Convex links: a smallest conflict is the label and a path with the fewest links from the later to the earlier of two
endpoints that the label puts in order. Other links: a minimal conflict found by the oracle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.conflicts import is_consistent, minimal_conflict
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.pointgraph import hull_edges
from temporacle.reasoner.reasons import PathSearch, PointOrder, link_edges
from temporacle.reasoner.tighten import is_convex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Link
    from temporacle.reasoner.decodeproblem import Part, RankedPair, Ranks


def smallest_conflicts(
    part: Part, pairs: Sequence[RankedPair], hard: Sequence[Link], ranks: Ranks, budget: Budget
) -> dict[int, tuple[Link, ...]]:
    """Return, for each pair of a part that lost its best label, the links that contradict this label, and the label
    itself.

    Empty for a pair whose reason was not found in time, and for one whose best label would fit: that happens only in a
    labelling that is not the best one.
    """
    changed = [number for number in part.pairs if ranks[number]]
    if not changed:
        return {}
    kept = [*(hard[number] for number in part.hard), *(pairs[n].link(0) for n in part.pairs if not ranks[n])]
    given = [pairs[number].link(ranks[number]) for number in changed]
    reasons = {}
    search = _Reasons(Network([*kept, *given]), len(kept))
    for place, number in enumerate(changed, len(kept)):
        try:
            reasons[number] = search.conflict_with(pairs[number].link(0), place, budget)
        except BudgetExceeded:
            reasons[number] = ()
    return reasons


class _Reasons:
    """The labels of a part: first those that were kept, then those that others got."""

    def __init__(self, network: Network, kept: int) -> None:
        self._network = network
        self._kept = set(range(kept))
        self._is_convex = is_convex(network.constraints)
        self._edges = link_edges(len(network.entities), enumerate(network.constraints))

    def conflict_with(self, link: Link, instead: int, budget: Budget) -> tuple[Link, ...]:
        """Return a smallest conflict of a link and the others, in the order of a cycle if there is one.

        ``instead``: the place of the label that the pair of the link got; it explains nothing.
        """
        if self._is_convex and is_convex([(0, int(link.relation), 1)]):
            shortest = self._shortest(link, self._kept) or self._shortest(link, self._without(instead))
            return () if shortest is None else (link, *(self._network.links[place] for place in shortest))
        for places in (self._kept, self._without(instead)):
            network = Network([link, *(self._network.links[place] for place in sorted(places))])
            if not is_consistent(network, budget):
                return minimal_conflict(network, budget)
        return ()

    def _without(self, place: int) -> set[int]:
        """Return the places of all links but one."""
        return set(range(len(self._network.links))) - {place}

    def _shortest(self, link: Link, allowed: set[int]) -> list[int] | None:
        """Return the fewest links that contradict a link, all of them convex; None if there are none."""
        i, j = self._network.number(link.source), self._network.number(link.target)
        points = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        best: list[int] | None = None
        for x, y, strict in hull_edges(int(link.relation)):
            order = PointOrder(points[y], points[x], not strict)
            path = PathSearch(order, self._edges, allowed).run(Budget())
            if path is not None and (best is None or len(path) < len(best)):
                best = path
        return best
