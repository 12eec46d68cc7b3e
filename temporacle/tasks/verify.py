"""Certificates checked again, alone or against the files they were made from: ``tp.verify``, ``temporacle verify``.

The claim is judged by ``temporacle.checker``, which shares no code with the reasoner. ``tasks.binding`` compares a
certificate with its files. What stands here goes through folders of certificates, on all cores.

Totals of scores come last. They rest on other certificates of their folder, which have been checked by then.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, NoReturn, TypeAlias

from temporacle.checker import Rejected, digest, documents_of, in_folder, parse, trusted
from temporacle.checker import verify as check_claim
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import JobsChoice  # noqa: TC001 - the declaration is read when it runs
from temporacle.declared import About, task
from temporacle.errors import InputError, UsageError, spelled
from temporacle.frames import html_table, to_frame
from temporacle.io.files import atomic
from temporacle.io.formats import FORMATS
from temporacle.io.recognise import recognise
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.io.values import bytes_of, is_content
from temporacle.model import counted
from temporacle.plugins import without_plugins
from temporacle.report.document import values
from temporacle.report.html import CertificateRow, PageCertificates, certificates_page
from temporacle.results import InOrder
from temporacle.runner import Plan, work
from temporacle.runner.job import Applying
from temporacle.tasks.binding import CertifiedFiles
from temporacle.tasks.oracle import DocumentCertificate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.corpus.inputs import PathName
    from temporacle.corpus.observer import Observer
    from temporacle.report.document.values import DocumentRow
    from temporacle.tasks.binding import Binding

COLUMNS = (
    "certificate", "valid", "claim", "document", "reason", "format", "reading", "links", "dropped", "sha256",
)  # fmt: skip

_SAID = {  # claims in words; the others are adjectives
    "closure": "the closure of {document} is right and complete",
    "score": "the score of {document} is right",
    "total": "the total score is right",
    "decode": "the labels of {document} are optimal",
    "repair": "the repair of {document} {optimal}",
}


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
    bound: tuple[str, str] | None = None  # of a repair not shown to be optimal: its weight, and a bound on all others
    score: Mapping[str, Any] | None = None  # of a score: its figures, and the system's file or the documents of a total

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
        optimal = "is optimal"
        if self.bound is not None:
            optimal = f"weighs {self.bound[0]}, and every repair at least {self.bound[1]}"
        said = _SAID.get(self.claim or "", "{document} is {claim}").format(
            document=self.document, claim=self.claim, optimal=optimal
        )
        if self.score is not None:
            said += ": P {precision}, R {recall}, F1 {f1}".format(**self.score)
        return f"{name}: valid{self._without()}: {said} ({self._made_from()})"

    def _without(self) -> str:
        """Return what the certificate leaves out."""
        left_out = [counted(self.dropped, "unreadable link")] if self.dropped else []
        if self.score is not None and self.score.get("skipped"):
            left_out.append(counted(len(self.score["skipped"]), "skipped document"))
        return f", without {' and '.join(left_out)}" if left_out else ""

    def _made_from(self) -> str:
        if self.score is not None and "documents" in self.score:
            average, documents = self.score["average"], counted(self.score["documents"], "document")
            return f"{self.score['metric']}, {average} average of {documents}"
        calendar = "" if self.calendar is None else f"calendar {self.calendar}, "
        links = counted(self.links or 0, "link")
        made_from = f"{links}, {calendar}format {self.format}, label set {self.reading}, {_file(self.sha256)}"
        if self.trusted:
            made_from += f"; trusted, not worked out again: the values of {', '.join(self.trusted)}"
        if self.score is not None:
            system = self.score["system"]
            made_from = f"{self.score['metric']}; gold: {made_from}; system: {counted(system['links'], 'link')}, "
            made_from += f"format {system['format']}, label set {system['reading']}, {_file(system['sha256'])}"
        return made_from

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--output json`` prints."""
        record = {name: getattr(self, name) for name in COLUMNS}
        if self.calendar is not None:
            record |= {"calendar": self.calendar, "trusted": list(self.trusted)}
        if self.bound is not None:
            record |= {"weight": self.bound[0], "bound": self.bound[1]}
        return record if self.score is None else record | dict(self.score)


