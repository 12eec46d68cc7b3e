"""What a check asks about the links of one document: all of it of one judged value."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.model import Link
from temporacle.reasoner.conflicts.all_conflicts import all_conflicts_and_repairs, conflict_through
from temporacle.reasoner.conflicts.canonical import resolved_conflicts
from temporacle.reasoner.conflicts.conflicts import conflict_of
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.conflicts.repair import (
    GroundedRepair,
    relabellings,
    repair_grounds,
    repaired,
    with_alternatives,
)
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network, in_order
from temporacle.reasoner.proofs.certificate import certify, certify_conflict, confirmed
from temporacle.reasoner.reference.engines import deciding_engine
from temporacle.results import Unrepairable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from temporacle.model import Document, Remark
    from temporacle.reasoner.network import Budget
    from temporacle.results import Certificate, Fact, Relabelling, Repair


class LinkInquiry:
    """The questions of a check about the links of one document."""

    remarks: tuple[Remark, ...] = ()
    calendar: Mapping[str, Any] | None = None

    def __init__(self, document: Document, budget: Budget, engine: str = "exact") -> None:
        self._document = document
        self._judged = Judged(Network.of(document), budget, deciding_engine(engine))
        self._ordered = self._judged  # the same, with links in the order by which conflicts and repairs are chosen
        links = in_order(document.links)
        if links != list(document.links):
            self._ordered = self._judged.of(links, Network.of(replace(document, links=tuple(links))).entities)
        self._protect: Collection[str] = ()  # of the repair that was found
        self.budget = budget
        self.entities = len(self._judged.network.entities)

    def is_consistent(self) -> bool:
        return self._judged.is_consistent()

    @property
    def decided_by(self) -> str:
        return self._judged.decided_by

    def conflict(self) -> tuple[Fact, ...]:
        """Return a minimal conflict, a smallest one where links are convex."""
        return tuple(self._ordered.network.links[number] for number in conflict_of(self._ordered))

    def all_conflicts(self, most: int | None) -> Iterator[tuple[Fact, ...]]:
        """Yield all minimal conflicts, or as many as are asked for. They may share links."""
        found = (numbers for numbers, is_conflict in all_conflicts_and_repairs(self._ordered) if is_conflict)
        for numbers in islice(found, most):
            yield tuple(self._ordered.network.links[number] for number in numbers)

    @property
    def facts(self) -> Sequence[Fact]:
        """What conflicts consist of: the links."""
        return self._ordered.network.links

    def contradict(self, facts: Sequence[Fact]) -> bool:
        """Return whether some links alone are inconsistent."""
        return not self._judged.of(_links(facts)).is_consistent()

    def conflict_through(self, fact: Fact) -> tuple[Fact, ...] | None:
        """Return a minimal conflict that a link is in; None if it is in none."""
        links = self._ordered.network.links
        place = next(number for number, link in enumerate(links) if link is fact)
        found = conflict_through(self._ordered, place)
        return None if found is None else tuple(links[number] for number in found)

    def explain(self, conflict: Sequence[Fact], texts: Mapping[str, str]) -> list[str]:
        """Return a conflict in sentences."""
        return explain(_links(conflict), texts)

    def repair(self, protect: Collection[str]) -> Repair | Unrepairable:
        self._protect = protect
        return repaired(self._ordered, protect)

    def repaired_by(self, grounds: GroundedRepair) -> Repair:
        """Return a repair in links, with what could be dropped instead as far as that is known in time."""
        return with_alternatives(self._ordered, grounds)

    def repair_certificate(self) -> Certificate:
        """Return a certificate of the repair that was found."""
        from temporacle.reasoner.proofs.cheapest import certify_repair  # loads numpy

        grounds = repair_grounds(self._ordered, self._protect)
        if isinstance(grounds, Unrepairable):
            raise InternalError("a certificate of a repair was asked for, but there is no repair")
        return confirmed(certify_repair(self._judged.network, self._as_in_document(grounds), self._judged.budget))

    def _as_in_document(self, grounds: GroundedRepair) -> GroundedRepair:
        """Return the repair with the positions that its links have in the document."""
        if self._ordered is self._judged:
            return grounds
        places = self._places
        return grounds.at([places[id(link)] for link in self._ordered.network.links])

    @property
    def _places(self) -> dict[int, int]:
        return {id(link): number for number, link in enumerate(self._judged.network.links)}

    def relabellings(self, repaired: Repair) -> tuple[Relabelling, ...]:
        """Return other labels for the links that a repair drops."""
        return relabellings(self._judged.network, repaired, self._document.reading, self._judged.budget)

    def resolved(self, repaired: Repair) -> Iterator[tuple[Fact, ...]]:
        """Yield the conflicts of the document: one for each dropped link."""
        return resolved_conflicts(self._ordered.network, _links(repaired.dropped), self._judged.budget)

    def certificate(self, conflict: Sequence[Fact] | None = None) -> Certificate:
        """Return a certificate of consistency; of a contradiction if a conflict is given, or () if none is known."""
        if not conflict:
            return confirmed(certify(self._judged) if conflict is None else certify_conflict(self._judged))
        places = self._places
        return confirmed(certify_conflict(self._judged, sorted(places[id(link)] for link in conflict)))


def _links(facts: Sequence[Fact]) -> list[Link]:
    """Return the facts as links. All facts of an inquiry about links are links."""
    return [fact for fact in facts if isinstance(fact, Link)]
