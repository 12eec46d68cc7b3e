"""The normalisation that precedes scoring in TempEval-3, so that raw system output can be scored.

Gold and system number their events and times each in their own way. The normaliser aligns the two annotations of a
text, gives their entities common ids (gold is renumbered too) and turns every link into one standard direction.
``raw_timeml`` reads the files and rewrites their links.

The official program stops at the first trouble; here each pair of documents is handled by itself and keeps its
objections. The relation scorer takes it from here: ``read_links(pair.gold.content)``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, deque
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError
from temporacle.model import Remark
from temporacle.scoring.official.normalizer.raw_timeml import (
    NormalizedLink,
    Numbers,
    TimemlFile,
    first_reference,
    links_in,
    obstacles,
    parse,
    rewrite,
    violations,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


# ----------------------------------------------------------------------------------------------------
# Common numbers for the entities of two annotations of one text.
#
#     events     have the same number when they begin on the same token, whatever their lengths
#     timexes    are paired by overlap, greedily from left to right (``number_timexes``)
#     instances  the k-th instance of an event on one side is the k-th instance of that event on the other
#
# Numbers run over the union of both sides in reading order, so an event found by one side only shifts the others.
# Everything here is linear in the number of mentions but for sorting them.

FURTHER_INSTANCES = 1_000_000


class NormalizedMention(NamedTuple):
    """An event or time expression in the text: its id in the file, its first and its last token."""

    id: str
    first: int
    last: int


def number_events(
    gold: Sequence[NormalizedMention], system: Sequence[NormalizedMention]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of gold's and of the system's events, by their ids.

    Several events of one side that begin inside one token are paired in their order.

    >>> gold = [NormalizedMention("e8", 1, 1), NormalizedMention("e9", 4, 5)]
    >>> number_events(gold, [NormalizedMention("x", 2, 2), NormalizedMention("y", 4, 4)])
    ({'e8': 1, 'e9': 3}, {'x': 2, 'y': 3})
    """
    gold_places, system_places = _places(gold), _places(system)
    union = sorted({*gold_places.values(), *system_places.values()})
    number = {place: count for count, place in enumerate(union, 1)}
    return (
        {event: number[place] for event, place in gold_places.items()},
        {event: number[place] for event, place in system_places.items()},
    )


def _places(events: Iterable[NormalizedMention]) -> dict[str, tuple[int, int]]:
    """Return, for each event, its first token, and how many events of its side have begun there before it."""
    begun: Counter[int] = Counter()
    places = {}
    for event in events:
        places[event.id] = (event.first, begun[event.first])
        begun[event.first] += 1
    return places


