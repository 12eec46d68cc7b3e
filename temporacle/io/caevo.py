"""CAEVO info XML: many documents in one file, with ids of instances and times.

Links have no ids and are named by their position in the document; one that CAEVO made by closure is named
``closed:`` and its position, and has the task ``closed``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from temporacle.io.builder import DocumentBuilder, with_attributes
from temporacle.io.source import strip_suffixes
from temporacle.io.xml import parse
from temporacle.model import Body, Document, Entity, Kind, Unreadable
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from temporacle.io.source import Source

_NS = "{http://chambers.com/corpusinfo}"


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a CAEVO file, in its order."""
    root = parse(source)
    met: set[str] = set()
    for position, file in enumerate(root.iterfind(f"{_NS}file")):
        name = strip_suffixes(file.get("name") or f"{source.name}:{position + 1}")
        if name in met:
            error = source.error(
                f"document {shown(name)} occurs a second time", line=file.sourceline, cure="remove one"
            )
            yield Unreadable(name, source.path, error)
            continue
        met.add(name)
        yield _document(source, file, name, position)


def _document(source: Source, file: _Element, name: str, position: int) -> Document:
    entities = _entities(file)
    builder = DocumentBuilder(name, source, "caevo", source.reading("timeml"), (entity.id for entity in entities))
    _remark_on_nameless(builder, file)
    _remark_on_entities(builder, entities)
    for number, link in enumerate(file.iterfind(f"{_NS}tlink"), 1):
        closed = link.get("closed") == "true"
        builder.add_link(
            f"closed:{number}" if closed else str(number),
            link.get("event1"),
            link.get("relation"),
            link.get("event2"),
            line=link.sourceline,
            task="closed" if closed else None,
        )
    return builder.build(partial(_body, source, position))


def _remark_on_nameless(builder: DocumentBuilder, file: _Element) -> None:
    for element in file.iter(f"{_NS}event", f"{_NS}timex"):
        tag = str(element.tag).removeprefix(_NS)
        names = ("eiid", "id") if tag == "event" else ("tid",)
        if not any((element.get(name) or "").strip() for name in names):
            builder.is_first(None, f"{tag} without {' or '.join(names)}", line=element.sourceline)


def _remark_on_entities(builder: DocumentBuilder, entities: list[Entity]) -> None:
    for entity in entities:
        builder.is_first(entity.id, "entity without id", line=entity.line)
    dcts = [entity for entity in entities if entity.is_dct]
    builder.note_dcts([entity.id for entity in dcts], dcts[1].line if dcts[1:] else None)


def _entities(file: _Element) -> list[Entity]:
    """Return all declarations in the order of the file. Places are tokens of a sentence, so there are no spans."""
    entities: list[Entity] = []
    for event in file.iterfind(f"{_NS}entry/{_NS}events/{_NS}event"):
        eid = event.get("id")
        entities += [
            Entity(name, Kind.EVENT, event.get("string"), event_id=eid, line=event.sourceline)
            for name in (event.get("eiid") or "").split() or (eid or "").split()
        ]
    entities += [_time(timex) for timex in file.iterfind(f"{_NS}entry/{_NS}timexes/{_NS}timex") if timex.get("tid")]
    for timex in file.iterfind(f"{_NS}timex"):
        if timex.get("tid"):
            is_dct = timex.get("docFunction") == "CREATION_TIME" or timex.get("tid") == "t0"
            entities.append(_time(timex)._replace(is_dct=is_dct))
    return entities


def _time(timex: _Element) -> Entity:
    entity = Entity(
        timex.get("tid") or "",
        Kind.TIME,
        timex.get("text") or None,
        value=timex.get("value"),
        function=timex.get("docFunction"),
        line=timex.sourceline,
    )
    return with_attributes(entity, timex.get)


def _body(source: Source, position: int) -> Body:
    file = parse(source).findall(f"{_NS}file")[position]
    entities: dict[str, Entity] = {}
    has_dct = False
    for entity in _entities(file):
        if entity.id not in entities:
            entities[entity.id] = entity._replace(is_dct=entity.is_dct and not has_dct)
            has_dct |= entity.is_dct
    sentences = [(sentence.text or "").strip() for sentence in file.iterfind(f"{_NS}entry/{_NS}sentence")]
    return Body(tuple(entities.values()), "\n".join(sentences))
