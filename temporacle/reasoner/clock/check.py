"""What ``check`` asks about the links and values of one document; see ``reasoner.check``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.calendar.facts import marks_writing, remarks_on, values_of
from temporacle.calendar.policy import Policy
from temporacle.calendar.said import ORIGINS, reader_of_times
from temporacle.checks import STRICT_LABELS
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Remark
from temporacle.reasoner.clock.conflicts import conflict_among
from temporacle.reasoner.clock.explanation import explain_facts
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.clock.problem import Problem
from temporacle.reasoner.clock.repair import grounded_repair_of_facts, named_among
from temporacle.reasoner.clock.sorting import quick_verdict
from temporacle.reasoner.conflicts.all_conflicts import conflict_with, conflicts_and_repairs
from temporacle.reasoner.conflicts.canonical import replacements
from temporacle.reasoner.conflicts.repair import repair_of, whole_weights
from temporacle.reasoner.network import Network, count_entities
from temporacle.results import Unrepairable

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.said import Constraint
    from temporacle.model import Document, PlainGraph
    from temporacle.readings import Reading
    from temporacle.reasoner.conflicts.repair import GroundedRepair
    from temporacle.reasoner.network import Budget
    from temporacle.results import Certificate, Fact, Relabelling, Repair


class CalendarInquiry:
    """The questions of a check, links and values together."""

    def __init__(self, document: Document, calendar: Calendar, budget: Budget) -> None:
        self._document = document
        self._calendar = calendar
        self.budget = budget
        self._values = values_of(document, calendar)
        self._grounds: GroundedRepair | None = None  # of the repair that was found
        self._oracle = CalendarOracle(document, calendar, budget=budget, values=self._values)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What is odd about the values."""
        document, values = self._document, self._values
        return remarks_on_values(values.values, values.remarks, self._calendar, document.format, document.reading)

    @property
    def entities(self) -> int:
        """Those declared, and those that only links mention."""
        return count_entities(self._document)

    @property
    def calendar(self) -> Mapping[str, Any]:
        """How values were read, and how many there are."""
        return counted_values(self._calendar, self._values.values, self._values.constraining)

    def is_consistent(self) -> bool:
        return self._oracle.is_consistent()

    @property
    def decided_by(self) -> str:
        return self._oracle.decided_by

    @property
    def _problem(self) -> Problem:
        return self._oracle.problem

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(fact): number for number, fact in enumerate(self._problem.facts)}

    def conflict(self) -> tuple[Fact, ...]:
        """A minimal conflict, a smallest one where that can be known."""
        return self._oracle.conflict()

    def all_conflicts(self, most: int | None) -> Iterator[tuple[Fact, ...]]:
        """All minimal conflicts, or as many as are asked for. They may share facts."""
        every = self._problem.every
        subsets = _Subsets(self._problem, self.budget)
        found = (numbers for numbers, is_one in conflicts_and_repairs(every, [], subsets, self.budget) if is_one)
        for numbers in islice(found, most):
            yield tuple(self._problem.facts[number] for number in numbers)

    @property
    def facts(self) -> Sequence[Fact]:
        """What conflicts consist of: the links and the values."""
        return self._problem.facts[: self._problem.droppable]

    def contradict(self, facts: Sequence[Fact]) -> bool:
        """Whether some links and values alone are inconsistent."""
        return conflict_among(self._problem, sorted(self._places[id(fact)] for fact in facts), self.budget) is not None

    def conflict_through(self, fact: Fact) -> tuple[Fact, ...] | None:
        """A minimal conflict that a link or value is in; None if it is in none."""
        problem = self._problem
        subsets = _Subsets(problem, self.budget)
        found = conflict_with(self._places[id(fact)], problem.every, [], subsets, self.budget)
        return None if found is None else tuple(problem.facts[number] for number in found)

    def explain(self, conflict: Sequence[Fact], texts: Mapping[str, str]) -> list[str]:
        """A conflict in sentences, with the dates."""
        return explain_facts(conflict, self._calendar.zone, texts)

    def repair(self, protect: Collection[str]) -> Repair | Unrepairable:
        found = grounded_repair_of_facts(self._problem, self.budget, named_among(protect))
        if isinstance(found, Unrepairable):
            return found
        self._grounds = found
        facts = self._problem.facts[: self._problem.droppable]
        repaired = repair_of(found, facts)
        weights, _ = whole_weights(facts)
        kept = [number for number in self._problem.every if number not in set(found.dropped)]
        with suppress(BudgetExceeded):
            among = _Subsets(self._problem, self.budget).core
            instead = replacements(found.dropped, kept, weights, found.protected, among)
            return replace(repaired, alternatives=tuple(tuple(facts[number] for number in each) for each in instead))
        return repaired

    def repair_certificate(self) -> Certificate:
        """A certificate of the repair that was found."""
        from temporacle.reasoner.clock.proofs import certify_repair
        from temporacle.reasoner.proofs.certificate import confirmed

        if self._grounds is None:
            raise InternalError("a certificate of a repair was asked for before the repair")
        return confirmed(certify_repair(self._problem, self._calendar, self._grounds, self.budget))

    def relabellings(self, repaired: Repair) -> tuple[Relabelling, ...]:
        """Other labels for the links that a repair drops."""
        from temporacle.reasoner.conflicts.repair import relabellings_by

        gone = set(map(id, repaired.dropped))
        kept = Problem(
            Network((link for link in self._document.links if id(link) not in gone), self._problem.network.entities),
            [fact for fact in self._values.facts if id(fact) not in gone],
            self._calendar.zone,
        )
        possible = self._oracle.about(kept).strongest
        return relabellings_by(possible, repaired, self._document.reading, self._document.links)

    def resolved(self, repaired: Repair) -> Iterator[tuple[Fact, ...]]:
        """The conflicts of the document: a minimal one for each dropped fact, of that fact and kept ones."""
        places = self._places
        dropped = [places[id(fact)] for fact in repaired.dropped]
        kept = [number for number in self._problem.every if number not in set(dropped)]
        for number in dropped:
            self.budget.check()
            found = conflict_among(self._problem, sorted((*kept, number)), self.budget)
            if found is None:
                raise InternalError("a dropped fact fits together with the facts that are kept")
            yield tuple(self._problem.facts[each] for each in sorted(found))

    def certificate(self, conflict: Sequence[Fact] | None = None) -> Certificate:
        """Of consistency; of a contradiction if a conflict is given, or () if none is known."""
        from temporacle.reasoner.clock.proofs import certify, certify_conflict
        from temporacle.reasoner.proofs.certificate import confirmed

        if conflict is None:
            return confirmed(certify(self._problem, self._calendar, self.budget))
        known = [self._places[id(fact)] for fact in conflict] or None
        return confirmed(certify_conflict(self._problem, self._calendar, self.budget, known))


