"""Find the documents that contradict themselves, the links that cause it, and a repair.

check("gold/")                               all documents, as a sequence of Check
checks(["million.jsonl.gz"], Options())      the same one by one, as they are found; nothing is kept
"""

from __future__ import annotations

import warnings
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Unpack

from temporacle import __version__
from temporacle.checks import STRICT_LABELS, Check, Checks, KnownDocument
from temporacle.corpus.inputs import (
    Asking,
    Register,
    documents,
    is_read,
    key_of,
    merged,
    paths_of,
    pieces_of,
    require_budget,
    require_columns,
    size_of,
)
from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options
from temporacle.model import Document, PlainGraph, Remark, Unreadable
from temporacle.printing import shown
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.reference.engines import deciding_engine, require_exact, require_size
from temporacle.results import DocumentVerdict
from temporacle.runner import Backend, Plan, work
from temporacle.tasks.calendars import chosen_calendar
from temporacle.tasks.provenance import require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Found, Inputs, Piece, ReadingOptions
    from temporacle.editing.write_back import FilesBack, Mended
    from temporacle.io.edit import Edits
    from temporacle.model import HowRead
    from temporacle.runner.journal import Journal


UNMATCHED = "unmatched-protect"


def _warn(remark: Remark) -> None:
    """Warn the caller of ``check`` about what only the end of a run can tell."""
    if remark.code == UNMATCHED:
        message = ": ".join((remark.element or "", remark.message))
        warnings.warn(UserWarning(message), stacklevel=4)


def check(
    source: Inputs,
    *,
    explain: bool = True,
    all_conflicts: int | str | None = None,
    repair: bool | None = None,
    relabel: bool = False,
    protect: Iterable[str] = (),
    certificates: str | None = None,
    write: str | None = None,
    annotate: str | None = None,
    in_place: bool = False,
    merge: bool = False,
    budget: float | None = None,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    resume: str | None = None,
    engine: str = "exact",
    calendar: str | bool | Calendar | None = None,
    hemisphere: str | None = None,
    zone: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> Checks:
    """Return which documents are consistent, and for each that is not, which links contradict each other.

    ``source`` is a path or several, documents, statements or a frame. Each document gets a smallest conflict, the
    lightest links to drop, and one conflict for each of them; ``explain`` false asks for the verdict only,
    ``all_conflicts`` (a number, or "all") for minimal conflicts that may share links. The repair has a tenth of the
    budget, at least 1 s, and 10 s without one; ``repair`` true gives it the whole budget, false leaves it
    out. It never drops links whose id or label is in ``protect``. ``relabel`` asks for the labels that would be
    consistent instead. ``certificates``,
    ``write`` and ``annotate`` are folders for certificates, repaired files, and files with a note at each link of a
    conflict; ``in_place`` repairs the files themselves. ``merge`` joins documents of the same name, such as the tasks
    of TempEval-1, and needs all of them in memory. ``budget`` is in seconds a document. ``calendar`` (within, document
    or exact; True: within) adds what the values of time expressions say, with the seasons of a ``hemisphere`` (north,
    south) and the clock of a ``zone`` such as "+01:00". Conflicts and repairs then hold values, too; ``protect`` may
    have "values" or "links". ``jobs``, ``backend`` and ``scheduler`` say where the work is done; ``resume`` is a file
    that keeps what is done, for a later run. ``engine`` (exact, cpsat, enumeration) decides; cpsat and enumeration are
    slow and independent of the endpoint graph, and find verdicts and conflicts only. Enumeration takes up to 6
    entities: a larger document is undecided, and refused if it is the only one. The rest, such as ``during``, is about
    reading.

    >>> found = check([("left", "BEFORE", "docked"), ("docked", "BEFORE", "left")])
    >>> found[0]
    Check('document': inconsistent, 2 links, conflict l1 l2)
    >>> found[0].to_drop[0].id
    'l1'
    """
    found = Checks(
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
            annotate=annotate,
            in_place=in_place,
            merge=merge,
            budget=budget,
            plan=Plan(jobs, Backend(backend) if backend in list(Backend) else backend, scheduler),  # type: ignore[arg-type]
            resume=resume,
            engine=engine,
            calendar=chosen_calendar(calendar, hemisphere, zone),
            report=_warn,
        )
    )
    if len(found) == 1 and found[0].verdict is DocumentVerdict.UNDECIDED:
        require_size(engine, found[0].entities)
    return found


