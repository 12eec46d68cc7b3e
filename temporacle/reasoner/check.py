"""Everything ``check`` finds out about one document. A pure function of values, so that it can run in any process.

A consistent document of convex links, which is the usual case in a corpus, costs one topological sort (``quick``): no
oracle, no closure, no witness. The rest is worked out only where it is asked for. The verdict depends on none of it:
a repair that cannot be found is missing, and a remark says why. A failed self-check is the one exception: then
nothing that was computed may be believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING

from temporacle.checks import OUT_OF_TIME, RELABEL_MISSING, REPAIR_MISSING, Check
from temporacle.errors import BudgetExceeded, InternalError, TemporacleError
from temporacle.model import Remark, Unreadable
from temporacle.passages import excerpts_of
from temporacle.reasoner.explanation import explain
from temporacle.reasoner.network import Budget, Network, NotMinimal
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.quick import surely_consistent
from temporacle.results import Certificate, DocumentVerdict, Relabelling, Repair, Unrepairable
from temporacle.wording import NO_EXCERPTS, entities_of, in_text_order

if TYPE_CHECKING:
    from temporacle.model import Document, Link
    from temporacle.passages import Excerpts


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


_DEFAULT = CheckOptions()
_source, _target = attrgetter("source"), attrgetter("target")  # faster than a generator over all links


def check_document(document: Document | Unreadable, options: CheckOptions = _DEFAULT) -> Check:
    """The verdict on a document, with what the options ask for. Never raises for what is in the document."""
    if isinstance(document, Unreadable):
        return Check(document.id, document.path, DocumentVerdict.UNREADABLE, error=str(document.error))
    started = perf_counter()
    if not options.certificate and surely_consistent(document.links):
        return Check(
            document=document.id,
            path=document.path,
            verdict=DocumentVerdict.CONSISTENT,
            entities=_count_entities(document),
            links=len(document.links),
            decided_by="graph",
            remarks=document.remarks,
            relabellings=() if options.relabel else None,
            seconds=perf_counter() - started,
        )
    budget = Budget(options.budget)
    oracle = Oracle(document, budget=budget)
    network = oracle.network
    verdict = DocumentVerdict.UNDECIDED
    decided_by = error = None
    findings = _Findings(relabellings=() if options.relabel else None)
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
            findings.miss(OUT_OF_TIME, _unfinished(findings, limit))
            if options.repair and findings.repair is None and not consistent:
                findings.miss(REPAIR_MISSING, f"no repair: {limit}")
    except InternalError as problem:
        verdict, error = DocumentVerdict.UNDECIDED, str(problem)
    excerpts = findings.excerpts(document)
    conflicts = tuple(in_text_order(conflict, excerpts) for conflict in findings.conflicts)
    return Check(
        document=document.id,
        path=document.path,
        verdict=verdict,
        entities=len(network.entities),
        links=len(network.links),
        decided_by=decided_by,
        conflicts=conflicts,
        chains=tuple(tuple(explain(conflict, excerpts.texts)) for conflict in conflicts),
        quoted=excerpts if excerpts.mentions else None,
        repair=findings.repair,
        relabellings=findings.relabellings,
        certificate=findings.certificate,
        remarks=(*document.remarks, *findings.remarks),
        error=error,
        seconds=perf_counter() - started,
        not_minimal=findings.not_minimal,
    )


def _unfinished(findings: _Findings, limit: BudgetExceeded) -> str:
    """What is missing when the time is over after the verdict."""
    if findings.not_minimal:
        return (
            f"the verdict and the conflict are right, but the conflict may contain links that are not needed: {limit}"
        )
    return f"the verdict is right, but something else could not be found: {limit}"


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
    repair: Repair | Unrepairable | None = None
    relabellings: tuple[Relabelling, ...] | None = None
    certificate: Certificate | None = None
    not_minimal: bool = False
    remarks: tuple[Remark, ...] = ()  # on what was asked for and not found

    def miss(self, code: str, message: str) -> None:
        self.remarks += (Remark(code, message),)

    def excerpts(self, document: Document) -> Excerpts:
        """What the text has about the links that were found."""
        found = [*self.conflicts]
        if isinstance(self.repair, Repair):
            found.append(self.repair.dropped)
        elif isinstance(self.repair, Unrepairable):
            found.append(self.repair.conflict)
        wanted = entities_of(link for links in found for link in links)
        return excerpts_of(document, wanted) if wanted else NO_EXCERPTS


def _explain(findings: _Findings, document: Document, network: Network, options: CheckOptions, budget: Budget) -> None:
    """Conflicts, repair and certificate of an inconsistent document."""
    from temporacle.reasoner.certificates import certify_conflict
    from temporacle.reasoner.conflicts import disjoint_conflicts

    if options.explain:
        try:
            for conflict in disjoint_conflicts(network, budget, max(options.conflicts, 1)):
                findings.conflicts += (conflict,)
        except NotMinimal as unfinished:
            findings.conflicts += (unfinished.links,)
            findings.not_minimal = True
            raise
    if options.repair:
        _repair(findings, document, network, options, budget)
    if options.certificate:
        known = None
        if findings.conflicts:
            positions = {id(link): number for number, link in enumerate(network.links)}
            known = [positions[id(link)] for link in findings.conflicts[0]]
        findings.certificate = certify_conflict(network, budget, known)
    if options.explain and isinstance(findings.repair, Repair):
        from temporacle.reasoner.resolved import resolved_conflicts

        for conflict in resolved_conflicts(network, findings.repair.dropped, findings.conflicts, budget):
            findings.conflicts += (conflict,)


def _repair(findings: _Findings, document: Document, network: Network, options: CheckOptions, budget: Budget) -> None:
    """The repair, and other labels for what it drops. Whatever goes wrong here, the verdict is known already."""
    from temporacle.reasoner.repair import named_in, relabellings, repair

    try:
        findings.repair = repair(network, budget, named_in(options.protect))
        if options.relabel and isinstance(findings.repair, Repair):
            findings.relabellings = relabellings(network, findings.repair, document.reading, budget)
    except BudgetExceeded:
        raise
    except Exception as problem:  # noqa: BLE001 - what a document says is not to be lost with a fault of ours
        what = str(problem) if isinstance(problem, TemporacleError) else f"internal error: {problem!r}"
        if findings.repair is None:
            findings.miss(REPAIR_MISSING, f"no repair: {what}")
        else:
            findings.miss(RELABEL_MISSING, f"no other labels: {what}")
