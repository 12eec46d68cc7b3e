"""CP-SAT on points: decides what the endpoint graph and the search leave open.

Two encodings of a PointProblem, equivalent by test:

    integers   one integer per point; a choice has one Boolean per atom (or per convex piece), each enforcing its
               inequalities. Best for documents: few choices among many certain edges.
    booleans   for each pair of neighbouring points x, y of a chordal graph two Booleans x <= y and y <= x, with
               transitivity on its triangles. Chordal is enough: weak orders on cliques glue together along the
               separators. Best for dense networks of choices, where integers propagate too little.

Answers are never taken on trust: a solution is checked against the problem; "no solution" is tried again by cases
where the problem is small. The engine ``cpsat`` has a model of its own (``reference.cpsat``).
"""

from __future__ import annotations

from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ATOM_SIGNS, EQ, GT, LT, RelationClass, classify, convex_pieces, signs_of
from temporacle.reasoner.disjunctions.pointproblem import (
    Choice,
    PointProblem,
    forbidden_atoms,
    has_solution,
    is_small,
)
from temporacle.reasoner.optimise.solver import load_solver, run_solver
from temporacle.reasoner.points.graph import hull_edges, model_of, strong_components
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget, Network

# Measured (bench/NOTES.md): above this many choices integers lose to Booleans, unless the chordal graph is huge.
_CHOICES_FOR_BOOLEANS = 20
_MOST_TRIANGLES = 400_000
_PRESOLVE_UP_TO_CLAUSES = 150_000


class Encoding(Enum):
    """The form in which a problem is given to the solver."""

    INTEGERS = "integers"
    BOOLEANS = "booleans"


def solve(problem: PointProblem, budget: Budget, encoding: Encoding | None = None) -> list[int] | None:
    """Return times for all points that satisfy the problem; None if there are none.

    Raise BudgetExceeded if undecided.
    """
    triangles = None
    if encoding is None:
        encoding = Encoding.INTEGERS
        if len(problem.choices) > _CHOICES_FOR_BOOLEANS:
            triangles = chordal_triangles(problem, budget, most=_MOST_TRIANGLES)
            if triangles is not None:
                encoding = Encoding.BOOLEANS
    if encoding is Encoding.INTEGERS:
        times = _solve_integers(problem, budget)
    else:
        times = _solve_booleans(problem, budget, triangles or chordal_triangles(problem, budget))
    if times is None:
        if is_small(problem) and has_solution(problem, budget):
            raise InternalError("CP-SAT found no solution where a search by cases found one")
    elif not problem.satisfied_by(times):
        raise InternalError("CP-SAT returned a solution that does not satisfy the problem")
    return times


# --- integers ----------------------------------------------------------------------------------------------------


def _solve_integers(problem: PointProblem, budget: Budget) -> list[int] | None:
    model, points = _integer_model(problem, budget)
    if model is None:
        return None
    solver, feasible = run_solver(model, budget, presolve=False)
    return [solver.value(point) for point in points] if feasible else None


