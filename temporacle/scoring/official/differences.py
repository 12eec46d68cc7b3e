"""Where the TempEval-3 scorer and an exact reasoner disagree about the links of a document, and why.

Both walk the links of a side in order and judge each by the links taken in before it (*reduction*). Then each link that
is counted is put to the other side (*match*), which has it either stated or entailed. For a difference, the cause is
the first of these that applies:

    LABEL        the program does not know the label, or not in this spelling
    TEXT_MATCH   it found, or missed, the link among the other side's texts
    BEGINS       it can never confirm this label
    ORDER        it was right about the links it had taken in, but earlier ones were taken in, or refused, wrongly
    UNSOUND      it confirmed or refused what does not follow
    INCOMPLETE   it did not see what follows
    UNDECIDED    the exact reasoner ran out of time; nobody knows whether there is a difference

The exact side is anything that makes a reasoner from statements, such as ``temporacle.reasoner.oracle.Oracle``. One
reasoner is made for each link that joins two known entities: quadratic, and meant for documents of annotated texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

from temporacle.errors import LabelError
from temporacle.readings import load_reading
from temporacle.relation import EQUAL, Relation
from temporacle.results import Verdict
from temporacle.scoring.official.awareness import Links, Side
from temporacle.scoring.official.timegraph import LABELS, Answer, Fate
from temporacle.scoring.official.tlinks import Triple, graph_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.reasoner.network import Budget

Statement: TypeAlias = tuple[str, Relation, str]


class Reasoner(Protocol):
    """What is asked of the exact side."""

    def entails(self, source: str, relation: Relation, target: str, /) -> Verdict: ...


MakeReasoner: TypeAlias = Callable[[Sequence[Statement]], Reasoner]


class Question(Enum):
    """What the two were asked about a link."""

    REDUCTION = "reduction"  # does it follow from, or contradict, the links before it?
    MATCH = "match"  # does the other side say so?


class Judgement(Enum):
    """An answer, of either side."""

    STATED = "stated"
    ENTAILED = "entailed"
    REFUTED = "refuted"
    OPEN = "open"
    UNDECIDED = "undecided"
    NO_MEANING = "no meaning"  # the label constrains nothing


class Cause(Enum):
    """Why the two differ; see above."""

    LABEL = "label"
    TEXT_MATCH = "text match"
    BEGINS = "BEGINS"
    ORDER = "order"
    UNSOUND = "unsound"
    INCOMPLETE = "incomplete"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Difference:
    """One link that the two judge differently."""

    side: str  # "gold" or "system": where the link stands
    position: int  # in the list of that side, from 0
    link: Triple
    question: Question
    official: Judgement
    exact: Judgement
    cause: Cause


_OF_VERDICT = {
    Verdict.ENTAILED: Judgement.ENTAILED,
    Verdict.REFUTED: Judgement.REFUTED,
    Verdict.OPEN: Judgement.OPEN,
    Verdict.UNKNOWN: Judgement.UNDECIDED,
}
_OF_FATE = {
    Fate.TAKEN: Judgement.OPEN,
    Fate.ADDED: Judgement.OPEN,
    Fate.REDUNDANT: Judgement.ENTAILED,
    Fate.VIOLATED: Judgement.REFUTED,
}
_OF_ANSWER = {
    Answer.TRUE: Judgement.ENTAILED,
    Answer.FALSE: Judgement.REFUTED,
    Answer.UNKNOWN: Judgement.OPEN,
}
_CREDITED = frozenset({Judgement.STATED, Judgement.ENTAILED})


def differences(gold: Links, system: Links, reasoner: MakeReasoner, budget: Budget | None = None) -> list[Difference]:
    """All differences about one document: gold's links first, for each link reduction before match.

    >>> from temporacle.reasoner.oracle import Oracle
    >>> links = [Triple(b"a", b"b", b"SIMULTANEOUS"), Triple(b"c", b"a", b"BEFORE"), Triple(b"d", b"b", b"BEFORE")]
    >>> [found] = differences(links, [Triple(b"c", b"d", b"SIMULTANEOUS")], Oracle)
    >>> found.side, found.official.value, found.exact.value, found.cause.value
    ('system', 'entailed', 'open', 'unsound')
    """
    sides = {"gold": _Judges(gold, reasoner, budget), "system": _Judges(system, reasoner, budget)}
    found: list[Difference] = []
    for name, own, other in (("gold", sides["gold"], sides["system"]), ("system", sides["system"], sides["gold"])):
        for position, link in enumerate(own.links):
            fate = own.official.graph.fates[position]
            if fate is Fate.DUPLICATE:
                continue
            official, exact = _OF_FATE[fate], own.exact.judgements[position]
            if official is not exact:
                cause = _cause_in_reduction(own, position, official, exact)
                found.append(Difference(name, position, link, Question.REDUCTION, official, exact, cause))
            if Judgement.ENTAILED is official is exact:
                continue  # neither counts it
            official, exact = other.official_match(link), other.exact_match(link)
            if Judgement.UNDECIDED is exact or (official in _CREDITED) is not (exact in _CREDITED):
                cause = _cause_in_match(other, link, official, exact)
                found.append(Difference(name, position, link, Question.MATCH, official, exact, cause))
    return found


class _Judges:
    """One side as the program and as the exact reasoner see it."""

    def __init__(self, links: Links, reasoner: MakeReasoner, budget: Budget | None) -> None:
        self.links = links
        self.official = Side(links, budget)
        self.exact = _ExactSide(links, reasoner)
        self._reasoner = reasoner

    def official_match(self, link: Triple) -> Judgement:
        return Judgement.STATED if self.official.states(link) else _OF_ANSWER[self.official.graph.answer(link)]

    def exact_match(self, link: Triple) -> Judgement:
        relation = relation_of(link.label)
        if relation is None:
            return Judgement.STATED if link in self.official.stated else Judgement.NO_MEANING
        stated = (link.source, relation, link.target) in self.exact.stated
        return Judgement.STATED if stated else self.exact.judge(link)

    @cached_property
    def taken_in(self) -> _ExactSide:
        """The exact view of just the links that the program's graph took in."""
        return self.taken_in_before(len(self.links))

    def taken_in_before(self, position: int) -> _ExactSide:
        """The same, but only for the links before a place in the list."""
        fates = self.official.graph.fates[:position]
        taken = [link for link, fate in zip(self.links, fates, strict=False) if fate in {Fate.TAKEN, Fate.ADDED}]
        return _ExactSide(taken, self._reasoner)


