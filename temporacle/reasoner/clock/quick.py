"""The quick verdict on convex links and values, yes or no: one topological sort of the endpoints.

Endpoints that links call equal are merged. If what remains of ``<=`` and ``<`` has no cycle, the points are visited in
this order, and each gets the earliest time that the facts leave it, counted in parts of a second, so small that all
steps of a path are less than one second:

    earliest(x)   >= c                           x has a lower border
    earliest(y)   >= earliest(x) + 0 or 1        x <= y or x < y
    earliest(end) >= earliest(start) + c         a least length

Facts contradict each other if an earliest time is beyond an upper border. Otherwise the earliest times are a model,
unless there are greatest lengths: ``start >= end - c`` leads back in the order. Then points are visited again, as long
as such a length raises a start. A path that raises times passes each of them once, or there is a cycle that raises
times for ever: if more rounds than lengths raise something, facts contradict each other.

None: weights must decide, because links are not convex or there is a cycle, or because values are of two clocks.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from temporacle.calendar.said import ORIGINS
from temporacle.reasoner.points.sorting import EndpointOrder, plan_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.calendar.said import Constraint
    from temporacle.model import Link
    from temporacle.relation import Relation


def are_dates(values: Sequence[CalendarFact]) -> bool:
    """Whether values are all borders on one clock."""
    origins = set()
    for fact in values:
        for left, right, _, _ in fact.constraints:
            if right in ORIGINS:
                origins.add(right)
            elif left in ORIGINS:
                origins.add(left)
            else:
                return False
    return len(origins) <= 1


_LONG_AGO = -1 << 200  # before all that lengths and dates can lead back to


class _Graph(EndpointOrder):
    """The endpoints with the borders that values give them."""

    def __init__(self, unit: int) -> None:
        super().__init__()
        self._unit = unit  # parts of a second
        self.clocks: set[str] = set()
        self._lower: list[tuple[int, int]] = []  # points and times
        self._upper: list[tuple[int, int]] = []
        self._longest: list[tuple[int, int, int]] = []  # start, end and how much later, at most

    def add_value(self, start: int, constraints: Sequence[Constraint]) -> None:
        """Add what the value of the entity with this start says."""
        for left, right, seconds, strict in constraints:
            most = seconds * self._unit - strict
            if right in ORIGINS:
                self.clocks.add(right)
                self._lower.append((start + _is_end(left), -most))
            elif left in ORIGINS:
                self.clocks.add(left)
                self._upper.append((start + _is_end(right), most))
            elif _is_end(right):
                self._longest.append((start, start + 1, most))
            else:
                self.earlier.append(start)
                self.later.append(start + 1)
                self.steps.append(-most)

    def verdict(self) -> bool | None:
        """Return whether all edges and borders can be met; None if the points cannot be put in order."""
        found = self.sort()
        if found is None:
            return None
        one = self.one
        self._upper = [(one[point], time) for point, time in self._upper]
        self._longest = [(one[start], one[end], most) for start, end, most in self._longest]
        times = [_LONG_AGO] * len(one)
        for point, time in self._lower:
            times[one[point]] = max(times[one[point]], time)
        self._raise_later(times, *found)
        for _ in self._longest:
            if self._is_too_late(times):
                return False
            if not self._raise_starts(times):
                return True
            self._raise_later(times, *found)
        return not self._is_too_late(times) and not self._raise_starts(times)

    def _is_too_late(self, times: Sequence[int]) -> bool:
        return any(times[point] > time for point, time in self._upper)

    def _raise_starts(self, times: list[int]) -> bool:
        """Raise the starts that greatest lengths lead back to; return whether there are any."""
        raised = False
        for start, end, most in self._longest:
            if times[end] - most > times[start]:
                times[start] = times[end] - most
                raised = True
        return raised

    def _raise_later(self, times: list[int], order: Sequence[int], leaving: Sequence[Sequence[int]]) -> None:
        later, steps = self.later, self.steps
        for point in order:
            time = times[point]
            for edge in leaving[point]:
                y, least = later[edge], time + steps[edge]
                if least > times[y]:  # noqa: PLR1730 - max takes twice the time
                    times[y] = least


def _is_end(point: str) -> bool:
    """Return whether a point of an entity, such as ``end`` or ``t3.end``, is its end."""
    return point[-1] == "d"


def quick_verdict(
    sources: Sequence[Hashable],
    relations: Sequence[Relation],
    targets: Sequence[Hashable],
    values: Mapping[Hashable, Sequence[Constraint]],
) -> bool | None:
    """Return whether links, given as columns, and values, by entity, can all be true; None if this cannot tell.

    >>> from temporacle.calendar.said import Constraint
    >>> from temporacle.relation import Relation
    >>> day = {"a": [Constraint("start", "@", -5)], "b": [Constraint("@", "end", 4)]}
    >>> [quick_verdict(["a"], [Relation(atom)], ["b"], day) for atom in ("b", "bi")]
    [False, True]
    """
    if any(plan_of(relation) is None for relation in set(relations)):
        return None
    uses = Counter(chain(sources, targets, values))
    graph = _Graph(2 * len(uses) + 1)  # more parts of a second than a path has steps
    number = graph.number
    number_of = number.setdefault
    for entity, constraints in values.items():
        graph.add_value(number_of(entity, 2 * len(number)), constraints)
    if len(graph.clocks) > 1:
        return None
    graph.add_links(sources, relations, targets, uses)
    return graph.verdict()


def verdict_on(links: Sequence[Link], facts: Iterable[CalendarFact]) -> bool | None:
    """Return whether links and the facts of values can all be true; None if this cannot tell."""
    values: dict[Hashable, tuple[Constraint, ...]] = {}
    for fact in facts:
        values[fact.entity] = (*values.get(fact.entity, ()), *fact.constraints)
    sources, relations, targets = map(list, list(zip(*links, strict=True))[1:4]) if links else ([], [], [])
    return quick_verdict(sources, relations, targets, values)
