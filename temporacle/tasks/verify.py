"""Certificates checked again, alone or against the files they were made from: ``tp.verify``, ``temporacle verify``.

The claim is judged by ``temporacle.checker``, which shares no code with the reasoner. ``tasks.binding`` compares a
certificate with its files. What stands here goes through folders of certificates, on all cores.

Totals of scores come last. They rest on other certificates of their folder, which have been checked by then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

from temporacle.checker import Rejected, documents_of, in_folder, parse, trusted
from temporacle.checker import verify as check_claim
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import JobsChoice  # noqa: TC001 - the declaration is read when it runs
from temporacle.declared import About, task
from temporacle.errors import InputError, UsageError
from temporacle.plugins import without_plugins
from temporacle.runner import Plan, work
from temporacle.runner.job import Applying
from temporacle.tasks.binding import CertifiedFiles
from temporacle.tasks.certificate_checks import COLUMNS, CertificateCheck, Verification
from temporacle.tasks.oracle import DocumentCertificate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.corpus.inputs import PathName
    from temporacle.corpus.observer import Observer
    from temporacle.tasks.binding import Binding

__all__ = ["COLUMNS", "CertificateCheck", "Verification", "certificate_files", "content_of", "each_check", "verify"]

LARGEST = 256 << 20  # bytes of a certificate
_MARK = b"temporacle-certificate"  # in every certificate
_CURE = "Certificates are the JSON files that check --certificates DIR writes."
_REMEMBERED = 100_000  # scores that are not checked a second time for a total

Certificates: TypeAlias = "PathName | DocumentCertificate | Mapping[str, Any] | Iterable[PathName]"
"""A file or a folder of them, several of these, or a certificate that has not been written."""
Documents: TypeAlias = "PathName | Sequence[PathName] | None"


@task(Verification.of)
def verify(
    certificate: Annotated[Certificates, About("Certificates, or folders with certificates.", value="CERTIFICATE...")],
    *,
    document: Annotated[
        Sequence[str] | PathName | None,
        About(
            "File or folder that the certificates were made from; repeatable (for scores: gold, then system).",
            value="PATH",
        ),
    ] = None,
    reread: Annotated[bool, About("With {document}: also read the file again and compare its links.")] = True,
    page: Annotated[
        str | None, About("Also write a page on which a browser checks the certificates.", value="FILE")
    ] = None,
    jobs: JobsChoice = None,
    observer: Observer = SILENT,
) -> Iterator[CertificateCheck]:
    """Check certificates again, with a small checker that shares no code with the reasoner.

    In Python also what ``oracle.certificate()`` gives. With documents, each certificate must have the digest of its
    file, and the links that the file has when it is read again. If a folder of certificates is given, every document
    must have one. ``observer`` gets the progress.

    >>> from temporacle.tasks.oracle import DocumentOracle
    >>> verify(DocumentOracle([("a", "BEFORE", "b")]).certificate())
    Verification(1 valid)
    """
    if not document and not reread:
        raise UsageError("reread=False works only with a document to compare")
    if page is not None:
        from temporacle.tasks.page_certificates import write_certificates_page

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


def _named(certificate: Certificates) -> list[str | DocumentCertificate | Mapping[str, Any]]:
    if isinstance(certificate, DocumentCertificate | Mapping):
        return [certificate]
    if isinstance(certificate, str | os.PathLike):
        return [os.fspath(certificate)]
    if not isinstance(certificate, Iterable):
        raise UsageError(f"cannot read certificates from a {type(certificate).__name__}: give a file or a folder")
    return [each if isinstance(each, DocumentCertificate | Mapping) else os.fspath(each) for each in certificate]


class _Item(NamedTuple):
    """A certificate: a file, which is opened where the work is done, or the content of one without a file."""

    name: str
    content: bytes | None = None


@without_plugins()
def _require_certificate(path: str) -> None:
    """Refuse a file that the caller names and that is not a certificate. One that is wrong or cut off is rejected."""
    try:
        content = content_of(path)
    except OSError:
        return  # it gets a row of its own
    if _MARK in content:
        return
    from temporacle.io.formats import FORMATS
    from temporacle.io.recognise import recognise
    from temporacle.io.source import Source

    try:
        about = FORMATS[recognise(Source(path, content))].about
        found = f" (it is {about.partition(':')[0]})"
    except InputError:
        found = ""
    raise UsageError(f"{path} is not a certificate{found}. {_CURE}")


def _items(named: Iterable[str | DocumentCertificate | Mapping[str, Any]]) -> Iterator[_Item]:
    import json

    for each in named:
        if isinstance(each, DocumentCertificate):
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
