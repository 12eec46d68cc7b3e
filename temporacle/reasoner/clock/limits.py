"""The earliest and latest calendar time at which each entity can start and end.

Theorem 3. With shortest distances D and the origin @, a point x is at -D(x -> @) at the earliest and at D(@ -> x) at
the latest; a limit is *attained* iff no strict edge is on the shortest path, and there is no limit if there is no path.
Every time between the limits occurs, by Theorem 1 with x fixed. A limit that is attained without ``!=`` is tested again
with it. Under disjunctions a limit is pushed outward: ask for a pick of pieces in which the point lies beyond the limit
known so far, take the limit of this pick, until there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.calendar.civil import iso_time
from temporacle.reasoner.clock.picks import Core, is_settled_model, judge
from temporacle.reasoner.clock.weights import Distances, WeightedEdge, reversed_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.clock.picks import Model
    from temporacle.reasoner.clock.problem import CalendarProblem
    from temporacle.reasoner.network import Budget


class Limit(NamedTuple):
    """A time in whole seconds, and whether it can be reached."""

    seconds: int
    attained: bool

    def to_dict(self) -> dict[str, Any]:
        return {"time": iso_time(self.seconds), "attained": self.attained}


class Range(NamedTuple):
    """What is known about one endpoint; None: no limit."""

    earliest: Limit | None
    latest: Limit | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "earliest": None if self.earliest is None else self.earliest.to_dict(),
            "latest": None if self.latest is None else self.latest.to_dict(),
        }


class EntityBounds(NamedTuple):
    """When an entity can start and end."""

    entity: str
    clock: str  # local or UTC
    start: Range
    end: Range

    def to_dict(self) -> dict[str, Any]:
        return {
            "entity": self.entity,
            "clock": self.clock,
            "start": self.start.to_dict(),
            "end": self.end.to_dict(),
        }


class ClockBounds:
    """The limits of all points of facts that fit together."""

    def __init__(self, problem: CalendarProblem, facts: Sequence[int], model: Model, budget: Budget) -> None:
        self._problem = problem
        self._facts = facts
        self._budget = budget
        self._first = model
        self._has_differences = bool(problem.differences(facts))
        self._cases = [self._distances(model)]

    def _distances(self, model: Model) -> tuple[dict[int, int], dict[int, int], tuple[WeightedEdge, ...], list[int]]:
        """Return the weights of all limits of a pick: latest and, with the opposite sign, earliest."""
        problem = self._problem
        picked = tuple(edge for link, mask in model.picked.items() for edge in problem.link_edges(link, mask))
        graph = problem.graph(self._facts, picked)
        origin = problem.clock
        to_origin = Distances(reversed_edges(graph), [-time for time in model.times], self._budget).row(origin)
        from_origin = Distances(graph, model.times, self._budget).row(origin)
        return from_origin, to_origin, picked, model.times

    def entity(self, number: int) -> EntityBounds:
        """Return the limits of an entity."""
        problem = self._problem
        clock = "UTC" if problem.clock == problem.utc else "local"
        start, end = (self.point(2 * number + place) for place in (0, 1))
        return EntityBounds(problem.network.entities[number], clock, start, end)

    def point(self, point: int) -> Range:
        """Return the limits of an endpoint."""
        earliest, latest = self.weight(point, latest=False), self.weight(point, latest=True)
        return Range(
            None if earliest is None else self._limit(-earliest, rounds_up=True),
            None if latest is None else self._limit(latest, rounds_up=False),
        )

    def _limit(self, weight: int, *, rounds_up: bool) -> Limit:
        """Return a weight in seconds. The rest of a second stands for strict edges."""
        unit = self._problem.unit
        seconds = weight // unit if rounds_up else -(-weight // unit)
        return Limit(seconds, weight == seconds * unit)

    def weight(self, point: int, *, latest: bool) -> int | None:
        """Return the weight of the path that gives a limit: ``point - origin <= weight`` or ``origin - point <=
        weight``.
        """
        best = self._in_case(0, point, latest=latest)
        if not self._first.picked or best is None:
            return best
        while True:
            edge = self._beyond(point, best, latest=latest)
            verdict = judge(self._problem, self._facts, self._budget, [edge], self._first.times)
            if isinstance(verdict, Core):
                return best
            self._cases.append(self._distances(verdict))
            further = self._in_case(-1, point, latest=latest)
            if further is None:
                return None
            best = max(best, further)

    def beyond(self, point: int, *, latest: bool) -> WeightedEdge | None:
        """Return the edge that says that a limit is exceeded, which is impossible; None if there is no limit."""
        weight = self.weight(point, latest=latest)
        return None if weight is None else self._beyond(point, weight, latest=latest)

    def _beyond(self, point: int, weight: int, *, latest: bool) -> WeightedEdge:
        """Return the edge that says that a limit is exceeded: the opposite of ``<= seconds`` or ``< seconds``."""
        unit = self._problem.unit
        seconds = -(-weight // unit)
        attained = weight == seconds * unit
        origin = self._problem.clock
        opposite = -seconds * unit - attained
        return WeightedEdge(point, origin, opposite, None) if latest else WeightedEdge(origin, point, opposite, None)

    def _in_case(self, case: int, point: int, *, latest: bool) -> int | None:
        from_origin, to_origin, picked, times = self._cases[case]
        weight = (from_origin if latest else to_origin).get(point)
        if weight is None or not self._has_differences:
            return weight
        seconds = -(-weight // self._problem.unit)
        if weight != seconds * self._problem.unit:
            return weight
        origin = self._problem.clock
        back = WeightedEdge(point, origin, -weight, None) if latest else WeightedEdge(origin, point, -weight, None)
        if is_settled_model(self._problem, self._facts, (*picked, back), self._budget, times):
            return weight
        return weight - 1  # approached, never reached
