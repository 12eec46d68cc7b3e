"""The quick yes: consistency of the usual document, at a fraction of the cost of an oracle.

Convex links are certainly consistent if, after endpoints that links call equal have been merged, what remains of
``<=`` and ``<`` has no cycle at all: then the endpoints can be put in order. That is one union-find and one topological
sort, without names for anything but the links' own entities. False means nothing: the oracle must decide.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.pointgraph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Link

    Pairs = tuple[tuple[int, int], ...]


@cache
def _plan(mask: int) -> tuple[Pairs, Pairs] | None:
    """Of the endpoints 0..3 of a link, those that are equal and those in order; None unless it is convex."""
    if not mask or classify(mask) is not RelationClass.CONVEX:
        return None
    edges = {(x, y) for x, y, _ in hull_edges(mask)}
    equal = sorted((x, y) for x, y in edges if (y, x) in edges and x < y)
    return tuple(equal), tuple(sorted(edge for edge in edges if edge[::-1] not in edges))


def surely_consistent(links: Sequence[Link]) -> bool:
    """True only if the links are all convex and can all be true.

    >>> from temporacle.reasoner.network import Network
    >>> surely_consistent(Network.of([("a", "BEFORE", "b"), ("b", "SIMULTANEOUS", "c")]).links)
    True
    """
    number: dict[str, int] = {}  # of an entity's start; its end is the next
    before: list[int] = []  # each is not later than its partner in ``after``
    after: list[int] = []
    merged: list[tuple[int, int]] = []
    number_of = number.setdefault
    for _, source, relation, target, _, _, _, _ in links:
        plan = _plan(relation)
        if plan is None or source == target:
            return False
        points = (s := number_of(source, 2 * len(number)), s + 1, t := number_of(target, 2 * len(number)), t + 1)
        equal, edges = plan
        for x, y in edges:
            before.append(points[x])
            after.append(points[y])
        for x, y in equal:
            merged.append((points[x], points[y]))
    starts = range(0, 2 * len(number), 2)
    return _has_order(2 * len(number), merged, [*starts, *before], [*range(1, 2 * len(number), 2), *after])


def _has_order(size: int, merged: Sequence[tuple[int, int]], before: list[int], after: list[int]) -> bool:
    """Whether the points can be sorted: none is left when those with nothing before them are taken away in turn."""
    if merged:
        one = _representatives(size, merged)
        before = [one[point] for point in before]
        after = [one[point] for point in after]
    followers: list[list[int]] = [[] for _ in range(size)]
    waiting = [0] * size  # how many points still stand before it
    for x, y in zip(before, after, strict=True):
        followers[x].append(y)
        waiting[y] += 1
    free = [point for point, count in enumerate(waiting) if not count]
    for point in free:  # grows while it is read
        for y in followers[point]:
            waiting[y] = left = waiting[y] - 1
            if not left:
                free.append(y)
    return len(free) == size


def _representatives(size: int, merged: Sequence[tuple[int, int]]) -> list[int]:
    """Union-find: for each point one that stands for all its equals."""
    one = list(range(size))
    for left, right in merged:
        x, y = left, right
        while one[x] != x:
            one[x] = x = one[one[x]]
        while one[y] != y:
            one[y] = y = one[one[y]]
        one[y] = x
    for point in range(size):
        x = point
        while one[x] != x:
            x = one[x]
        one[point] = x
    return one
