"""brat: an ``.ann`` file, and its text in the ``.txt`` file beside it. Offsets count characters of the text."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.edit.edits import NOTE, FreeIds, Splice, plain_note
from temporacle.io.edit.places import line_after, whole_line
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.io.tools import mapping as names
from temporacle.io.tools.assembly import DOCTIMEREL, Annotation, Arrow, Assembler, Mark, form_of, label_place
from temporacle.io.tools.mapping import fits, mapping_of
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Mapping as Table

    from temporacle.io.edit.edits import Edits
    from temporacle.io.tools.assembly import Spans
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import Document

_SOURCES = {"arg1", "source", "from"}
_TARGETS = {"arg2", "target", "to"}
_TRUE = "true"  # the value of an attribute that has none


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of an ``.ann`` file."""
    assembler = Assembler(source, "brat", source.name, label_is_type=True)
    yield assembler.document(_Reader(source, assembler).annotation())


def text_beside(path: str) -> str | None:
    """Return the path of the text that belongs to an ``.ann`` file; None for standard input and ``.txt`` files."""
    stem = path.removesuffix(".gz")
    if path == STANDARD_INPUT or stem.endswith(".txt"):
        return None
    return f"{stem.removesuffix('.ann')}.txt"


class _Reader:
    """Collects what the lines of one file say."""

    def __init__(self, source: Source, assembler: Assembler) -> None:
        self.source = source
        self.assembler = assembler
        self.builder = assembler.builder
        self.spans: dict[str, Line] = {}
        self.events: dict[str, Line] = {}
        self.relations: dict[str, Line] = {}
        self.attributes: dict[str, dict[str, str]] = {}

    def annotation(self) -> Annotation:
        self._collect()
        text = self._text()
        marks = self._marks(text)
        arrows = [arrow for line in self.relations.values() if (arrow := self._relation(line)) is not None]
        stand_ins, hidden = self._add_events(marks, arrows)
        arrows.sort(key=lambda arrow: arrow.line or 0)
        return Annotation(self.source.name, marks, arrows, text, stand_ins, hidden)

    def _collect(self) -> None:
        """Sort the lines by kind. Attributes and notes may precede the line that they are about."""
        known: set[str] = set()
        for line in lines(self.source.decode()):
            if line.kind == "#":
                continue
            if line.parts is None or (line.kind == "R" and len(line.arguments()) > 2):
                message = "the line has none of the forms that brat uses; it is skipped"
                if line.id[:1] in _NO_LINKS:
                    self.builder.warn("bad-line", message, line=line.number)
                else:
                    self.builder.drop("bad-line", message, line=line.number)
            elif line.kind == "*":
                self.assembler.other(f"*{line.part(1)}")
            elif line.id in known:
                message = f"{shown(line.id)} is declared a second time; the first counts"
                if line.kind == "R":
                    self.builder.drop("duplicate-id", message, line=line.number)
                else:
                    self.builder.warn("duplicate-id", message, line=line.number)
            else:
                known.add(line.id)
                self._note(line)

    def _note(self, line: Line) -> None:
        kinds = {"T": self.spans, "E": self.events, "R": self.relations}
        if line.kind in kinds:
            kinds[line.kind][line.id] = line
        elif line.kind in "AM":
            self.attributes.setdefault(line.part(2), {}).setdefault(line.part(1), line.part(3) or _TRUE)

    def _text(self) -> str | None:
        path = text_beside(self.source.path) if self.source.has_place else None
        if path is None or not os.path.isfile(path):  # noqa: PTH113
            missing = os.path.basename(path) if path else "its text"  # noqa: PTH119
            self.builder.warn("no-text", "the text is not there: offsets cannot be checked", element=missing)
            return None
        return Source(path, None, self.source.options).decode()

    # --- spans ---

    def _marks(self, text: str | None) -> dict[str, Mark]:
        offsets = {name: _offsets(line) for name, line in self.spans.items()}
        if text is not None and "\r\n" in text:
            offsets = self._by_lineends_of(text, offsets)
        return {name: self._mark(line, offsets[name], text) for name, line in self.spans.items()}

    def _mark(self, line: Line, spans: Spans, text: str | None) -> Mark:
        stated = line.tail or None
        attributes = self.attributes.get(line.id, {})
        if text is None:
            spans = spans if all(start <= end for start, end in spans) else ()
            return Mark(line.id, line.part(1), spans, stated, attributes, line.number)
        if not all(start <= end <= len(text) for start, end in spans):
            message = f"the span of {shown(line.id)} is not in the text of {len(text)} characters; it has none"
            self.builder.warn("span-outside", message, line=line.number)
            return Mark(line.id, line.part(1), (), stated, attributes, line.number)
        found = _words(text, spans)
        if stated is not None and _squeezed(stated) != _squeezed(found):
            message = f"{shown(line.id)} states {shown(stated)}, and the text there is {shown(found)}, which counts"
            self.builder.warn("span-mismatch", message, line=line.number)
        return Mark(line.id, line.part(1), spans, found, attributes, line.number)

    def _by_lineends_of(self, text: str, offsets: dict[str, Spans]) -> dict[str, Spans]:
        """Return the offsets as they are meant: some programs count a line end of two characters as one."""
        stated = [(spans, self.spans[name].tail) for name, spans in offsets.items() if self.spans[name].tail]
        if all(_fits(text, spans, words) for spans, words in stated):
            return offsets
        ends = [place - number for number, place in enumerate(_places(text, "\r\n"))]

        def real(place: int) -> int:
            return place + bisect_left(ends, place)

        if not all(_fits(text, _mapped(spans, real), words) for spans, words in stated):
            return offsets
        message = "the texts fit only if each line end of two characters counts as one; offsets are read so"
        self.builder.warn("crlf-offsets", message)
        return {name: _mapped(spans, real) for name, spans in offsets.items()}

    # --- relations and events ---

    def _relation(self, line: Line) -> Arrow | None:
        arguments = line.arguments()
        source, target = ends_of(arguments)
        return Arrow(
            line.id, line.part(1), source, target, self.attributes.get(line.id, {}), dict(arguments), line.number
        )

    def _add_events(self, marks: dict[str, Mark], arrows: list[Arrow]) -> tuple[dict[str, str], dict[str, str]]:
        """Add the events in place of their triggers. Some events are links, if the mapping says so."""
        events_of: dict[str, list[str]] = {}
        hidden: dict[str, str] = {}
        triggers: dict[str, Mark] = {}
        mapping = self.assembler.mapping
        for name, line in self.events.items():
            type_name, trigger = line.part(1), line.part(2)
            attributes = self.attributes.get(name, {})
            if mapping is not None and any(rule.event and rule.type == type_name for rule in mapping.links):
                arguments = line.arguments()
                source, target = ends_of(arguments)
                arrows.append(
                    Arrow(name, type_name, source, target, attributes, dict(arguments), line.number, is_event=True)
                )
                hidden[trigger] = "the signal of a link"
                triggers.setdefault(trigger, marks.pop(trigger, Mark(trigger, type_name)))
                continue
            if trigger not in triggers and trigger in marks:
                triggers[trigger] = marks.pop(trigger)
            anchor = triggers.get(trigger)
            if anchor is None:
                message = f"its trigger {shown(trigger)} is not there; the event has no span"
                self.builder.warn("missing-trigger", message, line=line.number, element=name)
                anchor = Mark(trigger, type_name)
            events_of.setdefault(trigger, []).append(name)
            marks[name] = Mark(
                name,
                type_name,
                anchor.spans,
                anchor.text,
                {**anchor.attributes, **attributes},
                line.number,
                is_event=True,
            )
        for trigger, events in events_of.items():
            if len(events) > 1:
                hidden[trigger] = f"the trigger of {len(events)} events"
        return {trigger: events[0] for trigger, events in events_of.items() if len(events) == 1}, hidden


