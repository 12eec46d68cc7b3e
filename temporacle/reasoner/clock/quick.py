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
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from temporacle.calendar.said import ORIGINS
from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.points.graph import hull_edges
from temporacle.reasoner.points.sorting import representatives

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


class _Plan(NamedTuple):
    """What a convex link says about its endpoints 0..3."""

    equal: tuple[tuple[int, int], ...]
    ordered: tuple[tuple[int, int, int], ...]  # earlier, later, 1 if strictly


@cache
def _plan(mask: int) -> _Plan | None:
    """Return the plan of a relation; None unless it is convex and not empty."""
    if not mask or classify(mask) is not RelationClass.CONVEX:
        return None
    edges = {(x, y): int(strict) for x, y, strict in hull_edges(mask)}
    equal = tuple((x, y) for x, y in edges if (y, x) in edges and x < y)
    return _Plan(equal, tuple((x, y, step) for (x, y), step in edges.items() if (y, x) not in edges))


class _Graph:
    """Points 2i and 2i + 1 for start and end of entity i, with the edges and borders between them."""

    def __init__(self, unit: int) -> None:
        self._unit = unit  # parts of a second
        self.number: dict[Hashable, int] = {}  # of an entity's start
        self.earlier: list[int] = []  # lists of numbers, one for each part of an edge
        self.later: list[int] = []
        self.steps: list[int] = []  # how much later, at least
        self.equal: list[tuple[int, int]] = []
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
        size = 2 * len(self.number)
        self.earlier += range(0, size, 2)
        self.later += range(1, size, 2)
        self.steps += [1] * len(self.number)
        if self.equal:
            self._merge(representatives(size, self.equal))
        followers: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        waiting = [0] * size  # how many points still stand before it
        for x, y, step in zip(self.earlier, self.later, self.steps, strict=True):
            followers[x].append((y, step))
            waiting[y] += 1
        times = [_LONG_AGO] * size
        for point, time in self._lower:
            times[point] = max(times[point], time)
        order = [point for point, count in enumerate(waiting) if not count]
        for point in order:  # grows while it is read
            for y, _ in followers[point]:
                waiting[y] = left = waiting[y] - 1
                if not left:
                    order.append(y)
        if len(order) < size:
            return None
        _raise_later(times, order, followers)
        for _ in self._longest:
            if self._is_too_late(times):
                return False
            if not self._raise_starts(times):
                return True
            _raise_later(times, order, followers)
        return not self._is_too_late(times) and not self._raise_starts(times)

    def _merge(self, one: Sequence[int]) -> None:
        """Replace each point by the one that stands for all that equal it."""
        self.earlier = [one[point] for point in self.earlier]
        self.later = [one[point] for point in self.later]
        self._lower = [(one[point], time) for point, time in self._lower]
        self._upper = [(one[point], time) for point, time in self._upper]
        self._longest = [(one[start], one[end], most) for start, end, most in self._longest]

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


def _is_end(point: str) -> bool:
    """Return whether a point of an entity, such as ``end`` or ``t3.end``, is its end."""
    return point[-1] == "d"


def _raise_later(times: list[int], order: Sequence[int], followers: Sequence[Sequence[tuple[int, int]]]) -> None:
    for point in order:
        time = times[point]
        for y, step in followers[point]:
            if time + step > times[y]:  # noqa: PLR1730 - max takes twice the time
                times[y] = time + step


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
    meanings = set(relations)
    plans = {meaning: plan for meaning in meanings if (plan := _plan(meaning)) is not None}
    if len(plans) < len(meanings):
        return None
    uses = Counter(chain(sources, targets, values))
    graph = _Graph(2 * len(uses) + 1)  # more parts of a second than a path has steps
    number = graph.number
    number_of = number.setdefault
    for entity, constraints in values.items():
        graph.add_value(number_of(entity, 2 * len(number)), constraints)
    if len(graph.clocks) > 1:
        return None
    earlier, later, steps = graph.earlier, graph.later, graph.steps
    for source, relation, target in zip(sources, relations, targets, strict=True):
        if uses[source] == 1 or uses[target] == 1:
            continue  # an entity with one link and no value can be placed wherever the others are
        ends = (s := number_of(source, 2 * len(number)), s + 1, t := number_of(target, 2 * len(number)), t + 1)
        equal, ordered = plans[relation]
        for x, y, step in ordered:
            earlier.append(ends[x])
            later.append(ends[y])
            steps.append(step)
        for x, y in equal:
            graph.equal.append((ends[x], ends[y]))
    return graph.verdict()


def verdict_on(links: Sequence[Link], facts: Iterable[CalendarFact]) -> bool | None:
    """Return whether links and the facts of values can all be true; None if this cannot tell."""
    values: dict[Hashable, tuple[Constraint, ...]] = {}
    for fact in facts:
        values[fact.entity] = (*values.get(fact.entity, ()), *fact.constraints)
    sources, relations, targets = map(list, list(zip(*links, strict=True))[1:4]) if links else ([], [], [])
    return quick_verdict(sources, relations, targets, values)
