"""Minimal conflicts among links and values: facts that cannot all be true, each of them needed.

Convex links and dates of one clock: the smallest conflict, by a search over paths (``dates``).
Otherwise a first conflict (the facts on a negative cycle, a shortest one where all links are convex, or of all clauses
learnt), made minimal by *deletion*: take each fact out in turn and leave it out if the rest still contradicts itself.
With lengths one link may be needed twice on a cycle, so the shortest cycle need not have the fewest facts. Where few
facts are suspects, implicit hitting sets find the smallest conflict:

    missing = {}
    repeat  chosen = minimum hitting set of missing
            if chosen contradicts itself: it is a smallest conflict
            grow chosen to a largest consistent set, and add what it leaves out to missing

Each conflict has a fact outside every consistent set, so it hits all of ``missing``. A conflict that is as small as the
hitting set is therefore smallest, whoever found it.

Reference: Ignatiev, Previti, Liffiton and Marques-Silva (2015), "Smallest MUS extraction with minimal hitting set
dualization".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.calendar.said import UTC
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.hittingset import minimum_hitting_set
from temporacle.reasoner.metric.choices import Core, Model, judge
from temporacle.reasoner.metric.cycles import shortest_cycle
from temporacle.reasoner.metric.dates import DatedLinks, are_dates
from temporacle.reasoner.network import NotMinimal
from temporacle.reasoner.pointgraph import strong_components
from temporacle.reasoner.tighten import is_convex
from temporacle.relation import Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.metric.weights import WeightedEdge
    from temporacle.reasoner.network import Budget


_FEW_SUSPECTS = 24  # facts; among more of them a minimal conflict is enough
_MANY_FACTS = 200  # nearly always with more suspects than that
_MOST_ROUNDS = 150


def conflict_among(
    problem: Problem, facts: Sequence[int], budget: Budget, extra: Sequence[WeightedEdge] = ()
) -> list[int] | None:
    """A minimal conflict among some facts, the smallest where that can be known; None if there is none.

    The assumptions of the problem, and ``extra`` edges, hold besides.
    """
    if problem.is_dated and not extra:
        return _by_dates(problem, facts, budget)
    return _Search(problem, budget, extra).conflict(facts)


def _by_dates(problem: Problem, facts: Sequence[int], budget: Budget) -> list[int] | None:
    """The smallest conflict among convex links and dates."""
    links = len(problem.document_links)
    numbers = [number for number in facts if number < links], [number for number in facts if number >= links]
    stated = [problem.document_links[number] for number in numbers[0]]
    dated = DatedLinks(stated, [problem.values[number - links] for number in numbers[1]])
    found = None if dated.is_consistent() else dated.smallest_conflict(budget)
    if found is None:
        return None
    together = [*numbers[0], *numbers[1]]
    return [together[place] for place in found]


def suspects(problem: Problem, facts: Sequence[int], extra: Sequence[WeightedEdge] = ()) -> list[int]:
    """The facts with an edge on some cycle, whatever is picked for the disjunctions, and those that say ``!=``.

    No other is in a conflict: what makes two points equal is a cycle, too.
    """
    edges = problem.graph(facts, extra)
    successors = [[2 * edge.right for edge in each] for each in edges]
    pieces = {
        number: [
            edge
            for piece in convex_pieces((problem.relation(number) or (0, 0, 0))[1])
            for edge in problem.link_edges(number, piece)
        ]
        for number in problem.choices(facts)
    }
    for each in pieces.values():
        for edge in each:
            successors[edge.left].append(2 * edge.right)
    components = strong_components(successors)
    different = {number for _, _, number in problem.differences(facts)}
    return [
        number
        for number in facts
        if number in different
        or any(
            components[edge.left] == components[edge.right]
            for edge in (*problem.edges_of[number], *pieces.get(number, ()))
        )
    ]


class _Search:
    """Deletion and hitting sets, with edges that hold besides the facts."""

    def __init__(self, problem: Problem, budget: Budget, extra: Sequence[WeightedEdge]) -> None:
        self._problem = problem
        self._budget = budget
        self._extra = extra

    def _judge(self, facts: Sequence[int], start: Sequence[int] | None = None) -> Model | Core:
        return judge(self._problem, facts, self._budget, self._extra, start)

    def conflict(self, facts: Sequence[int]) -> list[int] | None:
        """A minimal conflict, the smallest where that can be known."""
        verdict = self._judge(facts)
        if isinstance(verdict, Model):
            return None
        conflict = self._by_dates(facts) or self._shrunk(sorted(self._first(facts) or verdict.facts))
        if len(conflict) <= 1:
            return conflict
        try:
            return self._smallest(facts, conflict)
        except BudgetExceeded:
            return conflict  # minimal, and that is what is promised

    def _by_dates(self, facts: Sequence[int]) -> list[int] | None:
        """The smallest conflict without lengths, and without the values of one of two clocks, where that is quick."""
        problem = self._problem
        if self._extra or len(problem.facts) > problem.droppable or not is_convex(problem.network.constraints):
            return None
        links = len(problem.document_links)
        dates = [number for number in facts if number < links or are_dates([problem.values[number - links]])]
        if len(problem.origins) > 1:
            dates = [number for number in dates if number < links or not _is_zoned(problem.values[number - links])]
        return _by_dates(problem, dates, self._budget)

    def _first(self, facts: Sequence[int]) -> list[int] | None:
        """The facts on a shortest cycle, where all facts of the document are asked about and are convex."""
        problem = self._problem
        whole = len(facts) == problem.droppable == len(problem.facts) and not self._extra
        if not whole or not is_convex(problem.network.constraints):
            return None
        return shortest_cycle(problem, self._budget)

    def _shrunk(self, facts: Sequence[int]) -> list[int]:
        """A minimal conflict inside one, found among its own entities alone."""
        if self._extra:
            return self.shrink(facts)
        part = self._problem.part(facts)
        return [facts[number] for number in _Search(part, self._budget, ()).shrink(part.every)]

    def shrink(self, facts: Sequence[int]) -> list[int]:
        """Deletion: a minimal conflict inside one. One judgement per fact, and each may leave out several."""
        kept = list(facts)
        needed: set[int] = set()
        try:
            for number in facts:
                if number not in kept:
                    continue
                verdict = self._judge([other for other in kept if other != number])
                if isinstance(verdict, Core):
                    blamed = set(verdict.facts) | needed
                    kept = [other for other in kept if other in blamed]
                else:
                    needed.add(number)
        except BudgetExceeded as limit:
            raise NotMinimal(str(limit), self._problem.facts, kept) from None
        return kept

    def _smallest(self, facts: Sequence[int], conflict: list[int]) -> list[int]:
        """A conflict with the fewest facts, or the given one if there are too many suspects to know."""
        if len(facts) > _MANY_FACTS:
            return conflict
        every = suspects(self._problem, facts, self._extra)
        if len(every) > _FEW_SUSPECTS:
            return conflict
        weights = dict.fromkeys(every, 1)
        missing: list[frozenset[int]] = []
        for _ in range(_MOST_ROUNDS):
            self._budget.check()
            chosen = minimum_hitting_set(missing, weights, self._budget, any_will_do=True)
            if len(chosen) >= len(conflict):
                return conflict
            verdict = self._judge(chosen)
            if isinstance(verdict, Core):
                return self._shrunk(chosen)
            missing.append(frozenset(every).difference(self._grown(chosen, every, verdict)))
            if not missing[-1]:
                raise InternalError("facts that contradict each other are consistent")
        return conflict

    def _grown(self, chosen: Sequence[int], every: Sequence[int], model: Model) -> set[int]:
        """A largest consistent set of facts around a consistent one."""
        inside = set(chosen)
        if not self._problem.differences(every):
            inside.update(satisfied(self._problem, every, model.times))
        times = model.times
        for number in every:
            if number not in inside:
                verdict = self._judge([*inside, number], times)
                if isinstance(verdict, Model):
                    inside.add(number)
                    times = verdict.times
        return inside


def _is_zoned(fact: CalendarFact) -> bool:
    return any(UTC in constraint[:2] for constraint in fact.constraints)


def satisfied(problem: Problem, facts: Collection[int], times: Sequence[int]) -> list[int]:
    """The facts that are true of given times."""
    return [number for number in facts if holds(problem, number, times)]


def holds(problem: Problem, number: int, times: Sequence[int]) -> bool:
    """Whether a fact is true of given times: a link by the definition of the atoms."""
    link = problem.relation(number)
    if link is None:
        return all(times[edge.right] - times[edge.left] <= edge.weight for edge in problem.edges_of[number])
    source, mask, target = link
    atom = atom_holding((times[2 * source], times[2 * source + 1]), (times[2 * target], times[2 * target + 1]))
    return atom in Relation(mask).atoms
