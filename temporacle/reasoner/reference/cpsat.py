"""The engine ``cpsat``: CP-SAT alone, on all endpoints and all links. Slow, and independent of the endpoint graph.

The model comes from the table of the thirteen atoms and nothing else: which of the four pairs of endpoints are
earlier, equal or later. So a fault in the algebra, the graph or the search cannot be repeated here.

    points       one integer for each endpoint, within 0 .. 2n - 1: n entities need no more times
    links        per pair of endpoints, an inequality that all atoms of the relation have in common
    the rest     atoms that these inequalities allow and the relation does not are excluded, one clause each; it is
                 about Booleans ``x <= y``, which mean what the integers say
    triangles    where three points are compared by Booleans, these are transitive. This follows from the integers,
                 but dense networks are decided several times faster with it

Values of time expressions (``scaled_closure``) add inequalities with seconds. *Scaling.* Let g be the greatest common
divisor of all seconds, and n the number of points + 1. Each ``c`` becomes ``c / g * n``, and ``<`` becomes
``<= ... - 1``. For every choice of atoms, the result has an integer model iff the original has a rational one: the
strict edges on a path never add up to n. Points lie within the sum of all constants and a few n. If that does not fit
the solver's integers, the document is undecided.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import gcd
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.optimise.solver import load_solver, run_solver
from temporacle.reasoner.reference.models import ByModels
from temporacle.relation import EXAMPLES, endpoint_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.clock.problem import CalendarProblem
    from temporacle.reasoner.network import Budget, Network, PairTable
    from temporacle.reasoner.reference.models import Constraint

_BEFORE, _EQUAL, _AFTER = -1, 0, 1
_ATOMS = tuple(endpoint_signs(x, y) for x, y in EXAMPLES.values())  # in the order of the bits of a relation
_LARGEST = 1 << 61


def decider(network: Network, budget: Budget) -> ByModels:
    """Return what answers all questions about a network, each by a solve unless a model found before shows it."""

    def find(question: Constraint | None) -> list[int] | None:
        orders = _Orders(2 * len(network.entities), (0, max(2 * len(network.entities) - 1, 0)), budget)
        for start in range(0, len(orders.points), 2):
            orders.require(start, start + 1, strict=True)
        for link in network.constraints:
            orders.relate(*link)
        if question is not None:
            orders.relate(*question)
        return orders.solve()

    return ByModels(network, find)


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the strongest relation of every pair; None if the links cannot all be true.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> closure(Network.of([("a", "b|bi", "b"), ("b", "b", "c"), ("c", "m", "a")]), Budget()).relation("a", "b")
    Relation('bi')
    """
    return decider(network, budget).closure()


def scaled_closure(problem: CalendarProblem, budget: Budget) -> PairTable | None:
    """Return the strongest relation of every pair of entities; None if the facts contradict each other."""
    return ByModels(problem.network, ScaledModel(problem, budget).find).closure()


