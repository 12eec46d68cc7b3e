"""The residual: disjunctions that hull closure leaves open, decided on their own endpoints.

*Projection.* Let K be any set of points. An order of K that agrees with the closure's labels on K extends to a model of
the whole convex part (the cycle argument of ``points.graph``), so a solver needs to see only the endpoints of the
residual, and of the pair that is asked about.

*Deciders*, in this order:

    cases   few disjunctions: search by cases, nothing to load                            pointproblem
    cdcl    path consistency, then an incremental solver                                  search

*Generalised witnesses.* A solution picks an atom for each open pair. Each disjunction is then refined to the largest
pointisable relation around its atom, and the graph closed again: a *case*. A case is consistent (the solution is in
it), every model of a case is a model of the document, and its closure is exact; so one solve shows for all pairs
whole sets of atoms to be possible.

For a pair, atoms found in some case are possible, atoms outside the hull closure are not; only what is between has to
be asked, all undecided atoms of the pair at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import (
    converse,
    subrelations_of_class,
)
from temporacle.reasoner.disjunctions.pointproblem import (
    MOST_CHOICES,
    PointProblem,
    atom_chosen,
    is_small,
    project,
    solve_by_cases,
)
from temporacle.reasoner.points.graph import (
    Closure,
    Contradiction,
    PointGraph,
    model_of,
)
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.disjunctions.search import ProjectedSearch
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.closure import Tightened

    Relate = tuple[int, int, int]  # source, mask, target

_MEMORY_FOR_CASES = 1 << 30  # bytes


_PAIRS_PER_CELLS = 32  # a pair by itself takes the time of so many cells of a whole table; measured
_MOST_TOGETHER = 150  # entities whose pairs are all asked about at once; measured
DECIDERS = ("cases", "cdcl")


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
        search = self._projected_search()
        atoms = search.atoms(query)
        self.decided_by = self.decided_by or ("path-consistency" if search.propagation_refutes else "cdcl")
        return atoms

    def _projected_search(self) -> ProjectedSearch:
        """Return the search that answers all questions."""
        if self._searches is None:
            from temporacle.reasoner.disjunctions.sat import is_available

            if not is_available():
                raise BudgetExceeded("networks of disjunctions are decided by python-sat, which is not installed")
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
        entities = {entity for pair in pairs for entity in pair}
        if len(entities) > _MOST_TOGETHER:
            return
        search = self._projected_search()
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
