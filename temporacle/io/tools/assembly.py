"""Marks and arrows of an annotation tool made into a document: one place for what is an entity and what is a link.

Without a mapping names decide (``names``): spans that are called events or times are entities, and so is every other
span that a temporal link touches. With a mapping its rules do.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import LabelError, UsageError, spelled
from temporacle.io.builder import DocumentBuilder, new_link
from temporacle.io.formats import knows
from temporacle.io.tools import mapping as names
from temporacle.io.tools.json_file import records
from temporacle.io.tools.mapping import BUILT_IN, fits, load_mapping, mapping_of
from temporacle.model import Body, Entity, Kind
from temporacle.printing import shown
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from collections.abc import Mapping as Table

    from temporacle.io.edit.edits import NewLink
    from temporacle.io.source import Source
    from temporacle.io.tools.mapping import DocTimeRelRule, EntityRule, LinkRule, ToolMapping
    from temporacle.model import Document
    from temporacle.readings import Reading

Spans = tuple[tuple[int, int], ...]
DOCTIMEREL = "DocTimeRel:"
_NEW_CREATION_TIME = "doctime"
_TIMEX_TYPES = {"DATE", "TIME", "DURATION", "SET"}
_NOTHING = {"", "NA", "N/A", "NONE"}
_SOURCES = ("Arg1", "Governor", "fromID", "Source", "From")
_TARGETS = ("Arg2", "Dependent", "toID", "target", "Target", "To")


class Mark(NamedTuple):
    """An annotated span, or an event that is anchored on one."""

    id: str
    type: str
    spans: Spans = ()
    text: str | None = None
    attributes: Table[str, str] = {}
    line: int | None = None
    is_event: bool = False  # the tool itself says so, whatever its type is called


class Arrow(NamedTuple):
    """A relation between marks. ``source`` and ``target`` are its ends where the tool says which is which."""

    id: str
    type: str
    source: str | None = None
    target: str | None = None
    attributes: Table[str, str] = {}
    arguments: Table[str, str] = {}
    line: int | None = None
    feature: str | None = None  # CAS: the link feature that it stands in; ``type`` is that of its owner
    is_event: bool = False  # brat: an event that may be a link
    shown: str | None = None  # what it is called if it is not temporal
    labels: tuple[str, ...] | None = None  # labels instead of a type; empty: the label is missing
    is_undirected: bool = False  # the tool does not say which end is the source


class Annotation(NamedTuple):
    """Everything a file says about one document."""

    name: str
    marks: dict[str, Mark]
    arrows: list[Arrow]
    text: str | None = None
    stand_ins: Table[str, str] = {}
    hidden: Table[str, str] = {}
    creation_time: str | None = None  # its value, where the file states it outside the annotations
    finish: Callable[[Mark], Mark] | None = None  # works out spans and texts of the marks that are entities


def tool_reading(source: Source) -> Reading:
    """Return the reading of labels: the caller's choice, else the mapping's, else the usual one of annotation tools."""
    mapping = mapping_of(source)
    if source.options.chosen_reading is None and mapping is not None and mapping.reading is not None:
        return mapping.reading
    return source.reading("tools")


class Assembler:
    """Makes one document. Readers leave remarks in ``builder`` before they call ``document``."""

    def __init__(self, source: Source, format_name: str, name: str, *, label_is_type: bool) -> None:
        self.mapping = mapping_of(source)
        self.builder = DocumentBuilder(name, source, format_name, tool_reading(source), ())
        self._label_is_type = label_is_type
        self._others: Counter[str] = Counter()
        self._unread: list[Arrow] = []  # relations of types that are not known
        self._is_doctimerel = source.options.doctimerel

    def other(self, name: str, count: int = 1) -> None:
        """Count a relation that is not temporal."""
        self._others[name] += count

    def objects(self, value: object, key: str, line: int | None = None) -> list[dict[str, Any]]:
        """Return the objects of a list in JSON. If it should be a list and is none, links may be lost: say it."""
        if value is not None and type(value) is not list:
            self.builder.drop("bad-link", "it must be a list, and is not read", line=line, element=key)
        return records(value)

    def document(self, found: Annotation) -> Document:
        """Return the document, with a remark on everything that could not be used."""
        links = [link for arrow in found.arrows if (link := self._link(arrow)) is not None]
        touched = {found.stand_ins.get(end or "", end) for link in links for end in link.ends if link.is_temporal}
        chosen = self._chosen(found, touched)
        self.builder.declared = dict.fromkeys(chosen)
        for link in links:
            self._add(link, found)
        self._sort_unread(found, chosen)
        finish = found.finish or (lambda mark: mark)
        entities = {name: self._entity(finish(found.marks[name]), rule) for name, rule in chosen.items()}
        if self._is_doctimerel:
            self._add_doctimerels(found, entities)
        self.builder.note_others(self._others)
        # Links to unknown ids may have been kept.
        described = tuple(entities.get(name) or Entity(name) for name in self.builder.declared)
        made = self.builder.build(Body(described, found.text))
        # Two links on one pair that contradict each other are a result of check, not a fault of the file.
        return replace(made, remarks=tuple(each for each in made.remarks if each.code != "contradictory-pair"))

    # --- links ---

    def _link(self, arrow: Arrow) -> _Link | None:
        """Return a relation as a link; if it is not temporal, count it and return None."""
        if arrow.labels is not None and not arrow.labels:
            return _Link(arrow, arrow.source, None, arrow.target, is_temporal=False)
        if self.mapping is not None and self.mapping.links:
            rule = next((rule for rule in self.mapping.links if _is_meant(rule, arrow)), None)
            if rule is not None:
                return _link_by_rule(rule, arrow)
        elif names.is_link_type(arrow.feature or arrow.type) and not arrow.is_event:
            return _Link(arrow, arrow.source, names.label_among(arrow.attributes), arrow.target)
        elif self._label_is_type and not arrow.is_event:
            labels = arrow.labels or (arrow.type,)
            if any(knows(self.builder.reading, label) for label in labels):
                return _Link(arrow, arrow.source, "|".join(labels), arrow.target)
        if not arrow.is_event:
            self._unread.append(arrow)
        return None

    def _sort_unread(self, found: Annotation, entities: Container[str]) -> None:
        """Skip relations between two events or times whose type is unknown; count the others, and ignored ones."""
        ignored = {canonical(name) for name in (*names.NOT_TEMPORAL, *(self.mapping.ignore if self.mapping else ()))}
        skipped = 0
        for arrow in self._unread:
            own = names.last_part(arrow.feature or arrow.type)
            name = arrow.shown or own
            ends = (found.stand_ins.get(end or "", end) for end in (arrow.source, arrow.target))
            if {canonical(name), canonical(own)} & ignored or not all(end in entities for end in ends):
                self.other(name)
                continue
            message = f"unknown relation type {shown(name)} between two entities"
            meaning = f"give its meaning in a label set ({spelled('labels')})"
            named = 'or name it in a mapping, as a [[link]] or in "ignore"'
            cure = "" if skipped else self._better_mapping(found) or f"{meaning}, {named}"
            self.builder.drop(
                "unknown-label", message + (f"; {cure}" if cure else ""), line=arrow.line, element=arrow.id
            )
            skipped += 1

    def _better_mapping(self, found: Annotation) -> str:
        """Return the built-in mapping that would read more relations of this file, with their number."""
        best, most = "", len(self.builder.links)
        for name in BUILT_IN if self.mapping is None else ():
            mapping = load_mapping(name)
            read = sum(any(_is_meant(rule, arrow) for rule in mapping.links) for arrow in found.arrows)
            if read > most:
                best, most = name, read
        links = "1 link" if most == 1 else f"{most} links"
        return f"the mapping {best} would read {links} of this file: give {spelled('mapping', best)}" if best else ""

    def _add(self, link: _Link, found: Annotation) -> None:
        arrow, builder = link.arrow, self.builder
        ends = []
        for end in link.ends:
            event = found.stand_ins.get(end or "")
            if event is not None and event in (builder.declared or ()):
                message = f"{shown(end)} is the trigger of {shown(event)}, which is meant"
                builder.warn("trigger-for-event", message, line=arrow.line, element=arrow.id)
            ends.append(end if event is None else event)
        for end in ends if link.label else ():
            known = found.marks.get(end or "")
            if end in found.hidden or (known is not None and end not in (builder.declared or ())):
                what = found.hidden.get(end or "") or f"of type {shown(known.type if known else None)}"
                message = f"{shown(end)} is {what}, which is neither an event nor a time here"
                builder.drop("not-an-entity", message, line=arrow.line, element=arrow.id)
                return
        if arrow.labels is not None and len(arrow.labels) > 1:
            message = f"several labels are read as one of them: {', '.join(map(shown, arrow.labels))}"
            builder.warn("several-labels", message, line=arrow.line, element=arrow.id)
        before = len(builder.links)
        builder.add_link(arrow.id, ends[0], link.label, ends[1], line=arrow.line)
        if arrow.is_undirected and len(builder.links) > before:
            relation = builder.links[-1].relation
            if relation != relation.converse():
                builder.links.pop()
                message = f"the arrow has no direction, and {shown(link.label)} needs one"
                builder.drop("undirected-label", message, line=arrow.line, element=arrow.id)

    # --- entities ---

    def _chosen(self, found: Annotation, touched: set[str | None]) -> dict[str, EntityRule | Kind]:
        """Return the marks that are entities, each with the reason."""
        chosen: dict[str, EntityRule | Kind] = {}
        rules = () if self.mapping is None else self.mapping.entities
        for name, mark in found.marks.items():
            if rules:
                rule = next((rule for rule in rules if rule.fits(mark.type, mark.attributes)), None)
                if rule is not None and (name in touched or not rule.only_linked):
                    chosen[name] = rule
                continue
            kind = Kind.EVENT if mark.is_event else names.kind_named(mark.type)
            if kind is not None or name in touched:
                chosen[name] = kind or Kind.UNKNOWN
        return chosen

    def _entity(self, mark: Mark, rule: EntityRule | Kind) -> Entity:
        attributes = mark.attributes
        kind = rule if isinstance(rule, Kind) else rule.kind
        if kind is not Kind.TIME:
            return Entity(mark.id, kind, mark.text, mark.spans, line=mark.line)
        is_dct = names.is_creation_time(mark.type, attributes) if isinstance(rule, Kind) else rule.is_dct(attributes)
        value = None if isinstance(rule, Kind) else attributes.get(rule.value or "")
        if value is None:
            value = names.attribute(attributes, "value", "val", "timexvalue", "dvalue")
        timex_type = (names.attribute(attributes, "type", "timextype", "timexclass", "class") or "").upper()
        modifier = names.attribute(attributes, "mod", "modifier", "timexmod") or ""
        return Entity(
            mark.id,
            kind,
            mark.text,
            mark.spans,
            value=value or None,
            function=names.attribute(attributes, names.FUNCTION),
            is_dct=is_dct,
            line=mark.line,
            type=timex_type if timex_type in _TIMEX_TYPES else None,
            mod=None if modifier.upper() in _NOTHING else modifier,
            begin_point=names.attribute(attributes, "beginpoint") or None,
            end_point=names.attribute(attributes, "endpoint") or None,
        )

    # --- relations to the creation time ---

    def _add_doctimerels(self, found: Annotation, entities: dict[str, Entity]) -> None:
        stated = [
            (mark, label, rule)
            for mark in found.marks.values()
            if mark.id in entities and entities[mark.id].kind is not Kind.TIME
            for label, rule in self._doctimerel(mark)
        ]
        if not stated:
            return
        dct = next((entity.id for entity in entities.values() if entity.is_dct), None)
        if dct is None:
            dct = _NEW_CREATION_TIME
            while dct in entities:
                dct += "_"
            entities[dct] = Entity(dct, Kind.TIME, value=found.creation_time, is_dct=True)
            (self.builder.declared or {})[dct] = None
        for mark, label, rule in stated:
            self._add_doctimerel(mark, label, rule, dct)

    def _doctimerel(self, mark: Mark) -> Iterable[tuple[str, DocTimeRelRule | None]]:
        rules = () if self.mapping is None else self.mapping.doctimerels
        if rules:
            for rule in rules:
                if fits(rule.type, mark.type) and (label := mark.attributes.get(rule.feature)):
                    yield label, rule
        elif label := names.attribute(mark.attributes, names.DOCTIMEREL):
            yield label, None

    def _add_doctimerel(self, mark: Mark, label: str, rule: DocTimeRelRule | None, dct: str) -> None:
        name = f"{DOCTIMEREL}{mark.id}"
        if rule is None or rule.labels is None:
            self.builder.add_link(name, mark.id, label, dct, line=mark.line)
            return
        try:
            relation = rule.labels.relation(label)
        except LabelError as error:
            self.builder.drop("unknown-label", str(error), line=mark.line, element=name)
            return
        self.builder.links.append(new_link((name, mark.id, relation, dct, label, mark.line, 1, None)))


class _Link(NamedTuple):
    """A relation that is temporal, with its parts."""

    arrow: Arrow
    source: str | None
    label: str | None
    target: str | None
    is_temporal: bool = True  # False: only the missing label keeps it from being counted as something else

    @property
    def ends(self) -> tuple[str | None, str | None]:
        return self.source, self.target


def _is_meant(rule: LinkRule, arrow: Arrow) -> bool:
    if rule.feature != arrow.feature or rule.event is not arrow.is_event:
        return False
    return fits(rule.type, arrow.type) or rule.type in (arrow.labels or ())


def _link_by_rule(rule: LinkRule, arrow: Arrow) -> _Link:
    arguments = arrow.arguments
    source = arrow.source if rule.source is None else arguments.get(rule.source)
    target = arrow.target if rule.target is None else arguments.get(rule.target)
    if rule.source is None and source is None:
        source = next((arguments[name] for name in _SOURCES if name in arguments), None)
    if rule.target is None and target is None:
        target = next((arguments[name] for name in _TARGETS if name in arguments), None)
    if rule.means is not None:
        label: str | None = rule.means
    elif rule.label is not None:
        label = arrow.attributes.get(rule.label)
    elif arrow.feature is not None:
        label = names.label_among(arrow.attributes)
    else:
        label = "|".join(arrow.labels) if arrow.labels else names.last_part(arrow.type)
    return _Link(arrow, source, label, target)


class LabelPlace(NamedTuple):
    """The place of a link's label: an attribute, or its type (None)."""

    attribute: str | None


