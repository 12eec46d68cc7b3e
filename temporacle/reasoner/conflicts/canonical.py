"""The conflicts of a document, one for each link that its repair drops, and what could be dropped instead.

No dropped link of an optimal repair can be put back: together with the links that are kept it is a conflict. The list
of conflicts has one for each dropped link. It holds that link, and no other dropped one, and depends on nothing but the
links and their order:

Convex links: the smallest conflict, and of several the one whose links come first. The kept links have no strict cycle,
so every cycle passes the dropped link, a shortest one exactly once (``cycles``). It is an edge of that link and a
shortest path back over the kept links: one breadth-first search for each of at most four edges.

Other links: what *deletion* leaves that tries the last link first. A link is left out without asking if the conflict
known so far does not hold it, so only links of conflicts are asked about, and the answer is that of asking about all.

A dropped link can be *replaced* by another of the same weight if that makes the rest consistent as well. Such a link is
in every conflict of the kept links and the dropped one; so each conflict that is found leaves fewer candidates.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.conflicts.conflicts import (
    check_core,
    conflict_numbers,
    impossible_links,
    is_matter_for_search,
    subnetwork,
)
from temporacle.reasoner.conflicts.reasons import PathSearch, PointOrder, link_edges
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import TooLarge
from temporacle.reasoner.points.graph import edges_between
from temporacle.reasoner.points.hulls import is_convex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.network import Budget, Network

_MOST_ALTERNATIVES = 10


def resolved_conflicts(network: Network, dropped: Sequence[Link], budget: Budget) -> Iterator[tuple[Link, ...]]:
    """Yield the conflict of each dropped link. Raises BudgetExceeded once the time is over.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> network = Network.of([("a", "b", "b"), ("b", "b", "a"), ("c", "b", "d"), ("d", "m", "c")])
    >>> [[link.id for link in found] for found in resolved_conflicts(network, network.links[1:3], Budget())]
    [['l1', 'l2'], ['l3', 'l4']]
    """
    places = {id(link): number for number, link in enumerate(network.links)}
    for conflict in canonical_conflicts(network, [places[id(link)] for link in dropped], budget):
        yield tuple(network.links[number] for number in conflict)


def canonical_conflicts(network: Network, dropped: Sequence[int], budget: Budget) -> Iterator[list[int]]:
    """Yield the conflict of each dropped link as sorted positions."""
    if not dropped:
        return
    impossible = set(impossible_links(network))
    find = (_smallest if is_convex(network.constraints) else _by_deletion)(network, dropped, budget)
    for number in dropped:
        budget.check()
        yield [number] if number in impossible else find(number)


def _kept(network: Network, dropped: Collection[int]) -> list[int]:
    gone = set(dropped)
    return [number for number in range(len(network.links)) if number not in gone]


def _fits() -> InternalError:
    return InternalError("a dropped link fits together with the links that are kept")


# --- convex links -----------------------------------------------------------------------------------------------------


def _ways_back(constraint: tuple[int, int, int]) -> list[PointOrder]:
    """Return the orders of endpoints that contradict a link, one for each of its edges."""
    return [PointOrder(y, x, not strict) for x, y, strict in edges_between(*constraint)]


def _smallest(network: Network, dropped: Sequence[int], budget: Budget) -> Callable[[int], list[int]]:
    kept = _kept(network, dropped)
    edges = link_edges(len(network.entities), ((number, network.constraints[number]) for number in kept))

    def find(number: int) -> list[int]:
        best: list[int] | None = None
        for order in _ways_back(network.constraints[number]):
            search = PathSearch(order, edges)
            path = search.run(budget, shorter_than=None if best is None else len(best) + 1)
            if path is not None:
                path = search.first_shortest(len(network.links))
                if best is None or (len(path), path) < (len(best), best):
                    best = path
        if best is None:
            raise _fits()
        return sorted([number, *best])

    return find


# --- other links ------------------------------------------------------------------------------------------------------


def _cores(network: Network, budget: Budget) -> Callable[[Sequence[int]], list[int] | None]:
    """Return a function that finds a conflict among some links, not always a minimal one; None if there is none."""
    if is_matter_for_search(network):
        from temporacle.reasoner.disjunctions.cores import SelectedLinks  # loads numpy

        with suppress(TooLarge):
            return SelectedLinks(len(network.entities), network.constraints, budget).core

    def core(numbers: Sequence[int]) -> list[int] | None:
        part = subnetwork(network, numbers)
        return None if is_consistent(part, budget) else [numbers[place] for place in conflict_numbers(part, budget)]

    return core


def _by_deletion(network: Network, dropped: Sequence[int], budget: Budget) -> Callable[[int], list[int]]:
    kept = _kept(network, dropped)
    core_of = _cores(network, budget)

    def find(number: int) -> list[int]:
        left = sorted([*kept, number])
        core = core_of(left)
        if core is None:
            raise _fits()
        for last in reversed(left):
            fewer = [other for other in left if other != last]
            smaller = core if last not in core else core_of(fewer)
            if smaller is not None:
                left, core = fewer, smaller
        check_core(network, left, budget)
        return left

    return find


# --- alternatives -----------------------------------------------------------------------------------------------------


def alternatives(
    network: Network, dropped: Sequence[int], weights: Mapping[int, int], protected: Collection[int], budget: Budget
) -> list[list[int]]:
    """Return, for each dropped link, up to ten links of the same weight that could be dropped instead of it.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> ring = Network.of([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "a")])
    >>> alternatives(ring, [0], dict.fromkeys(range(3), 1), [], Budget())
    [[1, 2]]
    """
    if not dropped:
        return []
    kept = _kept(network, dropped)
    if not is_convex(network.constraints):
        core_of = _cores(network, budget)
        return replacements(dropped, kept, weights, protected, core_of)
    edges = link_edges(len(network.entities), ((number, network.constraints[number]) for number in kept))
    gone = set(dropped)

    def some_conflict(numbers: Sequence[int]) -> list[int] | None:
        allowed = set(numbers)
        (number,) = allowed & gone
        for order in _ways_back(network.constraints[number]):
            path = PathSearch(order, edges, allowed).run(budget)
            if path is not None:
                return path
        return None

    impossible = set(impossible_links(network))
    return [
        [] if number in impossible else replacements([number], kept, weights, protected, some_conflict)[0]
        for number in dropped
    ]


def replacements(
    dropped: Sequence[int],
    kept: Sequence[int],
    weights: Mapping[int, int],
    protected: Collection[int],
    conflict_among: Callable[[Sequence[int]], Sequence[int] | None],
) -> list[list[int]]:
    """Return what could be dropped instead, for any facts of which conflicts can be found."""
    found: list[list[int]] = []
    for number in dropped:
        every = sorted([*kept, number])
        candidates = {other for other in kept if weights[other] == weights[number] and other not in protected}
        candidates.intersection_update(conflict_among(every) or ())
        instead: list[int] = []
        while candidates and len(instead) < _MOST_ALTERNATIVES:
            first = min(candidates)
            conflict = conflict_among([other for other in every if other != first])
            if conflict is None:
                instead.append(first)
                candidates.discard(first)
            else:
                candidates.intersection_update(conflict)
        found.append(instead)
    return found
