"""Consistency and entailment with the values of time expressions, decided exactly.

    quick      convex links, values of one clock    one sort of the endpoints                         quick
    links      dates of one clock                   dates become intervals; the oracle of links       with_constants
    weights    lengths, or zones and no zones       weights, with a search over disjunctions          picks

``decided_by`` is ``graph`` for convex links with dates, that of the oracle of links for others with dates, and
``weights`` elsewhere.
"""

from __future__ import annotations

from copy import copy
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from temporacle.calendar.facts import date_fact, values_of
from temporacle.calendar.said import LOCAL, UTC
from temporacle.errors import InternalError, UsageError
from temporacle.model import Document, Link
from temporacle.reasoner.algebra import (
    ANY,
    CROSS_PAIRS,
    EQ,
    GT,
    LT,
    convex_pieces,
    mask_of,
)
from temporacle.reasoner.clock.conflicts import conflict_among, conflict_without, repair_facts, witness_of
from temporacle.reasoner.clock.limits import ClockBounds
from temporacle.reasoner.clock.picks import Model, judge
from temporacle.reasoner.clock.problem import Assumptions, CalendarProblem
from temporacle.reasoner.clock.quick import are_dates, verdict_on
from temporacle.reasoner.clock.table import MetricTable
from temporacle.reasoner.clock.weights import Solution, potentials
from temporacle.reasoner.conflicts.repair import repair_of
from temporacle.reasoner.network import Budget, Network, PairTable
from temporacle.reasoner.oracle import FactOracle, Oracle
from temporacle.reasoner.points.hulls import is_convex
from temporacle.reasoner.proofs.certificate import confirmed
from temporacle.relation import Relation, atom_holding
from temporacle.results import Unrepairable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from temporacle.calendar.facts import CalendarFact, DocumentValues
    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.values import CalendarDate
    from temporacle.readings import Reading
    from temporacle.reasoner.clock.limits import EntityBounds
    from temporacle.reasoner.clock.problem import Fact
    from temporacle.results import Certificate, Repair, Witness


