"""JSON Lines: one object a line, one document an object.

    {"document": "harbour",
     "entities": ["docked", {"id": "left", "kind": "event", "start": 10, "end": 14, "text": "left"}],
     "links": [{"id": "k1", "source": "left", "relation": "b|m", "target": "docked", "weight": 2}]}

``document`` is required; ``entities``, if present, lists every name a link may use. A relation is a string or a list
of labels. Unknown keys are allowed. A line that cannot be read spoils no other line.

Corpora of a million documents come in this form, so a line with nothing odd in it takes a short way (``plain_links``);
the first odd thing sends the line to the builder, which knows every rule (``careful_document``). Tests compare the two.
"""

from __future__ import annotations

import json
from functools import lru_cache, partial
from itertools import chain
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.lint import remarks_about, with_unique_ids
from temporacle.io.source import Options, Source
from temporacle.io.tables import (
    links_reading,
    mentions_during,
    note_during,
    only_new_remarks,
    plain_entities,
    require_content,
    with_body,
)
from temporacle.model import Body, Document, Entity, Kind, Link, Unreadable
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
_ends = attrgetter("source", "target")
_NARRATIVETIME = "NarrativeTime's JSON Lines, whose code of positions and branches cannot be read"
_FOREIGN = "the object is not a document of this format"
_KINDS = {"event": Kind.EVENT, "time": Kind.TIME, "dct": Kind.TIME, "unknown": Kind.UNKNOWN}


def read(source: Source) -> Iterator[Document | Unreadable]:
    """The documents of a JSON Lines file, one at a time."""
    require_content(source)
    seen: set[str] = set()
    said: set[str] = set()
    for number, line in numbered_lines(source):
        found = read_line(line, number, source)
        if isinstance(found, Unreadable):
            if found.error.reason == _NARRATIVETIME or (found.error.reason == _FOREIGN and not seen):
                raise found.error  # the whole file is of another format
            yield found
        elif found.id in seen:
            error = source.error(f"document {found.id!r} occurs a second time", line=number, cure="rename or merge it")
            yield Unreadable(found.id, source.path, error)
        else:
            seen.add(found.id)
            yield only_new_remarks(found, said) if found.remarks else found


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, as UTF-8 bytes with their numbers, cut off one at a time."""
    data = source.decode().encode() if source.options.encoding else source.data
    start, number = len(_BOM) if data.startswith(_BOM) else 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        line = data[start:end]
        if line.strip():
            yield number, line
        start = end + 1


def read_line(line: bytes, number: int, source: Source) -> Document | Unreadable:
    """The document on one line (UTF-8). It depends on nothing but that line, so lines can be read in parallel.

    What only a whole file can show is left to the caller: a document that occurs twice, and remarks that are said
    once a file (``tables.only_new_remarks``).
    """
    name = f"{source.name}:{number}"
    try:
        record = parse_record(line, number, source)
        name = record["document"]
        return plain_document(name, record, number, source) or careful_document(name, record, number, source)
    except InputError as error:
        return Unreadable(name, source.path, error)


def parse_record(line: bytes, number: int, source: Source) -> dict[str, Any]:
    """The JSON object on a line, known to have a document name; InputError with line and column otherwise."""
    try:
        text = line.decode()
        record = json.loads(text)
        if "\\u" in text:  # an escape may smuggle in half a character, which nobody could print
            json.dumps(record, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        cure = "write each document on one line"
        raise source.error(f"bad JSON: {error.msg}", line=number, column=error.colno, cure=cure) from None
    except UnicodeDecodeError as error:
        bad = line[error.start]
        raise source.error(f"byte 0x{bad:02x} is not UTF-8", line=number, column=error.start + 1) from None
    except UnicodeEncodeError:
        raise source.error(
            "a \\u escape gives half a character", line=number, cure="write surrogates in pairs"
        ) from None
    except RecursionError:
        raise source.error("bad JSON: nested too deeply", line=number) from None
    except ValueError as error:  # a number of thousands of digits
        raise source.error(f"bad JSON: {error}", line=number) from None
    if type(record) is not dict:
        raise source.error(
            "a line must be one JSON object", line=number, cure='write {"document": ..., "links": [...]}'
        )
    if "event_order" in record:
        raise source.error(_NARRATIVETIME, line=number, cure="use the converted .tml files")
    if "document" not in record and "links" not in record:
        keys = ", ".join(list(record)[:5]) or "no keys"
        raise source.error(_FOREIGN, line=number, cure=f'it needs "document" and "links" and has {keys}')
    name = record.get("document")
    if type(name) is not str or not name.strip():
        raise source.error("the object has no document name", line=number, cure='add "document": "some name"')
    return record


# The short way.


class PlainLabels(dict[str, Relation]):
    """Labels about which there is nothing to say, with their relations; KeyError for any other.

    The builder is asked once for each label, so the short way cannot disagree with it.
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


def plain_document(name: str, record: dict[str, Any], line: int, source: Source) -> Document | None:
    """The document, if there is nothing odd in it; None otherwise."""
    labels = plain_labels(source.options)
    links = plain_links(record.get("links"), line, labels)
    if links is None:
        return None
    named = dict.fromkeys(chain.from_iterable(map(_ends, links)))
    body: partial[Body] | Body
    if "entities" not in record:
        ids = tuple(named)
        body = partial(plain_entities, ids)
    else:
        entities = plain_entity_list(record["entities"])
        if entities is None:
            return None
        declared = {entity.id: None for entity in entities}
        if len(declared) < len(entities) or not named.keys() <= declared.keys():
            return None
        ids, body = tuple(declared), Body(entities)
    unique = with_unique_ids(links)
    remarks = remarks_about(unique)
    return Document(name, tuple(unique), ids, source.path, "jsonl", labels.reading.name, remarks, body)


