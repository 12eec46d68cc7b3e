"""Documents of a large table that wait in a temporary file until their turn comes."""

from __future__ import annotations

import pickle
from array import array
from os import SEEK_END
from typing import TYPE_CHECKING, NamedTuple, cast

from temporacle.io.stored_lines import file_for, itself

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.model import Document


class StoredDocuments:
    """Documents in a temporary file: sixteen bytes of memory for each of them."""

    def __init__(self) -> None:
        self._file = file_for(self)
        self._starts, self._sizes = array("q"), array("q")

    def add(self, document: Document) -> StoredDocument:
        """Store a document."""
        data = pickle.dumps(document, pickle.HIGHEST_PROTOCOL)
        self._starts.append(self._file.seek(0, SEEK_END))
        self._sizes.append(len(data))
        self._file.write(data)
        return StoredDocument(self, len(self._starts) - 1)

    def document(self, place: int) -> Document:
        """Return a document as it was."""
        self._file.seek(self._starts[place])
        return cast("Document", pickle.loads(self._file.read(self._sizes[place])))  # noqa: S301 - our own bytes


class StoredDocument(NamedTuple):
    """One of these documents."""

    documents: StoredDocuments
    place: int

    def document(self) -> Document:
        """Return the document as it was."""
        return self.documents.document(self.place)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Pickle the document in its place, because other processes cannot read the temporary file."""
        return itself, (self.document(),)
