"""The oracle: consistency and entailment, decided exactly.

    1  all links convex (or pointisable): the endpoint graph answers everything          pointgraph
       closed, or by searches if it is large                                             searchedgraph, searchedrows
    2  otherwise hull closure settles what it can                                        tighten
    3  the disjunctions that are left are decided on their own endpoints                 residual
       by cases, by path consistency and search, or by CP-SAT                            casesplit, search, cpsat

Consistency of a graph too large to close is decided by cases                            splitting

Each answer is exact or UNKNOWN; every witness is checked against all original links before it is handed out.
Deterministic: the same links in the same order give the same answers and the same witness.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.model import Document, Link
from temporacle.readings import Reading, load_reading
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.network import Budget, Network, NotMinimal, PairTable
from temporacle.reasoner.pointgraph import Closure, Contradiction, model_of
from temporacle.reasoner.residual import Residual
from temporacle.reasoner.searchedgraph import SearchedGraph
from temporacle.reasoner.splitting import model_by_splitting
from temporacle.reasoner.tighten import graph_of, is_convex, tighten
from temporacle.relation import Relation, atom_holding
from temporacle.results import Consistency, Consistent, Inconsistent, Undecided, Verdict, Witness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from temporacle.model import Statement
    from temporacle.results import Certificate, Fact, Repair, Unrepairable


_MOST_CLOSED_FOR_A_PAIR = 1_000  # entities; above, pairs are searched for until many have been asked about
_MOST_CLOSED = 20_000  # entities; closing them takes seconds and 200 MB


class Decider(Protocol):
    """Answers questions about numbered entities, once the graph alone has shown no contradiction."""

    def model(self) -> list[int] | None:
        """Return integer times for all endpoints; None if inconsistent."""

    def possible(self, source: int, target: int, within: int) -> int:
        """Return some atoms of ``within`` that can hold between two entities; 0 if none can."""

    def relation(self, source: int, target: int) -> int:
        """Return all atoms that can hold."""

    def table(self) -> Sequence[Sequence[int]]:
        """Return the same for every pair."""


class Oracle:
    """Answers about the links of one document.

    >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "INCLUDES|BEFORE", "c"), ("c", "AFTER", "a")])
    >>> oracle.entails("a", "BEFORE", "c")
    <Verdict.ENTAILED: 'entailed'>
    >>> oracle.strongest("b", "c")
    Relation('b|di')
    >>> oracle.consistency().witness["a"]
    (0, 1)

    ``budget`` is in seconds for all questions together; None never gives up. ``engine="cpsat"`` asks CP-SAT alone about
    everything: slow, and independent of the endpoint graph. Labels in questions mean what they mean in the document;
    ``reading`` replaces that.
    """

    def __init__(
        self,
        source: Network | Document | Iterable[Statement],
        *,
        budget: float | Budget | None = None,
        engine: str = "exact",
        reading: Reading | None = None,
    ) -> None:
        if engine not in ("exact", "cpsat"):
            raise UsageError(f"the oracle has no engine {engine!r}: choose exact or cpsat")
        self.network = Network.of(source)
        own = source.reading if isinstance(source, Document) else load_reading("links")
        self._labels = (reading or own).with_atoms()
        self._engine = engine
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)

    # --- what is computed once --------------------------------------------------------------------------------------

    @cached_property
    def is_convex(self) -> bool:
        """Return whether every link is convex. Then no solver is ever needed."""
        return is_convex(self.network.constraints)

    @cached_property
    def _decider(self) -> Decider | None:
        """Return the closed graph if it is exact, CP-SAT if it is not; None if the graph shows a contradiction."""
        if self._engine == "cpsat":
            from temporacle.reasoner.fullmodel import FullModel

            return FullModel(self.network, self._budget)
        try:
            if self.is_convex and len(self.network.entities) > _MOST_CLOSED_FOR_A_PAIR:
                return SearchedGraph(graph_of(len(self.network.entities), self.network.constraints), self._budget)
            tightened = tighten(len(self.network.entities), self.network.constraints, self._budget)
        except Contradiction:
            return None
        return Residual(tightened, self._budget) if tightened.residual else tightened.closure

    @cached_property
    def _model(self) -> list[int] | None:
        """Return integer times of all endpoints; None if inconsistent. Convex links need no closure for that."""
        size, constraints = len(self.network.entities), self.network.constraints
        if self._decided_without_closure and "_decider" not in self.__dict__:
            if not self.is_convex:
                return model_by_splitting(size, constraints, self._budget)
            try:
                return model_of(graph_of(size, constraints).condense())
            except Contradiction:
                return None
        return None if self._decider is None else self._decider.model()

    @property
    def _decided_without_closure(self) -> bool:
        """Return whether consistency is decided by putting endpoints in order, once or several times."""
        return self._engine == "exact" and (self.is_convex or len(self.network.entities) > _MOST_CLOSED)

    # --- consistency ------------------------------------------------------------------------------------------------

    @property
    def decided_by(self) -> str:
        """Return what decided consistency: the graph alone, or the method for the disjunctions that it left open.

        ``graph``, ``cases``, ``path-consistency``, ``cdcl`` or ``cpsat``; docs/reasoner.md says when which one runs.
        Raises BudgetExceeded when consistency is undecided.
        """
        if self._decided_without_closure or self._decider is None or isinstance(self._decider, Closure):
            return "graph"
        if not isinstance(self._decider, Residual):
            return "cpsat"
        if not self._decider.decided_by:
            self._decider.model()
        return self._decider.decided_by

    def consistency(self, *, explain: bool = True) -> Consistency:
        """Return whether all links can be true together, with a witness or a minimal conflict.

        Without ``explain`` an inconsistent document gets an empty conflict, which saves the search for it. If the
        budget ends during that search, the answer itself is known: the conflict is marked as not minimal, or empty if
        there is none yet.
        """
        try:
            if self._model is not None:
                return Consistent(self.witness(), self.decided_by)
            conflict: tuple[Fact, ...] = ()
            minimal = True
            if explain:
                from temporacle.reasoner.conflicts import minimal_conflict

                try:
                    conflict = minimal_conflict(self.network, self._budget)
                except NotMinimal as unfinished:
                    conflict, minimal = unfinished.facts, False
                except BudgetExceeded:
                    pass  # the verdict stands without a conflict
            return Inconsistent(conflict, self.decided_by, minimal)
        except BudgetExceeded as limit:
            return Undecided(str(limit))

    def is_consistent(self) -> bool:
        """Return whether the links are consistent. Raise BudgetExceeded if undecided."""
        return self._model is not None

    def witness(self) -> Witness:
        """Return integer times for all entities, checked against every link.

        Raise UsageError if the document is inconsistent.
        """
        if self._model is None:
            raise UsageError("an inconsistent document has no witness; ask consistency() first")
        return checked_witness(self.network, self._model)

    def repair(self, *, protect: Collection[str] = ()) -> Repair | Unrepairable:
        """Return the lightest links to drop so that the rest is consistent. ``protect`` lists ids and labels that must
        stay.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")])
        >>> [link.id for link in oracle.repair(protect=["l1"]).dropped]
        ['l2']
        """
        from temporacle.reasoner.repair import named_in, repair

        return repair(self.network, self._budget, named_in(protect))

    def certificate(self, query: tuple[str, str | Relation, str] | None = None) -> Certificate:
        """Return a proof of (in)consistency, or about ``query``, that ``temporacle verify`` can check."""
        from temporacle.reasoner.certificates import certify, certify_entailment
        from temporacle.reasoner.confirmed import confirmed

        if query is None:
            return confirmed(certify(self.network, self._budget))
        source, relation, target = query
        for entity in (source, target):
            self.network.number(entity)  # refuses unknown ones
        return confirmed(certify_entailment(self.network, source, self.relation(relation), target, self._budget))

    def repair_certificate(self, *, protect: Collection[str] = ()) -> Certificate | Unrepairable:
        """Return a proof that ``repair`` is one, and that no lighter one exists."""
        from temporacle.reasoner.confirmed import confirmed
        from temporacle.reasoner.repair import grounded_repair, named_in
        from temporacle.reasoner.repairproof import certify_repair
        from temporacle.results import Unrepairable

        found = grounded_repair(self.network, self._budget, named_in(protect))
        if isinstance(found, Unrepairable):
            return found
        return confirmed(certify_repair(self.network, found, self._budget))

    # --- entailment -------------------------------------------------------------------------------------------------

    def relation(self, asked: str | Relation) -> Relation:
        """Return the relation of a question: a relation, or labels of the reading and atoms joined by ``|``."""
        return self._labels.relation(asked) if isinstance(asked, str) else asked

    def entails(self, source: str, relation: str | Relation, target: str) -> Verdict:
        """Return whether ``source relation target`` holds in every model, in none, or in some.

        An inconsistent document has no model: everything is REFUTED. Ask ``consistency()`` first.
        """
        mask = int(self.relation(relation))
        i, j = self.network.number(source), self.network.number(target)
        try:
            if self._decider is None or not self._decider.possible(i, j, mask):
                return Verdict.REFUTED
            return Verdict.OPEN if self._decider.possible(i, j, ALL & ~mask) else Verdict.ENTAILED
        except BudgetExceeded:
            return Verdict.UNKNOWN

    def countermodel(self, source: str, relation: Relation, target: str) -> Witness | None:
        """Return a model in which ``source relation target`` does not hold; None if there is none."""
        self.network.number(source)
        self.network.number(target)
        negated = Link("negated", source, ~relation, target)
        world = Oracle(Network((*self.network.links, negated), self.network.entities), budget=self._budget)
        return world.witness() if world.is_consistent() else None

    def strongest(self, source: str, target: str) -> Relation:
        """Return the smallest relation that is entailed for a pair; empty if the document is inconsistent.

        Raises BudgetExceeded when undecided.
        """
        i, j = self.network.number(source), self.network.number(target)
        return Relation(0 if self._decider is None else self._decider.relation(i, j))

    def minimal_network(self) -> PairTable | None:
        """Return the strongest relation of every pair; None if inconsistent. Raise BudgetExceeded if undecided."""
        if self._decider is None or not self.is_consistent():
            return None
        return PairTable(self.network.entities, self._decider.table())


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


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the closure by the ``exact`` engine."""
    return Oracle(network, budget=budget).minimal_network()
