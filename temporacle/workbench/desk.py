"""The documents that are open, each with the session that judges its edits.

A document is opened when it is first asked about. Those that have nothing unsaved are closed again, the one that was
used longest ago first, when all open documents together have more than ``MOST_LINKS`` links. Each document has a lock:
requests about one document are answered one after the other, about different documents at the same time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.workbench.opened import OpenDocument

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
