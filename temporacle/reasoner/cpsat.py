"""CP-SAT: decides whatever the endpoint graph cannot, and runs alone as the reference for everything else.

Two encodings of a PointProblem, equivalent by test:

    integers   one integer per point; a choice has one Boolean per atom (or per convex piece), each enforcing its
               inequalities. Best for documents: few choices among many certain edges.
    booleans   for each pair of neighbouring points x, y of a chordal graph two Booleans x <= y and y <= x, with
               transitivity on its triangles. Chordal is enough: weak orders on cliques glue together along the
               separators. Best for dense networks of choices, where integers propagate too little.

Answers are never taken on trust: a solution is checked against the problem, and a solver that gives up (which can
happen before the time limit) is asked once more with presolve switched, then reported as BudgetExceeded.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import (
    ALL,
    ATOM_SIGNS,
    EQ,
    GT,
    LT,
    RelationClass,
    atoms_in,
    classify,
    converse,
    signs_of,
    subrelations_of_class,
)
from temporacle.reasoner.network import Budget, Network, PairTable
from temporacle.reasoner.pointgraph import hull_edges, model_of, strong_components
from temporacle.reasoner.pointproblem import Choice, PointProblem, atom_chosen, forbidden_atoms
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

# Measured (docs/performance.md): above this many choices integers lose to Booleans, unless the chordal graph is huge.
_CHOICES_FOR_BOOLEANS = 20
_MOST_TRIANGLES = 400_000
_PRESOLVE_UP_TO_CLAUSES = 150_000
_SEED = 20110


class Encoding(Enum):
    """How a problem is written down for the solver."""

    INTEGERS = "integers"
    BOOLEANS = "booleans"


def solve(problem: PointProblem, budget: Budget, encoding: Encoding | None = None) -> list[int] | None:
    """Times for all points that meet the problem; None if there are none. Raises BudgetExceeded when undecided."""
    triangles = None
    if encoding is None:
        encoding = Encoding.INTEGERS
        if len(problem.choices) > _CHOICES_FOR_BOOLEANS:
            triangles = chordal_triangles(problem, most=_MOST_TRIANGLES)
            if triangles is not None:
                encoding = Encoding.BOOLEANS
    if encoding is Encoding.INTEGERS:
        times = _solve_integers(problem, budget)
    else:
        times = _solve_booleans(problem, budget, triangles or chordal_triangles(problem))
    if times is not None and not problem.satisfied_by(times):
        raise InternalError("CP-SAT returned a solution that does not satisfy the problem")
    return times


# --- running the solver ------------------------------------------------------------------------------------------


def _run(model: Any, budget: Budget, *, presolve: bool) -> tuple[Any, bool]:
    """The solver after it has decided, and whether it holds a solution."""
    from ortools.sat.python import cp_model

    for attempt in (presolve, not presolve):
        budget.check()
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = 1
        parameters.linearization_level = 0
        parameters.cp_model_presolve = attempt
        parameters.random_seed = _SEED
        remaining = budget.remaining()
        if remaining is not None:
            parameters.max_time_in_seconds = max(remaining, 0.001)
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return solver, True
        if status == cp_model.INFEASIBLE:
            return solver, False
        if status == cp_model.MODEL_INVALID:
            raise InternalError(f"CP-SAT rejected the model: {model.validate()}")
    budget.check()
    raise BudgetExceeded("CP-SAT gave up without an answer")


# --- integers ----------------------------------------------------------------------------------------------------


def _solve_integers(problem: PointProblem, budget: Budget) -> list[int] | None:
    model, points = _integer_model(problem)
    if model is None:
        return None
    solver, feasible = _run(model, budget, presolve=False)
    return [solver.value(point) for point in points] if feasible else None


def _integer_model(problem: PointProblem) -> tuple[Any | None, list[Any]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    points = [model.new_int_var(0, max(problem.size - 1, 0), f"p{number}") for number in range(problem.size)]
    for x, y, strict in problem.edges:
        if x == y:
            if strict:
                return None, points
            continue
        model.add(points[x] + int(strict) <= points[y])
    for choice in problem.choices:
        pieces = convex_pieces(choice.mask)
        if not pieces:
            return None, points
        literals = [model.new_bool_var("") for _ in pieces]
        model.add_bool_or(literals)
        for literal, piece in zip(literals, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add(points[choice[x]] + int(strict) <= points[choice[y]]).only_enforce_if(literal)
    return model, points


@cache
def convex_pieces(mask: int) -> tuple[int, ...]:
    """Few convex relations whose union is the given one: each time the largest around the first atom not covered.

    >>> from temporacle.relation import Relation
    >>> [str(Relation(piece)) for piece in convex_pieces(Relation.of("b", "m", "mi", "bi"))]
    ['b|m', 'mi|bi']
    """
    pieces = []
    left = mask
    while left:
        atom = atoms_in(left)[0]
        piece = subrelations_of_class(mask, atom, pointisable=False)[0]
        pieces.append(piece)
        left &= ~piece
    return tuple(pieces)


# --- Booleans ----------------------------------------------------------------------------------------------------


def chordal_triangles(problem: PointProblem, most: int | None = None) -> list[tuple[int, int, int]] | None:
    """Triangles of a chordal completion of the graph of compared points; None if there are more than ``most``.

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
    """Pairs of different points that an edge or a choice speaks of, smaller number first."""
    pairs = {(min(x, y), max(x, y)) for x, y, _ in problem.edges}
    for choice in problem.choices:
        pairs.update((min(x, y), max(x, y)) for x, y in choice.cross_pairs())
    return {(x, y) for x, y in pairs if x != y}


