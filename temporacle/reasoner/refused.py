"""Which of many convex links contradict the links before them, when links that do are left out.

A link contradicts others if they have a strict cycle together. The cycle lies within one strong component of the
points, so links outside components with a strict edge do not matter, neither those that are judged nor those that judge
them. The rest is halved: first the earlier half, then the later half together with what was kept of the earlier one.
At each step everything outside such components goes.

    no such component          nothing contradicts anything
    one link left              it is the one
    few entities left          a closure that grows link by link (``incremental``)

Cost: one search for components, O(V + E), for a consistent document; O(log n) of them, on what is left, for each link
that contradicts others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.incremental import IncrementalClosure
from temporacle.reasoner.pointgraph import PointGraph, hull_edges, strong_components
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.network import Budget

    Numbered = tuple[int, tuple[int, int, int]]  # the number of a link, and its source, mask and target

_FEW_ENTITIES = 300  # the bits of their closure take 100 kB


def refused_links(
    constraints: Sequence[tuple[int, int, int]], order: Iterable[int], budget: Budget, *, few: int = _FEW_ENTITIES
) -> set[int]:
    """Return the links that contradict those before them in an order, without the links refused before.

    >>> from temporacle.reasoner.network import Budget
    >>> links = [(0, 1, 1), (1, 1, 2), (2, 1, 0), (0, 1, 2)]  # 0 before 1 before 2 before 0
    >>> sorted(refused_links(links, [0, 1, 2, 3], Budget())), sorted(refused_links(links, [2, 3, 0, 1], Budget()))
    ([2], [1, 3])
    """
    refused: set[int] = set()
    judged: list[Numbered] = []
    for number in order:
        source, mask, target = constraint = constraints[number]
        if not mask or (source == target and not mask & EQUAL):
            refused.add(number)
        elif source != target:
            judged.append((number, constraint))
    # Each step: links that are kept, and links to be judged after them. The last step is done first.
    steps: list[tuple[list[Numbered], list[Numbered]]] = [([], judged)]
    while steps:
        budget.check()
        fixed, links = steps.pop()
        fixed = [each for each in fixed if each[0] not in refused]
        fixed, links = _entangled(fixed, links)
        if len(links) == 1:
            refused.add(links[0][0])
        elif links and _count_entities(fixed, links) <= few:
            refused |= _walked(fixed, links)
        elif links:
            half = len(links) // 2
            steps += (([*fixed, *links[:half]], links[half:]), (fixed, links[:half]))
    return refused


def _entangled(fixed: list[Numbered], links: list[Numbered]) -> tuple[list[Numbered], list[Numbered]]:
    """Return the links that have an edge within a strong component with a strict edge."""
    numbers: dict[int, int] = {}
    own = [
        (numbers.setdefault(source, len(numbers)), mask, numbers.setdefault(target, len(numbers)))
        for _, (source, mask, target) in (*fixed, *links)
    ]
    graph = PointGraph(len(numbers))
    graph.add_all(own)
    components = strong_components(graph.successors)
    bad = {
        components[point]
        for point, edges in enumerate(graph.successors)
        for edge in edges
        if edge & 1 and components[edge >> 1] == components[point]
    }
    if not bad:
        return [], []

    def matters(source: int, mask: int, target: int) -> bool:
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        inside = ((components[points[x]], components[points[y]]) for x, y, _ in hull_edges(mask))
        return any(x == y and x in bad for x, y in inside)

    verdicts = [matters(*each) for each in own]
    return (
        [each for each, is_in in zip(fixed, verdicts, strict=False) if is_in],
        [each for each, is_in in zip(links, verdicts[len(fixed) :], strict=True) if is_in],
    )


def _count_entities(*parts: list[Numbered]) -> int:
    return len({entity for part in parts for _, (source, _, target) in part for entity in (source, target)})


def _walked(fixed: list[Numbered], links: list[Numbered]) -> set[int]:
    """Return the links that contradict those before them, one by one: the naive way."""
    numbers: dict[int, int] = {}
    for _, (source, _, target) in (*fixed, *links):
        numbers.setdefault(source, len(numbers))
        numbers.setdefault(target, len(numbers))
    closure = IncrementalClosure(len(numbers))
    for _, (source, mask, target) in fixed:
        closure.add(numbers[source], mask, numbers[target])
    refused = set()
    for number, (source, mask, target) in links:
        if closure.relation(numbers[source], numbers[target]) & mask:
            closure.add(numbers[source], mask, numbers[target])
        else:
            refused.add(number)
    return refused
