"""The cheapest labelling that meets known conflicts, by CP-SAT: for what branch and bound finds too hard.

A Boolean for each rank of each pair, exactly one of them true; each conflict is a clause. Costs are whole numbers that
the solver adds up exactly; the sums are taken again here. Costs that are too long for that are rounded down, which
gives a lower bound that is correct, though perhaps not the highest.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.cpsolver import load_solver, run_solver
from temporacle.reasoner.pointgraph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.reasoner.decodeproblem import Blocked, Ranks
    from temporacle.reasoner.network import Budget

_LARGEST_SUM = 1 << 60  # of costs; the solver adds in 64 bits


class Relaxed(NamedTuple):
    """A labelling that meets the conflicts, and what every such labelling costs at least."""

    lower: int
    cost: int
    ranks: Ranks

    @property
    def is_cheapest(self) -> bool:
        return self.lower == self.cost


def relaxed_by_cpsat(
    costs: Mapping[int, Sequence[int]],
    conflicts: Sequence[Blocked],
    budget: Budget,
    hint: Mapping[int, int] | None = None,
) -> Relaxed | None:
    """Return the cheapest labelling, or a good one with a bound if the time runs out; None if none satisfies the
    conflicts.

    Raises BudgetExceeded if the time is over before there is any.
    """
    model, taken = _model(costs, conflicts)
    unit = _unit(costs, taken)
    model.minimize(sum(costs[pair][rank] // unit * literal for (pair, rank), literal in taken.items()))
    if hint is not None:
        for (pair, rank), literal in taken.items():
            model.add_hint(literal, int(hint[pair] == rank))
    solver, feasible = run_solver(model, budget, presolve=True, linearization=2)
    if not feasible:
        return None
    ranks = _checked(solver, taken, conflicts)
    cost = sum(costs[pair][rank] for pair, rank in ranks.items())
    lower = min(int(solver.response_proto.inner_objective_lower_bound) * unit, cost)
    return Relaxed(lower, cost, ranks)


def first_of_equals(
    costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked], found: Relaxed, budget: Budget
) -> Ranks:
    """Return the first of the cheapest labellings, in the order of pairs and then of ranks.

    Asks for a labelling that comes before the last one, first of all at the earliest pair, until there is none.
    """
    ranks = found.ranks
    while True:
        model, taken = _model(costs, conflicts)
        unit = _unit(costs, taken)
        model.add(
            sum(costs[pair][rank] // unit * literal for (pair, rank), literal in taken.items()) <= found.cost // unit
        )
        same: Any = None  # all earlier pairs have the ranks of now
        earlier = []
        for place, pair in enumerate(sorted(ranks)):
            lower = [taken[pair, rank] for rank in range(ranks[pair])]
            if lower:
                here = model.new_bool_var()
                model.add_bool_or(lower).only_enforce_if(here)
                if same is not None:
                    model.add_implication(here, same)
                earlier.append((place, here))
            following = model.new_bool_var()
            model.add_implication(following, taken[pair, ranks[pair]])
            if same is not None:
                model.add_implication(following, same)
            same = following
        if not earlier:
            return ranks
        model.add_exactly_one([here for _, here in earlier])
        model.minimize(sum(place * here for place, here in earlier))
        solver, feasible = run_solver(model, budget, presolve=True, linearization=2)
        if not feasible:
            return ranks
        ranks = _checked(solver, taken, conflicts)


class DirectProblem(NamedTuple):
    """A part as it is: numbered entities, the masks of each pair's ranks, and the hard links."""

    entities: int
    pairs: Mapping[int, tuple[int, int, Sequence[int]]]  # source, target, mask of each rank
    hard: Sequence[tuple[int, int, int]]


def some_labelling(problem: DirectProblem, costs: Mapping[int, Sequence[int]], budget: Budget) -> Ranks | None:
    """Return a good labelling found by a direct model of endpoints and labels; None if there is none in time.

    Nothing is proven by it, and callers check it. It gives a result where moving labels one by one finds none.
    """
    model = load_solver().CpModel()
    points = model.new_int_vars(2 * problem.entities, 0, max(2 * problem.entities - 1, 0))
    for start in range(0, len(points), 2):
        model.add_order(points[start], points[start + 1], 1)

    def enforce(source: int, mask: int, target: int, literal: Any) -> None:
        ends = (points[2 * source], points[2 * source + 1], points[2 * target], points[2 * target + 1])
        pieces = convex_pieces(mask)
        chosen = [literal] if len(pieces) == 1 else [model.new_bool_var() for _ in pieces]
        if len(pieces) != 1:
            model.add_bool_or([literal.negated(), *chosen])
        for own, piece in zip(chosen, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add_order(ends[x], ends[y], int(strict)).only_enforce_if(own)

    always = model.new_constant(1)
    for source, mask, target in problem.hard:
        enforce(source, mask, target, always)
    taken: dict[tuple[int, int], Any] = {}
    for pair, (source, target, masks) in problem.pairs.items():
        for rank, mask in enumerate(masks):
            taken[pair, rank] = model.new_bool_var()
            enforce(source, mask, target, taken[pair, rank])
        model.add_exactly_one([taken[pair, rank] for rank in range(len(masks))])
    unit = _unit(costs, taken)
    model.minimize(sum(costs[pair][rank] // unit * literal for (pair, rank), literal in taken.items()))
    try:
        solver, feasible = run_solver(model, budget, presolve=True, linearization=0)
    except BudgetExceeded:
        return None
    return {pair: rank for (pair, rank), each in taken.items() if solver.boolean_value(each)} if feasible else None


def _model(costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked]) -> tuple[Any, dict[tuple[int, int], Any]]:
    model = load_solver().CpModel()
    taken: dict[tuple[int, int], Any] = {}
    for pair in sorted({pair for blocked in conflicts for pair in blocked}):
        for rank in range(len(costs[pair])):
            taken[pair, rank] = model.new_bool_var()
        model.add_exactly_one([taken[pair, rank] for rank in range(len(costs[pair]))])
    for blocked in conflicts:
        model.add_bool_or(
            [
                taken[pair, rank]
                for pair, bits in blocked.items()
                for rank in range(len(costs[pair]))
                if not bits >> rank & 1
            ]
        )
    return model, taken


def _unit(costs: Mapping[int, Sequence[int]], taken: Mapping[tuple[int, int], Any]) -> int:
    """Return the divisor of all costs: their common divisor, or more if their sum is too large."""
    every = [costs[pair][rank] for pair, rank in taken]
    common = gcd(*every) or 1
    most = sum(costs[pair][-1] for pair in {pair for pair, _ in taken})
    if most // common < _LARGEST_SUM:
        return common
    return most // _LARGEST_SUM + 1


def _checked(solver: Any, taken: Mapping[tuple[int, int], Any], conflicts: Sequence[Blocked]) -> Ranks:
    ranks = {pair: rank for (pair, rank), literal in taken.items() if solver.boolean_value(literal)}
    if any(all(bits >> ranks[pair] & 1 for pair, bits in blocked.items()) for blocked in conflicts):
        raise InternalError("CP-SAT returned a labelling that breaks a conflict")
    return ranks