class ScaledModel:
    """The facts of a document with values as constraints over integers."""

    def __init__(self, problem: CalendarProblem, budget: Budget) -> None:
        self._problem = problem
        self._budget = budget
        self._edges = [edge for each in problem.graph(problem.every) for edge in each]
        seconds = [-(-edge.weight // problem.unit) for edge in self._edges]
        self._step = gcd(*seconds) or 1
        self._scale = problem.points + 1
        self.reach = self._scale * (sum(map(abs, seconds)) // self._step + 4)
        if self.reach > _LARGEST:
            raise BudgetExceeded("the values are too far apart for CP-SAT's integers: use the engine exact")

    def find(self, question: Constraint | None) -> list[int] | None:
        """Return times in which all facts, and the question if there is one, are true; None if there are none."""
        problem = self._problem
        orders = _Orders(problem.points, (-self.reach, self.reach), self._budget)
        for edge in self._edges:
            whole = -(-edge.weight // problem.unit)
            strict = edge.weight != whole * problem.unit
            gap = int(strict) - whole // self._step * self._scale
            orders.model.add(orders.points[edge.right] + gap <= orders.points[edge.left])
        for number in problem.with_assumed(problem.every):
            link = problem.relation(number)
            if link is not None:
                orders.relate(*link)
        if question is not None:
            orders.relate(*question)
        return orders.solve(presolve=True)


class _Orders:
    """A model of points in time, and the relations between the entities that they are the endpoints of."""

    def __init__(self, size: int, times: tuple[int, int], budget: Budget) -> None:
        self.model: Any = load_solver().CpModel()
        self.points: list[Any] = [self.model.new_int_var(*times, "") for _ in range(size)]
        self._not_later: dict[tuple[int, int], Any] = {}  # x, y: the literal of x <= y
        self._budget = budget

    def require(self, x: int, y: int, *, strict: bool) -> None:
        """Put one point before another, or at the same time if it is not strict."""
        self.model.add(self.points[x] + int(strict) <= self.points[y])

    def relate(self, source: int, mask: int, target: int) -> None:
        """Allow only the atoms of a relation between two entities."""
        self._budget.check()
        if source == target:
            if not any(mask >> place & 1 for place, signs in enumerate(_ATOMS) if _is_equal(signs)):
                self.model.add_bool_or([])
            return
        common, excluded = _stated(mask)
        pairs = [(2 * source + own, 2 * target + other) for own in (0, 1) for other in (0, 1)]
        for (x, y), signs in zip(pairs, common, strict=True):
            if _AFTER not in signs:
                self.require(x, y, strict=_EQUAL not in signs)
            if _BEFORE not in signs:
                self.require(y, x, strict=_EQUAL not in signs)
        for atom in excluded:
            clause: list[Any] = []
            for (x, y), sign, signs in zip(pairs, atom, common, strict=True):
                if len(signs) > 1:  # if there is only one, all atoms that are left have it
                    clause += self._unless(x, y, sign)
            self.model.add_bool_or(clause)

    def _unless(self, x: int, y: int, sign: int) -> list[Any]:
        """Return literals of which one is true iff two points have another order than this."""
        if sign == _BEFORE:
            return [self._literal(y, x)]
        if sign == _AFTER:
            return [self._literal(x, y)]
        return [self._literal(x, y).negated(), self._literal(y, x).negated()]

    def _literal(self, x: int, y: int) -> Any:
        """Return the Boolean that means x <= y."""
        if (x, y) not in self._not_later:
            for first, second in ((x, y), (y, x)):
                literal = self.model.new_bool_var("")
                self._not_later[first, second] = literal
                one, other = self.points[first], self.points[second]
                self.model.add(one <= other).only_enforce_if(literal)
                self.model.add(other < one).only_enforce_if(literal.negated())
            self.model.add_bool_or([self._not_later[x, y], self._not_later[y, x]])
        return self._not_later[x, y]

    def solve(self, *, presolve: bool = False) -> list[int] | None:
        """Return the times of a model; None if there is none. Raise BudgetExceeded if that is not known in time."""
        self._add_triangles()
        solver, feasible = run_solver(self.model, self._budget, presolve=presolve)
        return [solver.value(point) for point in self.points] if feasible else None

    def _add_triangles(self) -> None:
        compared: dict[int, set[int]] = {}  # points with a higher number
        for x, y in self._not_later:
            if x < y:
                compared.setdefault(x, set()).add(y)
        for x, others in compared.items():
            self._budget.check()
            for y in sorted(others):
                for z in sorted(others & compared.get(y, set())):
                    for first, middle, last in permutations((x, y, z)):
                        self.model.add_bool_or(
                            [
                                self._not_later[first, middle].negated(),
                                self._not_later[middle, last].negated(),
                                self._not_later[first, last],
                            ]
                        )


def _is_equal(signs: Sequence[int]) -> bool:
    """Return whether this is how the endpoints of an interval compare with themselves."""
    return tuple(signs) == endpoint_signs((0, 1), (0, 1))


@cache
def _stated(mask: int) -> tuple[tuple[frozenset[int], ...], tuple[tuple[int, ...], ...]]:
    """Return what the atoms of a relation have in common, and the other atoms that have it as well.

    The first is a set of signs for each pair of endpoints. "Earlier or later" is not an inequality: it is widened to
    all signs, and the clauses exclude the rest.
    """
    atoms = [signs for place, signs in enumerate(_ATOMS) if mask >> place & 1]
    everything = frozenset((_BEFORE, _EQUAL, _AFTER))
    common = []
    for place in range(4):
        signs = frozenset(atom[place] for atom in atoms)
        common.append(everything if {_BEFORE, _AFTER} <= signs else signs)
    excluded = [
        atom
        for atom in _ATOMS
        if atom not in atoms and all(sign in signs for sign, signs in zip(atom, common, strict=True))
    ]
    return tuple(common), tuple(excluded)
