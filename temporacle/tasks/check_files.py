"""The files that ``check`` writes: a certificate for each document, and the documents that were repaired."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from temporacle.checks import FILE_CHANGED
from temporacle.model import Action, Remark
from temporacle.results import Repair
from temporacle.tasks.provenance import a_moment, changed_since, provenance_of, write_certificate

if TYPE_CHECKING:
    from temporacle.checks import Check
    from temporacle.model import Document, HowRead

_CHANGED = "the file changed while it was being checked: no certificate was written; check it again"


class Mended(NamedTuple):
    """A repaired document, written in its own format where that can be written, else as JSON Lines."""

    text: str
    suffix: str
    remarks: tuple[Remark, ...] = ()  # on what the format cannot say


def mended(document: Document, check: Check) -> Mended | None:
    """The document without the links that its repair drops; None if it has no repair."""
    from temporacle.io.writers import WRITERS

    if not isinstance(check.repair, Repair):
        return None
    gone = set(map(id, check.repair.dropped))
    kept = replace(document, links=tuple(link for link in document.links if id(link) not in gone))
    writer = WRITERS.get(document.format or "", WRITERS["jsonl"])
    remarks: list[Remark] = []
    text = writer.header + writer.text(kept, remarks.append)
    return Mended(text, writer.suffixes[0], tuple(remarks))


class _Names:
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
    """A folder with one certificate for each document, bound to the document's file by digest.

    The digest is taken after the file was read. A file that has changed since this run began gets no certificate: it
    might be bound to what the file says now, while it is about what the file said before.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._names = _Names()
        self._began = a_moment()
        self._digests: dict[str | None, str | None] = {}  # by path: a file may hold many documents

    def write(self, check: Check, how_read: HowRead | None) -> Check:
        """The check with the path of its certificate."""
        if check.certificate is None:
            return check
        dropped = [remark for remark in check.remarks if remark.action is Action.DROPPED]
        about = provenance_of(check.document, check.path, how_read, dropped, self._digests.get(check.path))
        self._digests[check.path] = about["sha256"]
        if about["sha256"] is not None and changed_since(check.path or "", self._began):
            remark = Remark(FILE_CHANGED, _CHANGED)
            return replace(check, certificate=None, remarks=(*check.remarks, remark))
        path = self._folder / f"{self._names.next(check.document)}.json"
        write_certificate(path, check.certificate, about)
        return replace(check, certificate_path=str(path))


class Repaired:
    """A folder with the documents that were repaired."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._names = _Names()

    def write(self, document: str, text: Mended) -> None:
        from temporacle.io.files import atomic

        with atomic(self._folder / (self._names.next(document) + text.suffix)) as file:
            file.write(text.text)
