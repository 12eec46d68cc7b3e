"""The residual: disjunctions that hull closure leaves open, decided on their own endpoints.

*Projection.* Let K be any set of points. An order of K that agrees with the closure's labels on K extends to a model of
the whole convex part (the cycle argument of ``points.graph``), so a solver needs to see only the endpoints of the
residual, and of the pair that is asked about: a small network of its own (``Projection``).

*Deciders*, in this order:

    cases   few disjunctions: search by cases, nothing to load                            cases
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
from temporacle.reasoner.algebra import ALL, atom_at, bits, converse, subrelations_of_class
from temporacle.reasoner.disjunctions.cases import decide
from temporacle.reasoner.points.graph import (
    Closure,
    Contradiction,
    PointGraph,
    model_of,
)
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.reasoner.disjunctions.search import Search
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.points.hulls import Tightened

    Pair = tuple[int, int]
    Relate = tuple[int, int, int]  # source, mask, target

# The bounds of search by cases count, they do not measure time, so that an answer never depends on the speed of the
# machine. With 12 disjunctions nearly all problems are settled within them, in a few milliseconds.
MOST_CHOICES = 12
MOST_BRANCHINGS = 200
_MEMORY_FOR_CASES = 1 << 30  # bytes


_PAIRS_PER_CELLS = 32  # a pair by itself takes the time of so many cells of a whole table; measured
_MOST_TOGETHER = 150  # entities whose pairs are all asked about at once; measured


class Projection:
    """A small network: entities of a document under numbers of their own, and relations between them.

    Its relations are the open disjunctions and what the closure says between other entities of the network. Not all of
    that is needed: endpoints that are equal are tied to one of them, and of the order among the others only what does
    not follow from the rest is stated. So a model of the network agrees with the closure on all its endpoints.
    """

    def __init__(self, tightened: Tightened) -> None:
        self._tightened = tightened
        self.number: dict[int, int] = {}  # of an entity of the document
        self._known: set[Pair] = set()

    def include(self, entities: Iterable[int], pairs: Iterable[Pair] = ()) -> dict[Pair, int]:
        """Add these entities, and what must be known about these pairs. Return the relations that are new."""
        wanted = {} if self._known else dict.fromkeys(self._tightened.residual)
        known = dict.fromkeys((*(entity for pair in wanted for entity in pair), *entities))
        if missing := [entity for entity in known if entity not in self.number]:
            for entity in missing:
                self.number[entity] = len(self.number)
            wanted |= self._stated()
        wanted |= dict.fromkeys((min(pair), max(pair)) for pair in pairs)
        new = [pair for pair in wanted if pair not in self._known]
        self._known.update(new)
        bound, residual, number = self._tightened.closure.relation, self._tightened.residual, self.number
        return {
            (number[source], number[target]): residual.get((source, target), ALL) & bound(source, target)
            for source, target in new
        }

    def _stated(self) -> dict[Pair, None]:
        """Return pairs whose relations say all that the closure says about the endpoints of the network."""
        components = self._tightened.closure.components
        holder: dict[int, int] = {}  # one entity for each component
        pairs: dict[Pair, None] = {}
        for entity in self.number:
            for end in (0, 1):
                first = holder.setdefault(components[2 * entity + end], entity)
                if first != entity:
                    pairs[min(first, entity), max(first, entity)] = None
        for own, other in reduced_edges(self._tightened.closure, sorted(holder)):
            source, target = holder[own], holder[other]
            if source != target:
                pairs[min(source, target), max(source, target)] = None
        return pairs


def reduced_edges(closure: Closure, used: Sequence[int]) -> Iterator[Pair]:
    """Yield the order of some components in the closure, without what follows from the rest."""
    everyone = sum(1 << component for component in used)
    for own in used:
        near = closure.reach[own] & everyone & ~(1 << own)
        surely = closure.strict[own] & everyone
        through = through_strictly = 0
        for other in bits(near):
            beyond = closure.reach[other] & ~(1 << other)
            through |= beyond
            through_strictly |= beyond if surely >> other & 1 else closure.strict[other]
        for other in bits(near):
            if not (through_strictly if surely >> other & 1 else through) >> other & 1:
                yield own, other


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
        self._projection = Projection(tightened)  # of the search
        self._search: Search | None = None
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
        ends = () if query is None else (query[0], query[2])
        if len(self._tightened.residual) + (query is not None) <= MOST_CHOICES:
            small = Projection(self._tightened)
            constraints = [(source, mask, target) for (source, target), mask in small.include(ends).items()]
            number = small.number
            if query is not None:
                constraints.append((number[query[0]], query[1], number[query[2]]))
            decided = decide(len(number), constraints, self._budget, MOST_BRANCHINGS)
            if decided is not None:
                self.decided_by = self.decided_by or "cases"
                return self._chosen(number, decided.times, query)
        search, number = self._searched(ends), self._projection.number
        times = search.find(None if query is None else (number[query[0]], query[1], number[query[2]]))
        self.decided_by = self.decided_by or ("path-consistency" if search.propagation_refutes else "cdcl")
        return self._chosen(number, times, query)

    def _chosen(self, number: Mapping[int, int], times: list[int] | None, query: Relate | None) -> list[int] | None:
        """Return the atoms that a model of a projection gives to the open pairs. They must satisfy the links."""
        if times is None:
            return None
        asked = [*self._tightened.residual.items(), *([((query[0], query[2]), query[1])] if query else [])]
        atoms = [atom_at(times, number[source], number[target]) for (source, target), _ in asked]
        if not all(atom & mask for atom, (_, mask) in zip(atoms, asked, strict=True)):
            raise InternalError("the search returned a model that does not satisfy the links")
        return [atom.bit_length() - 1 for atom in atoms[: len(self._tightened.residual)]]

    def _searched(self, entities: Iterable[int], pairs: Iterable[Pair] = ()) -> Search:
        """Return the search that answers all questions, with these entities and variables for these pairs."""
        relations = self._projection.include(entities, pairs)
        if self._search is None:
            from temporacle.reasoner.disjunctions.sat import is_available

            if not is_available():
                raise BudgetExceeded("networks of disjunctions are decided by python-sat, which is not installed")
            from temporacle.reasoner.disjunctions.search import Search

            self._search = Search(len(self._projection.number), relations, self._budget)
        elif relations:
            self._search.extend(len(self._projection.number), relations)
        return self._search

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
        if len(self._tightened.residual) < MOST_CHOICES or not pairs:
            return
        entities = {entity for pair in pairs for entity in pair}
        if len(entities) > _MOST_TOGETHER:
            return
        search, number = self._searched(sorted(entities), pairs), self._projection.number
        for source, target in pairs:
            self._upper[source, target] = self._bound(source, target) & search.bound(number[source], number[target])


def _copy(graph: PointGraph) -> PointGraph:
    twin = PointGraph(0)
    twin.entities = graph.entities
    twin.successors = [list(targets) for targets in graph.successors]
    twin.differences = list(graph.differences)
    return twin
