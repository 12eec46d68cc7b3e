"""The state of one workbench: its corpus, the documents that are open, and the journals of unsaved edits."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from temporacle.checker import digest
from temporacle.errors import InputError, UsageError
from temporacle.io.source import STANDARD_INPUT
from temporacle.tasks.saving import EXPORTS_WITH_COMMENTS, exports
from temporacle.workbench.confines import Confines
from temporacle.workbench.desk import Desk
from temporacle.workbench.journal import Journal, steps_after_save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from temporacle.io.source import Options
    from temporacle.workbench.journal import Log
    from temporacle.workbench.listing import Entry, Listing
    from temporacle.workbench.opened import OpenDocument

T = TypeVar("T")
R = TypeVar("R")
BUDGET = 10.0  # seconds for a question, unless the caller says otherwise


@dataclass(frozen=True, slots=True)
class Setup:
    """The choices of the caller."""

    paths: tuple[str, ...]
    options: Options
    budget: float = BUDGET
    read_only: bool = False
    backup: bool = True  # keep the original of a file beside it when it is first saved
    out: str | None = None  # if two annotators are compared: the folder for the third version


class Workbench:
    """Everything that requests are answered from. There are two kinds: for a corpus, and for two that are compared."""

    corpus: Listing
    desk: Desk
    is_comparison = False

    def __init__(self, setup: Setup) -> None:
        if STANDARD_INPUT in setup.paths:
            raise UsageError("the workbench cannot work on standard input: give a file or a folder")
        for path in setup.paths:
            if not os.path.exists(path):  # noqa: PTH110 - names as the caller wrote them
                raise UsageError(f"no such file or folder: {path}")
        self.setup = setup
        self.confines = Confines(setup.paths)
        self.desk = Desk(self.opened)
        self.closing = False  # streams end
        self.journals: dict[str, Journal] = {}
        self._questions: set[int] = set()  # threads that answer one

    def lock(self, folders: Iterable[str]) -> None:
        """Open the journals of some folders. Raise UsageError if another workbench has one of them."""
        try:
            for folder in () if self.setup.read_only else dict.fromkeys(folders):
                self.journals[folder] = Journal(folder, keep=self.is_comparison)
        except BaseException:
            self._close_journals()
            raise

    def start(self) -> None:
        self.corpus.start()

    def stop(self) -> None:
        self.closing = True
        self.corpus.stop()
        self._close_journals()

    def asked(self, question: Callable[[T], R], about: T) -> R:
        """Answer a question, in a thread that is known to be at work."""
        self._questions.add(threading.get_ident())
        try:
            return question(about)
        finally:
            self._questions.discard(threading.get_ident())

    def is_busy(self) -> bool:
        """Return whether a thread is still at work."""
        return bool(self._questions) or self.corpus.is_busy()

    def _close_journals(self) -> None:
        for journal in self.journals.values():
            journal.close()

    # --- what the two kinds do in their own way ---------------------------------------------------------------------

    def opened(self, name: str) -> OpenDocument:
        """Open a document. Raise KeyError if there is none."""
        raise NotImplementedError

    def log(self, entry: Entry) -> Log | None:
        """Return the document's part of the journal; None if read-only."""
        raise NotImplementedError

    def remarks(self) -> list[str]:
        """Return what people must know when the work begins."""
        return []

    def unsaved(self) -> list[str]:
        """Return what has unsaved edits, for people."""
        raise NotImplementedError

    def save(self, name: str) -> dict[str, Any]:
        """Save a document."""
        raise NotImplementedError

    def compare(self, name: str) -> dict[str, Any]:
        """Return the three versions of a document whose file has changed."""
        raise NotImplementedError

    def merge(self, name: str, body: Mapping[str, Any], revision: int | None) -> None:
        """Put the edits of a document on top of its file as it is now.

        ``revision``: the state that the caller knows.
        """
        raise NotImplementedError

    # --- the list ---------------------------------------------------------------------------------------------------

    def row(self, entry: Entry) -> dict[str, Any]:
        """Return what the list says about a document, as it is now."""
        opened = self.desk.find(entry.id)
        if opened is not None:
            return {**entry._replace(**opened.state).to_dict(), "unsaved": opened.unsaved}
        log = self.log(entry) if self.may_have_records(entry) else None
        return {**entry.to_dict(), "unsaved": 0 if log is None else steps_after_save(log.records)}

    def may_have_records(self, _entry: Entry) -> bool:
        """Return False if the journal is surely not about a document. A quick answer."""
        return True

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
        return {
            "id": entry.id,
            "path": entry.path,
            "read_only": self.setup.read_only,
            "exports": list(exports()),
            "exports_comments": list(EXPORTS_WITH_COMMENTS),
        }

    @contextmanager
    def document(self, name: str) -> Iterator[OpenDocument]:
        """Provide an open document to one request at a time. Raise KeyError if there is no such document."""
        while True:
            with self.desk.using(name) as found, found.lock:
                if not found.is_closed:
                    try:
                        yield found
                    finally:
                        self.corpus.note(name, found.state)
                    return

    def forget(self, name: str, revision: int | None) -> None:
        """Drop the unsaved edits of a document. It is read again when it is next asked for.

        ``revision``: the state that the caller knows. A document that cannot be opened has none.
        """
        with self.desk.closed(name) as found:
            if found is not None:
                found.require_revision(revision)
            log = self.log(self.corpus.entry(name))
            if log is None:
                raise UsageError("this workbench is read-only: there is nothing to discard")
            log.forget()


def file_digest(path: str) -> str:
    """Return the digest of a file, or of the files in a folder. Raise InputError if they cannot be read.

    Hidden files in a folder do not count: the journal may be one of them.
    """
    try:
        if not os.path.isdir(path):  # noqa: PTH112
            return digest(path)
        files = sorted((each.name, digest(each.path)) for each in os.scandir(path) if _is_part(each))
        return sha256(repr(files).encode("utf-8", "surrogatepass")).hexdigest()
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror or error}", path=path) from error


def _is_part(entry: os.DirEntry[str]) -> bool:
    return entry.is_file() and not entry.name.startswith(".")
