"""The state of one workbench: its corpus, the documents that are open, and the journals of unsaved edits."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from temporacle.editing.saving import EXPORTS_WITH_COMMENTS, exports
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.io.files import Confines
from temporacle.io.source import STANDARD_INPUT
from temporacle.runner.copies import Questions
from temporacle.runner.job import WorkerDiedError, number_of_cores
from temporacle.workbench.document import asked_here
from temporacle.workbench.journal import EditJournal, steps_after_save
from temporacle.workbench.reviews import Reviews

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from temporacle.calendar.policy import Calendar
    from temporacle.editing.history import Step
    from temporacle.editing.session import Session
    from temporacle.io.source import Options
    from temporacle.runner.copies import Wanted
    from temporacle.workbench.corpus import Entry, Listing
    from temporacle.workbench.document import OpenDocument, Question
    from temporacle.workbench.journal import Log

T = TypeVar("T")
R = TypeVar("R")
_NO_THREE_WAY = "a comparison has no three-way view: its documents are never read back from the results"
BUDGET = 10.0  # seconds for a question, unless the caller says otherwise


@dataclass(frozen=True, slots=True)
class Setup:
    """The choices of the caller."""

    paths: tuple[str, ...]
    options: Options
    budget: float = BUDGET
    read_only: bool = False
    backup: bool = True  # keep the original of a file beside it when it is first saved
    follow_links: bool = False  # links in the corpus may lead outside of it
    out: str | None = None  # if annotators are compared: the folder for the version that is made
    calendar: Calendar | None = None  # values of times count as links do
    texts: str | None = None  # if annotators are compared: a folder with the texts of their documents


class Workbench:
    """Everything that requests are answered from. There are two kinds: for a corpus, and for two that are compared."""

    corpus: Listing
    desk: Desk
    reviews: Reviews
    is_comparison = False

    def __init__(self, setup: Setup) -> None:
        if STANDARD_INPUT in setup.paths:
            raise UsageError("the workbench cannot work on standard input: give a file or a folder")
        for path in setup.paths:
            if not os.path.exists(path):  # noqa: PTH110 - names as the caller wrote them
                raise UsageError(f"no such file or folder: {path}")
        self.confines = _confines(setup.paths, follow_links=setup.follow_links)
        self.setup = replace(setup, options=replace(setup.options, confines=self.confines))
        self.helpers = Helpers(setup.budget)
        self.desk = Desk(self._seated)
        self.closing = False  # streams end
        self.journals: dict[str, EditJournal] = {}
        self._questions: set[int] = set()  # threads that answer one

    def lock(self, folders: Iterable[str]) -> None:
        """Open the journals of some folders. Raise UsageError if another workbench has one of them."""
        try:
            for folder in () if self.setup.read_only else dict.fromkeys(folders):
                self.journals[folder] = EditJournal(folder, keep=self.is_comparison)
        except BaseException:
            self._close_journals()
            raise

    def review_in(self, folder: str) -> None:
        """Read the reviews that a folder has. Raise InputError if they cannot be read."""
        try:
            self.reviews = Reviews(folder)
        except BaseException:
            self._close_journals()
            raise

    def start(self) -> None:
        self.corpus.start()

    def stop(self) -> None:
        self.closing = True
        self.helpers.close()
        self.corpus.stop()
        self._close_journals()

    def asked(self, question: Callable[[T], R], about: T, wanted: Wanted) -> R:
        """Answer a question, in a thread that is known to be at work. It ends when its answer is no longer wanted."""
        self._questions.add(threading.get_ident())
        self.helpers.wanted.set(wanted)
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

    def _seated(self, name: str) -> OpenDocument:
        found = self.opened(name)
        found.ask = self.helpers.ask
        return found

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

    def compare(self, name: str) -> dict[str, Any]:  # noqa: ARG002 - of documents of a corpus
        """Return the three versions of a document whose file has changed. Only documents of a corpus have them."""
        raise UsageError(_NO_THREE_WAY)

    def merge(self, name: str, body: Mapping[str, Any], revision: int | None) -> None:  # noqa: ARG002
        """Put the edits of a document on top of its file as it is now.

        ``revision``: the state that the caller knows.
        """
        raise UsageError(_NO_THREE_WAY)

    def statistics(self) -> dict[str, Any]:
        """Return figures of all documents that are decided."""
        return self.corpus.statistics()

    # --- the list ---------------------------------------------------------------------------------------------------

    def row(self, entry: Entry) -> dict[str, Any]:
        """Return what the list says about a document, as it is now."""
        opened = self.desk.find(entry.id)
        if opened is not None:
            row = {**entry._replace(**opened.state).to_dict(), "unsaved": opened.unsaved}
        else:
            log = self.log(entry) if self.may_have_records(entry) else None
            row = {**entry.to_dict(), "unsaved": 0 if log is None else steps_after_save(log.records)}
        return {**row, **self.reviews.row(entry.id)}

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
            **self.reviews.row(entry.id),
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


# ----------------------------------------------------------------------------------------------------
# The documents that are open, each with the session that judges its edits.
#
# A document is opened when it is first asked about. Those that have nothing unsaved are closed again, the one that was
# used longest ago first, when all open documents together have more than ``MOST_LINKS`` links. Each document has a
# lock: requests about one document are answered one after the other, about different documents at the same time.

MOST_LINKS = 200_000


class Desk:
    """Open documents by id, the one that was used last at the end."""

    def __init__(self, make: Callable[[str], OpenDocument]) -> None:
        self._make = make
        self._open: OrderedDict[str, OpenDocument] = OrderedDict()
        self._revisions: dict[str, int] = {}  # of closed documents: numbers that were used are not given again
        self._opened_by: dict[str, tuple[threading.Lock, int]] = {}  # a lock, and how many requests want it
        self._lock = threading.Lock()

    @contextmanager
    def using(self, document: str) -> Iterator[OpenDocument]:
        """Provide a document, opened if necessary and not closed meanwhile. Raise KeyError if there is none."""
        with self._opening(document):  # two requests do not open it twice
            found = self._open.get(document) or self._opened(document)
            with self._lock:
                found.users += 1
                self._open[document] = found
                self._open.move_to_end(document)
                self._close_some()
        try:
            yield found
        finally:
            with self._lock:
                found.users -= 1

    def _opened(self, document: str) -> OpenDocument:
        found = self._make(document)
        found.revision = self._revisions.get(document, found.revision)
        return found

    def _note_closed(self, document: str, found: OpenDocument) -> None:
        """Note the next revision, so that a page with an older state of the document cannot edit a new one."""
        if found.revision:
            self._revisions[document] = found.revision + 1

    @contextmanager
    def closed(self, document: str) -> Iterator[OpenDocument | None]:
        """Close a document when no request uses it any more, and keep it closed for a while.

        Provides the document if it was open. It stays open if something is raised.
        """
        with self._opening(document):
            found = self._open.get(document)
            with found.lock if found is not None else nullcontext():
                yield found
                with self._lock:
                    self._open.pop(document, None)
                if found is not None:
                    self._note_closed(document, found)
                    found.is_closed = True  # requests that wait for it open it again

    @contextmanager
    def _opening(self, document: str) -> Iterator[None]:
        """Let one request at a time open or close a document."""
        with self._lock:
            lock, waiting = self._opened_by.get(document, (threading.Lock(), 0))
            self._opened_by[document] = lock, waiting + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, waiting = self._opened_by.pop(document)
                if waiting > 1:
                    self._opened_by[document] = lock, waiting - 1

    def find(self, document: str) -> OpenDocument | None:
        """Return a document if it is open."""
        return self._open.get(document)

    def all(self) -> list[tuple[str, OpenDocument]]:
        """Return all open documents with their ids."""
        with self._lock:
            return list(self._open.items())

    def _close_some(self) -> None:
        links = sum(each.size for each in self._open.values())
        for name, each in list(self._open.items()):
            if links <= MOST_LINKS:
                return
            if each.may_close():
                del self._open[name]
                self._note_closed(name, each)
                links -= each.size


# ----------------------------------------------------------------------------------------------------
# Questions to the reasoner, each in a process that can be ended: by its time, its memory, or because the page is gone.
#
# The sessions here are only edited. A process has a copy of the session that it was asked about last, and is told the
# edits since then. Each answer has a number; a process has the copy that gave the answer of a number, or it has none.

_PROCESSES = 4
_MOST_COPIES = 4  # that a process keeps
_DIED = "the process of this question has ended, perhaps for want of memory"


class Helpers:
    """The processes, and the number of the last answer about each session."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._questions = Questions(max(_PROCESSES, number_of_cores()), ready)
        self._last: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._numbers = count()
        self.wanted: ContextVar[Wanted | None] = ContextVar("wanted", default=None)
        self.start = self._questions.start
        self.close = self._questions.close

    def ask(self, session: Session, question: Question) -> dict[str, Any]:
        """Answer a question about a session that no other thread uses. Raise BudgetExceeded if it is given up."""
        moves, last, number = session.moved(), self._last.get(session), next(self._numbers)
        self._last[session] = number
        try:
            found = None if last is None else self._sent(partial(answered, last, number, moves, question))
            if found is None:
                found = self._sent(partial(answered, session, number, (), question))
        except (MemoryError, WorkerDiedError):
            raise BudgetExceeded(_DIED) from None
        assert found is not None  # noqa: S101 - narrows the type only
        answer, session.shown_repair = found
        return answer

    def _sent(self, call: Callable[[], R]) -> R:
        return self._questions.ask(call, self._seconds, self.wanted.get())


_copies: OrderedDict[int, Session] = OrderedDict()  # in a process for questions: by the number of their last answer


def ready() -> None:
    """Do nothing. A process that can call this has loaded the reasoner."""


def answered(
    about: Session | int, number: int, moves: Iterable[Step | bool], question: Question
) -> tuple[dict[str, Any], frozenset[str]] | None:
    """Answer a question in a process for questions, with the repair that was shown. None: it has no such copy."""
    session = _copies.pop(about, None) if isinstance(about, int) else about
    if session is None:
        return None
    session.follow(moves)
    _copies[number] = session
    while len(_copies) > _MOST_COPIES:
        _copies.popitem(last=False)
    return asked_here(session, question), session.shown_repair


def _confines(paths: Iterable[str], *, follow_links: bool) -> Confines:
    """Return what may be opened: the paths, and what stands beside a file that was given, such as its text."""
    found: list[str] = []
    for path in paths:
        place = os.path.realpath(path)
        is_folder = os.path.isdir(place)  # noqa: PTH112 - names as the caller wrote them
        found += [place] if is_folder else [place, os.path.dirname(os.path.realpath(os.path.abspath(path)))]  # noqa: PTH100, PTH120
    return Confines(tuple(dict.fromkeys(found)), follow_links)
