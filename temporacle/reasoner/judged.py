"""The judged value: the links of one document, and what has been found out about them.

    1  all links convex (or pointisable): the endpoint graph answers everything          points.graph
       closed, or without a closure if it is large                                       points.large
    2  otherwise hull closure settles what it can                                        points.hulls
    3  the disjunctions that are left are decided on their own endpoints                 disjunctions.residual
       by cases, or by path consistency and search

Consistency of disjunctions in a graph too large to close is decided by cases            points.hulls

Each is computed once, when it is first asked for. What stands above (conflicts, repairs, proofs, the oracle) asks a
judged value and leaves its own findings there (``once``), so that no two of them decide the same thing again.

Each answer is exact, or BudgetExceeded is raised; every witness is checked against all original links before it is
handed out. Deterministic: the same links in the same order give the same answers and the same witness.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from temporacle.errors import InternalError, UsageError
from temporacle.reasoner.disjunctions.residual import Residual
from temporacle.reasoner.network import Budget, Network, PairTable
from temporacle.reasoner.points.graph import Closure, Contradiction, model_of
from temporacle.reasoner.points.hulls import graph_of, is_convex, model_by_splitting, tighten
from temporacle.relation import Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from temporacle.model import Link
    from temporacle.results import Witness

_MOST_ROWS = 1_000  # entities; of more, rows of bits take more time and memory than searches for pairs
_MOST_CLOSED = 20_000  # entities; closing them takes seconds and 200 MB

Found = TypeVar("Found")


class Decider(Protocol):
    """Answers questions about numbered entities, once the graph alone has shown no contradiction."""

    def model(self) -> list[int] | None:
        """Return integer times for all endpoints; None if inconsistent."""

    def possible(self, source: int, target: int, within: int) -> int:
        """Return some atoms of ``within`` that can hold between two entities; 0 if none can."""

    def relation(self, source: int, target: int) -> int:
        """Return all atoms that can hold."""

    def table(self) -> Sequence[Sequence[int]]:
        """Return all atoms that can hold, for every pair."""


class DecidingEngine(Protocol):
    """An engine that takes the place of the endpoint graph and all that is built on it."""

    @property
    def name(self) -> str: ...

    def decider(self, network: Network, budget: Budget) -> Decider | None:
        """Return what answers questions about a network; None if it is found to be inconsistent at once."""


class Judged:
    """The links of one document with everything that is known about them.

    >>> judged = Judged(Network.of([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]))
    >>> judged.is_consistent(), judged.decided_by
    (False, 'graph')

    ``engine`` decides everything instead of the endpoint graph and what is built on it.
    """

    def __init__(
        self,
        network: Network,
        budget: Budget | None = None,
        engine: DecidingEngine | None = None,
    ) -> None:
        self.network = network
        self.budget = budget or Budget()
        self.engine = engine
        self._found: dict[Hashable, Any] = {}

    def once(self, find: Callable[..., Found], *about: Hashable) -> Found:
        """Return ``find(self, *about)``: what a function finds out about these links. It is asked only once."""
        key = (find, *about)
        if key not in self._found:
            self._found[key] = find(self, *about)
        found: Found = self._found[key]
        return found

    @cached_property
    def is_convex(self) -> bool:
        """Whether every link is convex. Then no solver is ever needed."""
        return is_convex(self.network.constraints)

    @cached_property
    def decider(self) -> Decider | None:
        """What answers questions: the closed graph if it is exact; None if the graph shows a contradiction."""
        if self.engine is not None:
            return self.engine.decider(self.network, self.budget)
        size, constraints = len(self.network.entities), self.network.constraints
        try:
            if self.is_large:
                from temporacle.reasoner.points.large import LargeGraph  # loads numpy

                return LargeGraph.of_all(self.network, self.budget)
            tightened = tighten(size, constraints, self.budget)
        except Contradiction:
            return None
        return Residual(tightened, self.budget) if tightened.residual else tightened.closure

    @cached_property
    def model(self) -> list[int] | None:
        """Integer times of all endpoints; None if inconsistent. Convex links need no closure for that."""
        size, constraints = len(self.network.entities), self.network.constraints
        if self._decided_without_closure and "decider" not in self.__dict__:
            if not self.is_convex:
                return model_by_splitting(size, constraints, self.budget)
            try:
                return model_of(graph_of(size, constraints).condense())
            except Contradiction:
                return None
        return None if self.decider is None else self.decider.model()

    @property
    def is_large(self) -> bool:
        """Whether questions are answered without a closure."""
        return self.engine is None and len(self.network.entities) > _MOST_ROWS and self.is_convex

    @property
    def _decided_without_closure(self) -> bool:
        """Whether consistency is decided by putting endpoints in order, once or several times."""
        return self.engine is None and (self.is_convex or len(self.network.entities) > _MOST_CLOSED)

    @property
    def decided_by(self) -> str:
        """What decided consistency: the graph alone, or the method for the disjunctions that it left open.

        ``graph``, ``cases``, ``path-consistency`` or ``cdcl``; docs/reasoner.md says when which one runs.
        The name of the engine, if another than exact was asked for. Raises BudgetExceeded when consistency is
        undecided.
        """
        if self.engine is not None:
            self.is_consistent()
            return self.engine.name
        if self._decided_without_closure or self.decider is None or isinstance(self.decider, Closure):
            return "graph"
        if not isinstance(self.decider, Residual):
            raise InternalError("it is not known what decided about these links")
        if not self.decider.decided_by:
            self.decider.model()
        return self.decider.decided_by

    def is_consistent(self) -> bool:
        """Return whether the links are consistent. Raise BudgetExceeded if undecided."""
        return self.model is not None

    def witness(self) -> Witness:
        """Return integer times for all entities, checked against every link.

        Raise UsageError if the document is inconsistent.
        """
        if self.model is None:
            raise UsageError("an inconsistent document has no witness; ask consistency() first")
        return checked_witness(self.network, self.model)

    def of(self, links: Iterable[Link], entities: Iterable[str] = ()) -> Judged:
        """Return the judged value of other links, with this budget and engine."""
        return Judged(Network(links, entities), self.budget, self.engine)

    def table(self) -> PairTable | None:
        """Return the strongest relation of every pair; None if inconsistent. Raise BudgetExceeded if undecided."""
        if self.decider is None or not self.is_consistent():
            return None
        return PairTable(self.network.entities, self.decider.table())

    def listed(self) -> PairTable | None:
        """Return the table of all pairs to list as far as the time goes: rows of a large one are found one by one."""
        if self.is_large and self.is_consistent():
            from temporacle.reasoner.points.large import LargeGraph

            if isinstance(self.decider, LargeGraph):
                return PairTable(self.network.entities, self.decider.some_rows())
        return self.table()


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the closure by the ``exact`` engine."""
    return Judged(network, budget).table()


def is_consistent(network: Network, budget: Budget) -> bool:
    """Return whether the links are consistent. Raise BudgetExceeded if undecided."""
    return Judged(network, budget).is_consistent()


def checked_witness(network: Network, times: Sequence[int]) -> Witness:
    """Return times by entity name, after a check against every original link."""
    witness = {name: (times[2 * i], times[2 * i + 1]) for i, name in enumerate(network.entities)}
    broken = next((link for link in network.links if not holds_in(witness, link)), None)
    if broken is not None or any(start >= end for start, end in witness.values()):
        raise InternalError(f"a computed witness breaks the links (first: {broken}); please report this document")
    return witness


def holds_in(witness: Mapping[str, tuple[int, int]], link: Link) -> bool:
    """Return whether a link holds at given times, directly by the definition of the atoms."""
    return atom_holding(witness[link.source], witness[link.target]) in Relation(link.relation).atoms
