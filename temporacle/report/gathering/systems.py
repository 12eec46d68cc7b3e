"""Everything a report shows about one gold document and the answers of systems to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InputError
from temporacle.model import Document, Unreadable
from temporacle.passages import excerpts_of
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.report.gathering.conflicts import sentence_pieces
from temporacle.report.gathering.document import linked_entities, timeline_of
from temporacle.report.gathering.entities import entity_rows, link_row, pieces_of
from temporacle.report.gathering.reasons import judged_links
from temporacle.report.gathering.scores import prf
from temporacle.report.names import shown_path
from temporacle.report.values import limits
from temporacle.report.values.document import Connection, LinkStatus
from temporacle.report.values.systems import ComparedPage, Disagreement, JudgedLink, SystemAnswer
from temporacle.scoring.annotation import Annotation
from temporacle.wording import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.model import Link
    from temporacle.report.values.document import TimelineBars
    from temporacle.results import Score

    Found = Document | Unreadable
    Pair = frozenset[str]


class NamedCorpus(NamedTuple):
    """The documents of gold or of a system, with the name that was given for them."""

    name: str
    documents: Sequence[Found]
    is_chosen: bool = False  # the name was given, and is not a path

    @property
    def formats(self) -> set[str | None]:
        """Return the formats of the readable documents."""
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
    """Yield every gold document, in order. A system without an answer is given an empty one.

    ``answers``: for each system, the answers by the identity of the gold document, under gold's names of entities.
    """
    scores = [{each.document: each for each in total.documents} if total else {} for total in totals]
    for number, key in enumerate(gold.documents, 1):
        given = [side.get(id(key), Document(key.id)) for side in answers]
        yield GoldWithAnswers(f"d{number}", key, given, [side.get(key.id) for side in scores])


def compared_page(item: GoldWithAnswers, budget: float | None = None) -> ComparedPage:
    """Return the page of one gold document. ``budget``: seconds for each system."""
    if isinstance(item.gold, Unreadable):
        return not_compared(item, str(item.gold.error))
    return _Comparer(item.gold, budget).page(item.answers, item.scores)


def not_compared(item: GoldWithAnswers, reason: str) -> ComparedPage:
    """Return the page of a gold document that could not be compared."""
    nothing = (None,) * len(item.answers)
    return ComparedPage(item.gold.id, shown_path(item.gold.path or "", None), (), nothing, (reason,))


class _Comparer:
    """One gold document and its answers."""

    def __init__(self, gold: Document, budget: float | None) -> None:
        self.gold = gold
        self.budget = budget
        self.rows = entity_rows(gold)
        self.excerpts = excerpts_of(gold, self.rows.keys())
        self.names = Names(self.excerpts)

    def page(self, answers: Sequence[Found], scores: Sequence[Score | None]) -> ComparedPage:
        found: list[SystemAnswer | None] = []
        reasons = []
        for answer, score in zip(answers, scores, strict=True):
            try:
                found.append(self._answer(answer, score))
            except (BudgetExceeded, InputError) as error:
                found.append(None)
                reasons.append(str(error))
        disagreements = self._disagreements(found)
        shown = disagreements[: limits.DISAGREEMENTS]
        timeline, note = self._timeline(shown)
        return ComparedPage(
            self.gold.id,
            shown_path(self.gold.path or "", None),
            pieces_of(self.gold, self.rows),
            tuple(found),
            tuple(reasons),
            shown,
            len(disagreements) - len(shown),
            timeline,
            note,
        )

    def _answer(self, answer: Found, score: Score | None) -> SystemAnswer | None:
        if isinstance(answer, Unreadable):
            raise answer.error
        if score is None:
            return None
        budget = Budget(self.budget)
        key, given = (Annotation(side, budget) for side in (self.gold, answer))
        for row in entity_rows(answer).values():  # entities that gold does not have are in no text
            self.rows.setdefault(row.id, row._replace(number=len(self.rows), in_text=False))
        return SystemAnswer(prf(score), judged_links(key, given, budget, self.names))

    def _disagreements(self, answers: Sequence[SystemAnswer | None]) -> tuple[Disagreement, ...]:
        """Return the pairs with a missed or wrong link, in the order of the text."""
        said = [_by_pair(() if answer is None else answer.links) for answer in answers]
        stated = _by_pair(
            JudgedLink(link_row(link), "gold", LinkStatus.RIGHT, "") for link in self.gold.links if link.relation
        )
        wanted = dict.fromkeys(
            pair
            for links in said
            for pair, judged in links.items()
            if any(each.status is not LinkStatus.RIGHT for each in judged)
        )
        places, lines = self.excerpts.places, {pair: number for number, pair in enumerate(stated)}

        def order(pair: Pair) -> tuple[bool, list[int], int]:
            known = sorted(places[name] for name in pair if name in places)
            return not known, known, lines.get(pair, len(lines))

        ordered = sorted(wanted, key=order)
        return tuple(
            self._disagreement(number, pair, stated.get(pair, []), [links.get(pair, []) for links in said])
            for number, pair in enumerate(ordered, 1)
        )

    def _disagreement(
        self, number: int, pair: Pair, stated: Sequence[JudgedLink], said: Sequence[Sequence[JudgedLink]]
    ) -> Disagreement:
        first = next(iter((*stated, *(each for links in said for each in links)))).link
        quotations = self.excerpts.quotations(sorted(pair))
        return Disagreement(
            number,
            self.rows[first.source],
            self.rows[first.target],
            self.names[first.source],
            self.names[first.target],
            tuple(sentence_pieces(each, self.rows) for each in quotations),
            tuple(each.link for each in stated),
            tuple(map(_without_echo, said)),
        )

    def _timeline(self, disagreements: Sequence[Disagreement]) -> tuple[TimelineBars | None, str]:
        """Return the witness of the gold links. Its connections are all gold links and the wrong links of systems."""
        budget = Budget(self.budget)
        try:
            key = Annotation(self.gold, budget)
            kept = [key.link(position) for position in key.kept]
            shown = linked_entities(kept)
            if not shown:
                return None, "No timeline: gold has no links."
            if len(shown) > limits.BARS:
                return (
                    None,
                    f"No timeline: {len(shown)} linked entities are more than the {limits.BARS} that can be drawn.",
                )
            timeline = timeline_of(Oracle(kept, budget=budget).witness(), self.rows, shown)
        except (BudgetExceeded, InputError) as limit:
            return None, f"No timeline: {limit}."
        return timeline._replace(connections=tuple(_connections(kept, disagreements))), ""


def _without_echo(links: Sequence[JudgedLink]) -> tuple[JudgedLink, ...]:
    """Return the links without a system's right links, which add nothing if the gold links were found."""
    found = any(each.side == "gold" and each.status is LinkStatus.RIGHT for each in links)
    return tuple(each for each in links if not (found and each.side == "system" and each.status is LinkStatus.RIGHT))


def _by_pair(links: Iterable[JudgedLink]) -> dict[Pair, list[JudgedLink]]:
    """Return the links by their two entities, in either direction."""
    found: dict[Pair, list[JudgedLink]] = {}
    for each in links:
        found.setdefault(frozenset((each.link.source, each.link.target)), []).append(each)
    return found


def _connections(kept: Iterable[Link], disagreements: Iterable[Disagreement]) -> Iterator[Connection]:
    """Yield the gold links, found or missed, and then the wrong links of each disagreement."""
    missed = {
        each.link
        for disagreement in disagreements
        for links in disagreement.answers
        for each in links
        if each.status is LinkStatus.MISSED
    }
    for row in map(link_row, kept):
        yield Connection(row, LinkStatus.MISSED if row in missed else LinkStatus.RIGHT)
    for disagreement in disagreements:
        wrong = (each.link for links in disagreement.answers for each in links if each.status is LinkStatus.WRONG)
        for link in dict.fromkeys(wrong):
            yield Connection(link, LinkStatus.WRONG, disagreement.number)
