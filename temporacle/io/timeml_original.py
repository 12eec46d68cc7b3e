"""The TimeML file a document was read from, with other links.

Much of what a TimeML file says (classes, tenses, subordination links, titles) has no place in a Document. Where the
file is still there, and declares exactly the document's entities, that is kept: only its TLINKs are replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from temporacle.errors import InputError
from temporacle.io.source import Source
from temporacle.io.timeml_body import body
from temporacle.io.xml import parse, qualified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.etree import _Element

    from temporacle.model import Document

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
