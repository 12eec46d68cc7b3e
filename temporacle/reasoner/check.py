"""Everything ``check`` finds out about one document. A pure function of values, so that it can run in any process.

A consistent document of convex links, which is the usual case in a corpus, costs one topological sort
(``points.sorting``): no oracle, no closure, no witness. The rest is worked out only where it is asked for. The verdict
depends on none of it: a repair that cannot be found is missing, and a remark says why. A failed self-check is the one
exception: then nothing that was computed may be believed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import comb, prod
from time import perf_counter
from typing import TYPE_CHECKING

from temporacle.checks import OUT_OF_TIME, RELABEL_MISSING, REPAIR_MISSING, REPAIR_UNPROVEN, Check, Compared
from temporacle.errors import BudgetExceeded, InternalError, TemporacleError, UsageError
from temporacle.model import PlainGraph, Remark, Unreadable, unchecked_words
from temporacle.passages import excerpts_of
from temporacle.reasoner.network import Budget, NotMinimal, count_entities
from temporacle.reasoner.points.sorting import columns_surely_consistent, surely_consistent
from temporacle.results import Certificate, DocumentVerdict, Relabelling, Repair, RepairStatus, Unrepairable
from temporacle.wording import NO_EXCERPTS, entities_of, in_text_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import KnownDocument
    from temporacle.model import Document
    from temporacle.passages import Excerpts
    from temporacle.reasoner.clock.check import CalendarInquiry
    from temporacle.reasoner.inquiry import LinkInquiry
    from temporacle.results import Fact


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The results to find besides the verdict."""

    explain: bool = True
    all_conflicts: int | None = 0  # how many of all minimal conflicts; None: all
    repair: bool | None = None  # None: if there are to be explanations, and with a time limit of its own
    relabel: bool = False
    protect: tuple[str, ...] = ()  # ids and labels of links that are never dropped
    certificate: bool = False
    budget: float | None = None  # seconds
    calendar: Calendar | None = None  # how values of time expressions are read; None: they are not
    engine: str = "exact"  # that decides; another one finds verdicts and conflicts only
    known: Mapping[str, KnownDocument] | None = None  # documents of a baseline to compare with

    @property
    def seeks_repair(self) -> bool:
        """Whether a repair is to be found."""
        return self.explain and self.engine == "exact" if self.repair is None else self.repair

    @property
    def seconds_for_repair(self) -> float | None:
        """The time limit of the repair; None: that of the document."""
        if self.repair is not None:
            return None
        return _REPAIR_SECONDS if self.budget is None else max(_LEAST_REPAIR_SECONDS, self.budget / 10)

    def status(self, *, found: RepairStatus = RepairStatus.OPTIMAL) -> RepairStatus:
        """Return what is known of the repair, if one was to be found."""
        return found if self.seeks_repair else RepairStatus.NOT_ASKED


_REPAIR_SECONDS, _LEAST_REPAIR_SECONDS = 10.0, 1.0  # of a repair that was not asked for
_DEFAULT = CheckOptions()


def check_document(document: Document | PlainGraph | Unreadable, options: CheckOptions = _DEFAULT) -> Check:
    """Return the verdict on a document, with what the options ask for. Never raise for the contents of a document."""
    found = _judged(document, options)
    if found.links or found.verdict is not DocumentVerdict.CONSISTENT or not found.dropped:
        return found
    return replace(
        found,
        verdict=DocumentVerdict.UNCHECKED,
        decided_by=None,
        certificate=None,
        error=unchecked_words(found.remarks),
    )


def _judged(document: Document | PlainGraph | Unreadable, options: CheckOptions) -> Check:
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
    if options.engine == "exact" and not options.certificate and surely_consistent(document.links):
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
            repair_status=options.status(),
        )
    from temporacle.reasoner.inquiry import LinkInquiry  # most documents are decided without it, in less time

    return _answered(
        document, options, LinkInquiry(document, Budget.of_document(options.budget), options.engine), started
    )


def check_graph(graph: PlainGraph, options: CheckOptions = _DEFAULT) -> Check | None:
    """Return the verdict on a document of which only the graph was read; None if that is not enough."""
    started = perf_counter()
    if options.certificate or options.engine != "exact":
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
        repair_status=options.status(),
    )


