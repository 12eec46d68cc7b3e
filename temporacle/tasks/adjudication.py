"""Two annotators of one document made into a third, consistent version: ``Adjudication``.

Links are compared pair by pair of entities. Pairs about which both mean the same are agreed, whatever the labels and
the direction; every other pair is a difference, of which one side is taken, or neither. The third version is a
``Session`` that begins with the agreed links. A side that contradicts what it has is refused with the conflict.

    work = Adjudication(first, second)
    work.differences[0].first, work.differences[0].second      the links of both sides
    work.take(0, "first")
    work.document                                              the third version

If the agreed links contradict each other, nothing can be taken before they are repaired (``repair``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from temporacle.errors import BudgetExceeded, ContradictionError, InternalError, UsageError
from temporacle.model import Link
from temporacle.passages import excerpts_of
from temporacle.relation import NOTHING
from temporacle.results import DocumentVerdict, Repair
from temporacle.tasks.compared import compared
from temporacle.tasks.pairs_of import by_pair, meaning, pair_of, statements
from temporacle.tasks.session import Session

if TYPE_CHECKING:
    from temporacle.model import Document
    from temporacle.tasks.compared import Difference
    from temporacle.tasks.history import Triple
    from temporacle.tasks.pairs_of import Pair

Side: TypeAlias = Literal["first", "second", "neither"]
Links: TypeAlias = tuple[Link, ...]
SIDES: tuple[Literal["first", "second"], ...] = ("first", "second")


class Change(NamedTuple):
    """The edit of the third version that takes a side: for ``Session.edit``."""

    add: tuple[Triple, ...]
    remove: tuple[str, ...]


class Prospect(NamedTuple):
    """Whether a side can be taken now: None if undecided. If not, the links that it would contradict."""

    possible: bool | None
    conflict: Links = ()


class SideRefusedError(ContradictionError):
    """A side of a difference contradicts what was taken before."""

    @property
    def claim(self) -> str:
        return f"this side contradicts the third version of {self.document!r}"


class Adjudication:
    """Two versions of a document and the third one that is made of them.

    ``first``, ``second``: the documents. The third version has the entities and the labels of the first.
    ``names``: what to call the two sides.
    ``align``: how to match entities: "ids" or "spans"; None: by ids, unless an id stands at different places, or less
    than half of the second side's ids occur in the first.
    ``budget``: seconds for each answer.
    """

    def __init__(
        self,
        first: Document,
        second: Document,
        *,
        names: tuple[str, str] = ("first", "second"),
        align: str | None = None,
        budget: float | None = None,
    ) -> None:
        self.names = names
        self._budget = budget
        found = compared(first, second, align)
        self.first, self.second, self.base = found.first, found.second, found.base
        self.differences, self.left_out, self.warnings = found.differences, found.left_out, found.warnings
        self.session = Session(self.base, budget=budget)
        self._without_links: dict[int, Side] = {}  # differences that were settled by having no link

    @property
    def agreed(self) -> Links:
        """Return the agreed links, as the first side states them."""
        return self.base.links

    def __repr__(self) -> str:
        taken = sum(each is not None for each in self.all_taken())
        return (
            f"Adjudication({self.first.id!r}, {len(self.base.links)} agreed links, {len(self.differences)} differences,"
            f" {taken} taken)"
        )

    # --- the third version ------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """Return the third version: the agreed links and those that were taken.

        Raise ContradictionError if it contradicts itself, BudgetExceeded if that is undecided.
        """
        verdict = self.session.verdict
        if verdict == DocumentVerdict.INCONSISTENT.value:
            raise ContradictionError(self.first.id, self.session.conflicts[0])
        if verdict != DocumentVerdict.CONSISTENT.value:
            raise BudgetExceeded(f"it is undecided whether the version of {self.first.id!r} is consistent")
        return self.session.document

    def conflict(self) -> Links:
        """Return the first conflict of the third version; () if it has none. At the beginning: of agreed links."""
        found = self.session.conflicts if self.session.verdict == DocumentVerdict.INCONSISTENT.value else ()
        return found[0] if found else ()

    def repair(self) -> Links:
        """Return the agreed or taken links to remove so that the rest is consistent: the lightest set."""
        found = self.session.repair()
        return tuple(each for each in found.dropped if isinstance(each, Link)) if isinstance(found, Repair) else ()

    def take(self, number: int, side: Side | None) -> Difference:
        """Take a side of a difference, or neither; None: leave it open again. It is one step that can be undone.

        Raise ContradictionError with the conflict if the side contradicts the third version as it is.
        """
        change = self.change(number, side)
        self.session.edit(add=change.add, remove=change.remove)
        self.mark(number, side)
        return self.differences[number]

    def change(self, number: int, side: Side | None) -> Change:
        """Return the edit that takes a side. Raise ContradictionError if it would contradict the third version."""
        difference = self._difference(number)
        if side is not None and side not in {*SIDES, "neither"}:
            raise UsageError(f"difference {number}: take first, second or neither, not {side!r:.40}")
        links = difference.side(side or "neither")
        present = self._present(difference)
        if links:
            prospect = self._prospect(links, present)
            if prospect.possible is None:
                raise BudgetExceeded(f"it is undecided whether this side of difference {number} is possible")
            if not prospect.possible:
                if self.conflict() and not present:
                    raise ContradictionError(self.first.id, self.conflict())  # with or without this side
                raise SideRefusedError(self.first.id, (*prospect.conflict, *links))
        return Change(tuple(map(_triple, links)), tuple(link.id for link in present))

    def mark(self, number: int, side: Side | None) -> None:
        """Note that a side without links was taken, or neither: the third version alone does not show it."""
        self._without_links.pop(number, None)
        if side is not None and not self._difference(number).side(side):
            self._without_links[number] = side

    def all_taken(self) -> list[Side | None]:
        """Return for each difference the side that the third version has; None if it is open.

        Links that the third version alone has count as "neither".
        """
        pairs = by_pair(self.session.document.links)
        return [self._taken(each, tuple(pairs.get(each.pair, ()))) for each in self.differences]

    def _taken(self, difference: Difference, present: Links) -> Side | None:
        stated = statements(present)
        for side in SIDES:
            if stated and stated == statements(difference.side(side)):
                return side
        return "neither" if stated else self._without_links.get(difference.number)

    # --- judgements -------------------------------------------------------------------------------------------------

    def _prospect(self, links: Links, present: Links) -> Prospect:
        """Return whether links of a pair can be taken in place of those that the third version has for it."""
        try:
            if statements(present) == statements(links):
                return Prospect(possible=True)
            if not present and links and (meaning(links) or NOTHING) & self.session.possible(*_pair(links)):
                return Prospect(possible=True)
            if not present and len(links) == 1:
                return Prospect(possible=False, conflict=self.session.why_not(*_triple(links[0])))
            return self._judged(links, tuple(link.id for link in present))
        except ContradictionError as error:
            return Prospect(possible=False, conflict=tuple(each for each in error.conflict if isinstance(each, Link)))
        except (BudgetExceeded, InternalError):
            return Prospect(possible=None)

    def _judged(self, links: Links, gone: tuple[str, ...]) -> Prospect:
        judgement = self.session.judge(add=map(_triple, links), remove=gone)
        if judgement.verdict == DocumentVerdict.UNDECIDED.value:
            return Prospect(possible=None)
        if judgement.verdict == DocumentVerdict.CONSISTENT.value:
            return Prospect(possible=True)
        known = {link.id for link in self.session.document.links}
        return Prospect(possible=False, conflict=tuple(link for link in judgement.conflicts[0] if link.id in known))

    def follows(self, difference: Difference, side: Literal["first", "second"]) -> bool | None:
        """Return whether the other side already entails what a side states; None if that cannot be said.

        It cannot if the other side contradicts itself, or if the time ended. A side without links states nothing.
        """
        stated = meaning(difference.side(side))
        if stated is None:
            return False
        other = self._sides["second" if side == "first" else "first"]
        try:
            strongest = other.possible(*difference.pair)
        except (ContradictionError, BudgetExceeded, InternalError):
            return None
        return not strongest & ~stated

    @cached_property
    def _sides(self) -> dict[str, Session]:
        versions = (self.base, self.first.links), (self.base, self.second.links)
        sessions = [Session(replace(base, links=links), budget=self._budget) for base, links in versions]
        return dict(zip(SIDES, sessions, strict=True))

    @cached_property
    def _follows(self) -> dict[int, tuple[bool | None, bool | None]]:
        """Return for each difference whether its first and its second side follow. The two versions never change."""
        return {each.number: (self.follows(each, "first"), self.follows(each, "second")) for each in self.differences}

    @cached_property
    def _sentences(self) -> dict[int, str]:
        """Return the sentences of differences, with the words of the two entities in brackets."""
        document = self.first if self.first.text else self.second
        excerpts = excerpts_of(document, {end for each in self.differences for end in (each.source, each.target)})
        quoted = ((each, excerpts.quotations((each.source, each.target))) for each in self.differences)
        return {each.number: " ".join(quotation.marked for quotation in found) for each, found in quoted if found}

    def _present(self, difference: Difference) -> Links:
        """Return the links of the third version for the pair."""
        return tuple(link for link in self.session.document.links if pair_of(*link.entities) == difference.pair)

    def _difference(self, number: int) -> Difference:
        if number not in range(len(self.differences)):
            raise UsageError(f"there is no difference {number!r:.20}: there are {len(self.differences)}, from 0 on")
        return self.differences[number]

    # --- for programs -----------------------------------------------------------------------------------------------

    def row(self, number: int) -> dict[str, Any]:
        """Return a difference as the workbench sends it."""
        each = self._difference(number)
        return self._row(each, self._present(each))

    def _row(self, each: Difference, present: Links) -> dict[str, Any]:
        prospects = {side: self._prospect(each.side(side), present) for side in SIDES}
        return {
            "number": each.number,
            "source": each.source,
            "target": each.target,
            "first": self._rows(each.first),
            "second": self._rows(each.second),
            "first_follows": self._follows[each.number][0],
            "second_follows": self._follows[each.number][1],
            "sentence": self._sentences.get(each.number),
            "taken": self._taken(each, present),
            "possible": {side: prospect.possible for side, prospect in prospects.items()},
            "conflict": {side: self._rows(prospect.conflict) for side, prospect in prospects.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as the workbench sends it."""
        pairs = by_pair(self.session.document.links)
        return {
            "agreed": len(self.base.links),
            "names": list(self.names),
            "differences": [self._row(each, tuple(pairs.get(each.pair, ()))) for each in self.differences],
            "left_out": [{**each.link.to_dict(), "why": each.why} for each in self.left_out],
        }

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {entity.id: entity.text for entity in self.first.entities if entity.text}

    def _rows(self, links: Links) -> list[dict[str, Any]]:
        return [link.to_dict(self._texts) for link in links]


def _triple(link: Link) -> Triple:
    return link.source, link.label, link.target


def _pair(links: Links) -> Pair:
    return pair_of(*links[0].entities)