def _offsets(line: Line) -> Spans:
    """Return the parts of a span in the order of the text."""
    parts = (part.split(" ") for part in line.part(2).split(";"))
    return tuple(sorted((int(start), int(end)) for start, end in parts))


def ends_of(arguments: Iterable[tuple[str, str]]) -> tuple[str | None, str | None]:
    """Return source and target by the names of the arguments. With other names, the first argument is the source."""
    given = list(arguments)
    by_name = {name.lower(): value for name, value in given}
    source = next((by_name[name] for name in by_name if name in _SOURCES), None)
    target = next((by_name[name] for name in by_name if name in _TARGETS), None)
    if source is None and target is None:
        first, second, *_ = (*(value for _, value in given), None, None)
        return first, second
    others = [value for name, value in given if name.lower() not in _SOURCES | _TARGETS]
    if source is None and others:
        source = others[0]
    elif target is None and others:
        target = others[0]
    return source, target


def _words(text: str, spans: Spans) -> str:
    """Return the marked text. Parts are joined by a blank, and line breaks inside are shown as blanks."""
    joined = " ".join(text[start:end] for start, end in spans)
    return joined.replace("\r\n", " ").replace("\n", " ")


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _fits(text: str, spans: Spans, stated: str | None) -> bool:
    return all(start <= end <= len(text) for start, end in spans) and _squeezed(stated or "") == _squeezed(
        _words(text, spans)
    )


