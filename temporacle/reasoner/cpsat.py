"""CP-SAT: decides whatever the endpoint graph cannot, and runs alone as the reference for everything else.

Two encodings of a PointProblem, equivalent by test:

    integers   one integer per point; a choice has one Boolean per atom (or per convex piece), each enforcing its
               inequalities. Best for documents: few choices among many certain edges.
    booleans   for each pair of neighbouring points x, y of a chordal graph two Booleans x <= y and y <= x, with
               transitivity on its triangles. Chordal is enough: weak orders on cliques glue together along the
               separators. Best for dense networks of choices, where integers propagate too little.

Answers are never taken on trust: a solution is checked against the problem; "no solution" is tried again by cases where
the problem is small (``casesplit``); a solver that gives up, which can happen before the time limit, is asked once more
with presolve switched, then reported as BudgetExceeded. Whatever else it does is an InternalError, never a verdict.
"""

from __future__ import annotations

import signal
from collections import Counter
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
    classify,
    converse,
    convex_pieces,
    signs_of,
)
from temporacle.reasoner.casesplit import has_solution, is_small
from temporacle.reasoner.cpmodel import CpTools
from temporacle.reasoner.network import Budget, Network, PairTable
from temporacle.reasoner.pointgraph import hull_edges, model_of, strong_components
from temporacle.reasoner.pointproblem import Choice, PointProblem, atom_chosen, forbidden_atoms
from temporacle.relation import EQUAL
from temporacle.signals import held_back

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

# Measured (docs/performance.md): above this many choices integers lose to Booleans, unless the chordal graph is huge.
_CHOICES_FOR_BOOLEANS = 20
_MOST_TRIANGLES = 400_000
_PRESOLVE_UP_TO_CLAUSES = 150_000
_MOST_MEGABYTES = 4096
_SEED = 20110


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


# --- running the solver ------------------------------------------------------------------------------------------


@cache
def load_solver() -> CpTools:
    """Return what OR-Tools offers.

    Signals wait meanwhile, because compiled code takes an interrupt for a fault of its own.
    """
    with held_back(signal.SIGINT, signal.SIGTERM):
        from ortools.sat.python import cp_model_helper
    return CpTools(cp_model_helper)


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


# --- the full model, alone: the reference that everything else is tested against -----------------------------------


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


# --- hitting sets: for repairs --------------------------------------------------------------------------------------

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
