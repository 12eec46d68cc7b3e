"""What a caller may choose about scoring, and what a metric returns for one pair of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - part of the public signature
from dataclasses import dataclass, field
from enum import StrEnum

from temporacle.results import Counts  # noqa: TC001 - part of the public signature


class Contradictions(StrEnum):
    """What happens to links that cannot be true together with others of the same document."""

    SET_ASIDE = "set-aside"  # in document order: a link that contradicts those before it takes no part in the graph
    REPAIR = "repair"  # an optimal repair decides which links take no part, whatever their order
    REFUSE = "refuse"  # such a document gets no score


class Vague(StrEnum):
    """What happens to links that constrain nothing."""

    IGNORE = "ignore"  # left out, and their number reported
    COUNT = "count"  # counted, and right only where the other side says the same of the same pair


class Average(StrEnum):
    """How documents become one score."""

    MICRO = "micro"  # counts add up, then divide
    MACRO = "macro"  # precision, recall and F1 of documents are averaged


class Align(StrEnum):
    """How entities of the two sides are recognised as the same."""

    IDS = "ids"
    SPANS = "spans"
    TEMPEVAL3 = "tempeval3"  # official digits only: the TempEval-3 normaliser


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """Everything about one pair of documents that can change its counts."""

    relaxed: bool = False
    contradictions: Contradictions = Contradictions.SET_ASIDE
    vague: Vague = Vague.IGNORE
    ordering_only: bool = False
    budget: float | None = None  # seconds for one pair of documents
    details: bool = False  # also count by label and by kind of pair
    unanswered: frozenset[str] = frozenset()  # labels of one's own reading that are no answers


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a metric finds in one pair of documents."""

    counts: Counts
    breakdown: Mapping[str, Mapping[str, Counts]] = field(default_factory=dict)
    confusion: Mapping[tuple[str, str], int] = field(default_factory=Counter)
    warnings: tuple[str, ...] = ()
