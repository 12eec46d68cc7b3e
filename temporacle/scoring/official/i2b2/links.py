"""Comparing the links of two files of i2b2 2012: by the TempEval-3 graph, or by looking them up."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.scoring.official.registry import AddedUp, Stop
from temporacle.scoring.official.tempeval3.graph import OfficialTimegraph
from temporacle.scoring.official.tempeval3.scores import OfficialSide, score_sides, shared_entities
from temporacle.scoring.official.tempeval3.tlinks import Triple, inverse_in_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.scoring.official.i2b2 import Mapping

MODES = ("tempeval", "oo", "oc", "cc")
SECTION_TIMES = (b"Admission", b"Discharge")


@dataclass(frozen=True, slots=True)
class LinkCounts(AddedUp):
    """Matches and totals of the links of a document."""

    precision_matched: int = 0
    system_total: int = 0
    recall_matched: int = 0
    gold_total: int = 0


def _unknown(identifier: bytes) -> bytes:
    return b"\nError: Unknown EVENT or TIMEX id in TLINK: " + identifier + b"\n"


# --- tempeval ---------------------------------------------------------------------------------------------------------


def gold_triples(content: bytes, gold_map: Mapping, system_map: Mapping, say: Callable[[bytes], None]) -> list[Triple]:
    """Return gold's links, their ids sent to the system and back."""

    def sent(identifier: bytes) -> bytes:
        if len(gold_map) < 3:
            there = identifier
        elif identifier in gold_map:
            there = gold_map[identifier][0]
        else:
            say(_unknown(identifier))
            there = b""
        return system_map[there][0] if there in system_map else identifier

    return [
        Triple(sent(link.source), sent(link.target), _simultaneous(link.label))
        for link in links_in(content)
        if link.source and link.target and link.label
    ]


def system_triples(content: bytes, system_map: Mapping, say: Callable[[bytes], None]) -> list[Triple]:
    """Return the system's links under gold's ids; those with unknown ids are dropped."""
    found = []
    for link in links_in(content):
        if not (link.source and link.target):
            continue
        ends = []
        for identifier in (link.source, link.target):
            if len(system_map) < 3:
                ends.append(identifier)
            elif identifier in system_map:
                ends.append(system_map[identifier][0])
            else:
                say(_unknown(identifier))
        if len(ends) == 2 and link.label:
            found.append(Triple(ends[0], ends[1], _simultaneous(link.label)))
    return found


def _simultaneous(label: bytes) -> bytes:
    return label.replace(b"OVERLAP", b"SIMULTANEOUS")


class I2b2Side(OfficialSide):
    """A side of a document: DURING is SIMULTANEOUS in the graph only, and self links have inverses, too."""

    @staticmethod
    def graph_of(links: Sequence[Triple], budget: Budget | None) -> OfficialTimegraph:
        return OfficialTimegraph(links, budget, label_of=lambda label: b"SIMULTANEOUS" if label == b"DURING" else label)

    @staticmethod
    def lines_of(links: Sequence[Triple]) -> Iterator[Triple]:
        for link in links:
            yield link
            inverse = b"DURING_BY" if link.label == b"DURING" else inverse_in_text(link.label)
            yield Triple(link.target, link.source, inverse)


def tempeval_counts(gold: Sequence[Triple], system: Sequence[Triple], budget: Budget) -> LinkCounts:
    """Score as the TempEval-3 program does."""
    sides = I2b2Side(gold, budget), I2b2Side(system, budget)
    counts = score_sides(*sides, "default").counts
    common = shared_entities(*(side.scored("default") for side in sides))
    # The program works out a weight that it does not use.
    if 1 + common * (common - 1) / 2 - counts.recall_matched == 0:
        raise Stop("ZeroDivisionError", "as many links are found as pairs of common entities can have, and one more")
    return LinkCounts(counts.precision_matched, counts.system_total, counts.recall_matched, counts.gold_total)


# --- looking up -------------------------------------------------------------------------------------------------------


def looked_up_counts(
    gold: bytes, system: bytes, maps: tuple[Mapping, Mapping], mode: str, say: Callable[[bytes], None]
) -> LinkCounts:
    """Score by looking links up on the other side: own links (o) or closed ones (c)."""
    own = _own_links(gold), _own_links(system)
    closures = closed_links(gold, own[0]), closed_links(system, own[1])
    if mode != "oo":
        for _ in range(2):
            say(b"\nSputLink is computing the temporal closure... Please give it a moment...\n")
        if None in closures:
            return LinkCounts()
    closed = closures[0] or [], closures[1] or []
    asked, known = (own if letter == "o" else closed for letter in mode)
    gold_map, system_map = maps
    precise = _found(asked[1], known[0], system_map, say)
    recalled = _found(asked[0], known[1], gold_map, say)
    return LinkCounts(precise, len(asked[1]), recalled, len(asked[0]))


