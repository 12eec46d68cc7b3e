"""Everything an editor of links asks about them: verdict, conflicts, what follows from the others, what is possible."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from temporacle.reasoner.conflicts import disjoint_conflicts
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reasons import follows_from, links_behind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Link
    from temporacle.relation import Relation
    from temporacle.results import Repair, Unrepairable, Witness


class Moment:
    """The links of a document at one moment. Every answer raises BudgetExceeded rather than guess.

    >>> network = Network.of([("a", "b", "b"), ("b", "b", "c"), ("a", "b", "c")])
    >>> Moment(network.links, network.entities).redundant(Budget())
    frozenset({'l3'})
    """

    def __init__(self, links: Sequence[Link], entities: Sequence[str]) -> None:
        self.links = tuple(links)
        self.entities = entities
        self._conflicts: tuple[tuple[Link, ...], ...] | None = None
        self._redundant: frozenset[str] | None = None

    @cached_property
    def network(self) -> Network:
        return Network(self.links, self.entities)

    def is_consistent(self, budget: Budget) -> bool:
        return self._conflicts == () or self._oracle(budget).is_consistent()

    def conflicts(self, budget: Budget) -> tuple[tuple[Link, ...], ...]:
        """Return minimal conflicts that share no link and without whose links the rest is consistent."""
        if self._conflicts is None:
            found = disjoint_conflicts(self.network, budget, len(self.links))
            self._conflicts = tuple(self._in_order(conflict) for conflict in found)
        return self._conflicts

    def redundant(self, budget: Budget) -> frozenset[str]:
        """Return the ids of the links that follow from all the others; none if the links are inconsistent."""
        if self._redundant is None:
            self._redundant = frozenset(
                link.id
                for number, link in enumerate(self.links if self.is_consistent(budget) else ())
                if follows_from(
                    self.links[:number] + self.links[number + 1 :], link.source, link.relation, link.target, budget
                )
            )
        return self._redundant

    def strongest(self, source: str, target: str, budget: Budget) -> Relation:
        return self._oracle(budget).strongest(source, target)

    def links_behind(self, source: str, relation: Relation, target: str, budget: Budget) -> tuple[Link, ...]:
        """Return few links from which a relation follows, as it must."""
        return links_behind(self.network, source, relation, target, budget)

    def witness(self, budget: Budget) -> Witness | None:
        oracle = self._oracle(budget)
        return oracle.witness() if oracle.is_consistent() else None

    def repair(self, budget: Budget) -> Repair | Unrepairable:
        return self._oracle(budget).repair()

    def _oracle(self, budget: Budget) -> Oracle:
        return Oracle(self.network, budget=budget)

    def _in_order(self, links: Sequence[Link]) -> tuple[Link, ...]:
        """Return some of the links in the order of the document."""
        chosen = {link.id for link in links}
        return tuple(link for link in self.links if link.id in chosen)