class CalendarOracle(FactOracle):
    """Answers about the links and values of one document. Made as the oracle of links is, with a calendar."""

    def __init__(
        self,
        document: Document,
        calendar: Calendar,
        *,
        budget: float | Budget | None = None,
        reading: Reading | None = None,
        values: DocumentValues | None = None,
    ) -> None:
        self.document = document
        self.calendar = calendar
        self.values = values or values_of(document, calendar)
        self._labels = (reading or document.reading).with_atoms()
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)
        self.dates: tuple[CalendarFact, ...] = ()  # that questions name, under the text of their value

    @cached_property
    def network(self) -> Network:
        """The links with entities numbered."""
        return Network.of(self.document)

    @cached_property
    def problem(self) -> CalendarProblem:
        """All facts of the document."""
        return CalendarProblem(self.network, self.values.facts, self.calendar.zone)

    def about(self, problem: CalendarProblem) -> CalendarOracle:
        """An oracle with this calendar and time limit about other facts."""
        other = copy(self)
        for name in ("_by_links", "_consistent", "_model", "_table", "_bounds"):
            other.__dict__.pop(name, None)
        other.problem = problem
        return other

    def asked_about(self, dates: Sequence[CalendarDate]) -> CalendarOracle:
        """An oracle about the facts of the document and dates that questions name."""
        named = tuple(date_fact(date.value, date.span(self.calendar.hemisphere)) for date in dict.fromkeys(dates))
        other = self.about(
            CalendarProblem(self.network, self.values.facts, self.calendar.zone, Assumptions(values=named))
        )
        other.dates = named
        return other

    # --- what is computed once --------------------------------------------------------------------------------------

    @cached_property
    def _by_links(self) -> Oracle | None:
        """The oracle of links that knows the dates as intervals; None where weights are needed."""
        if not are_dates(self.problem.values):
            return None
        return Oracle(with_constants(self.problem), budget=self._budget)

    @cached_property
    def _consistent(self) -> bool:
        if "problem" not in self.__dict__:  # the usual document is judged without numbering its entities
            quick = verdict_on(self.document.links, self.values.facts)
            if quick is not None:
                return quick
        if self._by_links is not None:
            return self._by_links.is_consistent()
        return self._model is not None

    @cached_property
    def _model(self) -> Model | None:
        """Times that fit, None if there are none."""
        problem = self.problem
        if self._by_links is not None:
            if not self._consistent:
                return None
            picked = self._picked_by_links(self._by_links)
            edges = [edge for link, mask in picked.items() for edge in problem.link_edges(link, mask)]
            found = potentials(problem.graph(problem.every, edges), self._budget)
            if not isinstance(found, Solution):
                raise InternalError("dates fit as intervals, and do not fit as times; please report this document")
            return Model(found.times, picked)
        verdict = judge(problem, problem.every, self._budget)
        return verdict if isinstance(verdict, Model) else None

    def _picked_by_links(self, oracle: Oracle) -> dict[int, int]:
        """A piece of each disjunction that holds in a model of the links with the dates as intervals."""
        choices = self.problem.choices(self.problem.every)
        if not choices:
            return {}
        times = oracle.witness()
        picked = {}
        for number in choices:
            link = self.problem.facts[number]
            assert isinstance(link, Link)  # noqa: S101 - narrows the type only
            atom = int(Relation(atom_holding(times[link.source], times[link.target])))
            picked[number] = next(piece for piece in convex_pieces(int(link.relation)) if piece & atom)
        return picked

    @cached_property
    def _table(self) -> MetricTable | None:
        """Answers about pairs by weights; None if the document is inconsistent."""
        if self._model is None:
            return None
        return MetricTable(self.problem, self.problem.every, self._model, self._budget)

    @cached_property
    def _bounds(self) -> ClockBounds:
        if self._model is None:
            raise UsageError("an inconsistent document has no bounds; ask consistency() first")
        return ClockBounds(self.problem, self.problem.every, self._model, self._budget)

    # --- consistency ------------------------------------------------------------------------------------------------

    @property
    def decided_by(self) -> str:
        """What settled consistency: as for links alone, or ``weights``."""
        if not are_dates(self.values.facts):
            return "weights"
        if is_convex(self.network.constraints) or self._by_links is None:
            return "graph"
        return self._by_links.decided_by

    def is_consistent(self) -> bool:
        """Plain yes or no; raises BudgetExceeded when undecided."""
        return self._consistent

    def conflict(self) -> tuple[Fact, ...]:
        """A minimal conflict of an inconsistent document: the smallest where that can be known."""
        found = conflict_without(self.problem, (), self._budget)
        if found is None:
            raise InternalError("a conflict was asked for although the facts are consistent")
        return self._facts(found)

    def _facts(self, numbers: Collection[int]) -> tuple[Fact, ...]:
        return tuple(self.problem.facts[number] for number in numbers)

    @property
    def unit(self) -> int:
        """How many steps of a witness are one second."""
        return self.problem.unit

    def witness(self) -> Witness:
        """Times of all entities in 1/unit of a second since 1970, checked against every link and value."""
        if self._model is None:
            raise UsageError("an inconsistent document has no witness; ask consistency() first")
        return witness_of(self.problem, self.problem.every, self._model, self._budget)

    def repair(self, *, protect: Collection[str] = ()) -> Repair | Unrepairable:
        """The lightest facts to drop; ``protect`` names ids and labels never to drop, or ``values`` or ``links``."""
        found = repair_facts(self.problem, self._budget, protect)
        return found if isinstance(found, Unrepairable) else repair_of(found, self.problem.facts)

    def certificate(self, query: tuple[str, str | Relation, str] | None = None) -> Certificate:
        """A proof of (in)consistency, or of what follows about ``query``, that ``temporacle verify`` can check."""
        from temporacle.reasoner.clock.proofs import certify, certify_entailment

        if query is None:
            return confirmed(certify(self.problem, self.calendar, self._budget))
        source, relation, target = query
        asked = self.relation(relation)
        link = Link("query", source, asked, target, str(asked))
        return confirmed(certify_entailment(self.problem, self.calendar, link, self._budget))

    def repair_certificate(self, *, protect: Collection[str] = ()) -> Certificate | Unrepairable:
        """A proof that ``repair`` is one, and that no lighter one exists."""
        from temporacle.reasoner.clock.proofs import certify_repair

        found = repair_facts(self.problem, self._budget, protect)
        if isinstance(found, Unrepairable):
            return found
        return confirmed(certify_repair(self.problem, self.calendar, found, self._budget))

    # --- entailment -------------------------------------------------------------------------------------------------

    def number(self, name: str) -> int:
        """The number of an entity or of a date; UsageError if neither is known under this name."""
        found = self.problem.network.index.get(name)
        return self.network.number(name) if found is None else found

    def possible(self, source: int, target: int, within: int) -> int:
        decider = self._by_links or self._table
        return 0 if decider is None else decider.possible(source, target, within)

    def strongest(self, source: str, target: str) -> Relation:
        """The smallest relation that is entailed for a pair; empty if the document is inconsistent."""
        i, j = self.number(source), self.number(target)
        if self._by_links is not None:
            return self._by_links.strongest(source, target)
        return Relation(0 if self._table is None else self._table.relation(i, j))

    def minimal_network(self) -> PairTable | None:
        """The strongest relation of every pair of entities; None if inconsistent."""
        if not self._consistent:
            return None
        names = self.problem.network.entities  # those of the document first, dates that questions name behind them
        size = len(names) - len(self.dates)
        if self._by_links is not None:
            whole = self._by_links.minimal_network()
            assert whole is not None  # noqa: S101 - the document is consistent
            return PairTable(names[:size], [row[:size] for row in whole.rows[:size]])
        assert self._table is not None  # noqa: S101 - the document is consistent
        return PairTable(names[:size], [row[:size] for row in self._table.table()[:size]])

    def supposing(self, source: str, relation: Relation, target: str) -> CalendarProblem:
        """The facts, with a relation that holds besides."""
        link = Link("supposed", source, relation, target, str(relation))
        return self.problem.with_assumptions(Assumptions((link,), self.dates))

    def countermodel(self, source: str, relation: Relation, target: str) -> Witness | None:
        """A model in which ``source relation target`` does not hold, None if there is none."""
        world = self.supposing(source, ~relation, target)
        found = judge(world, world.every, self._budget)
        return witness_of(world, world.every, found, self._budget) if isinstance(found, Model) else None

    def facts_behind(self, source: str, relation: Relation, target: str) -> tuple[Fact, ...]:
        """Links and values from which a relation follows that does follow: the fewest where that can be known."""
        world = self.supposing(source, ~relation, target)
        found = conflict_among(world, world.every, self._budget)
        if found is None:
            raise InternalError("a relation was said to follow, and does not")
        return tuple(world.facts[number] for number in sorted(found))

    # --- bounds -----------------------------------------------------------------------------------------------------

    def bounds(self, entity: str) -> EntityBounds:
        """The earliest and latest start and end of an entity. Raises BudgetExceeded when undecided."""
        return self._bounds.entity(self.problem.network.number(entity))

    def facts_behind_limit(self, entity: str, end: str, *, latest: bool) -> tuple[Fact, ...]:
        """Links and values that a limit follows from; empty if there is no limit. ``end``: start or end."""
        point = 2 * self.problem.network.number(entity) + (end == "end")
        beyond = self._bounds.beyond(point, latest=latest)
        if beyond is None:
            return ()
        found = conflict_among(self.problem, self.problem.every, self._budget, (beyond,))
        if found is None:
            raise InternalError("a limit was said to follow, and does not")
        return self._facts(sorted(found))


