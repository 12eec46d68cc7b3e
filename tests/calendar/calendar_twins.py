"""Two more ways to decide a document with values, each with little in common with shortest paths.

``scaled`` is an integer program: every constant is divided by the greatest common divisor of all and multiplied by the
number of points + 1, "less than" becomes "at most one less". A choice of atoms has a rational model if and only if it
has such an integer model. ``by_z3`` asks z3 for real numbers.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from naive_calendar import SIGNS, edges_between, points_of, unpacked

if TYPE_CHECKING:
    from naive_calendar import Calendar

LARGEST = 2**61


def scaled(calendar: Calendar, seconds: float = 20) -> bool | None:
    """Whether the facts have a model, by CP-SAT; None if numbers are too large or time is over."""
    from ortools.sat.python import cp_model

    hard = [*calendar.always, *(edge for fact in calendar.facts.values() for edge in fact.edges)]
    splits = [fact.link for fact in calendar.facts.values() if fact.link is not None]
    constants = [abs(unpacked(w)[0]) for _, _, w in hard]
    points = points_of(calendar)
    unit = gcd(*constants, 0) or 1
    factor = len(points) + 1
    reach = factor * sum(constants) // unit + 4 * factor
    if reach > LARGEST:
        return None
    model = cp_model.CpModel()
    variable = {point: model.new_int_var(-reach, reach, str(point)) for point in points}

    def state(edges, condition=None) -> None:
        for u, v, w in edges:
            constant, strict = unpacked(w)
            constraint = model.add(variable[v] - variable[u] <= constant // unit * factor + strict)
            if condition is not None:
                constraint.only_enforce_if(condition)

    state(hard)
    for source, atoms, target in splits:
        chosen = [model.new_bool_var(f"{source} {atom} {target}") for atom in atoms]
        model.add_exactly_one(chosen)
        for atom, condition in zip(atoms, chosen, strict=True):
            state(edges_between(source, target, [SIGNS[atom]]), condition)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    return {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}.get(solver.solve(model))


def by_z3(calendar: Calendar) -> bool:
    """Whether the facts have a model over the reals, by z3."""
    import z3

    number = {point: z3.Real(f"x{place}") for place, point in enumerate(points_of(calendar))}

    def holds(edges):
        differences = [(number[v] - number[u], *unpacked(w)) for u, v, w in edges]
        return z3.And([difference < c if strict else difference <= c for difference, c, strict in differences])

    solver = z3.Solver()
    solver.add(holds(calendar.always))
    for fact in calendar.facts.values():
        solver.add(holds(fact.edges))
        if fact.link is not None:
            source, atoms, target = fact.link
            solver.add(z3.Or([holds(edges_between(source, target, [SIGNS[atom]])) for atom in atoms]))
    return solver.check() == z3.sat
