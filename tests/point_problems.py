"""Problems of points for tests: whole networks without simplification, and what solves them by definition."""

from temporacle.reasoner.algebra import EQ, GT, LT, RelationClass, classify, signs_of
from temporacle.reasoner.disjunctions.pointproblem import (
    MOST_CASES,
    Choice,
    PointProblem,
    atom_chosen,
    solve_by_cases,
)
from temporacle.relation import EQUAL


def satisfies(times, problem):
    """Whether times for all points satisfy every edge and every choice."""
    for x, y, strict in problem.edges:
        if times[x] > times[y] or (strict and times[x] == times[y]):
            return False
    return all(choice.mask >> atom_chosen(choice, times) & 1 for choice in problem.choices)


def has_solution(problem, budget, most_cases=MOST_CASES):
    """Whether the points can be ordered as required; None if finding out would take too many cases."""
    found = solve_by_cases(problem, budget, most_cases)
    return None if found is None else found.times is not None


def full_problem(network):
    """Return the problem of all endpoints and all links without simplification.

    Convex links become edges on all four cross pairs.
    """
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
