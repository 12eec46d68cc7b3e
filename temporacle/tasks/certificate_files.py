"""Files of certificates: one for each document, bound to the document's file by its digest."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError, UsageError
from temporacle.io.files import a_moment, changed_since
from temporacle.tasks.provenance import provenance_of, write_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from temporacle.model import HowRead, Remark

CHANGED = "the file changed while it was being checked: no certificate was written; check it again"


class FileNames:
    """File names for documents, different even where ids are not."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def next(self, document: str) -> str:
        from temporacle.io.files import safe_name

        stem = safe_name(document)
        self._taken[stem.casefold()] += 1
        number = self._taken[stem.casefold()]
        return stem if number == 1 else f"{stem}~{number}"


class DocumentFiles:
    """What certificates record about the files that documents were read from.

    The digest is taken after the file was read. A file that has changed since this run began has no record: a
    certificate might be bound to what the file says now, while it is about what the file said before.
    """

    def __init__(self) -> None:
        self._began = a_moment()
        self._digests: dict[str | None, str | None] = {}  # by path: a file may hold many documents

    def record(
        self, document: str, path: str | None, how_read: HowRead | None, dropped: Sequence[Remark]
    ) -> dict[str, Any] | None:
        """Return the record of a document; None if its file has changed."""
        about = provenance_of(document, path, how_read, dropped, self._digests.get(path))
        self._digests[path] = about["sha256"]
        changed = about["sha256"] is not None and changed_since(path or "", self._began)
        return None if changed else about


class CertificateFiles:
    """A folder with one certificate for each document, or one file for the only document."""

    def __init__(
        self,
        folder: str | PathLike[str] | None = None,
        *,
        file: str | PathLike[str] | None = None,
        reserved: Sequence[str] = (),
    ) -> None:
        """``reserved``: names of files in the folder that documents do not get."""
        if folder is not None and file is not None:
            raise UsageError("certificate names a file for one document, certificates a folder: give one of them")
        self._folder = None if folder is None else Path(folder)
        self._file = None if file is None else Path(file)
        self._written: str | None = None  # the document whose certificate is in the file
        self._names = FileNames()
        for name in reserved:
            self._names.next(name)

    def write_reserved(self, name: str, certificate: Mapping[str, Any]) -> Path:
        """Write a certificate under a reserved name."""
        if self._folder is None:
            raise InternalError("a reserved name without a folder")
        path = self._folder / f"{name}.json"
        write_form(path, certificate, ())
        return path

    def write(self, document: str, certificate: Mapping[str, Any], *, read: Sequence[str | None] = ()) -> Path:
        """Write a certificate, and return its path. ``read``: files that it must not take the place of."""
        if self._folder is not None:
            path = self._folder / f"{self._names.next(document)}.json"
        elif self._file is None or self._written is not None:
            if self._file is not None:
                self._file.unlink(missing_ok=True)  # it would look like the proof of all documents
            raise UsageError(
                f"there are several documents ({self._written}, {document}, ...): write their certificates into a "
                'folder, certificates="DIR"'
            )
        else:
            path, self._written = self._file, document
        write_form(path, certificate, read)
        return path
