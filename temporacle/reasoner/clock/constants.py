"""Dates as intervals of the document: then the endpoint graph, and all that is built on it, is exact as it stands.

If values are only borders on one clock, a cycle passes the origin at most once: it is a path of links between two
constants. So the constants, sorted, become points: two neighbours are the start and the end of an extra entity, each
extra entity is before the next, and a border of a value is a convex relation to one of them.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from temporacle.calendar.said import LOCAL, UTC
from temporacle.model import Link
from temporacle.reasoner.algebra import ANY, CROSS_PAIRS, EQ, GT, LT, mask_of
from temporacle.reasoner.network import Network
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.reasoner.clock.problem import Problem


def with_constants(problem: Problem) -> Network:
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
