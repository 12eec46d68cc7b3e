"""Common numbers for the entities of two annotations of one text.

    events     have the same number when they begin on the same token, whatever their lengths
    timexes    are paired by overlap, greedily from left to right (``number_timexes``)
    instances  the k-th instance of an event on one side is the k-th instance of that event on the other

Numbers run over the union of both sides in reading order, so an event found by one side only shifts the others.
Everything here is linear in the number of mentions but for sorting them.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FURTHER_INSTANCES = 1_000_000


class Mention(NamedTuple):
    """An event or time expression in the text: its id in the file, its first and its last token."""

    id: str
    first: int
    last: int


def number_events(gold: Sequence[Mention], system: Sequence[Mention]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of gold's and of the system's events, by their ids.

    Several events of one side that begin inside one token are paired in their order.

    >>> number_events([Mention("e8", 1, 1), Mention("e9", 4, 5)], [Mention("x", 2, 2), Mention("y", 4, 4)])
    ({'e8': 1, 'e9': 3}, {'x': 2, 'y': 3})
    """
    gold_places, system_places = _places(gold), _places(system)
    union = sorted({*gold_places.values(), *system_places.values()})
    number = {place: count for count, place in enumerate(union, 1)}
    return (
        {event: number[place] for event, place in gold_places.items()},
        {event: number[place] for event, place in system_places.items()},
    )


def _places(events: Iterable[Mention]) -> dict[str, tuple[int, int]]:
    """Return, for each event, its first token, and how many events of its side have begun there before it."""
    begun: Counter[int] = Counter()
    places = {}
    for event in events:
        places[event.id] = (event.first, begun[event.first])
        begun[event.first] += 1
    return places


def number_timexes(gold: Sequence[Mention], system: Sequence[Mention]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of gold's and of the system's time expressions, by their ids.

    Reading from left to right, gold before system on one token: a timex takes the number of a timex of the other
    side that is still open on its first token, unless its own side has used that number; else the next new number.

    >>> number_timexes([Mention("t1", 0, 2), Mention("t2", 3, 5)], [Mention("a", 2, 3), Mention("b", 5, 5)])
    ({'t1': 1, 't2': 2}, {'a': 1, 'b': 2})
    """
    beginnings = sorted(
        ((mention.first, side, mention) for side, mentions in enumerate((gold, system)) for mention in mentions),
        key=lambda beginning: beginning[:2],
    )
    numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
    used: tuple[set[int], set[int]] = (set(), set())
    still_open: tuple[deque[tuple[int, int]], deque[tuple[int, int]]] = (deque(), deque())  # (last token, number)
    newest = 0
    for first, side, mention in beginnings:
        candidates = still_open[1 - side]
        while candidates and candidates[0][0] < first:  # mentions of a side do not nest: the earliest ends first
            candidates.popleft()
        number = next((number for _, number in candidates if number not in used[side]), None)
        if number is None:
            newest += 1
            number = newest
        numbers[side][mention.id] = number
        used[side].add(number)
        still_open[side].append((mention.last, number))
    return numbers


def number_instances(instances: Iterable[tuple[str, str]], events: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers of the instances (instance id, event id) of one side, in file order.

    The first instance of event N gets N; each further one the first free number from 1000000 + N on.

    >>> number_instances([("a", "e1"), ("b", "e1"), ("c", "e2"), ("d", "e2"), ("f", "e1")], {"e1": 1, "e2": 2})
    {'a': 1, 'b': 1000001, 'c': 2, 'd': 1000002, 'f': 1000003}
    """
    numbers: dict[str, int] = {}
    taken: set[int] = set()
    upcoming: dict[str, int] = {}  # where the search for a further number of this event goes on
    for instance, event in instances:
        number = upcoming.get(event, events[event])
        while number in taken:
            number += 1
        upcoming[event] = number + 1 if event in upcoming else FURTHER_INSTANCES + number
        numbers[instance] = number
        taken.add(number)
    return numbers
