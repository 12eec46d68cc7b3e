"""MAE (and i2b2 2012): a text and a list of tags about it.

Tags with ``spans`` (``10~14,20~25``) or ``start`` and ``end`` mark the text. Tags with ``fromID`` and ``toID``, or
other attributes that end with ``ID``, are links. Offsets count UTF-16 code units, as in Java.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.io.edit.edits import FreeIds, NoPlaceForNotesError, Splice, joined_notes, plain_note
from temporacle.io.edit.places import blanks_before, element_like, markup, tags_of
from temporacle.io.source import Source
from temporacle.io.tools import mapping as names
from temporacle.io.tools.assembly import DOCTIMEREL, Annotation, Arrow, Assembler, Mark, Utf16, form_of, label_place
from temporacle.io.tools.mapping import mapping_of
from temporacle.io.xml import parse
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Mapping as Table

    from lxml.etree import _Element

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.places import Tag
    from temporacle.io.tools.assembly import Spans
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import Document

_SPAN = re.compile(r"-?[0-9]{1,18}~-?[0-9]{1,18}(?:,-?[0-9]{1,18}~-?[0-9]{1,18})*")
_NOWHERE = (-1, -1)
ENDS = (("fromID", "toID"), ("arg0ID", "arg1ID"))


def is_root(root: _Element) -> bool:
    """Return whether an element has exactly the two children of a MAE file. Its own name does not matter."""
    return sorted(str(child.tag).upper() for child in root.iterchildren("*")) == ["TAGS", "TEXT"]


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of a MAE file."""
    root = parse(source)
    if not is_root(root):
        raise source.error("no TEXT and TAGS: the file is not one of MAE", line=root.sourceline)
    assembler = Assembler(source, "mae", source.name, label_is_type=False)
    yield assembler.document(_Reader(root, assembler).annotation(source.name))


def child_called(root: _Element, name: str) -> _Element:
    """Return the child TEXT or TAGS, in upper or lower case."""
    return next(child for child in root.iterchildren("*") if str(child.tag).upper() == name)


def is_link_tag(tag: _Element) -> bool:
    """Return whether a tag is a link: it has no position in the text, and names other tags."""
    has_place = "spans" in tag.attrib or ("start" in tag.attrib and "end" in tag.attrib)
    return not has_place and any(str(name).endswith("ID") for name in tag.attrib)


def ends_of(tag: _Element) -> tuple[str, str]:
    """Return the attributes of a link tag that name its source and its target, unless a mapping says otherwise."""
    return next((ends for ends in ENDS if any(end in tag.attrib for end in ends)), ENDS[0])


def arrow_of(tag: _Element) -> Arrow:
    """Return a link tag as a relation."""
    attributes = {str(name): str(value) for name, value in tag.attrib.items()}
    arguments = {name: value for name, value in attributes.items() if name.endswith("ID") and value}
    first, second = ends_of(tag)
    name = attributes.get("id") or f"line{tag.sourceline}"
    ends = arguments.get(first), arguments.get(second)
    return Arrow(name, str(tag.tag), *ends, attributes, arguments, tag.sourceline)


