"""Temporal awareness (UzZaman & Allen 2011; TempEval-3), with complete inference.

    P = |{ r counted in the system's reduced graph : the reference verifies r }| / |reduced system|
    R = |{ r counted in the reference's reduced graph : the system verifies r }| / |reduced reference|

*Reduced* is the greedy walk of ``side``. A graph *verifies* r if it entails r, or states it: a link between the
same entities with the same atoms, in either direction, whatever its label, also one that was set aside. A graph that
mentions x knows x and entails x = x. A link whose entities the other side does not know is not verified, and stays in
the denominator.

>>> from temporacle.model import Document
>>> chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]
>>> key, answer = (Document("d", links) for links in (chain, [chain[0], ("b", "BEFORE", "d")]))
>>> counts = judge(key, answer, AwarenessOptions()).counts
>>> str(counts.precision(0)), str(counts.recall(0))
('1', '1/3')

With values of time expressions (``DatedAnnotation``), stated links are counted as without them. Values are knowledge of
the graph that the other side's links are put to. Links that contradict the values, in document order, are set aside; so
is a value that contradicts values before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from temporacle.errors import BudgetExceeded, InputError, UsageError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import Relation
from temporacle.results import NOTHING, MatchCounts, PairRow, Repair, Verdict, grouped
from temporacle.scoring.metric import Contradictions, GraphOptions, Judgement, Metric, Seasons, Vague, Values, option
from temporacle.scoring.side import Side
from temporacle.scoring.tally import UNKNOWN, LabelNames, PairKinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document, Link
    from temporacle.reasoner.clock.oracle import CalendarOracle

Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True)
class AwarenessOptions(GraphOptions):
    """Options for contradictory links, links that constrain nothing, and the values of time expressions."""

    vague: Vague = option(Vague.IGNORE, "Links that constrain nothing, such as VAGUE: ignore or count them.")  # noqa: RUF009
    calendar: Values = option(Values.NONE, "Use the values of time expressions: within, document or exact.")  # noqa: RUF009
    hemisphere: Seasons = option(Seasons.UNKNOWN, "With calendar: whose seasons values name.")  # noqa: RUF009
    zone: str = option("", "With calendar: the zone of values without one, such as +01:00.")

    def __post_init__(self) -> None:
        super(AwarenessOptions, self).__post_init__()
        if self.calendar is not Values.NONE:
            self.require_exact("calendar")
        if self.calendar is Values.NONE and (self.zone or self.hemisphere is not Seasons.UNKNOWN):
            raise UsageError("hemisphere and zone have an effect only with calendar: add calendar, or leave them out")
        if self.zone:
            self._calendar()  # refuses anything that is not a zone

    def _calendar(self) -> Calendar:
        from temporacle.calendar.policy import Calendar, Hemisphere, Policy, read_zone

        zone = read_zone(self.zone) if self.zone else None
        return Calendar(Policy(self.calendar.value), Hemisphere(self.hemisphere.value), zone)

    def signature(self) -> dict[str, str]:
        """Return the signature. Without a calendar, it is the same as before calendars existed."""
        signed = super(AwarenessOptions, self).signature()
        for name in ("calendar", "hemisphere", "zone"):
            del signed[name]
        if self.calendar is not Values.NONE:
            signed["calendar"] = self._calendar().signed()
        return signed

    def side(self, document: Document, budget: Budget) -> Side:
        """Return a document as it is scored."""
        if self.calendar is Values.NONE:
            return Side(document, budget, self.contradictions, self.vague, self.engine.value)

        return DatedAnnotation(document, budget, self._calendar(), self.contradictions, self.vague)


@dataclass(frozen=True, slots=True)
class AwarenessCounts(MatchCounts):
    """Verified links out of counted ones; how many were set aside, and left out because they constrain nothing."""

    system_set_aside: int = 0
    gold_set_aside: int = 0
    system_vague_left_out: int = 0
    gold_vague_left_out: int = 0


def judge(gold: Document, system: Document, options: AwarenessOptions) -> Judgement:
    """Return awareness of one pair of documents."""
    budget = Budget.of_document(options.budget)
    key, answer = (options.side(document, budget) for document in (gold, system))
    right, found = key.verified(answer), answer.verified(key)
    counts = AwarenessCounts(
        precision_matched=len(right),
        system_total=len(answer.counted),
        recall_matched=len(found),
        gold_total=len(key.counted),
        system_set_aside=len(answer.set_aside),
        gold_set_aside=len(key.set_aside),
        system_vague_left_out=answer.left_out,
        gold_vague_left_out=key.left_out,
    )
    if not (options.details or options.rows):
        return Judgement(counts)
    sides = (_Side(key, set(found)), _Side(answer, set(right)))
    rows = tuple(_rows(*sides, asks=options.rows and options.details))
    if not options.details:
        return Judgement(counts, rows=rows)
    kinds = PairKinds((gold, system))
    kept = tuple(row._replace(kind=kinds.of(row.source, row.target)) for row in rows)
    breakdown = {name: grouped(kept, name) for name in ("kind", "label")}
    return Judgement(counts, breakdown, _confusion(*sides), rows=kept if options.rows else ())


class _Side(NamedTuple):
    """An annotation, and which of its counted links the other side verifies."""

    annotation: Side
    verified: set[int]

    def links(self) -> Iterator[tuple[Link, bool]]:
        """Return the counted links, and whether the other side verifies them."""
        return ((self.annotation.link(position), position in self.verified) for position in self.annotation.counted)


def _confusion(key: _Side, answer: _Side) -> Counter[tuple[str, str]]:
    """Return the system's label for the pair of each counted gold link, and its labels for pairs without one."""
    names = LabelNames((key.annotation.document, answer.annotation.document))
    table: Counter[tuple[str, str]] = Counter()
    gold, system = list(key.links()), list(answer.links())
    for (link, hit), said in zip(gold, answer.annotation.says_each(_pairs(gold)), strict=True):
        label = names.of(int(link.relation))
        table[label, label if hit else UNKNOWN if said is None else names.of(said)] += 1
    for (link, hit), said in zip(system, key.annotation.says_each(_pairs(system)), strict=True):
        label = UNKNOWN if said is None else names.of(said)
        if label in {UNKNOWN, NOTHING} and not hit:
            table[label, names.of(int(link.relation))] += 1
    return table


