"""Find the documents that contradict themselves, the links that cause it, and a repair.

check("gold/")                       all documents, as a sequence of Check
check.each("million.jsonl.gz")       the same one by one, as they are found; nothing is kept
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Unpack

from temporacle.checks import STRICT_LABELS, Check, Checks
from temporacle.corpus.each import each_piece, unless_alone
from temporacle.corpus.inputs import Asking, Register, documents, merged
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import Corpus, DatedOptions, Going
from temporacle.declared import MESSAGES, About, task
from temporacle.errors import InputError, UsageError, spelled, warn_of_others
from temporacle.frames import to_frame
from temporacle.model import Document, PlainGraph, Remark, Unreadable, counted, skipped_words
from temporacle.printing import shown
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.reference.engines import DECIDING, deciding_engine, refusal_of, require_exact
from temporacle.results import DocumentVerdict, HasWarnings, OfDocuments
from temporacle.rules import trouble_with
from temporacle.tasks.certificates import Certificates, require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from temporacle.corpus.inputs import Found, Inputs, Piece
    from temporacle.model import HowRead
    from temporacle.relation import Relation
    from temporacle.tasks.decodings import DocumentDecoding
    from temporacle.tasks.gate import Gate

UNMATCHED = "unmatched-protect"


def _collected(found: Generator[Check, None, Sequence[Remark] | None]) -> Checks:
    of_run: list[Remark] = []

    def all_of_them() -> Iterator[Check]:
        of_run.extend((yield from found) or ())

    every: Any = tuple(all_of_them())
    if every and not isinstance(every[0], Check):  # several answers of models
        compared: Any = AnswerChecks(every)
        return compared  # type: ignore[no-any-return]
    return Checks(every, of_run)


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
            "Find the smallest set of links to remove (by weight) with no time limit of its own, or do not look for it."
            " By default it gets a tenth of {time_limit}, at least 1 s, or 10 s if there is no limit."
        ),
    ] = None,
    relabel: Annotated[bool, About("For each removed link, list the labels that would be consistent.")] = False,
    protect: Annotated[
        Iterable[str],
        About("Never remove this link, or links with this label; repeatable.", value="ID|LABEL"),
    ] = (),
    certificates: Annotated[
        str | None,
        About(
            "Write a certificate for each document; with {repair} also one that its repair is optimal.",
            value="DIR",
            path="folder",
        ),
    ] = None,
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
    baseline: Annotated[
        str | None, About("Let findings in this file pass; fail for new ones only.", value="FILE", group=MESSAGES)
    ] = None,
    write_baseline: Annotated[
        str | None, About("Write all findings to a file for {baseline}.", value="FILE", path="file", group=MESSAGES)
    ] = None,
    gate: Gate | None = None,
    observer: Observer = SILENT,
    **shared: Unpack[DatedOptions],
) -> Generator[Check, None, Sequence[Remark]]:
    """Return which documents are consistent, and for each that is not, which links contradict each other.

    Each document gets a smallest conflict, the smallest set of links to remove, and one conflict for each of them. With
    a calendar, conflicts and repairs also have values, and ``protect`` may have "values" or "links". With ``allow``,
    ``baseline`` or ``write_baseline``, each check has ``findings``, which say whether they are known. With ``answers``,
    the result has one entry for all answers about a document.

    Args:
        gate: Compares findings instead of a new one.
        observer: Gets the events of the run.

    Returns:
        A sequence with the check of each document.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
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
            "merge": merge,
            "calendar": shared.get("calendar"),
            "baseline": baseline,
            "write_baseline": write_baseline,
            "resume": shared.get("resume"),
        }
        for name, value in refused.items():
            if value:
                raise UsageError("cannot be combined with answers", option=name)

        compared: Any = each_answered(source, shared, observer)
        return compared  # type: ignore[no-any-return]
    going = Going.over(source, shared)
    options, calendar = going.options, going.calendar
    own = None
    allow = shared.get("allow") or ()
    if gate is None and (allow or baseline is not None or write_baseline is not None):
        from temporacle.tasks.gate import Gate

        gate = own = Gate(baseline, write_baseline, allow)
    names = (protect,) if isinstance(protect, str) else tuple(protect)
    mends = bool(repair) or relabel
    deciding_engine(engine)
    for what, wanted in (("repairs", mends), ("certificates", certificates is not None), ("calendar", calendar)):
        if wanted:
            require_exact(engine, what)
    if repair is False and mends:
        raise UsageError("new labels need a repair: leave out one of them", option="repair", value=False)
    if names and not mends and (repair is False or not explain or engine != "exact"):
        raise UsageError("protect works only together with a repair: leave out what turns it off, or ask for repair")
    if all_conflicts is not None:
        if all_conflicts != "all" and (not isinstance(all_conflicts, int) or all_conflicts < 1):
            raise UsageError("give 'all', or a number of 1 or more", option="all_conflicts", value=all_conflicts)
        if not explain:
            raise UsageError(f"cannot be combined with {spelled('explain', False)}", option="all_conflicts")
        require_exact(engine, "lists of all conflicts")
    if certificates is not None:
        require_recordable(options.choices)
    if merge:
        alone = {"certificates": certificates, "resume": going.resume}
        for name, value in alone.items():
            if value is not None:
                raise UsageError(
                    f"{spelled(name)} needs one file for each document, and {spelled('merge', True)} joins several:"
                    " choose one of them"
                )
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
    needs_links = bool(names or certificates)  # also of consistent documents
    job = _Checking(partial(_checked, asked=asked), graphs=not needs_links, limit=asked.budget)
    run = _Run(asked, certificates, observer.corpus_remark)
    found = run.checks(each_piece(source, job, going, observer, going.journal(observer, "check", asked)))
    found = unless_alone(found, lambda check: refusal_of(check.error))
    return _finished(_judged(found, gate), own, run.remarks, warns=observer is SILENT)


