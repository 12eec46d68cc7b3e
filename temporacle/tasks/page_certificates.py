"""Certificates on pages: files that the reader's browser checks by itself.

    report --certificates DIR     certificates beside the documents they belong to
    verify --page FILE            certificates alone

A page holds certificates up to a limit of bytes in all, in the order of their names. Others can be dropped onto it.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from temporacle.checker import digest
from temporacle.errors import UsageError
from temporacle.io.files import atomic
from temporacle.report.document import values
from temporacle.report.html import CertificateRow, PageCertificates, certificates_page
from temporacle.tasks.verify import certificate_files, content_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.corpus.inputs import PathName
    from temporacle.report.document.values import DocumentRow


def certificates_for_page(paths: Sequence[PathName], documents: Sequence[DocumentRow] = ()) -> PageCertificates:
    """Return the certificates in files and folders. ``documents``: those on the page, which they may belong to."""
    rows, too_large, unreadable = [], [], []
    by_id: dict[str, list[DocumentRow]] = {}
    for document in documents:
        by_id.setdefault(document.id, []).append(document)
    digests: dict[str, str | None] = {}
    left = values.CERTIFICATE_BYTES
    for path in (os.fspath(each) for each in paths):
        for file in certificate_files(path):
            name = os.path.relpath(file, path) if os.path.isdir(path) else os.path.basename(path)  # noqa: PTH112, PTH119
            text = _text(file)
            if text is None:
                unreadable.append(name)
            elif (size := len(text.encode())) > left:
                too_large.append(name)
            else:
                left -= size
                about = _about(text)
                rows.append(CertificateRow(name, text, about.get("id", ""), _key(about, by_id, digests)))
    return PageCertificates(tuple(rows), tuple(too_large), tuple(unreadable))


def refuse_unusable(paths: Sequence[PathName], target: PathName) -> None:
    """Raise UsageError if there is nothing at a path, or if the page would replace a certificate."""
    for path in (os.fspath(each) for each in paths):
        if not os.path.exists(path):  # noqa: PTH110 - as the caller wrote it
            raise UsageError(f"{path} does not exist: give a certificate, or a folder of certificates")
        if os.path.realpath(target) in {os.path.realpath(file) for file in certificate_files(path)}:
            raise UsageError(f"{os.fspath(target)} is one of the certificates: choose another name for the page")


def write_certificates_page(paths: Sequence[PathName], target: PathName) -> PageCertificates:
    """Write a page with certificates that the browser checks; more can be dropped onto it."""
    refuse_unusable(paths, target)
    found = certificates_for_page(paths)
    with atomic(target) as file:
        file.write(certificates_page(found))
    return found


def _text(path: str) -> str | None:
    try:
        return content_of(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _about(text: str) -> dict[str, str]:
    """Return id and digest of the document of a certificate, as far as they are there."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    about = found.get("document") if isinstance(found, dict) else None
    return {key: value for key, value in about.items() if isinstance(value, str)} if isinstance(about, dict) else {}


def _key(about: dict[str, str], by_id: dict[str, list[DocumentRow]], digests: dict[str, str | None]) -> str | None:
    """Return the key of the document with this id and digest."""
    for document in by_id.get(about.get("id", ""), ()):
        if document.path not in digests:
            try:
                digests[document.path] = digest(document.path)
            except OSError:
                digests[document.path] = None
        if digests[document.path] == about.get("sha256"):
            return document.key
    return None