def _mapped(spans: Spans, real: Callable[[int], int]) -> Spans:
    return tuple((real(start), real(end)) for start, end in spans)


def _places(text: str, what: str) -> Iterator[int]:
    place = text.find(what)
    while place >= 0:
        yield place
        place = text.find(what, place + len(what))


# ----------------------------------------------------------------------------------------------------
# The lines of a brat ``.ann`` file, each with its place in the text.
#
#     T1  EVENT 10 14         left            a span: type, offsets (several parts joined by ;), text
#     E1  Motion:T1 Theme:T9                  an event: type and trigger, arguments
#     R1  BEFORE Arg1:E1 Arg2:T2              a relation
#     A1  Certainty R1 low                    an attribute (M: its old name)
#     #1  AnnotatorNotes R1   re-read this    a note
#     *   Equiv T3 T4                         an equivalence
#     N1  Reference T9 Wikidata:Q1    crew    a normalization
#
# Id, body and text are separated by tabs. Lines end with LF or CRLF and nothing else.

_SPAN = re.compile(r"(\S+) ([0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*)")
_EVENT = re.compile(r"(\S[^\s:]*+):(\S++)((?: [^\s:]++:\S++)*+) *+")
_RELATION = re.compile(r"(\S++)((?: [^\s:]++:\S++)*+) *+")
_ATTRIBUTE = re.compile(r"(\S++) (\S++)(?: (.(?:.*[^ \n])?+))?+ *+")
_NOTE = re.compile(r"(\S++) (\S++) *+")
_EQUIVALENCE = re.compile(r"(\S++)((?: \S++)++) *+")
_NO_LINKS = frozenset("TEAMN*")  # what a line begins with that is about anything but a relation
_FORMS = {"T": _SPAN, "E": _EVENT, "R": _RELATION, "A": _ATTRIBUTE, "M": _ATTRIBUTE, "N": _ATTRIBUTE, "*": _EQUIVALENCE}


class Line(NamedTuple):
    """One line. ``parts`` is what its form has: see above; None if it has none of the forms."""

    number: int
    start: int
    end: int  # without the line end
    next_start: int
    id: str
    parts: re.Match[str] | None
    body_start: int
    tail: str | None  # behind the second tab

    @property
    def kind(self) -> str:
        return self.id[:1]

    def place(self, group: int) -> tuple[int, int]:
        """Return the position of a part in the text."""
        assert self.parts is not None  # noqa: S101 - narrows the type only
        start, end = self.parts.span(group)
        return self.body_start + start, self.body_start + end

    def part(self, group: int) -> str:
        assert self.parts is not None  # noqa: S101
        return self.parts[group] or ""

    def arguments(self) -> list[tuple[str, str]]:
        """Return the arguments of a relation or an event, by name, in order."""
        written = self.part(2 if self.kind == "R" else 3).split()
        return [(name, value) for name, _, value in (each.partition(":") for each in written)]

    def target(self) -> str | None:
        """Return the id that an attribute, a note or a normalization is about."""
        return self.part(2) if self.kind in "AMN#" and self.parts is not None else None


def lines(text: str) -> Iterator[Line]:
    """Yield the lines that are not blank."""
    start, number = 0, 0
    while start < len(text):
        feed = text.find("\n", start)
        next_start = len(text) if feed < 0 else feed + 1
        end = len(text) if feed < 0 else feed
        if end > start and feed >= 0 and text[end - 1] == "\r":
            end -= 1
        number += 1
        if text[start:end].strip():
            yield _line(text, number, start, end, next_start)
        start = next_start