def _check_graph_with_calendar(
    graph: PlainGraph, options: CheckOptions, calendar: Calendar, started: float
) -> Check | None:
    from temporacle.reasoner.clock.check import judged

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
        repair_status=options.status() if found.is_consistent else RepairStatus.NOT_ASKED,
    )


def _wants_verdict_only(options: CheckOptions) -> bool:
    return not (options.explain or options.seeks_repair or options.relabel or options.known is not None)


def _check_with_calendar(document: Document, options: CheckOptions, calendar: Calendar, started: float) -> Check:
    from temporacle.reasoner.clock.check import CalendarInquiry

    inquiry = CalendarInquiry(document, calendar, Budget.of_document(options.budget))
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
            if options.known is not None:
                _compare(findings, inquiry, options.known.get(document.id))
            _explain(findings, inquiry, options)
        elif options.certificate:
            findings.certificate = inquiry.certificate()
    except BudgetExceeded as limit:
        if verdict is DocumentVerdict.UNDECIDED:
            error = str(limit)
        else:
            findings.miss(OUT_OF_TIME, _unfinished(findings, limit))
            if options.repair and findings.repair is None and not consistent:  # else it is only a status
                findings.miss(REPAIR_MISSING, f"no repair: {limit}")
    except (InternalError, UsageError) as problem:  # UsageError: the engine is not made for such a document
        verdict, error = DocumentVerdict.UNDECIDED, str(problem)
    excerpts = findings.excerpts(document)
    conflict = in_text_order(findings.conflict, excerpts)
    listed = findings.conflicts or filter(None, [findings.conflict])
    conflicts = tuple(in_text_order(each, excerpts) for each in listed)
    shown = dict.fromkeys(each for each in (conflict, *conflicts) if each)
    explained = {each: tuple(inquiry.explain(each, excerpts.texts)) for each in shown}
    return Check(
        document=document.id,
        path=document.path,
        verdict=verdict,
        entities=inquiry.entities,
        links=len(document.links),
        decided_by=decided_by,
        conflict=conflict,
        chain=explained.get(conflict, ()),
        conflicts=conflicts,
        chains=tuple(explained[each] for each in conflicts),
        quoted=excerpts if excerpts.mentions else None,
        repair=findings.repair,
        repair_status=options.status(found=findings.status(verdict)),
        all_conflicts=findings.all_conflicts,
        relabellings=findings.relabellings,
        certificate=findings.certificate,
        repair_certificate=findings.repair_certificate,
        remarks=(*document.remarks, *inquiry.remarks, *findings.remarks),
        error=error,
        seconds=perf_counter() - started,
        not_minimal=findings.not_minimal,
        calendar=inquiry.calendar,
        compared=findings.compared,
    )


def _unfinished(findings: _Findings, limit: BudgetExceeded) -> str:
    """Return what is missing if the time ran out after the verdict."""
    if findings.not_minimal:
        return (
            f"the verdict and the conflict are right, but the conflict may contain links that are not needed: {limit}"
        )
    return f"the verdict is right, but something else could not be found: {limit}"


@dataclass(slots=True)
class _Findings:
    """Filled step by step, so that what was found before the time ran out is kept."""

    conflict: tuple[Fact, ...] = ()
    conflicts: tuple[tuple[Fact, ...], ...] = ()
    all_conflicts: tuple[tuple[Fact, ...], ...] | None = None
    repair: Repair | Unrepairable | None = None
    relabellings: tuple[Relabelling, ...] | None = None
    certificate: Certificate | None = None
    repair_certificate: Certificate | None = None
    not_minimal: bool = False
    remarks: tuple[Remark, ...] = ()  # on what was asked for and not found
    compared: Compared | None = None

    def miss(self, code: str, message: str) -> None:
        self.remarks += (Remark(code, message),)

    def status(self, verdict: DocumentVerdict) -> RepairStatus:
        """Return what is known of the repair."""
        if isinstance(self.repair, Unrepairable):
            return RepairStatus.IMPOSSIBLE
        known = self.repair is not None or verdict is DocumentVerdict.CONSISTENT
        return RepairStatus.OPTIMAL if known else RepairStatus.UNDECIDED

    def excerpts(self, document: Document) -> Excerpts:
        """Return the passages of the text about the links that were found."""
        found: list[tuple[Fact, ...]] = [self.conflict, *self.conflicts, *(self.all_conflicts or ())]
        if self.compared is not None:
            found += [*self.compared.added, *(facts for facts, _ in self.compared.still)]
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
            findings.conflict = inquiry.conflict()
        except NotMinimal as unfinished:
            findings.conflict = unfinished.facts
            findings.not_minimal = True
            raise
    if options.seeks_repair:
        _repair(findings, inquiry, options)
    if options.certificate:
        findings.certificate = inquiry.certificate(findings.conflict)
        if options.repair and isinstance(findings.repair, Repair):
            _certify_repair(findings, inquiry)
    if options.explain and isinstance(findings.repair, Repair):
        for conflict in inquiry.resolved(findings.repair):
            findings.conflicts += (conflict,)
    if options.all_conflicts != 0:
        findings.all_conflicts = ()
        for conflict in inquiry.all_conflicts(options.all_conflicts):
            findings.all_conflicts += (conflict,)


