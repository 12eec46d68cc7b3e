"""Everything a report shows about one gold document and the answers of systems to it."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InputError
from temporacle.model import Document, Unreadable
from temporacle.passages import excerpts_of
from temporacle.reasoner.algebra import converse
from temporacle.reasoner.conflicts.reasons import links_behind
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.paths import LinksBetween
from temporacle.relation import Relation
from temporacle.report.document import values
from temporacle.report.document.gather import (
    entity_rows,
    link_row,
    linked_entities,
    pieces_of,
    sentence_pieces,
    timeline_of,
)
from temporacle.report.document.values import Connection, LinkStatus
from temporacle.report.html import shown_path
from temporacle.report.systems.values import (
    PRF,
    ComparedPage,
    Confusion,
    DifferenceRow,
    Disagreement,
    GroupRow,
    JudgedLink,
    MetricRow,
    SystemAnswer,
    SystemPage,
)
from temporacle.results import harmonic_mean
from temporacle.scoring.metric import METRICS, Average, metric_named
from temporacle.scoring.side import Side
from temporacle.scoring.significance import compare, f1_interval, holm
from temporacle.wording import Names, in_words, statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.model import Link
    from temporacle.report.document.values import TimelineBars
    from temporacle.results import Counts, Score

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
        shown = disagreements[: values.DISAGREEMENTS]
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
        key, given = (Side(side, budget) for side in (self.gold, answer))
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
        """Return the places by the gold links. Its connections are all gold links and the wrong links of systems."""
        budget = Budget(self.budget)
        try:
            key = Side(self.gold, budget)
            kept = [key.link(position) for position in key.kept]
            timeline, note = timeline_of(Network(kept), {name: self.rows[name] for name in linked_entities(kept)})
        except (BudgetExceeded, InputError) as limit:
            return None, f"No timeline: {limit}."
        return timeline and timeline._replace(connections=tuple(_connections(kept, disagreements))), note


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


# ----------------------------------------------------------------------------------------------------
# Each link of one side put to the other side, with the reason for the answer.
#
#     right    stated by a link, or entailed: by which links
#     missed   a gold link that the system does not entail       wrong    a system link that gold does not entail
#              because an entity is unknown, because the opposite follows (from which links), or because nothing
#              decides: then a countermodel says where the two entities may lie
#
# What is asked, and of which links, is exactly what temporal awareness counts.

_NO_NAMES = Names()


def judged_links(key: Side, answer: Side, budget: Budget, names: Names = _NO_NAMES) -> tuple[JudgedLink, ...]:
    """Return the judgements of the system about gold links, then of gold about system links.

    ``names``: names of entities in reasons.
    """
    return (
        *_judged(key, _OtherSide(answer, "system", budget, names), "gold", LinkStatus.MISSED),
        *_judged(answer, _OtherSide(key, "gold", budget, names), "system", LinkStatus.WRONG),
    )


def _judged(own: Side, witness: _OtherSide, side: str, failed: LinkStatus) -> Iterator[JudgedLink]:
    other = witness.annotation
    aside, verified = set(own.set_aside), set(other.verified(own))
    for number, position in enumerate(own.counted):
        link = own.link(position)
        holds = position in verified
        try:
            if number >= values.EXPLAINED:
                reason = f"Not explained: only the first {values.EXPLAINED} links are."
            else:
                reason = witness.support(link) if holds else witness.objection(link)
        except BudgetExceeded as limit:
            reason = f"Not explained: {limit}."
        if position in aside:
            reason = f"Excluded, because it contradicts earlier links of its own side. {reason}"
        yield JudgedLink(link_row(link), side, LinkStatus.RIGHT if holds else failed, reason)


class _OtherSide:
    """Answers why a graph entails a link, or why not."""

    def __init__(self, annotation: Side, name: str, budget: Budget, names: Names) -> None:
        self.annotation = annotation
        self.names = names
        self.said = "Gold" if name == "gold" else "The system"
        self.budget = budget
        self.kept = [annotation.link(position) for position in annotation.kept]

    @cached_property
    def _between(self) -> LinksBetween:
        return LinksBetween(Network(self.kept))

    def support(self, link: Link) -> str:
        """Return the reason for a link that this side states or entails."""
        stating = next((each for each in self.annotation.network.links if _same(each, link)), None)
        if stating is not None:
            return f"{self.said} states the same: {self._named(stating)}."
        premises = self._premises(link)
        if not premises:
            return "It is true of any entity."
        return f"It follows from {', '.join(map(self._named, premises))}."

    def objection(self, link: Link) -> str:
        """Return the reason for a link that this side does not verify."""
        unknown = [
            name for name in dict.fromkeys((link.source, link.target)) if name not in self.annotation.network.index
        ]
        if unknown:
            return f"{self.said} has no link with {' and '.join(self.names[name] for name in unknown)}."
        strongest = Relation(self.annotation.says(link.source, link.target) or 0)
        others = strongest & ~link.relation
        if int(strongest) & int(link.relation) == 0:
            opposite = link._replace(relation=strongest)
            premises = ", ".join(map(self._named, self._premises(opposite)))
            source, target = self.names[link.source], self.names[link.target]
            if not premises:
                return f"{self.said} excludes it: {source} is equal to itself."
            return f"{self.said} excludes it: {in_words(source, strongest, target)}. This follows from {premises}."
        if not others:
            return "It constrains nothing."
        atom = Relation.of(others.atoms[0])  # every atom of the strongest relation is possible
        instead = in_words(self.names[link.source], atom, self.names[link.target])
        return f"{self.said} leaves it open: its links also allow that {instead}."

    def _named(self, link: Link) -> str:
        place = "" if link.line is None else f", line {link.line}"
        return f"{link.id} ({statement(link, self.names)}{place})"

    def _premises(self, link: Link) -> tuple[Link, ...]:
        """Return links of this side from which an entailed link follows."""
        ends = link.source, link.target
        near = Network(self._between.of(*ends), ends)
        return links_behind(near, link.source, link.relation, link.target, self.budget)


def _same(one: Link, other: Link) -> bool:
    """Return whether two links say the same about the same pair, in either direction; a self-link has both."""
    ends = one.source, one.target
    return (ends == (other.source, other.target) and one.relation == other.relation) or (
        ends == (other.target, other.source) and converse(int(one.relation)) == int(other.relation)
    )


# ----------------------------------------------------------------------------------------------------
# Scores as a page shows them: rows of tables, groups of links, confusions. The scorers compute, this arranges.


class MetricChoice(NamedTuple):
    """A metric with its options, as a row of the table."""

    name: str
    metric: str
    relaxed: bool = False
    ordering_only: bool = False
    details: bool = False  # groups and confusions are wanted, too


def metric_choices(formats: set[str | None]) -> list[MetricChoice]:
    """Return every metric that fits documents of these formats, strict and relaxed if it has both."""
    found = []
    for name in METRICS:
        if name == "pairs":
            continue  # for corpora with certain labels, and with a convention that the user must choose
        if name == "timeline":
            if formats == {"timeline"}:
                found.append(MetricChoice("timeline", name))
                found.append(MetricChoice("timeline, order only", name, ordering_only=True))
        elif any(each.name == "relaxed" for each in metric_named(name).options.declared()):
            found.append(MetricChoice(f"{name}, strict", name))
            found.append(MetricChoice(f"{name}, relaxed", name, relaxed=True))
        else:
            found.append(MetricChoice(name, name, details=True))
    return found


def prf(score: Score) -> PRF:
    """Return the figures of a score."""
    return _prf(score.precision, score.recall, score.f1)


def _prf(precision: Fraction, recall: Fraction, f1: Fraction) -> PRF:
    return PRF(float(precision), float(recall), float(f1))


def metric_row(system: int, choice: MetricChoice, found: Score | str) -> MetricRow:
    """Return the score of one system by one metric, or the reason why there is none."""
    about = metric_named(choice.metric).about
    if isinstance(found, str):
        return MetricRow(system, choice.name, about, None, reason=found)
    interval = f1_interval(found.documents)
    return MetricRow(
        system,
        choice.name,
        about,
        prf(found),
        interval,
        found.signature,
        skipped=len(found.skipped),
    )


def difference_rows(totals: Sequence[Score | None], seed: int) -> tuple[DifferenceRow, ...]:
    """Return f1 of every other system minus F1 of the first."""
    first = totals[0] if totals else None
    if first is None:
        return ()
    found = {
        number: compare([other.documents], [first.documents], average=Average.MICRO, empty=0, seed=seed)
        for number, other in enumerate(totals[1:], 1)
        if other is not None
    }
    f1 = [each.of("f1") for each in found.values()]
    p_values = [Fraction(1) if each.p_value is None else Fraction(each.p_value) for each in f1]
    return tuple(
        DifferenceRow(
            number,
            float(each.observed),
            each.interval,
            float(p),
            float(adjusted),
            "; ".join(filter(None, (each.reason, *comparison.notes()))),
        )
        for (number, comparison), each, p, adjusted in zip(found.items(), f1, p_values, holm(p_values), strict=True)
    )


def system_page(name: str, total: Score | None) -> SystemPage:
    """Return labels, kinds of pairs and confusions of a system."""
    if total is None:
        return SystemPage(name, (), (), Confusion((), ()))
    labels, kinds = (_groups(total.breakdown.get(group, {})) for group in ("label", "kind"))
    skipped = tuple(f"{each.document}: {each.reason}" for each in total.skipped)
    remarks = (*total.warnings, *(remark for each in total.documents for remark in each.warnings))
    notes = tuple(remark.sentence() for remark in remarks)
    return SystemPage(name, labels, kinds, _confusion(total.confused), (*notes, *skipped))


def _groups(groups: Mapping[str, Counts]) -> tuple[GroupRow, ...]:
    rows = []
    for name, counts in groups.items():
        precision, recall = counts.precision(0), counts.recall(0)
        totals = dict(counts.items())
        found = _prf(precision, recall, harmonic_mean(precision, recall))
        rows.append(GroupRow(name, found, int(totals["gold_total"]), int(totals["system_total"])))
    return tuple(rows)


def _confusion(table: Mapping[tuple[str, str], int]) -> Confusion:
    labels = tuple(sorted({label for pair in table for label in pair}, key=_placeholders_last))
    return Confusion(labels, tuple(tuple(table.get((gold, said), 0) for said in labels) for gold in labels))


def _placeholders_last(label: str) -> tuple[bool, str]:
    return label.startswith("("), label
