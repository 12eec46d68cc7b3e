"""What a certificate says about the file it was made from, and whether a file still says what the certificate says."""

from __future__ import annotations

import json
import os
from time import sleep, time_ns
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.model import Document

if TYPE_CHECKING:
    from os import PathLike

    from temporacle.io.source import Options
    from temporacle.results import Certificate

_CLOCK_TICK = 10_000_000  # nanoseconds: file systems note times as of the last tick of a slow clock


def a_moment() -> int:
    """A time such that files changed before this call are older, and files changed after it are not."""
    sleep(2 * _CLOCK_TICK / 1e9)
    return time_ns() - _CLOCK_TICK


def require_recordable(options: Options) -> None:
    """Refuse options that a certificate has no place for: nobody could read the file again in the same way."""
    if options.keep_unknown or options.doctimerel:
        raise UsageError(
            "a certificate does not record --keep-unknown or --doctimerel: "
            "convert the documents with these options first, and certify the result"
        )


def provenance(document: Document, options: Options) -> dict[str, str | None]:
    """The file's path and digest, and all options that decide how it is read."""
    return provenance_of(document.id, document.path, read_as(document), options)


def provenance_of(
    name: str,
    path: str | None,
    read_as: tuple[str | None, str],
    options: Options,
    known_digest: str | None = None,
) -> dict[str, str | None]:
    """The same about a document that is not at hand.

    ``read_as`` is the document's format and reading.
    """
    from temporacle.io.source import STANDARD_INPUT
    from temporacle.verify import digest

    sha256 = known_digest
    if sha256 is None and path is not None and path != STANDARD_INPUT:
        try:
            sha256 = digest(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be read again: {error.strerror or error}") from error
    return {
        "id": name,
        "path": path,
        "sha256": sha256,
        "format": read_as[0],
        "reading": read_as[1],
        "during": options.during,
        "encoding": options.encoding,
    }


def read_as(document: Document) -> tuple[str | None, str]:
    """The format and the reading of a document, as a certificate records them."""
    return document.format, document.reading.origin or document.reading.name


def changed_since(path: str, moment: int) -> bool:
    """Whether a file, or a file in a folder, was changed at or after ``a_moment``, or has gone."""
    files = [path]
    if os.path.isdir(path):  # noqa: PTH112 - names as the caller wrote them
        files += [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]  # noqa: PTH118
    try:
        times = [os.stat(file) for file in files]  # noqa: PTH116
    except OSError:
        return True
    return any(max(each.st_mtime_ns, each.st_ctime_ns) >= moment for each in times)


def write_certificate(path: str | PathLike[str], certificate: Certificate, about: dict[str, str | None]) -> None:
    """One certificate in its own file. Characters beyond ASCII are escaped, so that any name can be written."""
    from temporacle.io.files import atomic
    from temporacle.reasoner.certificates import to_json

    with atomic(path) as file:
        json.dump(to_json(certificate, about), file, allow_nan=False)
        file.write("\n")


def difference(certificate: dict[str, Any], path: str) -> str | None:
    """Why the links of a certificate are not those of the file, read anew in the recorded way; None if they are."""
    from temporacle.errors import TemporacleError
    from temporacle.io import read_corpus
    from temporacle.io.source import Options

    about = certificate["document"]
    options = Options(
        format=about["format"],
        reading=about["reading"],
        during=about["during"] or "simultaneous",
        encoding=about["encoding"],
    )
    try:
        found = [
            document
            for document in read_corpus([path], options)
            if isinstance(document, Document) and document.id == about["id"]
        ]
    except TemporacleError as error:
        return f"{path} cannot be read in the recorded way: {error}"
    if not found:
        return f"{path} holds no readable document {about['id']!r}"
    if not any([link.to_dict() for link in document.links] == certificate["links"] for document in found):
        return f"the links are not those of document {about['id']!r} in {path}"
    return None
