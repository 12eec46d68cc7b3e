"""Files that ``fix`` writes: repaired, or with notes at the links that contradict each other.

A file keeps every byte that has nothing to do with the links in question (``io.edit``), whatever number of documents
it holds: it is written when the last of them has been checked. A document that has no file, or whose format cannot be
changed in place, is written anew.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from temporacle.editing.saving import Original, copy_beside
from temporacle.errors import InputError, UsageError, spelled
from temporacle.io.edit import NOTE, Edits, changed, editable
from temporacle.io.edit.edits import NoPlaceForNotesError
from temporacle.io.files import a_moment, atomic, changed_since, safe_name
from temporacle.io.listing import refuse_to_replace
from temporacle.io.source import STANDARD_INPUT, Source, options_of
from temporacle.io.writers import WRITERS
from temporacle.model import Action, Link, Remark
from temporacle.printing import first_of, harmless
from temporacle.results import DocumentVerdict, Repair

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.checks import Check
    from temporacle.io.source import Options
    from temporacle.model import Document, HowRead
    from temporacle.results import Fact

_LISTED = 5
_MARKS = tuple(NOTE.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))


class Mended(NamedTuple):
    """A repaired document, written in its own format if that can be written, otherwise as JSON Lines."""

    text: str
    suffix: str
    remarks: tuple[Remark, ...] = ()  # on what the format cannot say


def mended(document: Document, check: Check) -> Mended | None:
    """Return the document without the links its repair drops; None if it has no repair or its file can be changed."""
    if not isinstance(check.repair, Repair) or has_editable_file(document):
        return None
    gone = set(map(id, check.repair.dropped))
    kept = replace(document, links=tuple(link for link in document.links if id(link) not in gone))
    writer = WRITERS.get(document.format or "", WRITERS["jsonl"])
    remarks: list[Remark] = []
    text = writer.header + writer.text(kept, remarks.append)
    return Mended(text, writer.suffixes[0], tuple(remarks))


def has_editable_file(document: Document) -> bool:
    """Return whether a document was read from a file that can be changed in place."""
    path = document.path
    return path not in {None, STANDARD_INPUT} and editable(document.format) and os.path.isfile(path or "")  # noqa: PTH113


def notes(document: Document, check: Check) -> dict[str, str]:
    """Return the note for each link of a conflict, by the link's id."""
    if not check.conflicts:
        return {}
    words = {entity.id: entity.text for entity in document.entities if entity.text}
    said: dict[str, list[str]] = {}
    for conflict in check.conflicts:
        for link in (fact for fact in conflict if isinstance(fact, Link)):
            said.setdefault(link.id, []).append(_contradiction(link, conflict, words))
    return {link: NOTE + "; ".join(sentences) for link, sentences in said.items()}


def _contradiction(link: Link, conflict: Sequence[Fact], words: dict[str, str]) -> str:
    def stated(each: Fact) -> str:
        if not isinstance(each, Link):
            return each.said
        ends = [f'"{" ".join(words[end].split())}"' if end in words else end for end in (each.source, each.target)]
        return f"{each.id} ({ends[0]} {each.label or each.relation} {ends[1]})"

    others = [stated(other) for other in conflict if other is not link]
    if not others:
        return f"{stated(link)} can never be true"
    more = f" and {len(others) - _LISTED} more" if len(others) > _LISTED else ""
    return f"{stated(link)} cannot be true together with {', '.join(others[:_LISTED])}{more}"


def annotated(check: Check, said: dict[str, str]) -> Edits | None:
    """Return notes at the links of conflicts, which replace those of an earlier run; None if the check is undecided."""
    decided = check.verdict in {DocumentVerdict.CONSISTENT, DocumentVerdict.INCONSISTENT}
    return Edits(comment=said, renew=True) if decided else None


def holds_inputs(folder: str, roots: Sequence[str]) -> bool:
    """Return whether files written to a folder would replace the files that were read."""
    places = (root if os.path.isdir(root) else os.path.dirname(root) or "." for root in roots)  # noqa: PTH112, PTH120
    return os.path.isdir(folder) and any(os.path.isdir(each) and os.path.samefile(folder, each) for each in places)  # noqa: PTH112, PTH121


def refuse_to_overwrite(folder: str, roots: Sequence[str], cure: str) -> None:
    """Raise UsageError if files written to a folder would replace the files that were read."""
    if holds_inputs(folder, roots):
        raise UsageError(f"{folder} holds the files that are read: {cure}")


