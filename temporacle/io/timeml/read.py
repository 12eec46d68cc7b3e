"""TimeML 1.2.1 and its variants: TimeBank, TempEval-3, NarrativeTime, TimeML 1.1, French TempEval-2.

Links talk about *instances* (``MAKEINSTANCE eiid``) and times (``TIMEX3 tid``); an EVENT without an instance is an
entity under its ``eid``. Checking a corpus needs ids and links only, so texts, spans and values are worked out from
the bytes again when they are needed.

Corpora of thousands of files come in this form, so documents with ordinary links only take a fast path. The
first unusual link sends all links to the builder, which knows every rule. Tests compare the two.

The *text* is the character data of the one ``TEXT`` element, or of the whole file where there is no such element or
more than one. A span is [start, end) in it; what is annotated outside it, or holds no text, has none.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from temporacle.io.builder import DocumentBuilder, further_of, new_link, without_instance
from temporacle.io.timeml.extras import KEY, KNOWN, STRUCTURE
from temporacle.io.xml import parse, qualified
from temporacle.model import Body, Entity, Extras, Kind
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.model import Document, Link
    from temporacle.relation import Relation


_NAME, _SOURCE, _RELATION, _TARGET = map(itemgetter, range(4))  # of a Link: faster than by name


class Declarations(NamedTuple):
    """The ids a file declares, each once, in the order of the file."""

    instances: dict[str, str | None]  # eiid -> eventID
    tids: dict[str, None]
    loose: dict[str, None]  # events without an instance: entities under their own name
    complete: bool  # False if an element had to be left out: without an id, or with one that was taken
    orphans: frozenset[str | None]  # events that instances name but the text does not have
    shared: frozenset[str] = frozenset()  # ids of things of two kinds: of instance, event and time the first counts


def declared_in(root: _Element) -> Declarations:
    """Return the declarations of a file. If two elements have the same id, the first is used."""
    any_namespace = qualified(root, "")
    # lxml looks attributes up by their bytes; giving it bytes spares it the encoding.
    events = [element.get(b"eid") for element in root.iter(any_namespace + "EVENT")]
    made = list(root.iter(any_namespace + "MAKEINSTANCE"))
    eiids = [element.get(b"eiid") for element in made]
    eids = [element.get(b"eventID") for element in made]
    times = [element.get(b"tid") for element in root.iter(any_namespace + "TIMEX3")]
    instances = {eiid: eid for eiid, eid in zip(eiids, eids, strict=True) if eiid}
    tids = dict.fromkeys(filter(None, times))
    in_text = set(filter(None, events))
    complete = len(in_text) == len(events) and len(tids) == len(times) and len(instances) == len(made)
    if not complete:
        instances.update((eiid, eid) for eiid, eid in zip(reversed(eiids), reversed(eids), strict=True) if eiid)
    instantiated = set(instances.values())
    if instantiated == in_text and instances.keys().isdisjoint(tids):
        return Declarations(instances, tids, {}, complete, frozenset())
    loose = {eid: None for eid in events if eid and eid not in instantiated}
    shared = (instances.keys() & loose.keys()) | (tids.keys() & (instances.keys() | loose.keys()))
    if shared:
        loose = {eid: None for eid in loose if eid not in instances}
        tids = {tid: None for tid in tids if tid not in shared}
    return Declarations(instances, tids, loose, complete, frozenset(instantiated - in_text), frozenset(shared))


def creation_times(root: _Element) -> list[_Element]:
    """Return the candidates for the document creation time; the first is taken.

    In this order: inside DCT; marked CREATION_TIME; marked PUBLICATION_TIME; an unmarked ``t0``. Of several of one
    kind, the one that most other times are anchored to (``anchorTimeID``) comes first.
    """
    found = _candidates(root)
    if len(found) > 1:
        anchors = Counter(filter(None, (time.get("anchorTimeID") for time in root.iter(qualified(root, "TIMEX3")))))
        found.sort(key=lambda time: -anchors[time.get("tid") or ""])  # stable: the first in the file among equals
    return found


def _candidates(root: _Element) -> list[_Element]:
    any_namespace = qualified(root, "")
    timex = any_namespace + "TIMEX3"
    inside = dict.fromkeys(time for holder in root.iter(any_namespace + "DCT") for time in holder.iter(timex))
    if inside:
        return list(inside)
    times = list(root.iter(timex))
    for function in ("CREATION_TIME", "PUBLICATION_TIME"):
        if marked := [element for element in times if element.get("functionInDocument") == function]:
            return marked
    return [element for element in times if element.get("tid") == "t0" and element.get("functionInDocument") is None]


def read(source: Source) -> Iterator[Document]:
    """Yield the only document of a TimeML file."""
    yield read_tree(source, parse(source), "timeml", "timeml")


def read_tree(source: Source, root: _Element, format_name: str, reading: str) -> Document:
    """Return a document with TimeML's elements, whatever the name of its root is."""
    return traced_tree(source, root, format_name, reading)[0]


