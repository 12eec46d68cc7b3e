"""Whether facts fit together, disjunctions included: lazy cycles.

    hull        a negative cycle among the edges of hulls is a contradiction
    !=          a convex set is not covered by finitely many hyperplanes unless one of them covers it. So any number of
                ``x != y`` can be met iff no x = y follows: iff x and y are in one rigid part, at the same time
    choices     a CDCL solver picks the atom of each disjunction, in the language of ``disjunctions.encoding``: Booleans
                ``p <= q`` for each pair of entities, shared by all links between them. Look for cycles among the convex
                pieces of these atoms; learn the clause "not all of what is on the cycle"; repeat. It ends, since each
                clause excludes the pick. If no pick is left, the facts that the solver blames are a conflict

A clause excludes more than the pick: it names what is on the cycle, not the links that say so, and ``<`` only where
``<=`` is not enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import converse, convex_pieces
from temporacle.reasoner.clock.weights import NegativeCycle, WeightedEdge, potentials, rigid_parts
from temporacle.reasoner.disjunctions.encoding import (
    ATOM_OF_CODE,
    LOCAL,
    implicates,
    not_earlier,
    not_later,
    rows,
    shifted,
)
from temporacle.reasoner.disjunctions.sat import Cdcl, is_available

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.reasoner.clock.problem import CalendarProblem
    from temporacle.reasoner.network import Budget

_CYCLES_OF_A_PICK = 8  # that share no disjunction


class Model(NamedTuple):
    """Times that fit the hulls and pieces, and the pieces picked. ``!=`` can be met nearby."""

    times: list[int]
    picked: dict[int, int]  # link -> mask


class Core(NamedTuple):
    """Facts of the document that cannot all be true; some may not be needed."""

    facts: list[int]


def judge(
    problem: CalendarProblem,
    facts: Sequence[int],
    budget: Budget,
    extra: Sequence[WeightedEdge] = (),
    start: Sequence[int] | None = None,
) -> Model | Core:
    """Return a model of some facts and all assumptions, or facts among them that contradict each other.

    ``extra``: further edges that hold, of no fact. ``start``: times that are nearly a model.
    """
    budget.check()
    base = problem.graph(facts, extra)
    found = potentials(base, budget, start)
    if isinstance(found, NegativeCycle):
        return Core(problem.without_assumed(found.facts))
    if problem.is_convex:
        return Model(found.times, {})
    different = problem.differences(facts)
    links = problem.choices(facts)
    if not links:
        blamed = _equal_though_different(base, found.times, different) if different else None
        if blamed is None:
            return Model(found.times, {})
        edges, link = blamed
        return Core(problem.without_assumed([link, *NegativeCycle(edges).facts]))
    return _Picks(problem, facts, base, found.times, budget).search()


def is_settled_model(
    problem: CalendarProblem, facts: Sequence[int], extra: Sequence[WeightedEdge], budget: Budget, start: Sequence[int]
) -> bool:
    """Return whether some facts are consistent with further edges that settle all disjunctions."""
    graph = problem.graph(facts, extra)
    found = potentials(graph, budget, start)
    if isinstance(found, NegativeCycle):
        return False
    return _equal_though_different(graph, found.times, problem.differences(facts)) is None


class _Picks:
    """The search over atoms of disjunctions. Assumptions switch facts on, so that the solver can blame them."""

    def __init__(
        self,
        problem: CalendarProblem,
        facts: Sequence[int],
        base: list[list[WeightedEdge]],
        times: list[int],
        budget: Budget,
    ) -> None:
        if not is_available():
            raise BudgetExceeded(
                "not decided: disjunctions and values together need python-sat, which cannot be loaded"
            )
        self._problem = problem
        self._base = base
        self._start = times
        self._different = problem.differences(facts)
        self._budget = budget
        self._links = {link: problem.relation(link) or (0, 0, 0) for link in problem.choices(facts)}
        pairs = sorted({(min(source, target), max(source, target)) for source, _, target in self._links.values()})
        self._bases = {pair: LOCAL * number for number, pair in enumerate(pairs)}
        self._variables = LOCAL * len(pairs)  # those of facts come after them
        self._switches: dict[int, int] = {}
        self._solver = Cdcl(budget)
        self._solver.add(self._clauses(problem.with_assumed(facts)))

    def _clauses(self, facts: Iterable[int]) -> Iterator[list[int]]:
        """What links say about pairs with a disjunction, and what follows for three such pairs."""
        bases = self._bases
        for number in facts:
            source, mask, target = self._problem.relation(number) or (0, 0, 0)
            base = bases.get((min(source, target), max(source, target)))
            if base is not None:
                for clause in implicates(mask if source < target else converse(mask)):
                    yield [-self._switch(number), *shifted(clause, base)]
        later: dict[int, list[int]] = {}
        for first, second in bases:
            later.setdefault(first, []).append(second)
        for (first, second), base in bases.items():
            for third in later.get(second, ()):
                if (last := bases.get((first, third))) is not None:
                    places = (base, bases[second, third], last)
                    for row in rows():
                        yield [shifted((literal,), place)[0] for literal, place in zip(row, places, strict=True)]

    def _switch(self, fact: int) -> int:
        """The variable that switches a fact on."""
        return self._switches.setdefault(fact, self._variables + len(self._switches) + 1)

    def search(self) -> Model | Core:
        try:
            while self._solver.solve(list(self._switches.values())):
                found = self._model_or_clauses()
                if found is not None:
                    return found
            blamed = set(self._solver.core())
            return Core(
                self._problem.without_assumed([fact for fact, switch in self._switches.items() if switch in blamed])
            )
        finally:
            self._solver.close()

    def _model_or_clauses(self) -> Model | None:
        """A model with the atoms that the solver picked; None if there is none, and clauses that say why."""
        picked = self._picked()
        left = dict(picked)
        for _ in range(_CYCLES_OF_A_PICK):
            self._budget.check()
            graph = self._graph(left)
            found = potentials(graph, self._budget, self._start)
            if not isinstance(found, NegativeCycle):
                break
            self._learn(found.edges)
            for link in set(found.facts) & left.keys():
                del left[link]
        else:
            return None
        if len(left) < len(picked):
            return None
        self._start = found.times
        blamed = _equal_though_different(graph, found.times, self._different) if self._different else None
        if blamed is None:
            return Model(found.times, picked)
        self._learn(*blamed)
        return None

    def _picked(self) -> dict[int, int]:
        """The piece of each disjunction with the atom that the solver gave its pair."""
        values = self._solver.values(self._variables)
        atoms = {}
        for pair, base in self._bases.items():
            code = sum(value << bit for bit, value in enumerate(values[base : base + LOCAL]))
            atoms[pair] = 1 << ATOM_OF_CODE[code] if code in ATOM_OF_CODE else 0
        picked = {}
        for link, (source, mask, target) in self._links.items():
            atom = atoms[source, target] if source < target else converse(atoms[target, source])
            if not atom & mask:
                raise InternalError("the solver returned values that break a link")
            picked[link] = next(piece for piece in convex_pieces(mask) if piece & atom)
        return picked

    def _graph(self, picked: Mapping[int, int]) -> list[list[WeightedEdge]]:
        """The edges of the hulls and of pieces."""
        graph = list(self._base)
        copied: set[int] = set()
        for link, mask in picked.items():
            for edge in self._problem.link_edges(link, mask):
                if edge.left not in copied:
                    copied.add(edge.left)
                    graph[edge.left] = list(graph[edge.left])
                graph[edge.left].append(edge)
        return graph

    def _learn(self, edges: Sequence[WeightedEdge], *others: int) -> None:
        """Exclude that edges, and other facts, all hold. What links say about pairs with a disjunction are Booleans."""
        bases = [self._base_of(edge) for edge in edges]
        # A cycle may still be negative without what makes its Booleans strict.
        total = sum(edge.weight for edge, base in zip(edges, bases, strict=True) if base is None)
        clause = {-self._switch(fact) for fact in others}
        for edge, base in zip(edges, bases, strict=True):
            if base is None:
                if edge.fact is not None:
                    clause.add(-self._switch(edge.fact))
            elif edge.weight < 0 <= total:
                total += edge.weight
                clause.add(_not_later(edge.left, edge.right, base))
            else:
                clause.add(-_not_later(edge.right, edge.left, base))
        self._solver.add([sorted(clause)])

    def _base_of(self, edge: WeightedEdge) -> int | None:
        """Where the Booleans of an edge begin; None if it is not of a link between entities with a disjunction."""
        if edge.fact is None or self._problem.relation(edge.fact) is None:
            return None
        return self._bases.get((min(edge.left, edge.right) >> 1, max(edge.left, edge.right) >> 1))


def _not_later(point: int, other: int, base: int) -> int:
    """The Boolean for ``point <= other``, of a pair whose Booleans begin after ``base``."""
    if point < other:
        return base + not_later(point & 1, other & 1)
    return base + not_earlier(other & 1, point & 1)


def _equal_though_different(
    graph: Sequence[Sequence[WeightedEdge]], times: Sequence[int], different: Sequence[tuple[int, int, int]]
) -> tuple[list[WeightedEdge], int] | None:
    """Return the edges that make two points equal, and the link that calls them different."""
    suspects = [each for each in different if times[each[0]] == times[each[1]]]
    if not suspects:
        return None
    parts = rigid_parts(graph, times)
    for x, y, link in suspects:
        if parts[x] == parts[y]:
            return [*_tight_path(graph, times, x, y), *_tight_path(graph, times, y, x)], link
    return None


def _tight_path(
    graph: Sequence[Sequence[WeightedEdge]], times: Sequence[int], source: int, target: int
) -> list[WeightedEdge]:
    """Return a path of edges that hold with equality."""
    came_by: dict[int, WeightedEdge | None] = {source: None}
    waiting = [source]
    for point in waiting:  # grows while it is read
        if point == target:
            break
        for edge in graph[point]:
            if edge.right not in came_by and times[point] + edge.weight == times[edge.right]:
                came_by[edge.right] = edge
                waiting.append(edge.right)
    path = []
    step = came_by[target]
    while step is not None:
        path.append(step)
        step = came_by[step.left]
    return path[::-1]