@dataclass(frozen=True, slots=True, repr=False)
class Verification(InOrder[CertificateCheck]):
    """The verdicts on some certificates, and on documents that have none. ``bool()`` of it raises: ask ``valid``."""

    holds: ClassVar[str] = "checks"

    checks: tuple[CertificateCheck, ...]

    @classmethod
    def of(cls, found: Iterable[CertificateCheck]) -> Verification:
        """Return the verdicts of a run."""
        return cls(tuple(found))

    @property
    def valid(self) -> bool | None:
        """Return True if all certificates hold and no document lacks one.

        Return False if a certificate does not hold or is missing, None if one cannot be opened.
        """
        found = {check.valid for check in self.checks}
        return False if False in found else None if None in found or not found else True

    def __bool__(self) -> NoReturn:
        raise TypeError("ask for .valid, which is True, False or None")

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


def _file(digest: str | None) -> str:
    return "not bound to a file" if digest is None else f"sha256 {digest}"


__all__ = ["COLUMNS", "CertificateCheck", "Verification", "certificate_files", "content_of", "each_check", "verify"]

LARGEST = 256 << 20  # bytes of a certificate
_MARK = b"temporacle-certificate"  # in every certificate
_REMEMBERED = 100_000  # scores that are not checked a second time for a total

Certificates: TypeAlias = "PathName | bytes | DocumentCertificate | Mapping[str, Any] | Iterable[PathName]"
"""A file or a folder of them, several of these, their content, or a certificate that has not been written."""
Named: TypeAlias = str | bytes | DocumentCertificate | Mapping[str, Any]
Documents: TypeAlias = "PathName | Sequence[PathName] | None"


@task(Verification.of)
def verify(
    certificate: Annotated[
        Certificates,
        About("Certificates, or folders with certificates; - is standard input.", value="CERTIFICATE...", path="read"),
    ],
    *,
    document: Annotated[
        Sequence[str] | PathName | None,
        About(
            "File or folder that the certificates were made from; repeatable (for scores: gold, then system).",
            value="PATH",
            path="read",
        ),
    ] = None,
    reread: Annotated[bool, About("With {document}: also read the file again and compare its links.")] = True,
    page: Annotated[
        str | None, About("Also write a page on which a browser checks the certificates.", value="FILE", path="file")
    ] = None,
    jobs: JobsChoice = None,
    observer: Observer = SILENT,
) -> Iterator[CertificateCheck]:
    """Check certificates again, with a small checker that shares no code with the reasoner.

    In Python also what ``oracle.certificate()`` gives, and the content of a file. With documents, each certificate must
    have the digest of its file, and the links that the file has when it is read again. If a folder of certificates is
    given, every document must have one.

    Args:
        observer: Gets the progress.

    Returns:
        A sequence with the outcome for each certificate.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
        >>> from temporacle import Oracle
        >>> verify(Oracle([("a", "BEFORE", "b")]).certificate())
        Verification(1 valid)
    """
    if not document and not reread:
        raise UsageError("works only with a document to compare", option="reread", value=False)
    if page is not None:
        write_certificates_page(_paths(certificate), page)  # type: ignore[arg-type]
    progress = observer.advanced if observer.wants_progress else None
    return each_check(certificate, document=document or None, reread=reread, plan=Plan(jobs), progress=progress)