def _own_links(content: bytes) -> list[TagLink]:
    return [link._replace(label=link.label.replace(b"SIMULTANEOUS", b"OVERLAP").upper()) for link in links_in(content)]


def _found(asked: Sequence[TagLink], known: Sequence[TagLink], mapping: Mapping, say: Callable[[bytes], None]) -> int:
    there = {(link.source, link.target, link.label) for link in known}
    ways = {**mapping, **{time: [time] for time in SECTION_TIMES}}
    as_written = len(ways) == len(SECTION_TIMES)
    count = 0
    for link in asked:
        if not (link.source and link.target) or b"R" in link.id or b"S" in link.source or b"S" in link.target:
            continue
        if as_written:
            count += (link.source, link.target, link.label) in there
            continue
        unknown = [end for end in (link.source, link.target) if end not in ways]
        for end in unknown:
            say(_unknown(end))
        if not unknown:
            pairs = product(ways[link.source], ways[link.target])
            count += any((source, target, link.label) in there for source, target in pairs)
    return count


# ----------------------------------------------------------------------------------------------------
# The closure of i2b2 2012's ``oc`` and ``cc``: three relations, derived link by link until a contradiction is met.

Pair: TypeAlias = tuple[bytes, bytes]

_MEANING = {b"BEFORE": "<", b"AFTER": ">"} | dict.fromkeys(
    (b"SIMULTANEOUS", b"IDENTITY", b"DURING", b"HOLDS", b"HELD_BY"), "="
)
_INVERSE = {b"BEFORE": b"AFTER", b"AFTER": b"BEFORE", b"HOLDS": b"HELD_BY", b"HELD_BY": b"HOLDS"} | {
    label: label for label in (b"SIMULTANEOUS", b"IDENTITY", b"DURING")
}
_LABELS = {"<": b"BEFORE", ">": b"AFTER", "=": b"OVERLAP"}
_OTHER_TAGS = (b"<EVENT", b"<TIMEX3", b"<SECTIME")
_FIRST_LINE = 3  # where the end of the text is looked for: the fourth line


def closed_links(content: bytes, own: Sequence[TagLink]) -> list[TagLink] | None:
    """Return own links and what follows from them; None where the closure program dies."""
    lines = _tag_lines(content)
    entities = _entities(lines)
    if len(entities) < 2:
        return None
    stated = {(link.source, link.target, link.label) for link in own}
    derived = I2b2Closure(_usable_links(lines, entities)).edges()
    return [*own, *(TagLink(b"closure", *edge) for edge in derived if edge not in stated)]


def _tag_lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        if number >= _FIRST_LINE and b"]]><" in line:
            return lines[number + 2 :]
    return []


def _entities(lines: Sequence[bytes]) -> set[bytes]:
    found = set()
    for line in lines:
        if b"<EVENT id" in line or b"<TIMEX3 id" in line:
            parts = line.split(b" id=")
            if len(parts) != 2:
                raise Stop("ValueError", "a tag in which id= does not occur exactly once")
            found.add(parts[1].split(b'"')[1] if parts[1].count(b'"') > 1 else parts[1])
    return found


