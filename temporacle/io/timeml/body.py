"""The text of a TimeML file and its entities with their spans: for people and aligners, not for reasoning.

The *text* is the character data of the one ``TEXT`` element, or of the whole file where there is no such element or
more than one. A span is [start, end) in it; what is annotated outside it, or holds no text, has none.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lxml import etree

from temporacle.io.builder import time_entity
from temporacle.io.timeml.extras import KEY, KNOWN, STRUCTURE
from temporacle.io.timeml.read import creation_times, declared_in
from temporacle.io.xml import qualified
from temporacle.model import Body, Entity, Extras, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.etree import _Element

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


# ----------------------------------------------------------------------------------------------------
# Finds what a TimeML file says beyond entities, links and text (``timeml_extras`` has the form it is kept in).


def local_name(element: _Element) -> str:
    """Return the tag without its namespace."""
    return str(element.tag).rpartition("}")[2]


class ExtrasFinder:
    """Collects the extras of one file. ``inside`` lists the elements of the text whose spans are wanted."""

    def __init__(self, root: _Element, text: _Element) -> None:
        self._root = root
        self._lost: Counter[str] = Counter()
        others = [element for element in root.iter(etree.Element) if local_name(element) not in STRUCTURE]
        within = set(text.iter(etree.Element))
        self.inside = [element for element in others if element in within]
        self._outside = [element for element in others if element not in within]
        self._lost["comment"] = sum(1 for _ in root.iter(etree.Comment))
        self._lost["processing instruction"] = sum(1 for _ in root.iter(etree.ProcessingInstruction))

    def extras(
        self, entities: Mapping[str, Iterable[_Element]], spans: Mapping[_Element, tuple[int, int]]
    ) -> Extras | None:
        """Return all that was found. ``entities`` gives the elements that declare each entity."""
        of_document = [*(self._in_text(each, spans) for each in self.inside), *self._outside_text()]
        of_entities: dict[str, dict[str, Any]] = {}
        for name, elements in entities.items():
            found = {local_name(each): others for each in elements if (others := self._others(each))}
            if found:
                of_entities[name] = {KEY: found}
        of_links = {name: {KEY: others} for name, others in self._links()}
        lost = {kind: count for kind, count in self._lost.items() if count}
        if not (of_document or of_entities or of_links or lost):
            return None
        return Extras({KEY: of_document} if of_document else {}, of_entities, of_links, lost)

    def _others(self, element: _Element) -> dict[str, str]:
        """Return the attributes that a Document has no field for."""
        known = KNOWN.get(local_name(element), ())
        found = {}
        for name, value in element.attrib.items():
            if str(name).startswith("{"):
                self._lost["attribute in a namespace"] += 1
            elif str(name) not in known:
                found[str(name)] = str(value)
        return found

    def _in_text(self, element: _Element, spans: Mapping[_Element, tuple[int, int]]) -> dict[str, Any]:
        start, end = spans[element]
        return {"tag": local_name(element), "attributes": self._others(element), "start": start, "end": end}

    def _outside_text(self) -> Iterable[dict[str, Any]]:
        for element in self._outside:
            if len(element):
                self._lost[f"<{local_name(element)}> around other elements"] += 1
            else:
                yield {"tag": local_name(element), "attributes": self._others(element), "text": element.text or ""}

    def _links(self) -> Iterable[tuple[str, dict[str, str]]]:
        """Yield attributes by link id. If an id is missing or occurs twice, they cannot be assigned."""
        links = [element for element in self._root.iter(etree.Element) if local_name(element) == "TLINK"]
        ids = Counter(element.get("lid") for element in links)
        for element in links:
            if others := self._others(element):
                name = element.get("lid")
                if name and ids[name] == 1:
                    yield name, others
                else:
                    self._lost["attributes of a TLINK without an id of its own"] += 1
