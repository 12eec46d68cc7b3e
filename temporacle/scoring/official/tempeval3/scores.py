"""The temporal awareness scores that the TempEval-3 relation scorer prints.

    precision = links of the system's reduced list that gold matches / length of that list;   recall the other way round

A link is *matched* by the other side if one of the other side's links says the same in text, in either direction, or if
the other side's graph (``graph``) confirms it. Counts are summed over documents. Other methods:

    acl11                all links and their inverses instead of the reduced lists
    implicit_in_recall   recall gets a little more for system links which only gold's graph confirms

Texts are compared like this: same target, a source that *ends with* the one looked for, a label that *begins with* it.
For ids such as ``ei12`` and ``t3`` and for the usual labels that is equality.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from temporacle.reasoner.network import Budget
from temporacle.scoring.official.registry import AddedUp, harmonic_mean, ratio
from temporacle.scoring.official.tempeval3.graph import GraphAnswer, OfficialTimegraph
from temporacle.scoring.official.tempeval3.tlinks import LinkFile, Triple, inverse_in_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.model import Remark

Links: TypeAlias = "Sequence[Triple]"

DEFAULT = "default"
ACL11 = "acl11"
IMPLICIT_IN_RECALL = "implicit_in_recall"
METHODS = (DEFAULT, ACL11, IMPLICIT_IN_RECALL)
_METHOD_LINES = {
    DEFAULT: "",
    ACL11: "Evaluated with ACL'11 score, not taking the reduced graph for relations.",
    IMPLICIT_IN_RECALL: "Evaluated considering implicit relations in recall as well",
}
NO_SYSTEM_FILE = "IOError: no system file"
ZERO_DIVISION = "ZeroDivisionError: float division by zero"


@dataclass(frozen=True, slots=True)
class OfficialCounts(AddedUp):
    """The counts that are summed over documents."""

    precision_matched: int = 0
    system_total: int = 0
    recall_matched: int = 0
    gold_total: int = 0
    system_set_aside: int = 0  # links that the graph found violated
    gold_set_aside: int = 0
    recall_credit: float = 0  # the numerator of recall: matched, and with implicit_in_recall a fraction more

    @property
    def precision(self) -> float:
        return ratio(self.precision_matched, self.system_total)

    @property
    def recall(self) -> float:
        return ratio(self.recall_credit, self.gold_total)

    @property
    def f1(self) -> float:
        return harmonic_mean(self.precision, self.recall)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the values derived from them."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1, "counts": self.counts()}

    def digits(self) -> tuple[str, str, str]:
        """Return F1, precision and recall as printed."""
        f1, precision, recall = (text(percent(value)) for value in (self.f1, self.precision, self.recall))
        return f1, precision, recall


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """Counts of one document, and what was odd about it."""

    counts: OfficialCounts
    missing: tuple[bytes, ...] = ()  # lines the program prints about incomplete tags
    remarks: tuple[Remark, ...] = ()
    stops: str | None = None  # the error with which the original program ends here


@dataclass(frozen=True, slots=True)
class SummedScore:
    """Scores of all documents, in their order, and the total.

    ``stops`` is the error with which the original program ends on this input instead of printing a score.
    """

    method: str
    documents: tuple[DocumentScore, ...]
    total: OfficialCounts

    @property
    def stops(self) -> str | None:
        return next((document.stops for document in self.documents if document.stops), None)

    def printed(self) -> bytes:
        """Return the program's standard output, byte for byte."""
        f1, precision, recall = self.total.digits()
        block = (
            "=== Temporal Awareness Score ===\n"
            f"{_METHOD_LINES.get(self.method, self.method)}\n"
            "Temporal Score\tF1\tP\tR\n"
            f"\t\t{f1}\t{precision}\t{recall}\t\n"
            f"Overall Temporal Awareness Score (F1 score): {f1}\n"
            "\n"
        )
        return b"".join(line for document in self.documents for line in document.missing) + block.encode()


def score_file(gold: LinkFile, system: LinkFile | None, method: str, *, seconds: float | None = None) -> DocumentScore:
    """Score one document whose files have been read."""
    answer = LinkFile() if system is None else system
    score = score_pair(gold.links, answer.links, method, seconds=seconds)
    return DocumentScore(
        score.counts,
        gold.missing + answer.missing,
        gold.remarks + answer.remarks,
        NO_SYSTEM_FILE if system is None else score.stops,
    )


def summed(method: str, documents: Sequence[DocumentScore]) -> SummedScore:
    """Return the score of all documents together."""
    # One after the other: sums of fractions depend on the order, and the program adds in this one.
    return SummedScore(method, tuple(documents), sum((document.counts for document in documents), OfficialCounts()))


def score_pair(gold: Links, system: Links, method: str, *, seconds: float | None = None) -> DocumentScore:
    """Score one document."""
    budget = Budget(seconds)
    return score_sides(OfficialSide(gold, budget), OfficialSide(system, budget), method)


class LinkJudge(Protocol):
    """A side of a document, whoever judges its links: ``Side`` as the program does, ``ExactSide`` exactly."""

    @property
    def set_aside(self) -> int:
        """Return how many links contradict those before them."""

    def scored(self, method: str) -> Links:
        """Return the items that are counted."""

    def matches(self, link: Triple) -> bool:
        """Return whether a link of the other side is stated or confirmed here."""

    def confirms(self, link: Triple) -> bool:
        """Return whether a link follows."""