class _Subsets:
    """Sets of facts, each judged by itself."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self._problem = problem
        self._budget = budget

    def core(self, numbers: Sequence[int]) -> list[int] | None:
        self._budget.check()
        return conflict_among(self._problem, numbers, self._budget)

    def holding(self, _numbers: Sequence[int]) -> list[int]:
        return []


# ----------------------------------------------------------------------------------------------------
# The verdict on a plain graph with the values of its time expressions: what ``check`` finds, without a document.


class JudgedGraph(NamedTuple):
    """The answer of the oracle, and what an inquiry says about values."""

    is_consistent: bool
    decided_by: str
    remarks: tuple[Remark, ...]
    calendar: Mapping[str, Any]


def judged(graph: PlainGraph, calendar: Calendar) -> JudgedGraph | None:
    """Return whether the links and values of a graph can all be true; None if the document must be read."""
    if graph.times is None:
        return None
    read = reader_of_times(calendar)
    said: dict[Hashable, tuple[Constraint, ...]] = {}
    remarks: list[Remark] = []
    values = 0
    for name, time in graph.times.entities.items():
        if time.begin_point or time.end_point:
            return None
        constraints, _, odd = read(time.value, time.type, time.mod, marks_writing(time))
        if constraints:
            said[name] = constraints
        if odd:
            remarks += remarks_on(time, odd)
        values += bool(time.value and time.value.strip())
    verdict = quick_verdict(graph.sources, graph.relations, graph.targets, said)
    if verdict is None:
        return None
    return JudgedGraph(
        verdict,
        "graph" if _are_dates(said.values()) else "weights",
        remarks_on_values(values, tuple(remarks), calendar, graph.format, graph.times.reading),
        counted_values(calendar, values, len(said)),
    )


def _are_dates(values: Iterable[Iterable[Constraint]]) -> bool:
    return all(each.left in ORIGINS or each.right in ORIGINS for constraints in values for each in constraints)


# ----------------------------------------------------------------------------------------------------
# Remarks on the values of a document as a whole, and how many there are.

# Formats that have no place for values: that each time lacks one is nothing to say there.
_WITHOUT_VALUES = frozenset({"dense", "matres", "deptree", "depgraph", "tsv", "csp", "csv", "parquet"})

SILENT_VALUES = "no time expression has a value: the answer is that of the links alone"


def remarks_on_values(
    values: int, remarks: tuple[Remark, ...], calendar: Calendar, document_format: str | None, reading: Reading
) -> tuple[Remark, ...]:
    """Return what is odd about the values: remarks on single ones, and one on all. ``values``: how many there are."""
    if not values:
        silent = Remark("no-values", SILENT_VALUES)
        return (silent,) if document_format in _WITHOUT_VALUES else (silent, *remarks)
    if calendar.policy is Policy.WITHIN or reading.name != "timeml":
        return remarks
    message = (
        f"under {calendar.policy.value}, adjacent days meet, and BEFORE, read strictly, does not"
        " allow that: --labels timeml-loose does"
    )
    return (*remarks, Remark(STRICT_LABELS, message))


def counted_values(calendar: Calendar, values: int, constraining: int) -> dict[str, Any]:
    """Return how values were read, and how many there are and constrain something, as in JSON output."""
    return calendar.to_dict() | {"values": values, "constraining": constraining}
