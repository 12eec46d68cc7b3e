"""JSON Lines: the document that one object describes, and objects of documents."""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache, partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.builder import ATTRIBUTES, DocumentBuilder
from temporacle.io.rows import links_reading, mentions_during, note_during, plain_entities, with_body
from temporacle.io.source import Options, Source
from temporacle.io.writers import entities_of, relation_text, report_lost
from temporacle.model import Body, Document, Entity, Extras, Kind, Link
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from temporacle.io.formats import Report

_TYPES_OF_ENDS = {str, type(None)}
_KINDS = {"event": Kind.EVENT, "time": Kind.TIME, "dct": Kind.TIME, "unknown": Kind.UNKNOWN}
_TEXTS = ("event_id", "value", "function", *ATTRIBUTES)  # the last ones in the order of an entity's fields


class PlainLabels(dict[str, Relation]):
    """Labels about which there is nothing to say, with their relations; KeyError for any other.

    The builder is asked once for each label, so those who use these cannot disagree with it.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.reading = links_reading(options)
        self._source = Source("", b"", options)

    def __missing__(self, label: object) -> Relation:
        if not isinstance(label, str) or mentions_during(label):
            raise KeyError(label)
        trial = DocumentBuilder("", self._source, "jsonl", self.reading)
        trial.add_link("", "a", label, "b")
        if trial.remarks:
            raise KeyError(label)
        self[label] = trial.links[0].relation
        return self[label]


plain_labels = lru_cache(maxsize=16)(PlainLabels)


def labels_of(source: Source) -> PlainLabels:
    """Return the labels about which there is nothing to say in this source."""
    labels: PlainLabels | None = source.labels
    if labels is None:
        labels = source.labels = plain_labels(source.options)
    return labels


def has_plain_extras(record: dict[str, Any]) -> bool:
    """Return whether the id and the weight of a link, if it has them, can be used as they are."""
    name = record.get("id", "-")
    return type(name) is str and name != "" and is_weight(record.get("weight", 1))


def id_of(value: Any) -> Any:
    """Return an id as text: 12 is "12", as in lists and frames."""
    return str(value) if type(value) is int else value


def entity_of(record: object) -> Entity | None:
    """Return an entity from its object; None if anything about the object is unusual."""
    if type(record) is not dict:
        return None
    name, kind, text = id_of(record.get("id")), record.get("kind", "unknown"), record.get("text")
    start, end = record.get("start"), record.get("end")
    if type(name) is not str or not name or type(kind) is not str or kind not in _KINDS:
        return None
    if not (text is None or type(text) is str):
        return None
    spans: tuple[tuple[int, int], ...] = ()
    if start is not None or end is not None:
        if not is_span([start, end]):
            return None
        spans = ((record["start"], record["end"]),)
    if type(parts := record.get("spans")) is list and all(is_span(part) for part in parts):
        spans = tuple((part[0], part[1]) for part in parts)
    event_id, value, function, *others = [each if type(each) is str else None for each in map(record.get, _TEXTS)]
    return Entity(name, _KINDS[kind], text, spans, event_id, value, function, kind == "dct", None, *others)


def is_span(value: Any) -> bool:
    """Return whether a value is a start and an end in order."""
    if type(value) is not list or len(value) != 2:
        return False
    start, end = value
    return type(start) is type(end) is int and 0 <= start <= end


def string_at(record: dict[str, Any], key: str) -> str | None:
    """Return an optional string. Other values under that key are ignored; they may belong to another program."""
    value = record.get(key)
    return value if type(value) is str else None


def is_weight(value: object) -> bool:
    """Return whether a JSON value is a usable weight: a finite number above zero."""
    try:
        return type(value) in {int, float} and isfinite(value) and value > 0  # type: ignore[arg-type, operator]
    except OverflowError:  # an integer beyond every float
        return False


def document_of(name: str, record: dict[str, Any], line: int, source: Source) -> Document:
    """Return the document that an object describes, with a remark on everything unusual.

    Raise InputError if its links or entities are not lists.
    """
    builder = DocumentBuilder(name, source, "jsonl", links_reading(source.options))
    entities: tuple[Entity, ...] | None = None
    if record.get("entities") is not None:
        entities = entities_in(builder, record["entities"], line)
        builder.declared = {entity.id: None for entity in entities}
    links = record.get("links")
    if links is None:
        builder.warn("no-links", 'the object has no "links"', line=line)
    elif type(links) is not list:
        raise source.error('"links" must be a list', line=line)
    source.require_time()
    used: list[dict[str, Any]] = []
    for position, link in enumerate(links or (), 1):
        own = link.get("id") if type(link) is dict else None
        add_link(builder, link, own if type(own) is str and own else str(position), line)
        if len(builder.links) > len(used):
            used.append(link)
    source.require_time()
    text = string_at(record, "text")
    if entities is None:
        document = with_body(builder.build(), partial(plain_entities, text=text))
    else:
        undeclared = (Entity(end) for end in tuple(builder.declared or ())[len(entities) :])  # kept nevertheless
        document = builder.build(Body((*entities, *undeclared), text))
    return with_extras(document, record, used)


def entities_in(builder: DocumentBuilder, records: object, line: int) -> tuple[Entity, ...]:
    """Return the usable entities, the first of each name, with a remark on every other one."""
    if type(records) is not list:
        raise builder.source.error('"entities" must be a list', line=line)
    found: dict[str, Entity] = {}
    for position, each in enumerate(records, 1):
        record = id_of(each)
        entity = Entity(record) if type(record) is str and record else entity_of(record)
        if entity is None and type(record) is dict and type(name := id_of(record.get("id"))) is str and name:
            entity = Entity(name)
            message = f"kind must be one of {', '.join(_KINDS)}; start and end whole numbers in order; text a string"
            builder.warn("odd-entity", f"only the id is used: {message}", line=line, element=name)
        if entity is None:
            message = f"entity number {position} is left out: it must be a name or an object with an id"
            builder.warn("odd-entity", message, line=line)
        elif builder.is_first(entity.id, "entity without id", line=line):
            found[entity.id] = entity
    return tuple(found.values())


def add_link(builder: DocumentBuilder, link: object, name: str, line: int) -> None:
    """Add one link, or drop it with a remark."""
    if type(link) is not dict:
        builder.drop("bad-link", "a link must be an object with source, relation, target", line=line, element=name)
        return
    ends = id_of(link.get("source")), id_of(link.get("target"))
    if not _TYPES_OF_ENDS.issuperset(map(type, ends)):
        builder.drop("bad-link", "source and target must be strings or whole numbers", line=line, element=name)
        return
    label = link.get("relation")
    if type(label) is list and all(type(part) is str for part in label):
        label = "|".join(label)
    if not (label is None or type(label) is str):
        builder.drop("bad-link", "relation must be a string or a list of strings", line=line, element=name)
        return
    weight = link.get("weight", 1)
    if not is_weight(weight):
        message = f"weight {weight!r:.40} is not a finite number above zero"
        builder.drop("bad-weight", message, line=line, element=name)
        return
    before = len(builder.links)
    builder.add_link(name, ends[0], label, ends[1], line=line, weight=weight, task=string_at(link, "task"))
    if len(builder.links) > before:
        note_during(builder, label or "", line=line, element=name)
        if written := string_at(link, "label"):
            builder.links[-1] = builder.links[-1]._replace(label=written)


# ----------------------------------------------------------------------------------------------------
# Keys of JSON Lines that mean nothing here: kept for those who wrote them, and written again.

_OF_DOCUMENTS = frozenset({"document", "entities", "links", "text"})
_OF_LINKS = frozenset({"id", "source", "relation", "target", "weight", "label", "task"})
_OF_ENTITIES = frozenset({"id", "kind", "start", "end", "spans", "text", "event_id", "value", "function", *ATTRIBUTES})
_NEEDED_BY_LINKS = 3


def others_in(record: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Return what an object has under other keys."""
    return {key: value for key, value in record.items() if key not in known}


