"""brat: lines of an ``.ann`` file. A note is a line at its end; it shows in brat beside the link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.io.edit.edits import NOTE, plain_note
from temporacle.io.edit.text import Splice
from temporacle.io.tools import names
from temporacle.io.tools.assembly import DOCTIMEREL, Arrow, label_place
from temporacle.io.tools.brat_lines import lines
from temporacle.io.tools.mapping import Mapping, fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Mapping as Table

    from temporacle.io.edit.edits import Edits
    from temporacle.io.source import Source
    from temporacle.io.tools.brat_lines import Line
    from temporacle.model import Document

_NOTES = "AnnotatorNotes"
_WARNING = "AnnotationWarning"  # brat shows one AnnotatorNotes for each annotation: a second would replace it


def splices(text: str, source: Source, documents: Sequence[Document], edits: Table[str, Edits]) -> list[Splice]:
    """Return the replacements to make in an ``.ann`` file."""
    document = documents[0]
    mapping = source.options.mapping
    editor = _Editor(text, edits[document.id], mapping if isinstance(mapping, Mapping) else None)
    read = (link.id for link in document.links)
    editor.edits.require(dict.fromkeys((*read, *(line.id for line in editor.lines if line.kind == "R"))), document.id)
    return list(editor.splices())


class _Editor:
    def __init__(self, text: str, edits: Edits, mapping: Mapping | None) -> None:
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
        added: list[str] = []
        for link, label in self.edits.relabel.items():
            found = self._label(link)
            if found is None:
                added.append(f"{self._next('A', gone, len(added))}\trelType {link} {label}")
            else:
                yield Splice(*found, label)
        added += self._notes(gone)
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
        values = {name: each.part(3) for name, each in attributes.items()}
        place = label_place(self.mapping, Arrow(link, line.part(1), attributes=values, is_event=line.kind == "E"))
        if place.attribute is None:
            return line.place(1)
        found = attributes.get(place.attribute)
        return None if found is None else found.place(3)

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

    def _notes(self, gone: set[int]) -> Iterator[str]:
        noted = {line.target() for line in self._kept_notes(gone) if line.part(1) == _NOTES}
        for count, (link, note) in enumerate(self.edits.comment.items()):
            target = link.removeprefix(DOCTIMEREL)
            kind = _WARNING if target in noted else _NOTES
            noted.add(target)
            yield f"{self._next('#', gone, count)}\t{kind} {target}\t{plain_note(note)}"

    def _kept_notes(self, gone: set[int]) -> Iterable[Line]:
        return (line for line in self.lines if line.kind == "#" and line.parts is not None and line.start not in gone)

    def _next(self, letter: str, gone: set[int], count: int) -> str:
        """Return a new id: one more than the highest of its kind."""
        numbers = [
            int(line.id[1:])
            for line in self.lines
            if line.start not in gone and re.fullmatch(re.escape(letter) + "[0-9]{1,9}", line.id)
        ]
        return f"{letter}{max(numbers, default=0) + 1 + count}"


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
