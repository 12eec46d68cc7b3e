"""Annotators of one document made into one more, consistent version: ``Adjudication``.

Links are compared pair by pair of entities. Pairs about which all mean the same are agreed, whatever the labels and
the direction; every other pair is a difference, of which one side is taken, or neither. After each decision everything
that follows is settled: a difference is no longer asked about if

    follows    what a side states follows from the links that are agreed or taken
    only       all other sides contradict these links
    none       all sides do

    work = Adjudication(anna, ben)
    while (difference := work.next()) is not None:              the one whose answers settle most others
        work.take(difference.number, "anna")
    work.document                                               the result
    work.log                                                    who decided what, and what was settled by it

The result is a ``Session`` that begins with the agreed links. A side that contradicts what it has is refused with the
conflict. If the agreed links contradict each other, nothing can be taken before they are repaired (``repair``).

Nothing is settled about a difference that was decided. What stands is a function of the decisions in their order: to
change one is to make all of them again, the changed one last.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.editing.session import Session
from temporacle.editing.settling import (
    BY_HAND,
    DECIDED,
    FOLLOWS,
    NEITHER,
    NONE,
    ONLY,
    WHY,
    Answer,
    LogEntry,
    OpenQuestion,
    Result,
    Settled,
    SettledOutcome,
    Settling,
    SettlingPlan,
    SideRefusedError,
)
from temporacle.editing.versions import by_pair, compared, meaning, pair_of, statements
from temporacle.errors import BudgetExceeded, ContradictionError, InternalError, UsageError
from temporacle.model import Link, counted
from temporacle.passages import excerpts_of
from temporacle.reasoner.conflicts.reasons import PairReasons
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import EVERYTHING, NOTHING
from temporacle.results import DocumentVerdict, Repair

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.editing.history import Step
    from temporacle.editing.settling import Side
    from temporacle.editing.versions import Difference
    from temporacle.model import Document
    from temporacle.passages import Excerpts
    from temporacle.relation import Relation


Links: TypeAlias = tuple[Link, ...]


class Prospect(NamedTuple):
    """Whether a side can be taken now: None if undecided. If not, the links that it would contradict."""

    possible: bool | None
    conflict: Links = ()


class Adjudication:
    """Versions of a document and the one that is made of them.

    ``versions``: the documents, two or more. The result has the entities and the labels of the first.
    ``names``: what to call the sides.
    ``align``: how to match entities: "ids" or "spans"; None: by ids, unless an id stands at different places, or less
    than half of a side's ids occur in the first.
    ``budget``: seconds for each answer.
    ``who``: who decides, for the log.
    """

    def __init__(
        self,
        *versions: Document,
        names: Sequence[str] = (),
        align: str | None = None,
        budget: float | None = None,
        who: str = "",
    ) -> None:
        if len(versions) < 2:
            raise UsageError("an adjudication needs two or more versions of a document")
        self.names = tuple(names) or tuple(map(str, range(1, len(versions) + 1)))
        self.who = who
        self._budget = Budget(budget)
        found = compared(versions, align)
        self.first, self.versions, self.base = found.versions[0], found.versions, found.base
        self.differences, self.left_out, self.warnings = found.differences, found.left_out, found.warnings
        self.agreed = found.base.links  # as the first side states them
        self.outcomes: dict[int, SettledOutcome] = {}
        self._settling: Settling | None = None
        self._ahead: SettlingPlan | None = None  # its links are in ``_settling``, and not in the session yet
        self._making: SettlingPlan | None = None
        self._changes: list[
            dict[int, tuple[SettledOutcome | None, SettledOutcome | None]]
        ] = []  # of the steps of the session
        self._order = 0
        self._begin()

    def _begin(self) -> None:
        """Begin the session with the agreed links, and with what they settle."""
        session = Result(self.base, time_limit=self._budget.seconds)
        if self.differences and session.verdict == DocumentVerdict.CONSISTENT.value:
            settling = Settling(session.document.links, self._entities, self._questions)
            self._settle(settling, self.outcomes, None)
            new = [(number, link) for number, each in self.outcomes.items() for link in self._links(number, each.side)]
            if new:
                self.base = replace(self.base, links=(*self.agreed, *(link for _, link in new)))
                session = Result(self.base, time_limit=self._budget.seconds)
            names = zip(new, session.document.links[len(self.agreed) :], strict=True)
            self._give_names(self.outcomes, ((number, link.id) for (number, _), link in names))
            self._settling = settling
        self.session = session
        session.notice = self._notice

    def __repr__(self) -> str:
        settled = sum(each.why not in {DECIDED, BY_HAND} for each in self.outcomes.values())
        return (
            f"Adjudication({self.first.id!r}, {counted(len(self.agreed), 'agreed link')},"
            f" {counted(len(self.differences), 'difference')}, {len(self.outcomes) - settled} taken, {settled} settled)"
        )

    # --- the result -------------------------------------------------------------------------------------------------

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
        return _own_conflict(self.session)

    def repair(self) -> Links:
        """Return the agreed or taken links to remove so that the rest is consistent, of least total weight."""
        return _own_repair(self.session)

    def taken(self) -> list[int | None]:
        """Return for each difference the side that was taken or settled, 0 for neither; None if it is open."""
        found = map(self.outcomes.get, range(len(self.differences)))
        return [None if each is None else each.side for each in found]

    @property
    def log(self) -> list[LogEntry]:
        """Return what was decided and settled, in this order."""
        rows = []
        for number, each in sorted(self.outcomes.items(), key=lambda item: item[1].order):
            difference = self.differences[number]
            said = "; ".join(link.said for link in self._links(number, each.side))
            side = self.names[each.side - 1] if each.side else "neither"
            ends = difference.source, difference.target
            rows.append(LogEntry(number, *ends, side, said, WHY[each.why], each.after, each.who, each.when))
        return rows

    # --- questions --------------------------------------------------------------------------------------------------

    def next(self, order: str = "informative") -> Difference | None:
        """Return the difference to decide next; None if all are decided or settled.

        ``order``: "informative" (the one whose answers settle most others) or "text".
        """
        found = self.open(order)
        return self.differences[found[0]] if found else None

    def open(self, order: str = "text") -> list[int]:
        """Return the numbers of the open differences in an order: "text" or "informative"."""
        if order not in {"text", "informative"}:
            raise UsageError("unknown order", option="order", value=order, allowed=("informative", "text"))
        left = [number for number in range(len(self.differences)) if number not in self.outcomes]
        settling = self._present() if left and order == "informative" else None
        return left if settling is None else settling.ranked(left)

    def take(self, number: int, side: Side | None) -> SettlingPlan:
        """Take a side of a difference, or neither; None: leave it open again. It is one step that can be undone.

        Return what was settled by it. Raise ContradictionError with the conflict if the side contradicts the third
        version as it is.
        """
        plan = self.plan(number, side)
        self.make(plan)
        return plan

    def plan(self, number: int, side: Side | None) -> SettlingPlan:
        """Return the step that takes a side. Raise ContradictionError if it would contradict the third version."""
        self._difference(number)
        chosen = None if side is None else self._side(side)
        settling = self._present()
        if settling is None:
            if chosen is None or not self._links(number, chosen):
                rest = {other: each for other, each in self.outcomes.items() if other != number}
                return self._planned(number, rest if chosen is None else {**rest, number: self._decision(chosen)})
            raise ContradictionError(self.first.id, self.conflict())  # with or without this side
        if chosen is not None and number not in self.outcomes:
            outcomes = dict(self.outcomes)
            self._decide(settling, outcomes, number, chosen)
            self._settle(settling, outcomes, number)
        else:
            settling, outcomes = self._again(number, chosen)
        plan = self._planned(number, outcomes)
        self._settling, self._ahead = settling, plan
        return plan

    def make(self, plan: SettlingPlan) -> list[str]:
        """Make a step, and return the ids of new links."""
        self._making = plan
        try:
            return self.session.edit(add=plan.add, remove=plan.remove)
        finally:
            self._making = None

    def _side(self, side: Side) -> int:
        if side == "neither":
            return NEITHER
        known = range(len(self.names) + 1)
        found = self.names.index(side) + 1 if side in self.names else side
        if isinstance(found, bool) or found not in known:
            raise UsageError(f"there is no side {side!r:.40}: choose 1 to {len(self.names)}, or 0 for neither")
        return int(found)

    def _decide(self, settling: Settling, outcomes: dict[int, SettledOutcome], number: int, side: int) -> None:
        """Put a decision into outcomes and their closure. Raise ContradictionError if it is impossible."""
        links = self._links(number, side)
        if links:
            self._budget.restart()
            if not settling.is_possible(number, side - 1, links, self._budget):
                raise SideRefusedError(self.first.id, (*self._conflict_of(settling, number, links), *links))
            settling.add(number, side - 1, links)
        old = self.outcomes.get(number)
        if old is not None and old.why == DECIDED and old.side == side:
            outcomes[number] = old._replace(order=self._next(), links=())
        else:
            outcomes[number] = self._decision(side)

    def _decision(self, side: int) -> SettledOutcome:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        return SettledOutcome(side, DECIDED, self._next(), None, self.who, when)

    def _settle(
        self,
        settling: Settling,
        outcomes: dict[int, SettledOutcome],
        after: int | None,
        decided: frozenset[int] = frozenset(),
    ) -> None:
        """Settle everything that follows, except differences that are decided later."""
        known = outcomes.keys() | decided
        left = [number for number in range(len(self.differences)) if number not in known]
        is_new = True
        while is_new:
            is_new = False
            still = []
            for number in left:
                found = self._settled(settling, number)
                if found is None:
                    still.append(number)
                    continue
                side = NEITHER if found.side is None else found.side + 1
                outcomes[number] = SettledOutcome(side, found.why, self._next(), after)
                links = self._links(number, side)
                if links:
                    settling.add(number, side - 1, links)
                    is_new = is_new or found.why == ONLY
            left = still

    def _settled(self, settling: Settling, number: int) -> Settled | None:
        found = settling.judged(number)
        if found is None or found.why != ONLY or settling.is_exact or found.side is None:
            return found
        try:
            self._budget.restart()
            links = self.differences[number].sides[found.side]
            return found if settling.is_possible(number, found.side, links, self._budget) else Settled(None, NONE)
        except (BudgetExceeded, InternalError):
            return None

    def _again(self, number: int, side: int | None) -> tuple[Settling, dict[int, SettledOutcome]]:
        """Make all decisions again, but another one for a difference, which comes last; None: none for it."""
        brought = {name for each in self.outcomes.values() for name in each.links}
        base = [link for link in self.session.document.links if link.id not in brought]
        if number in self.outcomes and self.outcomes[number].why == BY_HAND:
            base = [link for link in base if pair_of(*link.entities) != self.differences[number].pair]
        settling = Settling(base, self._entities, self._questions)
        kept = {other: each for other, each in self.outcomes.items() if other != number}
        outcomes = {other: each for other, each in kept.items() if each.why == BY_HAND}
        decisions = sorted((each.order, other, each.side) for other, each in kept.items() if each.why == DECIDED)
        later = frozenset((number, *(other for _, other, _ in decisions)))  # one that is opened again stays open
        self._settle(settling, outcomes, None, later)
        for _, other, own in decisions:
            try:
                self._decide(settling, outcomes, other, own)
            except SideRefusedError:  # what was settled in another order contradicts it now
                if side is not None:
                    raise
                continue
            self._settle(settling, outcomes, other, later)
        if side is not None:
            self._decide(settling, outcomes, number, side)
            self._settle(settling, outcomes, number)
        return settling, outcomes

    def _planned(self, number: int, wanted: Mapping[int, SettledOutcome]) -> SettlingPlan:
        """Return the edit from the present outcomes to others."""
        changed: dict[int, SettledOutcome | None] = {}
        remove: list[str] = []
        new: list[tuple[int, Link]] = []
        for each in dict.fromkeys((*self.outcomes, *wanted)):
            before, after = self.outcomes.get(each), wanted.get(each)
            if before is after:
                continue
            changed[each] = after
            if before and after and before.why != BY_HAND and before.side == after.side:
                changed[each] = after._replace(links=before.links)
            else:
                remove += self._brought(each, before)
                new += [(each, link) for link in self._links(each, after.side if after else NEITHER)]
        add = tuple((link.source, link.label, link.target) for _, link in new)
        return SettlingPlan(number, changed, add, tuple(remove), tuple(owner for owner, _ in new))

    def _brought(self, number: int, outcome: SettledOutcome | None) -> tuple[str, ...]:
        """Return the ids of the links that stand for a difference."""
        if outcome is None or outcome.why != BY_HAND:
            return () if outcome is None else outcome.links
        pair = self.differences[number].pair
        return tuple(link.id for link in self.session.document.links if pair_of(*link.entities) == pair)

    def _notice(self, kind: str, step: Step) -> None:
        """Keep the outcomes in step with the session."""
        place = self.session.undo_count - (kind != "undo")
        if kind == "edit":
            plan = self._making
            after: dict[int, SettledOutcome | None] = self._edited(step) if plan is None else dict(plan.outcomes)
            if plan is not None:
                self._give_names(after, zip(plan.owners, step.added, strict=True))
            del self._changes[place:]
            self._changes.append({number: (self.outcomes.get(number), each) for number, each in after.items()})
            if plan is None or plan is not self._ahead:
                self._settling = None
        else:
            self._settling = None
        self._ahead = None
        for number, each in self._changes[place].items():
            outcome = each[kind != "undo"]
            self._order = max(self._order, 0 if outcome is None else outcome.order)
            if outcome is None:
                self.outcomes.pop(number, None)
            else:
                self.outcomes[number] = outcome

    def _edited(self, step: Step) -> dict[int, SettledOutcome | None]:
        """Return what an edit by hand means for differences."""
        pairs = {pair_of(*link.entities) for change in step.links.values() for link in change if link is not None}
        found: dict[int, SettledOutcome | None] = {}
        present = by_pair(self.session.document.links)
        for each in self.differences:
            if each.pair in pairs:
                stated = statements(present.get(each.pair, ()))
                sides = [statements(links) for links in each.sides]
                side = sides.index(stated) + 1 if stated in sides else NEITHER
                found[each.number] = SettledOutcome(side, BY_HAND, self._next(), None, self.who) if stated else None
        return found

    @staticmethod
    def _give_names(outcomes: dict[int, Any], names: Iterable[tuple[int, str]]) -> None:
        for number, name in names:
            outcomes[number] = outcomes[number]._replace(links=(*outcomes[number].links, name))

    def _next(self) -> int:
        self._order += 1
        return self._order

    def _conflict_of(self, settling: Settling, number: int, links: Links) -> Links:
        """Return the links that a side contradicts, as the session has them."""
        network = Network(settling.links, self._entities)
        found = self._behind(network, number, ~(meaning(links) or NOTHING))
        present = {link.said: link for link in self.session.document.links}
        return tuple(present.get(link.said, link) for link in found)

    # --- what is known ------------------------------------------------------------------------------------------------

    def _present(self) -> Settling | None:
        """Return the closure of the present links; None if they contradict each other or that is undecided."""
        if self._ahead is not None:  # it was planned and not made
            self._settling = self._ahead = None
        if self._settling is None and self.session.verdict == DocumentVerdict.CONSISTENT.value:
            self._settling = Settling(self.session.document.links, self._entities, self._questions)
        return self._settling

    @cached_property
    def _entities(self) -> tuple[str, ...]:
        ends = (end for each in self.versions for link in each.links for end in link.entities)
        return tuple(dict.fromkeys((*self.base.entity_ids, *ends)))

    @cached_property
    def _questions(self) -> list[OpenQuestion]:
        index = {name: number for number, name in enumerate(self._entities)}
        answers = (tuple(map(_answer, each.sides)) for each in self.differences)
        pairs = ((index[one], index[other]) for one, other in (each.pair for each in self.differences))
        return [OpenQuestion(*pair, given) for pair, given in zip(pairs, answers, strict=True)]

    @property
    def _with_text(self) -> Document:
        return next((each for each in self.versions if each.text), self.first)

    def _links(self, number: int, side: int) -> Links:
        return self.differences[number].sides[side - 1] if side else ()

    def _standing(self, number: int) -> Network:
        """Return the links that a difference is judged by: those that came before its outcome, without its own."""
        own = self.outcomes.get(number)
        until = own.order if own is not None and own.why not in {DECIDED, BY_HAND} else self._order + 1
        orders = {name: each.order for each in self.outcomes.values() for name in each.links}
        gone = set(self._brought(number, own))
        links = self.session.document.links
        return Network(
            (link for link in links if orders.get(link.id, 0) < until and link.id not in gone), self._entities
        )

    def _behind(self, network: Network, number: int, relation: Relation) -> Links:
        self._budget.restart()
        return PairReasons(network, *self.differences[number].pair, self._budget).behind(relation)

    def prospects(self, number: int) -> list[Prospect]:
        """Return for each side of a difference whether it is possible, without what was taken for the difference."""
        difference = self._difference(number)
        settling = self._present()
        if settling is None:
            none = Prospect(possible=False, conflict=self.conflict())
            return [none if links else Prospect(possible=True) for links in difference.sides]
        network = None
        if number in self.outcomes:
            network = self._standing(number)
            settling = Settling(network.links, self._entities, self._questions)
        found = []
        for place, links in enumerate(difference.sides):
            try:
                self._budget.restart()
                if not links or settling.is_possible(number, place, links, self._budget):
                    found.append(Prospect(possible=True))
                    continue
                network = network or self._standing(number)
                conflict = self._behind(network, number, ~(meaning(links) or NOTHING))
                found.append(Prospect(possible=False, conflict=conflict))
            except (BudgetExceeded, InternalError):
                found.append(Prospect(possible=None))
        return found

    def because(self, number: int) -> Links:
        """Return the links from which the settled side of a difference follows; () if it does not follow."""
        outcome = self.outcomes.get(number)
        if outcome is None or outcome.why != FOLLOWS:
            return ()
        stated = meaning(self._links(number, outcome.side)) or EVERYTHING
        return self._behind(self._standing(number), number, stated)

    def follows(self, number: int, side: int) -> list[bool | None]:
        """Return for each side whether it entails what a side (from 1 on) states; None if that is undecided.

        A side that contradicts itself is asked without the links of its repair. A side without links states nothing.
        """
        stated = meaning(self._links(number, side))
        if stated is None:
            return [False] * len(self.versions)
        found: list[bool | None] = []
        for session in self._mended:
            try:
                possible = None if session is None else session.possible(*self.differences[number].pair)
                found.append(None if possible is None else not possible & ~stated)
            except (BudgetExceeded, InternalError):
                found.append(None)
        return found

    @cached_property
    def sides(self) -> list[Document]:
        """Return what each side states, with the entities and labels of the first."""
        base = replace(self.base, entity_ids=self._entities)
        return [replace(base, links=each.links) for each in self.versions]

    @cached_property
    def _sides(self) -> list[Session]:
        return [Session(each, time_limit=self._budget.seconds) for each in self.sides]

    @cached_property
    def _mended(self) -> list[Session | None]:
        """Return the sides without their repairs; None where no repair is known."""
        return [_without_repair(each) for each in self._sides]

    def contradictions(self) -> list[Links]:
        """Return for each side a conflict of its own links; () if it has none, or if that is undecided."""
        return [_own_conflict(each) for each in self._sides]

    @cached_property
    def _excerpts(self) -> Excerpts:
        return excerpts_of(self._with_text, {end for each in self.differences for end in each.pair})

    def _difference(self, number: int) -> Difference:
        if isinstance(number, bool) or number not in range(len(self.differences)):
            raise UsageError(f"there is no difference {number!r:.20}: there are {len(self.differences)}, from 0 on")
        return self.differences[number]

    # --- for programs -----------------------------------------------------------------------------------------------

    def row(self, number: int) -> dict[str, Any]:
        """Return a difference with everything that is known about it."""
        each = self._difference(number)
        prospects = self.prospects(number)
        quotations = self._excerpts.quotations(each.pair)
        return {
            **self._row(each),
            "sentence": " ".join(quotation.marked for quotation in quotations) or None,
            "possible": [prospect.possible for prospect in prospects],
            "conflict": [self._with_origins(prospect.conflict) for prospect in prospects],
            "follows": [self.follows(number, side) for side in range(1, len(self.versions) + 1)],
            "because": self._with_origins(self.because(number)),
            "settles": self._settling.weight(number) if self._settling and number not in self.outcomes else 0,
        }

    def state(self, number: int) -> dict[str, Any]:
        """Return what became of a difference."""
        found = self.outcomes.get(number)
        if found is None:
            return {"number": number, "taken": None, "why": None, "after": None}
        return {"number": number, "taken": found.side, "why": found.why, "after": found.after}

    def _row(self, each: Difference) -> dict[str, Any]:
        ends = {"source": each.source, "target": each.target}
        return {**self.state(each.number), **ends, "sides": [self._rows(links) for links in each.sides]}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as the workbench sends it."""
        return {
            "agreed": len(self.agreed),
            "names": list(self.names),
            "differences": list(map(self._row, self.differences)),
            "left_out": [
                {**each.link.to_dict(), "why": each.why, "side": self.names[each.side]} for each in self.left_out
            ],
            "contradictions": [self._rows(links) for links in self.contradictions()],
        }

    def _with_origins(self, links: Links) -> list[dict[str, Any]]:
        """Return rows of links, each with the difference that it was taken for; None: it is agreed or edited."""
        owner = {name: number for number, each in self.outcomes.items() for name in each.links} if links else {}
        return [{**row, "difference": owner.get(link.id)} for row, link in zip(self._rows(links), links, strict=True)]

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {entity.id: entity.text for each in self.versions for entity in each.entities if entity.text}

    def _rows(self, links: Iterable[Link]) -> list[dict[str, Any]]:
        return [link.to_dict(self._texts) for link in links]


def _own_conflict(session: Session) -> Links:
    found = session.conflicts if session.verdict == DocumentVerdict.INCONSISTENT.value else ()
    return tuple(each for each in found[0] if isinstance(each, Link)) if found else ()


def _own_repair(session: Session) -> Links:
    found = session.repair()
    return tuple(each for each in found.dropped if isinstance(each, Link)) if isinstance(found, Repair) else ()


def _without_repair(session: Session) -> Session | None:
    if session.verdict == DocumentVerdict.CONSISTENT.value:
        return session
    try:
        gone = {link.id for link in _own_repair(session)}
    except (BudgetExceeded, InternalError):
        return None
    links = tuple(link for link in session.document.links if link.id not in gone)
    return Session(replace(session.document, links=links), time_limit=session.budget.seconds) if gone else None


def _answer(links: Links) -> Answer:
    stated = meaning(links)
    return Answer(int(EVERYTHING if stated is None else stated), bool(links))
