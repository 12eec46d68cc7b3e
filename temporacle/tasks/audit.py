"""Audits: is another closure right?

audit(close, cases=1000, seed=0)                 a live implementation, asked about generated graphs
audit("mypackage.closure:close")                 the same by name, in a process of its own
audit(command="./close {input}")                 any executable
audit(close, source="corpus/")                   asked about documents instead
audit_claims("links.tsv", "closure.tsv")         a closure that was written to files
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Unpack

from temporacle import __version__
from temporacle.audit.answers import FaultKind, Vocabulary
from temporacle.audit.claims import ClaimedDocument, Claims, ClaimsJob, claim_options, claims_in, claims_of
from temporacle.audit.engines import CHECKED, CHECKED_ON_MEDIUM, check_engine, judges, promises_completeness
from temporacle.audit.findings import Audit, AuditTally, Crosscheck, EngineAudit
from temporacle.audit.generate import AuditCase, CasePlan, MediumPlan
from temporacle.audit.judge import certificate_for, network_of
from temporacle.audit.live import LiveAudit
from temporacle.audit.pasted_tests import Implementation, python_test, shell_test
from temporacle.audit.subjects.foreign import CommandSubject, PythonSubject
from temporacle.corpus.inputs import documents, paths_of
from temporacle.corpus.options import CorpusOptions, Going
from temporacle.declared import About, whole_task
from temporacle.errors import UsageError, spelled
from temporacle.model import Action, Document, Remark, Unreadable
from temporacle.plugins import Group, names_of, plugin_named
from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs.certificate import accepted
from temporacle.reasoner.reference.engines import ENGINES, LANES
from temporacle.runner import work
from temporacle.tasks.certificates import CertificateFiles, DocumentFiles, require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from temporacle.audit.claims import JudgedDocument
    from temporacle.audit.findings import Finding
    from temporacle.corpus.inputs import Inputs
    from temporacle.io.source import Options

    Audited = str | Callable[[list[tuple[str, str, str]]], Iterable[tuple[str, str, str]] | None]


class AuditObserver:
    """Gets the events of an audit as they happen. This class ignores them."""

    def finding(self, finding: Finding) -> None:
        """Take a finding. Findings of a live audit come at its end, when they have been counted."""

    def remark(self, remark: Remark) -> None:
        """Take a remark about something that could not be read (``Action.DROPPED``) or that a person should know."""

    def progress(self, done: int, total: int) -> None:
        """Take the number of cases or documents that have been judged."""


_SILENT = AuditObserver()
CASES, EVIDENCE = 1000, 1000
ANSWER = 10.0  # seconds that a program has for an answer if there is no time limit
DeterminedOnly: TypeAlias = Annotated[bool, About("Expect only pairs whose relation is a single atom.")]
Evidence: TypeAlias = Annotated[
    int, About("Number of findings per document that get evidence; the others are only listed.", value="N", least=0)
]
Proofs: TypeAlias = Annotated[
    "str | PathLike[str] | None",
    About("Write a certificate of each finding, for temporacle verify.", value="DIR", path="folder"),
]


@whole_task
def audit(
    implementation: Annotated[
        Audited | None,
        About("Audit this function (or tieval, anaforatools, timegraph).", value="MODULE:FUNCTION", place="option"),
    ] = None,
    claimed: Annotated[Inputs | None, About("Another program's closure of the documents.", only_python=True)] = None,
    *,
    command: Annotated[
        str | None,
        About("Audit this program. It reads links TSV and writes closure TSV.", value="'PROG {input}'"),
    ] = None,
    source: Annotated[
        Inputs | None,
        About("Documents to ask about (default: generated graphs).", value="[SOURCE]", place="argument", path="read"),
    ] = None,
    cases: Annotated[int, About("Number of graphs to generate.", value="N", least=1)] = CASES,
    seed: Annotated[int, About("Seed of the graphs.", value="N")] = 0,
    relations: Annotated[str, About("Relations of generated links.", choices=tuple(Vocabulary))] = "atomic",
    entities: Annotated[int, About("Largest number of entities in a small graph.", value="N", least=2)] = 6,
    large: Annotated[int, About("Entities in a large graph; 0 for no large graphs.", value="N", least=0)] = 30,
    inconsistent: Annotated[
        Sequence[str | type[BaseException]],
        About("Type of exception that means: the links are inconsistent.", value="TYPE"),
    ] = (),
    determined_only: DeterminedOnly = False,
    evidence: Evidence = EVIDENCE,
    vary: Annotated[bool, About("Also ask equivalent questions: other order, names, direction, state.")] = True,
    certificates: Proofs = None,
    observer: AuditObserver = _SILENT,
    **shared: Unpack[CorpusOptions],
) -> Audit:
    """Check another closure: one in files, ``audit(source, claimed)``, or a live implementation.

    With ``claimed``, the first argument is the source, and what another program claims to follow from its documents is
    judged: claims belong to the document of the same name. Otherwise an implementation is asked about many graphs, and
    what is wrong is shrunk to minimal graphs.

    An implementation is a function, or names one as ``"module:function"`` or ``"path/to/file.py:function"``. It takes
    links ``[("a", "b|m", "b"), ...]`` and returns the closure in the same form; None says that the links contradict
    each other. It runs in processes of its own and may raise, hang or crash. The time limit also holds for each of its
    answers; without one it has 10 seconds. A ``command`` is a program instead: links as TSV in, its closure as TSV or
    the line ``inconsistent`` out.

    Args:
        observer: Gets findings and progress.

    Returns:
        The findings, each with a smallest graph, evidence and a test.

    Raises:
        UsageError: The implementation cannot be loaded, or options do not fit together.

    Examples:
        >>> audit(lambda links: links, cases=5, vary=False).clean  # finds nothing that follows
        False
    """
    if claimed is not None:
        if command is not None or (implementation is not None and source is not None):
            raise UsageError("give SOURCE and CLAIMED, or one of implementation and command")
        made = (cases, seed, relations, entities, large, tuple(inconsistent))
        if made != (CASES, 0, "atomic", 6, 30, ()):
            raise UsageError("options about generated graphs and live answers have no effect on a closure in files")
        about = implementation if source is None else source
        given_to_both: Any = {"determined_only": determined_only, "certificates": certificates, "observer": observer}
        return audit_claims(about, claimed, evidence=evidence, **given_to_both, **shared)
    if many := [name for name in ("jobs", "scheduler", "resume") if shared.get(name) not in (None, 1)]:
        raise UsageError(
            f"{', '.join(map(spelled, many))}: only for a closure in files; a live audit asks one question at a time"
        )
    going = Going.over(() if source is None else source, shared)
    options, budget = going.options, going.limit
    plan = None if source is not None else _plan(cases, seed, relations, entities, large)
    log = _Log(observer)
    with _subject(implementation, command, ANSWER if budget is None else budget, inconsistent) as subject:
        given = list(plan if plan is not None else _cases_of(source, options, log))
        if not given:
            raise UsageError(f"{_name(source, 'source')} holds no readable document")
        run = LiveAudit(subject, budget=budget, vary=vary, disjunctions=not determined_only)
        tally = run.run(given, lambda: observer.progress(run.tally.cases, len(given)))
        name = subject.name
    if tally.declined == tally.cases:
        log.dropped("all-declined", "every graph was declined by the implementation: nothing has been checked")
    findings = tuple(_with_test(finding, number, subject) for number, finding in enumerate(tally.grouped(), 1))
    if certificates is not None:
        proofs = AuditCertificates(certificates)
        findings = tuple(proofs.of_case(finding, budget) for finding in findings)
    for finding in findings:
        observer.finding(finding)
    settings = {} if plan is None else _settings(plan)
    return Audit(name, findings, tally.to_dict(), tally.clean, tuple(log.remarks), settings, False, log.skipped)


@whole_task
def audit_claims(
    source: Annotated[Inputs, About("Documents that the claims are about.", value="SOURCE", path="read")],
    claimed: Annotated[
        Inputs, About("Another program's closure of SOURCE.", value="[CLAIMED]", place="argument", path="read")
    ],
    *,
    evidence: Evidence = EVIDENCE,
    determined_only: DeterminedOnly = False,
    certificates: Proofs = None,
    observer: AuditObserver = _SILENT,
    **shared: Unpack[CorpusOptions],
) -> Audit:
    """Judge what another program claims to follow from documents.

    Claims belong to the document of the same name; a single document and a single closure belong together under any
    names. Several claims about a pair hold together, also in several files.

    Args:
        observer: Gets findings and progress.

    Returns:
        The findings, each with evidence.

    Raises:
        UsageError: Options that do not fit together.

    Examples:
        >>> audit_claims([("a", "b", "b"), ("b", "b", "c")], [("a", "b", "b"), ("b", "b", "c"), ("a", "bi", "c")])
        Audit('claimed', documents: 1, findings: 1)
    """
    going = Going.over(source, shared, claimed)
    options, budget = going.options, going.limit
    log, name = _Log(observer), _name(claimed, "claimed")
    proofs = None
    if certificates is not None:
        require_recordable(options.choices)
        proofs = AuditCertificates(certificates)
    claims, items = _paired(source, claimed, options, log, proofs)
    tally = AuditTally()
    job = ClaimsJob(budget, evidence, determined_only, proofs is not None)
    for judged in _judged_documents(items, job, going, log.changed):
        tally.cases += 1
        if judged.undecided is not None:
            tally.undecided += 1
            log.dropped("undecided", judged.undecided, judged.name)
        else:
            tally.count(judged.judged)
        listing = Budget(judged.left)
        for number, found in enumerate(judged.findings):
            if number >= evidence and (listing.remaining() or 1) < 0:
                some = f"the time limit ran out after {number} of {len(judged.findings)} findings were listed"
                log.dropped("time-limit", some, judged.name)
                break
            finding = found if proofs is None else proofs.of_claim(found)
            tally.findings.append(finding)
            observer.finding(finding)
        observer.progress(tally.cases, len(items))
    known = {item.name for item in items}
    for stranger in sorted(set(claims.documents) - known):
        log.dropped("unknown-document", f"document {stranger!r} is not in {_name(source, 'source')}", name)
    counts = tally.to_dict()
    return Audit(name, tuple(tally.findings), counts, tally.clean, tuple(log.remarks), {}, True, log.skipped)


def _judged_documents(
    items: Sequence[ClaimedDocument], job: ClaimsJob, going: Going, changed: Callable[[str], None]
) -> Iterator[JudgedDocument]:
    """Yield the documents judged, in order; ``changed`` gets those that differ from what the checkpoint knows."""
    from temporacle.runner.journal import Journal

    run = repr((__version__, "audit", job))
    kept = nullcontext() if going.resume is None else closing(Journal(going.resume, run, changed))
    with kept as journal:
        for _, (judged,) in work(items, job, going.plan, journal=journal, key=lambda item: (item.name, item.digest)):
            yield judged


class _Log:
    """Keeps remarks, and passes them on at once."""

    def __init__(self, observer: AuditObserver) -> None:
        self.remarks: list[Remark] = []
        self.skipped: Counter[str] = Counter()  # links by code
        self._observer = observer

    def add(self, remark: Remark) -> None:
        """Take a remark about links, or about the whole audit."""
        if remark.action is Action.DROPPED:
            self.skipped[remark.code] += 1
        self._say(remark)

    def dropped(self, code: str, message: str, place: str | None = None) -> None:
        """Add a remark that something other than a link is left out."""
        self._say(Remark(code, message, element=place, action=Action.DROPPED))

    def _say(self, remark: Remark) -> None:
        self.remarks.append(remark)
        self._observer.remark(remark)

    def changed(self, document: str) -> None:
        """Add a remark that a document, or the claims about it, changed after a journal was written."""
        self.add(Remark("changed", f"document {document!r} or the claims about it have changed; it is checked again"))

    def about(self, found: Document | Unreadable) -> None:
        """Add remarks on everything that could not be used: the whole document, or some of its links."""
        if isinstance(found, Unreadable):
            self.dropped("unreadable", str(found.error), found.path)
            return
        for remark in found.dropped:
            place = ":".join(str(part) for part in (found.path, remark.line) if part is not None)
            self.add(remark._replace(message=remark.sentence(), line=None, element=place))


def _name(source: Inputs, otherwise: str) -> str:
    paths = paths_of(source)
    return otherwise if paths is None else ", ".join(paths)


# --- live ------------------------------------------------------------------------------------------------------------


def _plan(cases: int, seed: int, relations: str, entities: int, large: int) -> CasePlan:
    if relations not in tuple(Vocabulary):
        raise UsageError(option="relations", value=relations, allowed=Vocabulary)
    for name, value, least in (("cases", cases, 1), ("entities", entities, 2), ("large", large, 0)):
        if value < least:
            raise UsageError(f"{name} is {value}: give {least} or more")
    return CasePlan(cases, seed, Vocabulary(relations), entities, large)


def _settings(plan: CasePlan) -> dict[str, Any]:
    return {
        "seed": plan.seed,
        "relations": plan.vocabulary.value,
        "entities": plan.entities,
        "large": plan.large,
    }


def _subject(
    implementation: Audited | None,
    command: str | None,
    limit: float,
    inconsistent: Sequence[str | type[BaseException]],
) -> PythonSubject | CommandSubject:
    if (implementation is None) == (command is None):
        raise UsageError("give one of implementation and command")
    if limit <= 0:
        raise UsageError(f"{limit:g} seconds leave no time for an answer: give more than 0", option="time_limit")
    if command is not None:
        return CommandSubject(command, seconds=limit)
    if isinstance(implementation, str) and (plugin := plugin_named(Group.ENGINES, implementation)) is not None:
        implementation = plugin.implementation.close
    if implementation is None or not (isinstance(implementation, str) or callable(implementation)):
        raise UsageError(
            f"cannot audit a {type(implementation).__name__}: give a function or its name; "
            "for claims in files, use audit_claims(source, claimed)"
        )
    if isinstance(inconsistent, str | type):
        inconsistent = (inconsistent,)
    names = [kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}" for kind in inconsistent]
    return PythonSubject(implementation, seconds=limit, inconsistent=names)


def _cases_of(source: Inputs, options: Options, log: _Log) -> Iterator[AuditCase]:
    """Yield the documents of a source as cases."""
    number = 0
    for document in documents(source, options, report=log.add):
        log.about(document)
        if isinstance(document, Document):
            number += 1
            links = tuple((link.source, link.relation, link.target) for link in document.links)
            yield AuditCase(number, document.id, links)


def _with_test(finding: Finding, number: int, subject: PythonSubject | CommandSubject) -> Finding:
    if isinstance(subject, CommandSubject):
        return replace(finding, test=shell_test(finding, subject.name))
    return replace(finding, test=python_test(finding, number, subject.implementation))


# --- claims ----------------------------------------------------------------------------------------------------------


def _paired(
    source: Inputs, claimed: Inputs, options: Options, log: _Log, proofs: AuditCertificates | None
) -> tuple[Claims, list[ClaimedDocument]]:
    """Return the claims, and each document of the source with what is claimed about it."""
    found: dict[str, Document] = {}
    took: dict[str, float] = {}  # the time to read each document
    began = monotonic()
    for document in documents(source, options, report=log.add):
        log.about(document)
        took[document.id], began = monotonic() - began, monotonic()
        if isinstance(document, Document):
            if document.id in found:
                where = " and ".join(str(each.path) for each in (found[document.id], document))
                raise UsageError(f"two documents are called {document.id!r}: {where}; rename one of them")
            if proofs is not None:
                proofs.about(document)
            # Text and spans are not needed, and would fill the memory.
            found[document.id] = Document(document.id, document.links, document.entity_ids, how_read=document.how_read)
    if not found:
        raise UsageError(f"{_name(source, 'source')} holds no readable document")
    claims = _claims(claimed, options, found.values(), log)
    if len(found) == len(claims.documents) == 1:
        (only,) = found
        claims.rename_only(only)
        took[only] += monotonic() - began
    known = set(claims.documents)
    items = []
    for name, document in found.items():
        if name not in known and not claims.everything:
            log.add(Remark("no-claims", f"{_name(claimed, 'claimed')} claims nothing about document {name!r}"))
        items.append(ClaimedDocument(name, document.entity_ids, document.links, claims.answer(name), took[name]))
    return claims, items


def _claims(claimed: Inputs, options: Options, about: Iterable[Document], log: _Log) -> Claims:
    lenient = claim_options(options, about)
    paths = paths_of(claimed)
    if paths is None:
        claims = claims_of(documents(claimed, lenient, report=log.add), log.add)
    else:
        claims = claims_in(paths, lenient, log.add)
    claims.require_some(_name(claimed, "claimed"))
    return claims


# --- certificates: others can check that a finding is right, without trusting the reasoner ---------------------------


class AuditCertificates:
    """A folder with one certificate for each finding, named by its document or case, and its kind."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._files = CertificateFiles(folder)
        self._documents = DocumentFiles()
        self._records: dict[str, dict[str, Any] | None] = {}

    def about(self, document: Document) -> None:
        """Take note of the file of a document that is audited."""
        self._records[document.id] = self._documents.record(
            document.id, document.path, document.how_read, document.dropped
        )

    def of_claim(self, finding: Finding) -> Finding:
        """Return a finding about a document with the path of its certificate, if it has one."""
        record = self._records.get(finding.document or "")
        if finding.certificate is None or record is None:
            return replace(finding, certificate=None)
        form = dict(finding.certificate) | {"document": record}
        return self._written(finding, form, finding.document or "", record["path"])

    def of_case(self, finding: Finding, budget: float | None) -> Finding:
        """Return a finding about a generated graph with the path of its certificate, if it has one."""
        form = certificate_for(network_of(finding.graph), finding.fault, Budget(budget))
        return finding if form is None else self._written(finding, dict(form), f"case-{finding.case}")

    def _written(self, finding: Finding, form: dict[str, Any], name: str, read: str | None = None) -> Finding:
        path = self._files.write(f"{name}.{finding.kind.value}", accepted(form), read=[read])
        return replace(finding, certificate=None, certificate_path=str(path))