class _Reader:
    """One file."""

    def __init__(self, root: _Element, assembler: Assembler) -> None:
        self.builder = assembler.builder
        self.text = "".join(child_called(root, "TEXT").itertext())
        self.tags = child_called(root, "TAGS")
        self.offsets = Utf16(self.text)

    def annotation(self, name: str) -> Annotation:
        marks: dict[str, Mark] = {}
        arrows: dict[str, Arrow] = {}
        for tag in self.tags.iterchildren("*"):
            own, line = tag.get("id"), tag.sourceline
            if not own:
                self.builder.warn("missing-id", f"{tag.tag!s} without id: nothing can refer to it", line=line)
                if not is_link_tag(tag):
                    continue
            if own and (own in marks or own in arrows):
                message = f"{shown(own)} is declared a second time; the first counts"
                if is_link_tag(tag):
                    self.builder.drop("duplicate-id", message, line=line, element=own)
                else:
                    self.builder.warn("duplicate-id", message, line=line, element=own)
            elif is_link_tag(tag):
                arrow = arrow_of(tag)
                arrows[arrow.id] = arrow
            elif own:
                attributes = {str(key): str(value) for key, value in tag.attrib.items()}
                marks[own] = Mark(own, str(tag.tag), (), tag.get("text") or None, attributes, line)
        return Annotation(name, marks, list(arrows.values()), self.text, finish=self._placed)

    def _placed(self, mark: Mark) -> Mark:
        """Return the mark with its position in the text, if it has one."""
        units = _units(mark.attributes.get("spans"), mark.attributes.get("start"), mark.attributes.get("end"))
        if units is None or any(end < start for start, end in units):
            message = "its span is not of the form 10~14, or 10~14,20~25"
            self.builder.warn("bad-span", message, line=mark.line, element=mark.id)
            return mark
        if any(self.offsets.is_split(unit) for span in units for unit in span):
            message = "the span begins or ends inside a character; the entity has none"
            self.builder.warn("split-character", message, line=mark.line, element=mark.id)
            return mark
        spans = [(self.offsets.character(start), self.offsets.character(end)) for start, end in units]
        found = tuple((start, end) for start, end in spans if start is not None and end is not None)
        if len(found) < len(spans):
            message = f"the span is not in the text of {len(self.text)} characters; the entity has none"
            self.builder.warn("span-outside", message, line=mark.line, element=mark.id)
            return mark
        if not found:
            return mark
        words = " ".join(self.text[start:end] for start, end in found)
        if mark.text is not None and _squeezed(mark.text) != _squeezed(words):
            message = f"the file states {shown(mark.text)}, and the text there is {shown(words)}, which counts"
            self.builder.warn("span-mismatch", message, line=mark.line, element=mark.id)
        return mark._replace(spans=found, text=words or None)


def _units(spans: str | None, start: str | None, end: str | None) -> Spans | None:
    """Return the parts of a span in UTF-16 units; empty for a tag without a position; None if it cannot be read."""
    written = f"{(start or '').strip()}~{(end or '').strip()}" if spans is None else spans.replace(" ", "")
    if not written or written == "~":
        return ()
    if _SPAN.fullmatch(written) is None:
        return None
    parts = [part.partition("~") for part in re.findall(r"-?\d+~-?\d+", written)]
    found = tuple(sorted((int(first), int(last)) for first, _, last in parts))
    return () if found == (_NOWHERE,) else found


def _squeezed(text: str) -> str:
    return "".join(text.replace(" ... ", " ").split())


# ----------------------------------------------------------------------------------------------------
# MAE: tags with attributes. A note goes to an attribute that the mapping names (``comment``): the DTD must have it.


