"""Audits: is another closure right?

audit(close, cases=1000, seed=0)                 a live implementation, asked about generated graphs
audit("mypackage.closure:close")                 the same by name, in a process of its own
audit(command="./close {input}")                 any executable
audit(close, source="corpus/")                   asked about documents instead
audit_claims("links.tsv", "closure.tsv")         a closure that was written to files
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from temporacle.audit.answers import Vocabulary
from temporacle.audit.claims import Claims, claim_options, claims_in, claims_of
from temporacle.audit.documents import ClaimedDocument, ClaimsJob
from temporacle.audit.findings import Audit, AuditTally
from temporacle.audit.generate import AuditCase, CasePlan
from temporacle.audit.live import LiveAudit
from temporacle.audit.pasted_tests import python_test, shell_test
from temporacle.audit.subjects.foreign import CommandSubject, PythonSubject
from temporacle.corpus.inputs import documents, paths_of, require_columns
from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.model import Action, Document, Remark, Unreadable
from temporacle.plugins import Group, plugin_named
from temporacle.tasks.audit_certificates import AuditCertificates
from temporacle.tasks.provenance import require_recordable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from temporacle.audit.findings import Finding
    from temporacle.corpus.inputs import Inputs, ReadingOptions

    Implementation = str | Callable[[list[tuple[str, str, str]]], Iterable[tuple[str, str, str]] | None]


class AuditObserver:
    """Gets the events of an audit as they happen. This class ignores them."""

    def finding(self, finding: Finding) -> None:
        """Take a finding. Findings of a live audit come at its end, when they have been counted."""

    def remark(self, remark: Remark) -> None:
        """Take a remark about something that could not be read (``Action.DROPPED``) or that a person should know."""

    def progress(self, done: int, total: int) -> None:
        """Take the number of cases or documents that have been judged."""


_SILENT = AuditObserver()


def audit(
    implementation: Implementation | None = None,
    *,
    command: str | None = None,
    source: Inputs | None = None,
    cases: int = 1000,
    seed: int = 0,
    relations: str = "atomic",
    entities: int = 6,
    large: int = 30,
    limit: float = 10.0,
    inconsistent: Sequence[str | type[BaseException]] = (),
    determined_only: bool = False,
    vary: bool = True,
    budget: float | None = None,
    certificates: str | PathLike[str] | None = None,
    observer: AuditObserver = _SILENT,
    **reading: Unpack[ReadingOptions],
) -> Audit:
    """Ask a live implementation about many graphs, and shrink what is wrong to minimal graphs.

    ``implementation`` is a function, or names one as ``"module:function"`` or ``"path/to/file.py:function"``. It takes
    links ``[("a", "b|m", "b"), ...]`` and returns the closure in the same form; None says that the links contradict
    each other. It runs in processes of its own and may raise, hang or crash. ``command`` is a program instead: links
    TSV in, closure TSV or the line ``inconsistent`` out.

    ``source``: documents to ask about; without it ``cases`` graphs are generated from ``seed``.
    ``relations``: those of generated links: "atomic", "convex" or "any" disjunction.
    ``entities``: of a small graph at most. ``large``: of the occasional large graph; 0 for none.
    ``limit``: seconds for an answer.
    ``inconsistent``: exceptions, or names of their types, that say that the links contradict each other.
    ``determined_only``: demand completeness only for pairs that have a single relation.
    ``vary``: also ask equivalent questions, whose answers must be the same.
    ``budget``: seconds for the exact answer to a graph; beyond it the graph is undecided.
    ``certificates``: a folder for a certificate of each finding, for ``tp.verify``.
    ``observer``: gets findings and progress. Further keywords, such as ``during``, say how ``source`` is read.

    >>> audit(lambda links: links, cases=5, vary=False).clean  # finds nothing that follows
    False
    """
    options = Options(**reading)
    plan = None if source is not None else _plan(cases, seed, relations, entities, large)
    log = _Log(observer)
    with _subject(implementation, command, limit, inconsistent) as subject:
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
    return Audit(name, findings, tally.to_dict(), tally.clean, tuple(log.remarks), settings)


def audit_claims(
    source: Inputs,
    claimed: Inputs,
    *,
    evidence: int = 1000,
    determined_only: bool = False,
    budget: float | None = None,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    resume: str | None = None,
    certificates: str | PathLike[str] | None = None,
    observer: AuditObserver = _SILENT,
    **reading: Unpack[ReadingOptions],
) -> Audit:
    """Judge what another program claims to follow from documents.

    ``source`` and ``claimed`` are paths, documents, statements or frames. Claims belong to the document of the same
    name; a single document and a single closure belong together whatever they are called. Several claims about a pair
    hold together, in however many files they stand.

    >>> audit_claims([("a", "b", "b"), ("b", "b", "c")], [("a", "b", "b"), ("b", "b", "c"), ("a", "bi", "c")])
    Audit('claimed', documents: 1, findings: 1)

    ``evidence``: findings of a document that get evidence; further ones are only listed.
    ``determined_only``: demand completeness only for pairs that have a single relation.
    ``budget``: seconds for each document; beyond it the document is undecided.
    ``jobs``, ``backend``, ``scheduler``: number of processes; "local" or "dask"; the address of a Dask scheduler.
    ``resume``: a file that keeps what was found, and to go on from if it exists.
    ``certificates``: a folder for a certificate of each finding that gets evidence, for ``tp.verify``.
    ``observer``: gets findings and progress. Further keywords, such as ``during``, say how both
    sides are read.
    """
    from temporacle.runner import Backend, Plan
    from temporacle.tasks.audit_work import judged_documents

    if backend not in tuple(Backend):
        raise UsageError(f"unknown backend {backend!r}: choose {' or '.join(Backend)}")
    plan, options = Plan(jobs, Backend(backend), scheduler), Options(**reading)
    require_columns(options, source, claimed)
    log, name = _Log(observer), _name(claimed, "claimed")
    proofs = None
    if certificates is not None:
        require_recordable(options.choices)
        proofs = AuditCertificates(certificates)
    claims, items = _paired(source, claimed, options, log, proofs)
    tally = AuditTally()
    job = ClaimsJob(budget, evidence, determined_only, proofs is not None)
    for judged in judged_documents(items, job, plan, resume=resume, changed=log.changed):
        tally.cases += 1
        if judged.undecided is not None:
            tally.undecided += 1
            log.dropped("undecided", judged.undecided, judged.name)
        else:
            tally.count(judged.judged)
        for found in judged.findings:
            finding = found if proofs is None else proofs.of_claim(found)
            tally.findings.append(finding)
            observer.finding(finding)
        observer.progress(tally.cases, len(items))
    known = {item.name for item in items}
    for stranger in sorted(set(claims.documents) - known):
        log.dropped("unknown-document", f"document {stranger!r} is not in {_name(source, 'source')}", name)
    return Audit(name, tuple(tally.findings), tally.to_dict(), tally.clean, tuple(log.remarks), of_claims=True)


class _Log:
    """Keeps remarks, and passes them on at once."""

    def __init__(self, observer: AuditObserver) -> None:
        self.remarks: list[Remark] = []
        self._observer = observer

    def add(self, remark: Remark) -> None:
        self.remarks.append(remark)
        self._observer.remark(remark)

    def dropped(self, code: str, message: str, place: str | None = None) -> None:
        self.add(Remark(code, message, element=place, action=Action.DROPPED))

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
        raise UsageError(f"unknown relations {relations!r}: choose {', '.join(Vocabulary)}")
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
    implementation: Implementation | None,
    command: str | None,
    limit: float,
    inconsistent: Sequence[str | type[BaseException]],
) -> PythonSubject | CommandSubject:
    if (implementation is None) == (command is None):
        raise UsageError("give one of implementation and command")
    if limit <= 0:
        raise UsageError(f"limit is {limit:g} seconds: give more than 0")
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
    from dataclasses import replace

    if isinstance(subject, CommandSubject):
        return replace(finding, test=shell_test(finding, subject.name))
    return replace(finding, test=python_test(finding, number, subject.implementation))


# --- claims ----------------------------------------------------------------------------------------------------------


def _paired(
    source: Inputs, claimed: Inputs, options: Options, log: _Log, proofs: AuditCertificates | None
) -> tuple[Claims, list[ClaimedDocument]]:
    """Return the claims, and each document of the source with what is claimed about it."""
    found: dict[str, Document] = {}
    for document in documents(source, options, report=log.add):
        log.about(document)
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
        claims.rename_only(next(iter(found)))
    known = set(claims.documents)
    items = []
    for name, document in found.items():
        if name not in known and not claims.everything:
            log.add(Remark("no-claims", f"{_name(claimed, 'claimed')} claims nothing about document {name!r}"))
        items.append(ClaimedDocument(name, document.entity_ids, document.links, claims.answer(name)))
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
