"""One open document: its session, what its file holds, and its part of the journal.

Every method that asks or edits must be called with the document's ``lock``.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, TemporacleError, UsageError
from temporacle.model import Link
from temporacle.relation import Relation
from temporacle.tasks.saving import why_export
from temporacle.tasks.session import Session
from temporacle.workbench.changes import changes_between, changes_from
from temporacle.workbench.views import document_view, repair_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from temporacle.model import Document
    from temporacle.workbench.changes import Changes
    from temporacle.workbench.journal import Log, Record


class RevisionError(UsageError):
    """An edit was made for another state of the document than the present one."""


class OpenDocument:
    """A document on the desk."""

    def __init__(self, document: Document, digest: str, log: Log | None, budget: float) -> None:
        self.lock = threading.Lock()
        self.users = 0  # requests that hold it
        self.is_closed = False  # it was taken from the desk
        self.revision = 0
        self.digest = digest  # of the file that holds what was saved last
        self.recovered = 0
        self._log = log  # None: read-only
        self._budget = budget
        self._begin(document)
        if log is not None and log.records:
            self._recover(document, digest, log)

    def _begin(self, document: Document, session: Session | None = None) -> None:
        self._document = document
        self.session = session or Session(document, budget=self._budget)
        self.state: dict[str, Any] = {}  # what the list of documents says about it, as far as it is known
        self._file_comments: dict[str, str] = {}  # that were in the file when it was opened for saving
        self._note_saved()

    def _note_saved(self) -> None:
        self._saved = _by_id(self.session.document.links)
        self._saved_comments = dict(self.session.comments)
        self.unsaved = 0

    @property
    def size(self) -> int:
        return len(self._saved)

    def may_close(self) -> bool:
        return not self.users and not self.unsaved

    # --- answers ----------------------------------------------------------------------------------------------------

    def view(self) -> dict[str, Any]:
        view = document_view(self.session, self._budget)
        self._know(view)
        saves = {"saves": "in-place" if self.why_export is None else "export", "why_export": self.why_export}
        return {**view, **saves, **self.counts(), "recovered": self.recovered}

    @property
    def why_export(self) -> str | None:
        """Return why edits cannot be saved in the file; None if they can."""
        return why_export(self._document.path, self._document.format)

    def _know(self, answer: dict[str, Any]) -> None:
        self.state = {
            "verdict": answer["verdict"],
            "conflicts": len(answer["conflicts"]),
            "links": len(self.session.document.links),
        }

    def counts(self) -> dict[str, int]:
        return {
            "undo": self.session.undo_count,
            "redo": self.session.redo_count,
            "unsaved": self.unsaved,
            "revision": self.revision,
        }

    def judge(self, changes: Changes) -> dict[str, Any]:
        return self.session.judge(add=changes.add, remove=changes.remove, relabel=changes.relabel).to_dict()

    def pair(self, source: str, target: str, without: Iterable[str]) -> dict[str, Any]:
        return self.session.pair(source, target, without=tuple(without)).to_dict()

    def repair(self) -> dict[str, Any]:
        return repair_view(self.session)

    # --- edits ------------------------------------------------------------------------------------------------------

    def edit(self, changes: Changes, **noted: Any) -> dict[str, Any]:
        """Make some changes as one step, and answer with what they lead to. ``noted``: more for the journal."""
        if not changes:
            return self._answer([])
        before = self._opening()
        added = changes.apply(self.session)
        self._write(self.session.undo, *before, {"do": "edit", "changes": changes.to_dict(), "added": added, **noted})
        return self._answer(added)

    def undo(self) -> dict[str, Any]:
        before = self._opening()
        self.session.undo()
        self._write(self.session.redo, *before, {"do": "undo"})
        return self._answer([])

    def redo(self) -> dict[str, Any]:
        before = self._opening()
        self.session.redo()
        self._write(self.session.undo, *before, {"do": "redo"})
        return self._answer([])

    def require_revision(self, revision: int | None) -> None:
        if revision is not None and revision != self.revision:
            raise RevisionError(
                f"the document was edited elsewhere (it is at revision {self.revision}, not {revision}): load it again"
            )

    def _answer(self, added: list[str]) -> dict[str, Any]:
        judgement = self.session.change().to_dict()
        self._know(judgement)
        return {**judgement, "added": added, **self.counts()}

    def _write(self, take_back: Callable[[], None], *records: Record) -> None:
        """Put a step on the disk before it is acknowledged. If that fails, the step is taken back."""
        if self._log is None:
            raise UsageError("this workbench is read-only")
        try:
            self._log.write(*records)
        except TemporacleError:
            take_back()
            raise
        self.revision += 1
        self._count()

    # --- saving -----------------------------------------------------------------------------------------------------

    @property
    def base(self) -> Document:
        """Return the document as it was opened or saved last."""
        return replace(self._document, links=tuple(self._saved.values()))

    def new_comments(self) -> dict[str, str]:
        """Return the comments that the file did not have when it was opened for saving."""
        present = self.session.comments
        return {name: text for name, text in present.items() if self._file_comments.get(name) != text}

    def begin_file(self) -> None:
        """Note that the next save begins with the file as it is now: with the comments that were saved before."""
        self._file_comments = dict(self._saved_comments)

    def note_saved(self, digest: str) -> None:
        """Note that the file holds the present links."""
        self.digest = digest
        self.recovered = 0
        self._note_saved()
        if self._log is not None and self._log.records:
            self._log.write({"do": "save", "sha256": digest})

    def moved(self, before: str, after: str) -> None:
        """Note that the file has another digest, because another document in it was saved."""
        if self.digest == before:
            self.digest = after

    def rebase(self, theirs: Document, session: Session, digest: str) -> None:
        """Go on with a session on the file as it is now."""
        base = Session(theirs, budget=self._budget).document
        steps = changes_between(_by_id(base.links), session)
        records: list[Record] = [{"do": "open", "sha256": digest, "links": [_packed(link) for link in base.links]}]
        records += [{"do": "edit", "changes": each.to_dict(), "added": added} for each, added in steps]
        if self._log is None:
            raise UsageError("this workbench is read-only")
        self._log.write(*records)
        self._begin(base)
        self.digest = digest
        for each, _ in steps:
            each.apply(self.session)
        self.revision += 1
        self._count()

    def _count(self) -> None:
        present, comments = _by_id(self.session.document.links), self.session.comments
        self.unsaved = len({*_different(self._saved, present), *_different(self._saved_comments, comments)})

    # --- the journal ------------------------------------------------------------------------------------------------

    def _opening(self) -> list[Record]:
        """Return the record that must stand before the first step."""
        if self._log is None or self._log.records:
            return []
        return [{"do": "open", "sha256": self.digest, "links": [_packed(link) for link in self._saved.values()]}]

    def _recover(self, document: Document, digest: str, log: Log) -> None:
        """Make the steps of an earlier run again, on the links that it began with."""
        records = log.records
        try:
            base = replace(document, links=tuple(map(_unpacked, records[0]["links"])))
            self._begin(base)
            self.digest = records[0]["sha256"]
            for record in records[1:]:
                self._repeat(record)
        except (TemporacleError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"unsaved edits of an earlier run cannot be made again ({error})",
                path=document.path,
                cure="discard them, or open the corpus with the version that wrote them",
            ) from error
        self._count()
        if digest != self.digest and _stated(document) == _stated(self.session.document) and not self.session.comments:
            self.note_saved(digest)  # it was saved, and killed before that was noted
        self.recovered = self.unsaved
        if self._is_spent(digest):
            log.forget()

    def _is_spent(self, digest: str) -> bool:
        """Return whether the journal has nothing to give back for this document."""
        return (
            digest == self.digest and not self.unsaved and not self.session.undo_count and not self.session.redo_count
        )

    def _repeat(self, record: Record) -> None:
        if record["do"] == "edit":
            if changes_from(record["changes"]).apply(self.session) != record["added"]:
                raise ValueError("new links get other ids than before")
        elif record["do"] == "undo":
            self.session.undo()
        elif record["do"] == "redo":
            self.session.redo()
        else:
            self.digest = record["sha256"]
            if record["do"] == "save":
                self._note_saved()


def _by_id(links: Iterable[Link]) -> dict[str, Link]:
    return {link.id: link for link in links}


def _different(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    """Return the keys under which two tables do not have the same."""
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _stated(document: Document) -> Counter[tuple[object, ...]]:
    """Return what a document states, whatever the ids of its links are."""
    return Counter((link.source, link.relation, link.target, link.label) for link in document.links)


def _packed(link: Link) -> list[Any]:
    return [link.id, link.source, str(link.relation), link.target, link.label, link.line, link.weight, link.task]


def _unpacked(row: list[Any]) -> Link:
    name, source, relation, *rest = row
    return Link(name, source, Relation(relation), *rest)
