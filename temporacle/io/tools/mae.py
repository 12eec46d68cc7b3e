"""MAE (and i2b2 2012): a text and a list of tags about it.

Tags with ``spans`` (``10~14,20~25``) or ``start`` and ``end`` mark the text. Tags with ``fromID`` and ``toID``, or
other attributes that end with ``ID``, are links. Offsets count UTF-16 code units, as in Java.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark
from temporacle.io.tools.offsets import Utf16
from temporacle.io.xml import parse
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.io.tools.assembly import Spans
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