class FilesBack:
    """Changed files in a folder, or in their own places."""

    def __init__(
        self,
        folder: str | None,
        roots: Sequence[str],
        options: Options | None,
        report: Callable[[Remark], None],
        *,
        in_place: bool,
        file: str | None = None,
        keep: Callable[[str, str, bytes, bytes], None] | None = None,
        dry_run: bool = False,
    ) -> None:
        self._folder = folder
        self._file = file  # the place of the only file
        self._keep = keep  # gets the path, the target, the old and the new content of each file that changes
        self.dry_run = dry_run  # nothing is written
        self._roots = roots
        self._options = options  # None: documents know how they were read
        self._report = report
        self._in_place = in_place
        self._began = a_moment()
        self._taken: Counter[str] = Counter()
        self._source: Source | None = None  # the file that documents are being checked of
        self._source_path: str | None = None  # while it is written
        self._edits: dict[str, Edits] = {}

    def add(self, path: str, document: str, how_read: HowRead, edits: Edits) -> None:
        """Note what to change in a document of a file."""
        if self._source is None or self._source.path != path:
            self.finish()
            chosen = options_of(how_read) if self._options is None else self._options
            self._source = Source(path, None, chosen, format=how_read.format)
        self._edits[document] = edits

    def finish(self) -> None:
        """Write the file whose documents came last."""
        source, edits = self._source, self._edits
        self._source_path = None if source is None else source.path
        self._source, self._edits = None, {}
        if source is None:
            return
        try:
            self._write(source, edits)
        except InputError as error:  # the other files go on
            self._report(Remark("not-written", str(error), action=Action.DROPPED))

    def _write(self, source: Source, edits: dict[str, Edits]) -> None:
        if source.path == STANDARD_INPUT or not editable(source.format):  # its notes are all there is to write
            if any(each.comment for each in edits.values()):
                self._write_beside(self._target(source), edits)
            return
        if not any(each.links for each in edits.values()) and not any(mark in source.data for mark in _MARKS):
            return  # no note has to be removed
        if changed_since(source.path, self._began):
            raise source.error("changed while it was being checked: it is left alone", cure="check it again")
        original = Original(source)
        target = self._target(source)
        try:
            data = changed(source, edits)
        except NoPlaceForNotesError:
            self._write_beside(target, edits)
            return
        except UsageError as error:
            raise source.error(f"not changed: {error}") from error
        if data == source.data:
            return
        if self._kept(source.path, target, source.data, data):
            return
        if not self._in_place and not original.is_at(target):
            try:
                refuse_to_replace(target, self._roots)  # a folder inside the corpus may hold documents, too
            except UsageError as error:
                raise source.error(f"not changed: {error}") from error
        if original.is_at(target) and not self._in_place:
            raise UsageError(f"{target} is the file itself: give {spelled('in_place', True)} to change it")
        original.replace(target, data)
        copy_beside(source.path, target, source.format or "")
        self._report(Remark("written", f"wrote {target}: {_summary(edits)}"))

    def _write_beside(self, target: str, edits: dict[str, Edits]) -> None:
        """Write the notes to a file of their own, for formats that have no place for them."""
        rows = [(name, link, text) for name, each in edits.items() for link, text in each.comment.items()]
        path = f"{target}.notes.csv"
        content = "\n".join(" ".join(row) for row in rows) + "\n"
        if self._kept(self._source_path or target, path, b"", content.encode()):
            return
        with atomic(path) as file:
            table = csv.writer(file)
            table.writerow(("document", "link", "note"))
            table.writerows([harmless(cell) for cell in row] for row in rows)
        self._report(Remark("written", f"wrote {path}: {_summary(edits)}"))

    def _target(self, source: Source) -> str:
        """Return where to write a file: the same place under the folder as under the path that was given."""
        if self._file is not None:
            return self._file
        if self._folder is None:
            return source.path
        name = source.name if source.path == STANDARD_INPUT else os.path.basename(source.path)  # noqa: PTH119
        for root in self._roots:
            if os.path.isdir(root) and Path(source.path).is_relative_to(root):  # noqa: PTH112
                name = os.path.relpath(source.path, root)
                break
        target = os.path.join(self._folder, name)  # noqa: PTH118
        if self._in_place and os.path.exists(target) and os.path.samefile(target, source.path):  # noqa: PTH110, PTH121
            return target
        return _numbered(target, self._taken)

    def _kept(self, path: str, target: str, old: bytes, new: bytes) -> bool:
        """Tell what changes in a file. Return whether that is all."""
        if self._keep is not None:
            self._keep(path, target, old, new)
        return self.dry_run

    def write_anew(self, document: str, text: Mended, *, path: str | None = None) -> None:
        """Write a document that has no file of its own to change."""
        for remark in text.remarks:
            self._report(remark._replace(message=f"{document}: {remark.message}"))
        if self.dry_run:
            self._kept(path or document, document + text.suffix, b"", text.text.encode())
            return
        if self._file is not None:
            target = self._file
        elif self._folder is None:
            message = f"document {document!r} cannot be changed in place: name a folder to write to"
            self._report(Remark("not-written", message, action=Action.DROPPED))
            return
        else:
            target = _numbered(os.path.join(self._folder, safe_name(document) + text.suffix), self._taken)  # noqa: PTH118
        self._kept(path or document, target, b"", text.text.encode())
        with atomic(target) as file:
            file.write(text.text)
        self._report(Remark("written", f"wrote {target}"))


def _numbered(target: str, taken: Counter[str]) -> str:
    """Return the name of a file. A second file of that name gets a number."""
    taken[target.casefold()] += 1
    number = taken[target.casefold()]
    if number == 1:
        return target
    folder, name = os.path.split(target)
    stem, dot, suffix = name.partition(".")
    return os.path.join(folder, f"{stem}~{number}{dot}{suffix}")  # noqa: PTH118


def _summary(edits: dict[str, Edits]) -> str:
    parts = []
    for what, links in (
        ("removed", [link for each in edits.values() for link in sorted(each.drop)]),
        ("relabelled", [link for each in edits.values() for link in sorted(each.relabel)]),
        ("commented", [link for each in edits.values() for link in sorted(each.comment)]),
    ):
        if links:
            parts.append(f"{len(links)} link{'s' if len(links) > 1 else ''} {what} ({first_of(links, _LISTED)})")
    return "; ".join(parts) or "notes removed"
