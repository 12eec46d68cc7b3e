"""A certificate's record of its file: path, digest, how the file was read, and which links were dropped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from temporacle.model import Document, HowRead, Remark
    from temporacle.results import Certificate

LARGE = 32 << 20  # characters of a certificate; a clausal proof in a larger one gets a file of its own
_NOT_RECORDED = ("keep-unknown", "doctimerel", "mapping-", "columns-", "labels-")
_ENCODING = "encoding-"


def require_recordable(choices: tuple[str, ...]) -> None:
    """Refuse options that a certificate has no place for: the file could not be read again in the same way."""
    if any(choice.startswith(_NOT_RECORDED) for choice in choices):
        raise UsageError(
            "a certificate does not record keep_unknown, doctimerel, mapping, columns or labels of a project file; "
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
    from temporacle.io.source import STANDARD_INPUT
    from temporacle.readings import load_reading

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
    from temporacle.io.files import atomic
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

    from temporacle.io.files import atomic
    from temporacle.reasoner.proofs.clausal import proof_lines

    place = Path(path)
    beside = place.with_name(f"{place.stem.lstrip('.') or 'certificate'}.proof.jsonl")
    digest = sha256()
    with atomic(beside) as file:
        for line in proof_lines(proof):
            digest.update(line.encode())
            file.write(line)
    return {"file": beside.name, "sha256": digest.hexdigest()}
