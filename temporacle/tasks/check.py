"""Find the documents that contradict themselves, the links that cause it, and a repair.

check("gold/")                       all documents, as a sequence of Check
check.each("million.jsonl.gz")       the same one by one, as they are found; nothing is kept
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Unpack

from temporacle.checks import STRICT_LABELS, Check, Checks
from temporacle.corpus.each import each_piece
from temporacle.corpus.inputs import Asking, Register, documents, is_read, merged, paths_of
from temporacle.corpus.observer import Observer
from temporacle.corpus.options import Corpus, DatedOptions, Going
from temporacle.declared import MESSAGES, About, task
from temporacle.errors import InputError, UsageError, warn_caller
from temporacle.model import Document, PlainGraph, Remark, Unreadable
from temporacle.printing import shown
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.reference.engines import DECIDING, deciding_engine, require_exact, require_size
from temporacle.results import DocumentVerdict
from temporacle.tasks.provenance import require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from temporacle.corpus.inputs import Found, Piece
    from temporacle.editing.write_back import FilesBack, Mended
    from temporacle.io.edit import Edits
    from temporacle.model import HowRead
    from temporacle.tasks.baseline import Gate

UNMATCHED = "unmatched-protect"


class _Warning(Observer):
    """Warns the caller in Python about what only the end of a run can tell."""

    def corpus_remark(self, remark: Remark) -> None:
        if remark.code == UNMATCHED:
            warn_caller(UserWarning(": ".join((remark.element or "", remark.message))))


_WARNING = _Warning()


def _collected(found: Iterator[Check]) -> Checks:
    every: Any = tuple(found)
    if every and not isinstance(every[0], Check):  # several answers of models
        from temporacle.tasks.samples import Samples

        compared: Any = Samples(every)
        return compared  # type: ignore[no-any-return]
    return Checks(every)


def number_or_all(text: str) -> int | str:
    """Return a number, or the text if it is none.

    >>> number_or_all("3"), number_or_all("all")
    (3, 'all')
    """
    return int(text) if text.isdecimal() else text


@task(_collected)
def check(
    source: Corpus,
    *,
    explain: Annotated[bool, About("Find the links that contradict each other; or the verdict only.")] = True,
    all_conflicts: Annotated[
        int | str | None,
        About("Also list N minimal conflicts, or all; they may share links.", value="N|all", parse=number_or_all),
    ] = None,
    repair: Annotated[
        bool | None,
        About(
            "Find the smallest set of links to remove (by weight), however long it takes; or do not look for one."
            " Neither: within a tenth of {time_limit}, at least 1 s; 10 s without one."
        ),
    ] = None,
    relabel: Annotated[bool, About("For each removed link, list the labels that would be consistent.")] = False,
    protect: Annotated[
        Iterable[str],
        About("Never remove this link, or links with this label; repeatable.", value="ID|LABEL"),
    ] = (),
    certificates: Annotated[
        str | None,
        About("Write a certificate for each document; with {repair} also one that its repair is optimal.", value="DIR"),
    ] = None,
    write: Annotated[str | None, About("Write repaired files: now fix.", value="DIR", hidden=True)] = None,
    annotate: Annotated[str | None, About("Write files with notes: now fix.", value="DIR", hidden=True)] = None,
    in_place: Annotated[bool, About("Change the files themselves: now fix.", hidden=True)] = False,
    merge: Annotated[bool, About("Join documents of the same name, such as the tasks of TempEval-1.")] = False,
    answers: Annotated[
        bool, About("Documents of one name are several answers of models: consistency, agreement, consensus.")
    ] = False,
    engine: Annotated[
        str,
        About(
            "What decides. cpsat and enumeration (up to 6 entities) are slow, share no code with exact, and find"
            " verdicts and conflicts only.",
            choices=DECIDING,
        ),
    ] = "exact",
    allow: Annotated[
        Iterable[str],
        About(
            "Links skipped for this reason do not change the exit code; repeatable, or a,b,c.",
            value="CODE",
            group=MESSAGES,
        ),
    ] = (),
    baseline: Annotated[
        str | None, About("Let findings in this file pass; fail for new ones only.", value="FILE", group=MESSAGES)
    ] = None,
    write_baseline: Annotated[
        str | None, About("Write all findings to a file for {baseline}.", value="FILE", group=MESSAGES)
    ] = None,
    gate: Gate | None = None,
    observer: Observer = _WARNING,
    **shared: Unpack[DatedOptions],
) -> Generator[Check, None, None]:
    """Return which documents are consistent, and for each that is not, which links contradict each other.

    Each document gets a smallest conflict, the smallest set of links to remove, and one conflict for each of them. With
    a calendar, conflicts and repairs have values, too, and ``protect`` may have "values" or "links". With ``allow``,
    ``baseline`` or ``write_baseline``, each check has ``findings``, which say whether they are known. With ``answers``,
    the result has one entry for all answers about a document. ``gate`` compares findings in the place of a new one,
    and ``observer`` gets the events of the run. ``write``, ``annotate`` and ``in_place`` are what ``tp.fix`` does now.

    >>> found = check([("left", "BEFORE", "docked"), ("docked", "BEFORE", "left")])
    >>> found[0]
    Check('document': inconsistent, 2 links, conflict l1 l2)
    >>> found[0].to_drop[0].id
    'l1'
    """
    if answers:
        refused = {
            "repair": repair,
            "relabel": relabel,
            "certificates": certificates,
            "write": write,
            "annotate": annotate,
            "in_place": in_place,
            "merge": merge,
            "calendar": shared.get("calendar"),
            "baseline": baseline,
            "write_baseline": write_baseline,
            "resume": shared.get("resume"),
        }
        for name, value in refused.items():
            if value:
                raise UsageError("cannot be combined with answers", option=name)
        from temporacle.tasks.samples import each_sampled

        compared: Any = each_sampled(source, shared, observer)
        return compared  # type: ignore[no-any-return]
    going = Going.over(source, shared)
    options, calendar = going.options, going.calendar
    own = None
    if gate is None and (allow or baseline is not None or write_baseline is not None):
        from temporacle.tasks.baseline import Gate

        gate = own = Gate(baseline, write_baseline, allow)
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
            ("resume", going.resume),
        ):
            if value is not None:
                raise UsageError(
                    f"{name} needs one file for each document, and merge joins several: choose one of them"
                )
        if in_place:
            raise UsageError("in_place changes one file for each document, and merge joins several: choose one of them")
        source = list(merged(documents(source, options, report=observer.corpus_remark))) or source
    asked = CheckOptions(
        explain=explain,
        all_conflicts=0 if all_conflicts is None else None if isinstance(all_conflicts, str) else all_conflicts,
        repair=mends or repair,
        relabel=relabel,
        protect=names,
        certificate=certificates is not None,
        budget=going.limit,
        calendar=calendar,
        engine=engine,
        known=None if gate is None else gate.documents,
    )
    if calendar is not None:
        from temporacle.reasoner.conflicts.repair import VALUES

        if (write is not None or (in_place and annotate is None)) and VALUES not in names:
            raise UsageError("write and in_place remove links, not values: with calendar, also protect values")
    writes = write is not None or (in_place and annotate is None)
    back = noted = None
    if writes or annotate is not None:
        from temporacle.editing.write_back import FilesBack

        kept = None if is_read(source) else options
        back = FilesBack(write, roots, kept, observer.corpus_remark, in_place=in_place) if writes else None
        noted = (
            FilesBack(annotate, roots, kept, observer.corpus_remark, in_place=in_place)
            if annotate is not None
            else None
        )
    needs_links = bool(names or certificates or writes or annotate)  # also of consistent documents
    question = partial(_checked, asked=asked, mends=writes, says=annotate is not None)
    job = _Checking(question, graphs=not needs_links, limit=asked.budget)
    journal = going.journal(observer, "check", asked, writes, annotate is not None)
    run = _Run(asked, certificates, back, noted, observer.corpus_remark)
    found = run.checks(each_piece(source, job, going, observer, journal))
    return _finished(_judged(found, gate), engine, own)


def _judged(found: Generator[Check, None, None], gate: Gate | None) -> Generator[Check, None, None]:
    """Yield checks with their findings."""
    with closing(found):
        for each in found:
            findings = () if gate is None else tuple(gate.judged(each))
            yield replace(each, findings=findings) if findings else each


def _finished(found: Generator[Check, None, None], engine: str, gate: Gate | None) -> Generator[Check, None, None]:
    """Yield checks. At the end, write the baseline, and refuse an engine that is not made for the only document."""
    few: list[Check] = []
    with closing(found):
        for each in found:
            if len(few) < 2:
                few.append(each)
            yield each
    if gate is not None:
        gate.write()
    if len(few) == 1 and few[0].verdict is DocumentVerdict.UNDECIDED:
        require_size(engine, few[0].entities)


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

    def checks(self, found: Generator[tuple[Piece, _Checked], None, None]) -> Generator[Check, None, None]:
        with closing(found):
            for item, each in found:
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
