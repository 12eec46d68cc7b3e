"""Common numbers for the entities of two annotations of one text.

    events     have the same number when they begin on the same token, whatever their lengths
    timexes    are paired by overlap, greedily from left to right (``number_timexes``)
    instances  the k-th instance of an event on one side is the k-th instance of that event on the other

Numbers run over the union of both sides in reading order, so an event found by one side only shifts the others.
Everything here is linear in the number of mentions but for sorting them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, deque
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
