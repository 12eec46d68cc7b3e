"""The conflicts that a repair resolves: one for each dropped link.

No dropped link of an optimal repair can be put back: together with the links that are kept it is a conflict. For each
dropped link this finds a minimal one. It holds that link, and no other dropped one.

Convex links. The kept links have no strict cycle, so every cycle passes the dropped link, a shortest one exactly once
(``cycles``). It is an edge of that link and a shortest path back over the kept links: one breadth-first search for each
of at most four edges, O(V + E) at worst and far less where paths are short. The conflict is a smallest one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.conflicts import impossible_links, subnetwork
from temporacle.reasoner.pointgraph import hull_edges
from temporacle.reasoner.reasons import PathSearch, PointOrder, link_edges
from temporacle.reasoner.repair import conflict_finder
from temporacle.reasoner.tighten import is_convex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.network import Budget, Network


def resolved_conflicts(
    network: Network, dropped: Sequence[Link], known: Sequence[Sequence[Link]], budget: Budget
) -> Iterator[tuple[Link, ...]]:
    """Yield a minimal conflict for each dropped link that is in none of the known conflicts; known ones share no link.

    Known conflicts stand for the first dropped link that they hold, so there are as many conflicts in all as dropped
    links. Raises BudgetExceeded once the time is over.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> network = Network.of([("a", "b", "b"), ("b", "b", "a"), ("c", "b", "d"), ("d", "m", "c")])
    >>> [[link.id for link in found] for found in resolved_conflicts(network, network.links[1:3], [], Budget())]
    [['l1', 'l2'], ['l3', 'l4']]
    """
    places = {id(link): number for number, link in enumerate(network.links)}
    numbers = [places[id(link)] for link in dropped]
    members = [{places[id(link)] for link in conflict} for conflict in known]
    answered = {next((number for number in numbers if number in each), None) for each in members}
    left = [number for number in numbers if number not in answered]
    if not left:
        return
    find = _through_convex(network, numbers, budget) if is_convex(network.constraints) else None
    if find is None:
        find = _through_any(network, numbers, budget)
    impossible = set(impossible_links(network))
    for number in left:
        budget.check()
        found = [number] if number in impossible else find(number)
        yield subnetwork(network, sorted(found)).links


def _through_convex(network: Network, dropped: Sequence[int], budget: Budget) -> Callable[[int], list[int]]:
    gone = set(dropped)
    kept = [number for number in range(len(network.links)) if number not in gone]
    edges = link_edges(len(network.entities), ((number, network.constraints[number]) for number in kept))

    def find(number: int) -> list[int]:
        source, mask, target = network.constraints[number]
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        best: list[int] | None = None
        for x, y, strict in hull_edges(mask):
            back = PathSearch(PointOrder(points[y], points[x], not strict), edges)
            path = back.run(budget, shorter_than=None if best is None else len(best))
            if path is not None:
                best = path
        if best is None:
            raise InternalError("a dropped link fits together with the links that are kept")
        return [number, *best]

    return find


def _through_any(network: Network, dropped: Sequence[int], budget: Budget) -> Callable[[int], list[int]]:
    conflicts_without = conflict_finder(network, budget)

    def find(number: int) -> list[int]:
        found = conflicts_without({other for other in dropped if other != number})
        if not found:
            raise InternalError("a dropped link fits together with the links that are kept")
        return found[0]

    return find