def _compare(findings: _Findings, inquiry: LinkInquiry | CalendarInquiry, known: KnownDocument | None) -> None:
    """Find the known conflicts that are still there, and a conflict of each added link that is in any.

    A link is added if the baseline does not have what it says, or not as often.
    """
    facts = inquiry.facts
    said = tuple(fact.said for fact in facts)
    findings.compared = Compared(said)
    if known is None:
        return
    present: dict[str, list[Fact]] = {}
    for fact in facts:
        present.setdefault(fact.said, []).append(fact)
    still = []
    for sayings, times in known.conflicts.items():
        needed = Counter(sayings)
        there = prod(comb(len(present.get(each, ())), count) for each, count in needed.items())
        chosen = tuple(fact for each, count in needed.items() for fact in present.get(each, ())[:count])
        if there and inquiry.contradict(chosen):
            still.append((chosen, min(times, there)))
    findings.compared = Compared(said, tuple(still))
    if known.links is None:
        return
    unused = known.links.copy()
    added: list[tuple[Fact, ...]] = []
    try:
        with inquiry.budget.at_most(_REPAIR_SECONDS):
            for fact in facts:
                unused[fact.said] -= 1
                if unused[fact.said] < 0 and not any(fact in conflict for conflict in added):
                    conflict = inquiry.conflict_through(fact)
                    if conflict is not None:
                        added.append(conflict)
    except BudgetExceeded as limit:
        findings.miss(OUT_OF_TIME, f"it is not known whether an added link takes part in a contradiction: {limit}")
    findings.compared = Compared(said, tuple(still), tuple(added))


def _certify_repair(findings: _Findings, inquiry: LinkInquiry | CalendarInquiry) -> None:
    """Prove that the repair is optimal.

    If that takes too long, the repair stands, with a remark. If the proof shows that it is wrong, it is withdrawn.
    """
    try:
        findings.repair_certificate = certificate = inquiry.repair_certificate()
        form = certificate.form or {}
        if form.get("bound", form.get("weight")) != form.get("weight"):
            shown = f"the certificate shows only that every repair weighs at least {form['bound']}"
            findings.miss(REPAIR_UNPROVEN, f"{shown}, not that this one ({form['weight']}) is optimal")
    except BudgetExceeded as limit:
        findings.miss(REPAIR_UNPROVEN, f"no certificate of the repair: {limit}")
    except InternalError as problem:
        findings.repair, findings.relabellings = None, None
        findings.miss(REPAIR_MISSING, f"no repair: {problem}")


def _repair(findings: _Findings, inquiry: LinkInquiry | CalendarInquiry, options: CheckOptions) -> None:
    """Find the repair, and other labels for the links it drops. A failure here does not affect the verdict."""
    try:
        with inquiry.budget.at_most(options.seconds_for_repair):
            findings.repair = inquiry.repair(options.protect)
        if options.relabel and isinstance(findings.repair, Repair):
            findings.relabellings = inquiry.relabellings(findings.repair)
    except BudgetExceeded:
        if options.repair:
            raise
    except Exception as problem:  # noqa: BLE001 - what a document says is not to be lost with a fault of ours
        what = str(problem) if isinstance(problem, TemporacleError) else f"internal error: {problem!r}"
        if findings.repair is None:
            findings.miss(REPAIR_MISSING, f"no repair: {what}")
        else:
            findings.miss(RELABEL_MISSING, f"no other labels: {what}")
