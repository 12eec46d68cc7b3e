"""The entities of a document as a page names them, and its text cut at their spans."""

from __future__ import annotations

from functools import cache, partial
from itertools import chain
from operator import itemgetter, le
from typing import TYPE_CHECKING

from temporacle.model import Entity, Kind
from temporacle.report.values.document import EntityKind, EntityRow, LinkRow, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from temporacle.model import Document, Link

    _Mark = tuple[int, int, EntityRow]  # a span and its entity

_KINDS = {Kind.EVENT: EntityKind.EVENT, Kind.TIME: EntityKind.TIME, Kind.UNKNOWN: EntityKind.UNKNOWN}
_DCT, _EVENT, _SOME_EVENT = EntityKind.DCT, EntityKind.EVENT, Kind.EVENT  # looking them up takes time

# Faster than a generator over all links and entities, and than the constructors of named tuples.
_ends, _entity_id = itemgetter(1, 3), itemgetter(0)
_start, _end = itemgetter(0), itemgetter(1)  # of a mark
_new_row: Callable[[tuple[object, ...]], EntityRow] = partial(tuple.__new__, EntityRow)
_new_piece: Callable[[tuple[object, ...]], Piece] = partial(tuple.__new__, Piece)
_new_link: Callable[[tuple[object, ...]], LinkRow] = partial(tuple.__new__, LinkRow)


def entity_rows(document: Document) -> dict[str, EntityRow]:
    """Return all entities by id: the declared ones, and those that only links mention."""
    described = dict(zip(map(_entity_id, document.entities), document.entities, strict=True))
    length = len(document.text or "")
    mentioned = chain.from_iterable(map(_ends, document.links))
    return {
        name: _row(number, described.get(name) or Entity(name), length)
        for number, name in enumerate(dict.fromkeys(chain(document.entity_ids, mentioned)))
    }


def _row(number: int, entity: Entity, length: int) -> EntityRow:
    name, kind, text, spans = entity.id, entity.kind, entity.text, entity.spans
    shown = _DCT if entity.is_dct else _EVENT if kind is _SOME_EVENT else _KINDS[kind]  # events are by far the most
    in_text = False
    for start, end in spans:
        in_text = in_text or 0 <= start < end <= length
    return _new_row((number, name, shown, text or "", entity.value or "", in_text))


def pieces_of(document: Document, rows: dict[str, EntityRow]) -> tuple[Piece, ...]:
    """Return the text in order, split where an entity begins or ends. Spans may overlap, nest and have gaps."""
    text = document.text
    if not text:
        return ()
    length = len(text)
    marks = [
        (start, end, row)
        for entity in document.entities
        if (row := rows.get(entity.id)) is not None
        for start, end in entity.spans
        if 0 <= start < end <= length
    ]
    in_order = sorted(marks, key=_start)
    apart = all(map(le, map(_end, in_order), map(_start, in_order[1:])))
    return _trimmed(_cut_between(text, in_order) if apart else list(_cut(text, marks)))


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Return the text without the blank lines that formats leave around it."""
    if pieces and not pieces[0].entities:
        pieces[0] = Piece(pieces[0].text.lstrip())
    if pieces and not pieces[-1].entities:
        pieces[-1] = Piece(pieces[-1].text.rstrip())
    return tuple([piece for piece in pieces if piece.text])


def _cut_between(text: str, marks: Iterable[_Mark]) -> list[Piece]:
    """Return the text split at spans that are in order and do not overlap: as ``_cut`` does, and faster."""
    last = 0
    pieces = []
    for start, end, row in marks:
        if start > last:
            pieces.append(_new_piece((text[last:start], ())))
        pieces.append(_new_piece((text[start:end], (row,))))
        last = end
    if last < len(text):
        pieces.append(Piece(text[last:]))
    return pieces


def _cut(text: str, marks: Iterable[_Mark]) -> Iterator[Piece]:
    """Yield the text split at any spans."""
    opened: dict[int, list[EntityRow]] = {}
    closed: dict[int, list[EntityRow]] = {}
    for start, end, row in marks:
        opened.setdefault(start, []).append(row)
        closed.setdefault(end, []).append(row)
    current: list[EntityRow] = []
    last = 0
    for place in sorted({*opened, *closed, len(text)}):
        if place > last:
            yield Piece(text[last:place], tuple(dict.fromkeys(current)))
            last = place
        for row in closed.get(place, ()):
            current.remove(row)
        current.extend(opened.get(place, ()))


_written = cache(str)  # relations: there are few different ones


def link_row(link: Link) -> LinkRow:
    return LinkRow(link.id, link.source, link.label, _written(link.relation), link.target, link.line)


def link_rows(links: Iterable[Link]) -> tuple[LinkRow, ...]:
    return tuple(
        [
            _new_link((name, source, label, _written(relation), target, line))
            for name, source, relation, target, label, line, _, _ in links
        ]
    )
