"""The documents that are open, each with the session that judges its edits.

A document is opened when it is first asked about. Those that have nothing unsaved are closed again, the one that was
used longest ago first, when all open documents together have more than ``MOST_LINKS`` links. Each document has a lock:
requests about one document are answered one after the other, about different documents at the same time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from temporacle.workbench.opened import OpenDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_LINKS = 200_000


class Desk:
    """Open documents by id, the one that was used last at the end."""

    def __init__(self, make: Callable[[str], OpenDocument]) -> None:
        self._make = make
        self._open: OrderedDict[str, OpenDocument] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, document: str) -> OpenDocument:
        """Return a document, which is opened if necessary. Raise KeyError if there is no such document."""
        with self._lock:
            if document in self._open:
                self._open.move_to_end(document)
                return self._open[document]
            opening = self._opening.setdefault(document, threading.Lock())
        try:
            with opening:  # two requests do not open it twice
                if document not in self._open:
                    made = self._make(document)
                    with self._lock:
                        self._open[document] = made
                        self._close_some(made)
                return self._open[document]
        finally:
            with self._lock:
                self._opening.pop(document, None)

    def find(self, document: str) -> OpenDocument | None:
        """Return a document if it is open."""
        return self._open.get(document)

    def all(self) -> Iterator[OpenDocument]:
        with self._lock:
            return iter(list(self._open.values()))

    def _close_some(self, needed: OpenDocument) -> None:
        links = sum(each.size for each in self._open.values())
        for name, each in list(self._open.items()):
            if links <= MOST_LINKS:
                return
            if each is not needed and each.may_close():
                del self._open[name]
                links -= each.size
