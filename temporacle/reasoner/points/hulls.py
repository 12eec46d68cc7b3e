"""Hull closure: what the endpoint graph alone can say about links of any class.

Every relation is put into the graph by its convex hull. What the graph then entails for a pair of entities can rule
out atoms of a disjunction on that pair; a smaller disjunction may have a smaller hull, which goes into the graph, and
so on until nothing changes. Often no disjunction is left. What is left is the *residual*: pairs whose relation is not
convex even now. If it is pointisable throughout, the graph with ``!=`` is exact after all.

Sound at every step: a Contradiction here is a real one. Several links on a pair are intersected first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import RelationClass, atom_at, classify, converse, convex_hull, convex_pieces
from temporacle.reasoner.points.graph import Closure, Contradiction, PointGraph, model_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.network import Budget

    Pair = tuple[int, int]

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


# ----------------------------------------------------------------------------------------------------
# Consistency of documents whose graph is too large to close: disjunctions are split one after another, as needed.
#
# Every relation goes into the graph by its convex hull, and one pass over the graph puts all endpoints in order. If
# that order happens to satisfy all disjunctions, it is a model. If not, one that it breaks is split into convex pieces,
# and each piece is tried in turn; before that comes a guess, the first piece of all that are broken at once.
# Disjunctions that come out right by themselves are never split.
#
# Exact: an order that is handed out satisfies every link, and "no" is said only when every case was contradictory.
# Costs one pass over the graph, linear in its size, for each case; so it suits many links with few disjunctions among
# them.

MOST_CASES = 400


def model_by_splitting(entities: int, constraints: Sequence[tuple[int, int, int]], budget: Budget) -> list[int] | None:
    """Return integer times for all endpoints; None if the links are inconsistent.

    >>> from temporacle.reasoner.network import Budget
    >>> before, after, either = 1, 1 << 12, 1 | 1 << 12
    >>> model_by_splitting(3, [(0, before, 1), (1, before, 2), (0, either, 2)], Budget())
    [0, 1, 2, 3, 4, 5]
    >>> model_by_splitting(3, [(0, before, 1), (1, before, 2), (2, before | 2, 0)], Budget()) is None
    True
    """
    waiting = [(open_pairs(constraints), False)]
    for _ in range(MOST_CASES):
        if not waiting:
            return None
        budget.check()
        case, is_guess = waiting.pop()
        times = _order(entities, constraints, case)
        if times is None:
            continue
        broken = {pair: convex_pieces(mask) for pair, mask in case.items() if not atom_at(times, *pair) & mask}
        if not broken:
            return times
        if not is_guess:  # a guess leaves nothing out: these cases are all that exist
            first, pieces = next(iter(broken.items()))
            waiting += [({**case, first: piece}, False) for piece in reversed(pieces)]
        waiting.append(({**case, **{pair: pieces[0] for pair, pieces in broken.items()}}, True))
    raise BudgetExceeded(f"too large to close, and not decided by {MOST_CASES} cases")


def _order(entities: int, constraints: Iterable[tuple[int, int, int]], choices: dict[Pair, int]) -> list[int] | None:
    """Return times that satisfy the convex hulls of all links and choices; None if nothing does."""
    try:
        graph = graph_of(entities, constraints)
        for (source, target), mask in choices.items():
            graph.add(source, mask, target)
        return model_of(graph.condense())
    except Contradiction:
        return None
