"""The state of one workbench: its corpus, the documents that are open, and the journals of unsaved edits."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporacle.checker import digest
from temporacle.errors import InputError, UsageError
from temporacle.io.source import STANDARD_INPUT
from temporacle.tasks.saving import exports
from temporacle.workbench.confines import Confines
from temporacle.workbench.corpus import Corpus
from temporacle.workbench.desk import Desk
from temporacle.workbench.journal import Journal, steps_after_save
from temporacle.workbench.opened import OpenDocument
from temporacle.workbench.saving import Saving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Options
    from temporacle.model import Document
    from temporacle.workbench.corpus import Entry
    from temporacle.workbench.journal import Log

BUDGET = 10.0  # seconds for a question, unless the caller says otherwise
_TRIALS = 5  # of reading a file that changes at the same time


@dataclass(frozen=True, slots=True)
class Setup:
    """The choices of the caller."""

    paths: tuple[str, ...]
    options: Options
    budget: float = BUDGET
    read_only: bool = False
    backup: bool = True  # keep the original of a file beside it when it is first saved


class Workbench:
    """Everything that requests are answered from."""

    def __init__(self, setup: Setup) -> None:
        if STANDARD_INPUT in setup.paths:
            raise UsageError("the workbench cannot work on standard input: give a file or a folder")
        for path in setup.paths:
            if not os.path.exists(path):  # noqa: PTH110 - names as the caller wrote them
                raise UsageError(f"no such file or folder: {path}")
        self.setup = setup
        self.closing = False  # streams end
        self.desk = Desk(self._opened)
        self.saving = Saving(self)
        self.confines = Confines(setup.paths)
        self.corpus = Corpus(setup.paths, setup.options, self.confines, setup.budget)
        self._journals: dict[str, Journal] = {}
        if not setup.read_only:
            try:
                for folder in dict.fromkeys(map(_folder, setup.paths)):
                    self._journals[folder] = Journal(folder)
            except BaseException:
                self._close_journals()
                raise

    def start(self) -> None:
        self.corpus.start()

    def stop(self) -> None:
        self.closing = True
        self.corpus.stop()
        self._close_journals()

    def unsaved(self) -> list[str]:
        """Return the files with unsaved edits."""
        return [
            os.path.join(folder, path)  # noqa: PTH118 - names as the caller wrote them
            for folder, journal in self._journals.items()
            for path, _ in journal.unsaved()
        ]

    def _close_journals(self) -> None:
        for journal in self._journals.values():
            journal.close()

    # --- the list ---------------------------------------------------------------------------------------------------

    def row(self, entry: Entry) -> dict[str, Any]:
        """Return what the list says about a document, as it is now."""
        row = entry.to_dict()
        opened = self.desk.find(entry.id)
        if opened is not None:
            return {**row, **opened.row}
        log = self._log(entry) if self._may_have_records(entry) else None
        return row if log is None else {**row, "unsaved": steps_after_save(log.records)}

    def _may_have_records(self, entry: Entry) -> bool:
        """Return False for most documents, without asking the system where their files are."""
        name = os.path.basename(entry.path)  # noqa: PTH119 - asked of every document of a corpus
        return any(name in journal.names() for journal in self._journals.values())

    def listed(self) -> Iterator[dict[str, Any]]:
        """Yield all documents, those that were not decided yet at the end."""
        decided = self.corpus.decided
        for number in range(len(decided)):
            yield self.row(self.corpus[decided[number]])
        yield from map(self.row, self.corpus.pending())

    # --- one document -----------------------------------------------------------------------------------------------

    def about(self, name: str) -> dict[str, Any]:
        """Return what is known of a document without opening it."""
        entry = self.corpus.entry(name)
        return {"id": entry.id, "path": entry.path, "read_only": self.setup.read_only, "exports": list(exports())}

    @contextmanager
    def document(self, name: str) -> Iterator[OpenDocument]:
        """Provide an open document to one request at a time. Raise KeyError if there is no such document."""
        while True:
            with self.desk.using(name) as found, found.lock:
                if not found.is_closed:
                    yield found
                    return

    def opened_from(self, path: str) -> list[OpenDocument]:
        """Return the open documents of a file."""
        return [each for name, each in self.desk.all() if self.corpus.entry(name).path == path]

    def moved(self, path: str, before: str, after: str) -> None:
        """Note in the journal that a file has another digest because of a save of ours."""
        place = os.path.realpath(path)
        for folder, journal in self._journals.items():
            journal.moved(os.path.relpath(place, folder), before, after)

    def forget(self, name: str) -> None:
        """Drop the unsaved edits of a document. It is read again when it is next asked for."""
        with self.desk.closed(name):
            log = self._log(self.corpus.entry(name))
            if log is None:
                raise UsageError("this workbench is read-only: there is nothing to discard")
            log.forget()

    def _opened(self, name: str) -> OpenDocument:
        entry = self.corpus.entry(name)
        document, sha256 = self.read(entry)
        return OpenDocument(document, sha256, self._log(entry), self.setup.budget)

    def read(self, entry: Entry) -> tuple[Document, str]:
        """Return a document and the digest of the file that it was read from."""
        for _ in range(_TRIALS):
            before = _digest(entry.path)
            document = self.corpus.read(entry)
            if _digest(entry.path) == before:
                return document, before
        raise InputError("changes all the time", path=entry.path, cure="try again when nothing else writes it")

    def _log(self, entry: Entry) -> Log | None:
        """Return the document's part of the journal of the innermost folder that was given; None if read-only."""
        place = os.path.realpath(entry.path)
        holding = [folder for folder in self._journals if place == folder or place.startswith(os.path.join(folder, ""))]  # noqa: PTH118
        return self._journals[max(holding, key=len)].log(place, entry.name) if holding else None


def _folder(path: str) -> str:
    """Return the folder whose journal is about a path that was given."""
    if os.path.isdir(path):  # noqa: PTH112 - names as the caller wrote them
        return os.path.realpath(path)
    return os.path.dirname(os.path.realpath(path))  # noqa: PTH120


def _digest(path: str) -> str:
    try:
        return digest(path)
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror or error}", path=path) from error
