"""Match the entities of the system with those of the gold standard if they do not share ids.

    1  the creation times of both documents are the same
    2  the others are matched one to one where their spans overlap and their kinds do not differ (a kind that a side
       does not state differs from none), so that in this order as many as possible
         - have the same span
         - characters are shared
         - have the same kind
       and after that the shortest spans, and the order in the documents, decide

Spans are compared in characters of the text without blanks, so line ends and indentation do not matter. Where the two
texts differ in more than blanks, equal stretches of words are found first; an entity outside them has no position, on
either side. Every entity has at most one counterpart. The rest is reported; in the links of the system it gets a name
that the gold standard does not know.

The result is the same with the sides exchanged: the two documents are put into an order of their own before they are
compared. Groups of over a hundred entities that overlap each other are matched pair by pair, largest weight first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError
from temporacle.model import Body, Kind
from temporacle.results import Unmatched
from temporacle.scoring.matching import best_matching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.model import Document, Entity

Span = tuple[int, int]
_LARGEST_GROUP = 100  # entities of a side; beyond it the best matching would take too long


class Aligned(NamedTuple):
    """The system's document under the ids of the gold document."""

    system: Document
    unmatched: Unmatched
    texts_differ: bool


def align_by_spans(gold: Document, system: Document) -> Aligned:
    """Rename the system's entities. Raise InputError if one side has entities but no spans."""
    for document in (gold, system):
        if document.entities and not any(entity.spans or entity.is_dct for entity in document.entities):
            raise InputError(
                "no entity has a span, so nothing can be aligned",
                path=document.path or document.id,
                cure='choose align="ids"',
            )
    found = matched_entities(gold, system)
    partner = {other: own for own, other in found.pairs}
    names = {entity.id for entity in gold.entities} | set(gold.entity_ids)
    renamed = _Renaming(partner, names)
    links = tuple(link._replace(source=renamed(link.source), target=renamed(link.target)) for link in system.links)
    entities = tuple(entity.renamed(renamed) for entity in system.entities)
    ids = tuple(map(renamed, system.entity_ids))
    matched = set(partner.values())
    unmatched = Unmatched(
        tuple(entity.id for entity in gold.entities if entity.id not in matched),
        tuple(entity.id for entity in system.entities if entity.id not in partner),
    )
    return Aligned(
        replace(system, links=links, entity_ids=ids, body=Body(entities, system.text), known_times=None),
        unmatched,
        found.texts_differ,
    )


class _Renaming:
    """Ids of the system as ids of the gold standard, or as names that it does not have."""

    def __init__(self, partner: dict[str, str], taken: set[str]) -> None:
        self._partner = dict(partner)
        self._taken = taken

    def __call__(self, name: str) -> str:
        if name not in self._partner:
            fresh = f"system:{name}"
            while fresh in self._taken:
                fresh = f"system:{fresh}"
            self._partner[name] = fresh
            self._taken.add(fresh)
        return self._partner[name]


# --- matching ---------------------------------------------------------------------------------------------------------


class MatchedEntities(NamedTuple):
    """Pairs of ids (first document, second document), and whether the texts differ in more than blanks."""

    pairs: tuple[tuple[str, str], ...]
    texts_differ: bool


def matched_entities(first: Document, second: Document) -> MatchedEntities:
    """Return which entities are the same. Exchanging the documents gives the same pairs, exchanged."""
    turned = _order(second) < _order(first)
    one, other = (second, first) if turned else (first, second)
    positions, texts_differ = _positions(one.text, other.text)
    sides = _Side(one, positions[0]), _Side(other, positions[1])
    pairs = [*_creation_times(*sides), *_overlapping(*sides)]
    found = [(b, a) for a, b in pairs] if turned else pairs
    return MatchedEntities(tuple(found), texts_differ)


def _order(document: Document) -> tuple[object, ...]:
    """Return an order of documents that depends only on what alignment uses."""
    entities = [(entity.spans, entity.kind.value, entity.is_dct) for entity in document.entities]
    return (document.text or "", entities)


class _Side:
    """The entities of one document, with their places in common positions."""

    def __init__(self, document: Document, position: Callable[[Span], Span | None]) -> None:
        self.entities: Sequence[Entity] = document.entities
        self.dcts = [entity.id for entity in self.entities if entity.is_dct]
        self.places = [
            tuple(place for span in entity.spans if (place := position(span)) is not None) for entity in self.entities
        ]


def _creation_times(one: _Side, other: _Side) -> Iterator[tuple[str, str]]:
    return zip(one.dcts, other.dcts, strict=False)


def _overlapping(one: _Side, other: _Side) -> Iterator[tuple[str, str]]:
    """Return the best matching of all other entities, for each group of entities that overlap each other."""
    taken = min(len(one.dcts), len(other.dcts))
    gone = set(one.dcts[:taken]), set(other.dcts[:taken])
    weights = _weights(one, other, gone)
    found: list[tuple[int, int]] = []
    for group in _groups(weights):
        sizes = (len({pair[side] for pair in group}) for side in (0, 1))
        matched = best_matching if max(sizes) <= _LARGEST_GROUP else _greedy
        found += matched({pair: weights[pair] for pair in group})
    return ((one.entities[a].id, other.entities[b].id) for a, b in sorted(found))


