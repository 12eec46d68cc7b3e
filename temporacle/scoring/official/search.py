"""Is there a path from one point to another that enters no chain twice?

This is what the TempEval-3 program asks of its graph. A path moves forward inside a chain for free, and leaves it over
an edge. The program explores all paths, which takes exponential time. Here:

    a breadth-first walk which may enter chains again finds nothing     -> no: it allows more than a path does
    it finds a trail on which no chain stands twice                     -> yes: the trail is a path
    otherwise                                                           -> branch at the first chain, and ask again

The walk is linear in the edges, so a document costs up to the square of its links: each of them asks up to four times,
and the edges between chains change while the graph is built. Branching happens only where a chain can be left and
entered again at an earlier point, which consistent links almost never bring about; it may take exponential time there,
and the budget bounds it.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from temporacle.reasoner.network import Budget


class ChainPlace(NamedTuple):
    """The position of a point: the number of its chain, and its stamp there."""

    chain: int
    stamp: int


class Way(NamedTuple):
    """An edge out of a chain. Ways of a chain are kept sorted, latest first: hence the sign."""

    minus_stamp: int
    chain: int
    stamp: int


class _Walk(Enum):
    NONE = "no walk"
    PATH = "a walk that enters no chain twice"
    LOOP = "a walk that enters a chain twice"


def reaches(ways: Sequence[Sequence[Way]], start: ChainPlace, goal: ChainPlace, budget: Budget) -> bool:
    """Return whether a path leads from start to goal or to an earlier point of goal's chain.

    ``ways[chain]`` are its exits.
    """
    if start.chain == goal.chain:
        return start.stamp <= goal.stamp
    walk = _walk(ways, start, goal, frozenset())
    if walk is not _Walk.LOOP:
        return walk is _Walk.PATH
    pending = [_Branch(ways, start, frozenset())]
    while pending:
        budget.check()
        branch = pending[-1]
        place = next(branch.places, None)
        if place is None:
            pending.pop()
        elif place.chain != goal.chain:  # an edge straight to the goal would have been a path at once
            walk = _walk(ways, place, goal, branch.closed)
            if walk is _Walk.PATH:
                return True
            if walk is _Walk.LOOP:
                pending.append(_Branch(ways, place, branch.closed))
    return False


class _Branch:
    """The places one edge away from a place, the chains on the path so far being closed."""

    __slots__ = ("closed", "places")

    def __init__(self, ways: Sequence[Sequence[Way]], place: ChainPlace, closed: frozenset[int]) -> None:
        self.closed = closed | {place.chain}
        self.places = self._next_places(ways[place.chain], place.stamp)

    def _next_places(self, ways: Sequence[Way], stamp: int) -> Iterator[ChainPlace]:
        for way in ways[: _count_from(ways, stamp)]:
            if way.chain not in self.closed:
                yield ChainPlace(way.chain, way.stamp)


def _count_from(ways: Sequence[Way], stamp: int) -> int:
    """Return how many ways leave the chain at this stamp or later."""
    return bisect_left(ways, (1 - stamp,))


def _walk(ways: Sequence[Sequence[Way]], start: ChainPlace, goal: ChainPlace, closed: AbstractSet[int]) -> _Walk:
    """Return the result of a breadth-first search over chains and the stamps at which they are entered.

    Later entries add nothing.
    """
    entries: list[tuple[int, int, int]] = [(start.chain, start.stamp, -1)]  # with the entry each came from
    earliest = {start.chain: start.stamp}
    used: dict[int, int] = {}  # how many ways of a chain have been taken
    for index, (chain, stamp, _) in enumerate(entries):  # grows while it is walked
        exits = ways[chain]
        stop = _count_from(exits, stamp)
        for _, next_chain, next_stamp in exits[used.get(chain, 0) : stop]:
            if next_chain == goal.chain:
                if next_stamp <= goal.stamp and next_chain not in closed:
                    return _kind_of_trail(entries, index)
            elif next_chain not in closed and earliest.get(next_chain, next_stamp + 1) > next_stamp:
                earliest[next_chain] = next_stamp
                entries.append((next_chain, next_stamp, index))
        used[chain] = stop
    return _Walk.NONE


def _kind_of_trail(entries: Sequence[tuple[int, int, int]], index: int) -> _Walk:
    seen: set[int] = set()
    while index >= 0:
        chain, _, index = entries[index]
        if chain in seen:
            return _Walk.LOOP
        seen.add(chain)
    return _Walk.PATH
