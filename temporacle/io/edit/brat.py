"""brat: lines of an ``.ann`` file. A note is a line at its end; it shows in brat beside the link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.io.edit.edits import NOTE, plain_note
from temporacle.io.edit.ids import FreeIds
from temporacle.io.edit.json_text import line_after, whole_line
from temporacle.io.edit.text import Splice
from temporacle.io.edit.tool_forms import form_of
from temporacle.io.tools import names
from temporacle.io.tools.assembly import DOCTIMEREL, Arrow, label_place
from temporacle.io.tools.brat import ends_of
from temporacle.io.tools.brat_lines import lines
from temporacle.io.tools.mapping import fits, mapping_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Mapping as Table

    from temporacle.io.edit.edits import Edits
    from temporacle.io.source import Source
    from temporacle.io.tools.brat_lines import Line
    from temporacle.io.tools.mapping import Mapping
    from temporacle.model import Document

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
