"""The list of documents: an entry for each, as soon as something is known about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PENDING = "pending"  # the verdict on a document that was not checked yet
_UNADDRESSABLE = {"", ".", ".."}  # a browser takes these out of an address


def is_addressable(document: str) -> bool:
    """Return whether an id can stand in an address."""
    return document not in _UNADDRESSABLE


class Entry(NamedTuple):
    """What the list of documents says about one."""

    id: str  # in addresses: the document's own, unless another document has it
    name: str  # the document's own id
    path: str
    verdict: str
    links: int = 0
    entities: int = 0
    conflicts: int = 0
    error: str | None = None
    differences: int | None = None  # between two annotators, if two are compared
    taken: int | None = None  # differences that are decided

    def to_dict(self) -> dict[str, Any]:
        compared = {} if self.differences is None else {"differences": self.differences, "taken": self.taken}
        return {
            "id": self.id,
            "verdict": self.verdict,
            "links": self.links,
            "entities": self.entities,
            "path": self.path,
            "conflicts": self.conflicts,
            "unsaved": 0,
            "error": self.error,
            **compared,
        }


class Listing:
    """Documents that are decided one after the other by a thread, while others ask about them."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._order: list[str] = []
        self._repeated: dict[str, int] = {}  # names of several documents: the last number that one of them got
        self.done = False  # all documents are decided

    def start(self) -> None:
        """Begin to decide about documents."""
        raise NotImplementedError

    def stop(self) -> None:
        """End that, whatever is being done."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Look for documents that are new, if that is possible. They are decided like the others."""

    def is_busy(self) -> bool:
        """Return whether a thread of this process is still at work after the end."""
        return False

    def pending(self) -> Iterable[Entry]:
        """Return the documents that are not decided yet, as far as they are known."""
        raise NotImplementedError

    def knows(self, document: str) -> bool:
        """Return whether there is such a document, as far as is known now."""
        raise NotImplementedError

    def entry(self, document: str) -> Entry:
        """Return an entry, also one of a document that was not decided yet. Raise KeyError if there is none."""
        raise NotImplementedError

    @property
    def decided(self) -> list[str]:
        """Return the ids of documents in the order in which they were decided. The list grows."""
        return self._order

    def __getitem__(self, document: str) -> Entry:
        """Return the entry of a document that is decided."""
        return self._entries[document]

    def note(self, document: str, state: Mapping[str, Any]) -> None:
        """Note what is known now about a document that was opened."""
        if document in self._entries:
            self._entries[document] = self._entries[document]._replace(**state)

    def _add(self, entry: Entry) -> None:
        number = self._repeated.get(entry.name, 1)
        while entry.id in self._entries or not is_addressable(entry.id):
            number += 1
            entry = entry._replace(id=f"{entry.name}~{number}")
            self._repeated[entry.name] = number
        self._entries[entry.id] = entry
        self._order.append(entry.id)