def _line(text: str, number: int, start: int, end: int, next_start: int) -> Line:
    name, tab, rest = text[start:end].partition("\t")
    body, tail_tab, tail = rest.partition("\t")
    kind = name[:1]
    parts = None
    if tab and kind == "#":
        parts = _NOTE.fullmatch(body) if len(name) > 1 else None
    elif tab and (name == "*" or (kind in _FORMS and kind != "*" and len(name) > 1 and " " not in name)):
        parts = _FORMS[kind].fullmatch(body)
    return Line(number, start, end, next_start, name, parts, start + len(name) + 1, tail if tail_tab else None)


# ----------------------------------------------------------------------------------------------------
# brat: lines of an ``.ann`` file. A note is a line at its end; it shows in brat beside the link.

_ARGUMENTS = ("Arg1", "Arg2")
_NOT_IN_TYPES = re.compile(r"[\s:]")
_RELATION_ID = re.compile("R[0-9]{1,9}")
_NOTES = "AnnotatorNotes"
_WARNING = "AnnotationWarning"  # brat shows one AnnotatorNotes for each annotation: a second would replace it


def splices(text: str, source: Source, documents: Sequence[Document], edits: Table[str, Edits]) -> list[Splice]:
    """Return the replacements to make in an ``.ann`` file."""
    document = documents[0]
    editor = _Editor(text, edits[document.id], mapping_of(source))
    editor.links = [link.id for link in document.links if not link.id.startswith(DOCTIMEREL)]
    read = (link.id for link in document.links)
    editor.edits.require(dict.fromkeys((*read, *(line.id for line in editor.lines if line.kind == "R"))), document.id)
    return list(editor.splices())


