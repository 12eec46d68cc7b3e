"""CAT XML: MEANTIME, EventStoryLine, Causal-TimeBank and other corpora made with the CAT annotation tool.

Tokens come first, then ``Markables`` (numbered by ``m_id`` over all kinds), then ``Relations``. Events and times are
entities, named ``m`` and their number. A time without tokens is not mentioned in the text. An event without tokens
stands for several mentions and is not an entity. The text is made of the tokens, one blank between two of them and
one line for each sentence. Where ids are called ``t_id``, ``m_id`` and ``r_id``, older files say ``id``.

MEANTIME has TimeML's labels. EventStoryLine, known by its own names of markables, follows THYME.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING

from temporacle.io.builder import DocumentBuilder, with_attributes
from temporacle.io.rows import joined_spans, placed_words
from temporacle.io.xml import parse
from temporacle.model import Body, Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.model import Document

_EVENTS = ("EVENT_MENTION", "EVENT")
_STORY_EVENTS = ("ACTION_", "NEG_ACTION_")
_STORY_TIMES = "TIME_"
_STORY_TYPES = {"TIME_DATE": "DATE", "TIME_OF_THE_DAY": "TIME", "TIME_DURATION": "DURATION", "TIME_REPETITION": "SET"}


def read(source: Source) -> Iterator[Document]:
    """Yield the only document of a CAT file."""
    root = parse(source)
    markables = list(_markables(root).values())
    follows_thyme = any(tag.startswith((*_STORY_EVENTS, _STORY_TIMES)) for tag in {str(m.tag) for m in markables})
    entities = [m for m in markables if _kind(m) is not None]
    reading = source.reading("thyme" if follows_thyme else "timeml")
    builder = DocumentBuilder(source.name, source, "cat", reading, (f"m{_number(m, 'm')}" for m in entities))
    _remark_on_markables(builder, root, entities)
    others = {_number(m, "m"): str(m.tag) for m in markables if _kind(m) is None}
    for link in root.iterfind("Relations/TLINK"):
        _add_link(builder, link, others)
    yield builder.build(partial(_body, source))


def _number(element: _Element, kind: str) -> str | None:
    """Return the id of a token (t), a markable (m) or a relation (r), or of the one that it refers to."""
    return element.get(f"{kind}_id") or element.get("id") or None


def _all_markables(root: _Element) -> Iterator[_Element]:
    return root.iterfind("Markables/*")


def _markables(root: _Element) -> dict[str, _Element]:
    """Return markables by number. If two have the same number, the first is used."""
    found: dict[str, _Element] = {}
    for element in _all_markables(root):
        if number := _number(element, "m"):
            found.setdefault(number, element)
    return found


def _kind(markable: _Element) -> Kind | None:
    """Return event, time, or None for anything else."""
    tag = str(markable.tag)
    if tag == "TIMEX3" or tag.startswith(_STORY_TIMES):
        return Kind.TIME
    is_event = tag in _EVENTS or tag.startswith(_STORY_EVENTS)
    return Kind.EVENT if is_event and markable.find("token_anchor") is not None else None


def _is_dct(markable: _Element) -> bool:
    return markable.get("functionInDocument") == "CREATION_TIME" or (markable.get("DCT") or "").upper() == "TRUE"


def _remark_on_markables(builder: DocumentBuilder, root: _Element, entities: list[_Element]) -> None:
    for markable in _all_markables(root):
        number = _number(markable, "m")
        builder.is_first(number and f"m{number}", f"{markable.tag!s} without m_id", line=markable.sourceline)
    dcts = [markable for markable in entities if _is_dct(markable)]
    names = [f"m{_number(markable, 'm')}" for markable in dcts]
    builder.note_dcts(names, dcts[1].sourceline if dcts[1:] else None)


def _add_link(builder: DocumentBuilder, link: _Element, others: dict[str | None, str]) -> None:
    line = link.sourceline
    name = _number(link, "r") or f"line{line}"
    ends: list[str | None] = []
    for which in ("source", "target"):
        numbers = [_number(end, "m") for end in link.iterfind(which)]
        if len(numbers) > 1:
            builder.drop("two-endpoints", f"the link has {len(numbers)} {which}s", line=line, element=name)
            return
        number = numbers[0] if numbers else None
        if number in others:
            message = f"m{number} is a markable of kind {others[number]}: neither an event nor a time in the text"
            builder.drop("not-an-entity", message, line=line, element=name)
            return
        ends.append(number and f"m{number}")
    label = link.get("reltype") if link.get("relType") is None else link.get("relType")
    builder.add_link(name, ends[0], label, ends[1], line=line)


def _body(source: Source) -> Body:
    root = parse(source)
    tokens = list(root.iterfind("token"))
    sentences = groupby(tokens, key=lambda token: token.get("sentence"))
    text, found = placed_words([token.text or "" for token in sentence] for _, sentence in sentences)
    places = list(chain.from_iterable(found))
    numbers = {_number(token, "t"): number for number, token in enumerate(tokens)}
    entities: list[Entity] = []
    has_dct = False
    for number, markable in _markables(root).items():
        kind = _kind(markable)
        if kind is None:
            continue
        anchors = (numbers.get(_number(anchor, "t")) for anchor in markable.iterfind("token_anchor"))
        spans = joined_spans((number for number in anchors if number is not None), places)
        is_dct = kind is Kind.TIME and not has_dct and _is_dct(markable)
        has_dct |= is_dct
        entity = Entity(
            f"m{number}",
            kind,
            " ".join(text[start:end] for start, end in spans) if spans else None,
            spans,
            value=markable.get("value") if kind is Kind.TIME else None,
            function=markable.get("functionInDocument"),
            is_dct=is_dct,
            line=markable.sourceline,
        )
        entities.append(with_attributes(entity, partial(_attribute, markable)) if kind is Kind.TIME else entity)
    return Body(tuple(entities), text)


def _attribute(time: _Element, name: str) -> str | None:
    """Return a TIMEX3 attribute.

    EventStoryLine has the type in the tag; other markables are referred to by their number.
    """
    value = time.get(name)
    if name == "type":
        return value or _STORY_TYPES.get(str(time.tag))
    return f"m{value}" if value and name in {"beginPoint", "endPoint"} else value