def traced_tree(source: Source, root: _Element, format_name: str, reading: str) -> tuple[Document, list[_Element]]:
    """Return the document, and for each of its links the TLINK that states it."""
    found = declared_in(root)
    builder = DocumentBuilder(
        source.name, source, format_name, source.reading(reading), [*found.instances, *found.loose, *found.tids]
    )
    _remark_on_declared(builder, root, found)
    links = list(root.iter(qualified(root, "TLINK")))
    # Names that need no second look. Where links have tasks, or may name events without instances, all others do.
    usual = frozenset((*found.instances, *found.tids) if format_name == "timeml" else ())
    plain = _plain_links(links, builder.relations, usual)
    used = links
    if plain is not None:
        builder.links = plain
    else:
        careful = _Careful(builder, found)
        used = [link for link in links if careful.add(link)]
    known_times = None
    if source.options.values:
        known_times = times_of(root, found.tids)
    return builder.build(partial(body_of, source), known_times), used


def _plain_links(elements: list[_Element], relations: dict[str, Relation], known: frozenset[str]) -> list[Link] | None:
    """Return the links of a document if nothing in them is unusual; None otherwise.

    What can be checked for all links at once is checked behind the loop: that takes a fraction of the time.
    """
    links: list[Link] = []
    relation_of, append = relations.get, links.append
    for element in elements:
        get = element.get
        event, time = get(b"eventInstanceID"), get(b"timeID")
        to_event, to_time = get(b"relatedToEventInstance"), get(b"relatedToTime")
        if (event is None) is (time is None) or (to_event is None) is (to_time is None):
            return None
        if get(b"eventID") or get(b"from") or get(b"relatedToEvent") or get(b"to"):
            return None
        source, target, label = event or time, to_event or to_time, get(b"relType") or ""
        append(new_link((get(b"lid"), source, relation_of(label), target, label, element.sourceline, 1, None)))
    is_plain = (
        all(map(_NAME, links))
        and all(map(_RELATION, links))
        and known.issuperset(map(_SOURCE, links))
        and known.issuperset(map(_TARGET, links))
    )
    return links if is_plain else None


def name_of(link: _Element, *, has_tasks: bool) -> str:
    """Return the id of a TLINK, unless another one has the same id."""
    name = link.get("lid") or f"line{link.sourceline}"
    task = link.get("task") if has_tasks else None
    return name if task is None else f"{task}:{name}"  # the numbers restart with every task


class _Careful:
    """Adds the links that are not plainly in order."""

    def __init__(self, builder: DocumentBuilder, found: Declarations) -> None:
        self.builder = builder
        self.has_tasks = builder.format_name == "tempeval1"
        self.loose = found.loose
        self.instances = found.instances

    @cached_property
    def instance_of(self) -> dict[str | None, str]:
        """Return the first instance of every event that has one."""
        return {eid: eiid for eiid, eid in reversed(self.instances.items())}

    def add(self, link: _Element) -> bool:
        """Add a TLINK, or drop it with a remark; returns whether it was added."""
        get, line = link.get, link.sourceline
        task = get("task") if self.has_tasks else None
        name = name_of(link, has_tasks=self.has_tasks)
        ends = []
        for usual, others, which in (
            (("eventInstanceID", "timeID"), ("eventID", "from"), "sources"),
            (("relatedToEventInstance", "relatedToTime"), ("relatedToEvent", "to"), "targets"),
        ):
            given = [value for value in map(get, (*usual, *others)) if value]
            end = self._entity(given[0] if given else None, line, name, by_instance=bool(get(usual[0])))
            if all(map(get, usual)) or not all(self._is_named(end, value) for value in given[1:]):
                self.builder.drop("two-endpoints", f"the link has two {which}", line=line, element=name)
                return False
            ends.append(end)
        before = len(self.builder.links)
        self.builder.add_link(name, ends[0], get("relType"), ends[1], line=line, task=task)
        return len(self.builder.links) > before

    def _is_named(self, entity: str | None, value: str) -> bool:
        """Return whether an id only says which entity is meant: its own id, or that of the event that it is an instance
        of.
        """
        return value == entity or (entity in self.instances and self.instances[entity] == value)

    def _entity(self, name: str | None, line: int | None, link: str, *, by_instance: bool) -> str | None:
        """Return the entity of an id, which is looked up among eiids, then eids, then tids."""
        if name is None or name in self.instances:
            return name
        if name in self.loose:
            if by_instance:
                message = "eventInstanceID holds an eid, not an eiid"
                self.builder.warn_once("eid-for-eiid", message, line=line, element=link)
            return name
        instance = self.instance_of.get(name)
        if instance is None:
            return name
        if by_instance:
            message = f"{shown(name)} is an event, not an instance; read as {shown(instance)}"
            self.builder.warn_once("eid-for-eiid", message, line=line, element=link)
        return instance


