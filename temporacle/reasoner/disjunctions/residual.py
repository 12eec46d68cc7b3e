"""The residual: disjunctions that hull closure leaves open, decided on their own endpoints.

*Projection.* Let K be any set of points. An order of K that agrees with the closure's labels on K extends to a model of
the whole convex part (the cycle argument of ``pointgraph``), so a solver needs to see only the endpoints of the
residual, and of the pair that is asked about.

*Deciders*, in this order:

    cases   few disjunctions: search by cases, nothing to load                            casesplit
    cdcl    path consistency, then an incremental solver                                  search
    cpsat   where python-sat is absent, or a search would take too much memory            cpsat

*Generalised witnesses.* A solution picks an atom for each open pair. Each disjunction is then refined to the largest
pointisable relation around its atom, and the graph closed again: a *case*. A case is consistent (the solution is in
it), every model of a case is a model of the document, and its closure is exact; so one solve shows for all pairs
whole sets of atoms to be possible.

For a pair, atoms found in some case are possible, atoms outside the hull closure are not; only what is between has to
be asked, all undecided atoms of the pair at once.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import (
    ATOM_SIGNS,
    EQ,
    GT,
    LT,
    RelationClass,
    atoms_in,
    bits,
    classify,
    converse,
    convex_pieces,
    mask_of,
    subrelations_of_class,
)
from temporacle.reasoner.network import TooLarge
from temporacle.reasoner.points.graph import (
    Closure,
    Contradiction,
    PointGraph,
    close_points,
    hull_edges,
    model_of,
    strong_components,
)
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.reasoner.disjunctions.search import ProjectedSearch
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.closure import Tightened

    Relate = tuple[int, int, int]  # source, mask, target

_MEMORY_FOR_CASES = 1 << 30  # bytes


_PAIRS_PER_CELLS = 32  # a pair by itself takes the time of so many cells of a whole table; measured
_MOST_TOGETHER = 150  # entities whose pairs are all asked about at once; measured
DECIDERS = ("cases", "cdcl", "cpsat")


class Case:
    """Atoms for the open pairs: a model of the document, and the largest pointisable case around it.

    Many cases are only asked for their model, so the case is refined and closed when that is first needed.
    """

    __slots__ = ("_atoms", "_closure", "_tightened", "times")

    def __init__(self, tightened: Tightened, atoms: Sequence[int]) -> None:
        self._tightened = tightened
        self._atoms = atoms
        self._closure: Closure | None = None
        graph = _copy(tightened.graph)
        for (source, target), atom in zip(tightened.residual, atoms, strict=True):
            graph.add(source, 1 << atom, target)
        try:
            self.times = model_of(graph.condense())
        except Contradiction:
            raise InternalError("a solution of the residual does not extend to the whole document") from None

    @property
    def closure(self) -> Closure:
        """Return everything that follows in the case."""
        if self._closure is None:
            graph = _copy(self._tightened.graph)
            for ((source, target), mask), atom in zip(self._tightened.residual.items(), self._atoms, strict=True):
                refined = subrelations_of_class(mask, atom, pointisable=True)[0]
                graph.add(source, refined, target, differences=True)
            self._closure = graph.close()
        return self._closure


class Residual:
    """Exact answers for a document with open disjunctions.

    Cases are kept as long as there is room for them. A forgotten one costs questions, not answers.
    """

    def __init__(self, tightened: Tightened, budget: Budget) -> None:
        self._tightened = tightened
        self._budget = budget
        self._room = max(2, _MEMORY_FOR_CASES // max(1, tightened.closure.bytes))  # cases
        self._upper: dict[tuple[int, int], int] = {}  # possible atoms at most, where less than the hull says
        self._searches: ProjectedSearch | None = None
        self.cases: list[Case] = []
        self.decided_by = ""  # what settled consistency

    def model(self) -> list[int] | None:
        """Return integer times for all points of the document; None if it is inconsistent."""
        return self.cases[0].times if self.cases or self._find_case() else None

    def _find_case(self, query: Relate | None = None) -> bool:
        """Look for a case in which the query holds; keep it."""
        self._budget.check()
        atoms = self._atoms(query)
        if atoms is None:
            return False
        if len(self.cases) == self._room:
            del self.cases[1]  # the first stays: the witness comes from it
        self.cases.append(Case(self._tightened, atoms))
        return True

    def _atoms(self, query: Relate | None) -> list[int] | None:
        """Return an atom for each open pair so that the query holds; None if this is impossible."""
        open_pairs = [(source, mask, target) for (source, target), mask in self._tightened.residual.items()]
        asked = open_pairs if query is None else [*open_pairs, query]
        if "cases" in DECIDERS and len(asked) <= MOST_CHOICES:
            problem = project(self._tightened.closure, asked)
            found = solve_by_cases(problem, self._budget) if is_small(problem) else None
            if found is not None:
                self.decided_by = self.decided_by or "cases"
                return _chosen(problem, found.times, len(open_pairs))
        if "cdcl" in DECIDERS and (search := self._projected_search()) is not None:
            with suppress(TooLarge):  # CP-SAT needs less memory
                atoms = search.atoms(query)
                self.decided_by = self.decided_by or ("path-consistency" if search.propagation_refutes else "cdcl")
                return atoms
        from temporacle.reasoner.disjunctions.pointmodel import solve

        problem = project(self._tightened.closure, asked)
        times = solve(problem, self._budget)
        self.decided_by = self.decided_by or "cpsat"
        return _chosen(problem, times, len(open_pairs))

    def _projected_search(self) -> ProjectedSearch | None:
        """Return the search that answers all questions; None if python-sat is not installed."""
        if self._searches is None:
            from temporacle.reasoner.disjunctions.sat import is_available

            if not is_available():
                return None
            from temporacle.reasoner.disjunctions.search import ProjectedSearch

            self._searches = ProjectedSearch(self._tightened, self._budget)
        return self._searches

    def possible(self, source: int, target: int, within: int) -> int:
        """Return the atoms of ``within`` that are known to be possible, after asking until one is found or all are
        refuted.
        """
        if source == target:
            return within & EQUAL if self.model() is not None else 0
        while True:
            found = within & self._seen(source, target)
            if found:
                return found
            undecided = within & self._bound(source, target)
            if not undecided:
                return 0
            if not self._find_case((source, undecided, target)):
                self._upper[source, target] = self._bound(source, target) & ~undecided

    def relation(self, source: int, target: int) -> int:
        """Return the strongest relation of a pair."""
        if source == target:
            return self.possible(source, target, EQUAL)
        seen = self._seen(source, target)
        while undecided := self._bound(source, target) & ~seen:
            seen |= self.possible(source, target, undecided)
        return self._bound(source, target)

    def _bound(self, source: int, target: int) -> int:
        """Return an upper bound of the possible atoms."""
        known = self._upper.get((source, target))
        return self._tightened.closure.relation(source, target) if known is None else known

    def _seen(self, source: int, target: int) -> int:
        """Return atoms that some case shows to be possible."""
        seen = 0
        for case in self.cases:
            seen |= case.closure.relation(source, target)
        return seen

    def table(self) -> Sequence[Sequence[int]]:
        """Return the strongest relation of every pair: first by arrays, then by questions about the pairs that are left
        between the bounds.
        """
        import numpy as np

        if not self.cases and not self._find_case():
            raise Contradiction
        upper = self._tightened.closure.table_by_arrays()
        seen = self.cases[0].closure.table_by_arrays()
        open_pairs = [(source, target) for source, target in np.argwhere(np.triu(upper != seen, k=1)).tolist()]
        self._expect(open_pairs)
        by_pairs = len(open_pairs) < len(seen) ** 2 // _PAIRS_PER_CELLS
        for number, (source, target) in enumerate(open_pairs):
            most = self._bound(source, target)
            while undecided := most & ~int(seen[source, target]):
                if not self._find_case((source, undecided, target)):
                    most &= ~undecided
                    self._upper[source, target] = most
                elif by_pairs:
                    closure = self.cases[-1].closure
                    for pair in open_pairs[number:]:
                        seen[pair] |= closure.relation(*pair)
                else:
                    seen |= self.cases[-1].closure.table_by_arrays()
            upper[source, target] = most
            upper[target, source] = converse(most)
        return upper  # type: ignore[return-value]

    def _expect(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Make ready for questions about many pairs: one search with all of them, and its bounds."""
        if "cdcl" not in DECIDERS or len(self._tightened.residual) < MOST_CHOICES or not pairs:
            return
        search = self._projected_search()
        if search is None:
            return
        entities = {entity for pair in pairs for entity in pair}
        if len(entities) > _MOST_TOGETHER:
            return
        search.include(sorted(entities), pairs)
        for source, target in pairs:
            self._upper[source, target] = self._bound(source, target) & search.bound(source, target)


