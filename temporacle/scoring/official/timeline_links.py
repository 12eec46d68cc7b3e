"""From two timelines to two lists of links, as the SemEval-2015 task 4 scorer makes them.

A timeline is a text: a line with the entity's name, then rows ``position TAB anchor TAB mention TAB mention ...``.
Every mention is an event. The links are: each event SIMULTANEOUS with its anchor (left out when only the ordering is
scored), then each event BEFORE or SIMULTANEOUS with its neighbour in the list.

Events and anchors get numbers; those of the system depend on gold. What identifies an event is its mention text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.errors import InputError
from temporacle.scoring.official.tlinks import Triple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DIGITS = re.compile(rb"([0-9]+)")
_POSITION = re.compile(rb"\s*([+-]?)\s*([0-9]+)\s*")

_Event: TypeAlias = tuple[int, int, int]  # number, rank, number of the anchor


class OfficialItem(NamedTuple):
    """One mention."""

    rank: int  # orders as the position does
    anchor: bytes
    mention: bytes


class TimelineLinks(NamedTuple):
    """The links of both sides."""

    gold: tuple[Triple, ...]
    system: tuple[Triple, ...]


def timeline_links(gold: bytes, system: bytes, *, ordering_only: bool = False) -> TimelineLinks:
    r"""Return the links of both sides. Raise InputError if a position is not a number.

    >>> links = timeline_links(b"rain", b"rain\n1\t2001\t4-1-fell")
    >>> str(links.system[0])
    'ei1 SIMULTANEOUS t1'
    """
    gold_items, system_items = read_timeline(gold), read_timeline(system)
    anchors = _Anchors(item.anchor for item in gold_items)
    gold_events = [(number, item.rank, anchors.number(item.anchor)) for number, item in enumerate(gold_items, start=1)]
    system_events = list(_system_events(gold_items, system_items, anchors))
    return TimelineLinks(
        tuple(_links(gold_events, ordering_only=ordering_only)),
        tuple(_links(system_events, ordering_only=ordering_only)),
    )


def read_timeline(content: bytes) -> list[OfficialItem]:
    """Return the mentions of all rows that count: sorted rows, at least three columns, position not 0."""
    lines = [line.rstrip() for line in content.split(b"\n")[1:]]
    items: list[OfficialItem] = []
    for line in sorted(filter(None, lines), key=natural_key):
        position, *rest = line.split(b"\t")
        if len(rest) < 2:
            continue
        anchor, *mentions = rest
        rank = _rank(position)
        if rank:
            items.extend(OfficialItem(rank, anchor, mention) for mention in mentions)
    return items


def natural_key(line: bytes) -> list[bytes | int]:
    r"""Return text and numbers in turn as a sort key, so that 9 comes before 10.

    >>> sorted([b"2\t2001-10", b"2\t2001", b"2\tXXXX", b"2\t2001-9"], key=natural_key)
    [b'2\t2001', b'2\t2001-9', b'2\t2001-10', b'2\tXXXX']
    """
    return [_ordinal(part) if index % 2 else part for index, part in enumerate(_DIGITS.split(line))]


def _ordinal(digits: bytes) -> int:
    """Return a number for sorting digits by their value.

    Reading them as hexadecimal gives the same order without a limit on the length.
    """
    return int(digits, 16)


def _rank(field: bytes) -> int:
    found = _POSITION.fullmatch(field)
    if found is None:
        raise InputError(
            f"position {field.decode('utf-8', 'replace')!r} is not a whole number",
            cure="write the place in the timeline as digits, 0 for events without a place",
        )
    return -_ordinal(found[2]) if found[1] == b"-" else _ordinal(found[2])


class _Anchors:
    """Numbers of anchors by first use. The number after gold's last one stays unused: a fault of the program."""

    def __init__(self, gold: Iterable[bytes]) -> None:
        self._numbers = {anchor: number for number, anchor in enumerate(dict.fromkeys(gold))}
        self._fresh = count(len(self._numbers) + 1)

    def number(self, anchor: bytes) -> int:
        if anchor not in self._numbers:
            self._numbers[anchor] = next(self._fresh)
        return self._numbers[anchor]


def _system_events(gold: list[OfficialItem], system: list[OfficialItem], anchors: _Anchors) -> Iterator[_Event]:
    """Yield the system's events under gold's numbers if the mention is known, otherwise under new ones.

    The k-th use (from 0) of a mention that gold has n times, first as number f, takes gold's first number from f + k on
    that has the mention. So where gold repeats a mention apart, one number may be hit twice; position and anchor belong
    to the number, and the last hit decides them for all.
    """
    places: dict[bytes, list[int]] = {}
    for number, item in enumerate(gold, start=1):
        places.setdefault(item.mention, []).append(number)
    fresh = count(len(gold) + 1)
    uses: dict[bytes, int] = {}
    numbers: list[int] = []
    details: dict[int, tuple[int, int]] = {}
    for item in system:
        known, use = places.get(item.mention, []), uses.get(item.mention, 0)
        uses[item.mention] = use + 1
        number = known[bisect_left(known, known[0] + use)] if use < len(known) else next(fresh)
        numbers.append(number)
        details[number] = item.rank, anchors.number(item.anchor)
    for number in numbers:
        yield number, *details[number]


def _links(events: list[_Event], *, ordering_only: bool) -> Iterator[Triple]:
    if not ordering_only:
        for number, _, anchor in events:
            yield Triple(b"ei%d" % number, b"t%d" % anchor, b"SIMULTANEOUS")
    for (number, rank, _), (next_number, next_rank, _) in pairwise(events):
        label = b"BEFORE" if rank < next_rank else b"SIMULTANEOUS"
        yield Triple(b"ei%d" % number, b"ei%d" % next_number, label)
