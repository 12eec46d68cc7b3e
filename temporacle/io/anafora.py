"""Anafora XML as in THYME: stand-off annotation of a text that is rarely available.

An entity keeps its whole id (``12@e@note@gold``). With the option ``doctimerel`` the property DocTimeRel of an event
becomes a link from it to the document's DOCTIME, named ``DocTimeRel:`` and the event. Where no entity is a DOCTIME, one
is made. Elements called ``entity`` inside the properties of a relation are properties, not entities.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.builder import DocumentBuilder
from temporacle.io.xml import parse
from temporacle.model import Body, Entity, Kind
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.model import Document

_SPAN = re.compile(r"(?:^|;)\s*([0-9]{1,18})\s*,\s*([0-9]{1,18})\s*(?=;|$)")
_KINDS = {"EVENT": Kind.EVENT, "TIMEX3": Kind.TIME, "SECTIONTIME": Kind.TIME, "DOCTIME": Kind.TIME}
_NOT_TEMPORAL = frozenset({"ALINK", "Identical", "Set/Subset", "Whole/Part", "Appositive", "CON-SUB"})  # relations
_MADE_DOCTIME = "DOCTIME"
# "note.Temporal-Relation.gold.completed": the schema, the annotator and the progress are not part of the name.
_NAME_ENDS = (
    *(".completed", ".inprogress", ".gold", ".adjudicated", ".Temporal-Relation", ".Temporal-Entity", ".Temporal"),
)


def read(source: Source) -> Iterator[Document]:
    """Yield the only document of an Anafora file."""
    root = parse(source)
    entities = _entities(root)
    builder = DocumentBuilder(document_name(source.name), source, "anafora", source.reading("thyme"), entities)
    _remark_on_entities(builder, root, entities)
    others = _others(root, entities)
    other_relations: Counter[str] = Counter()
    for relation in _annotations(root, "relation"):
        kind = _text(relation, "type")
        if kind == "TLINK":
            _add_link(builder, relation, others)
        elif kind is None:
            line, name = relation.sourceline, _text(relation, "id")
            builder.drop("missing-type", "the relation has no type: it may be a TLINK", line=line, element=name)
        elif kind not in _NOT_TEMPORAL:
            other_relations[kind] += 1
    builder.note_others(other_relations)
    made = _add_document_time_relations(builder, entities) if source.options.doctimerel else None
    yield builder.build(partial(_body, source, made))


def document_name(name: str) -> str:
    """Return the name of the note.

    >>> document_name("note7.Temporal-Relation.gold.completed")
    'note7'
    """
    while name.endswith(_NAME_ENDS):
        name = name.rpartition(".")[0]
    return name


def _annotations(root: _Element, tag: str) -> Iterator[_Element]:
    """Yield the annotations of a kind. A property may have the same tag."""
    for element in root.iterfind(f".//{tag}"):
        parent = element.getparent()
        if parent is None or parent.tag != "properties":
            yield element


def _entities(root: _Element) -> dict[str, _Element]:
    """Return events and times by id. If two have the same id, the first is used."""
    found: dict[str, _Element] = {}
    for element in _annotations(root, "entity"):
        name = _text(element, "id")
        if name and _text(element, "type") in _KINDS:
            found.setdefault(name, element)
    return found


def _others(root: _Element, entities: dict[str, _Element]) -> dict[str, str]:
    """Return the types of all other elements that have an id."""
    kinds = ((_text(element, "id"), _text(element, "type")) for element in _annotations(root, "entity"))
    return {name: kind or "unknown" for name, kind in kinds if name and name not in entities}


def _text(element: _Element, path: str) -> str | None:
    return (element.findtext(path) or "").strip() or None


def _document_times(entities: dict[str, _Element]) -> list[str]:
    return [name for name, element in entities.items() if _text(element, "type") == "DOCTIME"]


def _remark_on_entities(builder: DocumentBuilder, root: _Element, entities: dict[str, _Element]) -> None:
    for element in _annotations(root, "entity"):
        name = _text(element, "id")
        if name is None:
            builder.is_first(name, "entity without id", line=element.sourceline)
        elif name in entities and entities[name] is not element:
            message = f"id {shown(name)} is declared twice; the first counts"
            builder.warn("duplicate-id", message, line=element.sourceline, element=name)
    times = _document_times(entities)
    builder.note_dcts(times, entities[times[1]].sourceline if times[1:] else None)


def _add_link(builder: DocumentBuilder, relation: _Element, others: dict[str, str]) -> None:
    line = relation.sourceline
    name = _text(relation, "id") or f"line{line}"
    ends: list[str | None] = []
    for which in ("Source", "Target"):
        found = [value for end in relation.iterfind(f"properties/{which}") if (value := (end.text or "").strip())]
        if len(found) > 1:
            message = f"the link has {len(found)} {which.lower()}s"
            builder.drop("two-endpoints", message, line=line, element=name)
            return
        if found and found[0] in others:
            message = f"{shown(found[0])} is an entity of type {others[found[0]]}: neither an event nor a time"
            builder.drop("not-an-entity", message, line=line, element=name)
            return
        ends.append(found[0] if found else None)
    builder.add_link(name, ends[0], _text(relation, "properties/Type"), ends[1], line=line)


def _add_document_time_relations(builder: DocumentBuilder, entities: dict[str, _Element]) -> str | None:
    """Add a link for each DocTimeRel. Returns the id of the document time if one had to be made."""
    time = next(iter(_document_times(entities)), None)
    stated = [(name, element) for name, element in entities.items() if _text(element, "properties/DocTimeRel")]
    made = None
    if stated and time is None and builder.declared is not None:
        time = made = _MADE_DOCTIME
        while made in builder.declared:
            time = made = f"{made}_"
        builder.declared[made] = None
        count = "1 event" if len(stated) == 1 else f"{len(stated)} events"
        message = f"no entity is the DOCTIME; {made} is made for the DocTimeRel of {count}"
        builder.warn("no-dct", message, line=stated[0][1].sourceline, element=stated[0][0])
    for name, element in stated:
        label = _text(element, "properties/DocTimeRel")
        builder.add_link(f"DocTimeRel:{name}", name, label, time, line=element.sourceline)
    return made


def _body(source: Source, made: str | None) -> Body:
    found = _entities(parse(source))
    first_time = next(iter(_document_times(found)), None)
    made_time = () if made is None else (Entity(made, Kind.TIME, is_dct=True),)
    return Body(
        tuple(
            Entity(
                name,
                _KINDS[_text(element, "type") or ""],
                spans=_spans(_text(element, "span") or ""),
                value=_text(element, "properties/Value"),
                is_dct=name == first_time,
                line=element.sourceline,
                type=_text(element, "properties/Class"),
                mod=_text(element, "properties/Mod"),
            )
            for name, element in found.items()
        )
        + made_time
    )


def _spans(written: str) -> tuple[tuple[int, int], ...]:
    """Return ``40,44;50,56`` as pairs in the order of the text. Parts that are not a start and an end are ignored.

    >>> _spans("50,56;40,44"), _spans("?"), _spans("9,4")
    (((40, 44), (50, 56)), (), ())
    """
    found = _SPAN.findall(written)
    return tuple(sorted((int(start), int(end)) for start, end in found if int(start) <= int(end)))


# ----------------------------------------------------------------------------------------------------
# Anafora XML as it is written, without any meaning: for the emulation of the scorer of Clinical TempEval.


class AnaforaRecord(NamedTuple):
    """One child of ``annotations``."""

    tag: str
    id: str | None
    type: str | None
    span: str | None  # None: there is no such element
    properties: tuple[tuple[str, str | None], ...]


def anafora_records(source: Source) -> list[AnaforaRecord]:
    """Return the annotations of a file. Raise InputError if it is not well-formed."""
    root = parse(source)
    holder = root.find("annotations")
    return [_record(element) for element in (() if holder is None else holder) if isinstance(element.tag, str)]


def _record(element: _Element) -> AnaforaRecord:
    span, properties = element.find("span"), element.find("properties")
    children = () if properties is None else [each for each in properties if isinstance(each.tag, str)]
    return AnaforaRecord(
        str(element.tag),
        _record_text(element.find("id")),
        _record_text(element.find("type")),
        None if span is None else _record_text(span) or "",
        tuple((str(child.tag), _record_text(child)) for child in children),
    )


def _record_text(element: _Element | None) -> str | None:
    """Return the text before the first element inside; comments are passed over."""
    if element is None:
        return None
    text = element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            break
        text += child.tail or ""
    return text or None
