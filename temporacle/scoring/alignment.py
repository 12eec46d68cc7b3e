"""Which entity of the system is which entity of the gold standard, where ids are not shared.

    1  the creation times of both documents are the same
    2  entities of one kind with the same span are the same; several with one span, in their order
    3  of the others, those that overlap, largest overlap first

Spans are compared in characters of the text without blanks, so line ends and indentation do not matter. Where the two
texts differ in more than blanks, equal stretches of words are found first, and what lies outside them has no position.
Every entity has at most one counterpart. The rest is reported; in the links of the system it gets a name that the gold
standard does not know.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError
from temporacle.model import Body
from temporacle.results import Unmatched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.model import Document, Entity

Span = tuple[int, int]


class Aligned(NamedTuple):
    """The system's document under the ids of the gold document."""

    system: Document
    unmatched: Unmatched
    texts_differ: bool


def align_by_spans(gold: Document, system: Document) -> Aligned:
    """Rename the system's entities. InputError if one side has entities but no spans at all."""
    for document in (gold, system):
        if document.entities and not any(entity.spans or entity.is_dct for entity in document.entities):
            raise InputError(
                "no entity has a span, so nothing can be aligned",
                path=document.path or document.id,
                cure="choose --align ids",
            )
    to_gold, texts_differ = _positions(gold.text, system.text)
    places = _places(gold.entities, _squeezed(gold.text)), _places(system.entities, to_gold)
    partner = dict(_match(gold.entities, system.entities, *places))
    names = {entity.id for entity in gold.entities} | set(gold.entity_ids)
    renamed = _Renaming(partner, names)
    links = tuple(link._replace(source=renamed(link.source), target=renamed(link.target)) for link in system.links)
    entities = tuple(entity._replace(id=renamed(entity.id)) for entity in system.entities)
    ids = tuple(map(renamed, system.entity_ids))
    matched = set(partner.values())
    unmatched = Unmatched(
        tuple(entity.id for entity in gold.entities if entity.id not in matched),
        tuple(entity.id for entity in system.entities if entity.id not in partner),
    )
    return Aligned(
        replace(system, links=links, entity_ids=ids, body=Body(entities, system.text)), unmatched, texts_differ
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


def _match(
    gold: Sequence[Entity],
    system: Sequence[Entity],
    gold_places: dict[str, tuple[Span, ...]],
    system_places: dict[str, tuple[Span, ...]],
) -> Iterator[tuple[str, str]]:
    """Pairs (system id, gold id)."""
    free_gold, free_system = {entity.id: entity for entity in gold}, {entity.id: entity for entity in system}

    def take(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for own, other in pairs:
            if own in free_gold and other in free_system:
                del free_gold[own], free_system[other]
                yield other, own

    dcts = [[entity.id for entity in side if entity.is_dct] for side in (gold, system)]
    yield from take(list(zip(*dcts, strict=False)))
    yield from take(_same_span(free_gold, free_system, gold_places, system_places))
    yield from take(_overlapping(free_gold, free_system, gold_places, system_places))


def _same_span(
    gold: dict[str, Entity],
    system: dict[str, Entity],
    gold_places: dict[str, tuple[Span, ...]],
    system_places: dict[str, tuple[Span, ...]],
) -> list[tuple[str, str]]:
    waiting: defaultdict[object, list[str]] = defaultdict(list)
    for name, entity in system.items():
        if system_places[name]:
            waiting[entity.kind, system_places[name]].append(name)
    pairs = []
    for name, entity in gold.items():
        candidates = waiting.get((entity.kind, gold_places[name]))
        if candidates:
            pairs.append((name, candidates.pop(0)))
    return pairs


def _overlapping(
    gold: dict[str, Entity],
    system: dict[str, Entity],
    gold_places: dict[str, tuple[Span, ...]],
    system_places: dict[str, tuple[Span, ...]],
) -> list[tuple[str, str]]:
    """All overlapping pairs of one kind: largest overlap first, then shortest spans, then order in the documents."""
    at: defaultdict[int, list[str]] = defaultdict(list)
    for name in system:
        for place in _characters(system_places[name]):
            at[place].append(name)
    ranked: list[tuple[int, int, int, int, str, str]] = []
    for rank, (name, entity) in enumerate(gold.items()):
        own = _characters(gold_places[name])
        shared = Counter(other for place in own for other in at.get(place, ()))
        for other, overlap in shared.items():
            if system[other].kind is entity.kind:
                length = len(own) + len(_characters(system_places[other]))
                ranked.append((-overlap, length, rank, len(ranked), name, other))
    return [(name, other) for *_, name, other in sorted(ranked)]


def _characters(spans: tuple[Span, ...]) -> list[int]:
    return [place for start, end in spans for place in range(start, end)]


# --- positions ------------------------------------------------------------------------------------------------------


def _places(entities: Iterable[Entity], position: Callable[[Span], Span | None]) -> dict[str, tuple[Span, ...]]:
    """Spans of entities in common positions; a span without position is left out."""
    return {
        entity.id: tuple(place for span in entity.spans if (place := position(span)) is not None) for entity in entities
    }


def _squeezed(text: str | None) -> Callable[[Span], Span]:
    """Positions that count characters other than blanks."""
    if text is None:
        return lambda span: span
    before = [0, *accumulate(not character.isspace() for character in text)]
    last = len(text)
    return lambda span: (before[min(span[0], last)], before[min(span[1], last)])


def _positions(gold: str | None, system: str | None) -> tuple[Callable[[Span], Span | None], bool]:
    """Spans of the system's text as positions in gold's text without blanks; whether the texts differ in more."""
    squeeze = _squeezed(system)
    if gold is None or system is None:
        return squeeze, False
    gold_words, system_words = gold.split(), system.split()
    if "".join(gold_words) == "".join(system_words):
        return squeeze, False
    from difflib import SequenceMatcher

    gold_starts, system_starts = ([0, *accumulate(map(len, words))] for words in (gold_words, system_words))
    blocks = [
        (system_starts[block.b], system_starts[block.b + block.size], gold_starts[block.a])
        for block in SequenceMatcher(None, gold_words, system_words, autojunk=False).get_matching_blocks()
    ]

    def moved(span: Span) -> Span | None:
        start, end = squeeze(span)
        found = bisect_right(blocks, (start, float("inf"))) - 1
        if found < 0 or end > blocks[found][1]:
            return None
        offset = blocks[found][2] - blocks[found][0]
        return start + offset, end + offset

    return moved, True
