"""The residual: disjunctions that hull closure leaves open, decided by CP-SAT on their own endpoints.

*Projection.* Let K be any set of points. An order of K that agrees with the closure's labels on K extends to a model of
the whole convex part (the cycle argument of ``pointgraph``), so the solver needs to see only the endpoints of the
residual, and of the pair that is asked about.

*Generalised witnesses.* A solution picks an atom for each open pair. Each disjunction is then refined to the largest
pointisable relation around its atom, and the graph closed again: a *case*. A case is consistent (the solution is in
it), every model of a case is a model of the document, and its closure is exact; so one solve shows for all pairs
whole sets of atoms to be possible.

For a pair, atoms found in some case are possible, atoms outside the hull closure are not; only what is between has to
be asked, all undecided atoms of the pair at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import converse, subrelations_of_class
from temporacle.reasoner.pointgraph import Closure, Contradiction, PointGraph
from temporacle.reasoner.pointproblem import Choice, PointProblem, atom_chosen
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.tighten import Tightened


_MEMORY_FOR_CASES = 1 << 30  # bytes


class Residual:
    """Exact answers for a document with open disjunctions, by CP-SAT on their endpoints.

    Cases are kept as long as there is room for them. A forgotten one costs questions, not answers.
    """

    def __init__(self, tightened: Tightened, budget: Budget) -> None:
        self._tightened = tightened
        self._budget = budget
        self._room = max(2, _MEMORY_FOR_CASES // max(1, tightened.closure.bytes))  # cases
        self._upper: dict[tuple[int, int], int] = {}  # possible atoms at most, where less than the hull says
        self.cases: list[Closure] = []

    def model(self) -> list[int] | None:
        """Integer times for all points of the document; None if it is inconsistent."""
        return self.cases[0].model() if self.cases or self._find_case() else None

    def _find_case(self, query: tuple[int, int, int] | None = None) -> bool:
        """Look for a case in which the query holds; keep it."""
        from temporacle.reasoner.cpsat import solve

        self._budget.check()
        open_pairs = [(source, mask, target) for (source, target), mask in self._tightened.residual.items()]
        asked = open_pairs if query is None else [*open_pairs, query]
        problem = project(self._tightened.closure, asked)
        times = solve(problem, self._budget)
        if times is None:
            return False
        graph = _copy(self._tightened.graph)
        for (source, mask, target), choice in zip(open_pairs, problem.choices, strict=False):
            refined = subrelations_of_class(mask, atom_chosen(choice, times), pointisable=True)[0]
            graph.add(source, refined, target, differences=True)
        if len(self.cases) == self._room:
            del self.cases[1]  # the first stays: the witness comes from it
        try:
            self.cases.append(graph.close())
        except Contradiction:
            raise InternalError("a solution of the residual does not extend to the whole document") from None
        return True

    def possible(self, source: int, target: int, within: int) -> int:
        """Which atoms of ``within`` are known to be possible after asking until one is found or all are refuted."""
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
        """The strongest relation of a pair."""
        if source == target:
            return self.possible(source, target, EQUAL)
        seen = self._seen(source, target)
        while undecided := self._bound(source, target) & ~seen:
            seen |= self.possible(source, target, undecided)
        return self._bound(source, target)

    def _bound(self, source: int, target: int) -> int:
        """An upper bound of the possible atoms."""
        known = self._upper.get((source, target))
        return self._tightened.closure.relation(source, target) if known is None else known

    def _seen(self, source: int, target: int) -> int:
        """Atoms that some case shows to be possible."""
        seen = 0
        for case in self.cases:
            seen |= case.relation(source, target)
        return seen

    def table(self) -> Sequence[Sequence[int]]:
        """The strongest relation of every pair: by arrays, then by questions about pairs left between the bounds."""
        import numpy as np

        if not self.cases and not self._find_case():
            raise Contradiction
        upper = self._tightened.closure.table_by_arrays()
        seen = self.cases[0].table_by_arrays()
        for source, target in np.argwhere(np.triu(upper != seen, k=1)).tolist():
            mask = self.relation(source, target)
            upper[source, target] = mask
            upper[target, source] = converse(mask)
        return upper  # type: ignore[return-value]


def _copy(graph: PointGraph) -> PointGraph:
    twin = PointGraph(0)
    twin.entities = graph.entities
    twin.successors = [list(targets) for targets in graph.successors]
    twin.differences = list(graph.differences)
    return twin


def project(closure: Closure, relations: Sequence[tuple[int, int, int]]) -> PointProblem:
    """The problem of choosing these relations under everything the closure says about their endpoints.

    Components become points. Of the closure's labels among them only those are kept that do not follow from the others.
    """
    components = closure.components
    entities = {entity for source, _, target in relations for entity in (source, target)}
    used = sorted({components[2 * entity + end] for entity in entities for end in (0, 1)})
    number = {component: position for position, component in enumerate(used)}
    problem = PointProblem(len(used))
    everyone = sum(1 << component for component in used)
    for own in used:
        near = closure.reach[own] & everyone & ~(1 << own)
        surely = closure.strict[own] & everyone
        others = [component for component in used if near >> component & 1]
        through = through_strictly = 0
        for other in others:
            beyond = closure.reach[other] & ~(1 << other)
            through |= beyond
            through_strictly |= beyond if surely >> other & 1 else closure.strict[other]
        for other in others:
            strict = bool(surely >> other & 1)
            if not (through_strictly if strict else through) >> other & 1:
                problem.edges.append((number[own], number[other], strict))
    for source, mask, target in relations:
        source_start, source_end, target_start, target_end = (
            number[components[2 * entity + end]] for entity in (source, target) for end in (0, 1)
        )
        problem.choices.append(Choice(source_start, source_end, target_start, target_end, mask))
    return problem
