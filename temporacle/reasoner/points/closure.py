"""Hull closure: what the endpoint graph alone can say about links of any class.

Every relation is put into the graph by its convex hull. What the graph then entails for a pair of entities can rule
out atoms of a disjunction on that pair; a smaller disjunction may have a smaller hull, which goes into the graph, and
so on until nothing changes. Often no disjunction is left. What is left is the *residual*: pairs whose relation is not
convex even now. If it is pointisable throughout, the graph with ``!=`` is exact after all.

Sound at every step: a Contradiction here is a real one. Several links on a pair are intersected first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import RelationClass, classify, converse, convex_hull
from temporacle.reasoner.points.graph import Closure, Contradiction, PointGraph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.reasoner.network import Budget

# Where so many disjunctions are left after the first round, path consistency takes over (``search``). It sees all that
# further rounds would see, in the time of one of them.
_MANY = 60


class Tightened(NamedTuple):
    """A graph of hulls, closed. ``closure`` is exact if ``residual`` is empty, an upper bound otherwise."""

    graph: PointGraph
    closure: Closure
    residual: dict[tuple[int, int], int]  # (source, target) -> mask, source < target


def is_convex(constraints: Iterable[tuple[int, int, int]]) -> bool:
    """Return whether the endpoint graph without ``!=`` is exact for these links."""
    return all(classify(mask) is RelationClass.CONVEX for mask in {mask for _, mask, _ in constraints})


def graph_of(entities: int, constraints: Iterable[tuple[int, int, int]]) -> PointGraph:
    """Return the endpoint graph of the hulls of the links. Raises Contradiction for impossible self-links."""
    graph = PointGraph(entities)
    graph.add_all(constraints)
    return graph


def tighten(entities: int, constraints: list[tuple[int, int, int]], budget: Budget) -> Tightened:
    """Return the hull closure, to its fixpoint unless many disjunctions are left.

    Raises Contradiction if it shows the links to be inconsistent.
    """
    graph = graph_of(entities, constraints)
    left = open_pairs(constraints)
    for (source, target), mask in left.items():
        graph.add(source, mask, target)
    closure = graph.close(budget)
    changed = bool(left)
    while changed:
        budget.check()
        changed = False
        for (source, target), mask in tuple(left.items()):
            possible = mask & closure.relation(source, target)
            if not possible:
                raise Contradiction
            if convex_hull(possible) != convex_hull(mask):
                graph.add(source, possible, target)
                changed = True
            if classify(possible) is RelationClass.CONVEX:
                del left[source, target]
            else:
                left[source, target] = possible
        if changed:
            closure = graph.close()
        changed = changed and len(left) < _MANY
    if left and all(classify(mask) is RelationClass.POINTISABLE for mask in left.values()):
        for (source, target), mask in left.items():
            graph.add(source, mask, target, differences=True)
        return Tightened(graph, graph.close(), {})
    return Tightened(graph, closure, left)


def open_pairs(constraints: Iterable[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    """Return the pairs with a link that is not convex, with the intersection of all links on them."""
    together: dict[tuple[int, int], int] = {}
    disjunctive: dict[tuple[int, int], None] = {}
    for source, mask, target in constraints:
        if source == target:
            continue  # the graph judged self-links already
        if source > target:
            source, target, mask = target, source, converse(mask)  # noqa: PLW2901 - the same link seen from there
        together[source, target] = together.get((source, target), -1) & mask
        if classify(mask) is not RelationClass.CONVEX:
            disjunctive[source, target] = None
    return {pair: together[pair] for pair in disjunctive}
