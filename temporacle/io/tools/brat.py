"""brat: an ``.ann`` file, and its text in the ``.txt`` file beside it. Offsets count characters of the text."""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING

from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.io.tools.assembly import Annotation, Arrow, Assembler, Mark
from temporacle.io.tools.brat_lines import lines
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from temporacle.io.tools.assembly import Spans
    from temporacle.io.tools.brat_lines import Line
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
                self.builder.warn("bad-line", message, line=line.number)
            elif line.kind == "*":
                self.assembler.other(f"*{line.part(1)}")
            elif line.id in known:
                message = f"{shown(line.id)} is declared a second time; the first counts"
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
        path = text_beside(self.source.path)
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
            line.id,
            line.part(1),
            source,
            target,
            self.attributes.get(line.id, {}),
            dict(arguments),
            line.number,
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
