"""What a page about systems and a gold standard shows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from temporacle.report.values.document import LinkRow, LinkStatus, Piece, TimelineBars  # noqa: TC001 - part of the public signature


class PRF(NamedTuple):
    """Precision, recall and F1, as numbers between 0 and 1."""

    precision: float
    recall: float
    f1: float


class MetricRow(NamedTuple):
    """One metric of one system over all documents. ``interval``: where 95 % of resampled F1 lie, if that is known."""

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
    low: float
    high: float
    p_value: float


class JudgedLink(NamedTuple):
    """A link, what the other side makes of it, and why."""

    link: LinkRow
    side: str  # "gold" or "system"
    status: LinkStatus
    reason: str


class SystemAnswer(NamedTuple):
    """What one system says about a document, judged by the gold links."""

    figures: PRF
    links: tuple[JudgedLink, ...]
    timeline: TimelineBars | None
    note: str = ""  # about what is not drawn

    def number(self, status: LinkStatus, side: str) -> int:
        """How many links of a side have a status."""
        return sum(each.status is status and each.side == side for each in self.links)


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """Everything shown about one gold document and its answers; None for a system that has no usable answer."""

    id: str
    path: str
    pieces: tuple[Piece, ...]
    answers: tuple[SystemAnswer | None, ...]
    reasons: tuple[str, ...] = ()  # why answers are missing
    note: str = ""


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
    samples: int
    seed: int
