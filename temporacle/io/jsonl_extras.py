"""Keys of JSON Lines that mean nothing here: kept for those who wrote them, and written again."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from temporacle.io.timex import ATTRIBUTES
from temporacle.model import Body, Document, Extras

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OF_DOCUMENTS = frozenset({"document", "entities", "links", "text"})
_OF_LINKS = frozenset({"id", "source", "relation", "target", "weight", "label", "task"})
_OF_ENTITIES = frozenset({"id", "kind", "start", "end", "spans", "text", "event_id", "value", "function", *ATTRIBUTES})
_NEEDED_BY_LINKS = 3


def with_extras(document: Document, record: dict[str, Any], links: Sequence[dict[str, Any]]) -> Document:
    """Return the document with the additional content of its object.

    ``links`` are the objects of its links, in order.
    """
    others = _others(record, _OF_DOCUMENTS)
    of_links = {
        link.id: found
        for link, written in zip(document.links, links, strict=True)
        if len(written) > _NEEDED_BY_LINKS and (found := _others(written, _OF_LINKS))
    }
    of_entities: dict[str, dict[str, Any]] = {}
    for entity in record.get("entities") or ():
        if type(entity) is dict and type(name := entity.get("id")) is str and (found := _others_of_entity(entity)):
            of_entities.setdefault(name, found)
    if not (others or of_links or of_entities):
        return document
    extras = Extras(others, of_entities, of_links)
    return dataclasses.replace(document, body=partial(_extended, document.body, extras))


def _others(record: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in known}


def _others_of_entity(record: dict[str, Any]) -> dict[str, Any]:
    """Return other keys, and those of a time's attributes if they hold something other than text."""
    found = _others(record, _OF_ENTITIES)
    odd = {key: record[key] for key in ATTRIBUTES.keys() & record.keys() if type(record[key]) is not str}
    return found | odd if odd else found


def _extended(body: Body | Callable[[], Body], extras: Extras) -> Body:
    found = body() if callable(body) else body
    return found._replace(extras=extras)
