"""Consistency of documents whose graph is too large to close: disjunctions are split one after another, as needed.

Every relation goes into the graph by its convex hull, and one pass over the graph puts all endpoints in order. If that
order happens to satisfy all disjunctions, it is a model. If not, one that it breaks is split into convex pieces, and
each piece is tried in turn; before that comes a guess, the first piece of all that are broken at once. Disjunctions
that come out right by themselves are never split.

Exact: an order that is handed out satisfies every link, and "no" is said only when every case was contradictory. Costs
one pass over the graph, linear in its size, for each case; so it suits many links with few disjunctions among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.points.closure import graph_of, open_pairs
from temporacle.reasoner.points.graph import Contradiction, model_of
from temporacle.relation import Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.network import Budget

    Pair = tuple[int, int]

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
        broken = {pair: convex_pieces(mask) for pair, mask in case.items() if not _atom_at(times, pair) & mask}
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


def _atom_at(times: Sequence[int], pair: Pair) -> Relation:
    """Return the atom that holds between two entities."""
    source, target = (2 * number for number in pair)
    return Relation.of(atom_holding((times[source], times[source + 1]), (times[target], times[target + 1])))
