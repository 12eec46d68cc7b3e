"""The schema that every file must satisfy before the official normaliser touches any file of the run.

one DCT with one TIMEX3, one TEXT, below a root TimeML
no markup inside EVENT and TIMEX3
eid, tid, eiid and sid are there and unique; lid is unique where it is given
what is referred to exists; events, timexes and signals count only directly below a child of the root
the label of a TLINK is one of a list in upper case
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.model import Remark
from temporacle.scoring.official.normalizer.document import LINK_TAGS, MENTION_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.scoring.official.normalizer.document import Element, TimemlFile

_ROOT = "TimeML"
_LABELS = (
    "BEFORE",
    "AFTER",
    "INCLUDES",
    "IS_INCLUDED",
    "DURING",
    "DURING_INV",
    "SIMULTANEOUS",
    "IAFTER",
    "IBEFORE",
    "IDENTITY",
    "BEGINS",
    "ENDS",
    "BEGUN_BY",
    "ENDED_BY",
    "OVERLAP",
    "BEFORE-OR-OVERLAP",
    "OVERLAP-OR-AFTER",
    "VAGUE",
    "NONE",
)
_KEYS = {"EVENT": "eid", "TIMEX3": "tid", "MAKEINSTANCE": "eiid", "SIGNAL": "sid"}
_KEY_DEPTH = 3  # root, TEXT or DCT or TITLE, mention
_REFERENCES = {
    "eventID": "EVENT",
    "eventInstanceID": "MAKEINSTANCE",
    "relatedToEventInstance": "MAKEINSTANCE",
    "timeID": "TIMEX3",
    "relatedToTime": "TIMEX3",
    "anchorTimeID": "TIMEX3",
    "beginPoint": "TIMEX3",
    "endPoint": "TIMEX3",
    "signalID": "SIGNAL",
}


def violations(file: TimemlFile) -> Iterator[Remark]:
    """Yield everything in a file that the schema forbids."""
    yield from _frame(file)
    yield from _content(file)
    keys: dict[str, set[str]] = {tag: set() for tag in _KEYS}
    for element in file.named(*_KEYS):
        yield from _register(element, keys[element.tag])
    for element in file.elements:
        yield from _dangling(element, keys)
    yield from _links(file)


def _frame(file: TimemlFile) -> Iterator[Remark]:
    if file.root != _ROOT:
        yield Remark("wrong-root", f"the root element is {file.root}, not {_ROOT}", 1)
    yield from _unless_one(file, "dct-count", "DCT")
    yield from _unless_one(file, "text-count", "TEXT")
    inside_dct = sum(1 for timex in file.named("TIMEX3") if timex.inside == "DCT")
    if inside_dct != 1:
        yield Remark("dct-timex-count", f"DCT must hold exactly one TIMEX3; here it holds {inside_dct or 'none'}")


def _unless_one(file: TimemlFile, code: str, tag: str) -> Iterator[Remark]:
    count = sum(1 for _ in file.named(tag))
    if count != 1:
        yield Remark(code, f"there must be exactly one {tag}; this file has {count or 'none'}")


def _content(file: TimemlFile) -> Iterator[Remark]:
    for element in file.named(*MENTION_TAGS):
        if element.has_children:
            yield _remark("nested-markup", "must hold text only, no other element", element)


def _register(element: Element, known: set[str]) -> Iterator[Remark]:
    key = _KEYS[element.tag]
    identity = element.attributes.get(key)
    if identity is None:
        yield _remark("missing-id", f"has no {key}", element)
    elif identity in known:
        yield _remark("duplicate-id", f"the {key} {identity!r} is used twice", element)
    elif element.tag == "MAKEINSTANCE" or element.depth == _KEY_DEPTH:
        known.add(identity)


def _dangling(element: Element, keys: dict[str, set[str]]) -> Iterator[Remark]:
    for attribute, identity in element.attributes.items():
        tag = _REFERENCES.get(attribute)
        if tag is not None and identity not in keys[tag]:
            where = "in this file" if tag == "MAKEINSTANCE" else "directly below TEXT, DCT or TITLE"
            yield _remark("dangling-id", f"{attribute} {identity!r} names no {tag} {where}", element)


def _links(file: TimemlFile) -> Iterator[Remark]:
    known: set[str] = set()
    for link in file.named(*LINK_TAGS):
        lid = link.attributes.get("lid")
        if lid in known:
            yield _remark("duplicate-id", f"the lid {lid!r} is used twice", link)
        if lid is not None:
            known.add(lid)
        label = link.attributes.get("relType")
        if link.tag == "TLINK" and label is not None and label not in _LABELS:
            yield _remark("unknown-label", f"the relType {label!r} is none of {', '.join(_LABELS)}", link)


def _remark(code: str, message: str, element: Element) -> Remark:
    return Remark(code, message, element.line, element.name)
