"""CP-SAT: how it is loaded, asked and interrupted, and the cheapest choice by it where branch and bound is too slow.

A solver that gives up, which can happen before the time limit, is asked once more with presolve switched. If it gives
up again, that is BudgetExceeded. Anything else it does is an InternalError, never a verdict.

OR-Tools takes half a second to load, with the pandas that it brings. So nothing loads it before it is needed.

The cheapest labelling that meets conflicts (``choices``) has a Boolean for each rank of each pair, exactly one of them
true; each conflict is a clause. Costs are whole numbers that the solver adds up exactly; the sums are taken again here.
Costs that are too long for that are rounded down, which gives a lower bound that is correct, though perhaps not the
highest. ``cheapest_by_cpsat`` is exact for costs of any length.
"""

from __future__ import annotations

import signal
from collections import Counter
from enum import Enum
from functools import cache, partial
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.signals import held_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from temporacle.reasoner.decode.ranked import Blocked, Ranks
    from temporacle.reasoner.network import Budget

_MOST_MEGABYTES = 4096
_SEED = 20110
_LARGEST_SUM = 1 << 60  # of costs; the solver adds in 64 bits
_ROUNDED_SUM = 1 << 44
_MOST_CHOICES = 1000  # that are weighed exactly


@cache
def load_solver() -> Any:
    """Return what OR-Tools offers: its module ``cp_model``.

    Signals wait meanwhile, because compiled code takes an interrupt for a fault of its own.
    """
    with held_back(signal.SIGINT, signal.SIGTERM):
        from ortools.sat.python import cp_model
    return cp_model


def run_solver(model: Any, budget: Budget, *, presolve: bool, linearization: int = 0) -> tuple[Any, bool]:
    """Return the solver after it has decided, and whether it has a solution."""
    cp_model = load_solver()

    for attempt in (presolve, not presolve):
        budget.check()
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = 1
        parameters.linearization_level = linearization
        parameters.cp_model_presolve = attempt
        parameters.random_seed = _SEED
        parameters.max_memory_in_mb = _MOST_MEGABYTES
        parameters.catch_sigint_signal = False  # it would end the search, but not the run
        remaining = budget.remaining()
        if remaining is not None:
            parameters.max_time_in_seconds = max(remaining, 0.001)
        try:
            status = _interruptible(solver, model)
        except Exception as error:
            raise InternalError(f"CP-SAT failed: {error}") from error
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return solver, True
        if status == cp_model.INFEASIBLE:
            return solver, False
        if status == cp_model.MODEL_INVALID:
            raise InternalError(f"CP-SAT rejected the model: {model.validate()}")
        if status != cp_model.UNKNOWN:
            raise InternalError(f"CP-SAT returned the unexpected status {status!r}")
    budget.check()
    raise BudgetExceeded("CP-SAT gave up without an answer")