def with_extras(document: Document, record: dict[str, Any], links: Sequence[dict[str, Any]]) -> Document:
    """Return the document with the additional content of its object.

    ``links`` are the objects of its links, in order.
    """
    others = others_in(record, _OF_DOCUMENTS)
    of_links = {
        link.id: found
        for link, written in zip(document.links, links, strict=True)
        if len(written) > _NEEDED_BY_LINKS and (found := others_in(written, _OF_LINKS))
    }
    of_entities: dict[str, dict[str, Any]] = {}
    for entity in record.get("entities") or ():
        if (
            type(entity) is dict
            and type(name := id_of(entity.get("id"))) is str
            and (found := _others_of_entity(entity))
        ):
            of_entities.setdefault(name, found)
    if not (others or of_links or of_entities):
        return document
    extras = Extras(others, of_entities, of_links)
    return dataclasses.replace(document, body=partial(_extended, document.body, extras))


def _others_of_entity(record: dict[str, Any]) -> dict[str, Any]:
    """Return other keys, and those of a time's attributes if they hold something other than text."""
    found = others_in(record, _OF_ENTITIES)
    odd = {key: record[key] for key in ATTRIBUTES.keys() & record.keys() if type(record[key]) is not str}
    return found | odd if odd else found


def _extended(body: Body | Callable[[], Body], extras: Extras) -> Body:
    found = body() if callable(body) else body
    return found._replace(extras=extras)


# ----------------------------------------------------------------------------------------------------
# Writes JSON Lines: documents with everything but the order of a file's markup.

_WRITTEN = {"text": "text", "event_id": "event_id", "value": "value", "function": "function", **ATTRIBUTES}


def text(document: Document, report: Report) -> str:
    """Return the document as one line."""
    report_lost(document, report)
    extras = document.extras or Extras({}, {}, {})
    record: dict[str, Any] = {
        "document": document.id,
        "entities": [_entity(entity, extras.entities) for entity in entities_of(document).values()],
        "links": [_link(link, extras.links) for link in document.links],
    }
    if document.text is not None:
        record["text"] = document.text
    record.update(extras.document)
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError:  # some readers of JSON take them all the same
        raise InputError("holds NaN or Infinity, which JSON does not have", path=document.path) from None
    except RecursionError:
        raise InputError("holds values that are nested too deeply", path=document.path) from None


def _entity(entity: Entity, extras: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | str:
    record: dict[str, Any] = {"id": entity.id}
    if entity.is_dct:
        record["kind"] = "dct"
    elif entity.kind is not Kind.UNKNOWN:
        record["kind"] = entity.kind.value
    if entity.spans:
        record["start"], record["end"] = entity.spans[0][0], entity.spans[-1][1]
    if len(entity.spans) > 1:
        record["spans"] = entity.spans
    for key, field in _WRITTEN.items():
        if (value := getattr(entity, field)) is not None:
            record[key] = value
    record.update(extras.get(entity.id, {}))
    return record if len(record) > 1 else entity.id


def _link(link: Link, extras: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {"source": link.source, "relation": relation_text(link), "target": link.target}
    if link.id:
        record = {"id": link.id, **record}
    if link.weight != 1:
        record["weight"] = link.weight
    if link.label and link.label != record["relation"]:
        record["label"] = link.label
    if link.task is not None:
        record["task"] = link.task
    record.update(extras.get(link.id, {}))
    return record
