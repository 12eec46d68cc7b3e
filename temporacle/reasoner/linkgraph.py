"""The graph of a document's links for judging many links at once: by a closure, or without one if it is large.

``GrowingGraph`` and ``LargeGraph`` give the same answers to the same three questions: what the links before each link
say about it, which links follow from all of them, and what follows about pairs. So does ``EngineGraph``, which asks
another engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import atoms_in, convex_hull, subrelations_of_class
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.growing import IncrementalClosure
from temporacle.reasoner.points.hulls import is_convex
from temporacle.reasoner.reference.engines import require_size
from temporacle.relation import Relation, atom_holding
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.points.large import LargeGraph
    from temporacle.results import Witness

# ----------------------------------------------------------------------------------------------------
# Links that come one after the other, each judged by those before it: entailed, refuted, or open.
#
# Two closures grow with the links, and enclose the truth about every pair:
#
#     hulls   of the convex hulls of the links: what they rule out is impossible
#     case    of convex relations *inside* the links, around one model: what they allow is possible, since every model
#             of the case is a model of the links
#
# As long as no disjunction was added the two are the same, and exact. After that they decide most questions between
# them; an Oracle over the links added so far decides the rest. The model is one of the whole document if it has one, so
# that the case never has to be given up while the document's own links are added.

Constraint = tuple[int, int, int]  # source, mask, target


class GrowingGraph:
    """Some links of a document, and an exact verdict about any other. Links of every class.

    >>> network = Network.of([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c"), ("c", "BEFORE", "a")])
    >>> graph = GrowingGraph(network)
    >>> graph.add(0), graph.add(1)
    (None, None)
    >>> graph.verdict(network.constraints[2]), graph.verdict(network.constraints[3])
    (<Verdict.ENTAILED: 'entailed'>, <Verdict.REFUTED: 'refuted'>)
    """

    def __init__(self, network: Network, budget: Budget | None = None) -> None:
        self.network = network
        self.budget = budget or Budget()
        self._hulls = IncrementalClosure(len(network.entities))
        self._added: list[int] = []
        self._disjunctive = False
        self._case: _Case | None = None
        self._oracle: Oracle | None = None

    def add(self, position: int) -> None:
        """Add the network's link at a position. It must not contradict those added before."""
        source, mask, target = self.network.constraints[position]
        self._hulls.add(source, mask, target)
        self._added.append(position)
        self._oracle = None
        if convex_hull(mask) != mask:
            self._disjunctive = True
        if self._case is not None and not self._case.add(source, mask, target):
            self._case = None

    def verdict(self, constraint: Constraint) -> Verdict:
        """Return the verdict of the links added so far about (source, mask, target).

        Raise BudgetExceeded if undecided.
        """
        source, mask, target = constraint
        at_most = self._hulls.relation(source, target)
        if not at_most & ~mask:
            return Verdict.ENTAILED
        if not at_most & mask:
            return Verdict.REFUTED
        if not self._disjunctive or not self._hulls.connected(source, target):
            return Verdict.OPEN
        at_least = self._possible(source, target)
        if at_least & mask and at_least & ~mask:
            return Verdict.OPEN
        names = self.network.entities
        verdict = self.oracle().entails(names[source], Relation(mask), names[target])
        if verdict is Verdict.UNDECIDED:
            raise BudgetExceeded(f"not decided within {self.budget.seconds:g} s")
        return verdict

    def entails(self, constraint: Constraint) -> bool:
        """Return whether the links added so far entail (source, mask, target). Raise BudgetExceeded if undecided."""
        source, mask, target = constraint
        if not self._hulls.relation(source, target) & ~mask:
            return True
        if not self._disjunctive or self._possible(source, target) & ~mask:
            return False
        return self.verdict(constraint) is Verdict.ENTAILED

    def strongest(self, source: int, target: int) -> int:
        """Return the strongest relation that follows for a pair."""
        at_most = self._hulls.relation(source, target)
        if not self._disjunctive or at_most == self._possible(source, target):
            return at_most
        return int(self.oracle().strongest(self.network.entities[source], self.network.entities[target]))

    def walk(self, positions: Sequence[int]) -> list[Verdict]:
        """Return the verdict about each link in turn, and add it if it is open. Raise BudgetExceeded if undecided."""
        constraints = [self.network.constraints[position] for position in positions]
        if self._disjunctive or not is_convex(constraints):
            return [self._judged(position) for position in positions]
        verdicts = self._hulls.walk(constraints)  # exact without disjunctions
        is_open = Verdict.OPEN
        self._added += [position for position, found in zip(positions, verdicts, strict=True) if found is is_open]
        self._oracle = None
        return verdicts

    def _judged(self, position: int) -> Verdict:
        verdict = self.verdict(self.network.constraints[position])
        if verdict is Verdict.OPEN:
            self.add(position)
        return verdict

    def entails_each(self, constraints: Iterable[Constraint]) -> list[bool]:
        """Return which of these the links added so far entail. Raise BudgetExceeded if undecided."""
        if self._disjunctive:
            return [self.entails(constraint) for constraint in constraints]
        relation = self._hulls.relation  # exact without disjunctions
        return [not relation(source, target) & ~mask for source, mask, target in constraints]

    def strongest_each(self, pairs: Iterable[tuple[int, int]]) -> list[int]:
        """Return the strongest relation that follows for each pair."""
        return [self.strongest(source, target) for source, target in pairs]

    def oracle(self) -> Oracle:
        """Return an oracle for all other questions about the links added so far."""
        if self._oracle is None:
            links = [self.network.links[position] for position in self._added]
            self._oracle = Oracle(Network(links, self.network.entities), budget=self.budget)
        return self._oracle

    def _possible(self, source: int, target: int) -> int:
        """Return atoms that are known to be possible for a pair."""
        if self._case is None:
            whole = Oracle(self.network, budget=self.budget)
            model = (whole if whole.is_consistent() else self.oracle()).witness()
            self._case = _Case(self.network, model)
            for position in self._added:
                self._case.add(*self.network.constraints[position])
        return self._case.possible(source, target)


class _Case:
    """Convex relations inside links, around a model that satisfies all or most of them."""

    def __init__(self, network: Network, model: Witness) -> None:
        self._times = [model[name] for name in network.entities]
        self._closure = IncrementalClosure(len(network.entities))

    def add(self, source: int, mask: int, target: int) -> bool:
        """Narrow the case to a link; False if the link cannot be true in it, which spoils it."""
        if source == target:
            return True
        allowed = self._closure.relation(source, target) & mask
        if not allowed:
            return False
        modelled = int(Relation.of(atom_holding(self._times[source], self._times[target])))
        atom = atoms_in(allowed & modelled or allowed)[0]
        self._closure.add(source, subrelations_of_class(mask, atom, pointisable=False)[0], target)
        return True

    def possible(self, source: int, target: int) -> int:
        return self._closure.relation(source, target)


class EngineGraph:
    """A graph decided by another engine alone, which is asked anew for every link. Links of every class."""

    def __init__(self, network: Network, budget: Budget, engine: str) -> None:
        """Raise TooLargeForEngine if the engine is not made for so many entities."""
        require_size(engine, len(network.entities))
        self.network, self.budget, self.engine = network, budget, engine
        self._oracle = self._about(())

    def walk(self, positions: Sequence[int]) -> list[Verdict]:
        """Return the verdict about each link in turn, and add it if it is open. Raise BudgetExceeded if undecided."""
        added: list[int] = []
        verdicts: list[Verdict] = []
        for position in positions:
            verdicts.append(self._verdict(self.network.constraints[position]))
            if verdicts[-1] is Verdict.OPEN:
                added.append(position)
                self._oracle = self._about(added)
        return verdicts

    def entails_each(self, constraints: Iterable[Constraint]) -> list[bool]:
        """Return which of these the links added so far entail. Raise BudgetExceeded if undecided."""
        return [self._verdict(constraint) is Verdict.ENTAILED for constraint in constraints]

    def strongest_each(self, pairs: Iterable[tuple[int, int]]) -> list[int]:
        """Return the strongest relation that follows for each pair."""
        names = self.network.entities
        return [int(self._oracle.strongest(names[source], names[target])) for source, target in pairs]

    def _about(self, positions: Iterable[int]) -> Oracle:
        links = [self.network.links[position] for position in positions]
        return Oracle(Network(links, self.network.entities), budget=self.budget, engine=self.engine)

    def _verdict(self, constraint: Constraint) -> Verdict:
        source, mask, target = constraint
        names = self.network.entities
        verdict = self._oracle.entails(names[source], Relation(mask), names[target])
        if verdict is Verdict.UNDECIDED:
            raise BudgetExceeded(f"not decided within {self.budget.seconds:g} s")
        return verdict


def graph_for(network: Network, budget: Budget, engine: str = "exact") -> GrowingGraph | LargeGraph | EngineGraph:
    """Return the graph for judging the links of a document."""
    if engine != "exact":
        return EngineGraph(network, budget, engine)
    if not Judged(network, budget).is_large:
        return GrowingGraph(network, budget)
    from temporacle.reasoner.points.large import LargeGraph

    return LargeGraph(network, budget)
