"""Small problems: search by cases, without a solver.

Take a choice, split it into convex pieces, close the graph of points, take away the atoms that it rules out, and go on
until every case is contradictory, or one has nothing left to choose and is therefore a solution. This decides
documents with few disjunctions before a solver is loaded. It is also a second opinion where CP-SAT, which shows no
proof, says that a small problem has no solution: it shares nothing with the solver.

*Small* means: few choices and few points, and a bounded number of cases. The bounds count, they do not measure time,
so that an answer never depends on the speed of the machine. With 12 choices nearly all problems are settled within the
bound of 400 cases, in a few milliseconds, which is what one call of the solver costs. Beyond the bounds nothing
is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import RelationClass, classify, convex_pieces, mask_of
from temporacle.reasoner.pointgraph import Closure, Contradiction, close_points, hull_edges, strong_components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.pointproblem import Choice, PointProblem

MOST_CHOICES = 12
MOST_POINTS = 1000
MOST_CASES = 400


def has_solution(problem: PointProblem, budget: Budget, most_cases: int = MOST_CASES) -> bool | None:
    """Return whether the points can be ordered as required; None if finding out would take too many cases.

    >>> from temporacle.reasoner.network import Budget
    >>> from temporacle.reasoner.pointproblem import Choice, PointProblem
    >>> before_or_after = 1 | 1 << 12
    >>> edges = [(0, 1, True), (2, 3, True), (0, 3, False), (2, 1, False)]
    >>> has_solution(PointProblem(4, edges, [Choice(0, 1, 2, 3, before_or_after)]), Budget())
    False
    """
    found = solve_by_cases(problem, budget, most_cases)
    return None if found is None else found.times is not None


class ByCases(NamedTuple):
    """A problem that was decided: ``times`` of all points, None if it has no solution."""

    times: list[int] | None


def solve_by_cases(problem: PointProblem, budget: Budget, most_cases: int = MOST_CASES) -> ByCases | None:
    """Return a solution, or that there is none; None if finding out would take too many cases."""
    waiting = [[choice.mask for choice in problem.choices]]
    cases = 0
    while waiting:
        budget.check()
        cases += 1
        if cases > most_cases:
            return None
        masks = waiting.pop()
        closed = _narrow(problem, masks)
        if closed is None:
            continue
        open_choices = [k for k, mask in enumerate(masks) if classify(mask) is not RelationClass.CONVEX]
        if not open_choices:
            return ByCases(closed.model())  # the closed graph says all that is left, and it is not contradictory
        split = min(open_choices, key=lambda k: (len(convex_pieces(masks[k])), k))
        waiting += [[*masks[:split], piece, *masks[split + 1 :]] for piece in convex_pieces(masks[split])]
    return ByCases(None)


def is_small(problem: PointProblem) -> bool:
    """Return whether the search is worth trying."""
    return len(problem.choices) <= MOST_CHOICES and problem.size <= MOST_POINTS


def _narrow(problem: PointProblem, masks: list[int]) -> Closure | None:
    """Take from the choices what the closed graph of their hulls rules out, to the fixpoint; None if contradictory."""
    while True:
        closed = _closed(problem, masks)
        if closed is None:
            return None
        changed = False
        for k, choice in enumerate(problem.choices):
            left = masks[k] & _allowed(choice, closed)
            if not left:
                return None
            changed = changed or left != masks[k]
            masks[k] = left
        if not changed:
            return closed


def _closed(problem: PointProblem, masks: Sequence[int]) -> Closure | None:
    """Return the closed graph of the edges and the hulls of the choices; None if they contradict each other."""
    successors: list[list[int]] = [[] for _ in range(problem.size)]
    for x, y, strict in problem.edges:
        successors[x].append(2 * y + strict)
    for choice, mask in zip(problem.choices, masks, strict=True):
        for x, y, strict in hull_edges(mask):
            successors[choice[x]].append(2 * choice[y] + strict)
    components = strong_components(successors)
    try:
        reach, surely = close_points(successors, components)
    except Contradiction:
        return None
    return Closure(problem.size // 2, components, reach, surely, set())


def _allowed(choice: Choice, closure: Closure) -> int:
    """Return the atoms that the closed graph allows between the two entities of a choice."""
    start_start, start_end, end_start, end_end = (closure.signs(x, y) for x, y in choice.cross_pairs())
    return mask_of((start_start, start_end, end_start, end_end))
