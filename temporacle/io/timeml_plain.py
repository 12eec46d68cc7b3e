"""The document of a plain TimeML file, made without a tree of elements.

``timeml_scan`` proves that a file is plain, and knows the ids of its events, instances, times and links. This module
adds what people want to see: the ids and lines of links, the text, and the entities with their spans. It is asked for
documents with a remark or a contradiction, which are many in some corpora.

A file in which lines or characters would need more care is left to the reader of the format (``timeml``): one with
carriage returns, numeric character references, or tags that go over several lines. Tests compare the two.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.builder import DocumentBuilder, new_link
from temporacle.io.timeml_scan_times import creation_time
from temporacle.io.timex import time_entity
from temporacle.model import Body, Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document, Extras, Remark
    from temporacle.relation import Relation

    _Spans = tuple[tuple[int, int], ...]
    _Element = tuple[str | None, _Spans, int, str]  # content, spans, line, attributes

# Elements on one line, with the blanks behind them. No other value of a link can follow what looks like its id.
_LINK = re.compile(rb"""<TLINK[^>\n]*?[ \t]lid="([!#-%(-.0-;=?-~]++)"[^>\n]*+>(\s*+)""")
_INSTANCE = re.compile(rb"<MAKEINSTANCE[^>\n]*+>(\s*+)")
_TEXT_TAG = re.compile(r"</?TEXT[^>]*+>")
# An event or a time with its attributes and its content, or any other tag.
_MARKUP = re.compile(
    r"""<(EVENT|TIMEX3)((?:[ ]++[A-Za-z]++="[^"<>\t\n]*+")++)[ ]*+>([^<]*+)</\1>"""
    r"""|<[^<>"\n]*+(?:"[^"<\n]*+"[^<>"\n]*+)*+>"""
)
_ATTRIBUTE = re.compile(r"""([A-Za-z]++)="([^"]*+)\"""")
_EVENT = Kind.EVENT  # looking it up takes time
_new_entity: Callable[[tuple[object, ...]], Entity] = partial(tuple.__new__, Entity)  # see ``new_link``


class Scan(NamedTuple):
    """What the scan knows about a plain file."""

    eids: Sequence[bytes]  # in the order of the text
    tids: Sequence[bytes]
    loose: Sequence[bytes]  # eids of events without an instance
    eiids: Sequence[bytes]  # of instances, in the order of the file
    instantiated: Sequence[bytes]  # the eids of the same
    sources: Sequence[int]  # of links: an instance or a time, by its number among the instances and times
    relations: Sequence[Relation]
    targets: Sequence[int]
    labels: Sequence[bytes]
    remarks: tuple[Remark, ...]
    instances_begin: int  # where in the file; before it stands the text
    links_begin: int


def plain_document(source: Source, scan: Scan) -> Document | None:
    """Return the document of a plain file; None if the reader should make it."""
    data = source.data
    found = _LINK.findall(data, scan.links_begin)
    if b"\r" in data or len(found) != len(scan.labels):
        return None
    eiids, loose, tids = _decoded(scan.eiids), _decoded(scan.loose), _decoded(scan.tids)
    names = eiids + tids
    links = zip(
        _decoded([name for name, _ in found]),
        [names[number] for number in scan.sources],
        scan.relations,
        [names[number] for number in scan.targets],
        _decoded(scan.labels),
        _lines(data, scan.links_begin, [blanks for _, blanks in found]),
        strict=True,
    )
    builder = DocumentBuilder(source.name, source, "timeml", source.reading("timeml"), (*eiids, *loose, *tids))
    builder.links = [new_link((*link, 1, None)) for link in links]
    builder.remarks.extend(scan.remarks)
    return builder.build(partial(_body, source, scan))


def _decoded(names: Sequence[bytes]) -> list[str]:
    """Return ids and labels as text. They are ASCII without blanks."""
    return b" ".join(names).decode("ascii").split()


