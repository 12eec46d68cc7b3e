"""Writes TimeML. What is read back has the same entities, links, relations and creation time, and the same text.

An entity that is not a time is written as an event with an instance of its name. A relation for which TimeML has no
label is written as several labels joined by ``|``: BEFORE|IBEFORE.

A document that was read from a TimeML file keeps everything else that the file says, if the file is still there
(``timeml_original``). Otherwise the file is made anew. Spans that cross others, or have gaps, cannot be tags then: the
first part is marked, or the entity stands behind the text without a span.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from temporacle.errors import InputError
from temporacle.io.builder import ATTRIBUTES
from temporacle.io.rows import DCT
from temporacle.io.source import Source
from temporacle.io.timeml.extras import attributes_in, elements_in, link_attributes_in
from temporacle.io.timeml.read import body
from temporacle.io.writers import entities_of, report_lost
from temporacle.io.xml import parse, qualified
from temporacle.model import Kind, Remark
from temporacle.readings import DURING, canonical, load_reading
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.etree import _Element

    from temporacle.io.formats import Report
    from temporacle.model import Document, Entity, Link

# What XML 1.0 cannot hold, not even as a character reference.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}
_IN_TEXT = str.maketrans({key: value for key, value in _ESCAPES.items() if key != '"'})
_IN_ATTRIBUTE = str.maketrans({**_ESCAPES, "\n": "&#10;", "\t": "&#9;"})


class _Tag(NamedTuple):
    """An element in the text: where, and its opening and closing."""

    start: int
    end: int
    opening: str
    closing: str


def text(document: Document, report: Report) -> str:
    """Return the document as a TimeML file."""
    writing = _Writing(document, report)
    links = list(writing.links())
    return rewritten(document, links) or writing.whole(links)


class _Writing:
    """One document on its way out."""

    def __init__(self, document: Document, report: Report) -> None:
        self.document = document
        self.report = report
        self.entities = entities_of(document)
        self.eids = self._event_ids()
        self.extras = document.extras
        self.has_dct = any(entity.is_dct for entity in self.entities.values())

    def whole(self, links: Iterable[dict[str, str]]) -> str:
        """Return the file made from the document alone."""
        marked, behind = self.markup()
        tlinks = (self.element("TLINK", **attributes) + "/>" for attributes in links)
        has_id = any(each["tag"] == "DOCID" for each in elements_in(self.extras))
        report_lost(self.document, self.report)
        return "".join(
            (
                '<?xml version="1.0" encoding="UTF-8"?>\n<TimeML>\n',
                "" if has_id else f"<DOCID>{self.content(self.document.id)}</DOCID>\n",
                f"<TEXT>{marked}</TEXT>\n",
                *(f"{line}\n" for line in (*behind, *self.instances(), *tlinks)),
                "</TimeML>\n",
            )
        )

    def say(self, code: str, message: str) -> None:
        self.report(Remark(code, f"{self.document.id}: {message}"))

    def content(self, value: str) -> str:
        return self._legal(value).translate(_IN_TEXT)

    def element(self, tag: str, **attributes: str | None) -> str:
        """Return an opening tag without its last angle bracket."""
        given = ((name, value) for name, value in attributes.items() if value is not None)
        return f"<{tag}" + "".join(f' {name}="{self._legal(value).translate(_IN_ATTRIBUTE)}"' for name, value in given)

    def _legal(self, value: str) -> str:
        if (found := _ILLEGAL.search(value)) is None:
            return value
        self.say("not-xml", f"the character {found[0]!r} cannot stand in XML and is replaced")
        return _ILLEGAL.sub("\ufffd", value)

    def _event_ids(self) -> dict[str, str]:
        """Return an eid for every entity that is not a time. If it has none, invent an unused one."""
        events = [entity for entity in self.entities.values() if entity.kind is not Kind.TIME]
        taken = {*self.entities, *(entity.event_id for entity in events)}
        found = {}
        for entity in events:
            eid = entity.event_id
            if eid is None:
                eid = f"e_{entity.id}"
                while eid in taken:
                    eid += "_"
                taken.add(eid)
            found[entity.id] = eid
        return found

    def markup(self) -> tuple[str, list[str]]:
        """Return the text with its tags, and the elements that are written after it."""
        plain = self.document.text or ""
        tags: list[_Tag] = []
        behind: list[str] = []
        written: set[str] = set()
        for entity in self.entities.values():
            opening, closing = self._tags(entity)
            if opening in written:
                continue  # a second instance of the same event
            written.add(opening)
            span = entity.spans[0] if entity.spans else None
            if span is not None and 0 <= span[0] < span[1] <= len(plain):
                tags.append(_Tag(*span, opening, closing))
                if len(entity.spans) > 1:
                    self.say("span-with-gaps", f"only the first part of {entity.id} is marked in the text")
            else:
                behind.append(f"{opening}{self.content(entity.text or '')}{closing}")
        for each in elements_in(self.extras):
            opening, closing = self.element(each["tag"], **each.get("attributes", {})) + ">", f"</{each['tag']}>"
            start, end = each.get("start"), each.get("end")
            if type(start) is type(end) is int and 0 <= start < end <= len(plain):
                tags.append(_Tag(start, end, opening, closing))
            else:
                text = each.get("text")
                behind.append(f"{opening}{self.content(text) if isinstance(text, str) else ''}{closing}")
        nested, crossing = _nested(tags)
        for tag in crossing:
            self.say("crossing-spans", f"{tag.opening} crosses another element and is written after the text")
            behind.append(f"{tag.opening}{self.content(plain[tag.start : tag.end])}{tag.closing}")
        return self._inlined(plain, nested), behind

    def _tags(self, entity: Entity) -> tuple[str, str]:
        if entity.kind is not Kind.TIME:
            others = attributes_in(self.extras, entity.id, "EVENT")
            return self.element("EVENT", eid=self.eids[entity.id], **others) + ">", "</EVENT>"
        function = entity.function
        if function is None and entity.id == DCT and not self.has_dct:
            function = "NONE"  # or this name would make it the creation time
        stated = {name: getattr(entity, field) for name, field in ATTRIBUTES.items()}
        others = {**stated, **attributes_in(self.extras, entity.id, "TIMEX3")}
        opening = self.element("TIMEX3", tid=entity.id, value=entity.value, functionInDocument=function, **others) + ">"
        return (f"<DCT>{opening}", "</TIMEX3></DCT>") if entity.is_dct else (opening, "</TIMEX3>")

    def _inlined(self, plain: str, tags: Iterable[_Tag]) -> str:
        pieces: list[str] = []
        opened: list[_Tag] = []
        position = 0

        def copy_to(place: int) -> None:
            nonlocal position
            pieces.append(self.content(plain[position:place]))
            position = place

        for tag in tags:
            while opened and opened[-1].end <= tag.start:
                copy_to(opened[-1].end)
                pieces.append(opened.pop().closing)
            copy_to(tag.start)
            pieces.append(tag.opening)
            opened.append(tag)
        while opened:
            copy_to(opened[-1].end)
            pieces.append(opened.pop().closing)
        copy_to(len(plain))
        return "".join(pieces)

    def instances(self) -> Iterable[str]:
        """Yield one MAKEINSTANCE for each event, unless the event is named by its own eid."""
        for name, eid in self.eids.items():
            if name != eid:
                others = attributes_in(self.extras, name, "MAKEINSTANCE")
                yield self.element("MAKEINSTANCE", eiid=name, eventID=eid, **others) + "/>"

    def links(self) -> Iterable[dict[str, str]]:
        """Yield the attributes of the TLINKs, in the order of the document."""
        unusual = 0
        for link in self.document.links:
            label = _label(link, self.document)
            if label is None:
                unusual += 1
                label = _joined_labels(link.relation)
            source = "timeID" if self.entities[link.source].kind is Kind.TIME else "eventInstanceID"
            target = "relatedToTime" if self.entities[link.target].kind is Kind.TIME else "relatedToEventInstance"
            stated = {"relType": label, source: link.source, target: link.target}
            if link.id:
                stated = {"lid": link.id, **stated}
            yield {
                name: self._legal(value) for name, value in (stated | link_attributes_in(self.extras, link.id)).items()
            }
        if unusual:
            count = f"{unusual} links have relations" if unusual > 1 else "1 link has a relation"
            self.say("no-label", f"{count} without a TimeML label, written as labels joined by '|'")
        if any(link.weight != 1 for link in self.document.links):
            self.say("no-weights", "TimeML cannot hold weights")


def _nested(tags: list[_Tag]) -> tuple[list[_Tag], list[_Tag]]:
    """Return the tags in the order of opening, outer before inner, and separately those that cross another tag."""
    nested: list[_Tag] = []
    crossing: list[_Tag] = []
    opened: list[_Tag] = []
    for tag in sorted(tags, key=lambda tag: (tag.start, -tag.end)):
        while opened and opened[-1].end <= tag.start:
            opened.pop()
        if opened and tag.end > opened[-1].end:
            crossing.append(tag)
        else:
            nested.append(tag)
            opened.append(tag)
    return nested, crossing


# One label for each relation that has one; IDENTITY, DURING and the like mean the same as one of these.
_PREFERRED = (
    *("BEFORE", "AFTER", "IBEFORE", "IAFTER", "INCLUDES", "IS_INCLUDED", "BEGINS", "BEGUN_BY", "ENDS", "ENDED_BY"),
    *("SIMULTANEOUS", "OVERLAP", "BEFORE-OR-OVERLAP", "OVERLAP-OR-AFTER", "VAGUE"),
)
_WITHOUT_LABEL = ("ALLEN_OVERLAPS", "ALLEN_OVERLAPPED_BY")  # TimeML has none for these atoms; other programs know none


def _label(link: Link, document: Document) -> str | None:
    """Return the TimeML label of a link's relation; None if there is none.

    A label that already has its TimeML meaning stays, even if the user reads it in another way.
    """
    strict = load_reading("timeml")
    known = canonical(link.label) in strict.labels
    if known and (strict.relation(link.label) == link.relation or _was_timeml(link, document)):
        return link.label
    return next((label for label in _PREFERRED if strict.relation(label) == link.relation), None)


def _joined_labels(relation: Relation) -> str:
    """Return labels of TimeML that together mean a relation, as few as a greedy choice finds.

    >>> _joined_labels(Relation("b|m")), _joined_labels(Relation("o"))
    ('BEFORE|IBEFORE', 'ALLEN_OVERLAPS')
    """
    strict = load_reading("timeml")
    chosen: list[str] = []
    covered = Relation(0)
    for label in sorted((*_PREFERRED, *_WITHOUT_LABEL), key=lambda each: -len(strict.relation(each).atoms)):
        meaning = strict.relation(label)
        if meaning & relation == meaning and not meaning & covered:
            chosen.append(label)
            covered |= meaning
    return "|".join(chosen)


def _was_timeml(link: Link, document: Document) -> bool:
    """Return whether a label of a TimeML corpus means the link's relation in the user's reading of TimeML labels."""
    if document.format not in {"timeml", "cat", "caevo"} or document.reading.name not in {"timeml", "timeml-loose"}:
        return False
    return any(load_reading(document.reading.name, during).relation(link.label) == link.relation for during in DURING)


# ----------------------------------------------------------------------------------------------------
# The TimeML file a document was read from, with other links.
#
# Much of what a TimeML file says (classes, tenses, subordination links, titles) has no place in a Document. Where the
# file is still there, and declares exactly the document's entities, that is kept: only its TLINKs are replaced.

_STATED = ("lid", "relType", "eventInstanceID", "timeID", "relatedToEventInstance", "relatedToTime")


def rewritten(document: Document, links: Sequence[dict[str, str]]) -> str | None:
    """Return the text of the original file with these TLINKs, given by their attributes; None if impossible."""
    root = _original(document)
    if root is None:
        return None
    before = _take_out(root)
    namespace = etree.QName(root).namespace
    tag = "TLINK" if namespace is None else f"{{{namespace}}}TLINK"
    # Blanks between links are harmless only where they are not part of the text.
    tail = "\n" if next(root.iter(qualified(root, "TEXT")), None) is not None else None
    for attributes in links:
        element = before.pop(_key(attributes), None)
        if element is None:
            element = etree.Element(tag, attributes)
        element.tail = tail
        root.append(element)
    return etree.tostring(root.getroottree(), encoding="UTF-8", xml_declaration=True).decode() + "\n"


def _original(document: Document) -> _Element | None:
    """Return the root of the file if the document was read from it and it has not changed."""
    if document.format != "timeml" or document.path is None:
        return None
    try:
        root = parse(Source(document.path))
    except InputError:
        return None
    if str(root.tag).rpartition("}")[2] != "TimeML":
        return None
    stated = body(root)
    return root if (stated.text, stated.entities) == (document.text, document.entities) else None


def _take_out(root: _Element) -> dict[tuple[str | None, ...], _Element]:
    """Remove the TLINKs but not the text behind them; returns them by what they say."""
    found: dict[tuple[str | None, ...], _Element] = {}
    for element in list(root.iter(qualified(root, "TLINK"))):
        parent, previous = element.getparent(), element.getprevious()
        if parent is None:
            continue
        if element.tail and previous is not None:
            previous.tail = (previous.tail or "") + element.tail
        elif element.tail:
            parent.text = (parent.text or "") + element.tail
        element.tail = None
        parent.remove(element)
        found.setdefault(_key(element.attrib), element)
    return found


def _key(attributes: etree._Attrib | dict[str, str]) -> tuple[str | None, ...]:
    return tuple(str(attributes[name]) if name in attributes else None for name in _STATED)
