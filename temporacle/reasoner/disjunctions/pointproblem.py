"""A set of points to be ordered: what is handed to a decider, how its answer is checked, and search by cases.

``edges`` are certain: x <= y, or x < y. A ``choice`` names the four endpoints of two entities and the relation that
must hold between them, of any class. Points that are equal may share a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import (
    ATOM_SIGNS,
    EQ,
    GT,
    LT,
    RelationClass,
    bits,
    classify,
    convex_pieces,
    mask_of,
)
from temporacle.reasoner.points.graph import Closure, Contradiction, close_points, hull_edges, strong_components

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.reasoner.network import Budget


class Choice(NamedTuple):
    """Source start and end, target start and end, and the atoms allowed between them."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    mask: int

    def cross_pairs(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Return the pairs of points in the order of the signs of an atom."""
        return (
            (self.source_start, self.target_start),
            (self.source_start, self.target_end),
            (self.source_end, self.target_start),
            (self.source_end, self.target_end),
        )


@dataclass(slots=True)
class PointProblem:
    """Points 0 .. size - 1, what is certain about them, and what must be chosen."""

    size: int
    edges: list[tuple[int, int, bool]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)


def atom_chosen(choice: Choice, times: Sequence[int]) -> int:
    """Return the position of the atom that holds between the two entities of a choice."""
    signs = tuple(LT if times[x] < times[y] else EQ if times[x] == times[y] else GT for x, y in choice.cross_pairs())
    return _ATOM_BY_SIGNS[signs]


_ATOM_BY_SIGNS: dict[tuple[int, ...], int] = {signs: position for position, signs in enumerate(ATOM_SIGNS)}


def project(closure: Closure, relations: Sequence[tuple[int, int, int]]) -> PointProblem:
    """Return the problem of choosing these relations under everything the closure says about their endpoints.

    Components become points. Of the closure's labels among them only those are kept that do not follow from the others.
    """
    components = closure.components
    entities = {entity for source, _, target in relations for entity in (source, target)}
    used = sorted({components[2 * entity + end] for entity in entities for end in (0, 1)})
    number = {component: position for position, component in enumerate(used)}
    problem = PointProblem(len(used))
    for own, other, strict in reduced_edges(closure, used):
        problem.edges.append((number[own], number[other], strict))
    for source, mask, target in relations:
        source_start, source_end, target_start, target_end = (
            number[components[2 * entity + end]] for entity in (source, target) for end in (0, 1)
        )
        problem.choices.append(Choice(source_start, source_end, target_start, target_end, mask))
    return problem


def reduced_edges(closure: Closure, used: Sequence[int]) -> Iterator[tuple[int, int, bool]]:
    """Yield the order of some components in the closure, without what follows from the rest."""
    everyone = sum(1 << component for component in used)
    for own in used:
        near = closure.reach[own] & everyone & ~(1 << own)
        surely = closure.strict[own] & everyone
        others = list(bits(near))
        through = through_strictly = 0
        for other in others:
            beyond = closure.reach[other] & ~(1 << other)
            through |= beyond
            through_strictly |= beyond if surely >> other & 1 else closure.strict[other]
        for other in others:
            strict = bool(surely >> other & 1)
            if not (through_strictly if strict else through) >> other & 1:
                yield own, other, strict


# ----------------------------------------------------------------------------------------------------
# Small problems: search by cases, without a solver.
#
# Take a choice, split it into convex pieces, close the graph of points, take away the atoms that it rules out, and go
# on until every case is contradictory, or one has nothing left to choose and is therefore a solution. This decides
# documents with few disjunctions before a solver is loaded.
#
# *Small* means: few choices and few points, and a bounded number of cases. The bounds count, they do not measure
# time, so that an answer never depends on the speed of the machine. With 12 choices nearly all problems are settled
# within the bound of 400 cases, in a few milliseconds, which is what one call of the solver costs. Beyond the bounds
# nothing is said.

MOST_CHOICES = 12
MOST_POINTS = 1000
MOST_CASES = 400


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