def _rows(key: _Side, answer: _Side, *, asks: bool) -> Iterator[PairRow]:
    """Yield one row for each counted link of gold, with a counted link of the system about the same pair if there is
    one; then one for each other counted link of the system.

    A side without a counted link of its own has the label that follows there; ``asks``: also one that differs.
    """
    names = LabelNames((key.annotation.document, answer.annotation.document))
    gold, system = list(key.links()), list(answer.links())
    free: dict[tuple[str, str], list[tuple[Link, bool]]] = {}
    for link, hit in system:
        free.setdefault((link.source, link.target), []).append((link, hit))
    for link, hit in gold:
        label = names.of(int(link.relation))
        own, other = free.get((link.source, link.target)), free.get((link.target, link.source))
        if partners := own or other:
            partner, borne_out = partners.pop(0)
            relation = partner.relation if partners is own else partner.relation.converse()
            yield PairRow(*_ends(link), label, names.of(int(relation)), borne_out, hit, link.weight)
        else:
            said = label if hit else _said(answer, link, names) if asks else None
            yield PairRow(*_ends(link), label, said, None, hit, link.weight)
    for link, hit in (each for rest in free.values() for each in rest):
        label = names.of(int(link.relation))
        said = label if hit else _said(key, link, names) if asks else None
        yield PairRow(*_ends(link), said, label, hit, None, link.weight)


def _ends(link: Link) -> tuple[str, str]:
    return link.source, link.target


def _said(side: _Side, link: Link, names: LabelNames) -> str | None:
    found = side.annotation.says(link.source, link.target)
    label = None if found is None else names.of(found)
    return None if label == NOTHING else label


def _pairs(links: list[tuple[Link, bool]]) -> list[tuple[str, str]]:
    return [(link.source, link.target) for link, _ in links]


METRIC = Metric(
    "awareness",
    "temporal awareness (UzZaman & Allen 2011; TempEval-3)",
    judge,
    AwarenessOptions,
    AwarenessCounts,
    groups=frozenset({"label", "kind"}),
)