def _interruptible(solver: Any, model: Any) -> Any:
    """Return the status of the solver.

    It runs in another thread, because a thread inside the solver cannot handle signals.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as beside:
        status = beside.submit(solver.solve, model)
        try:
            return status.result()
        except BaseException:
            while not status.done():  # more than once: the search may not have begun yet
                solver.stop_search()
                wait([status], timeout=0.05)
            raise


# --- the cheapest choice ----------------------------------------------------------------------------------------------


class Tie(Enum):
    """Which of two labellings of equal cost comes first, by the ranks of the first pair where they differ."""

    LOWEST = "lowest"
    HIGHEST = "highest"  # for costs that rise with every rank
    ANY = "any"  # saves the search for the first


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


def cheapest_by_cpsat(
    costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked], budget: Budget, tie: Tie
) -> Ranks | None:
    """Return the first of the cheapest labellings; None if none satisfies the conflicts.

    Raises BudgetExceeded if it is not proven to be the cheapest in time.
    """
    if _is_too_long(costs, conflicts):
        return _of_long_costs(costs, conflicts, budget, tie)
    found = relaxed_by_cpsat(costs, conflicts, budget)
    if found is None:
        return None
    if not found.is_cheapest:
        _give_up(budget)
    return found.ranks if tie is Tie.ANY else first_of_equals(costs, conflicts, found, budget, tie)


def _give_up(budget: Budget) -> NoReturn:
    budget.check()
    raise BudgetExceeded("CP-SAT did not prove its solution to be the best one")


def _of_long_costs(
    costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked], budget: Budget, tie: Tie
) -> Ranks | None:
    """Return the first of the cheapest labellings for costs of any length. The solver gets them rounded down.

    Rounded to units of D, a labelling of cost c costs at most c / D. So labellings are asked for by rounded cost, and
    weighed exactly, until the next one's rounded cost is more than the best one allows. How often a labelling has each
    cost decides about its sum; one that is not dearer than another has some cost less often.
    """
    model, taken = _model(costs, conflicts)
    unit = sum(costs[pair][-1] for pair in {pair for pair, _ in taken}) // _ROUNDED_SUM + 1
    alike: dict[int, list[Any]] = {}
    for (pair, rank), literal in taken.items():
        if costs[pair][rank]:
            alike.setdefault(costs[pair][rank], []).append(literal)
    model.minimize(sum(cost // unit * literal for cost, literals in alike.items() for literal in literals))
    best: int | None = None
    equals: list[tuple[Counter[int], Ranks]] = []  # how often each cost occurs in a cheapest labelling, and one of them
    for _ in range(_MOST_CHOICES):
        solver, feasible = run_solver(model, budget, presolve=True, linearization=2)
        if not feasible:
            break
        ranks = _checked(solver, taken, conflicts)
        found = Counter(cost for pair, rank in ranks.items() if (cost := costs[pair][rank]))
        rounded = sum(cost // unit * number for cost, number in found.items())
        if rounded != int(solver.response_proto.inner_objective_lower_bound):
            _give_up(budget)
        if best is not None and rounded > best // unit:
            break
        exact = sum(cost * number for cost, number in found.items())
        if best is None or exact <= best:
            equals = [*equals, (found, ranks)] if exact == best else [(found, ranks)]
            best = exact
        fewer = {cost: model.new_bool_var("") for cost in found}
        model.add_bool_or(list(fewer.values()))
        for cost, is_so in fewer.items():
            model.add(sum(alike[cost]) < found[cost]).only_enforce_if(is_so)
    else:
        raise BudgetExceeded("too many choices are of almost the same weight: round the weights of the links")
    if tie is Tie.ANY:
        return equals[0][1] if equals else None
    firsts = [
        _first(partial(_model_of_numbers, costs, conflicts, found), conflicts, ranks, budget, tie)
        for found, ranks in equals
    ]
    sign = -1 if tie is Tie.HIGHEST else 1
    return min(firsts, key=lambda ranks: [sign * ranks[pair] for pair in sorted(ranks)], default=None)


def first_of_equals(
    costs: Mapping[int, Sequence[int]],
    conflicts: Sequence[Blocked],
    found: Relaxed,
    budget: Budget,
    tie: Tie = Tie.LOWEST,
) -> Ranks:
    """Return the first of the labellings that cost no more, in the order of pairs and then of ranks."""

    def model_of_cost() -> tuple[Any, dict[tuple[int, int], Any]]:
        model, taken = _model(costs, conflicts)
        unit = _unit(costs, taken)
        total = sum(costs[pair][rank] // unit * literal for (pair, rank), literal in taken.items())
        model.add(total <= found.cost // unit)
        return model, taken

    return _first(model_of_cost, conflicts, found.ranks, budget, tie)


def _first(
    build: Callable[[], tuple[Any, dict[tuple[int, int], Any]]],
    conflicts: Sequence[Blocked],
    ranks: Ranks,
    budget: Budget,
    tie: Tie,
) -> Ranks:
    """Return the first labelling of a model, given any one of them.

    Asks for a labelling that comes before the last one, first of all at the earliest pair, until there is none.
    """
    while True:
        model, taken = build()
        by_pair: dict[int, list[Any]] = {}
        for (pair, _), literal in taken.items():
            by_pair.setdefault(pair, []).append(literal)
        same: Any = None  # all earlier pairs have the ranks of now
        earlier = []
        for place, pair in enumerate(sorted(ranks)):
            own, rank = by_pair[pair], ranks[pair]
            better = own[rank + 1 :] if tie is Tie.HIGHEST else own[:rank]
            if better:
                here = model.new_bool_var("")
                model.add_bool_or(better).only_enforce_if(here)
                if same is not None:
                    model.add_implication(here, same)
                earlier.append((place, here))
            following = model.new_bool_var("")
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


def _model(costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked]) -> tuple[Any, dict[tuple[int, int], Any]]:
    model = load_solver().CpModel()
    taken: dict[tuple[int, int], Any] = {}
    for pair in sorted({pair for blocked in conflicts for pair in blocked}):
        for rank in range(len(costs[pair])):
            taken[pair, rank] = model.new_bool_var("")
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


def _model_of_numbers(
    costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked], numbers: Counter[int]
) -> tuple[Any, dict[tuple[int, int], Any]]:
    """Return a model of the labellings in which each cost occurs so often."""
    model, taken = _model(costs, conflicts)
    alike: dict[int, list[Any]] = {}
    for (pair, rank), literal in taken.items():
        if costs[pair][rank]:
            alike.setdefault(costs[pair][rank], []).append(literal)
    for cost, literals in alike.items():
        model.add(sum(literals) == numbers[cost])
    return model, taken


def _unit(costs: Mapping[int, Sequence[int]], taken: Mapping[tuple[int, int], Any]) -> int:
    """Return the divisor of all costs: their common divisor, or more if their sum is too large."""
    common, most = _common_and_most(costs, {pair for pair, _ in taken})
    return common if most // common < _LARGEST_SUM else most // _LARGEST_SUM + 1


def _is_too_long(costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked]) -> bool:
    common, most = _common_and_most(costs, {pair for blocked in conflicts for pair in blocked})
    return most // common >= _LARGEST_SUM


def _common_and_most(costs: Mapping[int, Sequence[int]], pairs: Iterable[int]) -> tuple[int, int]:
    """Return the common divisor of all costs, and what a labelling costs at most."""
    own = [costs[pair] for pair in pairs]
    return gcd(*(cost for each in own for cost in each)) or 1, sum(each[-1] for each in own)


def _checked(solver: Any, taken: Mapping[tuple[int, int], Any], conflicts: Sequence[Blocked]) -> Ranks:
    ranks = {pair: rank for (pair, rank), literal in taken.items() if solver.boolean_value(literal)}
    if any(all(bits >> ranks[pair] & 1 for pair, bits in blocked.items()) for blocked in conflicts):
        raise InternalError("CP-SAT returned a labelling that breaks a conflict")
    return ranks
