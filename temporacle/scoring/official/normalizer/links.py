"""Rewriting the TLINK tags of a file for the common numbers.

Event-event and time-time links run from the smaller number to the larger, time-event links from the event to the
time; turning a link round inverts its label. IDENTITY, DURING and DURING_INV become SIMULTANEOUS, except in links that
were event to time in the file, which keep their label.

The official program edits text: it finds a tag by ``lid="..."`` and an attribute by ``name="..."``. Tags without lid
and attributes in single quotes keep what they say. That is done here in the same way, for the scorer behind it reads
text by patterns too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from temporacle.scoring.official.normalizer.document import Element, TimemlFile

NO_INVERSE = "null"
_INVERSES = {
    "BEFORE": "AFTER",
    "IBEFORE": "IAFTER",
    "INCLUDES": "IS_INCLUDED",
    "BEGINS": "BEGUN_BY",
    "ENDS": "ENDED_BY",
    "SIMULTANEOUS": "SIMULTANEOUS",
}
_INVERSES |= {inverse: label for label, inverse in _INVERSES.items()}
_EQUALITIES = frozenset(("IDENTITY", "DURING", "DURING_INV"))
EVENT, TIME = "ei", "t"
_SOURCES = {EVENT: "eventInstanceID", TIME: "timeID"}
_TARGETS = {EVENT: "relatedToEventInstance", TIME: "relatedToTime"}
_TAG = re.compile(r"<TLINK[^>]*>")
_ATTRIBUTE = re.compile(r"""(?<=\s)([\w:.-]+)=("[^"]*"|'[^']*')""")


class NormalizedLink(NamedTuple):
    """``source label target``"""

    source: str
    label: str
    target: str


class Numbers(NamedTuple):
    """The common numbers of one side, by the ids in its file."""

    instances: Mapping[str, int]
    times: Mapping[str, int]  # the DCT is 0


class End(NamedTuple):
    """An argument of a link under its new number. Events sort before times."""

    prefix: str  # EVENT or TIME
    number: int

    def __str__(self) -> str:
        return f"{self.prefix}{self.number}"


class Rewriting(NamedTuple):
    """The TLINK tags of a file in file order, and what was odd about them."""

    tags: tuple[str, ...]
    remarks: tuple[Remark, ...]


def oriented(source: End, label: str, target: End) -> tuple[End, str, End]:
    """Return the link in the direction and with the label that the official program gives it.

    >>> source, label, target = oriented(End(TIME, 4), "INCLUDES", End(EVENT, 7))
    >>> print(source, label, target)
    ei7 IS_INCLUDED t4
    """
    if (source.prefix, target.prefix) == (EVENT, TIME):
        return source, label, target
    if label in _EQUALITIES:
        label = "SIMULTANEOUS"
    if source > target:
        return target, _INVERSES.get(label, NO_INVERSE), source
    return source, label, target


def rewrite(file: TimemlFile, numbers: Numbers) -> Rewriting:
    """Return all TLINK tags of a file, rewritten where the official program finds them by their lid."""
    links = {link.attributes["lid"]: link for link in file.named("TLINK") if "lid" in link.attributes}
    tags: list[str] = []
    remarks: list[Remark] = []
    line, counted = 1, 0
    for found in _TAG.finditer(file.source):
        tag = found.group()
        line, counted = line + file.source.count("\n", counted, found.start()), found.start()
        editable = _double_quoted(tag)
        link = links.get(editable.get("lid", ""))
        changes = _changes(link, numbers) if link is not None else {}
        untouched = changes.keys() - editable.keys()
        if changes.get("relType") == ("relType", NO_INVERSE):
            remarks.append(Remark("no-inverse", f"the label has no inverse; it becomes '{NO_INVERSE}'", line, tag))
        if not changes or untouched:
            remarks.append(Remark("not-rewritten", _why_not(link, untouched), line, tag))
        tags.append(_edited(tag, changes))
    return Rewriting(tuple(tags), tuple(remarks))


def links_in(tags: tuple[str, ...]) -> Iterator[NormalizedLink]:
    r"""Yield the content of the tags, in either kind of quotes. Tags without two arguments and a label are skipped.

    >>> list(links_in(('<TLINK relType="BEFORE" eventInstanceID="ei1" relatedToTime=\'t0\'/>', "<TLINK/>")))
    [NormalizedLink(source='ei1', label='BEFORE', target='t0')]
    """
    for tag in tags:
        attributes = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(tag)}
        source, target = _argument(attributes, _SOURCES), _argument(attributes, _TARGETS)
        if source and target and "relType" in attributes:
            yield NormalizedLink(attributes[_SOURCES[source]], attributes["relType"], attributes[_TARGETS[target]])


def obstacles(file: TimemlFile, numbers: Numbers) -> Iterator[Remark]:
    """Yield the links that cannot be rewritten: a time expression has no number, or an argument is given twice."""
    for link in file.named("TLINK"):
        for attribute in (_SOURCES[TIME], _TARGETS[TIME]):
            time = link.attributes.get(attribute)
            if time is not None and time not in numbers.times:
                message = f"the TIMEX3 {time!r} is empty or stands outside TEXT and DCT; unlink it"
                yield Remark("time-without-text", message, link.line, link.name)
        for names in (_SOURCES, _TARGETS):
            if all(name in link.attributes for name in names.values()):
                message = f"gives both {' and '.join(names.values())}; keep one of them"
                yield Remark("two-arguments", message, link.line, link.name)


def _changes(link: Element, numbers: Numbers) -> dict[str, tuple[str, str]]:
    """Return, for each attribute that is rewritten, its new name and value; empty for links without an argument or a
    label.
    """
    attributes = link.attributes
    source, target = _argument(attributes, _SOURCES), _argument(attributes, _TARGETS)
    if source is None or target is None or "relType" not in attributes:
        return {}
    number = {EVENT: numbers.instances, TIME: numbers.times}
    new_source, label, new_target = oriented(
        End(source, number[source][attributes[_SOURCES[source]]]),
        attributes["relType"],
        End(target, number[target][attributes[_TARGETS[target]]]),
    )
    return {
        _SOURCES[source]: (_SOURCES[new_source.prefix], str(new_source)),
        _TARGETS[target]: (_TARGETS[new_target.prefix], str(new_target)),
        "relType": ("relType", label),
    }


def _argument(attributes: Mapping[str, str], names: Mapping[str, str]) -> str | None:
    """Return the kind of argument that is given. If both are given, it is a time, as the scorer reads it."""
    return next((prefix for prefix in (TIME, EVENT) if names[prefix] in attributes), None)


def _double_quoted(tag: str) -> dict[str, str]:
    return {name: value[1:-1] for name, value in _ATTRIBUTE.findall(tag) if value[0] == '"'}


def _edited(tag: str, changes: Mapping[str, tuple[str, str]]) -> str:
    def edit(attribute: re.Match[str]) -> str:
        name, quoted = attribute.groups()
        if quoted[0] != '"' or name not in changes:
            return attribute.group()
        new_name, value = changes[name]
        return f'{new_name}="{value}"'

    return _ATTRIBUTE.sub(edit, tag)


def _why_not(link: Element | None, untouched: set[str]) -> str:
    if untouched:
        return f'{", ".join(sorted(untouched))}: not written as name="value", so left alone; use double quotes'
    if link is None:
        return 'the link keeps its old ids and label: it has no lid="value" in double quotes, or stands in a comment'
    return "the link lacks an argument or its relType"