def _chosen(problem: PointProblem, times: Sequence[int] | None, count: int) -> list[int] | None:
    """Return the atoms that a solution gives to the first choices."""
    return None if times is None else [atom_chosen(choice, times) for choice in problem.choices[:count]]


def _copy(graph: PointGraph) -> PointGraph:
    twin = PointGraph(0)
    twin.entities = graph.entities
    twin.successors = [list(targets) for targets in graph.successors]
    twin.differences = list(graph.differences)
    return twin


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
# documents with few disjunctions before a solver is loaded. It is also a second opinion where CP-SAT, which shows no
# proof, says that a small problem has no solution: it shares nothing with the solver.
#
# *Small* means: few choices and few points, and a bounded number of cases. The bounds count, they do not measure
# time, so that an answer never depends on the speed of the machine. With 12 choices nearly all problems are settled
# within the bound of 400 cases, in a few milliseconds, which is what one call of the solver costs. Beyond the bounds
# nothing is said.

MOST_CHOICES = 12
MOST_POINTS = 1000
MOST_CASES = 400


def has_solution(problem: PointProblem, budget: Budget, most_cases: int = MOST_CASES) -> bool | None:
    """Return whether the points can be ordered as required; None if finding out would take too many cases.

    >>> from temporacle.reasoner.network import Budget
    >>> from temporacle.reasoner.disjunctions.residual import Choice, PointProblem
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


# ----------------------------------------------------------------------------------------------------
# A set of points to be ordered: what is handed to a solver, and how its answer is checked.
#
# ``edges`` are certain: x <= y, or x < y. A ``choice`` names the four endpoints of two entities and the relation that
# must hold between them, of any class. Points that are equal may share a number.


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

    def satisfied_by(self, times: Sequence[int]) -> bool:
        """Return whether times for all points satisfy every edge and every choice."""
        for x, y, strict in self.edges:
            if times[x] > times[y] or (strict and times[x] == times[y]):
                return False
        return all(choice.mask >> atom_chosen(choice, times) & 1 for choice in self.choices)


def atom_chosen(choice: Choice, times: Sequence[int]) -> int:
    """Return the position of the atom that holds between the two entities of a choice."""
    signs = tuple(LT if times[x] < times[y] else EQ if times[x] == times[y] else GT for x, y in choice.cross_pairs())
    return _ATOM_BY_SIGNS[signs]


_ATOM_BY_SIGNS: dict[tuple[int, ...], int] = {signs: position for position, signs in enumerate(ATOM_SIGNS)}


def forbidden_atoms(mask: int) -> list[int]:
    """Return the positions of the atoms that a relation excludes."""
    return atoms_in(~mask)
