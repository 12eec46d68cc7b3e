"""Audits an implementation over many cases: ask, judge, and trace each fault back to the smallest graph that shows it.

A *cause* is a sort of fault with such a minimal graph. A fault whose graph contains the minimal graph of a known cause
of its sort is counted there; any other is shrunk and becomes a cause itself. So the work of shrinking is spent once
for each thing that is wrong, not once for each case that shows it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from temporacle.audit.evidence import Evidence, evidence_for, network_of
from temporacle.audit.findings import (
    Answer,
    Check,
    Closed,
    Declined,
    Failed,
    Failure,
    Fault,
    Graph,
    Kind,
    Manner,
    SaidInconsistent,
    Subject,
    entities_of,
)
from temporacle.audit.judge import Judgement, judge
from temporacle.audit.metamorphic import STATELESS_CHECKS, answer_after, differing_variant, meaning
from temporacle.audit.shrink import occurs_in, renamed, shrink
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import closure as exact_closure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from temporacle.audit.generate import Case
    from temporacle.reasoner.network import Network, PairTable

    Closure = Callable[[Network, Budget], PairTable | None]

_CAUSES_PER_SORT = 12
_CAUSES_PER_CHECK = 3
_VARIED_UP_TO = 15  # links: larger graphs are judged, not varied
_ASKS = 600
_ASKS_ABOUT_HANGS = 12  # each costs the whole time limit


@dataclass(slots=True)
class Cause:
    """Something that is wrong with an implementation, and the smallest graph found that shows it."""

    fault: Fault
    check: Check
    graph: Graph
    evidence: Evidence
    answer: Answer
    case: int  # the first case that showed it
    family: str
    history: Graph | None = None  # what was asked before, where that matters
    variant: Graph | None = None  # the same graph put otherwise, which is answered differently
    count: int = 1  # cases that showed it


@dataclass(slots=True)
class Report:
    """What an audit counted, and the causes it found."""

    subject: str
    cases: int = 0
    consistent: int = 0
    inconsistent: int = 0
    declined: int = 0
    undecided: int = 0  # by us: no verdict was drawn
    pairs: int = 0
    manners: Counter[Manner] = field(default_factory=Counter)  # pairs or cases with such a fault
    kinds: Counter[Kind] = field(default_factory=Counter)  # cases with such a fault
    checks: Counter[Check] = field(default_factory=Counter)  # cases in which an equivalent question differed
    varied: int = 0  # cases that were also asked otherwise
    causes: list[Cause] = field(default_factory=list)
    uncounted: int = 0  # faulty cases beyond the number of causes that are kept for a sort

    @property
    def clean(self) -> bool:
        return not self.kinds and not any(self.checks.values())

    def count(self, consistent: bool, pairs: int, faults: Sequence[Fault]) -> None:  # noqa: FBT001 - a fact
        """Take the judgement of one case in."""
        if consistent:
            self.consistent += 1
        else:
            self.inconsistent += 1
        self.pairs += pairs
        self.kinds.update({fault.kind for fault in faults})
        self.manners.update(fault.manner for fault in faults)

    def grouped(self) -> list[Cause]:
        """The causes by sort, in the order of first sight; within a sort the smallest graph first."""
        sorts = list(dict.fromkeys((cause.check, *cause.fault.sort) for cause in self.causes))
        return sorted(
            self.causes,
            key=lambda cause: (
                sorts.index((cause.check, *cause.fault.sort)),
                len(entities_of(cause.graph)),
                len(cause.graph),
                cause.case,
            ),
        )


class Audit:
    """One implementation under audit.

    ``budget`` is our own time for the exact answer of a case. ``exact`` may be replaced to audit the exact engine
    itself. ``vary`` False leaves out the questions that need no oracle. ``disjunctions`` False holds the implementation
    only to pairs that have one relation: most closures promise no more.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        budget: float | None = None,
        exact: Closure = exact_closure,
        vary: bool = True,
        disjunctions: bool = True,
    ) -> None:
        self.subject = subject
        self.report = Report(subject.name)
        self._budget = budget
        self._exact = exact
        self._vary = vary
        self._ignored = () if disjunctions else (Manner.MISSED_DISJUNCTION,)
        self._before: Graph | None = None

    def run(self, cases: Iterable[Case], progress: Callable[[Report], None] = lambda _: None) -> Report:
        """Try all cases."""
        for case in cases:
            self.try_case(case)
            progress(self.report)
        return self.report

    def try_case(self, case: Case) -> None:
        """Ask, judge, count, and find the causes."""
        report = self.report
        report.cases += 1
        answer = self.subject.ask(case.links)[0]
        if isinstance(answer, Declined):
            report.declined += 1
            return
        judgement = self._judged(case.links, answer)
        if judgement is None:
            report.undecided += 1
        else:
            report.count(judgement.consistent, judgement.pairs, judgement.faults)
            for sort in dict.fromkeys(fault.sort for fault in judgement.faults):
                self._trace(case, sort)
        hangs = isinstance(answer, Failed) and answer.how is Failure.TIMEOUT
        if self._vary and len(case.links) <= _VARIED_UP_TO and not hangs:
            self._ask_otherwise(case, answer)

    def _judged(self, graph: Graph, answer: Answer) -> Judgement | None:
        """None if the exact answer could not be had in time."""
        network = network_of(graph)
        try:
            judgement = judge(network, answer, self._exact(network, Budget(self._budget)))
        except BudgetExceeded:
            return None
        faults = tuple(fault for fault in judgement.faults if fault.manner not in self._ignored)
        return replace(judgement, faults=faults)

    # --- faults the exact answer shows --------------------------------------------------------------------------------

    def _trace(self, case: Case, sort: tuple[Kind, Manner]) -> None:
        """Count a fault of this sort under a known cause, or find its own."""
        known = [cause for cause in self.report.causes if cause.check is Check.EXACT and cause.fault.sort == sort]
        for cause in known:
            if occurs_in(cause.graph, case.links):
                cause.count += 1
                return
        if len(known) >= _CAUSES_PER_SORT:
            self.report.uncounted += 1
            return
        small = self._shrunk(case.links, lambda graph: self._fault_of(graph, sort) is not None, sort)
        for cause in known:
            if occurs_in(cause.graph, small) and len(cause.graph) == len(small):
                cause.count += 1
                return
        answer = self.subject.ask(small)[0]
        judgement = self._judged(small, answer)
        fault = next((fault for fault in judgement.faults if fault.sort == sort), None) if judgement else None
        if fault is None:  # it does not answer the same question the same way twice
            self.report.checks[Check.STATE] += 1
            return
        self._add_cause(Cause(fault, Check.EXACT, small, Evidence(), answer, case.number, case.family))

    def _shrunk(self, graph: Graph, shows: Callable[[Graph], bool], sort: tuple[Kind, Manner]) -> Graph:
        small = shrink(graph, shows, _ASKS_ABOUT_HANGS if sort[1] is Manner.TIMEOUT else _ASKS)
        plain = renamed(small)
        return plain if plain == small or shows(plain) else small

    def _fault_of(self, graph: Graph, sort: tuple[Kind, Manner]) -> Fault | None:
        judgement = self._judged(graph, self.subject.ask(graph)[0])
        return next((fault for fault in judgement.faults if fault.sort == sort), None) if judgement else None

    def _add_cause(self, cause: Cause) -> None:
        cause.evidence = evidence_for(network_of(cause.graph), cause.fault, Budget(self._budget))
        self.report.causes.append(cause)

    # --- faults that need no exact answer -----------------------------------------------------------------------------

    def _ask_otherwise(self, case: Case, answer: Answer) -> None:
        self.report.varied += 1
        for check in STATELESS_CHECKS:
            if differing_variant(self.subject, check, case.links, answer) is not None:
                self.report.checks[check] += 1
                if self._room_for(check):
                    self._trace_variant(case, check)
        before, self._before = self._before, case.links
        if before is not None and self._leaks(before, case.links, answer):
            self.report.checks[Check.STATE] += 1
            if self._room_for(Check.STATE):
                self._trace_leak(case, before)

    def _room_for(self, check: Check) -> bool:
        return sum(cause.check is check for cause in self.report.causes) < _CAUSES_PER_CHECK

    def _trace_variant(self, case: Case, check: Check) -> None:
        subject = self.subject
        small = self._plain(
            shrink(case.links, lambda graph: differing_variant(subject, check, graph) is not None),
            lambda graph: differing_variant(subject, check, graph) is not None,
        )
        variant = differing_variant(subject, check, small)
        if variant is not None:
            self._blame(case, check, [(small, subject.ask(small)[0]), (variant, subject.ask(variant)[0])])

    def _leaks(self, before: Graph, graph: Graph, fresh: Answer | None = None) -> bool:
        alone = self.subject.ask(graph)[0] if fresh is None else fresh
        after = answer_after(self.subject, before, graph)
        return after is not None and not isinstance(after, Declined) and meaning(after) != meaning(alone)

    def _trace_leak(self, case: Case, before: Graph) -> None:
        small = shrink(case.links, lambda graph: self._leaks(before, graph))
        history = shrink(before, lambda graph: self._leaks(graph, small))
        small = self._plain(small, lambda graph: self._leaks(history, graph))
        history = self._plain(history, lambda graph: self._leaks(graph, small))
        after, alone = answer_after(self.subject, history, small), self.subject.ask(small)[0]
        if after is not None and self._leaks(history, small, alone):
            self._blame(case, Check.STATE, [(small, after), (small, alone)], history)

    @staticmethod
    def _plain(graph: Graph, shows: Callable[[Graph], bool]) -> Graph:
        plain = renamed(graph)
        return plain if plain == graph or shows(plain) else graph

    def _blame(
        self, case: Case, check: Check, answers: list[tuple[Graph, Answer]], history: Graph | None = None
    ) -> None:
        """Of two answers that differ at least one is wrong: report the first that is."""
        known = [cause for cause in self.report.causes if cause.check is check]
        for (asked, said), (contrast, _) in zip(answers, answers[::-1], strict=True):
            judgement = self._judged(asked, said)
            if judgement is None or not judgement.faults:
                continue
            if not any(len(cause.graph) == len(asked) and occurs_in(cause.graph, asked) for cause in known):
                cause = Cause(judgement.faults[0], check, asked, Evidence(), said, case.number, case.family)
                cause.history = history
                cause.variant = None if check is Check.STATE else contrast
                self._add_cause(cause)
            return


class Function:
    """A closure that runs in this process: our own engines, and test doubles. ``make`` returns it in a fresh state."""

    def __init__(self, name: str, make: Callable[[], Callable[[Graph], Answer]]) -> None:
        self.name = name
        self._make = make

    def ask(self, *graphs: Graph) -> tuple[Answer, ...]:
        function = self._make()
        return tuple(function(graph) for graph in graphs)


def engine_subject(name: str, closure: Closure) -> Function:
    """One of our engines as a subject. Links it does not handle (UsageError) are declined; other errors are crashes."""
    from temporacle.errors import UsageError

    def answer(graph: Graph) -> Answer:
        try:
            table = closure(network_of(graph), Budget())
        except UsageError as error:
            return Declined(str(error))
        except Exception as error:  # noqa: BLE001 - it is the engine that is on trial
            return Failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}")
        if table is None:
            return SaidInconsistent()
        return Closed(tuple(table.pairs()))

    return Function(name, lambda: answer)
