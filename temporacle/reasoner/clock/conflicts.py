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
from temporacle.reasoner.clock.choices import Core, Model, judge
from temporacle.reasoner.clock.dates import DatedLinks, are_dates
from temporacle.reasoner.network import NotMinimal
from temporacle.reasoner.optimise.choices import minimum_hitting_set
from temporacle.reasoner.points.closure import is_convex
from temporacle.reasoner.points.cycles import shortest_strict_cycle
from temporacle.reasoner.points.graph import strong_components
from temporacle.relation import Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.reasoner.clock.problem import Problem
    from temporacle.reasoner.clock.weights import WeightedEdge
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


# ----------------------------------------------------------------------------------------------------
# A negative cycle with the fewest edges of facts.
#
# A contradiction of convex facts is a negative cycle. One of links alone is a strict cycle of the endpoint graph; any
# other passes an origin or an entity with a length. From each of these points walk in rounds: after k rounds the least
# weight is known of a walk to every point with at most k edges of facts (start < end, and the zone, are free). The
# first walk that comes back with a negative weight has the fewest edges. All walks advance together, O(E) each round.
#
# A fact may lie on the cycle twice, so the fewest edges need not be the fewest facts; they nearly always are.

_MOST_STEPS = 2_000_000  # along edges, before the search is given up


def shortest_cycle(problem: Problem, budget: Budget) -> list[int] | None:
    """The facts on a cycle with the fewest edges of facts, each once; None if the search is too long.

    For contradictory problems without assumptions, disjunctions and ``!=``.
    """
    links = problem.network
    strict = shortest_strict_cycle(len(links.entities), links.constraints, budget)
    best = None if strict is None else list(dict.fromkeys(edge.link for edge in strict if edge.link is not None))
    edges = problem.graph(problem.every)
    walks = [_Walk(edges, source) for source in _sources(problem)]
    rounds = 0
    steps = 0
    while walks and steps < _MOST_STEPS and (best is None or rounds < len(best)):
        budget.check()
        for walk in walks:
            steps += walk.advance()
            if walk.is_negative:
                return walk.facts()
        walks = [walk for walk in walks if walk.is_going_on]
        rounds += 1
    return best


def _sources(problem: Problem) -> Iterator[int]:
    """The origins, and the start of each entity that a value gives a length."""
    yield from (problem.local, problem.utc)
    lengths = {
        edge.left & ~1
        for number in range(len(problem.document_links), problem.droppable)
        for edge in problem.edges_of[number]
        if edge.left < problem.local and edge.right < problem.local
    }
    yield from sorted(lengths)


class _Walk:
    """Least weights from a point, one more edge of a fact each round; the first round has none."""

    def __init__(self, edges: Sequence[Sequence[WeightedEdge]], source: int) -> None:
        self._edges = edges
        self._source = source
        self._weights = {source: 0}
        self._improved = [source]  # in the last round
        self._came_by: list[dict[int, tuple[WeightedEdge, int]]] = []  # by round: the edge, and the round it began in

    @property
    def is_negative(self) -> bool:
        return self._weights[self._source] < 0

    @property
    def is_going_on(self) -> bool:
        return bool(self._improved)

    def advance(self) -> int:
        """The number of edges looked at."""
        weights, edges, now = self._weights, self._edges, len(self._came_by)
        came_by: dict[int, tuple[WeightedEdge, int]] = {}
        self._came_by.append(came_by)
        reached = self._improved if not now else []
        steps = 0
        for point, base in [(point, weights[point]) for point in self._improved] if now else ():
            steps += len(edges[point])
            for edge in edges[point]:
                _, other, weight, fact = edge
                if fact is not None and (other not in weights or base + weight < weights[other]):
                    weights[other] = base + weight
                    came_by[other] = (edge, now - 1)
                    reached.append(other)
        for point in reached:  # grows while it is read: free steps, from an end to its start or between the clocks
            base = weights[point]
            for edge in edges[point]:
                _, other, weight, fact = edge
                if fact is None and (other not in weights or base + weight < weights[other]):
                    weights[other] = base + weight
                    came_by[other] = (edge, now)
                    reached.append(other)
        self._improved = list(dict.fromkeys(reached))
        return steps

    def facts(self) -> list[int]:
        """The facts on the walk back to its beginning."""
        found: dict[int, None] = {}
        point, now = self._source, len(self._came_by) - 1
        while True:
            edge, now = self._came_by[now][point]
            if edge.fact is not None:
                found[edge.fact] = None
            point = edge.left
            if point == self._source:
                return list(found)[::-1]
