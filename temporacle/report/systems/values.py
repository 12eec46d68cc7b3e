"""The contents of a page about systems and a gold standard, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from temporacle.report.document.values import EntityRow, LinkRow, LinkStatus, Piece, TimelineBars


class PRF(NamedTuple):
    """Precision, recall and F1, as numbers between 0 and 1."""

    precision: float
    recall: float
    f1: float


class MetricRow(NamedTuple):
    """One metric of one system over all documents. ``interval``: the 95 % confidence interval of F1."""

    system: int
    metric: str
    about: str
    figures: PRF | None
    interval: tuple[float, float] | None = None
    signature: str = ""
    skipped: int = 0
    reason: str = ""  # why there are no figures


class GroupRow(NamedTuple):
    """Awareness of the links of one label, or between certain kinds of entities."""

    name: str
    figures: PRF
    gold: int
    system: int


class Confusion(NamedTuple):
    """Gold labels down, system labels across."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


class DifferenceRow(NamedTuple):
    """F1 of one system minus F1 of the first."""

    system: int
    observed: float
    interval: tuple[float, float] | None
    p_value: float
    p_adjusted: float
    note: str = ""  # what must be known about interval and p


class JudgedLink(NamedTuple):
    """A link, what the other side makes of it, and why."""

    link: LinkRow
    side: str  # "gold" or "system"
    status: LinkStatus
    reason: str


class SystemAnswer(NamedTuple):
    """The links of one system about a document, judged by the gold links."""

    figures: PRF
    links: tuple[JudgedLink, ...]

    def number(self, status: LinkStatus, side: str) -> int:
        """Return how many links of a side have a status."""
        return sum(each.status is status and each.side == side for each in self.links)


class Disagreement(NamedTuple):
    """Two entities about which gold and some system say different things."""

    number: int  # names it inside the page
    source: EntityRow
    target: EntityRow
    source_words: str
    target_words: str
    sentences: tuple[tuple[Piece, ...], ...]
    gold: tuple[LinkRow, ...]  # what gold states about the pair
    answers: tuple[tuple[JudgedLink, ...], ...]  # for each system, the links about the pair; empty: nothing to say

    @property
    def caption(self) -> str:
        """Return the pair, and what gold states about it."""
        said = ", ".join(self._stated(link) for link in self.gold)
        return f"{self.source_words} and {self.target_words}; gold: {said or 'no link'}"

    def _stated(self, link: LinkRow) -> str:
        label = link.label or link.relation
        if link.source == self.source.id:
            return f"{label} ({link.id})"
        return f"{self.target_words} {label} {self.source_words} ({link.id})"


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """Everything shown about one gold document and its answers; None for a system that has no usable answer."""

    id: str
    path: str
    pieces: tuple[Piece, ...]
    answers: tuple[SystemAnswer | None, ...]
    reasons: tuple[str, ...] = ()  # why answers are missing
    disagreements: tuple[Disagreement, ...] = ()  # in the order of the text
    more_disagreements: int = 0  # that are not shown
    timeline: TimelineBars | None = None  # of gold, with the links in disagreement
    timeline_note: str = ""


class ComparedRow(NamedTuple):
    """A row of the table of documents."""

    key: str
    id: str
    gold_links: int
    figures: tuple[PRF | None, ...]


@dataclass(frozen=True, slots=True)
class SystemPage:
    """One system in detail."""

    name: str
    labels: tuple[GroupRow, ...]
    kinds: tuple[GroupRow, ...]
    confusion: Confusion
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """The scores of one or more systems."""

    title: str  # empty: the names of systems and gold
    gold: str
    systems: tuple[SystemPage, ...]
    metrics: tuple[MetricRow, ...]
    differences: tuple[DifferenceRow, ...]
