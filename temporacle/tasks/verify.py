"""Certificates checked again, alone or against the files they were made from: ``tp.verify``, ``temporacle verify``.

The claim is judged by ``temporacle.checker``, which shares no code with the reasoner. ``tasks.binding`` compares a
certificate with its file. What stands here goes through folders of certificates.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, overload

from temporacle.checker import Rejected, trusted
from temporacle.checker import verify as check_claim
from temporacle.errors import UsageError
from temporacle.frames import html_table, to_frame
from temporacle.tasks.binding import CertifiedFiles
from temporacle.tasks.oracle import DocumentCertificate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.tasks.inputs import Path as PathName

LARGEST = 256 << 20  # bytes of a certificate
COLUMNS = (
    "certificate", "valid", "claim", "document", "reason", "format", "reading", "links", "dropped", "sha256",
)  # fmt: skip

_SAID = {  # claims in words; the others are adjectives
    "closure": "the closure of {document} is right and complete",
    "decode": "the labels of {document} are optimal",
    "repair": "the repair of {document} is optimal",
}

Certificates: TypeAlias = "PathName | DocumentCertificate | Mapping[str, Any] | Iterable[PathName]"
"""A file or a folder of them, several of these, or a certificate that has not been written."""


@dataclass(frozen=True, slots=True, repr=False)
class CertificateCheck:
    """The verdict on one certificate, or on a document that has none.

    ``valid``: None if the certificate, or the document, could not be opened.
    """

    certificate: str | None  # its file; None: the document has no certificate
    valid: bool | None
    claim: str | None = None
    document: str | None = None
    reason: str | None = None  # why it is not valid
    format: str | None = None  # the rest: what the certificate says about its document
    reading: str | None = None
    links: int | None = None
    dropped: int | None = None  # links of the file that could not be read, and that the certificate lists as such
    sha256: str | None = None
    calendar: str | None = None  # the policy, if the certificate rests on values of time expressions
    trusted: tuple[str, ...] = ()  # facts of these whose constraints the checker believed

    def __bool__(self) -> NoReturn:
        raise TypeError("ask for .valid, which is True, False or None")

    def __repr__(self) -> str:
        return f"CertificateCheck({self.sentence()})"

    def sentence(self) -> str:
        """Return the verdict in one line, with what the certificate was made from."""
        name = self.document if self.certificate is None else self.certificate
        if self.valid is None or self.certificate is None:
            return f"{name}: {self.reason}"
        if not self.valid:
            return f"{name}: rejected: {self.reason}"
        without = f", without {self.dropped} unreadable link{'s' if self.dropped != 1 else ''}" if self.dropped else ""
        links = f"{self.links} link{'s' if self.links != 1 else ''}"
        calendar = "" if self.calendar is None else f"calendar {self.calendar}, "
        made_from = f"{links}, {calendar}format {self.format}, reading {self.reading}, sha256 {self.sha256}"
        if self.trusted:
            made_from += f"; trusted, not worked out again: the values of {', '.join(self.trusted)}"
        return f"{name}: valid{without}: {self._said()} ({made_from})"

    def _said(self) -> str:
        """Return the claim in words."""
        return _SAID.get(self.claim or "", "{document} is {claim}").format(document=self.document, claim=self.claim)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--output json`` prints."""
        record = {name: getattr(self, name) for name in COLUMNS}
        if self.calendar is not None:
            record |= {"calendar": self.calendar, "trusted": list(self.trusted)}
        return record


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Sequence[CertificateCheck]):
    """The verdicts on some certificates, and on documents that have none. ``bool()`` of it raises: ask ``valid``."""

    checks: tuple[CertificateCheck, ...]

    @property
    def valid(self) -> bool | None:
        """Return True if all certificates hold and no document lacks one.

        Return False if a certificate does not hold or is missing, None if one cannot be opened.
        """
        found = {check.valid for check in self.checks}
        return False if False in found else None if None in found or not found else True

    def __bool__(self) -> NoReturn:
        raise TypeError("ask for .valid, which is True, False or None")

    def __len__(self) -> int:
        return len(self.checks)

    @overload
    def __getitem__(self, place: int) -> CertificateCheck: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[CertificateCheck, ...]: ...
    def __getitem__(self, place: int | slice) -> CertificateCheck | tuple[CertificateCheck, ...]:
        return self.checks[place]

    def __repr__(self) -> str:
        names = {True: "valid", False: "rejected or missing", None: "not opened"}
        counts = {valid: sum(check.valid is valid for check in self.checks) for valid in names}
        return f"Verification({', '.join(f'{counts[valid]} {name}' for valid, name in names.items() if counts[valid])})"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: a list with one dict for each line."""
        return [check.to_dict() for check in self.checks]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row for each certificate."""
        return to_frame(self.to_dict(), COLUMNS)

    def _repr_html_(self) -> str:
        return html_table(COLUMNS, [[getattr(check, name) for name in COLUMNS] for check in self.checks])