class DatedAnnotation(Side):
    """A document as the scorers see it, with its values."""

    def __init__(
        self, document: Document, budget: Budget, calendar: Calendar, contradictions: Contradictions, vague: Vague
    ) -> None:
        super().__init__(document, budget, contradictions, vague)
        from temporacle.reasoner.clock.oracle import CalendarOracle  # most scores know no values

        self._asked = CalendarOracle(document, calendar, budget=budget)
        values, _ = self._parted(self._asked.values.facts, lambda some: self._about((), some))
        if contradictions is Contradictions.REPAIR:
            against = self._repaired(values)
        else:
            _, against = self._parted(self.kept, lambda some: self._about(some, values))
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
        from temporacle.reasoner.clock.problem import CalendarProblem

        links = [self.link(position) for position in positions]
        network = Network(links, self.network.entities)
        return self._asked.about(CalendarProblem(network, values, self._asked.calendar.zone))

    def _parted(self, facts: Sequence[Fact], about: Callable[[list[Fact]], CalendarOracle]) -> tuple[list[Fact], ...]:
        """Return the facts in order without those that contradict earlier ones, and these.

        The next one ends the shortest beginning that is inconsistent, found by halving.
        """
        kept, gone, first = list(facts), list[Fact](), 0

        def contradict(size: int) -> bool:
            return not about(kept[:size]).is_consistent()

        while contradict(len(kept)):
            sizes = range(first + 1, len(kept))
            first += bisect_left(sizes, x=True, key=contradict)
            gone.append(kept.pop(first))
        return kept, gone

    def _repaired(self, values: Sequence[CalendarFact]) -> list[int]:
        """Return the lightest kept links that contradict the values."""
        found = self._about(self.kept, values).repair(protect=("values",))
        dropped = {id(fact) for fact in found.dropped} if isinstance(found, Repair) else set()
        return [position for position in self.kept if id(self.link(position)) in dropped]

    # --- questions from the other side --------------------------------------------------------------------------------

    def verified(self, other: Side) -> list[int]:
        """Return the positions of links that this side entails, by its links and values."""
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
            raise BudgetExceeded("not decided within the time limit")
        return verdict is Verdict.ENTAILED

    def says_each(self, pairs: Sequence[tuple[str, str]]) -> list[int | None]:
        """Return the strongest relation of each pair; None if an entity is not known here."""
        known = self._oracle.problem.network.index
        return [
            int(self._oracle.strongest(source, target)) if source in known and target in known else None
            for source, target in pairs
        ]


# ----------------------------------------------------------------------------------------------------
# Timelines of SemEval-2015 task 4, scored by temporal awareness.
#
# A timeline states an order of events and a time anchor for each. It becomes links: every mention is BEFORE the next
# one of the list, or SIMULTANEOUS where both have one position. Anchors are not related to each other, and events at
# position 0 take no part. The reader makes these links, and marks those to anchors. For the reader an event lies
# within its anchor; the task takes the two as SIMULTANEOUS, and so does this metric. ``ordering_only`` leaves the
# anchors out. Then metric ``awareness`` scores the two graphs; counts of timelines add up.
#
# Repeated mentions are numbered, so that a perfect copy scores 1. The official program numbers repeats differently;
# its digits are a separate scorer.

ANCHOR = "anchor"  # the task of links between an event and its time
_EQUAL = Relation.of("=")


@dataclass(frozen=True, slots=True)
class TimelineOptions(GraphOptions):
    """Options for contradictory links and for time anchors."""

    ordering_only: bool = option(
        default=False,
        about="Score the order of events alone, without time anchors.",
        signed="anchors",
        values=("yes", "no"),
    )


def judge_timelines(gold: Document, system: Document, options: TimelineOptions) -> Judgement:
    """Return awareness of one pair of timelines."""
    prepare = without_anchors if options.ordering_only else with_equal_anchors
    gold, system = prepare(gold), prepare(system)
    plain = AwarenessOptions(options.budget, options.details, options.rows, options.contradictions, options.engine)
    return judge(gold, system, plain)


def without_anchors(document: Document) -> Document:
    """Return the order of events alone."""
    return replace(document, links=tuple(link for link in document.links if link.task != ANCHOR))


def with_equal_anchors(document: Document) -> Document:
    """Return the timeline with each event simultaneous with its anchor."""
    return replace(document, links=tuple(map(_equal_anchor, document.links)))


def _equal_anchor(link: Link) -> Link:
    return link if link.task != ANCHOR else link._replace(relation=_EQUAL, label="SIMULTANEOUS")


TIMELINE = Metric(
    "timeline",
    "timelines of SemEval-2015 task 4, by temporal awareness",
    judge_timelines,
    TimelineOptions,
    AwarenessCounts,
    groups=frozenset({"label", "kind"}),
    format="timeline",
)
