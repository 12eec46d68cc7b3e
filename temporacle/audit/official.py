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

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, LabelError
from temporacle.model import Link
from temporacle.readings import load_reading
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.linkgraph import GrowingGraph
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EQUAL, Relation
from temporacle.results import Verdict
from temporacle.scoring.official.tempeval3.graph import LABELS, Fate, GraphAnswer
from temporacle.scoring.official.tempeval3.scores import (
    ACL11,
    DEFAULT,
    Links,
    OfficialCounts,
    OfficialSide,
    score_sides,
    with_inverses,
)
from temporacle.scoring.official.tempeval3.tlinks import LinkFile, TagPlace, Triple, graph_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.results import Witness
    from temporacle.scoring.official.tempeval3 import LinkPair

    Row = dict[str, Any]

# ----------------------------------------------------------------------------------------------------
# The policy of the TempEval-3 scorer with an exact reasoner in place of its graph: what the program means to compute.
#
# The links of a side are walked in order, each judged by those kept before it: what follows from them is left out, what
# contradicts them is counted but not kept. A link is matched if the other side states it or entails it.


class ExactJudgement(Enum):
    """An answer about a link, of the program or of the exact reasoner."""

    STATED = "stated"
    ENTAILED = "entailed"
    REFUTED = "refuted"
    OPEN = "open"
    UNDECIDED = "undecided"
    COUNTED_TWICE = "counted twice"  # by the program, which refused it but lost track of it
    NO_MEANING = "no meaning"  # the label constrains nothing


CREDITED = frozenset({ExactJudgement.STATED, ExactJudgement.ENTAILED})
_OF_VERDICT = {
    Verdict.ENTAILED: ExactJudgement.ENTAILED,
    Verdict.REFUTED: ExactJudgement.REFUTED,
    Verdict.OPEN: ExactJudgement.OPEN,
}