def _usable_links(lines: Sequence[bytes], entities: set[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    """Return the links that the closure gets. A link behind a tag of another kind is lost, except the first."""
    found = []
    is_first, interrupted = True, False
    for line in lines:
        if b"<TLINK" in line:
            (link,) = links_in(line)
            usable = is_first or not interrupted
            is_first, interrupted = False, False
            if usable and link.label and link.source in entities and link.target in entities:
                found.append((link.source, link.target, link.label.replace(b"OVERLAP", b"SIMULTANEOUS")))
        elif any(tag in line for tag in _OTHER_TAGS):
            interrupted = True
    return found


class I2b2Closure:
    """Relations of ordered pairs. The first relation of a pair stays; the first conflict ends all derivation."""

    def __init__(self, links: Sequence[tuple[bytes, bytes, bytes]]) -> None:
        self._relations: dict[Pair, str] = {}
        self._into: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self._from: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self._waiting: set[Pair] = set()
        self._bad = False
        for source, target, label in links:
            for left, right, relation in (
                (source, target, _MEANING.get(label.upper())),
                (target, source, _MEANING.get(_INVERSE.get(label, b""))),
            ):
                if relation is not None and (left, right) not in self._relations:
                    self._enter((left, right), relation)
                    self._derive_all()

    def edges(self) -> list[tuple[bytes, bytes, bytes]]:
        return [(*pair, _LABELS[relation]) for pair, relation in self._relations.items()]

    def _enter(self, pair: Pair, relation: str) -> None:
        self._relations[pair] = relation
        self._from[pair[0]].append(pair[1])
        self._into[pair[1]].append(pair[0])
        if pair[0] != pair[1]:
            self._waiting.add(pair)

    def _derive_all(self) -> None:
        while self._waiting:
            for pair in sorted(self._waiting):
                if self._bad:
                    return
                self._waiting.discard(pair)
                a, b = pair
                for k in list(self._into[a]):
                    self._derive((k, b), self._relations[k, a], self._relations[pair])
                for k in list(self._from[b]):
                    self._derive((a, k), self._relations[pair], self._relations[b, k])

    def _derive(self, pair: Pair, first: str, second: str) -> None:
        if pair[0] == pair[1] or {first, second} == {"<", ">"}:
            return
        relation = second if first == "=" else first
        if pair not in self._relations:
            self._enter(pair, relation)
        elif self._relations[pair] != relation:
            self._bad = True


# ----------------------------------------------------------------------------------------------------
# Reading a file of i2b2 2012 as its program does: bytes, line by line, without parsing XML.

_BLANKS = rb"[ \t\r\v\f]+"
_NUMBER = re.compile(rb"[ \t\r\v\f\n]*[+-]?[0-9]+[ \t\r\v\f\n]*")


def _pattern(*names: str, end: bytes) -> re.Pattern[bytes]:
    # The name of the first attribute may be the end of a longer one: the program searches for the text.
    return re.compile(_BLANKS.join(rb'%s="([^"]*)"' % name.encode() for name in names) + end)


_EVENT = _pattern("id", "start", "end", "text", "modality", "polarity", "type", end=_BLANKS + b"/>")
_TIMEX = _pattern("id", "start", "end", "text", "type", "val", "mod", end=_BLANKS + b"/>")
_TLINK = _pattern("id", "fromID", "fromText", "toID", "toText", "type", end=_BLANKS + b".*/>")


class I2b2Tag(NamedTuple):
    """An event or a time. ``attributes``: modality, polarity, type of an event; val, mod, type of a time."""

    id: bytes
    start: int
    end: int
    text: bytes
    attributes: tuple[bytes, bytes, bytes]


class TagLink(NamedTuple):
    """A link as it is written."""

    id: bytes
    source: bytes
    target: bytes
    label: bytes


def _matches(content: bytes, tag: bytes, pattern: re.Pattern[bytes]) -> list[re.Match[bytes]]:
    found = []
    for line in content.split(b"\n"):
        if b"<" + tag in line:
            match = pattern.search(line)
            if match is None:
                shown = line.decode("utf-8", "replace").strip()[:80]
                raise Stop("Exception", f"the {tag.decode()} tag is not in the expected form: {shown}")
            found.append(match)
    return found


def events_in(content: bytes) -> list[I2b2Tag]:
    """Return the events, each id once."""
    return _tags((match.groups() for match in _matches(content, b"EVENT", _EVENT)), lambda m, p, t: (m, p, t))


def times_in(content: bytes) -> list[I2b2Tag]:
    """Return the times, each id once."""
    return _tags((match.groups() for match in _matches(content, b"TIMEX3", _TIMEX)), lambda t, v, m: (v, m, t))


def links_in(content: bytes) -> list[TagLink]:
    """Return the links in order."""
    groups = (match.groups() for match in _matches(content, b"TLINK", _TLINK))
    return [TagLink(name, source, target, label) for name, source, _, target, _, label in groups]


def _tags(
    rows: Iterable[tuple[bytes, ...]], order: Callable[[bytes, bytes, bytes], tuple[bytes, bytes, bytes]]
) -> list[I2b2Tag]:
    found: dict[bytes, I2b2Tag] = {}
    for name, start, end, text, *attributes in rows:
        place = _whole(start), _whole(end)
        upper = (attribute.upper() for attribute in attributes)
        found.setdefault(name, I2b2Tag(name, *place, text, order(*upper)))
    return list(found.values())


def _whole(text: bytes) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise Stop("ValueError", f"{text.decode('utf-8', 'replace')!r} is not a whole number")
    return int(text)
