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

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError, spelled
from temporacle.model import Body, Document, Kind, Remark
from temporacle.results import Unmatched
from temporacle.scoring.metric import Align

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
                cure=f"choose {spelled('align', 'ids')}",
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


# ----------------------------------------------------------------------------------------------------
# Maximum weight matching between two small sets (the Hungarian method, Kuhn 1955; Munkres 1957).
#
#     potentials u, v with u[i] + v[j] <= cost[i][j]; rows are added one by one
#     for each row: a shortest alternating path to a free column by reduced costs, then flip the path
#
# O(n^3) for n rows or columns, in whole numbers: exact for weights of any size.


def best_matching(weights: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return pairs (row, column) of largest total weight, with no row or column twice.

    Weights are positive; pairs without a weight are left out.

    >>> best_matching({(0, 0): 5, (0, 1): 4, (1, 0): 4})
    [(0, 1), (1, 0)]
    """
    rows, columns = ({name: place for place, name in enumerate(sorted(side))} for side in _sides(weights))
    size = max(len(rows), len(columns))
    cost = [[0] * size for _ in range(size)]
    for (row, column), weight in weights.items():
        cost[rows[row]][columns[column]] = -weight
    names = list(rows), list(columns)
    return [
        (names[0][row], names[1][column])
        for row, column in enumerate(_assignment(cost))
        if cost[row][column]  # rows and columns that only fill the square have none
    ]


def _sides(weights: Mapping[tuple[int, int], int]) -> tuple[set[int], set[int]]:
    return {row for row, _ in weights}, {column for _, column in weights}


def _assignment(cost: list[list[int]]) -> list[int]:
    """Return the column of each row in an assignment of least cost. Rows and columns are counted from 1 internally."""
    size = len(cost)
    u: Counter[int] = Counter()
    v: Counter[int] = Counter()
    row_of: Counter[int] = Counter()  # by column; 0: free
    for row in range(1, size + 1):
        row_of[0] = row
        column = 0
        reached: list[int] = []
        left = list(range(1, size + 1))
        least: dict[int, int] = {}
        came_from: dict[int, int] = {}
        while current := row_of[column]:
            reached.append(column)
            for other in left:
                reduced = cost[current - 1][other - 1] - u[current] - v[other]
                if other not in least or reduced < least[other]:
                    least[other], came_from[other] = reduced, column
            column = min(left, key=least.__getitem__)
            left.remove(column)
            step = least[column]  # move the potentials: the nearest column is reached at no cost
            for other in reached:
                u[row_of[other]] += step
                v[other] -= step
            for other in left:
                least[other] -= step
        while column:
            before = came_from[column]
            row_of[column] = row_of[before]
            column = before
    return sorted(range(size), key=lambda column: row_of[column + 1])


# ----------------------------------------------------------------------------------------------------
# Ids of one document that two sides write differently: ``ei12`` and ``12``, or events (e5) for their instances (ei5).
#
# Ids are sorted by *shape*: the id with its digits replaced by ``#``. Shapes of the system that do not occur in gold
# are matched in one of two ways, if exactly one is possible:
#
#     event for instance   the system names events, and gold's entities say which instance belongs to which event; or
#                          the other way round. Each event used must have exactly one instance
#     fixed prefix         a shape of gold that the system does not use differs from it by letters in front, and the ids
#                          do not: gold's ``ei12`` is the system's ``12``
#
# A shape that matches in no way, or in several, stays as it is.

_DIGITS = re.compile(r"\d+")
_source, _target = attrgetter("source"), attrgetter("target")


class Matched(NamedTuple):
    """The system's document under ids of gold, and a remark on each shape that was renamed."""

    system: Document
    remarks: tuple[Remark, ...] = ()
    all_known: bool = False  # gold knows every id in the system's links: nothing had to be renamed


def used_ids(document: Document) -> set[str]:
    """Return the ids that links mention."""
    used = set(map(_source, document.links))
    used.update(map(_target, document.links))
    return used


def known_ids(document: Document) -> set[str]:
    """Return the ids that a document declares or mentions."""
    return used_ids(document) | set(document.entity_ids)


def match_ids(gold: Document, system: Document) -> Matched:
    """Return the system's document with ids renamed to gold's where that is unambiguous.

    >>> from temporacle.model import Document
    >>> found = match_ids(Document("d", [("ei1", "b", "ei2")]), Document("d", [("1", "b", "2")]))
    >>> found.system.links[0].source, found.remarks[0].message
    ('ei1', "ids such as '1' are read as 'ei1'")
    """
    used = used_ids(system)
    if used.issubset(gold.entity_ids):  # most documents declare all ids that they use
        return Matched(system, all_known=True)
    known = known_ids(gold)
    if used <= known or not known:
        return Matched(system, all_known=used <= known)
    known_shapes = {_shape(name) for name in known}
    strange: dict[str, list[str]] = {}
    for name in sorted(used - known):
        if (shape := _shape(name)) not in known_shapes:
            strange.setdefault(shape, []).append(name)
    if not strange:
        return Matched(system)
    free = known_shapes - {_shape(name) for name in used}
    new_names: dict[str, str] = {}
    remarks = []
    for shape, names in strange.items():
        ways = [
            found for found in (_by_event(names, gold, system), _by_prefix(shape, names, free)) if found is not None
        ]
        if len(ways) == 1 and not set(ways[0].values()) & (used | set(new_names.values())):
            new_names |= ways[0]
            example = next((name for name in names if ways[0][name] in known), names[0])
            message = f"ids such as {example!r} are read as {ways[0][example]!r}"
            remarks.append(Remark("ids-renamed", message, element=gold.id))
    return Matched(renamed(system, new_names), tuple(remarks)) if new_names else Matched(system)


def _shape(name: str) -> str:
    return _DIGITS.sub("#", name)


def _by_event(names: list[str], gold: Document, system: Document) -> dict[str, str] | None:
    """Return instances of gold for events of the system, or events of gold for instances of the system."""
    instances: dict[str, list[str]] = {}
    for entity in gold.entities:
        if entity.event_id is not None and entity.event_id != entity.id:
            instances.setdefault(entity.event_id, []).append(entity.id)
    events = {entity.id: entity.event_id for entity in system.entities if entity.event_id is not None}
    known = known_ids(gold)
    found: dict[str, str] = {}
    for name in names:
        if name in instances:
            if len(instances[name]) > 1:
                return None
            found[name] = instances[name][0]
        elif (event := events.get(name)) is not None and event in known:
            found[name] = event
    if not found or len(set(found.values())) < len(found):
        return None
    return {name: found.get(name, name) for name in names}


def _by_prefix(shape: str, names: list[str], free: set[str]) -> dict[str, str] | None:
    """Return the ids with a prefix added or removed, if exactly one pattern of gold ids differs only in that prefix."""
    ways: list[Callable[[str], str]] = []
    for other in free:
        if other.endswith(shape) and "#" in shape and "#" not in (prefix := other[: -len(shape)]):
            ways.append(lambda name, prefix=prefix: prefix + name)  # type: ignore[misc]
        elif shape.endswith(other) and "#" in other and "#" not in (prefix := shape[: -len(other)]):
            ways.append(lambda name, prefix=prefix: name[len(prefix) :])  # type: ignore[misc]
    return {name: ways[0](name) for name in names} if len(ways) == 1 else None


def renamed(document: Document, names: Mapping[str, str]) -> Document:
    """Return the document with other ids of entities."""

    def new(name: str) -> str:
        return names.get(name, name)

    links = tuple(link._replace(source=new(link.source), target=new(link.target)) for link in document.links)
    entities = tuple(entity.renamed(new) for entity in document.entities)
    return replace(
        document,
        links=links,
        entity_ids=tuple(map(new, document.entity_ids)),
        body=Body(entities, document.text, partial(getattr, document, "extras")),
    )


OF_TOOLS = frozenset({"brat", "xmi", "cas-json", "label-studio", "mae", "prodigy", "doccano"})  # formats


class CommonNames(NamedTuple):
    """A pair of documents with common names for entities."""

    gold: Document
    system: Document
    unmatched: Unmatched | None = None
    warnings: tuple[Remark, ...] = ()
    all_known: bool = False  # gold is known to have every id in the system's links


def with_common_names(gold: Document, system: Document, align: Align) -> CommonNames:
    """Align the entities of a pair as asked. Raise InputError if that is not possible."""
    if align is Align.IDS:
        matched = match_ids(gold, system)
        remarks = matched.remarks
        if not matched.all_known and not ids_look_aligned(gold, matched.system):
            message = "less than half of the ids in the system's links occur in gold"
            remarks = (*remarks, Remark("ids-not-aligned", message, element=gold.id))
        elif _ids_stand_elsewhere(gold, matched.system):
            message = "less than half of the ids that both sides have stand at the same place of the text"
            remarks = (*remarks, Remark("ids-not-aligned", message, element=gold.id))
        return CommonNames(gold, matched.system, None, remarks, matched.all_known)
    if not system.links:
        return CommonNames(gold, system)
    aligned = align_by_spans(gold, system)
    message = "the two texts differ; only entities in equal parts of the text are matched"
    doubt = Remark("texts-differ", message, element=gold.id)
    return CommonNames(gold, aligned.system, aligned.unmatched, (doubt,) if aligned.texts_differ else ())


def _ids_stand_elsewhere(gold: Document, system: Document) -> bool:
    """Return whether ids of annotation tools, which count what was marked, mean other words on the other side."""
    if not {gold.format, system.format} <= OF_TOOLS:
        return False
    places = {each.id: each.spans for each in gold.entities if each.spans}
    shared = [each for each in system.entities if each.spans and each.id in places]
    return 2 * sum(places[each.id] == each.spans for each in shared) < len(shared)


def ids_look_aligned(gold: Document, system: Document) -> bool:
    """Return whether at least half of the ids that the system's links use are known to the gold document."""
    used = used_ids(system)
    return 2 * len(used & known_ids(gold)) >= len(used)
