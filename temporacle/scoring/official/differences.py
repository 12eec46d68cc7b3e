"""Find the links of a document about which the TempEval-3 scorer and an exact reasoner disagree, and why.

Both walk the links of a side in order and judge each by the links taken in before it (*reduction*). Then each link that
is counted is put to the other side (*match*), which has it either stated or entailed. For a difference, the cause is
the first of these that applies:

    UNDECIDED    the exact reasoner ran out of time; it is not known whether there is a difference
    TEXT_MATCH   the program found, or missed, the link among texts
    LABEL        it does not know the label, or not in this spelling
    BEGINS       it can never confirm this label
    ORDER        it was right about the links it had taken in, but earlier ones were taken in, or refused, wrongly
    UNSOUND      it confirmed or refused what does not follow
    INCOMPLETE   it did not see what follows

Cost: one walk over a side for each side and for each difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded
from temporacle.scoring.official.awareness import (
    ACL11,
    DEFAULT,
    Links,
    OfficialCounts,
    OfficialSide,
    score_sides,
    with_inverses,
)
from temporacle.scoring.official.exact import CREDITED, ExactJudgement, ExactSide, Walk
from temporacle.scoring.official.timegraph import LABELS, Fate, GraphAnswer
from temporacle.scoring.official.tlinks import Triple, graph_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.reasoner.network import Budget


class Question(Enum):
    """The question about a link that the official and the exact scorer answer."""

    REDUCTION = "reduction"  # does it follow from, or contradict, the links before it?
    MATCH = "match"  # does the other side say so?


class DifferenceCause(Enum):
    """Why the two differ; see above."""

    LABEL = "label"
    TEXT_MATCH = "text match"
    BEGINS = "BEGINS"
    ORDER = "order"
    UNSOUND = "unsound"
    INCOMPLETE = "incomplete"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class VerdictDifference:
    """One link that the two judge differently."""

    side: str  # "gold" or "system": where the link stands
    position: int  # in the list of that side, from 0
    link: Triple  # with the method acl11 perhaps turned round
    question: Question
    official: ExactJudgement
    exact: ExactJudgement
    cause: DifferenceCause
    asked: str  # the side whose links answer
    premises: tuple[int, ...]  # positions of the links there by which the exact reasoner judged: those it had kept
    stated_at: int | None = None  # the position there of a link that says the same, where that decides


class VerdictComparison(NamedTuple):
    """A document judged by both."""

    official: OfficialCounts
    exact: OfficialCounts | None  # None: undecided
    differences: tuple[VerdictDifference, ...]


_OF_FATE = {
    Fate.TAKEN: ExactJudgement.OPEN,
    Fate.ADDED: ExactJudgement.OPEN,
    Fate.REDUNDANT: ExactJudgement.ENTAILED,
    Fate.VIOLATED: ExactJudgement.REFUTED,
    Fate.DUPLICATE: ExactJudgement.STATED,
}
_OF_ANSWER = {
    GraphAnswer.TRUE: ExactJudgement.ENTAILED,
    GraphAnswer.FALSE: ExactJudgement.REFUTED,
    GraphAnswer.UNKNOWN: ExactJudgement.OPEN,
}


def compare(
    gold: OfficialSide, system: OfficialSide, method: str = DEFAULT, budget: Budget | None = None
) -> VerdictComparison:
    """Return both scores of one document and everything on which they disagree. ``budget`` is for the exact side.

    >>> links = [Triple(b"a", b"b", b"SIMULTANEOUS"), Triple(b"c", b"a", b"BEFORE"), Triple(b"d", b"b", b"BEFORE")]
    >>> found = compare(OfficialSide(links), OfficialSide([Triple(b"c", b"d", b"SIMULTANEOUS")]))
    >>> found.official.precision_matched, found.exact.precision_matched
    (1, 0)
    >>> [(each.side, each.official.value, each.exact.value, each.cause.value) for each in found.differences]
    [('system', 'entailed', 'open', 'unsound')]
    """
    judges = (_Judges("gold", gold, budget), _Judges("system", system, budget))
    try:
        exact = score_sides(judges[0].exact, judges[1].exact, method).counts
    except BudgetExceeded:
        exact = None
    found = [
        difference
        for own, other in (judges, judges[::-1])
        for difference in (_about_lines(own, other) if method == ACL11 else _about_reduced(own, other))
    ]
    return VerdictComparison(score_sides(gold, system, method).counts, exact, tuple(found))


def differences(
    gold: Links, system: Links, method: str = DEFAULT, budget: Budget | None = None
) -> list[VerdictDifference]:
    """Return all differences about one document: gold's links first, for each link reduction before match."""
    return list(compare(OfficialSide(gold), OfficialSide(system), method, budget).differences)


