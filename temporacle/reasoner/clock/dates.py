"""Convex links and dates of one clock: decided in one pass over the endpoint graph, without weights.

A value says ``x >= c`` (a lower border) or ``x <= c`` (an upper one) about an endpoint. Links say ``<=`` and ``<``
between endpoints. A contradiction is a strict cycle of links, or a path of links from x to y where x has a lower border
and y an earlier upper one, or the same and the path is strict.

    limit(y)   the least upper border that a path from y leads to, computed from the last component to the first

So facts are consistent iff no component holds a strict edge and every lower border is within the limit of its point. A
smallest conflict is found breadth first from the borders beyond their limits, along points where that is still so.

Why smallest: a shortest path passes each entity once (``cycles``), so it has as many links as edges; the two borders
come from different facts, since a value alone cannot be beyond its own borders.
"""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from temporacle.calendar.said import ORIGINS
from temporacle.reasoner.points.cycles import shortest_strict_cycle
from temporacle.reasoner.points.graph import hull_edges, strong_components
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.model import Link
    from temporacle.reasoner.network import Budget

_NO_LIMIT = 1 << 200
_SOURCE, _MASK, _TARGET = map(itemgetter, range(1, 4))  # of a Link: faster than by name


class Border(NamedTuple):
    """``point >= time`` or ``point <= time``, and the number of the value that says so."""

    point: int
    time: int
    value: int


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