def _greedy(weights: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    taken: tuple[set[int], set[int]] = (set(), set())
    found = []
    for a, b in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        if a not in taken[0] and b not in taken[1]:
            found.append((a, b))
            taken[0].add(a)
            taken[1].add(b)
    return found


def _weights(one: _Side, other: _Side, gone: tuple[set[str], set[str]]) -> dict[tuple[int, int], int]:
    """Return a weight for each possible pair, so that sums of weights compare as the rules above say."""
    at: defaultdict[int, list[int]] = defaultdict(list)
    same: defaultdict[tuple[Span, ...], list[int]] = defaultdict(list)  # spans of no width share no character
    for b, entity in enumerate(other.entities):
        if entity.id not in gone[1]:
            same[other.places[b]].append(b)
            for character in _characters(other.places[b]):
                at[character].append(b)
    levels: dict[tuple[int, int], tuple[int, ...]] = {}
    longest = 2 * max((len(_characters(place)) for side in (one, other) for place in side.places), default=0)
    counts = len(one.entities), len(other.entities)
    for a, entity in enumerate(one.entities):
        if entity.id in gone[0] or not one.places[a]:
            continue
        own = _characters(one.places[a])
        shared = Counter(b for character in own for b in at.get(character, ()))
        for b in {**shared, **dict.fromkeys(same.get(one.places[a], ()))}:
            overlap = shared[b]
            kinds = {entity.kind, other.entities[b].kind}
            if len(kinds - {Kind.UNKNOWN}) > 1:
                continue
            length = len(own) + len(_characters(other.places[b]))
            same_span = int(one.places[a] == other.places[b])
            order = (counts[0] - a) * (counts[1] - b)  # largest in sum where order is kept, earlier ones first
            levels[a, b] = (same_span, overlap, int(len(kinds) == 1), longest - length, order)
    return _combined(levels, min(counts))


def _combined(levels: dict[tuple[int, int], tuple[int, ...]], most_pairs: int) -> dict[tuple[int, int], int]:
    """Return one number for several levels. The sum of a level over a matching never reaches the level above."""
    ranges = [most_pairs * max(column) + 1 for column in zip(*levels.values(), strict=True)]
    combined = {}
    for pair, values in levels.items():
        number = 0
        for value, bound in zip(values, ranges, strict=True):
            number = number * bound + value
        combined[pair] = number
    return combined


def _groups(weights: dict[tuple[int, int], int]) -> list[list[tuple[int, int]]]:
    """Return groups of pairs that are connected by common entities."""
    neighbours: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # (side, entity) -> pairs
    for pair in weights:
        for side in (0, 1):
            neighbours[side, pair[side]].append(pair)
    groups = []
    met: set[tuple[int, int]] = set()
    for start in weights:
        if start in met:
            continue
        met.add(start)
        group, waiting = [], [start]
        while waiting:
            pair = waiting.pop()
            group.append(pair)
            for side in (0, 1):
                for other in neighbours.pop((side, pair[side]), ()):
                    if other not in met:
                        met.add(other)
                        waiting.append(other)
        groups.append(group)
    return groups


def _characters(spans: tuple[Span, ...]) -> list[int]:
    return [place for start, end in spans for place in range(start, end)]


# --- positions --------------------------------------------------------------------------------------------------------


def _positions(
    first: str | None, second: str | None
) -> tuple[tuple[Callable[[Span], Span | None], Callable[[Span], Span | None]], bool]:
    """Return the spans of either text in common positions, and whether the texts differ in more than blanks."""
    squeezed = _squeezed(first), _squeezed(second)
    if first is None or second is None:
        return squeezed, False
    words = first.split(), second.split()
    if "".join(words[0]) == "".join(words[1]):
        return squeezed, False
    from difflib import SequenceMatcher

    starts = [[0, *accumulate(map(len, side))] for side in words]
    blocks = SequenceMatcher(None, *words, autojunk=False).get_matching_blocks()
    # A stretch that both texts have is found at the place that it has in the first.
    common = [(starts[0][block.a], starts[0][block.a + block.size], starts[0][block.a]) for block in blocks]
    moved = [(starts[1][block.b], starts[1][block.b + block.size], starts[0][block.a]) for block in blocks]
    return (_inside(squeezed[0], common), _inside(squeezed[1], moved)), True


def _squeezed(text: str | None) -> Callable[[Span], Span]:
    """Return positions that count only characters other than blanks."""
    if text is None:
        return lambda span: span
    before = [0, *accumulate(not character.isspace() for character in text)]
    last = len(text)
    return lambda span: (before[min(span[0], last)], before[min(span[1], last)])


def _inside(squeeze: Callable[[Span], Span], blocks: list[tuple[int, int, int]]) -> Callable[[Span], Span | None]:
    """Return the positions of spans that lie in one of the stretches (start, end, common start)."""

    def moved(span: Span) -> Span | None:
        start, end = squeeze(span)
        found = bisect_right(blocks, (start, float("inf"))) - 1
        if found < 0 or end > blocks[found][1]:
            return None
        offset = blocks[found][2] - blocks[found][0]
        return start + offset, end + offset

    return moved