def _judged(found: Generator[Check, None, None], gate: Gate | None) -> Generator[Check, None, None]:
    """Yield checks with their findings."""
    with closing(found):
        for each in found:
            findings = () if gate is None else tuple(gate.judged(each))
            yield replace(each, findings=findings) if findings else each


def _finished(
    found: Generator[Check, None, None],
    gate: Gate | None,
    remarks: Sequence[Remark],
    *,
    warns: bool,
) -> Generator[Check, None, Sequence[Remark]]:
    """Yield checks. At the end, write the baseline, and return the remarks on the whole run."""
    with closing(found):
        yield from found
    if gate is not None:
        gate.write()
    if warns:
        warn_of_others(remarks)
    return remarks


class _Checked(NamedTuple):
    """The result of a worker for one document."""

    check: Check
    protected: tuple[str, ...] = ()  # names to protect that the document has
    how_read: HowRead | None = None  # for certificates


def _checked(found: Found | PlainGraph, asked: CheckOptions) -> _Checked:
    result = check_document(found, asked)
    if isinstance(found, Unreadable | PlainGraph) or not (asked.protect or asked.certificate):
        return _Checked(result)
    known = tuple(name for name in asked.protect if _is_known(name, found, asked))
    return _Checked(result, known, found.how_read)


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
        found = self.given_up(name, path, reason, read=True)
        return found._replace(check=replace(found.check, error=reason, remarks=(Remark("time-limit", reason),)))


class _Run:
    """The state of the whole run, which no single document has."""

    def __init__(
        self,
        asked: CheckOptions,
        certificates: str | None,
        report: Callable[[Remark], None],
    ) -> None:
        self._report = report
        self.remarks: list[Remark] = []  # on the whole run
        self._register = Register()
        self._unknown = dict.fromkeys(asked.protect)  # names to protect that no document had so far
        self._certificates = None
        if certificates is not None:
            self._certificates = Certificates(certificates)

    def checks(self, found: Generator[tuple[Piece, _Checked], None, None]) -> Generator[Check, None, None]:
        with closing(found):
            for item, each in found:
                yield self._settled(item, each)
        for name in self._unknown:
            message = f"{name}: no document has a link or label {shown(name)}"
            self._announce(Remark(UNMATCHED, message, element="protect"))

    def _announce(self, remark: Remark) -> None:
        self.remarks.append(remark)
        self._report(remark)

    def _settled(self, item: Piece, found: _Checked) -> Check:
        """Return the check after all files that belong to it are written."""
        check = self._told_apart(item, self._told_once(found.check))
        for name in found.protected:
            self._unknown.pop(name, None)
        if self._certificates is not None:
            check = self._certificates.write(check, found.how_read)
        return check

    def _told_once(self, check: Check) -> Check:
        """Return the check without the remark that concerns the whole run. That remark is reported once."""
        strict = next((remark for remark in check.remarks if remark.code == STRICT_LABELS), None)
        if strict is None:
            return check
        if strict not in self.remarks:
            self._announce(strict)
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


COLUMNS = ("document", "answers", "consistent", "agreement", "links")