def _about_reduced(own: _Judges, other: _Judges) -> Iterator[VerdictDifference]:
    """Yield the differences for methods that count links that do not follow from the links before them."""
    for position, link in enumerate(own.links):
        if position in own.exact.duplicates:
            continue
        official, exact = own.official_in_reduction(position), own.exact.judgements[position]
        if official in CREDITED and exact in CREDITED:
            continue  # neither counts it
        if official is not exact:
            cause = _cause_in_reduction(own, position, official, exact)
            premises = own.kept_before(position)
            yield VerdictDifference(
                own.name, position, link, Question.REDUCTION, official, exact, cause, own.name, premises
            )
        yield from _about_match(own, other, position, link)


def _about_lines(own: _Judges, other: _Judges) -> Iterator[VerdictDifference]:
    """Yield the differences for the method that counts every link and its inverse."""
    for position, link in enumerate(own.links):
        for line in with_inverses((link,)):
            yield from _about_match(own, other, position, line)


def _about_match(own: _Judges, other: _Judges, position: int, link: Triple) -> Iterator[VerdictDifference]:
    official, exact = other.official_match(link), other.exact.match(link)
    if ExactJudgement.UNDECIDED is exact or (official in CREDITED) is not (exact in CREDITED):
        cause = _cause_in_match(other, link, official, exact)
        stated = other.exact.stated_at(link) if exact is ExactJudgement.STATED else None
        premises = tuple(other.exact.kept)
        yield VerdictDifference(
            own.name, position, link, Question.MATCH, official, exact, cause, other.name, premises, stated
        )


class _Judges:
    """One side as the program and as the exact reasoner see it."""

    def __init__(self, name: str, official: OfficialSide, budget: Budget | None) -> None:
        self.name = name
        self.links = official.links
        self.official = official
        self.exact = ExactSide(official, budget)
        self._budget = budget

    def official_in_reduction(self, position: int) -> ExactJudgement:
        """Return by what was counted.

        Labels that are not in capitals spoil the program's bookkeeping: it forgets that it found a link redundant, and
        counts a violated one twice.
        """
        link, fate = self.links[position], self.official.graph.fates[position]
        counted = Triple(link.source, link.target, graph_label(link.label)) in self._left_standing
        if fate is Fate.VIOLATED:
            return ExactJudgement.COUNTED_TWICE if counted else ExactJudgement.REFUTED
        if fate is Fate.DUPLICATE:
            return ExactJudgement.STATED
        return ExactJudgement.OPEN if counted else ExactJudgement.ENTAILED

    @cached_property
    def _left_standing(self) -> frozenset[Triple]:
        """Return the reduced list without the violated links at its end."""
        reduced = self.official.graph.reduced()
        return frozenset(reduced[: len(reduced) - len(self.official.graph.violated)])

    def official_match(self, link: Triple) -> ExactJudgement:
        return ExactJudgement.STATED if self.official.states(link) else _OF_ANSWER[self.official.graph.answer(link)]

    def kept_before(self, position: int) -> tuple[int, ...]:
        return tuple(kept for kept in self.exact.kept if kept < position)

    @cached_property
    def taken_in(self) -> Walk:
        """Return the exact view of only the links that the program's graph accepted."""
        return self.taken_in_before(len(self.links))

    def taken_in_before(self, position: int) -> Walk:
        """Return the same for the links before a position in the list."""
        fates = self.official.graph.fates[:position]
        taken = [link for link, fate in zip(self.links, fates, strict=False) if fate in {Fate.TAKEN, Fate.ADDED}]
        return Walk(taken, self._budget)


def _cause_in_reduction(
    own: _Judges, position: int, official: ExactJudgement, exact: ExactJudgement
) -> DifferenceCause:
    link = own.links[position]
    if official is not _OF_FATE[own.official.graph.fates[position]]:
        return DifferenceCause.LABEL
    cause = _cause_at_sight(graph_label(link.label).upper(), official, exact)
    if cause is not None:
        return cause
    if own.taken_in_before(position).judge(link) is official:
        return DifferenceCause.ORDER
    return DifferenceCause.INCOMPLETE if official is ExactJudgement.OPEN else DifferenceCause.UNSOUND


def _cause_in_match(other: _Judges, link: Triple, official: ExactJudgement, exact: ExactJudgement) -> DifferenceCause:
    cause = _cause_at_sight(link.label, official, exact)
    if cause is not None:
        return cause
    credited = official in CREDITED
    if (other.taken_in.judge(link) in CREDITED) is credited:
        return DifferenceCause.ORDER
    return DifferenceCause.UNSOUND if credited else DifferenceCause.INCOMPLETE


def _cause_at_sight(label: bytes, official: ExactJudgement, exact: ExactJudgement) -> DifferenceCause | None:
    if exact is ExactJudgement.UNDECIDED:
        return DifferenceCause.UNDECIDED
    if ExactJudgement.STATED in {official, exact}:
        return DifferenceCause.TEXT_MATCH
    if label not in LABELS:
        return DifferenceCause.LABEL
    return DifferenceCause.BEGINS if label == b"BEGINS" and official is ExactJudgement.REFUTED else None
