"""CP-SAT alone, on all endpoints and all links: the reference that everything else is tested against."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, EQ, GT, LT, RelationClass, classify, converse, convex_pieces, signs_of
from temporacle.reasoner.cpsat import Encoding, solve
from temporacle.reasoner.cpsolver import load_solver, run_solver
from temporacle.reasoner.network import PairTable
from temporacle.reasoner.pointgraph import hull_edges
from temporacle.reasoner.pointproblem import Choice, PointProblem, atom_chosen
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from temporacle.reasoner.network import Budget, Network


def full_problem(network: Network) -> PointProblem:
    """Return the problem of all endpoints and all links without simplification.

    Convex links become edges on all four cross pairs.
    """
    problem = PointProblem(2 * len(network.entities))
    problem.edges = [(2 * entity, 2 * entity + 1, True) for entity in range(len(network.entities))]
    for source, mask, target in network.constraints:
        choice = _choice(source, target, mask)
        if source == target:
            if not mask & EQUAL:
                problem.edges.append((choice.source_start, choice.source_start, True))
        elif mask and classify(mask) is RelationClass.CONVEX:
            for (x, y), signs in zip(choice.cross_pairs(), signs_of(mask), strict=True):
                if not signs & GT:
                    problem.edges.append((x, y, not signs & EQ))
                if not signs & LT:
                    problem.edges.append((y, x, not signs & EQ))
        else:
            problem.choices.append(choice)
    return problem


class FullModel:
    """Exact answers by CP-SAT alone: every question is a solve, unless an earlier solution shows the answer."""

    def __init__(self, network: Network, budget: Budget, encoding: Encoding | None = Encoding.INTEGERS) -> None:
        self._size = len(network.entities)
        self._budget = budget
        self._encoding = encoding
        self._problem = full_problem(network)
        self._solutions: list[list[int]] = []

    def model(self) -> list[int] | None:
        """Return integer times for all points; None if the links cannot all be true."""
        if not self._solutions:
            self._solve(self._problem)
        return self._solutions[0] if self._solutions else None

    def possible(self, source: int, target: int, within: int) -> int:
        """Return the atoms of ``within`` that are known to be possible. Solve first if none is known."""
        if source == target:
            return within & EQUAL if self.model() is not None else 0
        found = within & self._seen(source, target)
        if not found and within:
            query = _choice(source, target, within)
            self._solve(PointProblem(self._problem.size, self._problem.edges, [*self._problem.choices, query]))
            found = within & self._seen(source, target)
        return found

    def relation(self, source: int, target: int) -> int:
        """Return all atoms that are possible for a pair."""
        known = 0
        while more := self.possible(source, target, ALL & ~known):
            known |= more
        return known

    def table(self) -> list[list[int]]:
        """Return the strongest relation of every pair."""
        rows = [[int(EQUAL)] * self._size for _ in range(self._size)]
        for source, target in combinations(range(self._size), 2):
            rows[source][target] = mask = self.relation(source, target)
            rows[target][source] = converse(mask)
        return rows

    def _solve(self, problem: PointProblem) -> None:
        times = solve(problem, self._budget, self._encoding)
        if times is not None:
            self._solutions.append(times)

    def _seen(self, source: int, target: int) -> int:
        pair = _choice(source, target, ALL)
        seen = 0
        for times in self._solutions:
            seen |= 1 << atom_chosen(pair, times)
        return seen


def _choice(source: int, target: int, mask: int) -> Choice:
    return Choice(2 * source, 2 * source + 1, 2 * target, 2 * target + 1, mask)


def closure(network: Network, budget: Budget, encoding: Encoding | None = Encoding.INTEGERS) -> PairTable | None:
    """Return the minimal network, computed by CP-SAT alone."""
    full = FullModel(network, budget, encoding)
    return None if full.model() is None else PairTable(network.entities, full.table())


def infeasible_core(network: Network, budget: Budget) -> list[int] | None:
    """Return numbers of links that CP-SAT blames for inconsistency; None if the links are consistent.

    Not minimal, and not to be trusted: callers verify and shrink it. Each link is enforced by its own assumption.
    """
    cp_model = load_solver()

    model = cp_model.CpModel()
    size = 2 * len(network.entities)
    points = model.new_int_vars(size, 0, max(size - 1, 0))
    for start in range(0, size, 2):
        model.add_order(points[start], points[start + 1], 1)
    assumptions = []
    for source, mask, target in network.constraints:
        budget.check()
        stated = model.new_bool_var()
        assumptions.append(stated)
        ends = [points[2 * entity + end] for entity in (source, target) for end in (0, 1)]
        pieces = convex_pieces(mask)
        literals = [model.new_bool_var() for _ in pieces]
        model.add_bool_or([stated.negated(), *literals])
        for literal, piece in zip(literals, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add_order(ends[x], ends[y], int(strict)).only_enforce_if(literal)
    model.add_assumptions(assumptions)
    # Presolve stays off: with it, some cores contained literals that are not assumptions.
    solver, feasible = run_solver(model, budget, presolve=False)
    if feasible:
        return None
    numbers = {assumption.index: number for number, assumption in enumerate(assumptions)}
    blamed = solver.sufficient_assumptions_for_infeasibility()
    return sorted(numbers[index] for index in blamed if index in numbers)
