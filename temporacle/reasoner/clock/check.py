"""What ``check`` asks about the links and values of one document; see ``reasoner.check``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.calendar.civil import DAY, HOUR, MINUTE, iso_time
from temporacle.calendar.facts import marks_writing, remarks_on, values_of
from temporacle.calendar.policy import Policy
from temporacle.calendar.said import ORIGINS, UTC, reader_of_times
from temporacle.checks import STRICT_LABELS
from temporacle.errors import BudgetExceeded, InternalError, spelled
from temporacle.model import Link, Remark
from temporacle.reasoner.clock.conflicts import conflict_among, conflict_without, repair_facts
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.clock.picks import Core, Model, judge
from temporacle.reasoner.clock.problem import CalendarProblem
from temporacle.reasoner.clock.quick import quick_verdict
from temporacle.reasoner.clock.weights import NegativeCycle, potentials
from temporacle.reasoner.conflicts.all_conflicts import conflict_with, conflicts_and_repairs
from temporacle.reasoner.conflicts.canonical import replacements
from temporacle.reasoner.conflicts.explanation import NO_TEXTS, link_step, named, place, statement_of
from temporacle.reasoner.conflicts.repair import relabellings_by, repair_of, whole_weights
from temporacle.reasoner.network import Budget, Network, count_entities, in_order, place_of
from temporacle.reasoner.proofs.certificate import confirmed
from temporacle.results import Unrepairable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from temporacle.calendar.facts import CalendarFact, DocumentValues
    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.said import Constraint
    from temporacle.model import Document, PlainGraph
    from temporacle.readings import Reading
    from temporacle.reasoner.clock.weights import WeightedEdge
    from temporacle.reasoner.conflicts.repair import GroundedRepair
    from temporacle.results import Certificate, Fact, Relabelling, Repair


class CalendarInquiry:
    """The questions of a check, links and values together."""

    def __init__(
        self, document: Document, calendar: Calendar, budget: Budget, values: DocumentValues | None = None
    ) -> None:
        self._document = document
        self._calendar = calendar
        self.budget = budget
        self._values = values or values_of(document, calendar)
        self._grounds: GroundedRepair | None = None  # of the repair that was found
        self.oracle = CalendarOracle(document, calendar, budget=budget, values=self._values)

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
        return self.oracle.is_consistent()

    @property
    def decided_by(self) -> str:
        return self.oracle.decided_by

    @cached_property
    def problem(self) -> CalendarProblem:
        """All facts, in the order by which conflicts and repairs are chosen, however the document lists them."""
        links = in_order(self._document.links)
        values = sorted(self._values.facts, key=lambda fact: place_of(fact.line, fact.id))
        return CalendarProblem(Network(links), values, self._calendar.zone)

    @property
    def _as_listed(self) -> CalendarProblem:
        """All facts, in the order of the document: that of certificates."""
        return self.oracle.problem

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(fact): number for number, fact in enumerate(self.problem.facts)}

    def conflict(self) -> tuple[Fact, ...]:
        """A minimal conflict, a smallest one where that can be known."""
        return self.oracle.about(self.problem).conflict()

    def all_conflicts(self, most: int | None) -> Iterator[tuple[Fact, ...]]:
        """All minimal conflicts, or as many as are asked for. They may share facts."""
        every = self.problem.every
        subsets = _Subsets(self.problem, self.budget)
        found = (numbers for numbers, is_one in conflicts_and_repairs(every, [], subsets, self.budget) if is_one)
        for numbers in islice(found, most):
            yield tuple(self.problem.facts[number] for number in numbers)

    @property
    def facts(self) -> Sequence[Fact]:
        """What conflicts consist of: the links and the values."""
        return self.problem.facts[: self.problem.droppable]

    def contradict(self, facts: Sequence[Fact]) -> bool:
        """Whether some links and values alone are inconsistent."""
        return conflict_among(self.problem, sorted(self._places[id(fact)] for fact in facts), self.budget) is not None

    def conflict_through(self, fact: Fact) -> tuple[Fact, ...] | None:
        """A minimal conflict that a link or value is in; None if it is in none."""
        problem = self.problem
        subsets = _Subsets(problem, self.budget)
        found = conflict_with(self._places[id(fact)], problem.every, [], subsets, self.budget)
        return None if found is None else tuple(problem.facts[number] for number in found)

    def explain(self, conflict: Sequence[Fact], texts: Mapping[str, str]) -> list[str]:
        """A conflict in sentences, with the dates."""
        return explain_facts(conflict, self._calendar.zone, texts)

    def repair(self, protect: Collection[str]) -> Repair | Unrepairable:
        found = repair_facts(self.problem, self.budget, protect)
        if isinstance(found, Unrepairable):
            return found
        self._grounds = found
        return self.repaired_by(found)

    def repaired_by(self, found: GroundedRepair) -> Repair:
        """A repair in facts, with what could be dropped instead as far as the time goes."""
        facts = self.facts
        repaired = repair_of(found, facts)
        weights, _ = whole_weights(facts)
        kept = [number for number in self.problem.every if number not in set(found.dropped)]
        with suppress(BudgetExceeded):
            instead = replacements(found.dropped, kept, weights, found.protected, self._cores(found.dropped, kept))
            return replace(repaired, alternatives=tuple(tuple(facts[number] for number in each) for each in instead))
        return repaired

    def _cores(self, dropped: Sequence[int], kept: Sequence[int]) -> Callable[[Sequence[int]], list[int] | None]:
        """A function that finds a conflict among some facts, not always a minimal one; None if there is none.

        It starts at times that fit the kept facts: few of them have to change.
        """
        problem, budget = self.problem, self.budget
        fitting = judge(problem, kept, budget)
        if not isinstance(fitting, Model):
            raise InternalError("the facts that a repair keeps contradict each other")

        def core(numbers: Sequence[int]) -> list[int] | None:
            gone = set(problem.every).difference(numbers)
            if gone < set(dropped):
                return conflict_without(problem, gone, budget)
            few = [number for number in numbers if number in problem.all_suspects]
            verdict = judge(problem, few, budget, start=fitting.times)
            return verdict.facts if isinstance(verdict, Core) else None

        return core

    def repair_certificate(self) -> Certificate:
        """A certificate of the repair that was found."""
        from temporacle.reasoner.clock.proofs import certify_repair

        if self._grounds is None:
            raise InternalError("a certificate of a repair was asked for before the repair")
        listed = {id(fact): number for number, fact in enumerate(self._as_listed.facts)}
        grounds = self._grounds.at([listed[id(fact)] for fact in self.problem.facts])
        return confirmed(certify_repair(self._as_listed, self._calendar, grounds, self.budget))

    def relabellings(self, repaired: Repair) -> tuple[Relabelling, ...]:
        """Other labels for the links that a repair drops."""
        gone = set(map(id, repaired.dropped))
        kept = CalendarProblem(
            Network((link for link in self._document.links if id(link) not in gone), self.problem.network.entities),
            [fact for fact in self._values.facts if id(fact) not in gone],
            self._calendar.zone,
        )
        possible = self.oracle.about(kept).strongest
        return relabellings_by(possible, repaired, self._document.reading, self._document.links)

    def resolved(self, repaired: Repair) -> Iterator[tuple[Fact, ...]]:
        """The conflicts of the document: a minimal one for each dropped fact, of that fact and kept ones."""
        places = self._places
        dropped = [places[id(fact)] for fact in repaired.dropped]
        for number in dropped:
            self.budget.check()
            found = conflict_without(self.problem, set(dropped) - {number}, self.budget)
            if found is None:
                raise InternalError("a dropped fact fits together with the facts that are kept")
            yield tuple(self.problem.facts[each] for each in sorted(found))

    def certificate(self, conflict: Sequence[Fact] | None = None) -> Certificate:
        """Of consistency; of a contradiction if a conflict is given, or () if none is known."""
        from temporacle.reasoner.clock.proofs import certify, certify_conflict

        if conflict is None:
            return confirmed(certify(self._as_listed, self._calendar, self.budget))
        listed = {id(fact): number for number, fact in enumerate(self._as_listed.facts)}
        known = [listed[id(fact)] for fact in conflict] or None
        return confirmed(certify_conflict(self._as_listed, self._calendar, self.budget, known))


class _Subsets:
    """Sets of facts, each judged by itself."""

    def __init__(self, problem: CalendarProblem, budget: Budget) -> None:
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
        f" allow that: {spelled('labels', 'timeml-loose')} does"
    )
    return (*remarks, Remark(STRICT_LABELS, message))


def counted_values(calendar: Calendar, values: int, constraining: int) -> dict[str, Any]:
    """Return how values were read, and how many there are and constrain something, as in JSON output."""
    return calendar.to_dict() | {"values": values, "constraining": constraining}


# ----------------------------------------------------------------------------------------------------
# A conflict of links and values as a chain of sentences that a person can follow.
#
# A negative cycle is read against its edges, from the earlier to the later point. Two steps through the origin, up to a
# date and on from a date, are one sentence: ``t3 "Friday" = 1998-02-06 ends before t5 "Monday" = 1998-02-09 starts``.


_VERBS = ("starts", "ends")


def explain_facts(conflict: Sequence[Fact], zone: int | None, texts: Mapping[str, str] = NO_TEXTS) -> list[str]:
    """Return one sentence for each step. ``texts`` has the words of entities, if they are known."""
    links = [fact for fact in conflict if isinstance(fact, Link)]
    problem = CalendarProblem(Network(links), [fact for fact in conflict if not isinstance(fact, Link)], zone)
    found = potentials(problem.graph(problem.every), Budget())
    if not isinstance(found, NegativeCycle):
        said = (
            statement_of(fact, texts) if isinstance(fact, Link) else f"{_dated(fact, texts)} ({place(fact)})"
            for fact in conflict
        )
        return [*said, "no choice among these alternatives fits together"]
    return list(_Chain(problem, found.edges, texts).sentences())


class _Chain:
    """A cycle, told from its first point that is not an origin."""

    def __init__(self, problem: CalendarProblem, cycle: Sequence[WeightedEdge], texts: Mapping[str, str]) -> None:
        self._problem = problem
        self._texts = texts
        steps = list(reversed(cycle))  # a step leads from edge.right, which is earlier, to edge.left
        first = min(range(len(steps)), key=lambda k: (self._is_origin(steps[k].right), self._order(steps[k])))
        self._steps = [*steps[first:], *steps[:first]]
        self._has_lengths = any(
            edge.fact is not None
            and not isinstance(problem.facts[edge.fact], Link)
            and not self._is_origin(edge.left)
            and not self._is_origin(edge.right)
            for edge in steps
        )

    def _order(self, edge: WeightedEdge) -> int:
        """Return the facts first, in their order, then what always holds."""
        return len(self._problem.facts) if edge.fact is None else edge.fact

    def _is_origin(self, point: int) -> bool:
        return point >= self._problem.local

    def sentences(self) -> Iterator[str]:
        steps = iter(self._steps)
        for step in steps:
            if self._is_origin(step.left):  # up to a date; on from a date
                through = [step]
                while self._is_origin(through[-1].left):
                    through.append(next(steps))
                yield from self._through_origin(through)
            elif step.fact is None:
                yield f"{self._point(step.right)} before it ends"
            else:
                yield self._fact_step(step)
        start = self._steps[0].right
        verb = _VERBS[start & 1]
        yield f"so {self._name(start >> 1)} would {verb[:-1]} before it {verb}"

    def _through_origin(self, steps: Sequence[WeightedEdge]) -> Iterator[str]:
        """Yield steps from an endpoint to a date that it is not after, perhaps to another clock, and on to a later
        endpoint.
        """
        up, *between, down = steps
        before, after = self._fact(up), self._fact(down)
        left = f"{self._dated(before)} {_VERBS[up.right & 1]}"
        right = f"{self._dated(after)} {_VERBS[down.left & 1]}"
        until, since = -(-up.weight // self._problem.unit), -(down.weight // self._problem.unit)
        if not between and until <= since and not self._has_lengths:
            yield f"{left} {'before' if until < since else 'when or before'} {right}"
            return
        yield f"{left} at {self._time(until, up.left)} or before"
        for _ in between:
            yield (
                "clocks differ from UTC by at most 14 hours ahead and 12 hours behind"
                if (self._problem.zone is None)
                else "the document's clock has the zone that was given"
            )
        yield f"{right} at {self._time(since, down.right)} or after"

    def _time(self, seconds: int, origin: int) -> str:
        time = iso_time(seconds).removesuffix("T00:00:00")
        return time + (" UTC" if self._problem.name(origin) == UTC else "")

    def _fact_step(self, step: WeightedEdge) -> str:
        fact = self._problem.facts[step.fact or 0]
        if isinstance(fact, Link):
            relation = self._problem.relation(step.fact or 0)
            assert relation is not None  # noqa: S101 - of a link
            names = [self._name(number) for number in range(len(self._problem.network.entities))]
            return link_step(fact, relation, (step.right, step.left), names, strict=step.weight < 0)
        seconds = -(-step.weight // self._problem.unit)
        is_strict = step.weight != seconds * self._problem.unit
        if step.right & 1:  # the end comes no later than so long after the start
            return f"{self._dated(fact)} lasts {'less than' if is_strict else 'at most'} {duration(seconds)}"
        return f"{self._dated(fact)} lasts {'more than' if is_strict else 'at least'} {duration(-seconds)}"

    def _fact(self, step: WeightedEdge) -> CalendarFact:
        fact = self._problem.facts[step.fact or 0]
        assert not isinstance(fact, Link)  # noqa: S101 - links do not lead to origins
        return fact

    def _dated(self, fact: CalendarFact) -> str:
        return _dated(fact, self._texts)

    def _name(self, number: int) -> str:
        return named(self._problem.network.entities[number], self._texts)

    def _point(self, point: int) -> str:
        return f"{self._name(point >> 1)} {_VERBS[point & 1]}"


def _dated(fact: CalendarFact, texts: Mapping[str, str]) -> str:
    """Return a time with its value: ``t3 "Friday" = 1998-02-06``."""
    name = named(fact.entity, texts)
    return f"{name} = {fact.label}" if fact.attribute == "value" else f"{name} ({fact.attribute} = {fact.label})"


def duration(seconds: int) -> str:
    """Return a number of seconds in words.

    >>> duration(90_000), duration(0)
    ('1 day 1 hour', '0 seconds')
    """
    parts = []
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (1, "second")):
        count, seconds = divmod(seconds, unit)
        if count:
            parts.append(f"{count:,} {name}{'s' if count != 1 else ''}")
    return " ".join(parts) or "0 seconds"
