"""Everything a report shows about one gold document and the answers of systems to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InputError
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.report.gathering.document import linked_entities, timeline_of
from temporacle.report.gathering.entities import entity_rows, pieces_of
from temporacle.report.gathering.reasons import judged_links
from temporacle.report.gathering.scores import prf
from temporacle.report.names import shown_path
from temporacle.report.values import limits
from temporacle.report.values.document import Connection, LinkStatus
from temporacle.report.values.systems import ComparedPage, SystemAnswer
from temporacle.scoring.annotation import Annotation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.report.values.document import EntityRow, TimelineBars
    from temporacle.report.values.systems import JudgedLink
    from temporacle.results import Score

    Found = Document | Unreadable


class NamedCorpus(NamedTuple):
    """The documents of gold or of a system, with the name that was given for them."""

    name: str
    documents: Sequence[Found]
    is_chosen: bool = False  # the name was given, and is not a path

    @property
    def formats(self) -> set[str | None]:
        """The formats of the readable documents."""
        return {document.format for document in self.documents if isinstance(document, Document)}


class GoldWithAnswers(NamedTuple):
    """A gold document, under the name that it has in the page, with the answers of all systems and their scores."""

    key: str
    gold: Found
    answers: Sequence[Found]
    scores: Sequence[Score | None]


def gold_with_answers(
    gold: NamedCorpus, answers: Sequence[Mapping[int, Found]], totals: Sequence[Score | None]
) -> Iterator[GoldWithAnswers]:
    """Every gold document, in order. A system without an answer is given an empty one.

    ``answers``: for each system, the answers by the identity of the gold document, under gold's names of entities.
    """
    scores = [{each.document: each for each in total.documents} if total else {} for total in totals]
    for number, key in enumerate(gold.documents, 1):
        given = [side.get(id(key), Document(key.id)) for side in answers]
        yield GoldWithAnswers(f"d{number}", key, given, [side.get(key.id) for side in scores])


def compared_page(item: GoldWithAnswers, budget: float | None = None) -> ComparedPage:
    """The page of one gold document. ``budget``: seconds for each system."""
    if isinstance(item.gold, Unreadable):
        return not_compared(item, str(item.gold.error))
    return _Comparer(item.gold, budget).page(item.answers, item.scores)


def not_compared(item: GoldWithAnswers, reason: str) -> ComparedPage:
    """The page of a gold document about which nothing can be said."""
    nothing = (None,) * len(item.answers)
    return ComparedPage(item.gold.id, shown_path(item.gold.path or "", None), (), nothing, (reason,))


class _Comparer:
    """One gold document and its answers."""

    def __init__(self, gold: Document, budget: float | None) -> None:
        self.gold = gold
        self.budget = budget
        self.rows = entity_rows(gold)

    def page(self, answers: Sequence[Found], scores: Sequence[Score | None]) -> ComparedPage:
        found: list[SystemAnswer | None] = []
        reasons = []
        for answer, score in zip(answers, scores, strict=True):
            try:
                found.append(self._answer(answer, score))
            except (BudgetExceeded, InputError) as error:
                found.append(None)
                reasons.append(str(error))
        return ComparedPage(
            self.gold.id,
            shown_path(self.gold.path or "", None),
            pieces_of(self.gold, self.rows),
            tuple(found),
            tuple(reasons),
        )

    def _answer(self, answer: Found, score: Score | None) -> SystemAnswer | None:
        if isinstance(answer, Unreadable):
            raise answer.error
        if score is None:
            return None
        budget = Budget(self.budget)
        key, given = (Annotation(side, budget) for side in (self.gold, answer))
        links = judged_links(key, given, budget)
        rows = {**{row.id: row for row in entity_rows(answer).values()}, **self.rows}
        timeline, note = self._timeline(key, links, rows, budget)
        return SystemAnswer(prf(score), links, timeline, note)

    def _timeline(
        self, key: Annotation, links: Sequence[JudgedLink], rows: dict[str, EntityRow], budget: Budget
    ) -> tuple[TimelineBars | None, str]:
        """The witness of the gold links, with those found and missed, and wrong links of the system."""
        kept = [key.link(position) for position in key.kept]
        shown = linked_entities(kept)
        if not shown:
            return None, "No timeline: gold has no links."
        if len(shown) > limits.BARS:
            return None, f"No timeline: {len(shown)} linked entities are more than the {limits.BARS} that can be drawn."
        connections = [
            Connection(each.link, each.status)
            for each in links
            if each.side == "gold" or each.status is not LinkStatus.RIGHT
        ]
        timeline = timeline_of(Oracle(kept, budget=budget).witness(), rows, shown)
        note = f"Only the first {limits.CONNECTIONS} of {len(connections)} links are drawn."
        drawn = timeline._replace(connections=tuple(connections[: limits.CONNECTIONS]))
        return drawn, note if len(connections) > limits.CONNECTIONS else ""