class DatedLinks:
    """Convex links and dates of one clock, ready to be judged. Facts are numbered: links, then values.

    An entity with one link and no value can be placed wherever the others are, so its link takes part in nothing.
    """

    def __init__(self, links: Sequence[Link], values: Sequence[CalendarFact]) -> None:
        self._first_value = len(links)
        uses = Counter(map(_SOURCE, links))
        uses.update(map(_TARGET, links))
        uses.update(fact.entity for fact in values)
        index: dict[str, int] = {}
        number_of = index.setdefault
        self._constraints: list[tuple[int, int, int]] = []  # source, mask, target of the links that take part
        self._numbers: list[int] = []  # their numbers
        self.impossible: int | None = None  # the first link that is a contradiction by itself
        if not all(map(_MASK, links)):
            self.impossible = next(number for number, link in enumerate(links) if not link[2])
        edges: list[int] = []  # from, and 2 * to + strict, one after the other
        taking_part = [number for number, link in enumerate(links) if uses[link[1]] > 1 and uses[link[3]] > 1]
        for number in taking_part:
            _, name, mask, other, *_ = links[number]
            if name == other:
                if not mask & EQUAL:
                    self.impossible = number if self.impossible is None else min(self.impossible, number)
            elif mask:
                source, target = number_of(name, len(index)), number_of(other, len(index))
                self._constraints.append((source, mask, target))
                self._numbers.append(number)
                points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
                for x, y, strict in hull_edges(mask):
                    edges += (points[x], 2 * points[y] + strict)
        self._lower: list[Border] = []
        upper: list[Border] = []
        for number, fact in enumerate(values):
            start = 2 * number_of(fact.entity, len(index))
            for left, right, seconds, _ in fact.constraints:
                if right in ORIGINS:
                    self._lower.append(Border(start + (left[-1] == "d"), -seconds, number))
                else:
                    upper.append(Border(start + (right[-1] == "d"), seconds, number))
        self._entities = len(index)
        self._successors: list[list[int]] = [
            [2 * point + 3] if not point & 1 else [] for point in range(2 * len(index))
        ]
        for place in range(0, len(edges), 2):
            self._successors[edges[place]].append(edges[place + 1])
        self._upper: list[list[Border]] = [[] for _ in self._successors]
        for border in upper:
            self._upper[border.point].append(border)
        self._components = strong_components(self._successors)
        self._limits = self._limit_of_components()

    def _limit_of_components(self) -> list[int]:
        """Twice the time, and one less if it must not be reached."""
        components = self._components
        members: list[list[int]] = [[] for _ in range(max(components, default=-1) + 1)]
        for point, component in enumerate(components):
            members[component].append(point)
        limits: list[int] = []
        self.has_strict_cycle = False
        for own, points in enumerate(members):  # edges lead to lower numbers
            limit = _NO_LIMIT
            for point in points:
                for border in self._upper[point]:
                    limit = min(limit, 2 * border.time)
                for target in self._successors[point]:
                    other = components[target >> 1]
                    if other == own:
                        self.has_strict_cycle |= bool(target & 1)
                    else:
                        reached = limits[other]
                        limit = min(limit, reached - 1 if target & 1 and not reached & 1 else reached)
            limits.append(limit)
        return limits

    def is_consistent(self) -> bool:
        """Whether all links and dates can be true together."""
        if self.has_strict_cycle or self.impossible is not None:
            return False
        limits, components = self._limits, self._components
        return all(2 * time <= limits[components[point]] for point, time, _ in self._lower)

    def smallest_conflict(self, budget: Budget) -> list[int] | None:
        """The fewest facts that contradict each other, in the order of a cycle: links by number, then values."""
        if self.impossible is not None:
            return [self.impossible]
        best: list[int] | None = None
        if self.has_strict_cycle:
            cycle = shortest_strict_cycle(self._entities, self._constraints, budget)
            best = None if cycle is None else [self._numbers[edge.link] for edge in cycle if edge.link is not None]
        limits, components = self._limits, self._components
        first_value = self._first_value
        edges: list[list[tuple[int, int, int]]] | None = None
        for border in self._lower:
            if 2 * border.time > limits[components[border.point]]:
                edges = self._labelled() if edges is None else edges
                found = self._path_beyond(border, edges, None if best is None else len(best) - 2, budget)
                if found is not None:
                    path, end = found
                    best = [first_value + border.value, *path, first_value + end.value]
        return best

    def _labelled(self) -> list[list[tuple[int, int, int]]]:
        """Edges by the point where they begin: to which point, strict, of which link."""
        edges: list[list[tuple[int, int, int]]] = [[] for _ in self._successors]
        for number, (source, mask, target) in zip(self._numbers, self._constraints, strict=True):
            points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
            for x, y, strict in hull_edges(mask):
                edges[points[x]].append((points[y], strict, number))
        return edges

    def _path_beyond(
        self, border: Border, edges: Sequence[Sequence[tuple[int, int, int]]], fewer_than: int | None, budget: Budget
    ) -> tuple[list[int], Border] | None:
        """The links of a shortest path to an upper border before this lower one; None if all are too long.

        States are 2 * point + (was there a strict edge).
        """
        budget.check()
        limits, components = self._limits, self._components
        least = 2 * border.time
        came_by: dict[int, tuple[int, int | None] | None] = {2 * border.point: None}
        frontier = [2 * border.point]
        links = 0
        while frontier and (fewer_than is None or links < fewer_than):
            for state in frontier:  # grows while it is read: start < end costs no link
                point = state >> 1
                for upper in self._upper[point]:
                    if 2 * upper.time - (state & 1) < least and upper.value != border.value:
                        return _links_to(came_by, state), upper
                free = 2 * point + 3
                if not point & 1 and free not in came_by:
                    came_by[free] = (state, None)
                    frontier.append(free)
            following: list[int] = []
            for state in frontier:
                for to_point, strict, link in edges[state >> 1]:
                    reached = 2 * to_point + (state & 1 | strict)
                    if reached not in came_by and limits[components[to_point]] - (reached & 1) < least:
                        came_by[reached] = (state, link)
                        following.append(reached)
            frontier = following
            links += 1
        return None


def _links_to(came_by: dict[int, tuple[int, int | None] | None], state: int) -> list[int]:
    links: list[int] = []
    step = came_by[state]
    while step is not None:
        state, link = step
        if link is not None:
            links.append(link)
        step = came_by[state]
    return links[::-1]
