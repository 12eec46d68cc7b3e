"""Anafora XML as it is written, without any meaning: for the emulation of the scorer of Clinical TempEval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.xml import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

    from temporacle.io.source import Source


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
        _text(element.find("id")),
        _text(element.find("type")),
        None if span is None else _text(span) or "",
        tuple((str(child.tag), _text(child)) for child in children),
    )


def _text(element: _Element | None) -> str | None:
    """Return the text before the first element inside; comments are passed over."""
    if element is None:
        return None
    text = element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            break
        text += child.tail or ""
    return text or None
