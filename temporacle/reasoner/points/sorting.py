"""The quick yes: consistency of the usual document, at a fraction of the cost of an oracle.

1. An entity with one link only can always be placed, wherever the others are: time is dense, and no relation is empty.
   So such links do not matter, whatever they say.
2. Convex links are certainly consistent if, after endpoints that links call equal have been merged, what remains of
   ``<=`` and ``<`` has no cycle at all: then the endpoints can be put in order. That is one union-find and one
   topological sort, without names for anything but the links' own entities.

False means nothing: the oracle must decide.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.points.graph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from temporacle.model import Link
    from temporacle.relation import Relation

    Pair = tuple[int, int]


@cache
def _plan(mask: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]] | None:
    """Return those of the endpoints 0..3 of a link that are equal and those that are ordered; None unless the link is
    convex.
    """
    if classify(mask) is not RelationClass.CONVEX:
        return None
    edges = {(x, y) for x, y, _ in hull_edges(mask)}
    equal = tuple((x, y) for x, y in edges if (y, x) in edges and x < y)
    return equal, tuple(edge for edge in edges if edge[::-1] not in edges)


def surely_consistent(links: Sequence[Link]) -> bool:
    """Return True only if the links can all be true. False means that this quick check cannot tell.

    >>> from temporacle.reasoner.network import Network
    >>> surely_consistent(Network.of([("a", "BEFORE", "b"), ("b", "SIMULTANEOUS", "c"), ("c", "AFTER", "a")]).links)
    True
    """
    if not links:
        return True
    _, sources, relations, targets, *_ = zip(*links, strict=True)
    return columns_surely_consistent(sources, relations, targets)


def columns_surely_consistent(
    sources: Sequence[Hashable], relations: Sequence[Relation], targets: Sequence[Hashable]
) -> bool:
    """Return whether links that are given as columns are surely consistent."""
    return all(relations) and _can_be_ordered(sources, relations, targets)


def _can_be_ordered(sources: Sequence[Hashable], relations: Sequence[Relation], targets: Sequence[Hashable]) -> bool:
    """Return True only if the links that matter are all convex and leave no cycle among the endpoints.

    One pass leaves out links to entities that have no other link, although that may leave more of them.
    """
    uses = Counter(chain(sources, targets))
    number: dict[Hashable, int] = {}  # of an entity's start; its end is the next
    earlier: list[int] = []  # two lists of numbers: the garbage collector would go through a million pairs
    later: list[int] = []
    merged: list[Pair] = []
    number_of = number.setdefault
    for source, relation, target in zip(sources, relations, targets, strict=True):
        if uses[source] == 1 or uses[target] == 1:
            continue
        plan = _plan(relation)
        if plan is None:
            return False
        points = (s := number_of(source, 2 * len(number)), s + 1, t := number_of(target, 2 * len(number)), t + 1)
        equal, before = plan
        for x, y in before:
            earlier.append(points[x])
            later.append(points[y])
        for x, y in equal:
            merged.append((points[x], points[y]))
    size = 2 * len(number)
    earlier += range(0, size, 2)
    later += range(1, size, 2)
    if merged:
        one = representatives(size, merged)
        earlier, later = [one[x] for x in earlier], [one[y] for y in later]
    return _has_order(size, zip(earlier, later, strict=True))


def _has_order(size: int, ordered: Iterable[Pair]) -> bool:
    """Return whether the points can be sorted: repeatedly removing points with nothing before them leaves none."""
    followers: list[list[int]] = [[] for _ in range(size)]
    waiting = [0] * size  # how many points still stand before it
    for x, y in ordered:
        followers[x].append(y)
        waiting[y] += 1
    free = [point for point, count in enumerate(waiting) if not count]
    for point in free:  # grows while it is read
        for y in followers[point]:
            waiting[y] = left = waiting[y] - 1
            if not left:
                free.append(y)
    return len(free) == size


def representatives(size: int, merged: Iterable[Pair]) -> list[int]:
    """Return a representative of all equal points for each point (union-find)."""
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