def label_place(mapping: ToolMapping | None, arrow: Arrow) -> LabelPlace:
    """Return where to write a new label of a relation that is a link. Raise UsageError if the mapping fixes it."""
    rules = () if mapping is None else mapping.links
    rule = next((rule for rule in rules if _is_meant(rule, arrow)), None)
    if rule is not None:
        if rule.means is not None:
            raise UsageError(f"{arrow.id}: the mapping gives this link the label {rule.means}: it cannot be changed")
        if rule.label is not None or arrow.feature is None:
            return LabelPlace(rule.label)
    if rule is not None or names.is_link_type(arrow.feature or arrow.type):
        return LabelPlace(names.label_attribute(arrow.attributes) or ("role" if arrow.feature else "relType"))
    return LabelPlace(None)


# ----------------------------------------------------------------------------------------------------
# Offsets that count UTF-16 code units, as Java does, made into characters (code points).

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16:
    """The way from UTF-16 offsets of a text to characters. Most texts have nothing to convert.

    >>> offsets = Utf16("a\U0001f6a2b")
    >>> [offsets.character(unit) for unit in (0, 1, 2, 3, 4, 5)]
    [0, 1, None, 2, 3, None]
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        # The UTF-16 offset of the second half of each character that has two.
        self._halves = [place.start() + number + 1 for number, place in enumerate(_ASTRAL.finditer(text))]

    def character(self, unit: int) -> int | None:
        """Return the character at an offset; None inside a character or outside the text."""
        before = bisect_left(self._halves, unit)
        if before < len(self._halves) and self._halves[before] == unit:
            return None
        place = unit - before
        return place if 0 <= place <= self._length else None

    def is_split(self, unit: int) -> bool:
        """Return whether an offset lies between the two halves of a character."""
        before = bisect_left(self._halves, unit)
        return before < len(self._halves) and self._halves[before] == unit


# ----------------------------------------------------------------------------------------------------
# How a project states a new link: the type of the relation, and the attribute that holds its label.

_TYPE, _LABEL = "TLINK", "relType"


class Form(NamedTuple):
    """The form of a new link."""

    type: str
    attribute: str | None  # that holds the label; None: the type is enough
    source: str | None = None  # the arguments that the mapping names
    target: str | None = None


def form_of(new: NewLink, mapping: ToolMapping | None, last: Arrow | None, *, label_is_type: bool) -> Form:
    """Return the form of a new link, if possible that of the last link of the document.

    ``label_is_type``: without a mapping, the type of a relation may be its
    label. Raise UsageError if the mapping has no link that can have the label.
    """
    if mapping is not None and mapping.links:
        usable = list(_by_rules(mapping.links, new.label))
        if not usable:
            raise UsageError(
                f"{new.said} cannot be added: the mapping {shown(mapping.name)} has no [[link]] that can have the label"
                f" {shown(new.label)}; add one to the mapping"
            )
        return next((form for form in usable if last is not None and fits(form.type, last.type)), usable[0])
    if last is not None and names.is_link_type(last.type):
        return Form(last.type, label_place(mapping, last).attribute)
    return Form(new.label, None) if label_is_type else Form(_TYPE, _LABEL)


def _by_rules(rules: Sequence[LinkRule], label: str) -> Iterator[Form]:
    """Yield the forms that a mapping allows. Events and link features cannot be made without more knowledge."""
    for rule in rules:
        if rule.event or rule.feature is not None:
            continue
        is_stated = rule.means == label if rule.means is not None else names.last_part(rule.type) == label
        if rule.label is not None or is_stated:
            yield Form(rule.type, rule.label, rule.source, rule.target)