def verify(certificate: Certificates, *, document: PathName | None = None, reread: bool = True) -> Verification:
    """Check certificates again, with a small checker that shares no code with the reasoner.

    ``certificate``: a file, a folder, several of these, or what ``oracle.certificate()`` gives.
    ``document``: the file, or the folder of files, that they were made from. Each certificate must have the digest of
    its file, and the links that the file has when it is read again. If a folder of certificates is given, every
    document must have one.
    ``reread``: False compares digests only.

    >>> from temporacle.tasks.oracle import DocumentOracle
    >>> verify(DocumentOracle([("a", "BEFORE", "b")]).certificate())
    Verification(1 valid)
    """
    return Verification(tuple(each_check(certificate, document=document, reread=reread)))


def each_check(
    certificate: Certificates, *, document: PathName | None = None, reread: bool = True
) -> Iterator[CertificateCheck]:
    """Yield the same one at a time."""
    named = _named(certificate)
    corpus = None if document is None else CertifiedFiles(os.fspath(document))
    for name, content in contents_of(named):
        yield _checked(name, content, corpus, reread=reread)
    if corpus is not None and any(isinstance(each, str) and Path(each).is_dir() for each in named):
        for found, reason, unreadable in corpus.uncertified():
            yield CertificateCheck(None, None if unreadable else False, document=found, reason=reason)


def _named(certificate: Certificates) -> list[str | DocumentCertificate | Mapping[str, Any]]:
    if isinstance(certificate, DocumentCertificate | Mapping):
        return [certificate]
    if isinstance(certificate, str | os.PathLike):
        return [os.fspath(certificate)]
    if not isinstance(certificate, Iterable):
        raise UsageError(f"cannot read certificates from a {type(certificate).__name__}: give a file or a folder")
    return [each if isinstance(each, DocumentCertificate | Mapping) else os.fspath(each) for each in certificate]


def contents_of(
    named: Iterable[str | DocumentCertificate | Mapping[str, Any]],
) -> Iterator[tuple[str, bytes | OSError]]:
    import json

    for each in named:
        if isinstance(each, DocumentCertificate):
            yield repr(each), json.dumps(each.to_dict()).encode()
        elif isinstance(each, Mapping):
            yield "certificate", json.dumps(each, default=repr).encode()
        else:
            for file in certificate_files(each):
                yield file, _content(file)


def certificate_files(path: str) -> list[str]:
    """Return a file, or the files in a folder that can be certificates."""
    place = Path(path)
    return sorted(map(str, place.rglob("*.json"))) if place.is_dir() else [path]


def _content(path: str) -> bytes | OSError:
    """Return the content of a regular file. Pipes and devices are not opened, because they could hang or never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                return OSError("not a regular file")
            if about.st_size > LARGEST:
                return OSError(f"larger than {LARGEST >> 20} MiB")
            return file.read(LARGEST)
    except OSError as error:
        return error


def _checked(name: str, content: bytes | OSError, corpus: CertifiedFiles | None, *, reread: bool) -> CertificateCheck:
    if isinstance(content, OSError):
        return CertificateCheck(name, None, reason=f"cannot be opened: {content.strerror or content}")
    try:
        certificate = check_claim(content, folder=os.path.dirname(name) or os.curdir)  # noqa: PTH120
        if corpus is not None:
            corpus.bind(certificate, reread=reread)
    except Rejected as error:
        return CertificateCheck(name, valid=False, reason=str(error))
    except MemoryError:
        return CertificateCheck(name, valid=False, reason="it is too large to be checked")
    except OSError as error:
        return CertificateCheck(name, None, reason=f"its document cannot be opened: {error.strerror or error}")
    about = certificate["document"]
    return CertificateCheck(
        name,
        valid=True,
        claim=certificate["claim"],
        document=about["id"],
        format=about["format"],
        reading=about["reading"],
        links=len(certificate["links"]),
        dropped=len(about.get("dropped", ())),
        sha256=about["sha256"],
        calendar=certificate["calendar"]["policy"] if "calendar" in certificate else None,
        trusted=tuple(trusted(certificate)),
    )