def _lines(data: bytes, begin: int, blanks: Sequence[bytes]) -> list[int]:
    """Return the lines of elements from a place on, by the blanks behind each of them."""
    first = data.count(b"\n", 0, begin) + 1
    return list(accumulate([each.count(b"\n") for each in blanks[:-1]], initial=first)) if blanks else []


def _body(source: Source, scan: Scan) -> Body:
    """Return the text and the entities, as ``timeml_body`` finds them."""
    data = source.data
    marked = _marked(data[: scan.instances_begin].decode())
    blanks = _INSTANCE.findall(data, scan.instances_begin, scan.links_begin)
    found = None if marked is None else (len(marked.events), len(marked.times), len(blanks))
    if marked is None or found != (len(scan.eids), len(scan.tids), len(scan.eiids)):
        from temporacle.io.timeml import body_of

        return body_of(source)
    events = dict(zip(_decoded(scan.eids), marked.events, strict=True))
    lines = _lines(data, scan.instances_begin, blanks)
    named = [*zip(_decoded(scan.eiids), _decoded(scan.instantiated), lines, strict=True)]
    named += [(eid, eid, events[eid][2]) for eid in _decoded(scan.loose)]
    entities = [
        _new_entity((name, _EVENT, content, spans, eid, None, None, False, line, None, None, None, None))
        for name, eid, line in named
        for content, spans, _, _ in (events[eid],)
    ]
    given = [_attributes(attributes) for _, _, _, attributes in marked.times]
    functions = [time.get("functionInDocument") for time in given]
    dct = creation_time(data[: scan.instances_begin], scan.tids, functions)
    entities += [
        time_entity(given[number].get, content, spans, is_dct=number == dct, line=line)
        for number, (content, spans, line, _) in enumerate(marked.times)
    ]
    return Body(tuple(entities), marked.text or None, partial(_extras, source))


def _extras(source: Source) -> Extras | None:
    from temporacle.io.timeml import extras_of  # only writers need it

    return extras_of(source)


def _attributes(written: str) -> dict[str, str]:
    return {name: _unescaped(value) for name, value in _ATTRIBUTE.findall(written)}


# --- the text ----------------------------------------------------------------------------------------------------


class _Text(NamedTuple):
    """The text, with the events and times in it and around it, in order."""

    text: str
    events: list[_Element]
    times: list[_Element]


def _marked(head: str) -> _Text | None:
    """Return the text of a file, and its events and times; None if the tags need more care."""
    if _TEXT_TAG.findall(head) != ["<TEXT>", "</TEXT>"]:
        return None
    texts: list[str] = []
    found: dict[str, list[_Element]] = {"EVENT": [], "TIMEX3": []}
    first_line = 1
    for part, is_text in zip(_TEXT_TAG.split(head), (False, True, False), strict=True):
        split = _MARKUP.split(part)
        characters = [""] * (len(split) // 2 + 1)  # before and inside of each element, in turn, and behind the last one
        characters[::2], characters[1::2] = split[::4], [content or "" for content in split[3::4]]
        text = "".join(characters)
        if "<" in text or ("&" in part and "&#" in part):
            return None
        if "&" in text:
            characters = [*map(_unescaped, characters)]
            text = "".join(characters)
        places = [*accumulate(map(len, characters))]
        lines = [*accumulate([each.count("\n") for each in characters], initial=first_line)]
        columns = split[1::4], split[2::4], characters[1::2], places[:-1:2], places[1::2], lines[1:-1:2]
        for tag, attributes, content, begin, end, line in zip(*columns, strict=True):
            if tag:
                spans = ((begin, end),) if is_text and content else ()
                found[tag].append((content or None, spans, line, attributes))
        first_line = lines[-1]
        texts.append(text)
    return _Text(texts[1], found["EVENT"], found["TIMEX3"])


def _unescaped(text: str) -> str:
    """Return the characters that a text in XML without numeric references stands for."""
    if "&" not in text:
        return text
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
    return text.replace("&amp;", "&")
