"""The lightest hitting set by CP-SAT: for repairs that branch and bound does not finish."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.cpsolver import load_solver, run_solver

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from temporacle.reasoner.network import Budget

_LARGEST_SUM = 1 << 53  # weights beyond this could overflow inside the solver
_ROUNDED_SUM = 1 << 44
_MOST_CHOICES = 1000  # that are weighed exactly
_DIGITS = 20  # elements whose order is settled in one solve, as bits of one objective


def minimum_hitting_set(
    sets: Sequence[Collection[int]], weights: Mapping[int, int], budget: Budget, *, any_will_do: bool = False
) -> list[int]:
    """Return the lightest elements that hit every set; the first in order, unless any of equal weight will do.

    First the least weight, then, some elements at a time, the earliest possible ones under that weight. Weights that
    the solver could not add up exactly go another way.
    """
    elements = sorted({element for members in sets for element in members})
    if sum(weights[element] for element in elements) >= _LARGEST_SUM:
        return _of_long_weights(sets, weights, budget, any_will_do=any_will_do)
    model, chosen = _hitting_model(sets, elements)
    total = sum(weights[element] * chosen[element] for element in elements)
    model.minimize(total)
    solver = _sure_optimum(model, budget)
    model.add(total == sum(weights[element] for element in _chosen(solver, chosen)))
    return _first_of_equals(model, chosen, sets, budget, solver, any_will_do=any_will_do)


def _of_long_weights(
    sets: Sequence[Collection[int]], weights: Mapping[int, int], budget: Budget, *, any_will_do: bool
) -> list[int]:
    """Return the same for positive weights of any length. The solver gets them rounded down.

    Rounded to units of D, a choice of weight w weighs at most w / D. So choices are asked for by rounded weight, and
    weighed exactly, until the next one's rounded weight is more than the best one allows. How many elements of each
    weight a choice has decides about its weight; one that is not heavier than another has fewer of some.
    """
    elements = sorted({element for members in sets for element in members})
    unit = sum(weights[element] for element in elements) // _ROUNDED_SUM + 1
    alike: dict[int, list[int]] = {}
    for element in elements:
        alike.setdefault(weights[element], []).append(element)

    model, chosen = _hitting_model(sets, elements)
    rounded = sum(weights[element] // unit * chosen[element] for element in elements)
    numbers = {weight: sum(chosen[element] for element in same) for weight, same in alike.items()}
    model.minimize(rounded)
    best: int | None = None
    lightest: list[Counter[int]] = []  # how many of each weight the best choices have
    for _ in range(_MOST_CHOICES):
        solver = _optimum(model, budget)
        found = None if solver is None else Counter(weights[element] for element in _chosen(solver, chosen))
        if found is None or (best is not None and sum(w // unit * n for w, n in found.items()) > best // unit):
            break
        exact = sum(weight * number for weight, number in found.items())
        if best is None or exact <= best:
            lightest = [*lightest, found] if exact == best else [found]
            best = exact
        fewer = {weight: model.new_bool_var() for weight in found}
        model.add_bool_or(list(fewer.values()))
        for weight, is_so in fewer.items():
            model.add(numbers[weight] < found[weight]).only_enforce_if(is_so)
    else:
        raise BudgetExceeded("too many choices are of almost the same weight: round the weights of the links")

    answers = []
    for found in lightest:
        model, chosen = _hitting_model(sets, elements)
        for weight, same in alike.items():
            model.add(sum(chosen[element] for element in same) == found[weight])
        solver = _sure_optimum(model, budget)
        answers.append(_first_of_equals(model, chosen, sets, budget, solver, any_will_do=any_will_do))
    return min(answers)


def _hitting_model(sets: Sequence[Collection[int]], elements: Sequence[int]) -> tuple[Any, dict[int, Any]]:
    """Return a model with a variable for each element, in which every set is met."""
    model = load_solver().CpModel()
    chosen = {element: model.new_bool_var() for element in elements}
    for members in sets:
        model.add_bool_or([chosen[element] for element in sorted(members)])
    return model, chosen


def _chosen(solver: Any, chosen: Mapping[int, Any]) -> list[int]:
    return [element for element, variable in chosen.items() if solver.boolean_value(variable)]


def _first_of_equals(
    model: Any,
    chosen: Mapping[int, Any],
    sets: Sequence[Collection[int]],
    budget: Budget,
    solver: Any,
    *,
    any_will_do: bool,
) -> list[int]:
    """Return the first solution in the order of elements, or the one that the solver has."""
    elements = list(chosen)
    for first in range(0, 0 if any_will_do else len(elements), _DIGITS):
        block = elements[first : first + _DIGITS]
        model.maximize(sum((1 << _DIGITS - place) * chosen[element] for place, element in enumerate(block)))
        solver = _sure_optimum(model, budget)
        for element in block:
            model.add(chosen[element] == int(solver.boolean_value(chosen[element])))
    hitting = _chosen(solver, chosen)
    if any(not set(hitting).intersection(members) for members in sets):
        raise InternalError("CP-SAT returned a hitting set that misses a set")
    return hitting


def _sure_optimum(model: Any, budget: Budget) -> Any:
    solver = _optimum(model, budget)
    if solver is None:
        raise InternalError("CP-SAT found no solution to a problem that has one")
    return solver


def _optimum(model: Any, budget: Budget) -> Any | None:
    """Return the solver with a solution that it has proved to be optimal; None if there is none."""
    # Linear relaxation decides hitting sets: with it milliseconds, without it minutes.
    solver, feasible = run_solver(model, budget, presolve=True, linearization=2)
    if not feasible:
        return None
    if solver.best_objective_bound != solver.objective_value:  # whole numbers below 2^53: exact as floats
        budget.check()
        raise BudgetExceeded("CP-SAT did not prove its solution to be the best one")
    return solver
