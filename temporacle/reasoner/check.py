"""Everything ``check`` finds out about one document. A pure function of values, so that it can run in any process.

A consistent document of convex links, which is the usual case in a corpus, costs one topological sort (``quick``): no
oracle, no closure, no witness. The rest is worked out only where it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.model import Remark, Unreadable
from temporacle.readings import load_reading
from temporacle.reasoner.explanation import explain
from temporacle.reasoner.network import Budget, Network, NotMinimal
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.quick import surely_consistent
from temporacle.results import Certificate, CheckResult, DocumentVerdict, Relabelling, Repair, Unrepairable

if TYPE_CHECKING:
    from temporacle.model import Document, Link


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What to find out beside the verdict."""

    explain: bool = True
    conflicts: int = 1  # how many conflicts that share no link
    repair: bool = False
    relabel: bool = False
    protect: tuple[str, ...] = ()  # ids and labels of links that are never dropped
    certificate: bool = False
    budget: float | None = None  # seconds
    reading: str | None = None  # of the labels, for relabelling; None: the document's own
    during: str = "simultaneous"


_DEFAULT = CheckOptions()
_source, _target = attrgetter("source"), attrgetter("target")  # faster than a generator over all links
OUT_OF_TIME = "out-of-time"  # the code of the remark on a verdict without all that was asked for


def check_document(document: Document | Unreadable, options: CheckOptions = _DEFAULT) -> CheckResult:
    """The verdict on a document, with what the options ask for. Never raises for what is in the document."""
    if isinstance(document, Unreadable):
        return CheckResult(document.id, document.path, DocumentVerdict.UNREADABLE, error=str(document.error))
    started = perf_counter()
    if not options.certificate and surely_consistent(document.links):
        return CheckResult(
            document=document.id,
            path=document.path,
            verdict=DocumentVerdict.CONSISTENT,
            entities=_count_entities(document),
            links=len(document.links),
            decided_by="graph",
            warnings=document.remarks,
            seconds=perf_counter() - started,
        )
    budget = Budget(options.budget)
    oracle = Oracle(document, budget=budget)
    network = oracle.network
    verdict = DocumentVerdict.UNDECIDED
    decided_by = error = None
    findings = _Findings()
    warnings = document.remarks
    try:
        consistent = oracle.is_consistent()
        verdict = DocumentVerdict.CONSISTENT if consistent else DocumentVerdict.INCONSISTENT
        decided_by = oracle.decided_by
        if not consistent:
            _explain(findings, document, network, options, budget)
        elif options.certificate:
            findings.certificate = Certificate("consistent", network.links, witness=oracle.witness())
    except BudgetExceeded as limit:
        if verdict is DocumentVerdict.UNDECIDED:
            error = str(limit)
        else:
            warnings = (
                *warnings,
                Remark(OUT_OF_TIME, _unfinished(findings, limit)),
            )
    except (InternalError, UsageError) as problem:
        verdict, error = DocumentVerdict.UNDECIDED, str(problem)
    return CheckResult(
        document=document.id,
        path=document.path,
        verdict=verdict,
        entities=len(network.entities),
        links=len(network.links),
        decided_by=decided_by,
        conflicts=findings.conflicts,
        chains=findings.chains,
        repair=findings.repair,
        relabellings=findings.relabellings,
        certificate=findings.certificate,
        warnings=warnings,
        error=error,
        seconds=perf_counter() - started,
        not_minimal=findings.not_minimal,
    )


def _unfinished(findings: _Findings, limit: BudgetExceeded) -> str:
    """What is missing when the time is over after the verdict."""
    if findings.not_minimal:
        return f"the verdict stands, and the conflict is one, but it may hold links that are not needed: {limit}"
    return f"the verdict stands, but not all that was asked for: {limit}"


def _count_entities(document: Document) -> int:
    """Those declared, and those that only links mention."""
    known = set(document.entity_ids)
    known.update(map(_source, document.links))
    known.update(map(_target, document.links))
    return len(known)


@dataclass(slots=True)
class _Findings:
    """Filled step by step, so that what was found before the time ran out is kept."""

    conflicts: tuple[tuple[Link, ...], ...] = ()
    chains: tuple[tuple[str, ...], ...] = ()
    repair: Repair | Unrepairable | None = None
    relabellings: tuple[Relabelling, ...] = ()
    certificate: Certificate | None = None
    not_minimal: bool = False

    def add(self, conflict: tuple[Link, ...], document: Document) -> None:
        self.conflicts += (conflict,)
        self.chains += (tuple(explain(conflict, _texts(document, conflict))),)


def _explain(findings: _Findings, document: Document, network: Network, options: CheckOptions, budget: Budget) -> None:
    """Conflicts, repair and certificate of an inconsistent document."""
    from temporacle.reasoner.certificates import certify_conflict
    from temporacle.reasoner.conflicts import disjoint_conflicts
    from temporacle.reasoner.repair import named_in, relabellings, repair

    if options.explain:
        try:
            for conflict in disjoint_conflicts(network, budget, max(options.conflicts, 1)):
                findings.add(conflict, document)
        except NotMinimal as unfinished:
            findings.add(unfinished.links, document)
            findings.not_minimal = True
            raise
    if options.repair:
        findings.repair = repair(network, budget, named_in(options.protect))
        if options.relabel and isinstance(findings.repair, Repair):
            reading = load_reading(options.reading or document.reading or "links", options.during)
            findings.relabellings = relabellings(network, findings.repair, reading, budget)
    if options.certificate:
        known = None
        if findings.conflicts:
            positions = {id(link): number for number, link in enumerate(network.links)}
            known = [positions[id(link)] for link in findings.conflicts[0]]
        findings.certificate = certify_conflict(network, budget, known)


def _texts(document: Document, conflict: tuple[Link, ...]) -> dict[str, str]:
    """The words of the entities in a conflict, where the format has them."""
    wanted = {end for link in conflict for end in (link.source, link.target)}
    return {entity.id: entity.text for entity in document.entities if entity.text and entity.id in wanted}