# ----------------------------------------------------------------------------------------------------
# Dates as intervals of the document: then the endpoint graph, and all that is built on it, is exact as it stands.
#
# If values are only borders on one clock, a cycle passes the origin at most once: it is a path of links between two
# constants. So the constants, sorted, become points: two neighbours are the start and the end of an extra entity, each
# extra entity is before the next, and a border of a value is a convex relation to one of them. Weights would do, too;
# but the closure of 12 entities with disjunctions and a date takes 0.04 s by this way, and 1.6 s by weights.


def with_constants(problem: CalendarProblem) -> Network:
    """Return the links and dates of a document as links alone. Its entities come first, under their numbers."""
    times = sorted({abs_time for fact in problem.values for _, _, abs_time in _borders(fact)})
    place = {time: number for number, time in enumerate(times)}
    links = list(problem.network.links)
    taken = set(problem.network.entities)
    names = [_free_name(f"@{times[number]}", taken) for number in range(0, len(times), 2)]
    links += [Link("@", first, Relation("b"), second) for first, second in pairwise(names)]
    for fact in problem.values:
        said: dict[str, int] = {}
        for end, is_lower, time in _borders(fact):
            number = place[time]
            name = names[number >> 1]
            said[name] = said.get(name, -1) & _border(end, number & 1, is_lower)
        links += [Link(fact.id, fact.entity, Relation(mask), name) for name, mask in said.items()]
    return Network(links, problem.network.entities)


def _borders(fact: CalendarFact) -> Sequence[tuple[int, bool, int]]:
    """Start (0) or end (1), whether it is at or after the time, and the time."""
    found = []
    for left, right, seconds, _ in fact.constraints:
        is_lower = right in (LOCAL, UTC)
        name = left if is_lower else right
        found.append((int(name.endswith(".end")), is_lower, -seconds if is_lower else seconds))
    return found


@cache
def _border(end: int, other_end: int, is_lower: bool) -> int:  # noqa: FBT001 - cache key
    """Return all atoms in which an endpoint is not before, or not after, an endpoint of the other interval."""
    signs = [ANY, ANY, ANY, ANY]
    signs[CROSS_PAIRS.index((end, 2 + other_end))] = EQ | GT if is_lower else LT | EQ
    start_start, start_end, end_start, end_end = signs
    return mask_of((start_start, start_end, end_start, end_end))


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name
