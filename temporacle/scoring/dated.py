"""One side of a comparison that also knows the values of its time expressions.

What is counted stays what is counted without values: stated links. Values are knowledge of the graph that the other
side's links are put to. Links that contradict the values, in document order, are set aside; so is a value that
contradicts values before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InputError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.clock.problem import Problem
from temporacle.reasoner.network import Network
from temporacle.results import Repair, Verdict
from temporacle.scoring.options import Contradictions, Vague
from temporacle.scoring.side import Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document, Link
    from temporacle.reasoner.network import Budget


class DatedAnnotation(Side):
    """A document as the scorers see it, with its values."""

    def __init__(
        self, document: Document, budget: Budget, calendar: Calendar, contradictions: Contradictions, vague: Vague
    ) -> None:
        super().__init__(document, budget, contradictions, vague)
        self._asked = CalendarOracle(document, calendar, budget=budget)
        values = self._agreeing_values(self._asked.values.facts)
        decides = self._repaired if contradictions is Contradictions.REPAIR else self._against
        against = decides(values)
        if against and contradictions is Contradictions.REFUSE:
            raise InputError(
                "the document contradicts itself on the calendar",
                path=document.path or document.id,
                line=self.link(against[0]).line,
                element=self.link(against[0]).id,
                cure="repair it first, or use contradictions set-aside or repair",
            )
        gone = set(against)
        self.kept = [position for position in self.kept if position not in gone]
        self.set_aside = sorted((*self.set_aside, *against))
        self._oracle = self._about(self.kept, values)

    def _about(self, positions: Sequence[int], values: Sequence[CalendarFact]) -> CalendarOracle:
        links = [self.link(position) for position in positions]
        network = Network(links, self.network.entities)
        return self._asked.about(Problem(network, values, self._asked.calendar.zone))

    def _agreeing_values(self, values: Sequence[CalendarFact]) -> list[CalendarFact]:
        """Return the values in order, without those that contradict earlier ones."""
        kept = list(values)
        first = 0

        def contradict(size: int) -> bool:
            return not self._about((), kept[:size]).is_consistent()

        while contradict(len(kept)):
            first = _first(contradict, first + 1, len(kept)) - 1
            del kept[first]
        return kept

    def _against(self, values: Sequence[CalendarFact]) -> list[int]:
        """Return the kept links that contradict the values and the kept links before them.

        The next one ends the shortest beginning that is inconsistent, found by halving.
        """
        kept = list(self.kept)
        found = []
        first = 0

        def contradict(size: int) -> bool:
            return not self._about(kept[:size], values).is_consistent()

        while contradict(len(kept)):
            first = _first(contradict, first + 1, len(kept)) - 1
            found.append(kept.pop(first))
        return found

    def _repaired(self, values: Sequence[CalendarFact]) -> list[int]:
        """Return the lightest kept links that contradict the values."""
        found = self._about(self.kept, values).repair(protect=("values",))
        dropped = {id(fact) for fact in found.dropped} if isinstance(found, Repair) else set()
        return [position for position in self.kept if id(self.link(position)) in dropped]

    # --- questions from the other side --------------------------------------------------------------------------------

    def verified(self, other: Side) -> list[int]:
        """Return the same positions as without values, but also use the values of this side."""
        index, stated = self.network.index, self._stated
        found = []
        for position in other.counted:
            link = other.link(position)
            source, target, mask = index.get(link.source, -1), index.get(link.target, -1), int(link.relation)
            is_stated = (source, mask, target) in stated or (target, converse(mask), source) in stated
            if is_stated or (mask != ALL and self._entails(link)):
                found.append(position)
        return found

    def _entails(self, link: Link) -> bool:
        known = self._oracle.problem.network.index
        if link.source not in known or link.target not in known:
            return False
        verdict = self._oracle.entails(link.source, link.relation, link.target)
        if verdict is Verdict.UNDECIDED:
            raise BudgetExceeded("not decided within the budget")
        return verdict is Verdict.ENTAILED

    def says_each(self, pairs: Sequence[tuple[str, str]]) -> list[int | None]:
        """Return the strongest relation of each pair; None if an entity is not known here."""
        known = self._oracle.problem.network.index
        return [
            int(self._oracle.strongest(source, target)) if source in known and target in known else None
            for source, target in pairs
        ]


def _first(is_bad: Callable[[int], bool], least: int, most: int) -> int:
    """Return the first number from ``least`` that is bad. ``most`` and all later numbers must be bad."""
    while least < most:
        middle = (least + most) // 2
        if is_bad(middle):
            most = middle
        else:
            least = middle + 1
    return least
