"""What ``check`` asks about the links and values of one document; see ``reasoner.check``."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from temporacle.calendar.facts import values_of
from temporacle.errors import InternalError
from temporacle.reasoner.check import count_entities
from temporacle.reasoner.metric.conflicts import conflict_among
from temporacle.reasoner.metric.explanation import explain_facts
from temporacle.reasoner.metric.oracle import CalendarOracle
from temporacle.reasoner.metric.problem import Problem
from temporacle.reasoner.metric.remarks import counted_values, remarks_on_values
from temporacle.reasoner.metric.repair import grounded_repair_of_facts, named_among
from temporacle.reasoner.network import Network
from temporacle.reasoner.repair import repair_of
from temporacle.results import Unrepairable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document, Remark
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.repair import GroundedRepair
    from temporacle.results import Certificate, Fact, Relabelling, Repair


class CalendarInquiry:
    """The questions of a check, links and values together."""

    def __init__(self, document: Document, calendar: Calendar, budget: Budget) -> None:
        self._document = document
        self._calendar = calendar
        self._budget = budget
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

    def conflicts(self, most: int) -> Iterator[tuple[Fact, ...]]:
        """Minimal conflicts that share no fact."""
        conflict = self._oracle.conflict()
        yield conflict
        left = set(self._problem.every)
        for _ in range(most - 1):
            left.difference_update(self._places[id(fact)] for fact in conflict)
            found = conflict_among(self._problem, sorted(left), self._budget)
            if found is None:
                return
            conflict = tuple(self._problem.facts[number] for number in found)
            yield conflict

    def explain(self, conflict: Sequence[Fact], texts: Mapping[str, str]) -> list[str]:
        """A conflict in sentences, with the dates."""
        return explain_facts(conflict, self._calendar.zone, texts)

    def repair(self, protect: Collection[str]) -> Repair | Unrepairable:
        found = grounded_repair_of_facts(self._problem, self._budget, named_among(protect))
        if isinstance(found, Unrepairable):
            return found
        self._grounds = found
        return repair_of(found, self._problem.facts[: self._problem.droppable])

    def repair_certificate(self) -> Certificate:
        """A certificate of the repair that was found."""
        from temporacle.reasoner.confirmed import confirmed
        from temporacle.reasoner.metric.certificates import certify_repair

        if self._grounds is None:
            raise InternalError("a certificate of a repair was asked for before the repair")
        return confirmed(certify_repair(self._problem, self._calendar, self._grounds, self._budget))

    def relabellings(self, repaired: Repair) -> tuple[Relabelling, ...]:
        """Other labels for the links that a repair drops."""
        from temporacle.reasoner.repair import relabellings_by

        gone = set(map(id, repaired.dropped))
        kept = Problem(
            Network((link for link in self._document.links if id(link) not in gone), self._problem.network.entities),
            [fact for fact in self._values.facts if id(fact) not in gone],
            self._calendar.zone,
        )
        possible = self._oracle.about(kept).strongest
        return relabellings_by(possible, repaired, self._document.reading, self._document.links)

    def resolved(self, repaired: Repair, known: Sequence[Sequence[Fact]]) -> Iterator[tuple[Fact, ...]]:
        """A minimal conflict for each dropped fact that the known ones leave over: that fact and kept ones."""
        places = self._places
        dropped = [places[id(fact)] for fact in repaired.dropped]
        members = [{places[id(fact)] for fact in conflict} for conflict in known]
        answered = {next((number for number in dropped if number in each), None) for each in members}
        kept = [number for number in self._problem.every if number not in set(dropped)]
        for number in dropped:
            if number not in answered:
                self._budget.check()
                found = conflict_among(self._problem, sorted((*kept, number)), self._budget)
                if found is None:
                    raise InternalError("a dropped fact fits together with the facts that are kept")
                yield tuple(self._problem.facts[each] for each in sorted(found))

    def certificate(self, conflicts: Sequence[Sequence[Fact]] | None = None) -> Certificate:
        """Of consistency; or of a contradiction, if conflicts are given, which may be none that are known."""
        from temporacle.reasoner.confirmed import confirmed
        from temporacle.reasoner.metric.certificates import certify, certify_conflict

        if conflicts is None:
            return confirmed(certify(self._problem, self._calendar, self._budget))
        known = [self._places[id(fact)] for fact in conflicts[0]] if conflicts else None
        return confirmed(certify_conflict(self._problem, self._calendar, self._budget, known))