_OF_COMPLETENESS = (FaultKind.INCOMPLETE, FaultKind.MISSED_INCONSISTENCY)
_MEDIUM_SHARE = 10  # one medium graph for so many small ones


@whole_task
def crosscheck(
    *,
    cases: Annotated[int, About("Number of graphs to generate.", value="N", least=1)] = 300,
    seed: Annotated[int, About("Seed of the graphs.", value="N")] = 0,
    entities: Annotated[int, About("Largest number of entities in a graph.", value="N", least=2, most=6)] = 4,
    medium: Annotated[
        int | None,
        About("Number of graphs of 8 to 30 entities; a tenth of the cases by default.", value="N", least=0),
    ] = None,
    relations: Annotated[str, About("Relations of the links.", choices=tuple(Vocabulary))] = "any",
    engine: Annotated[
        str | Sequence[str] | None,
        About(f"Only this engine (repeatable): {', '.join((*ENGINES, *LANES))}, or certificates.", value="ENGINE"),
    ] = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Crosscheck:
    """Compare the engines, and the parts of the exact one, on generated graphs.

    All are judged by the enumeration of all scenarios, and the enumeration by CP-SAT. Graphs of 8 to 30 entities are
    judged by CP-SAT: the verdict, and what follows for three of the entities. An engine that promises soundness only
    may miss relations: these are counted, and are not findings.

    Args:
        progress: Gets how many graphs of how many are done.

    Returns:
        How often the engines were compared, and where they differ.

    Raises:
        UsageError: An unknown engine, or a number out of range.

    Examples:
        >>> crosscheck(cases=5, engine="propagation").clean
        True
    """
    names = [engine] if isinstance(engine, str) else list(dict.fromkeys(engine or CHECKED))
    for name in names:
        if promises_completeness(name) is None:
            raise UsageError(option="engine", value=name, allowed=names_of(Group.ENGINES, CHECKED))
    if relations not in tuple(Vocabulary):
        raise UsageError(option="relations", value=relations, allowed=Vocabulary)
    if cases < 1 or not 2 <= entities <= 6:
        raise UsageError(f"cases is {cases} and entities {entities}: give 1 or more cases, and 2 to 6 entities")
    more = cases // _MEDIUM_SHARE if medium is None else medium
    if more < 0:
        raise UsageError(f"medium is {more}: give 0 or more")
    vocabulary = Vocabulary(relations)
    on_medium = [name for name in names if name in CHECKED_ON_MEDIUM] if more else []
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress(done, cases * len(names) + more * len(on_medium))

    by = judges()
    small = CasePlan(cases, seed, vocabulary, entities, large=0)
    rows = [_row(name, check_engine(name, small, advance, by=by)) for name in names]
    by = judges(medium=True)
    larger = MediumPlan(more, seed, vocabulary)
    for name in on_medium:
        tally = check_engine(name, larger, advance, by=by, medium=True)
        rows.append(replace(_row(name, tally), graphs="medium"))
    return Crosscheck(tuple(rows), cases, seed)


def _row(name: str, tally: AuditTally) -> EngineAudit:
    complete = bool(promises_completeness(name))
    code = ("from temporacle.audit.engines import engine_function", "", f"closure = engine_function({name!r})")
    findings = tuple(
        replace(finding, test=python_test(finding, number, Implementation(code)))
        for number, finding in enumerate(tally.grouped(), 1)
        if complete or finding.kind not in _OF_COMPLETENESS
    )
    return EngineAudit(name, complete, findings, tally.to_dict(), tally.clean if complete else tally.is_sound)
