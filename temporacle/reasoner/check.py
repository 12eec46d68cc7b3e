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
from typing import TYPE_CHECKING, Any

from temporacle.checks import OUT_OF_TIME, RELABEL_MISSING, REPAIR_MISSING, REPAIR_UNPROVEN, Check
from temporacle.errors import BudgetExceeded, InternalError, TemporacleError
from temporacle.model import Link, PlainGraph, Remark, Unreadable
from temporacle.passages import excerpts_of
from temporacle.reasoner.network import Budget, NotMinimal
from temporacle.reasoner.quick import columns_surely_consistent, surely_consistent
from temporacle.results import Certificate, DocumentVerdict, Relabelling, Repair, Unrepairable
from temporacle.wording import NO_EXCERPTS, entities_of, in_text_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document
    from temporacle.passages import Excerpts
    from temporacle.reasoner.metric.check import CalendarInquiry
    from temporacle.reasoner.repair import GroundedRepair
    from temporacle.results import Fact


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The results to find besides the verdict."""

    explain: bool = True
    conflicts: int = 1  # how many conflicts that share no link
    repair: bool = False
    relabel: bool = False
    protect: tuple[str, ...] = ()  # ids and labels of links that are never dropped
    certificate: bool = False
    budget: float | None = None  # seconds
    calendar: Calendar | None = None  # how values of time expressions are read; None: they are not


_DEFAULT = CheckOptions()
_source, _target = attrgetter("source"), attrgetter("target")  # faster than a generator over all links


def check_document(document: Document | PlainGraph | Unreadable, options: CheckOptions = _DEFAULT) -> Check:
    """Return the verdict on a document, with what the options ask for. Never raise for the contents of a document."""
    if isinstance(document, PlainGraph):
        quick = check_graph(document, options)
        if quick is not None:
            return quick
        document = document.complete()
    if isinstance(document, Unreadable):
        return Check(document.id, document.path, DocumentVerdict.UNREADABLE, error=str(document.error))
    started = perf_counter()
    if options.calendar is not None:
        return _check_with_calendar(document, options, options.calendar, started)
    if not options.certificate and surely_consistent(document.links):
        return Check(
            document=document.id,
            path=document.path,
            verdict=DocumentVerdict.CONSISTENT,
            entities=count_entities(document),
            links=len(document.links),
            decided_by="graph",
            remarks=document.remarks,
            relabellings=() if options.relabel else None,
            seconds=perf_counter() - started,
        )
    return _answered(document, options, LinkInquiry(document, Budget(options.budget)), started)


def check_graph(graph: PlainGraph, options: CheckOptions = _DEFAULT) -> Check | None:
    """Return the verdict on a document of which only the graph was read; None if that is not enough."""
    started = perf_counter()
    if options.certificate:
        return None
    if options.calendar is not None:
        return _check_graph_with_calendar(graph, options, options.calendar, started)
    if not columns_surely_consistent(graph.sources, graph.relations, graph.targets):
        return None
    return Check(
        graph.id,
        graph.path,
        DocumentVerdict.CONSISTENT,
        graph.entities,
        len(graph.relations),
        "graph",
        remarks=graph.remarks,
        relabellings=() if options.relabel else None,
        seconds=perf_counter() - started,
    )


def _check_graph_with_calendar(
    graph: PlainGraph, options: CheckOptions, calendar: Calendar, started: float
) -> Check | None:
    from temporacle.reasoner.metric.graph import judged

    found = judged(graph, calendar)
    if found is None or not (found.is_consistent or _wants_verdict_only(options)):
        return None
    return Check(
        graph.id,
        graph.path,
        DocumentVerdict.CONSISTENT if found.is_consistent else DocumentVerdict.INCONSISTENT,
        graph.entities,
        len(graph.relations),
        found.decided_by,
        remarks=(*graph.remarks, *found.remarks),
        relabellings=() if options.relabel else None,
        seconds=perf_counter() - started,
        calendar=found.calendar,
    )


def _wants_verdict_only(options: CheckOptions) -> bool:
    return not (options.explain or options.repair or options.relabel)


def _check_with_calendar(document: Document, options: CheckOptions, calendar: Calendar, started: float) -> Check:
    from temporacle.reasoner.metric.check import CalendarInquiry

    inquiry = CalendarInquiry(document, calendar, Budget(options.budget))
    return _answered(document, options, inquiry, started)


def _answered(
    document: Document, options: CheckOptions, inquiry: LinkInquiry | CalendarInquiry, started: float
) -> Check:
    """Return the results that the options ask for, found by an inquiry."""
    verdict = DocumentVerdict.UNDECIDED
    decided_by = error = None
    findings = _Findings(relabellings=() if options.relabel else None)
    try:
        consistent = inquiry.is_consistent()
        verdict = DocumentVerdict.CONSISTENT if consistent else DocumentVerdict.INCONSISTENT
        decided_by = inquiry.decided_by
        if not consistent:
            _explain(findings, inquiry, options)
        elif options.certificate:
            findings.certificate = inquiry.certificate()
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
        entities=inquiry.entities,
        links=len(document.links),
        decided_by=decided_by,
        conflicts=conflicts,
        chains=tuple(tuple(inquiry.explain(conflict, excerpts.texts)) for conflict in conflicts),
        quoted=excerpts if excerpts.mentions else None,
        repair=findings.repair,
        relabellings=findings.relabellings,
        certificate=findings.certificate,
        repair_certificate=findings.repair_certificate,
        remarks=(*document.remarks, *inquiry.remarks, *findings.remarks),
        error=error,
        seconds=perf_counter() - started,
        not_minimal=findings.not_minimal,
        calendar=inquiry.calendar,
    )


class LinkInquiry:
    """The questions of a check about the links of one document."""

    remarks: tuple[Remark, ...] = ()
    calendar: Mapping[str, Any] | None = None

    def __init__(self, document: Document, budget: Budget) -> None:
        from temporacle.reasoner.oracle import Oracle  # most documents are decided without it

        self._document = document
        self._budget = budget
        self._oracle = Oracle(document, budget=budget)
        self._network = self._oracle.network
        self._grounds: GroundedRepair | None = None  # of the repair that was found
        self.entities = len(self._network.entities)

    def is_consistent(self) -> bool:
        return self._oracle.is_consistent()

    @property
    def decided_by(self) -> str:
        return self._oracle.decided_by

    def conflicts(self, most: int) -> Iterator[tuple[Fact, ...]]:
        """Yield minimal conflicts that share no link."""
        from temporacle.reasoner.conflicts import disjoint_conflicts

        return disjoint_conflicts(self._network, self._budget, most)

    def explain(self, conflict: Sequence[Fact], texts: Mapping[str, str]) -> list[str]:
        """Return a conflict in sentences."""
        from temporacle.reasoner.explanation import explain

        return explain(_links(conflict), texts)

    def repair(self, protect: Collection[str]) -> Repair | Unrepairable:
        from temporacle.reasoner.repair import grounded_repair, named_in, repair_of

        found = grounded_repair(self._network, self._budget, named_in(protect))
        if isinstance(found, Unrepairable):
            return found
        self._grounds = found
        return repair_of(found, self._network.links)

    def repair_certificate(self) -> Certificate:
        """Return a certificate of the repair that was found."""
        from temporacle.reasoner.confirmed import confirmed
        from temporacle.reasoner.repairproof import certify_repair

        if self._grounds is None:
            raise InternalError("a certificate of a repair was asked for before the repair")
        return confirmed(certify_repair(self._network, self._grounds, self._budget))

    def relabellings(self, repaired: Repair) -> tuple[Relabelling, ...]:
        """Return other labels for the links that a repair drops."""
        from temporacle.reasoner.repair import relabellings

        return relabellings(self._network, repaired, self._document.reading, self._budget)

    def resolved(self, repaired: Repair, known: Sequence[Sequence[Fact]]) -> Iterator[tuple[Fact, ...]]:
        """Yield a conflict for each dropped link that is in no known conflict."""
        from temporacle.reasoner.resolved import resolved_conflicts

        return resolved_conflicts(
            self._network, _links(repaired.dropped), [_links(conflict) for conflict in known], self._budget
        )

    def certificate(self, conflicts: Sequence[Sequence[Fact]] | None = None) -> Certificate:
        """Return a certificate of consistency, or of a contradiction if conflicts are given. The list may be empty."""
        from temporacle.reasoner.certificates import certify_conflict
        from temporacle.reasoner.confirmed import confirmed

        if conflicts is None:
            return confirmed(Certificate("consistent", self._network.links, witness=self._oracle.witness()))
        positions = {id(link): number for number, link in enumerate(self._network.links)}
        known = [positions[id(link)] for link in conflicts[0]] if conflicts else None
        return confirmed(certify_conflict(self._network, self._budget, known))


def _links(facts: Sequence[Fact]) -> list[Link]:
    """Return the facts as links. All facts of an inquiry about links are links."""
    return [fact for fact in facts if isinstance(fact, Link)]


def _unfinished(findings: _Findings, limit: BudgetExceeded) -> str:
    """Return what is missing if the time ran out after the verdict."""
    if findings.not_minimal:
        return (
            f"the verdict and the conflict are right, but the conflict may contain links that are not needed: {limit}"
        )
    return f"the verdict is right, but something else could not be found: {limit}"


def count_entities(document: Document) -> int:
    """Return the number of entities: those declared, and those that only links mention."""
    known = set(document.entity_ids)
    known.update(map(_source, document.links))
    known.update(map(_target, document.links))
    return len(known)


@dataclass(slots=True)
class _Findings:
    """Filled step by step, so that what was found before the time ran out is kept."""

    conflicts: tuple[tuple[Fact, ...], ...] = ()
    repair: Repair | Unrepairable | None = None
    relabellings: tuple[Relabelling, ...] | None = None
    certificate: Certificate | None = None
    repair_certificate: Certificate | None = None
    not_minimal: bool = False
    remarks: tuple[Remark, ...] = ()  # on what was asked for and not found

    def miss(self, code: str, message: str) -> None:
        self.remarks += (Remark(code, message),)

    def excerpts(self, document: Document) -> Excerpts:
        """Return the passages of the text about the links that were found."""
        found: list[tuple[Fact, ...]] = [*self.conflicts]
        if isinstance(self.repair, Repair):
            found.append(self.repair.dropped)
        elif isinstance(self.repair, Unrepairable):
            found.append(self.repair.conflict)
        wanted = entities_of(fact for facts in found for fact in facts)
        return excerpts_of(document, wanted) if wanted else NO_EXCERPTS


def _explain(findings: _Findings, inquiry: LinkInquiry | CalendarInquiry, options: CheckOptions) -> None:
    """Find the conflicts, the repair and the certificate of an inconsistent document."""
    if options.explain:
        try:
            for conflict in inquiry.conflicts(max(options.conflicts, 1)):
                findings.conflicts += (conflict,)
        except NotMinimal as unfinished:
            findings.conflicts += (unfinished.facts,)
            findings.not_minimal = True
            raise
    if options.repair:
        _repair(findings, inquiry, options)
    if options.certificate:
        findings.certificate = inquiry.certificate(findings.conflicts)
        if isinstance(findings.repair, Repair):
            _certify_repair(findings, inquiry)
    if options.explain and isinstance(findings.repair, Repair):
        for conflict in inquiry.resolved(findings.repair, findings.conflicts):
            findings.conflicts += (conflict,)


def _certify_repair(findings: _Findings, inquiry: LinkInquiry | CalendarInquiry) -> None:
    """Prove that the repair is optimal.

    If that takes too long, the repair stands, with a remark. If the proof shows that it is wrong, it is withdrawn.
    """
    try:
        findings.repair_certificate = inquiry.repair_certificate()
    except BudgetExceeded as limit:
        findings.miss(REPAIR_UNPROVEN, f"no certificate of the repair: {limit}")
    except InternalError as problem:
        findings.repair, findings.relabellings = None, None
        findings.miss(REPAIR_MISSING, f"no repair: {problem}")


def _repair(findings: _Findings, inquiry: LinkInquiry | CalendarInquiry, options: CheckOptions) -> None:
    """Find the repair, and other labels for the links it drops. A failure here does not affect the verdict."""
    try:
        findings.repair = inquiry.repair(options.protect)
        if options.relabel and isinstance(findings.repair, Repair):
            findings.relabellings = inquiry.relabellings(findings.repair)
    except BudgetExceeded:
        raise
    except Exception as problem:  # noqa: BLE001 - what a document says is not to be lost with a fault of ours
        what = str(problem) if isinstance(problem, TemporacleError) else f"internal error: {problem!r}"
        if findings.repair is None:
            findings.miss(REPAIR_MISSING, f"no repair: {what}")
        else:
            findings.miss(RELABEL_MISSING, f"no other labels: {what}")
