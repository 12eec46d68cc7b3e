"""The ``cpsat`` engine with values: the whole problem as integers for CP-SAT. Slow, and independent of the rest.

Scaling. Let g be the greatest common divisor of all seconds, and n the number of points + 1. Each ``c`` becomes
``c / g * n``, and ``<`` becomes ``<= ... - 1``. Whatever is picked for the disjunctions, the result has an integer
model iff the original has a rational one: the strict edges on a path never add up to n. Points lie within the sum of
all constants and a few n. If that does not fit the solver's integers, the document is undecided.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ALL, atoms_in, converse
from temporacle.reasoner.cpsolver import load_solver, run_solver
from temporacle.reasoner.metric.table import atom_edges
from temporacle.reasoner.network import PairTable, require_memory
from temporacle.relation import EQUAL, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.network import Budget

_LARGEST = 1 << 61


def scaled_closure(problem: Problem, budget: Budget) -> PairTable | None:
    """The strongest relation of every pair of entities; None if the facts contradict each other."""
    model = _ScaledModel(problem, budget)
    if not model.solve():
        return None
    size = len(problem.network.entities)
    require_memory(8 * size * size, f"a table of all pairs of {size} entities")
    rows = [[int(EQUAL)] * size for _ in range(size)]
    for source in range(size):
        for target in range(source + 1, size):
            found = model.seen(source, target)
            for position in atoms_in(ALL & ~found):
                if not found >> position & 1 and model.solve(source, position, target):
                    found |= model.seen(source, target)
            rows[source][target], rows[target][source] = found, converse(found)
    return PairTable(problem.network.entities, rows)


class _ScaledModel:
    """The facts as constraints over integers, and the models found so far."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self._problem = problem
        self._budget = budget
        self._models: list[Sequence[int]] = []
        edges = [edge for each in problem.graph(problem.every) for edge in each]
        seconds = [-(-edge.weight // problem.unit) for edge in edges]
        self._step = gcd(*seconds) or 1
        self._scale = problem.points + 1
        self._reach = self._scale * (sum(map(abs, seconds)) // self._step + 4)
        if self._reach > _LARGEST:
            raise BudgetExceeded("the values are too far apart for CP-SAT's integers: use the engine exact")

    def solve(self, source: int = 0, position: int | None = None, target: int = 0) -> bool:
        """Whether there is a model, in which an atom holds if one is given. The model is kept."""
        problem = self._problem
        model = load_solver().CpModel()
        points = model.new_int_vars(problem.points, -self._reach, self._reach)
        for each in problem.graph(problem.every):
            for edge in each:
                whole = -(-edge.weight // problem.unit)
                strict = edge.weight != whole * problem.unit
                model.add(points[edge.right] - points[edge.left] <= whole // self._step * self._scale - strict)
        for number in problem.with_assumed(problem.every):
            link = problem.relation(number)
            if link is not None and link[0] != link[2]:
                self._add_link(model, points, link)
        if position is not None:
            self._add_atom(model, points, source, position, target, None)
        solver, feasible = run_solver(model, self._budget, presolve=True)
        if feasible:
            self._models.append([solver.value(point) for point in points])
        return feasible

    def _add_link(self, model: Any, points: Sequence[Any], link: tuple[int, int, int]) -> None:
        source, mask, target = link
        chosen = []
        for position in atoms_in(mask):
            literal = model.new_bool_var()
            self._add_atom(model, points, source, position, target, literal)
            chosen.append(literal)
        model.add_exactly_one(chosen)

    def _add_atom(  # noqa: PLR0917 - an atom between two entities, under a condition
        self, model: Any, points: Sequence[Any], source: int, position: int, target: int, condition: Any
    ) -> None:
        ends = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        for left, right, strict in atom_edges(position):
            constraint = model.add(points[ends[right]] - points[ends[left]] <= strict)
            if condition is not None:
                constraint.only_enforce_if(condition)

    def seen(self, source: int, target: int) -> int:
        """The atoms that hold between two entities in some model found so far."""
        found = 0
        for times in self._models:
            one, other = ((times[2 * entity], times[2 * entity + 1]) for entity in (source, target))
            found |= int(Relation.of(atom_holding(one, other)))
        return found
