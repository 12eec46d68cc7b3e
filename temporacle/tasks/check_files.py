"""The certificates that ``check`` writes, one for each document."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.checks import FILE_CHANGED
from temporacle.model import Action, Remark
from temporacle.tasks.provenance import a_moment, changed_since, provenance_of, write_certificate

if TYPE_CHECKING:
    from temporacle.checks import Check
    from temporacle.model import HowRead

_CHANGED = "the file changed while it was being checked: no certificate was written; check it again"


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


class Certificates:
    """A folder with one certificate for each document, and one for its repair (``NAME.repair.json``), bound by digest.

    The digest is taken after the file was read. A file that has changed since this run began gets no certificate: it
    might be bound to what the file says now, while it is about what the file said before.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._names = FileNames()
        self._began = a_moment()
        self._digests: dict[str | None, str | None] = {}  # by path: a file may hold many documents

    def write(self, check: Check, how_read: HowRead | None) -> Check:
        """Return the check with the path of its certificate."""
        if check.certificate is None:
            return check
        dropped = [remark for remark in check.remarks if remark.action is Action.DROPPED]
        about = provenance_of(check.document, check.path, how_read, dropped, self._digests.get(check.path))
        self._digests[check.path] = about["sha256"]
        if about["sha256"] is not None and changed_since(check.path or "", self._began):
            remark = Remark(FILE_CHANGED, _CHANGED)
            return replace(check, certificate=None, repair_certificate=None, remarks=(*check.remarks, remark))
        stem = self._names.next(check.document)
        path = self._folder / f"{stem}.json"
        write_certificate(path, check.certificate, about)
        if check.repair_certificate is None:
            return replace(check, certificate_path=str(path))
        proof = self._folder / f"{self._names.next(f'{check.document}.repair')}.json"  # a document may be called so
        write_certificate(proof, check.repair_certificate, about)
        return replace(check, certificate_path=str(path), repair_certificate_path=str(proof))