def score_sides(gold: LinkJudge, system: LinkJudge, method: str) -> DocumentScore:
    """Return the counts. The policy is the same for every judge."""
    gold_items, system_items = gold.scored(method), system.scored(method)
    recall_matched = sum(map(system.matches, gold_items))
    credit, stops = float(recall_matched), None
    if method == IMPLICIT_IN_RECALL:
        credit, stops = _with_implicit(gold, gold_items, system_items, recall_matched)
    counts = OfficialCounts(
        precision_matched=sum(map(gold.matches, system_items)),
        system_total=len(system_items),
        recall_matched=recall_matched,
        gold_total=len(gold_items),
        system_set_aside=system.set_aside,
        gold_set_aside=gold.set_aside,
        recall_credit=credit,
    )
    return DocumentScore(counts, stops=stops)


def _with_implicit(gold: LinkJudge, gold_items: Links, system_items: Links, matched: int) -> tuple[float, str | None]:
    """Return recall matches plus a weight for each system link that gold's graph confirms without listing it.

    Where the weight has a zero denominator the original stops; here such a document gets no extra credit.
    """
    listed = set(gold_items)
    implicit = sum(link not in listed and gold.confirms(link) for link in system_items)
    common = shared_entities(gold_items, system_items)
    denominator = 1 + 0.5 * common * (common - 1) - matched
    if denominator == 0:
        return float(matched), ZERO_DIVISION
    return matched + 0.99 / denominator * implicit, None


def shared_entities(gold_items: Links, system_items: Links) -> int:
    """Return how many entities occur in both lists."""
    return len(_entities(gold_items) & _entities(system_items))


def _entities(links: Links) -> set[bytes]:
    return {entity for link in links for entity in (link.source, link.target)}


class OfficialSide:
    """One side of a document: its links as text, and its graph."""

    def __init__(self, links: Links, budget: Budget | None = None) -> None:
        self.links = tuple(links)
        self.graph = self.graph_of(links, budget)
        self.text_lines: tuple[Triple, ...] = tuple(self.lines_of(links))
        self.stated = frozenset(self.text_lines)
        self._labels = frozenset(line.label for line in self.text_lines)
        # Written backwards and sorted, ids with a common end stand together.
        self._backwards = sorted({line.source[::-1] for line in self.text_lines})

    @staticmethod
    def graph_of(links: Links, budget: Budget | None) -> OfficialTimegraph:
        """Return the graph of the links; programs that descend from this one differ here."""
        return OfficialTimegraph(links, budget)

    @staticmethod
    def lines_of(links: Links) -> Iterator[Triple]:
        """Return the lines that are compared as text."""
        return with_inverses(links)

    @property
    def set_aside(self) -> int:
        return len(self.graph.violated)

    def scored(self, method: str) -> Links:
        return self.text_lines if method == ACL11 else self.graph.reduced()

    def matches(self, link: Triple) -> bool:
        return self.states(link) or self.confirms(link)

    def confirms(self, link: Triple) -> bool:
        return self.graph.answer(link) is GraphAnswer.TRUE

    def states(self, link: Triple) -> bool:
        """Return whether the links contain this one as text. Links that the graph rejected count as well."""
        if link in self.stated:
            return True
        labels = [label for label in self._labels if label.startswith(link.label)]
        return bool(labels) and any(
            Triple(source, link.target, label) in self.stated
            for source in self._sources_ending_with(link.source)
            for label in labels
        )

    def _sources_ending_with(self, ending: bytes) -> Iterator[bytes]:
        backwards = ending[::-1]
        for position in range(bisect_left(self._backwards, backwards), len(self._backwards)):
            candidate = self._backwards[position]
            if not candidate.startswith(backwards):
                return
            yield candidate[::-1]


def with_inverses(links: Links) -> Iterator[Triple]:
    """Yield each link and, unless it links an entity to itself, its converse."""
    for link in links:
        yield link
        if link.source != link.target:
            yield Triple(link.target, link.source, inverse_in_text(link.label))


# ----------------------------------------------------------------------------------------------------
# Numbers as Python 2 rounded and printed them.

_SIX_DECIMALS = Decimal("0.000001")
_WIDE = Context(prec=400)  # enough for every digit of a double between -1 and 1, and for large ones


def round6(value: float) -> float:
    """Return six decimals of the exact binary value, rounding ties away from zero.

    >>> round6(1 / 128), round(1 / 128, 6)
    (0.007813, 0.007812)
    """
    return float(Decimal(value).quantize(_SIX_DECIMALS, rounding=ROUND_HALF_UP, context=_WIDE))


def percent(value: float) -> float:
    """Return a ratio as the programs report it."""
    return 100 * round6(value)


def text(value: float) -> str:
    """Return ``str(float)`` of Python 2: twelve significant digits.

    >>> text(100.0), text(100 * 0.385983), text(71.02223314501)
    ('100.0', '38.5983', '71.022233145')
    """
    digits = f"{value:.12g}"
    return digits if any(mark in digits for mark in ".en") else digits + ".0"
