"""Everything an editor of links asks about them, after each edit and before it is made.

A *moment* is a set of links. It answers from scratch where that is cheap: links that are all convex are decided by one
or two passes over the endpoint graph. What is expensive is kept by the *judge* for later moments: models, and
certificates that links follow or do not follow from others. Whatever is kept is compared with the links of the moment
before it is used, so the answers depend on these links alone, and not on the edits that led to them.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from temporacle.errors import InternalError
from temporacle.reasoner.conflicts import conflict_numbers
from temporacle.reasoner.holding import LinkArrays, with_times_for
from temporacle.reasoner.nearby import nearby_model
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reasons import PairReasons
from temporacle.reasoner.redundancy import RedundancyFinder
from temporacle.reasoner.repair import conflicts_without

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.holding import Times
    from temporacle.relation import Relation
    from temporacle.results import Repair, Unrepairable, Witness

_MODELS = 8  # that are kept
_TRIED = 2  # of them, to find another one nearby


class Judge:
    """Judges sets of links that have much in common. All answers raise BudgetExceeded rather than guess.

    >>> network = Network.of([("a", "b", "b"), ("b", "b", "c"), ("a", "b", "c")])
    >>> moment = Judge(Budget()).moment(network.links, network.entities)
    >>> moment.is_consistent, moment.redundant
    (True, frozenset({'l3'}))
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.finder = RedundancyFinder()
        self.models: deque[Times] = deque(maxlen=_MODELS)

    def moment(self, links: Iterable[Link], entities: Iterable[str]) -> Moment:
        """Return some links, to be asked about. What is kept is of use as long as entities come in the same order."""
        return Moment(self, links, entities)


class Moment:
    """The links of a document at one moment. Answers are worked out when they are first asked for."""

    def __init__(self, judge: Judge, links: Iterable[Link], entities: Iterable[str]) -> None:
        self.links = tuple(links)
        self._entities = tuple(entities)
        self._judge = judge

    @cached_property
    def network(self) -> Network:
        return Network(self.links, self._entities)

    @cached_property
    def _oracle(self) -> Oracle:
        return Oracle(self.network, budget=self._judge.budget)

    @cached_property
    def _models(self) -> Sequence[Times]:
        """Return times of all points with which every link is true: known ones, or a new one; () if inconsistent."""
        size, constraints = len(self.network.entities), self.network.constraints
        arrays = LinkArrays(constraints)
        known = [with_times_for(size, times) for times in self._judge.models]
        fitting = [times for times in known if not arrays.broken(times).size]
        if fitting:
            return fitting
        starts = (arrays.atoms(times).tolist() for times in known[:_TRIED])
        found = next(filter(None, (nearby_model(size, constraints, atoms) for atoms in starts)), None)
        if found is None:
            if not self._oracle.is_consistent():
                return ()
            found = [time for times in self._oracle.witness().values() for time in times]
        model = np.array(found, np.int64)
        if arrays.broken(model).size:
            raise InternalError("a computed model breaks the links")
        self._judge.models.appendleft(model)
        return (model,)

    @property
    def is_consistent(self) -> bool:
        """Return whether all links can be true."""
        return bool(self._models)

    @cached_property
    def conflicts(self) -> tuple[tuple[Link, ...], ...]:
        """Return minimal conflicts that share no link and without whose links the rest is consistent.

        The first is a smallest one where all links are convex. Links stand in the order of the document.
        """
        if self.is_consistent:
            return ()
        return tuple(tuple(self.links[number] for number in sorted(conflict)) for conflict in self._disjoint())

    def _disjoint(self) -> Iterator[list[int]]:
        budget = self._judge.budget
        found = [conflict_numbers(self.network, budget)]
        blamed: set[int] = set()
        while found:
            yield from found
            blamed.update(number for conflict in found for number in conflict)
            found = conflicts_without(self.network, blamed, budget)

    @cached_property
    def redundant(self) -> frozenset[str]:
        """Return the ids of the links that follow from all the others; none if the links are inconsistent."""
        if not self.is_consistent:
            return frozenset()
        follows = self._judge.finder.find(self.network, self._models, self._judge.budget)
        return frozenset(link.id for link, is_redundant in zip(self.links, follows, strict=True) if is_redundant)

    def strongest(self, source: str, target: str) -> Relation:
        """Return the smallest relation that follows for a pair; empty if the links are inconsistent."""
        return self._oracle.strongest(source, target)

    def reasons(self, source: str, target: str) -> PairReasons:
        """Return what tells the links behind a relation of a pair. The links must be consistent."""
        return PairReasons(self.network, source, target, self._judge.budget)

    @cached_property
    def witness(self) -> Witness | None:
        """Return times with which every link is true; None if there are none.

        They come from an oracle of their own: another one might know other times from earlier questions.
        """
        return Oracle(self.network, budget=self._judge.budget).witness() if self.is_consistent else None

    def repair(self) -> Repair | Unrepairable:
        """Return the lightest links to drop."""
        return self._oracle.repair()
