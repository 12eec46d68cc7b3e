"""The oracle: consistency and entailment, decided exactly.

    1  all links convex (or pointisable): the endpoint graph answers everything          pointgraph
    2  otherwise hull closure settles what it can                                        tighten
    3  CP-SAT decides the disjunctions that are left                                     residual, cpsat

Each answer is exact or UNKNOWN; every witness is checked against all original links before it is handed out.
Deterministic: the same links in the same order give the same answers and the same witness.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.readings import load_reading
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.network import Budget, Network, PairTable, Statement
from temporacle.reasoner.pointgraph import Closure, Contradiction, model_of
from temporacle.reasoner.residual import Residual
from temporacle.reasoner.tighten import Tightened, graph_of, is_convex, tighten
from temporacle.relation import Relation, atom_holding
from temporacle.results import Consistency, Consistent, Inconsistent, Undecided, Verdict, Witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.model import Document, Link


class Oracle:
    """Answers about the links of one document.

    >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "INCLUDES|BEFORE", "c"), ("c", "AFTER", "a")])
    >>> oracle.entails("a", "BEFORE", "c")
    <Verdict.ENTAILED: 'entailed'>
    >>> oracle.strongest("b", "c")
    Relation('b|di')
    >>> oracle.consistency().witness["a"]
    (0, 1)

    ``budget`` is in seconds for all questions together; None never gives up.
    """

    def __init__(
        self, source: Network | Document | Iterable[Statement], *, budget: float | Budget | None = None
    ) -> None:
        self.network = Network.of(source)
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)

    # --- what is computed once --------------------------------------------------------------------------------------

    @cached_property
    def is_convex(self) -> bool:
        """Whether every link is convex: then no solver is ever needed."""
        return is_convex(self.network.constraints)

    @cached_property
    def _convex_model(self) -> list[int] | None:
        """For convex links: integer times of all endpoints, None if there are none. Needs no closure."""
        try:
            return model_of(graph_of(len(self.network.entities), self.network.constraints).condense())
        except Contradiction:
            return None

    @cached_property
    def _tightened(self) -> Tightened | None:
        try:
            return tighten(len(self.network.entities), self.network.constraints, self._budget)
        except Contradiction:
            return None

    @cached_property
    def _residual(self) -> Residual | None:
        """Set where disjunctions are left after hull closure."""
        tightened = self._tightened
        return Residual(tightened, self._budget) if tightened is not None and tightened.residual else None

    @cached_property
    def _model(self) -> list[int] | None:
        """Integer times of all endpoints, None if inconsistent."""
        if self.is_convex:
            return self._convex_model
        if self._tightened is None:
            return None
        if self._residual is None:
            return self._tightened.closure.model()
        case = self._residual.first_case()
        return None if case is None else case.model()

    # --- consistency ------------------------------------------------------------------------------------------------

    @property
    def decided_by(self) -> str:
        """Which engine settles consistency: the graph alone, or CP-SAT for what the graph leaves open."""
        return "graph" if self.is_convex or self._residual is None else "cpsat"

    def consistency(self, *, explain: bool = True) -> Consistency:
        """Whether all links can be true together, with a witness or a minimal conflict.

        Without ``explain`` an inconsistent document gets an empty conflict, which saves the search for it.
        """
        try:
            if self._model is not None:
                return Consistent(self.witness(), self.decided_by)
            conflict: tuple[Link, ...] = ()
            if explain:
                from temporacle.reasoner.conflicts import minimal_conflict

                conflict = minimal_conflict(self.network, self._budget)
            return Inconsistent(conflict, self.decided_by)
        except BudgetExceeded as limit:
            return Undecided(str(limit))

    def is_consistent(self) -> bool:
        """Plain yes or no; raises BudgetExceeded when undecided."""
        return self._model is not None

    def witness(self) -> Witness:
        """Integer times for all entities, checked against every link. Raises if there are none."""
        if self._model is None:
            raise Contradiction
        return checked_witness(self.network, self._model)

    # --- entailment -------------------------------------------------------------------------------------------------

    def entails(self, source: str, relation: str | Relation, target: str) -> Verdict:
        """Whether ``source relation target`` holds in every model, in none, or in some.

        An inconsistent document has no model: everything is REFUTED. Ask ``consistency()`` first.
        """
        mask = int(load_reading("links").relation(relation) if isinstance(relation, str) else relation)
        i, j = self.network.number(source), self.network.number(target)
        try:
            holds = bool(self._possible(i, j, mask))
            fails = bool(self._possible(i, j, ALL & ~mask))
        except BudgetExceeded:
            return Verdict.UNKNOWN
        if not holds:
            return Verdict.REFUTED
        return Verdict.OPEN if fails else Verdict.ENTAILED

    def countermodel(self, source: str, relation: Relation, target: str) -> Witness | None:
        """A model in which ``source relation target`` does not hold, None if there is none."""
        links: list[Statement] = [*self.network.links, (source, ~relation, target)]
        world = Oracle(
            Network((*self.network.links, *Network.of(links[-1:]).links), self.network.entities), budget=self._budget
        )
        return world.witness() if relation != ALL and world.is_consistent() else None

    def strongest(self, source: str, target: str) -> Relation:
        """The smallest relation that is entailed for a pair; empty if the document is inconsistent.

        Raises BudgetExceeded when undecided.
        """
        return Relation(self._relation(self.network.number(source), self.network.number(target)))

    def minimal_network(self) -> PairTable | None:
        """The strongest relation of every pair; None if inconsistent. Raises BudgetExceeded when undecided."""
        if not self.is_consistent():
            return None
        rows: Sequence[Sequence[int]]
        rows = self._residual.table() if self._residual is not None else self.closure().table()
        return PairTable(self.network.entities, rows)

    def closure(self) -> Closure:
        """The closed endpoint graph. Exact only where no disjunction is left; raises Contradiction if inconsistent."""
        if self._tightened is None:
            raise Contradiction
        return self._tightened.closure

    def _possible(self, source: int, target: int, within: int) -> int:
        """Some atoms of ``within`` that are possible for a pair; 0 if none is."""
        if self._tightened is None:
            return 0
        if self._residual is not None:
            return self._residual.possible(source, target, within)
        return self._tightened.closure.relation(source, target) & within

    def _relation(self, source: int, target: int) -> int:
        if self._tightened is None:
            return 0
        if self._residual is not None:
            return self._residual.relation(source, target) if self._residual.first_case() is not None else 0
        return self._tightened.closure.relation(source, target)


def checked_witness(network: Network, times: Sequence[int]) -> Witness:
    """Times by entity name, after a check against every link as stated."""
    witness = {name: (times[2 * i], times[2 * i + 1]) for i, name in enumerate(network.entities)}
    broken = next((link for link in network.links if not holds_in(witness, link)), None)
    if broken is not None or any(start >= end for start, end in witness.values()):
        raise InternalError(f"a computed witness breaks the links (first: {broken}); please report this document")
    return witness


def holds_in(witness: Mapping[str, tuple[int, int]], link: Link) -> bool:
    """Whether a link is true of given times: straight from the definition of the atoms."""
    return atom_holding(witness[link.source], witness[link.target]) in Relation(link.relation).atoms


def closure(network: Network, budget: Budget) -> PairTable | None:
    """The ``exact`` engine."""
    return Oracle(network, budget=budget).minimal_network()
