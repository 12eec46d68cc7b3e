"""The state of the TempEval-3 graph: points in chains, notes about their neighbours, edges between chains.

A point has a name (the entity's id with ``_s`` or ``_e``); a name leads to a record, and two names may share one. A
record says in which chain it lies and at which stamp (an integer pseudo-time), and notes the names recorded to its left
and right. A note that is exactly ``[OPEN]`` means that the place next to the point is free. An edge ``a -> b`` says "a
is not later than b" and is stored under a's chain.
"""

from __future__ import annotations

import re
from bisect import insort
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.scoring.official.search import ChainPlace, Way

if TYPE_CHECKING:
    from collections.abc import Iterable

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