def checks(
    source: Inputs,
    options: Options = Options(),  # noqa: B008 - an immutable value
    *,
    explain: bool = True,
    all_conflicts: int | str | None = None,
    repair: bool | None = None,
    relabel: bool = False,
    protect: Iterable[str] = (),
    certificates: str | None = None,
    write: str | None = None,
    annotate: str | None = None,
    in_place: bool = False,
    merge: bool = False,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    resume: str | None = None,
    engine: str = "exact",
    calendar: Calendar | None = None,
    known: Mapping[str, KnownDocument] | None = None,
    report: Callable[[Remark], None] = lambda _remark: None,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[Check, None, None]:
    """Yield the checks of documents in order. The options are those of ``check``; wrong ones raise an error at once.

    ``known`` has the documents of a baseline to compare with. ``report`` gets remarks on the corpus as a whole;
    ``progress`` gets the number of documents and bytes that were done since its last call.
    """
    names = tuple(protect)
    mends = bool(repair) or relabel or write is not None or (in_place and annotate is None)
    if in_place and not (repair or relabel or write or annotate):
        raise UsageError("check only reads; to change files use: temporacle fix ... --in-place")
    if annotate is not None and not explain:
        raise UsageError("annotate writes notes about conflicts, explain=False asks for none: choose one of them")
    deciding_engine(engine)
    for what, wanted in (("repairs", mends), ("certificates", certificates is not None), ("calendar", calendar)):
        if wanted:
            require_exact(engine, what)
    require_columns(options, source)
    require_budget(budget)
    roots = paths_of(source) or []
    if not in_place and (write is not None or annotate is not None):
        from temporacle.editing.write_back import refuse_to_overwrite

        for folder in (write, annotate):
            if folder is not None:
                refuse_to_overwrite(folder, roots)
    if repair is False and mends:
        raise UsageError("repair=False and relabel, write or in_place cannot be combined: these need a repair")
    if names and not mends and (repair is False or not explain or engine != "exact"):
        raise UsageError("protect works only together with a repair: leave out what turns it off, or ask for repair")
    if all_conflicts is not None:
        if all_conflicts != "all" and (not isinstance(all_conflicts, int) or all_conflicts < 1):
            raise UsageError(f"all_conflicts is {all_conflicts!r}; it must be 'all', or a number of 1 or more")
        if not explain:
            raise UsageError("all_conflicts and explain=False cannot be combined")
        require_exact(engine, "lists of all conflicts")
    if certificates is not None:
        require_recordable(options.choices)
    if merge:
        for name, value in (
            ("certificates", certificates),
            ("write", write),
            ("annotate", annotate),
            ("resume", resume),
        ):
            if value is not None:
                raise UsageError(
                    f"{name} needs one file for each document, and merge joins several: choose one of them"
                )
        if in_place:
            raise UsageError("in_place changes one file for each document, and merge joins several: choose one of them")
        source = list(merged(documents(source, options, report=report))) or source
    asked = CheckOptions(
        explain=explain,
        all_conflicts=0 if all_conflicts is None else None if isinstance(all_conflicts, str) else all_conflicts,
        repair=mends or repair,
        relabel=relabel,
        protect=names,
        certificate=certificates is not None,
        budget=budget,
        calendar=calendar,
        engine=engine,
        known=known,
    )
    if calendar is not None:
        from temporacle.reasoner.conflicts.repair import VALUES

        options = replace(options, values=True)
        if (write is not None or (in_place and annotate is None)) and VALUES not in names:
            raise UsageError("write and in_place remove links, not values: with calendar, protect values, too")
    writes = write is not None or (in_place and annotate is None)
    back = noted = None
    if writes or annotate is not None:
        from temporacle.editing.write_back import FilesBack

        kept = None if is_read(source) else options
        back = FilesBack(write, roots, kept, report, in_place=in_place) if writes else None
        noted = FilesBack(annotate, roots, kept, report, in_place=in_place) if annotate is not None else None
    needs_links = bool(names or certificates or writes or annotate)  # also of consistent documents
    question = partial(_checked, asked=asked, mends=writes, says=annotate is not None)
    job = _Checking(question, graphs=not needs_links, limit=asked.budget)
    journal = None if resume is None else _journal(resume, (options, asked, writes, annotate is not None), report)
    run = _Run(asked, certificates, back, noted, report)
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

    from temporacle.runner.journal import Journal  # most runs have none

    return Journal(path, repr((__version__, "check", *run)), changed)


class _Checked(NamedTuple):
    """The result of a worker for one document."""

    check: Check
    protected: tuple[str, ...] = ()  # names to protect that the document has
    how_read: HowRead | None = None  # for certificates and files
    mended: Mended | None = None  # the repaired document, if there is no file to change
    notes: dict[str, str] = {}  # noqa: RUF012 - never changed
    has_file: bool = False  # that can be changed


def _checked(found: Found | PlainGraph, asked: CheckOptions, *, mends: bool, says: bool) -> _Checked:
    result = check_document(found, asked)
    if isinstance(found, Unreadable | PlainGraph) or not (asked.protect or asked.certificate or mends or says):
        return _Checked(result)
    from temporacle.editing.write_back import has_editable_file, mended, notes  # most runs write nothing

    return _Checked(
        result,
        tuple(name for name in asked.protect if _is_known(name, found, asked)),
        found.how_read,
        mended(found, result) if mends else None,
        notes(found, result) if says else {},
        has_editable_file(found),
    )


def _is_known(name: str, document: Document, asked: CheckOptions) -> bool:
    """Return whether a document has a link, label or value that a name protects."""
    from temporacle.reasoner.conflicts.repair import LINKS, VALUES, named_in

    if any(map(named_in((name,)), document.links)):
        return True
    if asked.calendar is None:
        return False
    from temporacle.calendar.facts import values_of

    return name in (LINKS, VALUES) or any(fact.id == name for fact in values_of(document, asked.calendar).facts)


@dataclass(frozen=True)
class _Checking(Asking[_Checked]):
    """The job. A document that could be read and not be checked is undecided."""

    def given_up(self, name: str, path: str, reason: str, *, read: bool) -> _Checked:
        found = super().given_up(name, path, reason, read=read)
        return found._replace(check=replace(found.check, verdict=DocumentVerdict.UNDECIDED)) if read else found

    def late(self, name: str, path: str, reason: str) -> _Checked:
        found = super().late(name, path, reason)
        return found._replace(check=replace(found.check, error=reason, remarks=(Remark("time-limit", reason),)))


class _Run:
    """The state of the whole run, which no single document has."""

    def __init__(
        self,
        asked: CheckOptions,
        certificates: str | None,
        files_back: FilesBack | None,
        files_noted: FilesBack | None,
        report: Callable[[Remark], None],
    ) -> None:
        self._report = report
        self._told_strict = False
        self._register = Register()
        self._unknown = dict.fromkeys(asked.protect)  # names to protect that no document had so far
        self._certificates = None
        if certificates is not None:
            from temporacle.tasks.check_files import Certificates

            self._certificates = Certificates(certificates)
        self._repaired = files_back
        self._annotated = files_noted

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
            for files in filter(None, (self._repaired, self._annotated)):
                files.finish()
        for name in self._unknown:
            message = f"{name}: no document has a link or label {shown(name)}"
            self._report(Remark(UNMATCHED, message, element="protect"))

    def _settled(self, item: Piece, found: _Checked) -> Check:
        """Return the check after all files that belong to it are written."""
        check = self._told_apart(item, self._told_once(found.check))
        for name in found.protected:
            self._unknown.pop(name, None)
        if self._certificates is not None:
            check = self._certificates.write(check, found.how_read)
        if self._repaired is not None or self._annotated is not None:
            self._write_back(check, found)
        return check

    def _write_back(self, check: Check, found: _Checked) -> None:
        from temporacle.editing.write_back import annotated, repaired

        if self._repaired is not None and found.mended is not None:
            self._repaired.write_anew(check.document, found.mended)
        elif self._repaired is not None:
            self._change(self._repaired, check, found, repaired(check))
        if self._annotated is not None:
            self._change(self._annotated, check, found, annotated(check, found.notes), has_place=True)

    def _change(
        self, files: FilesBack, check: Check, found: _Checked, edits: Edits | None, *, has_place: bool = False
    ) -> None:
        """Note a change of a file. ``has_place``: if the file cannot be changed, there is another place for it."""
        if edits is None or not (found.has_file or has_place):
            return
        if check.path is not None and found.how_read is not None:
            files.add(check.path, check.document, found.how_read, edits)

    def _told_once(self, check: Check) -> Check:
        """Return the check without the remark that concerns the whole run. That remark is reported once."""
        strict = next((remark for remark in check.remarks if remark.code == STRICT_LABELS), None)
        if strict is None:
            return check
        if not self._told_strict:
            self._report(strict)
        self._told_strict = True
        return replace(check, remarks=tuple(remark for remark in check.remarks if remark is not strict))

    def _told_apart(self, item: Piece, check: Check) -> Check:
        """Return the check, with a remark if another document has the same name.

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