class _Editor:
    links: Sequence[str] = ()  # the links of the document, without those that are attributes of events

    def __init__(self, text: str, edits: Edits, mapping: ToolMapping | None) -> None:
        self.text = text
        self.edits = edits
        self.mapping = mapping
        self.lines = list(lines(text))
        self.by_id: dict[str, Line] = {}
        for line in self.lines:
            if line.parts is not None and line.kind not in "#*":
                self.by_id.setdefault(line.id, line)

    def splices(self) -> Iterator[Splice]:
        gone = self._gone()
        for line in self.lines:
            if line.start in gone:
                yield Splice(line.start, line.next_start)
        self._ids = {letter: FreeIds(self._kept_ids(letter, gone), usual=letter) for letter in "RA#"}
        added: list[str] = []
        for link, label in self.edits.relabel.items():
            found = self._label(link)
            if found is None:
                added.append(f"{self._ids['A'].give()}\trelType {link} {label}")
            else:
                yield Splice(*found, label)
        names = [self._ids["R"].give(new.id, allowed=_RELATION_ID) for new in self.edits.add]
        if names:
            yield from self._added(names)
        added += self._notes(gone, names)
        if added:
            end = "\r\n" if "\r\n" in self.text else "\n"
            first = end if self.text and not self.text.endswith("\n") else ""
            yield Splice(len(self.text), len(self.text), first + "".join(each + end for each in added))

    def _gone(self) -> set[int]:
        """Return the starts of the lines to remove: links, lines about these links, and notes of earlier runs."""
        dropped = {self._attribute_of(link) if link.startswith(DOCTIMEREL) else link for link in self.edits.drop}
        names_gone = dropped | set(self._lonely_triggers(dropped))
        gone: set[int] = set()
        while True:
            before = len(gone)
            for line in self.lines:
                target = line.target()  # a second line of a dropped id goes, too: it would count then
                if (line.id in names_gone and line.parts is not None) or target in names_gone:
                    gone.add(line.start)
                    if line.kind != "#":
                        names_gone.add(line.id)
                elif line.kind == "#" and target and (line.tail or "").startswith(NOTE) and self.edits.replaces(target):
                    gone.add(line.start)
            if len(gone) == before:
                return gone

    def _lonely_triggers(self, dropped: set[str]) -> Iterator[str]:
        """Yield the triggers of dropped events that no other line names."""
        for name in dropped:
            event = self.by_id.get(name)
            if event is None or event.kind != "E":
                continue
            trigger = event.part(2)
            others = (line for line in self.lines if line.id not in dropped and line.id != trigger)
            if not any(trigger in _named_by(line) for line in others):
                yield trigger

    def _label(self, link: str) -> tuple[int, int] | None:
        """Return the position of a link's label; None if it has no label yet."""
        if link.startswith(DOCTIMEREL):
            return self.by_id[self._attribute_of(link)].place(3)
        line = self.by_id[link]
        attributes = {each.part(1): each for each in reversed(self._attributes(link))}
        arrow = Arrow(link, line.part(1), attributes=self._values(link), is_event=line.kind == "E")
        place = label_place(self.mapping, arrow)
        if place.attribute is None:
            return line.place(1)
        found = attributes.get(place.attribute)
        return None if found is None else found.place(3)

    def _values(self, link: str) -> dict[str, str]:
        return {each.part(1): each.part(3) for each in reversed(self._attributes(link))}

    def _attributes(self, target: str) -> list[Line]:
        return [line for line in self.by_id.values() if line.kind in "AM" and line.target() == target]

    def _attribute_of(self, link: str) -> str:
        """Return the attribute that states a DocTimeRel."""
        event = link.removeprefix(DOCTIMEREL)
        line = self.by_id[event]
        rules = () if self.mapping is None else self.mapping.doctimerels
        wanted = {rule.feature for rule in rules if fits(rule.type, line.part(1))}
        targets = (event, line.part(2)) if line.kind == "E" else (event,)
        for target in targets:
            for each in self._attributes(target):
                if each.part(1) in wanted or (not rules and names.plain(each.part(1)) == names.DOCTIMEREL):
                    return each.id
        return event

    def _added(self, names: Sequence[str]) -> Iterator[Splice]:
        """Yield the lines of new relations, which come behind the last relation."""
        last = next((line for link in reversed(self.links) if (line := self.by_id[link]).kind == "R"), None)
        behind = whole_line(self.text, (last or self.lines[-1]).start)
        model = None if last is None else Arrow(last.id, last.part(1), attributes=self._values(last.id))
        tail = "\t" if last is not None and last.tail == "" else ""
        given = [argument for argument, _ in last.arguments()] if last is not None else []
        first, second = given if len(given) == len(_ARGUMENTS) else _ARGUMENTS
        source, target = ends_of([(first, first), (second, second)])
        for name, new in zip(names, self.edits.add, strict=True):
            form = form_of(new, self.mapping, model, label_is_type=True)
            if _NOT_IN_TYPES.search(form.type):
                raise UsageError(f"{new.said} cannot be added: types of brat have no blanks and no colons")
            ends = {form.source or source: new.source, form.target or target: new.target}
            in_order = sorted(ends.items(), key=lambda each: each[0] != first)
            arguments = " ".join(f"{argument}:{entity}" for argument, entity in in_order)
            yield line_after(self.text, behind, f"{name}\t{form.type} {arguments}{tail}")
            if form.attribute is not None:
                stated = f"{self._ids['A'].give()}\t{form.attribute} {name} {new.label}"
                yield line_after(self.text, behind, stated)

    def _notes(self, gone: set[int], added: Sequence[str]) -> Iterator[str]:
        noted = {line.target() for line in self._kept_notes(gone) if line.part(1) == _NOTES}
        new = {name: each.comment for name, each in zip(added, self.edits.add, strict=True) if each.comment}
        for link, note in (*self.edits.comment.items(), *new.items()):
            target = link.removeprefix(DOCTIMEREL)
            kind = _WARNING if target in noted else _NOTES
            noted.add(target)
            yield f"{self._ids['#'].give()}\t{kind} {target}\t{plain_note(note)}"

    def _kept_notes(self, gone: set[int]) -> Iterable[Line]:
        return (line for line in self.lines if line.kind == "#" and line.parts is not None and line.start not in gone)

    def _kept_ids(self, letter: str, gone: set[int]) -> Iterator[str]:
        """Yield the ids of a kind that stay. Those of other forms do not count: a number follows the letter."""
        form = re.compile(re.escape(letter) + "[0-9]{1,9}")
        return (line.id for line in self.lines if line.start not in gone and form.fullmatch(line.id))


def _named_by(line: Line) -> set[str]:
    """Return the ids that a line names."""
    if line.parts is None:
        return set()
    if line.kind == "*":
        return set(line.part(2).split())
    if line.kind in "ER":
        found = {value for _, value in line.arguments()}
        return found | {line.part(2)} if line.kind == "E" else found
    return {line.target() or ""}