def number_timexes(
    gold: Sequence[NormalizedMention], system: Sequence[NormalizedMention]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of gold's and of the system's time expressions, by their ids.

    Reading from left to right, gold before system on one token: a timex takes the number of a timex of the other
    side that is still open on its first token, unless its own side has used that number; else the next new number.

    >>> gold = [NormalizedMention("t1", 0, 2), NormalizedMention("t2", 3, 5)]
    >>> number_timexes(gold, [NormalizedMention("a", 2, 3), NormalizedMention("b", 5, 5)])
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


# ----------------------------------------------------------------------------------------------------
# The tokens by which the normaliser compares texts and places tags.
#
# In the manner of the TreeTagger's tokeniser for English: words are cut at white space; brackets, quotes and
# punctuation are split off at their edges, then the clitics ('s, n't, 'll ...); a full stop stays with letters that
# have one each (U.S.); and a word with exactly one hyphen inside becomes three tokens. Curly quotes and dashes are
# ordinary characters.
#
# Where exactly a token ends matters only for a tag that begins or ends inside a word.

_WORD = re.compile(r"[^ \t\r\n]+")
_OPENING = frozenset("([{`\"'")
_CLOSING = frozenset(")]}`\"',;:!?%")
_CLITIC = re.compile(r"(?:'(?:s|re|ve|d|m|em|ll)|n't)\Z", re.IGNORECASE)
_LONGEST_CLITIC = 3
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+\Z")  # A., U.S., p.m.
_LONGEST_ABBREVIATION = 12  # keeps long runs of punctuation linear


def tokenize(text: str) -> list[str]:
    r"""Return the tokens of a text. Together they are the text without its white space.

    >>> tokenize('"Ann didn\'t see the U.S. hard-hit area," he said.')
    ['"', 'Ann', 'did', "n't", 'see', 'the', 'U.S.', 'hard', '-', 'hit', 'area', ',', '"', 'he', 'said', '.']
    """
    tokens: list[str] = []
    for word in _WORD.finditer(text):
        tokens.extend(_split(word.group()))
    return tokens


def _split(word: str) -> list[str]:
    if word.isalpha():
        return [word]
    start, end = 0, len(word)
    while end - start > 1 and word[start] in _OPENING and not _is_clitic(word, start, end):
        start += 1
    before = list(word[:start])
    after: list[str] = []  # from right to left
    while end - start > 1:
        cut = _cut(word, start, end)
        if cut == end:
            break
        after.append(word[cut:end])
        end = cut
    return [*before, *_at_hyphen(word[start:end]), *reversed(after)]


def _is_clitic(word: str, start: int, end: int) -> bool:
    """Return whether the word is a clitic that stands alone, as in texts that were tokenised before."""
    return end - start <= _LONGEST_CLITIC and _CLITIC.match(word, start, end) is not None


def _cut(word: str, start: int, end: int) -> int:
    """Return where the last token of ``word[start:end]`` begins; ``end`` if nothing is split off."""
    if end - start > len("...") and word.endswith("...", start, end):
        return end - len("...")
    clitic = _CLITIC.search(word, max(start, end - _LONGEST_CLITIC), end)
    if clitic:
        return clitic.start() if clitic.start() > start else end
    if word[end - 1] in _CLOSING:
        return end - 1
    if word[end - 1] == "." and word[end - 2] != "." and not _is_abbreviation(word, start, end):
        return end - 1
    return end


def _is_abbreviation(word: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_ABBREVIATION and _ABBREVIATION.match(word, start, end) is not None


def _at_hyphen(word: str) -> list[str]:
    left, hyphen, right = word.partition("-")
    return [left, hyphen, right] if left and right and "-" not in right else [word]


class TokenPlaces:
    """Finds the token that a character belongs to. Characters are counted without white space.

    >>> places = TokenPlaces(["hard", "-", "hit"])
    >>> [places.token_at(character) for character in (0, 3, 4, 5, 7)]
    [0, 0, 1, 2, 2]
    """

    __slots__ = ("_starts",)

    def __init__(self, tokens: Sequence[str]) -> None:
        self._starts = list(accumulate(map(len, tokens), initial=0))[:-1]

    def token_at(self, character: int) -> int:
        return bisect_right(self._starts, character) - 1


# ----------------------------------------------------------------------------------------------------
# The program that uses the alignment.


"""The content of each file of a folder by its name; the order is the order of the run."""


@dataclass(frozen=True, slots=True)
class NormalizedDocument:
    """The links of one side of a document after normalisation, in file order."""

    tags: tuple[str, ...]  # each a whole TLINK tag

    @property
    def content(self) -> bytes:
        """Return the tags as a file, for a scorer that finds TLINKs by a pattern."""
        return "\n".join(self.tags).encode("utf-8", "surrogatepass")

    @property
    def links(self) -> tuple[NormalizedLink, ...]:
        """Return the links that the tags state."""
        return tuple(links_in(self.tags))


@dataclass(frozen=True, slots=True)
class NormalizedPair:
    """Both sides of a document, each None where it cannot be normalised, and every objection to them.

    An objection does not always cost a side: the official program fails on some texts which are aligned here without
    any doubt (escaped characters, a vertical bar, other tokens made of the same characters).
    """

    name: str
    gold: NormalizedDocument | None = None
    system: NormalizedDocument | None = None
    objections: tuple[Objection, ...] = ()

    def stages(self, side: WhichSide) -> set[Stage]:
        """Return the place where the official program rejects this side."""
        return {objection.stage for objection in self.objections if objection.side is side}


def normalize_pair(gold: bytes | str, system: bytes | str, *, name: str = "") -> NormalizedPair:
    """Align one document's two annotations and rewrite the links of both.

    >>> document = '''<TimeML><DCT><TIMEX3 tid="t9">now</TIMEX3></DCT><TEXT>It <EVENT eid="e5">rained</EVENT>.</TEXT>
    ... <MAKEINSTANCE eiid="ei8" eventID="e5"/>
    ... <TLINK lid="l1" relType="AFTER" timeID="t9" relatedToEventInstance="ei8"/></TimeML>'''
    >>> normalize_pair(document, document).gold.links
    (NormalizedLink(source='ei1', label='BEFORE', target='t0'),)
    """
    objections: list[Objection] = []
    files = [_admitted(data, side, objections) for side, data in ((WhichSide.GOLD, gold), (WhichSide.SYSTEM, system))]
    gold_file, system_file = files
    if gold_file is None or system_file is None:
        return NormalizedPair(name, objections=tuple(objections))
    tokens, system_tokens = tokenize(gold_file.text), tokenize(system_file.text)
    objections.extend(_unlike_tokens(tokens, system_tokens))
    if "".join(tokens) != "".join(system_tokens):
        return NormalizedPair(name, objections=tuple(objections))
    objections.extend(_troubling_text(gold_file, WhichSide.GOLD))
    objections.extend(_troubling_text(system_file, WhichSide.SYSTEM))
    places = TokenPlaces(tokens)
    events = number_events(_mentions(gold_file, "EVENT", places), _mentions(system_file, "EVENT", places))
    times = number_timexes(_mentions(gold_file, "TIMEX3", places), _mentions(system_file, "TIMEX3", places))
    return NormalizedPair(
        name,
        _rewritten(gold_file, events[0], times[0], WhichSide.GOLD, objections),
        _rewritten(system_file, events[1], times[1], WhichSide.SYSTEM, objections),
        tuple(objections),
    )


def _admitted(data: bytes | str, side: WhichSide, objections: list[Objection]) -> TimemlFile | None:
    """Return the file if it is well-formed and satisfies the schema."""
    try:
        file = parse(data)
    except InputError as error:
        cure = f"; {error.cure}" if error.cure else ""
        objections.append(Objection(Stage.GATE, side, Remark("not-well-formed", error.reason + cure, error.line)))
        return None
    found = [Objection(Stage.GATE, side, remark) for remark in violations(file)]
    objections.extend(found)
    return None if found else file


def _unlike_tokens(gold: Sequence[str], system: Sequence[str]) -> Iterator[Objection]:
    if gold == system:
        return
    shared = min(len(gold), len(system))
    position = next((index for index in range(shared) if gold[index] != system[index]), shared)
    expected, found = (repr(side[position]) if position < len(side) else "the end" for side in (gold, system))
    message = f"token {position + 1} of TEXT is {found}, but {expected} in gold; both sides must annotate one text"
    yield Objection(Stage.ALIGNMENT, WhichSide.SYSTEM, Remark("other-text", message))


def _troubling_text(file: TimemlFile, side: WhichSide) -> Iterator[Objection]:
    """Return what the official program cannot align although it is correct."""
    troubles = [
        f"{what} in TEXT: the official program fails here"
        for what in (first_reference(file), "|" if "|" in file.text else None)
        if what is not None
    ]
    return (Objection(Stage.ALIGNMENT, side, Remark("unsupported-character", trouble)) for trouble in troubles)


def _mentions(file: TimemlFile, tag: str, places: TokenPlaces) -> list[NormalizedMention]:
    """Return the events or time expressions that have text in TEXT, in reading order."""
    key = "eid" if tag == "EVENT" else "tid"
    return [
        NormalizedMention(element.attributes[key], places.token_at(element.start), places.token_at(element.end - 1))
        for element in file.named(tag)
        if element.inside == "TEXT" and element.start < element.end
    ]


def _rewritten(
    file: TimemlFile, events: Mapping[str, int], times: Mapping[str, int], side: WhichSide, objections: list[Objection]
) -> NormalizedDocument | None:
    dct = next(timex.attributes["tid"] for timex in file.named("TIMEX3") if timex.inside == "DCT")
    instances = [
        (instance.attributes["eiid"], instance.attributes.get("eventID", ""), instance)
        for instance in file.named("MAKEINSTANCE")
    ]
    failures = [
        Remark("event-without-text", f"the EVENT {event!r} is empty or stands outside TEXT", element.line, element.name)
        for _, event, element in instances
        if event not in events
    ]
    if not failures:
        numbers = Numbers(number_instances([pair[:2] for pair in instances], events), {**times, dct: 0})
        failures = list(obstacles(file, numbers))
    if failures:
        objections.extend(Objection(Stage.REWRITING, side, failure) for failure in failures)
        return None
    rewriting = rewrite(file, numbers)
    objections.extend(Objection(Stage.NOTE, side, remark) for remark in rewriting.remarks)
    return NormalizedDocument(rewriting.tags)


# ----------------------------------------------------------------------------------------------------
# Complaints of the official normaliser, and how much of its output each complaint costs.


class WhichSide(Enum):
    """The two annotations of a document, in the order in which the official program handles them."""

    GOLD = "gold"
    SYSTEM = "system"


class Stage(Enum):
    """The stage at which the official program notices something. It decides what the program still writes."""

    GATE = "gate"  # names, well-formedness, schema: nothing is written for any document of the run
    ALIGNMENT = "alignment"  # neither side of this document is written, nor any later document
    REWRITING = "rewriting"  # this side is not written, nor anything after it
    NOTE = "note"  # the program goes on, perhaps with a message


class Objection(NamedTuple):
    """One complaint about one side of one document."""

    stage: Stage
    side: WhichSide
    remark: Remark

    def __str__(self) -> str:
        line = f"line {self.remark.line}: " if self.remark.line is not None else ""
        element = f"{self.remark.element}: " if self.remark.element else ""
        return f"{self.side.value}: {line}{element}{self.remark.message}"
