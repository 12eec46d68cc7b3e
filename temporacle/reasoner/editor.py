"""Everything an editor of links asks about them, after each edit and before it is made.

A *moment* is a set of links. It answers from scratch where that is cheap: links that are all convex are decided by one
or two passes over the endpoint graph. What is expensive is kept by the *judge* for later moments: models of all links,
and of all links but one. Whatever is kept is compared with the links of the moment before it is used, so the answers
depend on these links alone, and not on the edits that led to them.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Document, Link
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.conflicts.reasons import PairReasons, follows_from
from temporacle.reasoner.conflicts.repair import GroundedRepair, repair, repair_of
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.inquiry import LinkInquiry
from temporacle.reasoner.network import Budget, Network, TooLarge
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.hulls import is_convex
from temporacle.reasoner.points.paths import find_needed
from temporacle.reasoner.points.times import LinkArrays, with_times_for
from temporacle.results import Repair, Unrepairable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.calendar.facts import CalendarFact, DocumentValues
    from temporacle.calendar.policy import Calendar
    from temporacle.reasoner.clock.check import CalendarInquiry
    from temporacle.reasoner.clock.oracle import CalendarOracle
    from temporacle.reasoner.disjunctions.cores import SelectedLinks
    from temporacle.reasoner.points.times import Times
    from temporacle.relation import Relation
    from temporacle.results import Fact, Witness

_MODELS = 8  # that are kept
_REPAIR_SECONDS = 10.0  # without a time limit; half of it with one


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

    def moment(self, links: Iterable[Link], entities: Iterable[str], keep: frozenset[str] = frozenset()) -> Moment:
        """Return some links, to be asked about. What is known is of use as long as entities come in the same order.

        ``keep``: ids of the repair that was shown before these links.
        """
        return Moment(self, links, entities, keep)

    def dated(
        self, document: Document, calendar: Calendar, values: DocumentValues, keep: frozenset[str] = frozenset()
    ) -> DatedMoment:
        """Return the links of a document and some values, to be asked about. ``keep``: as for ``moment``."""
        return DatedMoment(self, document, calendar, values, keep)


class ChosenRepair(NamedTuple):
    """A repair of least weight."""

    repair: Repair
    is_kept: bool  # it is the one that was shown before, and not the first one of the document


class LinkListing(NamedTuple):
    """The conflicts of some links, and the repair that removes one link of each."""

    conflicts: tuple[tuple[Fact, ...], ...] = ()
    chosen: ChosenRepair | None = None  # None: nothing to repair, or not proven in time
    unfinished: str | None = None  # why there may be more conflicts


class Moment:
    """The links of a document at one moment. Answers are worked out when they are first asked for."""

    def __init__(
        self, judge: Judge, links: Iterable[Link], entities: Iterable[str], keep: frozenset[str] = frozenset()
    ) -> None:
        self.links = tuple(links)
        self.keep = keep
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
        arrays = LinkArrays(self.network.constraints)
        known = [with_times_for(len(self.network.entities), times) for times in self._judge.models]
        fitting = [times for times in known if not arrays.broken(times).size]
        if not fitting and self._oracle.is_consistent():
            found = [time for times in self._oracle.witness().values() for time in times]
            fitting = [np.array(found, np.int64)]
            self._judge.models.appendleft(fitting[0])
        return fitting

    @property
    def is_consistent(self) -> bool:
        """Return whether all links can be true."""
        return bool(self._models)

    # --- conflicts --------------------------------------------------------------------------------------------------

    @cached_property
    def inquiry(self) -> LinkInquiry | CalendarInquiry:
        """What ``check`` asks about these facts."""
        return LinkInquiry(Document("", self.links, self._entities), self._judge.budget)

    @property
    def facts(self) -> Sequence[Fact]:
        """What conflicts and repairs consist of, in the order by which they are chosen."""
        return self.inquiry.facts

    @property
    def values(self) -> Sequence[CalendarFact]:
        """The values among the facts."""
        return [fact for fact in self.facts if not isinstance(fact, Link)]

    @cached_property
    def chosen(self) -> ChosenRepair:
        """The repair that the conflicts are listed by: the one that was shown before as long as no lighter one exists.

        Raise BudgetExceeded if none is proven in time.
        """
        found = self.inquiry.repair(())
        if isinstance(found, Unrepairable):
            raise InternalError("no link is protected, and yet there is no repair")
        kept = self._like_before(found)
        return ChosenRepair(found, is_kept=False) if kept is None else ChosenRepair(kept, is_kept=True)

    @property
    def shown_repair(self) -> frozenset[str]:
        """The ids of the repair that was shown last, here or before."""
        known: ChosenRepair | None = self.__dict__.get("chosen")
        return self.keep if known is None else frozenset(fact.id for fact in known.repair.dropped)

    def _like_before(self, first: Repair) -> Repair | None:
        """Return a repair as light as the first one that is nearest to the repair before; None if the first one is."""
        facts = self.facts
        gone = {number for number, fact in enumerate(facts) if fact.id in self.keep}
        if not gone:
            return None

        def left() -> list[int]:
            return [number for number in range(len(facts)) if number not in gone]

        old = sorted(gone)
        gone.update(self._more_to_drop(left()))
        for number in old:
            gone.remove(number)
            if self.inquiry.contradict([self.facts[each] for each in left()]):
                gone.add(number)
        grounds = GroundedRepair(tuple(sorted(gone)), None, frozenset())
        found = repair_of(grounds, facts)
        same_size = (found.weight, len(found.dropped)) == (first.weight, len(first.dropped))
        return self.inquiry.repaired_by(grounds) if same_size and found.dropped != first.dropped else None

    @cached_property
    def listing(self) -> LinkListing:
        """The list of conflicts: one for each fact that the chosen repair removes, as ``check`` lists them.

        If no repair is proven in time: a minimal conflict, a smallest one where all links are convex.
        """
        if self.is_consistent:
            return LinkListing()
        budget = self._judge.budget
        try:
            with budget.at_most(_REPAIR_SECONDS if budget.seconds is None else budget.seconds / 2):
                chosen = self.chosen
        except BudgetExceeded as limit:
            reason = f"no smallest repair was found, so there may be more conflicts: {limit}"
            return LinkListing((self.inquiry.conflict(),), None, reason)
        return LinkListing(tuple(self.inquiry.resolved(chosen.repair)), chosen)

    # --- what differs if values count as well -----------------------------------------------------------------------

    def _more_to_drop(self, numbers: Sequence[int]) -> Iterable[int]:
        """Return the lightest repair of some facts, by their numbers among all."""
        more = repair(
            Network(link for link in map(self.facts.__getitem__, numbers) if isinstance(link, Link)), self._judge.budget
        )
        added = set(map(id, more.dropped)) if isinstance(more, Repair) else set()
        return (number for number in numbers if id(self.facts[number]) in added)

    def conflict_with(self, fact: Fact) -> tuple[Fact, ...] | None:
        """Return a minimal conflict that a link or value is in; None if it is in none."""
        return self.inquiry.conflict_through(next(each for each in self.facts if each == fact))

    @cached_property
    def redundant(self) -> frozenset[str]:
        """Return the ids of the links that follow from all the others; none if the links are inconsistent."""
        if not self.is_consistent:
            return frozenset()
        follows = self._judge.finder.find(self.network, self._judge.budget)
        return frozenset(link.id for link, is_redundant in zip(self.links, follows, strict=True) if is_redundant)

    def strongest(self, source: str, target: str) -> Relation:
        """Return the smallest relation that follows for a pair; empty if the links are inconsistent."""
        return self._oracle.strongest(source, target)

    def reasons(self, source: str, target: str) -> Reasons:
        """Return what tells the links behind a relation of a pair. The links must be consistent."""
        return PairReasons(self.network, source, target, self._judge.budget)

    @cached_property
    def witness(self) -> Witness | None:
        """Return times with which every link is true; None if there are none.

        They come from an oracle of their own: another one might know other times from earlier questions.
        """
        return Oracle(self.network, budget=self._judge.budget).witness() if self.is_consistent else None


class Reasons(Protocol):
    """What tells the facts behind a relation of a pair."""

    def behind(self, relation: Relation) -> tuple[Fact, ...]:
        """Return few facts from which a relation follows."""


class DatedMoment(Moment):
    """The links and values of a document at one moment. Values are facts as links are: conflicts may hold them."""

    def __init__(
        self, judge: Judge, document: Document, calendar: Calendar, values: DocumentValues, keep: frozenset[str]
    ) -> None:
        super().__init__(judge, document.links, document.entity_ids, keep)
        from temporacle.reasoner.clock.check import CalendarInquiry

        self.inquiry = self._dated = CalendarInquiry(document, calendar, judge.budget, values)

    @property
    def is_consistent(self) -> bool:
        return self.inquiry.is_consistent()

    def _more_to_drop(self, numbers: Sequence[int]) -> Iterable[int]:
        from temporacle.reasoner.clock.conflicts import repair_facts

        found = repair_facts(self._dated.problem.part(numbers), self._judge.budget)
        return [numbers[place] for place in found.dropped] if isinstance(found, GroundedRepair) else ()

    @cached_property
    def redundant(self) -> frozenset[str]:
        """Return the ids of the links that follow from all other links and the values."""
        from temporacle.reasoner.clock.oracle import with_constants
        from temporacle.reasoner.clock.quick import are_dates

        if not self.is_consistent:
            return frozenset()
        budget, problem = self._judge.budget, self._dated.oracle.problem
        if are_dates(problem.values):  # the dates become intervals: links alone are left
            follows = self._judge.finder.find(with_constants(problem), budget)
        else:
            follows = [self._follows(number) for number in range(len(self.links))]
        return frozenset(link.id for link, is_redundant in zip(self.links, follows, strict=False) if is_redundant)

    def _follows(self, number: int) -> bool:
        """Return whether a link follows from all other facts."""
        from temporacle.reasoner.clock.conflicts import conflict_among
        from temporacle.reasoner.clock.problem import Assumptions

        problem, link = self._dated.oracle.problem, self.links[number]
        negated = Link("negated", link.source, ~link.relation, link.target)
        world = problem.with_assumptions(Assumptions((negated,)))
        others = [other for other in problem.every if other != number]
        return conflict_among(world, others, self._judge.budget) is not None

    def strongest(self, source: str, target: str) -> Relation:
        return self._dated.oracle.strongest(source, target)

    def reasons(self, source: str, target: str) -> Reasons:
        return _DatedReasons(self._dated.oracle, source, target)

    @cached_property
    def witness(self) -> Witness | None:
        return self._dated.oracle.witness() if self.is_consistent else None


class _DatedReasons:
    """What tells the links and values behind a relation of a pair."""

    def __init__(self, oracle: CalendarOracle, source: str, target: str) -> None:
        self._oracle, self._ends = oracle, (source, target)

    def behind(self, relation: Relation) -> tuple[Fact, ...]:
        source, target = self._ends
        if relation.is_universal:
            return ()
        return self._oracle.facts_behind(source, relation, target)


_MOST_KEPT = 1_000  # models; a forgotten one costs time only


class RedundancyFinder:
    """Finds the links that follow from all others, again and again for networks that have much in common.

    Convex links: those without a needed edge (``find_needed``), at the cost of one closure. A disjunction follows as
    well if no edge of its hull is needed, and what the hulls say about the pair is inside it. About the others one
    solver for all subsets of the links decides (``cores``); without it, an oracle for each.

    A model that breaks one link only shows that this link does not follow. Such models are kept for the next question,
    and compared with the links that stand at the time, so one may come from any earlier or later state of the document.

    >>> from temporacle.reasoner.network import Budget
    >>> network = Network.of([("a", "b", "b"), ("b", "b|m", "c"), ("a", "b|bi", "c")])
    >>> RedundancyFinder().find(network, Budget())
    [False, False, True]
    """

    def __init__(self) -> None:
        self._models: deque[Times] = deque(maxlen=_MOST_KEPT)

    def find(self, network: Network, budget: Budget) -> list[bool]:
        """Return which links follow from all others. The links must be consistent."""
        size, constraints = len(network.entities), network.constraints
        hulls = find_needed(size, constraints, budget)
        follows = [
            not needed and not hulls.closure.relation(source, target) & ~mask
            for needed, (source, mask, target) in zip(hulls.links, constraints, strict=True)
        ]
        if is_convex(constraints):
            return follows
        arrays = LinkArrays(constraints)
        broken_alone = set()
        for times in self._models:
            broken = arrays.broken(with_times_for(size, times)[: 2 * size])
            if len(broken) == 1:
                broken_alone.add(int(broken[0]))
        undecided = [number for number, known in enumerate(follows) if not known and number not in broken_alone]
        for number, is_so in self._decided(network, undecided, arrays, budget):
            follows[number] = is_so
        return follows

    def _decided(
        self, network: Network, numbers: Sequence[int], arrays: LinkArrays, budget: Budget
    ) -> Iterator[tuple[int, bool]]:
        """Yield whether each of these links follows, and keep the models that show that one does not."""
        solver = _with_opposites(network, numbers, budget) if numbers and is_available() else None
        for place, number in enumerate(numbers):
            budget.check()
            link, others = network.links[number], [*network.links[:number], *network.links[number + 1 :]]
            if solver is not None:
                opposite = len(network.links) + place
                core = solver.core([each for each in range(len(network.links)) if each != number] + [opposite])
                if core is None:
                    times = np.array(solver.times)
                    if arrays.broken(times).tolist() != [number]:
                        raise InternalError(f"a model that should break link {link.id} alone does not")
                    self._models.append(times)
                    yield number, False
                    continue
                others = [network.links[each] for each in core if each != opposite]
            is_so = follows_from(others, link.source, link.relation, link.target, budget)
            if solver is not None and not is_so:
                raise InternalError("a link does not follow from the links that the search found for it")
            yield number, is_so


def _with_opposites(network: Network, numbers: Sequence[int], budget: Budget) -> SelectedLinks | None:
    """Return a solver that knows all links, and behind them the opposites of some; None if it would be too large."""
    from temporacle.reasoner.disjunctions.cores import SelectedLinks

    opposites = [
        (source, ALL & ~mask, target) for source, mask, target in map(network.constraints.__getitem__, numbers)
    ]
    try:
        return SelectedLinks(len(network.entities), [*network.constraints, *opposites], budget)
    except TooLarge:
        return None