def _remark_on_declared(builder: DocumentBuilder, root: _Element, found: Declarations) -> None:
    if not found.complete:
        _remark_on_left_out(builder, root)
    if found.shared:
        _remark_on_shared(builder, root, found)
    if found.orphans:
        for element in root.iter(qualified(root, "MAKEINSTANCE")):
            if (eid := element.get("eventID")) in found.orphans:
                message = f"no EVENT has the eid {shown(eid)}; the instance has no span"
                builder.warn("instance-without-event", message, line=element.sourceline, element=element.get("eiid"))
    if found.instances and found.loose:
        builder.remarks.append(without_instance(next(iter(found.loose)), len(found.loose)))
    candidates = creation_times(root)
    names = [str(element.get("tid")) for element in candidates]
    builder.note_dcts(names, candidates[1].sourceline if candidates[1:] else None)


def _remark_on_left_out(builder: DocumentBuilder, root: _Element) -> None:
    for tag, attribute in (("EVENT", "eid"), ("MAKEINSTANCE", "eiid"), ("TIMEX3", "tid")):
        met = set()
        for element in root.iter(qualified(root, tag)):
            name = element.get(attribute)
            if not name:
                message = f"{tag} without {attribute}: nothing can refer to it"
                builder.warn("missing-id", message, line=element.sourceline)
            elif name in met:
                message = f"{attribute} {shown(name)} is declared twice; the first counts"
                builder.warn("duplicate-id", message, line=element.sourceline, element=name)
            met.add(name)


def _remark_on_shared(builder: DocumentBuilder, root: _Element, found: Declarations) -> None:
    for tag, attribute in (("EVENT", "eid"), ("TIMEX3", "tid")):
        for element in root.iter(qualified(root, tag)):
            name = element.get(attribute)
            if name in found.shared and not (tag == "EVENT" and name in found.loose):
                other = "an instance" if name in found.instances else "an event"
                message = f"{attribute} {shown(name)} is also the id of {other}, which counts"
                builder.warn("duplicate-id", message, line=element.sourceline, element=name)


def body_of(source: Source) -> Body:
    """Return the text and the entities of a file."""
    return body(parse(source))._replace(extras=partial(extras_of, source))


def extras_of(source: Source) -> Extras | None:
    """Return what a file says beyond text and entities."""
    return _extras(parse(source))


# ----------------------------------------------------------------------------------------------------
# TempEval-1 (2007) XML, and TimeBankPT which shares its root.
#
# The elements are TimeML's, but links name events (``eventID``, ``relatedToEvent``), not instances, and carry a task. A
# document comes as two files, for tasks A and B and for task C, each numbering its links from ``l1``: links are named
# ``A:l1`` so that the two can be merged.


def read_tempeval1(source: Source) -> Iterator[Document]:
    """Yield the only document of a TempEval-1 file."""
    yield read_tree(source, parse(source), "tempeval1", "tempeval")


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


def _extras(root: _Element) -> Extras | None:
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
    get, about = time.get, (_content(time), spans, None, time.get("value"), time.get("functionInDocument"))
    return Entity(get("tid") or "", Kind.TIME, *about, time is dct, time.sourceline, *further_of(get))


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
# Finds what a TimeML file says beyond entities, links and text (``extras`` has the form it is kept in).


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