class Walk:
    """Links judged one by one, each by those kept before it."""

    def __init__(self, links: Iterable[Triple], budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        links = tuple(links)
        network = Network(
            Link(str(position), text(link.source), relation, text(link.target))
            for position, link in enumerate(links)
            if (relation := relation_of(link.label)) is not None and link.source != link.target
        )
        self._graph = GrowingGraph(network, self._budget)
        self._places = {int(link.id): place for place, link in enumerate(network.links)}
        self._known: set[bytes] = set()
        self._constrained: set[bytes] = set()  # entities of kept links
        self._undecided = False  # some link may or may not belong to the kept ones
        self.kept: list[int] = []  # positions
        self.judgements: list[ExactJudgement] = [self._take(position, link) for position, link in enumerate(links)]

    def judge(self, link: Triple) -> ExactJudgement:
        """Return the judgement of the kept links about any link."""
        relation = relation_of(link.label)
        if relation is None:
            return ExactJudgement.NO_MEANING
        if link.source == link.target:
            if not relation & EQUAL:
                return ExactJudgement.REFUTED
            return ExactJudgement.ENTAILED if link.source in self._known else ExactJudgement.OPEN
        if not {link.source, link.target} <= self._constrained:
            return ExactJudgement.OPEN
        index = self._graph.network.index
        try:
            self._budget.check()
            verdict = self._graph.verdict((index[text(link.source)], int(relation), index[text(link.target)]))
        except BudgetExceeded:
            return ExactJudgement.UNDECIDED
        return ExactJudgement.UNDECIDED if verdict is Verdict.OPEN and self._undecided else _OF_VERDICT[verdict]

    def _take(self, position: int, link: Triple) -> ExactJudgement:
        judgement = self.judge(link)
        self._known |= {link.source, link.target}
        self._undecided |= judgement is ExactJudgement.UNDECIDED
        if judgement is ExactJudgement.OPEN and position in self._places:
            self._graph.add(self._places[position])
            self._constrained |= {link.source, link.target}
            self.kept.append(position)
        return judgement


class ExactSide(Walk):
    """One side of a document, judged exactly."""

    def __init__(self, official: OfficialSide, budget: Budget | None = None) -> None:
        self._official = official
        self._stated: dict[tuple[bytes, Relation, bytes], int] = {}
        for position, link in enumerate(official.links):
            relation = relation_of(link.label)
            if relation is not None:
                self._stated.setdefault((link.source, relation, link.target), position)
                self._stated.setdefault((link.target, relation.converse(), link.source), position)
        said = [(link.source, link.target, graph_label(link.label)) for link in official.links]
        first = {statement: position for position, statement in reversed(tuple(enumerate(said)))}
        self.duplicates = frozenset(range(len(official.links))) - frozenset(first.values())
        super().__init__(official.links, budget)

    def stated_at(self, link: Triple) -> int | None:
        """Return the position of a link that says the same; None if there is none."""
        relation = relation_of(link.label)
        return None if relation is None else self._stated.get((link.source, relation, link.target))

    def match(self, link: Triple) -> ExactJudgement:
        """Return the judgement of this side about a link of the other."""
        if self.stated_at(link) is not None or (relation_of(link.label) is None and link in self._official.stated):
            return ExactJudgement.STATED
        return self.judge(link)

    # --- what is counted: see scores.score_sides -----------------------------------------------------------------

    @property
    def set_aside(self) -> int:
        return sum(
            judgement in {ExactJudgement.REFUTED, ExactJudgement.NO_MEANING} for judgement in self._counted().values()
        )

    def scored(self, method: str) -> Links:
        if method == ACL11:
            return self._official.text_lines
        return [self._official.links[position] for position in self._counted()]

    def matches(self, link: Triple) -> bool:
        return self._decided(self.match(link)) in CREDITED

    def confirms(self, link: Triple) -> bool:
        return self._decided(self.judge(link)) is ExactJudgement.ENTAILED

    def _counted(self) -> dict[int, ExactJudgement]:
        """Return judgements by position, without duplicates and links that follow from earlier ones."""
        return {
            position: judgement
            for position, judgement in enumerate(self.judgements)
            if position not in self.duplicates and self._decided(judgement) is not ExactJudgement.ENTAILED
        }

    def _decided(self, judgement: ExactJudgement) -> ExactJudgement:
        if judgement is ExactJudgement.UNDECIDED:
            raise BudgetExceeded(f"not decided within {self._budget.seconds} s")
        return judgement


def relation_of(label: bytes) -> Relation | None:
    """Return the meaning of a label in TimeML, with DURING as SIMULTANEOUS; None if it allows every relation or is
    unknown.
    """
    try:
        relation = load_reading("timeml").relation(text(graph_label(label)))
    except LabelError:
        return None
    return None if relation.is_universal else relation


def text(name: bytes) -> str:
    """Return bytes of a file as text that can be printed."""
    return name.decode("utf-8", "backslashreplace")


# ----------------------------------------------------------------------------------------------------


class LinkQuestion(Enum):
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
    question: LinkQuestion
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
                own.name, position, link, LinkQuestion.REDUCTION, official, exact, cause, own.name, premises
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
            own.name, position, link, LinkQuestion.MATCH, official, exact, cause, other.name, premises, stated
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
        """Return the exact view of the accepted links before a position in the list."""
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


# ----------------------------------------------------------------------------------------------------
# Why the exact reasoner is right about a link: a proof from as few links as possible, or a model.
#
#     entailed or refuted   a minimal set of links that decides it, and the contradiction that the opposite would be
#     open                  times for all entities under which all links hold; in these the link does not hold if the
#                           program confirmed it, and does if the program refused it
#     stated                the link that says the same

_SUPPOSED = "supposed"


@dataclass(frozen=True, slots=True)
class VerdictEvidence:
    """The evidence for a verdict. ``model`` and ``holds`` are set if the links leave the question open."""

    premises: tuple[Link, ...] = ()
    sentences: tuple[str, ...] = ()
    model: Witness | None = None
    holds: bool | None = None  # whether the link is true in the model


def link_at(file: LinkFile, position: int) -> Link:
    """Return a link as people know it. A link that is not in a file has no id."""
    source, target, label = file.links[position]
    place = file.places[position] if file.places else TagPlace("")
    return Link(place.id, text(source), relation_of(label) or ~Relation(0), text(target), text(label), place.line)


def evidence(difference: VerdictDifference, links: Sequence[Link], budget: Budget | None = None) -> VerdictEvidence:
    """Return the evidence for one difference, from all links of the side that was asked.

    It is empty if there is nothing to show.
    """
    relation = relation_of(difference.link.label)
    if relation is None:
        return VerdictEvidence(sentences=(f"the label {text(difference.link.label)} allows every relation",))
    if difference.exact is ExactJudgement.UNDECIDED:
        return VerdictEvidence()
    if difference.stated_at is not None:
        return VerdictEvidence(premises=(links[difference.stated_at],))
    source, target = text(difference.link.source), text(difference.link.target)
    asked = Link(_SUPPOSED, source, relation, target, text(difference.link.label))
    premises = [links[position] for position in difference.premises]
    try:
        if difference.exact is ExactJudgement.OPEN:
            holds = difference.official is ExactJudgement.REFUTED
            return _model(premises, asked, budget or Budget(), holds=holds)
        return _proof(premises, asked, budget or Budget(), holds=difference.exact is ExactJudgement.ENTAILED)
    except BudgetExceeded:
        return VerdictEvidence()


def _model(premises: Sequence[Link], asked: Link, budget: Budget, *, holds: bool) -> VerdictEvidence:
    wanted = asked if holds else asked._replace(relation=~asked.relation)
    world = Oracle(Network((*premises, wanted)), budget=budget)
    if not world.is_consistent():  # the entity was not mentioned before, and the link holds of every entity
        return VerdictEvidence(sentences=(f"{asked.source} is mentioned here for the first time",))
    return VerdictEvidence(model=world.witness(), holds=holds)


def _proof(premises: Sequence[Link], asked: Link, budget: Budget, *, holds: bool) -> VerdictEvidence:
    opposite = asked._replace(relation=~asked.relation, label=f"not {asked.label}") if holds else asked
    conflict = minimal_conflict(Network((*premises, opposite)), budget)
    needed = tuple(link for link in conflict if link is not opposite)
    sentences: list[str] = []
    for piece in convex_pieces(int(opposite.relation)):
        sentences += explain((*needed, opposite._replace(relation=Relation(piece))))
    return VerdictEvidence(needed, tuple(sentences))


# ----------------------------------------------------------------------------------------------------
# The differences of whole documents and of a run, with their evidence.


class LinkDifference(NamedTuple):
    """A link about which the official program and the exact reasoner disagree, with the evidence."""

    difference: VerdictDifference
    link: Link  # as it was asked about: with acl11 perhaps the other way round
    evidence: VerdictEvidence

    def to_dict(self) -> Row:
        """Return the JSON object."""
        difference, why = self.difference, self.evidence
        return {
            "side": difference.side,
            "link": self.link.to_dict(),
            "question": difference.question.value,
            "official": difference.official.value,
            "exact": difference.exact.value,
            "cause": difference.cause.value,
            "evidence": {
                "premises": [link.to_dict() for link in why.premises],
                "explanation": list(why.sentences),
                "model": None if why.model is None else {name: list(times) for name, times in why.model.items()},
                "holds": why.holds,
            },
        }


class ExplainedDocument(NamedTuple):
    """The differences of one document; or why they are not known."""

    name: str
    comparison: VerdictComparison | None = None
    differences: tuple[LinkDifference, ...] = ()
    reason: str | None = None


@dataclass(slots=True)
class Differences:
    """All differences of a run, and the exact counts under the same policy."""

    documents: list[ExplainedDocument] = field(default_factory=list)
    complete: bool = True  # these are all documents, and nothing was left undecided

    def add(self, found: ExplainedDocument) -> None:
        self.documents.append(found)
        self.complete &= found.comparison is not None and found.comparison.exact is not None

    def beside(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of documents, with the exact figures under the same policy."""
        known = {each.name: each.comparison for each in self.documents}
        return [{**row, **_beside(known.get(row["document"]))} for row in rows]

    @property
    def total(self) -> Row:
        """Return the values for the last line."""
        return {"exact": None if self.exact is None else self.exact.to_dict(), "differences": by_cause(self.causes)}

    @property
    def official(self) -> OfficialCounts:
        return sum((found.official for found in self._comparisons()), OfficialCounts())

    @property
    def exact(self) -> OfficialCounts | None:
        """Return the exact counts; None unless every document is decided, since partial scores would mislead."""
        known = [found.exact for found in self._comparisons() if found.exact is not None]
        return sum(known, OfficialCounts()) if self.complete else None

    @property
    def causes(self) -> list[VerdictDifference]:
        return [difference for found in self._comparisons() for difference in found.differences]

    def _comparisons(self) -> Iterator[VerdictComparison]:
        return (each.comparison for each in self.documents if each.comparison is not None)


def by_cause(differences: Iterable[VerdictDifference]) -> Row:
    """Return how many differences each cause has."""
    counted = Counter(difference.cause.value for difference in differences)
    return {cause.value: counted[cause.value] for cause in DifferenceCause if counted[cause.value]}


def _beside(found: VerdictComparison | None) -> Row:
    if found is None:
        return {"exact": None, "differences": None}
    exact = None if found.exact is None else found.exact.to_dict()
    return {"exact": exact, "differences": by_cause(found.differences)}


class ExplainJob(NamedTuple):
    """Finds the differences of documents: a job for the runner."""

    method: str
    budget: float | None
    side: type[OfficialSide] = OfficialSide  # as the program sees the links

    def results(self, item: LinkPair, skip: int, tell: Callable[[str], None]) -> Iterator[ExplainedDocument]:
        if not skip:
            tell(item.name)
            yield self._explained(item)

    def failed(self, item: LinkPair, name: str | None, reason: str) -> ExplainedDocument:  # noqa: ARG002
        return ExplainedDocument(item.name, reason=reason)

    def _explained(self, pair: LinkPair) -> ExplainedDocument:
        files = {"gold": pair.gold, "system": pair.system or LinkFile()}
        limit = Budget(self.budget)
        try:
            sides = (self.side(files["gold"].links, limit), self.side(files["system"].links, limit))
            found = compare(*sides, self.method, limit)
        except BudgetExceeded as reason:
            return ExplainedDocument(pair.name, reason=str(reason))
        links = {side: [link_at(file, number) for number in range(len(file.links))] for side, file in files.items()}
        shown = tuple(
            LinkDifference(
                difference,
                _as_asked(links[difference.side][difference.position], difference),
                evidence(difference, links[difference.asked], limit),
            )
            for difference in found.differences
        )
        return ExplainedDocument(pair.name, found, shown)


def _as_asked(link: Link, difference: VerdictDifference) -> Link:
    turned = link_at(LinkFile((difference.link,)), 0)
    return link._replace(source=turned.source, target=turned.target, label=turned.label, relation=turned.relation)