@dataclass(frozen=True, slots=True, repr=False)
class CheckedAnswers(HasWarnings):
    """The answers about one document."""

    document: str
    verdicts: tuple[str, ...]  # of the answers, in order; "unreadable" for those that could not be read
    agreement: Fraction | None  # None: fewer than two answers, or no pair that two answers relate
    consensus: DocumentDecoding | None  # None: no answer could be used
    feedback: tuple[str, ...] = ()  # for each answer its conflict as a sentence, or an empty text
    warnings: tuple[Remark, ...] = ()  # links of all answers that could not be used

    def __repr__(self) -> str:
        skipped = skipped_words(self.skipped_links)
        return f"CheckedAnswers({self.document!r}: {self.consistent} of {len(self.verdicts)} consistent{skipped})"

    @property
    def consistent(self) -> int:
        """Return how many answers are consistent."""
        return self.verdicts.count(DocumentVerdict.CONSISTENT.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``check --answers --output json`` prints."""
        links = self.consensus.to_dict()["links"] if self.consensus is not None else []
        return {
            "document": self.document,
            "answers": len(self.verdicts),
            "samples": len(self.verdicts),  # as it was called before
            "verdicts": list(self.verdicts),
            "consistent": self.consistent,
            "rate": self.consistent / len(self.verdicts),
            "agreement": None if self.agreement is None else float(self.agreement),
            "consensus": links,
            "feedback": list(self.feedback),
            "skipped_links": self.skipped_links,
        }

    def row(self) -> dict[str, object]:
        """Return the cells of a table."""
        links = 0 if self.consensus is None else len(self.to_dict()["consensus"])
        shown = None if self.agreement is None else float(self.agreement)
        cells = (self.document, len(self.verdicts), self.consistent, shown, links)
        return dict(zip(COLUMNS, cells, strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class AnswerChecks(OfDocuments[CheckedAnswers]):
    """All documents with their answers."""

    documents: tuple[CheckedAnswers, ...]

    def __repr__(self) -> str:
        return f"AnswerChecks({counted(len(self.documents), 'document')}{skipped_words(self.skipped_links)})"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what ``check --answers --output json`` prints."""
        return [each.to_dict() for each in self.documents]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per document."""
        return to_frame([each.row() for each in self.documents], COLUMNS)


def each_answered(source: Inputs, shared: Mapping[str, Any], observer: Observer) -> Iterator[CheckedAnswers]:
    """Yield a comparison of several answers for each document: documents of one name are answers about the same text.

    The time limit is for each answer and for each consensus.

    >>> answers = [Document("d", [("a", "BEFORE", "b")]), Document("d", [("a", "AFTER", "b")]),
    ...            Document("d", [("b", "AFTER", "a")])]
    >>> (found,) = check(answers, answers=True).documents
    >>> found, found.agreement, [link["label"] for link in found.to_dict()["consensus"]]
    (CheckedAnswers('d': 3 of 3 consistent), Fraction(1, 3), ['BEFORE'])
    """
    going = Going.over(source, shared)
    by_name: dict[str, list[Document | Unreadable]] = {}
    for each in documents(source, going.options, report=observer.corpus_remark):
        for trouble in trouble_with(each):
            observer.unusable(*trouble)
        by_name.setdefault(each.id, []).append(each)
    if not any(len(answers) > 1 for answers in by_name.values()):
        raise UsageError("no document has two answers: answers are documents of the same name")
    return (_answered(name, answers, going.limit) for name, answers in by_name.items())


def _answered(name: str, answers: Sequence[Document | Unreadable], budget: float | None) -> CheckedAnswers:
    found = [check(each, repair=False, time_limit=budget)[0] for each in answers]
    usable = [each for each in answers if isinstance(each, Document)]
    consensus = None
    if len(usable) > 1:
        from temporacle.tasks.decode import decode

        (consensus,) = decode([[each] for each in usable], consensus=True, time_limit=budget)
    return CheckedAnswers(
        name,
        tuple(each.verdict.value for each in found),
        agreement_of(usable),
        consensus,
        tuple(each.feedback() for each in found),
        tuple(remark for each in usable for remark in each.dropped),
    )


def agreement_of(answers: Sequence[Document]) -> Fraction | None:
    """Return the mean share of pairs that two answers relate in the same way, of all that one of them relates.

    Each relation of a pair is taken in one direction, so "a before b" agrees with "b after a". Cost: quadratic in the
    number of answers.
    """
    stated = [_relations(each) for each in answers]
    shares = []
    for first, second in combinations(stated, 2):
        pairs = first.keys() | second.keys()
        if pairs:
            same = sum(first.get(pair) == second.get(pair) for pair in pairs)
            shares.append(Fraction(same, len(pairs)))
    return sum(shares, Fraction()) / len(shares) if shares else None


def _relations(document: Document) -> dict[tuple[str, str], frozenset[Relation]]:
    found: dict[tuple[str, str], frozenset[Relation]] = {}
    for link in document.links:
        pair, relation = (link.source, link.target), link.relation
        if link.source > link.target:
            pair, relation = (link.target, link.source), relation.converse()
        found[pair] = found.get(pair, frozenset()) | {relation}
    return found
