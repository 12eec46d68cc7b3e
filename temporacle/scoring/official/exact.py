"""The policy of the TempEval-3 scorer with an exact reasoner in place of its graph: what the program means to compute.

The links of a side are walked in order, each judged by those kept before it: what follows from them is left out, what
contradicts them is counted but not kept. A link is matched if the other side states it or entails it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, LabelError
from temporacle.model import Link
from temporacle.readings import load_reading
from temporacle.reasoner.growing import GrowingGraph
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import EQUAL, Relation
from temporacle.results import Verdict
from temporacle.scoring.official.awareness import ACL11
from temporacle.scoring.official.tlinks import Triple, graph_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.scoring.official.awareness import Links, OfficialSide


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

    # --- what is counted: see awareness.score_sides -----------------------------------------------------------------

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