def splices(text: str, source: Source, documents: Sequence[Document], edits: Table[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a MAE file."""
    root = parse(Source(source.path, source.data, source.options))
    document = documents[0]
    wanted = edits[document.id]
    mapping = mapping_of(source)
    tags = tags_of(root, markup(text))
    links: dict[str, _Element] = {}
    marks: dict[str, _Element] = {}
    repeated: list[tuple[str, _Element]] = []
    for tag in child_called(root, "TAGS").iterchildren("*"):
        if is_link_tag(tag) and arrow_of(tag).id in links:
            repeated.append((arrow_of(tag).id, tag))  # it would count without the first
        elif is_link_tag(tag):
            links[arrow_of(tag).id] = tag
        elif (own := tag.get("id")) is not None:
            marks.setdefault(own, tag)
    for link in document.links:
        if link.id.startswith(DOCTIMEREL):
            links[link.id] = marks[link.source]
    wanted.require(links, document.id)
    if wanted.has_notes and (mapping is None or mapping.comment is None):
        raise NoPlaceForNotesError(
            f"{source.path}: MAE takes notes in an attribute of the project only: name it in a mapping,"
            ' such as comment = "note"'
        )
    found: list[Splice] = [tags[tag].removed(text) for name, tag in repeated if name in wanted.drop]
    for name, element in links.items():
        found += _changes(text, name, (element, tags[element]), wanted, mapping)
    if mapping is not None and mapping.comment is not None:
        found += _notes(text, links, tags, wanted, mapping.comment)
    if wanted.add:
        read = [links[link.id] for link in document.links if not link.id.startswith(DOCTIMEREL)]
        taken = [str(tag.get("id")) for tag in child_called(root, "TAGS").iterchildren("*") if tag.get("id")]
        found += _added(text, wanted.add, (read, marks, taken), tags, mapping)
    return found


def _added(
    text: str,
    added: Sequence[NewLink],
    stated: tuple[Sequence[_Element], Table[str, _Element], Sequence[str]],
    tags: Table[_Element, Tag],
    mapping: ToolMapping | None,
) -> Iterator[Splice]:
    """Yield the tags of new links behind the last link, or else the last tag. ``stated``: links, marks, all ids."""
    links, marks, taken = stated
    last = links[-1] if links else list(marks.values())[-1]
    ids = FreeIds((arrow_of(element).id for element in links), taken, usual="TL")
    for new in added:
        form = form_of(new, mapping, arrow_of(last) if links else None, label_is_type=False)
        model = next((each for each in reversed(links) if each.tag == form.type), last)
        first, second = ends_of(model) if links else ENDS[0]
        ends = {form.source or first: new.source, form.target or second: new.target}
        values = {"id": ids.give(new.id)}
        for attribute, entity in ends.items():
            mark = marks.get(entity)
            if mark is None:
                raise UsageError(f"{new.said} cannot be added: no tag of the file has the id {entity}")
            values[attribute] = entity
            words = attribute.removesuffix("ID") + "Text"
            if not links or words in model.attrib:
                values[words] = mark.get("text") or ""
        if form.attribute is not None:
            values[form.attribute] = new.label
        if new.comment and mapping is not None and mapping.comment is not None:
            values[mapping.comment] = plain_note(new.comment)
        tag = tags[model]
        place = tags[last].end
        yield Splice(place, place, blanks_before(text, tags[last]) + element_like(text, tag, values, name=form.type))


def _changes(
    text: str, name: str, place: tuple[_Element, Tag], edits: Edits, mapping: ToolMapping | None
) -> Iterator[Splice]:
    element, tag = place
    if name.startswith(DOCTIMEREL):
        attributes = {str(key): str(value) for key, value in element.attrib.items()}
        rules = () if mapping is None else mapping.doctimerels
        features = [rule.feature for rule in rules if rule.feature in attributes]
        attribute = features[0] if features else names.attribute_named(attributes, names.DOCTIMEREL)
        if attribute is not None and name in edits.drop:
            yield from tag.without_attribute(text, attribute)
        elif attribute is not None and name in edits.relabel:
            yield tag.with_attribute(text, attribute, edits.relabel[name])
    elif name in edits.drop:
        yield tag.removed(text)
    elif (label := edits.relabel.get(name)) is not None:
        yield tag.with_attribute(text, label_place(mapping, arrow_of(element)).attribute or "type", label)


def _notes(
    text: str, links: dict[str, _Element], tags: dict[_Element, Tag], edits: Edits, attribute: str
) -> Iterator[Splice]:
    held: dict[_Element, list[str]] = {}
    for name, element in links.items():
        held.setdefault(element, []).append(name)
    for element, names_held in held.items():
        before = element.get(attribute)
        after = joined_notes(before, names_held, edits)
        if after is not None and after != before:
            yield tags[element].with_attribute(text, attribute, after)
        elif after is None and before:
            yield from tags[element].without_attribute(text, attribute)