def _integer_model(problem: PointProblem, budget: Budget) -> tuple[Any | None, list[Any]]:
    cp_model = load_solver()

    model = cp_model.CpModel()
    points = model.new_int_vars(problem.size, 0, max(problem.size - 1, 0))
    for x, y, strict in problem.edges:
        budget.check()
        if x == y:
            if strict:
                return None, points
            continue
        model.add_order(points[x], points[y], int(strict))
    for choice in problem.choices:
        budget.check()
        pieces = convex_pieces(choice.mask)
        if not pieces:
            return None, points
        literals = [model.new_bool_var() for _ in pieces]
        model.add_bool_or(literals)
        for literal, piece in zip(literals, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add_order(points[choice[x]], points[choice[y]], int(strict)).only_enforce_if(literal)
    return model, points


# --- Booleans ----------------------------------------------------------------------------------------------------


def chordal_triangles(
    problem: PointProblem, budget: Budget, most: int | None = None
) -> list[tuple[int, int, int]] | None:
    """Return triangles of a chordal completion of the graph of compared points; None if there are more than ``most``.

    Points are eliminated by least degree; the neighbours of an eliminated point become a clique. Every triangle of the
    completion appears once, at its first eliminated corner. Pairs are the sides of triangles and the compared pairs.
    """
    neighbours: list[set[int]] = [set() for _ in range(problem.size)]
    for x, y in _compared(problem):
        neighbours[x].add(y)
        neighbours[y].add(x)
    buckets: dict[int, set[int]] = {}
    for point in range(problem.size):
        buckets.setdefault(len(neighbours[point]), set()).add(point)
    triangles: list[tuple[int, int, int]] = []
    for _ in range(problem.size):
        budget.check()
        degree = min(size for size, members in buckets.items() if members)
        point = min(buckets[degree])
        buckets[degree].remove(point)
        around = sorted(neighbours[point])
        if most is not None and len(triangles) + len(around) * (len(around) - 1) // 2 > most:
            return None
        for other in around:
            buckets[len(neighbours[other])].remove(other)
            neighbours[other].discard(point)
        for x, y in combinations(around, 2):
            triangles.append((point, x, y))
            neighbours[x].add(y)
            neighbours[y].add(x)
        for other in around:
            buckets.setdefault(len(neighbours[other]), set()).add(other)
    return triangles


def _compared(problem: PointProblem) -> set[tuple[int, int]]:
    """Return the pairs of different points in an edge or a choice, smaller number first."""
    pairs = {(min(x, y), max(x, y)) for x, y, _ in problem.edges}
    for choice in problem.choices:
        pairs.update((min(x, y), max(x, y)) for x, y in choice.cross_pairs())
    return {(x, y) for x, y in pairs if x != y}


def _solve_booleans(
    problem: PointProblem, budget: Budget, triangles: Sequence[tuple[int, int, int]] | None
) -> list[int] | None:
    """Return the literals: ``not_later[x, y]`` is x <= y. x < y is "not y <= x", x = y is both."""
    cp_model = load_solver()

    model = cp_model.CpModel()
    not_later: dict[tuple[int, int], Any] = {}
    clauses = 0

    def require(*literals: Any) -> None:
        nonlocal clauses
        clauses += 1
        model.add_bool_or(literals)

    def literal(x: int, y: int) -> Any:
        if x == y:
            return True
        if (x, y) not in not_later:
            not_later[x, y], not_later[y, x] = model.new_bool_var(), model.new_bool_var()
            require(not_later[x, y], not_later[y, x])
        return not_later[x, y]

    def negated(x: int, y: int) -> Any:
        return False if x == y else literal(x, y).negated()

    for number, (x, y, z) in enumerate(triangles or ()):
        if number % 4096 == 0:
            budget.check()
        for first, middle, last in ((x, y, z), (x, z, y), (y, x, z), (y, z, x), (z, x, y), (z, y, x)):
            require(negated(first, middle), negated(middle, last), literal(first, last))
    for x, y, strict in problem.edges:
        require(negated(y, x) if strict else literal(x, y))
    for choice in problem.choices:
        budget.check()
        for atom in forbidden_atoms(choice.mask):
            unless: list[Any] = []
            for (x, y), sign in zip(choice.cross_pairs(), ATOM_SIGNS[atom], strict=True):
                if sign == LT:
                    unless.append(literal(y, x))
                elif sign == GT:
                    unless.append(literal(x, y))
                else:
                    unless += [negated(x, y), negated(y, x)]
            require(*unless)
    solver, feasible = run_solver(model, budget, presolve=clauses <= _PRESOLVE_UP_TO_CLAUSES)
    if not feasible:
        return None
    successors: list[list[int]] = [[] for _ in range(problem.size)]
    for (x, y), variable in not_later.items():
        if solver.boolean_value(variable):
            successors[x].append(2 * y)
    return model_of(strong_components(successors))


# --- the problem of a whole document --------------------------------------------------------------------------------


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


def _choice(source: int, target: int, mask: int) -> Choice:
    return Choice(2 * source, 2 * source + 1, 2 * target, 2 * target + 1, mask)


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
