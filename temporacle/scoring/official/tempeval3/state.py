"""The state of the TempEval-3 graph: points in chains, notes about their neighbours, edges between chains.

A point has a name (the entity's id with ``_s`` or ``_e``); a name leads to a record, and two names may share one. A
record says in which chain it lies and at which stamp (an integer pseudo-time), and notes the names recorded to its left
and right. A note that is exactly ``[OPEN]`` means that the place next to the point is free. An edge ``a -> b`` says "a
is not later than b" and is stored under a's chain.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from temporacle.reasoner.network import Budget

Note: TypeAlias = list[bytes]
OPEN = b""  # no name is empty

_END_OF_NAME = re.compile(rb"_[se]")


class Interval(NamedTuple):
    """The names of an entity's two points."""

    start: bytes
    end: bytes

    @classmethod
    def of(cls, entity: bytes) -> Interval:
        return cls(entity + b"_s", entity + b"_e")


class Point:
    """One record. Chain and stamp never change; the notes do."""

    __slots__ = ("left", "place", "right")

    def __init__(self, chain: int, stamp: int, left: Note, right: Note) -> None:
        self.place = ChainPlace(chain, stamp)
        self.left = left
        self.right = right

    @property
    def chain(self) -> int:
        return self.place.chain

    @property
    def stamp(self) -> int:
        return self.place.stamp


class _Exits:
    """The edges out of one chain, under the names they were stored with."""

    __slots__ = ("listed", "targets")

    def __init__(self) -> None:
        self.listed: dict[bytes, None] = {}
        self.targets: dict[bytes, dict[bytes, None]] = {}


class State:
    """Points by name, and edges by chain. ``entities`` are all that will ever be named."""

    def __init__(self, entities: Iterable[bytes]) -> None:
        self.points: dict[bytes, Point] = {}
        self.ways: list[list[Way]] = []  # per chain: the edges that can be followed
        self._exits: list[_Exits] = []
        self._inside = names_inside_names(name for entity in entities for name in Interval.of(entity))

    def knows(self, entity: bytes) -> bool:
        return entity + b"_s" in self.points

    def new_chain(self) -> int:
        self.ways.append([])
        self._exits.append(_Exits())
        return len(self.ways) - 1

    def add_edge(self, source: bytes, target: bytes) -> None:
        """Store an edge, unless its names look as if they were stored already.

        The program searches for a name in the names stored so far joined to one text. So ``1_s`` is never listed as an
        exit once ``11_s`` is, and an exit that is not listed is never taken.
        """
        origin, destination = self.points[source].place, self.points[target].place
        exits = self._exits[origin.chain]
        if not self._occurs(source, exits.listed):
            exits.listed[source] = None
        targets = exits.targets.setdefault(source, {})
        if not self._occurs(target, targets):
            targets[target] = None
            if source in exits.listed and destination.chain != origin.chain:
                insort(self.ways[origin.chain], Way(-origin.stamp, destination.chain, destination.stamp))

    def _occurs(self, name: bytes, words: dict[bytes, None]) -> bool:
        return name in words or any(longer in words for longer in self._inside.get(name, ()))

    def edges(self) -> list[tuple[bytes, bytes]]:
        """Return all edges of listed exits, by chain."""
        return [
            (source, target) for exits in self._exits for source in exits.listed for target in exits.targets[source]
        ]


def names_inside_names(names: Iterable[bytes]) -> dict[bytes, set[bytes]]:
    """Return the longer names that contain a name. Only bare numbers and similar names have any.

    >>> sorted(names_inside_names([b"1_s", b"11_s", b"1_e"])[b"1_s"])
    [b'11_s']
    """
    known = set(names)
    shortest = min(map(len, known), default=0)
    inside: dict[bytes, set[bytes]] = {}
    for name in known:
        for mark in _END_OF_NAME.finditer(name):
            for begin in range(mark.end() - shortest + 1):
                part = name[begin : mark.end()]
                if part in known and part != name:
                    inside.setdefault(part, set()).add(name)
    return inside


# ----------------------------------------------------------------------------------------------------
# Is there a path from one point to another that enters no chain twice?
#
# This is what the TempEval-3 program asks of its graph. A path moves forward inside a chain for free, and leaves it
# over an edge. The program explores all paths, which takes exponential time. Here:
#
#     a breadth-first walk which may enter chains again finds nothing     -> no: it allows more than a path does
#     it finds a trail on which no chain stands twice                     -> yes: the trail is a path
#     otherwise                                                           -> branch at the first chain, and ask again
#
# The walk is linear in the edges, so a document costs up to the square of its links: each of them asks up to four
# times, and the edges between chains change while the graph is built. Branching happens only where a chain can be left
# and entered again at an earlier point, which consistent links almost never bring about; it may take exponential time
# there, and the budget bounds it.


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
