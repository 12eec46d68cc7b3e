"""Minimal conflicts among links and values: facts that cannot all be true, each of them needed.

A first conflict: that of a shortest negative cycle where all links are convex, else the facts on a negative cycle, or
of all clauses learnt. With dates of one clock it is the smallest: a cycle passes the origin once, for two values, and a
shortest path passes each entity once (``points.cycles``). Only values on cycles count (``problem.suspects``): no other
fact is in a conflict. Others are made minimal by *deletion*: take each fact out in
turn and leave it out if the rest still contradicts itself.
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

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import atom_at
from temporacle.reasoner.clock.picks import Core, Model, judge
from temporacle.reasoner.clock.quick import are_dates, verdict_on
from temporacle.reasoner.clock.weights import Solution, WeightedEdge, potentials
from temporacle.reasoner.conflicts.repair import LINKS, VALUES, grounds_of, named_in, whole_weights
from temporacle.reasoner.network import NotMinimal
from temporacle.reasoner.optimise.choices import minimum_hitting_set
from temporacle.reasoner.points.cycles import shortest_strict_cycle
from temporacle.reasoner.points.sorting import surely_consistent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.reasoner.clock.problem import CalendarProblem
    from temporacle.reasoner.conflicts.repair import GroundedRepair
    from temporacle.reasoner.network import Budget
    from temporacle.results import Unrepairable, Witness

_FEW_SUSPECTS = 24  # facts; among more of them a minimal conflict is enough
_MANY_FACTS = 200  # nearly always with more suspects than that
_MOST_ROUNDS = 150


def conflict_among(
    problem: CalendarProblem, facts: Sequence[int], budget: Budget, extra: Sequence[WeightedEdge] = ()
) -> list[int] | None:
    """A minimal conflict among some facts, the smallest where that can be known; None if there is none.

    The assumptions of the problem, and ``extra`` edges, hold besides.
    """
    return _Search(problem, budget, extra).conflict(facts)


def conflict_without(problem: CalendarProblem, dropped: Collection[int], budget: Budget) -> list[int] | None:
    """The conflict among the facts of a document that are not dropped, searched for once."""
    gone = frozenset(dropped)
    if gone not in problem.known_conflicts:
        left = [number for number in problem.every if number not in gone]
        problem.known_conflicts[gone] = conflict_among(problem, left, budget)
    return problem.known_conflicts[gone]


class _Search:
    """Deletion and hitting sets, with edges that hold besides the facts."""

    def __init__(self, problem: CalendarProblem, budget: Budget, extra: Sequence[WeightedEdge]) -> None:
        self._problem = problem
        self._budget = budget
        self._extra = extra

    def _judge(self, facts: Sequence[int], start: Sequence[int] | None = None) -> Model | Core:
        return judge(self._problem, facts, self._budget, self._extra, start)

    def _blamed(self, facts: Sequence[int]) -> list[int] | None:
        """Facts among these that contradict each other; None if all fit."""
        verdict = self._judge(facts)
        return verdict.facts if isinstance(verdict, Core) else None

    def conflict(self, facts: Sequence[int]) -> list[int] | None:
        """A minimal conflict, the smallest where that can be known."""
        problem = self._problem
        facts = sorted(facts)  # links before values
        quick, cycle, blamed = None, None, None
        is_plain = not self._extra and len(problem.facts) == problem.droppable and problem.is_convex
        if is_plain:
            few = [number for number in facts if number in problem.all_suspects]
            links = [problem.document_links[number] for number in few if number < len(problem.document_links)]
            values = self._values(few)
            quick = verdict_on(links, values)
        if quick is None:
            blamed = self._blamed(facts)
        if quick or (quick is None and blamed is None):
            return None
        if is_plain:
            cycle = shortest_cycle(problem, self._budget, few)
            if cycle is not None and are_dates(values):
                return cycle if are_dates(self._values(facts)) else sorted(cycle)
        if cycle is None and blamed is None:
            blamed = self._blamed(facts)
        conflict = self._shrunk(sorted(cycle or blamed or ()))
        if len(conflict) <= 1:
            return conflict
        try:
            return self._smallest(facts, conflict)
        except BudgetExceeded:
            return conflict  # minimal, and that is what is promised

    def _values(self, facts: Sequence[int]) -> list[CalendarFact]:
        links = len(self._problem.document_links)
        return [self._problem.values[number - links] for number in facts if number >= links]

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
        every = self._problem.suspects(facts, self._extra)
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
        problem, times = self._problem, model.times
        inside = set(chosen)
        if not problem.differences(every):
            inside.update(satisfied(problem, every, times))
        edges = problem.graph(inside, self._extra)
        for number in every:
            if number in inside:
                continue
            if problem.is_convex:  # the edges of the fact are put to those of the facts inside
                new = problem.edges_of[number]
                for edge in new:
                    edges[edge.left].append(edge)
                verdict: object = potentials(edges, self._budget, times, {edge.left for edge in new})
            else:
                new, verdict = (), self._judge([*inside, number], times)
            if isinstance(verdict, Model | Solution):
                inside.add(number)
                times = verdict.times
            else:
                for edge in new:
                    edges[edge.left].pop()
        return inside


def satisfied(problem: CalendarProblem, facts: Collection[int], times: Sequence[int]) -> list[int]:
    """The facts that are true of given times."""
    return [number for number in facts if holds(problem, number, times)]


def holds(problem: CalendarProblem, number: int, times: Sequence[int]) -> bool:
    """Whether a fact is true of given times: a link by the definition of the atoms."""
    link = problem.relation(number)
    if link is None:
        return all(times[edge.right] - times[edge.left] <= edge.weight for edge in problem.edges_of[number])
    source, mask, target = link
    return bool(atom_at(times, source, target) & mask)


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


def shortest_cycle(problem: CalendarProblem, budget: Budget, facts: Sequence[int] | None = None) -> list[int] | None:
    """The facts on a cycle with the fewest edges of facts, each once; None if the search is too long.

    For facts that contradict each other, without assumptions, disjunctions and ``!=``.
    """
    facts = problem.every if facts is None else facts
    links = [number for number in facts if number < len(problem.document_links)]
    best: list[int] | None = None
    if not surely_consistent([problem.document_links[number] for number in links]):
        constraints = [problem.network.constraints[number] for number in links]
        strict = shortest_strict_cycle(len(problem.network.entities), constraints, budget) or ()
        best = list(dict.fromkeys(links[edge.link] for edge in strict if edge.link is not None)) or None
    edges = problem.graph(facts)
    walks = [_Walk(edges, source) for source in _sources(problem, facts[len(links) :])]
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


def _sources(problem: CalendarProblem, values: Sequence[int]) -> Iterator[int]:
    """The origins, and the start of each entity that a value gives a length."""
    yield from (problem.local, problem.utc)
    lengths = {
        edge.left & ~1
        for number in values
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
                return list(found)


# ----------------------------------------------------------------------------------------------------
# The lightest facts to drop so that the rest can be true: the repair of links (``conflicts.repair``), values included.
#
# Links weigh what they weigh, a value weighs 1.


def repair_facts(
    problem: CalendarProblem, budget: Budget, protect: Collection[str] = ()
) -> GroundedRepair | Unrepairable:
    """The repair with the conflicts that show that no lighter one exists.

    ``protect``: ids and labels of facts to keep, or ``values`` or ``links`` for all of a kind.
    """
    facts = problem.facts[: problem.droppable]
    is_named = named_in(protect)
    protected = frozenset(
        number
        for number, fact in enumerate(facts)
        if (is_named(fact) or LINKS in protect if isinstance(fact, Link) else fact.id in protect or VALUES in protect)
    )

    def find(dropped: set[int]) -> list[list[int]]:
        conflict = conflict_without(problem, dropped, budget)
        return [] if conflict is None else [conflict]

    return grounds_of(facts, whole_weights(facts)[0], protected, find, budget)


# ----------------------------------------------------------------------------------------------------
# Models with all facts true: integer times in parts of a second, checked before they are handed out.


def witness_of(problem: CalendarProblem, facts: Sequence[int], model: Model, budget: Budget) -> Witness:
    """Return times of all entities, in 1/unit of a second from the origin, at which every fact holds."""
    times = _separated(problem, facts, model, budget)
    broken = next((number for number in problem.with_assumed(facts) if not holds(problem, number, times)), None)
    if broken is None:
        broken = next((edge.left for edge in problem.background if not _is_kept(edge, times)), None)
    if broken is not None:
        raise InternalError("a computed witness breaks the facts of the document; please report this document")
    origin = times[problem.clock]
    return {
        name: (times[2 * number] - origin, times[2 * number + 1] - origin)
        for number, name in enumerate(problem.network.entities)
    }


def _is_kept(edge: WeightedEdge, times: Sequence[int]) -> bool:
    return times[edge.right] - times[edge.left] <= edge.weight


def _separated(problem: CalendarProblem, facts: Sequence[int], model: Model, budget: Budget) -> Sequence[int]:
    """Return times that also satisfy ``!=``.

    Two points that happen to be equal are put in order, either way that fits; two that differ keep their order. What
    was not bound to be equal before is not bound to be so afterwards: the models left are open among all models.
    """
    times = model.times
    edges = [edge for link, mask in model.picked.items() for edge in problem.link_edges(link, mask)]
    for x, y, _ in problem.differences(facts):
        if times[x] != times[y]:
            edges.append(WeightedEdge(y, x, -1, None) if times[x] < times[y] else WeightedEdge(x, y, -1, None))
            continue
        for before, after in ((x, y), (y, x)):
            order = WeightedEdge(after, before, -1, None)
            found = potentials(problem.graph(facts, (*edges, order)), budget, times)
            if isinstance(found, Solution):
                times = found.times
                edges.append(order)
                break
    return times
