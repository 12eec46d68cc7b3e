"""Random graphs that are consistent by construction, and subsets of their links.

*Uncertain* graphs are those of Tannier & Muller (2011), section 6.1: events are intervals whose endpoints are known up
to a range. Between endpoints in [a, b] and [c, d] every order that some choice of values shows is possible, so each
pair has a convex relation, and any choice of values satisfies all of them.

*Text-like* graphs have few links, each between entities that are near in the order of mention, as annotators place
them; every relation is one atom, taken from random intervals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import Document, Link
from temporacle.reasoner.algebra import ALL, EQ, GT, LT, mask_of
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation, atom_holding
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from temporacle.reasoner.network import PairTable

_ROOM = 4  # time points an event
_LONGEST = 10  # time points between the latest start and the earliest end of an event
_VAGUE = 5  # the widest range of an endpoint
_NEAR = 6  # how far back a text-like link reaches
_EXTRA = 0.4  # links beyond those that connect all entities, per entity


class Range(NamedTuple):
    """The range of values of an endpoint."""

    low: int
    high: int


class Event(NamedTuple):
    """An interval whose endpoints are known up to a range. The start always comes before the end."""

    start: Range
    end: Range


def _signs(p: Range, q: Range) -> int:
    """Return the orders that are possible for values in two ranges."""
    return (
        (LT if p.low < q.high else 0)
        | (EQ if p.low <= q.high and q.low <= p.high else 0)
        | (GT if p.high > q.low else 0)
    )


def _relation(x: Event, y: Event) -> int:
    return mask_of((_signs(x.start, y.start), _signs(x.start, y.end), _signs(x.end, y.start), _signs(x.end, y.end)))


def _event(random: Random, entities: int) -> Event:
    """Return a random place on a line that grows with the number of events, so that all graphs are equally dense."""
    start = random.randrange(_ROOM * entities)
    latest_start = start + _vagueness(random)
    end = latest_start + random.randint(1, _LONGEST)
    return Event(Range(start, latest_start), Range(end, end + _vagueness(random)))


def _vagueness(random: Random) -> int:
    """Return the random width of a range. Half of them are 0; otherwise equal endpoints would be very rare."""
    return random.randint(0, _VAGUE) if random.random() < 0.5 else 0


def uncertain_graph(random: Random, entities: int, *, related: bool = True) -> PairTable:
    """Return a closed graph. ``related``: an event that would be unrelated to an earlier one is drawn again."""
    events: list[Event] = []
    while len(events) < entities:
        event = _event(random, entities)
        if not related or all(_relation(event, other) != ALL for other in events):
            events.append(event)
    names = [f"e{number}" for number in range(1, entities + 1)]
    links = (
        (names[i], Relation(_relation(events[i], events[j])), names[j])
        for i in range(entities)
        for j in range(i + 1, entities)
    )
    return closed(Network(Network.of(links).links, names))


def text_like_graph(random: Random, entities: int, name: str = "text") -> Document:
    """Return a document with a few links for every entity that all hold for one set of intervals."""
    times = {}
    for number in range(1, entities + 1):
        start = random.randrange(3 * entities)
        times[f"e{number}"] = (start, start + random.randint(1, max(2, entities // 2)))
    names = list(times)
    pairs: dict[tuple[str, str], None] = {}
    for number in range(1, entities):
        pairs[names[number], names[random.randrange(max(0, number - _NEAR), number)]] = None
    for _ in range(int(_EXTRA * entities)):
        first, second = random.sample(range(entities), 2)
        if abs(first - second) <= 2 * _NEAR and (names[second], names[first]) not in pairs:
            pairs[names[first], names[second]] = None
    links = [(source, Relation.of(atom_holding(times[source], times[target])), target) for source, target in pairs]
    return Document(name, Network.of(links).links, tuple(names))


def closed(network: Network) -> PairTable:
    """Return the closure of a network that is known to be consistent."""
    table = Oracle(network).minimal_network()
    if table is None:
        raise AssertionError("a graph that was made consistent is not")
    return table


def links_of(table: PairTable) -> list[Link]:
    """Return every relation of a closed graph as a link; pairs about which nothing is known have none."""
    return [Link(f"l{n}", source, relation, target) for n, (source, relation, target) in enumerate(table.pairs(), 1)]


def independent_links(links: Iterable[Link], entities: Sequence[str], random: Random) -> list[Link]:
    """Return a subset from which the same follows and in which no link follows from the others. The order of trial is
    random.

    One question to the oracle for every link.
    """
    left = list(links)
    for link in random.sample(left, len(left)):
        rest = [other for other in left if other is not link]
        if Oracle(Network(rest, entities)).entails(link.source, link.relation, link.target) is Verdict.ENTAILED:
            left = rest
    return left
