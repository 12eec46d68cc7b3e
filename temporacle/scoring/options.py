"""The closed sets of choices about scoring, and the options that several metrics share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from temporacle.scoring.metric import MetricOptions, option


class Contradictions(StrEnum):
    """The treatment of links that cannot be true together with others of the same document."""

    SET_ASIDE = "set-aside"  # in document order: a link that contradicts earlier links is not part of the graph
    REPAIR = "repair"  # an optimal repair decides which links take no part, whatever their order
    REFUSE = "refuse"  # such a document gets no score


class Vague(StrEnum):
    """The treatment of links that constrain nothing."""

    IGNORE = "ignore"  # left out, and their number reported
    COUNT = "count"  # counted, and right only where the other side says the same of the same pair


class Deciding(StrEnum):
    """The engine that decides what follows. A test compares them with the list of engines."""

    EXACT = "exact"
    CPSAT = "cpsat"
    ENUMERATION = "enumeration"


class Values(StrEnum):
    """The policy by which each side's graph uses the values of its time expressions, if it does (docs/calendar.md)."""

    NONE = "none"
    WITHIN = "within"
    DOCUMENT = "document"
    EXACT = "exact"

    @classmethod
    def _missing_(cls, value: object) -> Values | None:
        """Accept Python values: True stands for the default policy, None and False for no calendar."""
        return cls.WITHIN if value is True else cls.NONE if value in (None, False) else None


class Seasons(StrEnum):
    """Whose seasons values name."""

    UNKNOWN = "unknown"
    NORTH = "north"
    SOUTH = "south"


class Average(StrEnum):
    """The way to combine documents into one score."""

    MICRO = "micro"  # counts add up, then divide
    MACRO = "macro"  # precision, recall and F1 of documents are averaged


class Align(StrEnum):
    """The way to match entities of the two sides."""

    IDS = "ids"
    SPANS = "spans"
    TEMPEVAL3 = "tempeval3"  # official digits only: the TempEval-3 normaliser


@dataclass(frozen=True, slots=True)
class GraphOptions(MetricOptions):
    """For metrics that make a graph of the links: what happens to links that contradict others, and what decides."""

    contradictions: Contradictions = option(  # noqa: RUF009
        Contradictions.SET_ASIDE,
        "Links that contradict earlier ones: set-aside excludes them from the graph, repair excludes a smallest set"
        " in any order, refuse gives the document no score.",
    )
    engine: Deciding = option(  # noqa: RUF009
        Deciding.EXACT,
        "What decides. cpsat and enumeration (up to 6 entities) are slow, and share no code with exact.",
    )

    def __post_init__(self) -> None:
        if self.contradictions is Contradictions.REPAIR:
            self.require_exact("repairs")

    def require_exact(self, what: str) -> None:
        """Raise UsageError if another engine was chosen for what only exact does."""
        from temporacle.reasoner.reference.engines import require_exact

        require_exact(self.engine.value, what)


@dataclass(frozen=True, slots=True)
class PairOptions(GraphOptions):
    """For metrics that compare relations pair by pair."""

    relaxed: bool = option(
        default=False,
        about="Give partial credit for relations that overlap.",
        signed="scheme",
        values=("strict", "relaxed"),
    )
