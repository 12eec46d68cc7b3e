"""Which documents contradict themselves, where, and what to do about it.

check("gold/", repair=True)                  all documents, as a sequence of Check
checks(["million.jsonl.gz"], Options())      the same one by one, as they are found; nothing is kept
"""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Unpack

from temporacle import __version__
from temporacle.checks import Check, Checks
from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options
from temporacle.model import Document, Remark, Unreadable
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.repair import named_in
from temporacle.results import DocumentVerdict
from temporacle.runner import Backend, Journal, Plan, work
from temporacle.runner.documents import Asking, Register, key_of, size_of
from temporacle.tasks.check_files import Certificates, Mended, Repaired, mended
from temporacle.tasks.inputs import pieces_of
from temporacle.tasks.provenance import require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from temporacle.model import HowRead
    from temporacle.runner.documents import Found, Piece
    from temporacle.tasks.inputs import Inputs, ReadingOptions


def check(
    source: Inputs,
    *,
    explain: bool = True,
    all_conflicts: int = 1,
    repair: bool = False,
    relabel: bool = False,
    protect: Iterable[str] = (),
    certificates: str | None = None,
    write: str | None = None,
    budget: float | None = None,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    resume: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> Checks:
    """Which documents are consistent, and for each that is not, which links cannot all be true.

    ``source`` is a path or several, documents, statements or a frame. ``explain`` asks for the smallest conflict,
    ``all_conflicts`` for up to so many that share no link. ``repair`` asks for the lightest links to drop, never those
    whose id or label is in ``protect``; ``relabel`` for the labels that would be consistent instead. ``certificates``
    and ``write`` are folders for certificates and repaired documents. ``budget`` is in seconds a document. ``jobs``,
    ``backend`` and ``scheduler`` say where the work is done; ``resume`` is a file that keeps what is done, for a later
    run. The rest, such as ``during``, is about reading.

    >>> found = check([("left", "BEFORE", "docked"), ("docked", "BEFORE", "left")], repair=True)
    >>> found[0]
    Check('document': inconsistent, 2 links, conflict l1 l2)
    >>> found[0].to_drop[0].id
    'l1'
    """
    return Checks(
        checks(
            source,
            Options(**reading),
            explain=explain,
            all_conflicts=all_conflicts,
            repair=repair,
            relabel=relabel,
            protect=protect,
            certificates=certificates,
            write=write,
            budget=budget,
            plan=Plan(jobs, Backend(backend) if backend in list(Backend) else backend, scheduler),  # type: ignore[arg-type]
            resume=resume,
        )
    )


def checks(
    source: Inputs,
    options: Options = Options(),  # noqa: B008 - an immutable value
    *,
    explain: bool = True,
    all_conflicts: int = 1,
    repair: bool = False,
    relabel: bool = False,
    protect: Iterable[str] = (),
    certificates: str | None = None,
    write: str | None = None,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    resume: str | None = None,
    report: Callable[[Remark], None] = lambda _remark: None,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[Check, None, None]:
    """The checks of documents one by one, in order. Options as for ``check``; wrong ones are refused at once.

    ``report`` hears remarks on the corpus as a whole, ``progress`` how many documents, of how many bytes, are done
    since it last heard.
    """
    names = tuple(protect)
    mends = repair or relabel or write is not None
    if names and not mends:
        raise UsageError("protect works only together with repair, relabel or write")
    if all_conflicts < 1:
        raise UsageError(f"all_conflicts is {all_conflicts}; it must be 1 or more")
    if all_conflicts > 1 and not explain:
        raise UsageError("all_conflicts and explain=False cannot be combined")
    if certificates is not None:
        require_recordable(options.choices)
    asked = CheckOptions(
        explain=explain,
        conflicts=all_conflicts,
        repair=mends,
        relabel=relabel,
        protect=names,
        certificate=certificates is not None,
        budget=budget,
    )
    job = _Checking(partial(_checked, asked=asked, mends=write is not None))
    journal = None if resume is None else _journal(resume, (options, asked, write is not None), report)
    run = _Run(asked, certificates, write, report)
    return run.checks(
        pieces_of(source, options, report, loaded=journal is not None or plan.works_elsewhere),
        job,
        plan,
        journal,
        progress,
    )


def _journal(path: str, run: tuple[object, ...], report: Callable[[Remark], None]) -> Journal:
    told: set[str] = set()

    def changed(key: str) -> None:
        file = key.rpartition(":")[0] or key  # without the line that a slice begins at
        if file not in told:
            told.add(file)
            report(Remark("changed-source", f"{file} has changed since it was last checked; it is checked again"))

    return Journal(path, repr((__version__, "check", *run)), changed)


class _Checked(NamedTuple):
    """What a worker says about a document."""

    check: Check
    protected: tuple[str, ...] = ()  # names to protect that the document has
    how_read: HowRead | None = None  # for certificates
    mended: Mended | None = None


def _checked(found: Found, asked: CheckOptions, *, mends: bool) -> _Checked:
    result = check_document(found, asked)
    if isinstance(found, Unreadable) or not (asked.protect or asked.certificate or mends):
        return _Checked(result)
    protected = tuple(name for name in asked.protect if any(map(named_in((name,)), found.links)))
    return _Checked(result, protected, found.how_read, mended(found, result) if mends else None)


@dataclass(frozen=True)
class _Checking(Asking[_Checked]):
    """The job. A document that could be read and not be checked is undecided."""

    def given_up(self, name: str, path: str, reason: str, *, read: bool) -> _Checked:
        found = super().given_up(name, path, reason, read=read)
        return found._replace(check=replace(found.check, verdict=DocumentVerdict.UNDECIDED)) if read else found


class _Run:
    """What the whole run knows, and no single document does."""

    def __init__(
        self,
        asked: CheckOptions,
        certificates: str | None,
        repaired: str | None,
        report: Callable[[Remark], None],
    ) -> None:
        self._register = Register()
        self._unknown = dict.fromkeys(asked.protect)  # names to protect that no document had so far
        self._certificates = None if certificates is None else Certificates(certificates)
        self._repaired = None if repaired is None else Repaired(repaired)
        self._report = report

    def checks(
        self,
        items: Iterator[Piece],
        job: _Checking,
        plan: Plan,
        journal: Journal | None,
        progress: Callable[[int, int], None] | None,
    ) -> Generator[Check, None, None]:
        with nullcontext() if journal is None else closing(journal):
            done = work(items, job, plan, journal=journal, key=key_of, size=size_of, progress=progress)
            with closing(done):
                for item, found in done:
                    for each in found:
                        yield self._settled(item, each)
        if self._unknown:
            names = ", ".join(map(repr, self._unknown))
            raise UsageError(f"protect has {names}, but no document has a link or a label of that name")

    def _settled(self, item: Piece, found: _Checked) -> Check:
        """The check, once all files are written that belong to it."""
        check = self._told_apart(item, found.check)
        for name in found.protected:
            self._unknown.pop(name, None)
        if self._certificates is not None:
            check = self._certificates.write(check, found.how_read)
        if self._repaired is not None and found.mended is not None:
            self._repaired.write(check.document, found.mended)
            for remark in found.mended.remarks:
                self._report(remark._replace(message=f"{check.document}: {remark.message}"))
        return check

    def _told_apart(self, item: Piece, check: Check) -> Check:
        """The check, with a remark if another document has the same name.

        Within a file a name stands for one document. Readers see to that; what they cannot see is a document that came
        in an earlier slice of a large file.
        """
        if check.verdict is DocumentVerdict.UNREADABLE or isinstance(item, Unreadable):
            return check
        path = item.path or ""
        before = self._register.before(check.document, path)
        if before is None:
            return check
        if before != path or isinstance(item, Document):
            remark = Remark("duplicate-document", f"document {check.document!r} was also read from {before or 'here'}")
            return replace(check, remarks=(*check.remarks, remark))
        if item.first_line == 1:
            return check
        error = InputError(f"document {check.document!r} occurs a second time", path=path, cure="rename or merge it")
        return check_document(Unreadable(check.document, path, error))
