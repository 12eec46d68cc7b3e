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
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.points.graph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from temporacle.model import Link
    from temporacle.relation import Relation

    Pair = tuple[int, int]


class _Plan(NamedTuple):
    """What a convex link says about its endpoints 0..3."""

    equal: tuple[Pair, ...]
    ordered: tuple[tuple[int, int, int], ...]  # earlier, later, 1 if strictly


@cache
def plan_of(mask: int) -> _Plan | None:
    """Return the plan of a relation; None unless it is convex and not empty."""
    if not mask or classify(mask) is not RelationClass.CONVEX:
        return None
    edges = {(x, y): int(strict) for x, y, strict in hull_edges(mask)}
    equal = tuple((x, y) for x, y in edges if (y, x) in edges and x < y)
    return _Plan(equal, tuple((x, y, step) for (x, y), step in edges.items() if (y, x) not in edges))


class EndpointOrder:
    """Points 2i and 2i + 1 for start and end of entity i, and the edges between them.

    Edges are lists of numbers, one for each part: the garbage collector would go through a million pairs.
    """

    def __init__(self) -> None:
        self.number: dict[Hashable, int] = {}  # of an entity's start; its end is the next
        self.earlier: list[int] = []
        self.later: list[int] = []
        self.steps: list[int] = []  # how much later, at least
        self.equal: list[Pair] = []
        self.one: Sequence[int] = ()  # which point stands for each point and its equals, once they are merged

    def add_links(
        self,
        sources: Iterable[Hashable],
        relations: Iterable[Relation],
        targets: Iterable[Hashable],
        uses: Mapping[Hashable, int],
    ) -> bool:
        """Add the links that matter; False if one of them is not convex.

        A link of an entity with no other use does not matter. That is asked once, although it may leave more of them.
        """
        earlier, later, steps, number = self.earlier, self.later, self.steps, self.number
        number_of = number.setdefault
        for source, relation, target in zip(sources, relations, targets, strict=True):
            if uses[source] == 1 or uses[target] == 1:
                continue
            plan = plan_of(relation)
            if plan is None:
                return False
            points = (s := number_of(source, 2 * len(number)), s + 1, t := number_of(target, 2 * len(number)), t + 1)
            equal, ordered = plan
            for x, y, step in ordered:
                earlier.append(points[x])
                later.append(points[y])
                steps.append(step)
            for x, y in equal:
                self.equal.append((points[x], points[y]))
        return True

    def sort(self) -> tuple[list[int], list[list[int]]] | None:
        """Return the points in order and the edges from each, by number; None if they cannot be put in order.

        Points are removed that have nothing before them, until none is left.
        """
        size = 2 * len(self.number)
        self.earlier += range(0, size, 2)
        self.later += range(1, size, 2)
        self.steps += [1] * len(self.number)
        self.one = range(size)
        if self.equal:
            self.one = one = representatives(size, self.equal)
            self.earlier, self.later = [one[x] for x in self.earlier], [one[y] for y in self.later]
        leaving: list[list[int]] = [[] for _ in range(size)]
        waiting = [0] * size  # how many points still stand before it
        later = self.later
        for edge, x in enumerate(self.earlier):
            leaving[x].append(edge)
            waiting[later[edge]] += 1
        order = [point for point, count in enumerate(waiting) if not count]
        for point in order:  # grows while it is read
            for edge in leaving[point]:
                y = later[edge]
                waiting[y] = left = waiting[y] - 1
                if not left:
                    order.append(y)
        return (order, leaving) if len(order) == size else None


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
    order = EndpointOrder()
    return (
        all(relations)
        and order.add_links(sources, relations, targets, Counter(chain(sources, targets)))
        and order.sort() is not None
    )


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