def each_check(
    certificate: Certificates,
    *,
    document: Documents = None,
    reread: bool = True,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[CertificateCheck]:
    """Yield the same one at a time, totals of scores after the others.

    ``progress`` hears how many certificates, of how many bytes, are done since it last heard.
    """
    named = _named(certificate)
    for each in named:
        if isinstance(each, str) and not Path(each).is_dir():
            _require_certificate(each)
    corpus = None if document is None else CertifiedFiles(_paths(document))
    if corpus is not None:
        with without_plugins():
            corpus.make_index()  # once, not in every process
    job: Applying[_Item, _Checked] = Applying(partial(_checked, corpus=corpus, reread=reread), _failed)
    scores = _Scores(corpus, reread)
    totals: list[_Item] = []
    with closing(work(_items(named), job, plan, size=_size, progress=progress)) as done:
        for item, (found,) in done:
            if found.is_total:
                totals.append(item)
                continue
            scores.remember(found)
            if corpus is not None:
                corpus.note(found.bindings)
            yield found.check
    for item in totals:
        found = scores.checked(item)
        if corpus is not None:
            corpus.excuse(found.skipped)
        yield found.check
    if corpus is not None and any(isinstance(each, str) and Path(each).is_dir() for each in named):
        with without_plugins():
            uncertified = list(corpus.uncertified())
        for name, reason, unreadable in uncertified:
            yield CertificateCheck(None, None if unreadable else False, document=name, reason=reason)


def _paths(document: Documents) -> list[str]:
    if isinstance(document, str | os.PathLike):
        return [os.fspath(document)]
    return [os.fspath(each) for each in document or ()]


def _named(certificate: Certificates) -> list[Named]:
    is_one = isinstance(certificate, str | os.PathLike | DocumentCertificate | Mapping) or is_content(certificate)
    every: list[Any] = list(certificate) if isinstance(certificate, Iterable) and not is_one else [certificate]
    return [_one_named(each) for each in every]


def _one_named(certificate: Any) -> Named:
    if isinstance(certificate, DocumentCertificate | Mapping):
        return certificate
    is_input = isinstance(certificate, str) and certificate == STANDARD_INPUT
    if is_input or is_content(certificate):
        content = Source(STANDARD_INPUT).data if is_input else bytes_of(certificate, "certificate")
        if _MARK not in content:
            raise UsageError(f"this content is not a certificate. {_cure()}")
        return content
    if isinstance(certificate, str | os.PathLike):
        return os.fspath(certificate)
    kind = type(certificate).__name__
    raise UsageError(f"cannot read certificates from a {kind}: give a file or a folder, several of them, or content")


class _Item(NamedTuple):
    """A certificate: a file, which is opened where the work is done, or the content of one without a file."""

    name: str
    content: bytes | None = None


@without_plugins()
def _cure() -> str:
    return f"Certificates are the JSON files that check {spelled('certificates', 'DIR')} writes."


def _require_certificate(path: str) -> None:
    """Refuse a file that the caller names and that is not a certificate. One that is wrong or cut off is rejected."""
    try:
        content = content_of(path)
    except OSError:
        return  # it gets a row of its own
    if _MARK in content:
        return
    try:
        about = FORMATS[recognise(Source(path, content))].about
        found = f" (it is {about.partition(':')[0]})"
    except InputError:
        found = ""
    raise UsageError(f"{path} is not a certificate{found}. {_cure()}")


def _items(named: Iterable[Named]) -> Iterator[_Item]:
    for each in named:
        if isinstance(each, bytes):
            yield _Item("certificate", each)
        elif isinstance(each, DocumentCertificate):
            yield _Item(repr(each), json.dumps(each.to_dict()).encode())
        elif isinstance(each, Mapping):
            yield _Item("certificate", json.dumps(each, default=repr).encode())
        else:
            yield from map(_Item, certificate_files(each))


def certificate_files(path: str) -> list[str]:
    """Return a file, or the files in a folder that can be certificates."""
    place = Path(path)
    return sorted(map(str, place.rglob("*.json"))) if place.is_dir() else [path]


def _size(item: _Item) -> int:
    try:
        return os.path.getsize(item.name) if item.content is None else len(item.content)  # noqa: PTH202
    except OSError:
        return 0


def content_of(path: str) -> bytes:
    """Return the content of a regular file. Pipes and devices are not opened, because they could hang or never end."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise OSError("not a regular file")
        if about.st_size > LARGEST:
            raise OSError(f"larger than {LARGEST >> 20} MiB")
        return file.read(LARGEST)


# --- one certificate, in any process ---------------------------------------------------------------------------------


class _Checked(NamedTuple):
    """The verdict on a certificate, and what the run needs to know of it."""

    check: CertificateCheck
    bindings: tuple[Binding, ...] = ()  # the documents that it is about
    is_total: bool = False  # not checked yet
    score: tuple[str, Mapping[str, Any]] | None = None  # of a score: the digest of the file, and what a total needs
    skipped: tuple[str, ...] = ()  # documents that a total leaves out


def _failed(item: _Item, reason: str) -> _Checked:
    return _Checked(CertificateCheck(item.name, None, reason=reason))


@without_plugins()
def _checked(item: _Item, corpus: CertifiedFiles | None, *, reread: bool) -> _Checked:
    try:
        content = content_of(item.name) if item.content is None else item.content
    except OSError as error:
        return _failed(item, f"cannot be opened: {error.strerror or error}")
    try:
        if item.content is None and parse(content)["claim"] == "total":
            return _Checked(CertificateCheck(item.name, None), is_total=True)
        folder = os.path.dirname(item.name) if item.content is None else None  # noqa: PTH120 - names as written
        certificate = check_claim(content, folder=folder)
        bindings = () if corpus is None else tuple(corpus.bind(certificate, reread=reread))
    except Rejected as error:
        return _Checked(CertificateCheck(item.name, valid=False, reason=str(error)))
    except MemoryError:
        return _Checked(CertificateCheck(item.name, valid=False, reason="it is too large to be checked"))
    except OSError as error:
        return _failed(item, f"its document cannot be opened: {error.strerror or error}")
    score = (sha256(content).hexdigest(), _for_totals(certificate)) if certificate["claim"] == "score" else None
    return _Checked(_accepted(item.name, certificate), bindings, score=score)


def _for_totals(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a total needs to know of a score."""
    kept = ("claim", "metric", "options", "counts", "precision", "recall", "f1")
    about = {"document": {"id": certificate["gold"]["document"]["id"]}}
    return {name: certificate[name] for name in kept} | {"gold": about}


@dataclass(slots=True)
class _Scores:
    """Scores that have been accepted, by the digests of their files. Others are checked when needed."""

    corpus: CertifiedFiles | None
    reread: bool
    known: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def remember(self, found: _Checked) -> None:
        if found.score is not None and len(self.known) < _REMEMBERED:
            self.known[found.score[0]] = found.score[1]

    @without_plugins()
    def checked(self, item: _Item) -> _Checked:
        """Return the verdict on a total."""
        read = in_folder(os.path.dirname(item.name), content_of)  # noqa: PTH120 - names as the caller wrote them

        def score_in(name: str, digest: str) -> Mapping[str, Any]:
            if digest in self.known:
                return self.known[digest]
            found = read(name, digest)
            if self.corpus is not None:
                self.corpus.bind(found, reread=self.reread)
            return found

        try:
            certificate = check_claim(content_of(item.name), others=score_in)
        except Rejected as error:
            return _Checked(CertificateCheck(item.name, valid=False, reason=str(error)))
        except OSError as error:
            return _failed(item, f"cannot be opened: {error.strerror or error}")
        skipped = tuple(document for document, _ in certificate["skipped"])
        return _Checked(_accepted(item.name, certificate), skipped=skipped)


def _accepted(name: str, certificate: dict[str, Any]) -> CertificateCheck:
    """Return the verdict on a certificate that holds."""
    made_from = documents_of(certificate)
    about = made_from[0] if made_from else {}
    side = certificate.get("gold", certificate)
    return CertificateCheck(
        name,
        valid=True,
        claim=certificate["claim"],
        document=about.get("id"),
        format=about.get("format"),
        reading=about.get("reading"),
        links=len(side["links"]) if "links" in side else None,
        dropped=sum(len(each.get("dropped", ())) for each in made_from),
        sha256=about.get("sha256"),
        calendar=certificate["calendar"]["policy"] if "calendar" in certificate else None,
        trusted=tuple(trusted(certificate)),
        bound=_bound_of(certificate),
        score=_score_of(certificate),
    )


def _bound_of(certificate: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the weight of a repair that is not shown to be optimal, and what every repair weighs at least."""
    weight = certificate.get("weight")
    return None if certificate.get("bound", weight) == weight else (str(weight), certificate["bound"])


def _score_of(certificate: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the figures of a score, and what it is about."""
    if certificate["claim"] not in {"score", "total"}:
        return None
    found = {name: certificate[name] for name in ("metric", "precision", "recall", "f1", "counts", "options")}
    if certificate["claim"] == "total":
        documents = len(certificate["documents"])
        return found | {"average": certificate["average"], "documents": documents, "skipped": certificate["skipped"]}
    system = certificate["system"]
    about = {name: system["document"][name] for name in ("id", "format", "reading", "sha256")}
    return found | {"system": about | {"links": len(system["links"])}}


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
