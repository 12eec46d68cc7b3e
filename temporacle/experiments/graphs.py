"""Random graphs that are consistent by construction, and subsets of their links.

*Uncertain* graphs are those of Tannier & Muller (2011), section 6.1: events are intervals whose endpoints are known up
to a range. Between endpoints in [a, b] and [c, d] every order that some choice of values shows is possible, so each
pair has a convex relation, and any choice of values satisfies all of them.

*Text-like* graphs have few links, each between entities that are near in the order of mention, as annotators place
them; every relation is one atom, taken from random intervals.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.model import Document, Link
from temporacle.reasoner.algebra import ALL, EQ, GT, LT, RelationClass, classify, mask_of
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import ATOMS, Relation, atom_holding
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from temporacle.experiments.outcome import Settings
    from temporacle.reasoner.network import PairTable

_ROOM = 4  # time points an event
_LONGEST = 10  # time points between the latest start and the earliest end of an event
_VAGUE = 5  # the widest range of an endpoint
_NEAR = 6  # how far back a text-like link reaches
_EXTRA = 0.4  # links beyond those that connect all entities, per entity


class SizeRange(NamedTuple):
    """The range of values of an endpoint."""

    low: int
    high: int


class Event(NamedTuple):
    """An interval whose endpoints are known up to a range. The start always comes before the end."""

    start: SizeRange
    end: SizeRange


def _signs(p: SizeRange, q: SizeRange) -> int:
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
    return Event(SizeRange(start, latest_start), SizeRange(end, end + _vagueness(random)))


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


# ----------------------------------------------------------------------------------------------------
# Random networks of disjunctions, as the literature on hard instances draws them (Nebel 1997).
#
# A(n, d, l)   n entities; each pair is linked with probability d / (n - 1); each of the 13 atoms is in a label with
#              probability l / 13. Empty labels are drawn again
# H(n, d, l)   the same, but labels of the ORD-Horn class are drawn again too

FAMILIES = {"A": 6.5, "H": 4.0}  # atoms in a label, on average


def hard_network(random: Random, family: str, size: int, degree: float, name: str) -> Document:
    """Return a network of a family, with entities 0 .. size - 1."""
    links = [
        Link(f"{i}-{j}", str(i), _label(random, family), str(j))
        for i, j in combinations(range(size), 2)
        if random.random() < degree / (size - 1)
    ]
    return Document(name, tuple(links), tuple(map(str, range(size))))


def _label(random: Random, family: str) -> Relation:
    chance = FAMILIES[family] / len(ATOMS)
    while True:
        relation = Relation.of(*(atom for atom in ATOMS if random.random() < chance))
        if relation and (family != "H" or classify(relation) is RelationClass.GENERAL):
            return relation


# ----------------------------------------------------------------------------------------------------
# The graphs an experiment works on: generated ones, or a sample of the documents of a corpus.

LARGEST = 60  # linked entities of a sampled document; beyond it, thousands of closures take too long
_BUDGET = 10.0  # seconds to find out whether a document is consistent


def sampled_documents(settings: Settings, random: Random, *, largest: int | None = LARGEST) -> list[Document]:
    """Return consistent documents of the corpus with links, in random order, as many as ``graphs`` says."""
    found: list[Document] = []
    for document in random.sample(settings.corpus, len(settings.corpus)):
        if len(found) == settings.graphs:
            break
        mentioned = {end for link in document.links for end in (link.source, link.target)}
        fits = len(mentioned) >= 2 and (largest is None or len(mentioned) <= largest)
        if len(document.links) >= 2 and fits and _consistent(document):
            found.append(document)
    if not found:
        size = "" if largest is None else f", up to {largest} linked entities"
        raise UsageError(f"no document of the corpus can be used: it must be consistent and have two links{size}")
    return found


def _consistent(document: Document) -> bool:
    try:
        return Oracle(document, budget=_BUDGET).is_consistent()
    except BudgetExceeded:
        return False
