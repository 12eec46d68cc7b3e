"""TimeML 1.2.1 and its variants: TimeBank, TempEval-3, NarrativeTime, TimeML 1.1, French TempEval-2.

Links talk about *instances* (``MAKEINSTANCE eiid``) and times (``TIMEX3 tid``); an EVENT without an instance is an
entity under its ``eid``. Checking a corpus needs ids and links only, so texts, spans and values are worked out from
the bytes again when they are needed (``timeml_body``).

Corpora of thousands of files come in this form, so documents with ordinary links only take a fast path. The
first unusual link sends all links to the builder, which knows every rule. Tests compare the two.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.builder import DocumentBuilder, new_link, without_instance
from temporacle.io.xml import parse, qualified
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.model import Body, Document, Extras, Link
    from temporacle.relation import Relation

_NAME, _SOURCE, _RELATION, _TARGET = map(itemgetter, range(4))  # of a Link: faster than by name


class Declared(NamedTuple):
    """The ids a file declares, each once, in the order of the file."""

    instances: dict[str, str | None]  # eiid -> eventID
    tids: dict[str, None]
    loose: dict[str, None]  # events without an instance: entities under their own name
    complete: bool  # False if an element had to be left out: without an id, or with one that was taken
    orphans: frozenset[str | None]  # events that instances name but the text does not have
    shared: frozenset[str] = frozenset()  # ids of things of two kinds: of instance, event and time the first counts


def declared_in(root: _Element) -> Declared:
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
        return Declared(instances, tids, {}, complete, frozenset())
    loose = {eid: None for eid in events if eid and eid not in instantiated}
    shared = (instances.keys() & loose.keys()) | (tids.keys() & (instances.keys() | loose.keys()))
    if shared:
        loose = {eid: None for eid in loose if eid not in instances}
        tids = {tid: None for tid in tids if tid not in shared}
    return Declared(instances, tids, loose, complete, frozenset(instantiated - in_text), frozenset(shared))


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
        source.name,
        source,
        format_name,
        source.reading(reading),
        [*found.instances, *found.loose, *found.tids],
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
        from temporacle.io.timeml.body import times_of

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

    def __init__(self, builder: DocumentBuilder, found: Declared) -> None:
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


def _remark_on_declared(builder: DocumentBuilder, root: _Element, found: Declared) -> None:
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
    if len(candidates) > 1:
        names = ", ".join(str(element.get("tid")) for element in candidates)
        line, chosen = candidates[1].sourceline, candidates[0].get("tid")
        builder.warn("several-dcts", f"{names} could all be the creation time; {chosen} is taken", line=line)


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


def _remark_on_shared(builder: DocumentBuilder, root: _Element, found: Declared) -> None:
    for tag, attribute in (("EVENT", "eid"), ("TIMEX3", "tid")):
        for element in root.iter(qualified(root, tag)):
            name = element.get(attribute)
            if name in found.shared and not (tag == "EVENT" and name in found.loose):
                other = "an instance" if name in found.instances else "an event"
                message = f"{attribute} {shown(name)} is also the id of {other}, which counts"
                builder.warn("duplicate-id", message, line=element.sourceline, element=name)


def body_of(source: Source) -> Body:
    """Return the text and the entities of a file."""
    from temporacle.io.timeml.body import body

    return body(parse(source))._replace(extras=partial(extras_of, source))


def extras_of(source: Source) -> Extras | None:
    """Return what a file says beyond text and entities."""
    from temporacle.io.timeml import body

    return body.extras_of(parse(source))


# ----------------------------------------------------------------------------------------------------
# TempEval-1 (2007) XML, and TimeBankPT which shares its root.
#
# The elements are TimeML's, but links name events (``eventID``, ``relatedToEvent``), not instances, and carry a task. A
# document comes as two files, for tasks A and B and for task C, each numbering its links from ``l1``: links are named
# ``A:l1`` so that the two can be merged.


def read_tempeval1(source: Source) -> Iterator[Document]:
    """Yield the only document of a TempEval-1 file."""
    yield read_tree(source, parse(source), "tempeval1", "tempeval")