def plain_links(records: object, line: int, labels: PlainLabels) -> list[Link] | None:
    """The links of a document, if there is nothing odd in any of them; None otherwise."""
    if type(records) is not list:
        return None
    links = []
    try:
        for position, record in enumerate(records, 1):
            first, label, second = record["source"], record["relation"], record["target"]
            name, weight = str(position), 1
            if len(record) > 3:
                name, weight = record.get("id", name), record.get("weight", 1)
                if not (type(name) is str and name and is_weight(weight)):
                    return None
            if not (type(first) is type(second) is str and first and second):
                return None
            links.append(Link(name, first, labels[label], second, label, line, weight))
    except (KeyError, TypeError, AttributeError):
        return None
    return links


def plain_entity_list(records: object) -> tuple[Entity, ...] | None:
    """The entities, if there is nothing odd in any of them; None otherwise."""
    if type(records) is not list:
        return None
    entities = [Entity(record) if type(record) is str and record else entity_of(record) for record in records]
    return None if None in entities else tuple(entities)  # type: ignore[arg-type]


def entity_of(record: object) -> Entity | None:
    """An entity from its object; None if anything about the object is odd."""
    if type(record) is not dict:
        return None
    name, kind, text = record.get("id"), record.get("kind", "unknown"), record.get("text")
    start, end = record.get("start"), record.get("end")
    if type(name) is not str or not name or type(kind) is not str or kind not in _KINDS:
        return None
    if not (text is None or type(text) is str):
        return None
    spans: tuple[tuple[int, int], ...] = ()
    if start is not None or end is not None:
        if not (type(start) is type(end) is int and 0 <= start <= end):
            return None
        spans = ((start, end),)
    return Entity(name, _KINDS[kind], text, spans, is_dct=kind == "dct")


def is_weight(value: object) -> bool:
    """Whether a JSON value is a usable weight: a finite number above zero."""
    try:
        return type(value) in {int, float} and isfinite(value) and value > 0  # type: ignore[arg-type, operator]
    except OverflowError:  # an integer beyond every float
        return False


# The careful way.


def careful_document(name: str, record: dict[str, Any], line: int, source: Source) -> Document:
    """The document, with a remark on everything odd."""
    builder = DocumentBuilder(name, source, "jsonl", links_reading(source.options))
    entities: tuple[Entity, ...] | None = None
    if "entities" in record:
        entities = careful_entities(builder, record["entities"], line)
        builder.declared = {entity.id: None for entity in entities}
    links = record.get("links")
    if links is None:
        builder.warn("no-links", 'the object has no "links"', line=line)
    elif type(links) is not list:
        raise source.error('"links" must be a list', line=line)
    for position, link in enumerate(links or (), 1):
        own = link.get("id") if type(link) is dict else None
        add_link(builder, link, own if type(own) is str and own else str(position), line)
    if entities is None:
        return with_body(builder.build(), plain_entities)
    extra = (Entity(end) for end in tuple(builder.declared or ())[len(entities) :])  # kept although undeclared
    return builder.build(Body((*entities, *extra)))


def careful_entities(builder: DocumentBuilder, records: object, line: int) -> tuple[Entity, ...]:
    """The usable entities, the first of each name, with a remark on every other."""
    if type(records) is not list:
        raise builder.source.error('"entities" must be a list', line=line)
    found: dict[str, Entity] = {}
    for position, record in enumerate(records, 1):
        entity = Entity(record) if type(record) is str and record else entity_of(record)
        if entity is None and type(record) is dict and type(name := record.get("id")) is str and name:
            entity = Entity(name)
            message = f"kind must be one of {', '.join(_KINDS)}; start and end whole numbers in order; text a string"
            builder.warn("odd-entity", f"only the id is used: {message}", line=line, element=name)
        if entity is None:
            message = f"entity number {position} is left out: it must be a name or an object with an id"
            builder.warn("odd-entity", message, line=line)
        elif entity.id in found:
            builder.warn("duplicate-id", "declared twice; the first declaration counts", line=line, element=entity.id)
        else:
            found[entity.id] = entity
    return tuple(found.values())


def add_link(builder: DocumentBuilder, link: object, name: str, line: int) -> None:
    """Add one link, or drop it with a remark."""
    if type(link) is not dict:
        builder.drop("bad-link", "a link must be an object with source, relation, target", line=line, element=name)
        return
    ends = link.get("source"), link.get("target")
    if not all(end is None or type(end) is str for end in ends):
        builder.drop("bad-link", "source and target must be strings", line=line, element=name)
        return
    label = link.get("relation")
    if type(label) is list and all(type(part) is str for part in label):
        label = "|".join(label)
    if not (label is None or type(label) is str):
        builder.drop("bad-link", "relation must be a string or a list of strings", line=line, element=name)
        return
    weight = link.get("weight", 1)
    if not is_weight(weight):
        message = f"weight {str(weight)[:40]} is not a finite number above zero"
        builder.drop("bad-weight", message, line=line, element=name)
        return
    before = len(builder.links)
    builder.add_link(name, ends[0], label, ends[1], line=line, weight=weight)
    if len(builder.links) > before:
        note_during(builder, label or "", line=line, element=name)