def _solve_booleans(
    problem: PointProblem, budget: Budget, triangles: Sequence[tuple[int, int, int]] | None
) -> list[int] | None:
    """``not_later[x, y]`` is the literal x <= y. x < y is "not y <= x", x = y both."""
    from ortools.sat.python import cp_model

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
            not_later[x, y], not_later[y, x] = model.new_bool_var(""), model.new_bool_var("")
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
    solver, feasible = _run(model, budget, presolve=clauses <= _PRESOLVE_UP_TO_CLAUSES)
    if not feasible:
        return None
    successors: list[list[int]] = [[] for _ in range(problem.size)]
    for (x, y), variable in not_later.items():
        if solver.boolean_value(variable):
            successors[x].append(2 * y)
    return model_of(strong_components(successors))


# --- the full model, alone: the reference that everything else is tested against -----------------------------------


def full_problem(network: Network) -> PointProblem:
    """All endpoints and all links, nothing simplified. Convex links become edges on all four cross pairs."""
    problem = PointProblem(2 * len(network.entities))
    problem.edges = [(2 * entity, 2 * entity + 1, True) for entity in range(len(network.entities))]
    for source, mask, target in network.constraints:
        choice = Choice(2 * source, 2 * source + 1, 2 * target, 2 * target + 1, mask)
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


def closure(network: Network, budget: Budget, encoding: Encoding | None = Encoding.INTEGERS) -> PairTable | None:
    """The minimal network by CP-SAT alone: for each pair, solutions are asked for until no new atom is possible."""
    problem = full_problem(network)
    times = solve(problem, budget, encoding)
    if times is None:
        return None
    size = len(network.entities)
    rows = [[0] * size for _ in range(size)]
    pairs = [
        Choice(2 * source, 2 * source + 1, 2 * target, 2 * target + 1, 0)
        for source, target in combinations(range(size), 2)
    ]

    def note(times: Sequence[int]) -> None:
        for pair in pairs:
            rows[pair.source_start // 2][pair.target_start // 2] |= 1 << atom_chosen(pair, times)

    note(times)
    for pair in pairs:
        source, target = pair.source_start // 2, pair.target_start // 2
        while unseen := ALL & ~rows[source][target]:
            query = PointProblem(problem.size, problem.edges, [*problem.choices, pair._replace(mask=unseen)])
            times = solve(query, budget, encoding)
            if times is None:
                break
            note(times)
    return PairTable(network.entities, _mirrored(rows))


def _mirrored(rows: list[list[int]]) -> list[list[int]]:
    """Fill the lower half from the upper one."""
    for source, row in enumerate(rows):
        row[source] = int(EQUAL)
        for target in range(source):
            row[target] = converse(rows[target][source])
    return rows


def infeasible_core(network: Network, budget: Budget) -> list[int] | None:
    """Numbers of links that CP-SAT blames for inconsistency; None if the links are consistent.

    Not minimal, and not to be trusted: callers verify and shrink it. Each link is enforced by its own assumption.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    size = 2 * len(network.entities)
    points = [model.new_int_var(0, max(size - 1, 0), f"p{number}") for number in range(size)]
    for start in range(0, size, 2):
        model.add(points[start] + 1 <= points[start + 1])
    assumptions = []
    for source, mask, target in network.constraints:
        stated = model.new_bool_var("")
        assumptions.append(stated)
        ends = [points[2 * entity + end] for entity in (source, target) for end in (0, 1)]
        pieces = convex_pieces(mask)
        literals = [model.new_bool_var("") for _ in pieces]
        model.add_bool_or([stated.negated(), *literals])
        for literal, piece in zip(literals, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add(ends[x] + int(strict) <= ends[y]).only_enforce_if(literal)
    model.add_assumptions(assumptions)
    # Presolve stays off: with it, cores have been seen that contain literals which are no assumptions.
    solver, feasible = _run(model, budget, presolve=False)
    if feasible:
        return None
    numbers = {assumption.index: number for number, assumption in enumerate(assumptions)}
    blamed = solver.sufficient_assumptions_for_infeasibility()
    return sorted(numbers[index] for index in blamed if index in numbers)