class _ExactSide:
    """Links judged one by one, each by the exact reasoner over those kept before it."""

    def __init__(self, links: Iterable[Triple], reasoner: MakeReasoner) -> None:
        self._make = reasoner
        self._reasoner: Reasoner | None = None  # over the kept links; None: not made yet
        self._kept: list[Statement] = []
        self._constrained: set[bytes] = set()  # entities of kept links
        self._known: set[bytes] = set()
        self._undecided = False  # some link may or may not belong to the kept ones
        self.stated: set[tuple[bytes, Relation, bytes]] = set()
        self.judgements: list[Judgement] = [self._take(link) for link in links]

    def judge(self, link: Triple) -> Judgement:
        relation = relation_of(link.label)
        if relation is None:
            return Judgement.NO_MEANING
        if link.source == link.target:
            if not relation & EQUAL:
                return Judgement.REFUTED
            return Judgement.ENTAILED if link.source in self._known else Judgement.OPEN
        if not {link.source, link.target} <= self._constrained:
            return Judgement.OPEN
        if self._reasoner is None:
            self._reasoner = self._make(tuple(self._kept))
        judgement = _OF_VERDICT[self._reasoner.entails(_text(link.source), relation, _text(link.target))]
        return Judgement.UNDECIDED if judgement is Judgement.OPEN and self._undecided else judgement

    def _take(self, link: Triple) -> Judgement:
        judgement = self.judge(link)
        relation = relation_of(link.label)
        self._known |= {link.source, link.target}
        self._undecided |= judgement is Judgement.UNDECIDED
        if relation is not None:
            self.stated |= {(link.source, relation, link.target), (link.target, relation.converse, link.source)}
            if judgement is Judgement.OPEN and link.source != link.target:
                self._kept.append((_text(link.source), relation, _text(link.target)))
                self._constrained |= {link.source, link.target}
                self._reasoner = None
        return judgement


def relation_of(label: bytes) -> Relation | None:
    """What a label means in TimeML, DURING being SIMULTANEOUS; None if it constrains nothing or is unknown."""
    try:
        relation = load_reading("timeml").relation(_text(graph_label(label)))
    except LabelError:
        return None
    return None if relation.is_universal else relation


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _cause_in_reduction(own: _Judges, position: int, official: Judgement, exact: Judgement) -> Cause:
    link = own.links[position]
    cause = _cause_by_label(graph_label(link.label).upper(), official, exact)
    if cause is not None:
        return cause
    if own.taken_in_before(position).judge(link) is official:
        return Cause.ORDER
    return Cause.INCOMPLETE if official is Judgement.OPEN else Cause.UNSOUND


def _cause_in_match(other: _Judges, link: Triple, official: Judgement, exact: Judgement) -> Cause:
    if Judgement.STATED in {official, exact}:
        return Cause.TEXT_MATCH
    cause = _cause_by_label(link.label, official, exact)
    if cause is not None:
        return cause
    credited = official in _CREDITED
    if (other.taken_in.judge(link) in _CREDITED) is credited:
        return Cause.ORDER
    return Cause.UNSOUND if credited else Cause.INCOMPLETE


def _cause_by_label(label: bytes, official: Judgement, exact: Judgement) -> Cause | None:
    if exact is Judgement.UNDECIDED:
        return Cause.UNDECIDED
    if label not in LABELS:
        return Cause.LABEL
    return Cause.BEGINS if label == b"BEGINS" and official is Judgement.REFUTED else None
