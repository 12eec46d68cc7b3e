"""What a certificate says about its file, folders of certificates, and those that ``check`` writes."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.checks import FILE_CHANGED
from temporacle.errors import InternalError, UsageError, spelled
from temporacle.io.files import a_moment, atomic, changed_since, safe_name
from temporacle.io.source import STANDARD_INPUT
from temporacle.model import Action, Remark
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from temporacle.checks import Check
    from temporacle.model import Document, HowRead
    from temporacle.results import Certificate

LARGE = 32 << 20  # characters of a certificate; a clausal proof in a larger one gets a file of its own
_NOT_RECORDED = ("keep-unknown", "doctimerel", "mapping-", "columns-", "labels-")
_ENCODING = "encoding-"


def require_recordable(choices: tuple[str, ...]) -> None:
    """Refuse options that a certificate has no place for: the file could not be read again in the same way."""
    if any(choice.startswith(_NOT_RECORDED) for choice in choices):
        refused = ", ".join(map(spelled, ("keep_unknown", "doctimerel", "mapping", "columns")))
        raise UsageError(
            f"a certificate does not record {refused}, or labels of a project file; "
            "convert the documents with these options first and certify the result"
        )


def provenance(document: Document, known_digest: str | None = None) -> dict[str, Any]:
    """Return the file's path and digest, how it was read, and the links that were dropped, if there are any."""
    return provenance_of(document.id, document.path, document.how_read, document.dropped, known_digest)


def provenance_of(
    name: str,
    path: str | None,
    how_read: HowRead | None,
    dropped: Sequence[Remark] = (),
    known_digest: str | None = None,
) -> dict[str, Any]:
    """Return the provenance of a document that is not in memory."""
    from temporacle.checker import digest

    reading = load_reading("links") if how_read is None else how_read.reading
    choices = () if how_read is None else how_read.choices
    require_recordable(choices)
    sha256 = known_digest
    if sha256 is None and path is not None and path != STANDARD_INPUT:
        try:
            sha256 = digest(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be read again: {error.strerror or error}") from error
    about: dict[str, Any] = {
        "id": name,
        "path": None if path == STANDARD_INPUT else path,
        "sha256": sha256,
        "format": None if how_read is None else how_read.format,
        "reading": reading.origin or reading.name,
        "during": reading.during,
        "encoding": next((choice.removeprefix(_ENCODING) for choice in choices if choice.startswith(_ENCODING)), None),
    }
    if dropped:
        about["dropped"] = dropped_links(dropped)
    return about


def dropped_links(dropped: Sequence[Remark]) -> list[dict[str, Any]]:
    """Return the places of the links that could not be read, each with the code of the reason."""
    return [{"code": remark.code, "line": remark.line, "element": remark.element} for remark in dropped]


def write_certificate(path: str | PathLike[str], certificate: Certificate, about: dict[str, Any]) -> None:
    """Write one certificate to its own file."""
    from temporacle.reasoner.proofs.certificate import to_json

    write_form(path, to_json(certificate, about), [about.get("path")])


def write_form(path: str | PathLike[str], form: Mapping[str, Any], read: Sequence[str | None]) -> None:
    """Write a certificate in its documented form, not over a file that it was made from.

    Characters beyond ASCII are escaped, so that any name can be written.
    """
    from temporacle.io.listing import refuse_to_replace

    for each in read:
        if each is not None and os.path.isfile(each):  # noqa: PTH113 - d.json in its own folder, certified as d.json
            refuse_to_replace(path, [each])
    text = json.dumps(form, allow_nan=False)  # json.dump writes every number by itself
    proof = form.get("proof")
    if len(text) > LARGE and isinstance(proof, dict) and "hints" in proof:
        text = json.dumps({**form, "proof": _write_proof(path, proof)}, allow_nan=False)
    with atomic(path) as file:
        file.write(text + "\n")


def _write_proof(path: str | PathLike[str], proof: Mapping[str, Any]) -> dict[str, str]:
    """Write a long proof to a file beside its certificate. Return what the certificate says instead."""
    from hashlib import sha256

    from temporacle.reasoner.proofs.clausal import proof_lines

    place = Path(path)
    beside = place.with_name(f"{place.stem.lstrip('.') or 'certificate'}.proof.jsonl")
    digest = sha256()
    with atomic(beside) as file:
        for line in proof_lines(proof):
            digest.update(line.encode())
            file.write(line)
    return {"file": beside.name, "sha256": digest.hexdigest()}


CHANGED = "the file changed while it was being checked: no certificate was written; check it again"


class FileNames:
    """File names for documents, different even where ids are not."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def next(self, document: str) -> str:
        """Return the next free file name for a document."""
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
                f"folder, {spelled('certificates', 'DIR')}"
            )
        else:
            path, self._written = self._file, document
        write_form(path, certificate, read)
        return path


class Certificates:
    """A folder with one certificate for each checked document, and one for its repair (``NAME.repair.json``)."""

    def __init__(self, folder: str) -> None:
        self._files = CertificateFiles(folder)
        self._documents = DocumentFiles()

    def write(self, check: Check, how_read: HowRead | None) -> Check:
        """Return the check with the path of its certificate."""
        if check.certificate is None:
            return check
        dropped = [remark for remark in check.remarks if remark.action is Action.DROPPED]
        about = self._documents.record(check.document, check.path, how_read, dropped)
        if about is None:
            return replace(
                check,
                certificate=None,
                repair_certificate=None,
                remarks=(*check.remarks, Remark(FILE_CHANGED, CHANGED)),
            )
        from temporacle.reasoner.proofs.certificate import to_json

        path = self._files.write(check.document, to_json(check.certificate, about), read=[check.path])
        if check.repair_certificate is None:
            return replace(check, certificate_path=str(path))
        form = to_json(check.repair_certificate, about)
        proof = self._files.write(f"{check.document}.repair", form, read=[check.path])
        return replace(check, certificate_path=str(path), repair_certificate_path=str(proof))
