"""The oracle: questions about the links of one document, answered exactly by its judged value.

Each answer is exact or UNDECIDED.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Document, Link
from temporacle.readings import Reading, load_reading
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.conflicts.all_conflicts import all_conflicts_and_repairs
from temporacle.reasoner.conflicts.conflicts import conflict_of
from temporacle.reasoner.conflicts.reasons import links_behind
from temporacle.reasoner.conflicts.repair import GroundedRepair, repair_grounds, repair_of, repaired
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network, NotMinimal, PairTable
from temporacle.reasoner.proofs.certificate import certify, certify_entailment, confirmed
from temporacle.reasoner.reference.engines import deciding_engine, require_exact
from temporacle.relation import Relation
from temporacle.results import Consistency, Consistent, Inconsistent, Undecided, Unrepairable, Verdict, Witness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from temporacle.model import Statement
    from temporacle.results import Certificate, Fact, Repair


class FactOracle:
    """What oracles have in common, whatever facts they know: links, or links and values."""

    _labels: Reading

    @property
    def decided_by(self) -> str:
        """Return what decided consistency. Raise BudgetExceeded when it is undecided."""
        raise NotImplementedError

    def is_consistent(self) -> bool:
        """Return whether all facts can be true together. Raise BudgetExceeded if undecided."""
        raise NotImplementedError

    def witness(self) -> Witness:
        """Return times of all entities, checked against every fact. Raise UsageError if there are none."""
        raise NotImplementedError

    def conflict(self) -> tuple[Fact, ...]:
        """Return a minimal conflict of inconsistent facts: the smallest where that can be known."""
        raise NotImplementedError

    def number(self, name: str) -> int:
        """Return the number of an entity. Raise UsageError if none is known under this name."""
        raise NotImplementedError

    def possible(self, source: int, target: int, within: int) -> int:
        """Return some atoms of ``within`` that can hold between numbered entities; 0 if none can."""
        raise NotImplementedError

    def consistency(self, *, explain: bool = True) -> Consistency:
        """Return whether all facts can be true together, with a witness or a minimal conflict.

        Without ``explain`` an inconsistent document gets an empty conflict, which saves the search for it. If the
        budget ends during that search, the answer itself is known: the conflict is marked as not minimal, or empty if
        there is none yet.
        """
        try:
            if self.is_consistent():
                return Consistent(self.witness(), self.decided_by)
            conflict: tuple[Fact, ...] = ()
            minimal = True
            if explain:
                try:
                    conflict = self.conflict()
                except NotMinimal as unfinished:
                    conflict, minimal = unfinished.facts, False
                except BudgetExceeded:
                    pass  # the verdict stands without a conflict
            return Inconsistent(conflict, self.decided_by, minimal)
        except BudgetExceeded as limit:
            return Undecided(str(limit))

    def relation(self, asked: str | Relation) -> Relation:
        """Return the relation of a question: a relation, or labels of the reading and atoms joined by ``|``."""
        return self._labels.relation(asked) if isinstance(asked, str) else asked

    def entails(self, source: str, relation: str | Relation, target: str) -> Verdict:
        """Return whether ``source relation target`` holds in every model, in none, or in some.

        An inconsistent document has no model: everything is REFUTED. Ask ``consistency()`` first.
        """
        mask = int(self.relation(relation))
        i, j = self.number(source), self.number(target)
        try:
            if not self.possible(i, j, mask):
                return Verdict.REFUTED
            return Verdict.OPEN if self.possible(i, j, ALL & ~mask) else Verdict.ENTAILED
        except BudgetExceeded:
            return Verdict.UNDECIDED


class Oracle(FactOracle):
    """Answers about the links of one document.

    >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "INCLUDES|BEFORE", "c"), ("c", "AFTER", "a")])
    >>> oracle.entails("a", "BEFORE", "c")
    <Verdict.ENTAILED: 'entailed'>
    >>> oracle.strongest("b", "c")
    Relation('b|di')
    >>> oracle.consistency().witness["a"]
    (0, 1)

    ``budget`` is in seconds for all questions together; None never gives up. ``engine="cpsat"`` asks CP-SAT alone about
    everything, ``engine="enumeration"`` lists the orders of a few entities: both are slow, and independent of the
    endpoint graph. Repairs and certificates are made by ``exact`` alone. Labels in questions mean what they mean in
    the document; ``reading`` replaces that.
    """

    def __init__(
        self,
        source: Network | Document | Iterable[Statement],
        *,
        budget: float | Budget | None = None,
        engine: str = "exact",
        reading: Reading | None = None,
    ) -> None:
        chosen = deciding_engine(engine)
        self.network = Network.of(source)
        own = source.reading if isinstance(source, Document) else load_reading("links")
        self._labels = (reading or own).with_atoms()
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)
        self.judged = Judged(self.network, self._budget, chosen)

    @property
    def is_convex(self) -> bool:
        """Return whether every link is convex. Then no solver is ever needed."""
        return self.judged.is_convex

    # --- consistency ------------------------------------------------------------------------------------------------

    @property
    def decided_by(self) -> str:
        return self.judged.decided_by

    def is_consistent(self) -> bool:
        return self.judged.is_consistent()

    def witness(self) -> Witness:
        return self.judged.witness()

    def conflict(self) -> tuple[Fact, ...]:
        return tuple(self.network.links[number] for number in conflict_of(self.judged))

    def repair(self, *, protect: Collection[str] = ()) -> Repair | Unrepairable:
        """Return the lightest links to drop so that the rest is consistent. ``protect`` lists ids and labels that must
        stay.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")])
        >>> [link.id for link in oracle.repair(protect=["l1"]).dropped]
        ['l2']
        """
        self.require_exact("repairs")
        return repaired(self.judged, protect)

    def conflicts(self, limit: int | None = None) -> Iterator[tuple[Link, ...]]:
        """Yield all minimal conflicts, each once, or as many as the limit says. There may be very many.

        Raises BudgetExceeded once the time is over.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "AFTER", "b")])
        >>> sorted([link.id for link in conflict] for conflict in oracle.conflicts())
        [['l1', 'l2'], ['l1', 'l3']]
        """
        self.require_exact("lists of all conflicts and repairs")
        found = (numbers for numbers, is_conflict in all_conflicts_and_repairs(self.judged) if is_conflict)
        for numbers in islice(found, limit):
            yield tuple(self.network.links[number] for number in numbers)

    def repairs(self, limit: int | None = None) -> Iterator[Repair]:
        """Yield all minimal repairs, each once, in no order of weight: sets of links to drop, each of them needed.

        Raises BudgetExceeded once the time is over.

        >>> oracle = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "AFTER", "b")])
        >>> sorted([link.id for link in repair.dropped] for repair in oracle.repairs())
        [['l1'], ['l2', 'l3']]
        """
        self.require_exact("lists of all conflicts and repairs")
        found = (numbers for numbers, is_conflict in all_conflicts_and_repairs(self.judged) if not is_conflict)
        for numbers in islice(found, limit):
            yield repair_of(GroundedRepair(tuple(numbers), None, frozenset()), self.network.links)

    def certificate(self, query: tuple[str, str | Relation, str] | None = None) -> Certificate:
        """Return a proof of (in)consistency, or about ``query``, that ``temporacle verify`` can check."""
        self.require_exact("certificates")
        if query is None:
            return confirmed(certify(self.judged))
        source, relation, target = query
        for entity in (source, target):
            self.network.number(entity)  # refuses unknown ones
        return confirmed(certify_entailment(self.judged, source, self.relation(relation), target))

    def repair_certificate(self, *, protect: Collection[str] = ()) -> Certificate | Unrepairable:
        """Return a proof that ``repair`` is one, and that no lighter one exists."""
        from temporacle.reasoner.proofs.cheapest import certify_repair  # loads numpy

        self.require_exact("certificates")
        found = repair_grounds(self.judged, protect)
        return (
            found if isinstance(found, Unrepairable) else confirmed(certify_repair(self.network, found, self._budget))
        )

    def require_exact(self, what: str) -> None:
        """Raise UsageError if another engine was chosen, which does not do this."""
        if self.judged.engine is not None:
            require_exact(self.judged.engine.name, what)

    # --- entailment -------------------------------------------------------------------------------------------------

    def number(self, name: str) -> int:
        return self.network.number(name)

    def possible(self, source: int, target: int, within: int) -> int:
        decider = self.judged.decider
        return 0 if decider is None else decider.possible(source, target, within)

    def countermodel(self, source: str, relation: Relation, target: str) -> Witness | None:
        """Return a model in which ``source relation target`` does not hold; None if there is none."""
        self.network.number(source)
        self.network.number(target)
        negated = Link("negated", source, ~relation, target)
        world = self.judged.of((*self.network.links, negated), self.network.entities)
        return world.witness() if world.is_consistent() else None

    def links_behind(self, source: str, relation: Relation, target: str) -> tuple[Link, ...]:
        """Return links that entail ``source relation target``, each of them needed, found by the chosen engine.

        InternalError if they do not entail it.
        """
        negated = Link("negated", source, ~relation, target)
        if self.judged.engine is None:
            return links_behind(self.network, source, relation, target, self._budget)
        world = self.judged.of((*self.network.links, negated), self.network.entities)
        if world.is_consistent():
            raise InternalError("reasons were asked for something that does not follow")
        return tuple(link for link in map(world.network.links.__getitem__, conflict_of(world)) if link is not negated)

    def strongest(self, source: str, target: str) -> Relation:
        """Return the smallest relation that is entailed for a pair; empty if the document is inconsistent.

        Raises BudgetExceeded when undecided.
        """
        i, j = self.network.number(source), self.network.number(target)
        return Relation(0 if self.judged.decider is None else self.judged.decider.relation(i, j))

    def minimal_network(self) -> PairTable | None:
        """Return the strongest relation of every pair; None if inconsistent. Raise BudgetExceeded if undecided."""
        return self.judged.table()
