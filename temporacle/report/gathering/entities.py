"""The entities of a document as a page names them, and its text cut at their spans."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from temporacle.model import Entity, Kind
from temporacle.report.values.document import EntityKind, EntityRow, LinkRow, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.model import Document, Link

_KINDS = {Kind.EVENT: EntityKind.EVENT, Kind.TIME: EntityKind.TIME, Kind.UNKNOWN: EntityKind.UNKNOWN}


def entity_rows(document: Document) -> dict[str, EntityRow]:
    """Return all entities by id: the declared ones, and those that only links mention."""
    described = {entity.id: entity for entity in document.entities}
    length = len(document.text or "")
    mentioned = (end for link in document.links for end in (link.source, link.target))
    rows: dict[str, EntityRow] = {}
    for name in (*document.entity_ids, *mentioned):
        if name not in rows:
            rows[name] = _row(len(rows), described.get(name, Entity(name)), length)
    return rows


def _row(number: int, entity: Entity, length: int) -> EntityRow:
    kind = EntityKind.DCT if entity.is_dct else _KINDS[entity.kind]
    in_text = any(0 <= start < end <= length for start, end in entity.spans)
    return EntityRow(number, entity.id, kind, entity.text or "", entity.value or "", in_text)


def pieces_of(document: Document, rows: dict[str, EntityRow]) -> tuple[Piece, ...]:
    """Return the text in order, split where an entity begins or ends. Spans may overlap, nest and have gaps."""
    text = document.text
    if not text:
        return ()
    opened: dict[int, list[EntityRow]] = {}
    closed: dict[int, list[EntityRow]] = {}
    for entity in document.entities:
        row = rows.get(entity.id)
        for start, end in entity.spans:
            if row is not None and 0 <= start < end <= len(text):
                opened.setdefault(start, []).append(row)
                closed.setdefault(end, []).append(row)
    return _trimmed(list(_cut(text, opened, closed)))


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Return the text without the blank lines that formats leave around it."""
    if pieces and not pieces[0].entities:
        pieces[0] = Piece(pieces[0].text.lstrip())
    if pieces and not pieces[-1].entities:
        pieces[-1] = Piece(pieces[-1].text.rstrip())
    return tuple(piece for piece in pieces if piece.text)


def _cut(text: str, opened: dict[int, list[EntityRow]], closed: dict[int, list[EntityRow]]) -> Iterator[Piece]:
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
    return tuple(map(link_row, links))
