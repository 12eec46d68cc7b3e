"""Ids of one document that two sides write differently: ``ei12`` and ``12``, or events (e5) for their instances (ei5).

Ids are sorted by *shape*: the id with its digits replaced by ``#``. Shapes of the system that do not occur in gold are
matched in one of two ways, if exactly one is possible:

    event for instance   the system names events, and gold's entities say which instance belongs to which event; or the
                         other way round. Each event used must have exactly one instance
    fixed prefix         a shape of gold that the system does not use differs from it by letters in front, and the ids
                         do not: gold's ``ei12`` is the system's ``12``

A shape that matches in no way, or in several, stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import Body, Remark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from temporacle.model import Document

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
