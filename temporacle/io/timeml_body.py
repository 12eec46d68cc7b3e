"""The text of a TimeML file and its entities with their spans: for people and aligners, not for reasoning.

The *text* is the character data of the one ``TEXT`` element, or of the whole file where there is no such element or
more than one. A span is [start, end) in it; what is annotated outside it, or holds no text, has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from temporacle.io.timeml import creation_times, declared_in
from temporacle.io.timeml_extras_reader import ExtrasFinder
from temporacle.io.timex import time_entity
from temporacle.io.xml import qualified
from temporacle.model import Body, Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element

    from temporacle.model import Extras

Span = tuple[int, int]


def body(root: _Element) -> Body:
    """Return the text and the entities, in the order in which the reader names them."""
    found = declared_in(root)
    events = _by_id(root, "EVENT", "eid")
    instances = _by_id(root, "MAKEINSTANCE", "eiid")
    times = _by_id(root, "TIMEX3", "tid")
    text, spans = _text_and_spans(text_element(root), {*events.values(), *times.values()})
    dct = next(iter(creation_times(root)), None)
    entities = [
        _event(eiid, eid, events.get(eid or ""), spans, instances[eiid].sourceline)
        for eiid, eid in found.instances.items()
    ]
    entities += [_event(eid, eid, events[eid], spans, events[eid].sourceline) for eid in found.loose]
    entities += [_time(times[tid], dct, _as_spans(spans.get(times[tid]))) for tid in found.tids]
    return Body(tuple(entities), text or None)


def extras_of(root: _Element) -> Extras | None:
    """Return what the file says beyond text and entities. Only writers need it."""
    found = declared_in(root)
    events = _by_id(root, "EVENT", "eid")
    instances = _by_id(root, "MAKEINSTANCE", "eiid")
    times = _by_id(root, "TIMEX3", "tid")
    top = text_element(root)
    finder = ExtrasFinder(root, top)
    _, spans = _text_and_spans(top, set(finder.inside))
    declared: dict[str, tuple[_Element, ...]] = {eid: (events[eid],) for eid in found.loose}
    declared |= {
        eiid: (*((events[eid],) if eid in events else ()), instances[eiid]) for eiid, eid in found.instances.items()
    }
    declared |= {tid: (times[tid],) for tid in found.tids}
    return finder.extras(declared, spans)


def times_of(root: _Element, tids: Iterable[str]) -> tuple[Entity, ...]:
    """Return only the time expressions that a file declares, without their spans: a fraction of the work."""
    times = _by_id(root, "TIMEX3", "tid")
    dct = next(iter(creation_times(root)), None)
    return tuple(_time(times[tid], dct) for tid in tids)


def _time(time: _Element, dct: _Element | None, spans: tuple[Span, ...] = ()) -> Entity:
    return time_entity(time.get, _content(time), spans, is_dct=time is dct, line=time.sourceline)


def _by_id(root: _Element, tag: str, attribute: str) -> dict[str, _Element]:
    """Return elements by their id. If two have the same id, the first is used."""
    found: dict[str, _Element] = {}
    for element in root.iter(qualified(root, tag)):
        if name := element.get(attribute):
            found.setdefault(name, element)
    return found


def _event(name: str, eid: str | None, event: _Element | None, spans: dict[_Element, Span], line: int | None) -> Entity:
    if event is None:
        return Entity(name, Kind.EVENT, event_id=eid, line=line)
    return Entity(name, Kind.EVENT, _content(event), _as_spans(spans.get(event)), event_id=eid, line=line)


def _as_spans(span: Span | None) -> tuple[Span, ...]:
    return (span,) if span is not None and span[0] < span[1] else ()


def _content(element: _Element) -> str | None:
    if not len(element):  # nothing inside, not even a comment
        return element.text or None
    # Not itertext(with_tail=False): it leaves out what follows an element inside this one.
    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False)) or None


def text_element(root: _Element) -> _Element:
    """Return the element whose character data is the document's text."""
    found = list(root.iter(qualified(root, "TEXT")))
    return found[0] if len(found) == 1 else root


def _text_and_spans(top: _Element, marked: set[_Element]) -> tuple[str, dict[_Element, Span]]:
    """Return the character data under an element, and where the marked elements under it lie."""
    pieces: list[str] = []
    position = 0
    starts: dict[_Element, int] = {}
    spans: dict[_Element, Span] = {}

    for event, element in etree.iterwalk(top, events=("start", "end", "comment", "pi")):
        if event == "start":
            if element in marked:
                starts[element] = position
            piece = element.text
        else:
            if element in starts:
                spans[element] = (starts[element], position)
            piece = None if element is top else element.tail
        if piece:
            pieces.append(piece)
            position += len(piece)
    return "".join(pieces), spans
