"""Audits a live implementation over many cases: ask, judge, and trace each fault to the smallest graph that shows it.

A fault whose graph contains the minimal graph of a known finding of its sort is counted there; any other is shrunk and
becomes a finding itself. So the work of shrinking is spent once for each thing that is wrong, not once for each case
that shows it. A graph with links is shrunk to one with links: the empty graph is a case of its own, or an
implementation that fails on it would hide every other fault of that sort.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.audit.answers import Declined, Failed, Failure
from temporacle.audit.evidence import evidence_for, network_of
from temporacle.audit.faults import FaultKind, Manner, NoticedBy
from temporacle.audit.findings import AuditTally, Finding
from temporacle.audit.judge import JudgedAnswer, judge
from temporacle.audit.shrink import occurs_in, renamed, shrink
from temporacle.audit.variants import STATELESS_CHECKS, answer_after, differing_variant, meaning
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import closure as exact_closure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.audit.answers import AuditSubject, ClosureAnswer
    from temporacle.audit.faults import Fault
    from temporacle.audit.generate import AuditCase
    from temporacle.audit.graphs import Graph
    from temporacle.reasoner.network import Network, PairTable

    ClosureFunction = Callable[[Network, Budget], PairTable | None]

_FINDINGS_PER_SORT = 12
_FINDINGS_PER_CHECK = 3
_VARIED_UP_TO = 15  # links: larger graphs are judged, not varied
_ASKS = 600
_ASKS_ABOUT_HANGS = 12  # each costs the whole time limit


class LiveAudit:
    """One implementation under audit.

    ``budget`` is our own time for the exact answer of a case. ``exact`` may be replaced to audit the exact engine
    itself. ``vary`` False leaves out the questions that need no oracle. ``disjunctions`` False holds the implementation
    only to pairs that have one relation: most closures promise no more.
    """

    def __init__(
        self,
        subject: AuditSubject,
        *,
        budget: float | None = None,
        exact: ClosureFunction = exact_closure,
        vary: bool = True,
        disjunctions: bool = True,
    ) -> None:
        self.subject = subject
        self.tally = AuditTally()
        self._budget = budget
        self._exact = exact
        self._vary = vary
        self._ignored = () if disjunctions else (Manner.MISSED_DISJUNCTION,)
        self._before: Graph | None = None

    def run(self, cases: Iterable[AuditCase], progress: Callable[[], None] = lambda: None) -> AuditTally:
        """Try all cases."""
        for case in cases:
            self.try_case(case)
            progress()
        return self.tally

    def try_case(self, case: AuditCase) -> None:
        """Ask, judge, count, and trace what is wrong."""
        tally = self.tally
        tally.cases += 1
        answer = self.subject.ask(case.links)[0]
        if isinstance(answer, Declined):
            tally.declined += 1
            return
        judgement = self._judged(case.links, answer)
        if judgement is None:
            tally.undecided += 1
        else:
            tally.count(judgement)
            for sort in dict.fromkeys(fault.sort for fault in judgement.faults):
                self._trace(case, sort)
        hangs = isinstance(answer, Failed) and answer.how is Failure.TIMEOUT
        if self._vary and len(case.links) <= _VARIED_UP_TO and not hangs:
            self._ask_otherwise(case, answer)

    def _judged(self, graph: Graph, answer: ClosureAnswer) -> JudgedAnswer | None:
        """Return the judgement about an answer; None if the exact answer was not found in time."""
        network = network_of(graph)
        try:
            judgement = judge(network, answer, self._exact(network, Budget(self._budget)))
        except BudgetExceeded:
            return None
        faults = tuple(fault for fault in judgement.faults if fault.manner not in self._ignored)
        return replace(judgement, faults=faults)

    # --- faults the exact answer shows --------------------------------------------------------------------------------

    def _trace(self, case: AuditCase, sort: tuple[FaultKind, Manner]) -> None:
        """Count a fault of this sort under a known finding, or make it one."""
        known = [each for each in self._noticed_by(NoticedBy.EXACT) if each.fault.sort == sort]
        for finding in known:
            if bool(finding.graph) == bool(case.links) and occurs_in(finding.graph, case.links):
                self._seen_again(finding)
                return
        if len(known) >= _FINDINGS_PER_SORT:
            self.tally.unshrunk += 1
            return
        small = self._shrunk(case.links, sort)
        for finding in known:
            if occurs_in(finding.graph, small) and len(finding.graph) == len(small):
                self._seen_again(finding)
                return
        answer = self.subject.ask(small)[0]
        fault = self._fault_in(small, answer, sort)
        if fault is None:  # it does not answer the same question the same way twice
            self.tally.checks[NoticedBy.STATE] += 1
            return
        self._add(Finding(fault, case=case.number, family=case.family, graph=small, answer=answer))

    def _shrunk(self, graph: Graph, sort: tuple[FaultKind, Manner]) -> Graph:
        def shows(candidate: Graph) -> bool:
            return bool(candidate) and self._fault_in(candidate, self.subject.ask(candidate)[0], sort) is not None

        small = shrink(graph, shows, _ASKS_ABOUT_HANGS if sort[1] is Manner.TIMEOUT else _ASKS)
        return self._plain(small, shows)

    def _fault_in(self, graph: Graph, answer: ClosureAnswer, sort: tuple[FaultKind, Manner]) -> Fault | None:
        judgement = self._judged(graph, answer)
        return next((fault for fault in judgement.faults if fault.sort == sort), None) if judgement else None

    def _noticed_by(self, check: NoticedBy) -> list[Finding]:
        return [finding for finding in self.tally.findings if finding.noticed_by is check]

    def _seen_again(self, finding: Finding) -> None:
        findings = self.tally.findings
        findings[findings.index(finding)] = replace(finding, count=finding.count + 1)

    def _add(self, finding: Finding) -> None:
        evidence = evidence_for(network_of(finding.graph), finding.fault, Budget(self._budget))
        self.tally.findings.append(replace(finding, evidence=evidence))

    # --- faults that need no exact answer -----------------------------------------------------------------------------

    def _ask_otherwise(self, case: AuditCase, answer: ClosureAnswer) -> None:
        self.tally.varied += 1
        for check in STATELESS_CHECKS:
            if differing_variant(self.subject, check, case.links, answer) is not None:
                self.tally.checks[check] += 1
                if self._room_for(check):
                    self._trace_variant(case, check)
        before, self._before = self._before, case.links
        if before is not None and self._leaks(before, case.links, answer):
            self.tally.checks[NoticedBy.STATE] += 1
            if self._room_for(NoticedBy.STATE):
                self._trace_leak(case, before)

    def _room_for(self, check: NoticedBy) -> bool:
        return len(self._noticed_by(check)) < _FINDINGS_PER_CHECK

    def _trace_variant(self, case: AuditCase, check: NoticedBy) -> None:
        subject = self.subject

        def differs(graph: Graph) -> bool:
            return differing_variant(subject, check, graph) is not None

        small = self._plain(shrink(case.links, differs), differs)
        variant = differing_variant(subject, check, small)
        if variant is not None:
            self._blame(case, check, [(small, subject.ask(small)[0]), (variant, subject.ask(variant)[0])])

    def _leaks(self, before: Graph, graph: Graph, fresh: ClosureAnswer | None = None) -> bool:
        alone = self.subject.ask(graph)[0] if fresh is None else fresh
        after = answer_after(self.subject, before, graph)
        return after is not None and not isinstance(after, Declined) and meaning(after) != meaning(alone)

    def _trace_leak(self, case: AuditCase, before: Graph) -> None:
        small = shrink(case.links, lambda graph: self._leaks(before, graph))
        history = shrink(before, lambda graph: self._leaks(graph, small))
        small = self._plain(small, lambda graph: self._leaks(history, graph))
        history = self._plain(history, lambda graph: self._leaks(graph, small))
        after, alone = answer_after(self.subject, history, small), self.subject.ask(small)[0]
        if after is not None and self._leaks(history, small, alone):
            self._blame(case, NoticedBy.STATE, [(small, after), (small, alone)], history)

    @staticmethod
    def _plain(graph: Graph, shows: Callable[[Graph], bool]) -> Graph:
        plain = renamed(graph)
        return plain if plain == graph or shows(plain) else graph

    def _blame(
        self,
        case: AuditCase,
        check: NoticedBy,
        answers: list[tuple[Graph, ClosureAnswer]],
        history: Graph | None = None,
    ) -> None:
        """Report the first wrong answer of two that differ. At least one of them is wrong."""
        known = self._noticed_by(check)
        for (asked, said), (contrast, _) in zip(answers, answers[::-1], strict=True):
            judgement = self._judged(asked, said)
            if judgement is None or not judgement.faults:
                continue
            if not any(len(each.graph) == len(asked) and occurs_in(each.graph, asked) for each in known):
                found = Finding(
                    judgement.faults[0],
                    case=case.number,
                    family=case.family,
                    graph=asked,
                    answer=said,
                    noticed_by=check,
                    history=history,
                    variant=None if check is NoticedBy.STATE else contrast,
                )
                self._add(found)
            return
