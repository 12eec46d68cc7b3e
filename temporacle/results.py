"""What the reasoner answers and what scorers return. Core values only: no paths, no printing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from fractions import Fraction
from typing import NamedTuple, NoReturn, Self, TypeAlias

from temporacle.model import Link, Remark  # noqa: TC001 - part of the public signature
from temporacle.relation import Relation  # noqa: TC001 - part of the public signature

Exact: TypeAlias = int | Fraction
Witness: TypeAlias = Mapping[str, tuple[int, int]]
"""Integer times (start, end) for every entity: one way the document can be true."""


class Verdict(Enum):
    """The four answers to "does the document say that ...?". Never a bool: UNKNOWN is not "no".

    >>> bool(Verdict.OPEN)
    Traceback (most recent call last):
        ...
    TypeError: a Verdict has four values; compare it with one of them
    """

    ENTAILED = "entailed"  # true in every model
    REFUTED = "refuted"  # true in no model
    OPEN = "open"  # true in some models, false in others
    UNKNOWN = "undecided"  # the budget ran out

    def __bool__(self) -> NoReturn:
        raise TypeError("a Verdict has four values; compare it with one of them")


@dataclass(frozen=True, slots=True)
class Consistent:
    """The links can all be true together, for instance as in the witness."""

    witness: Witness
    decided_by: str = "graph"


@dataclass(frozen=True, slots=True)
class Inconsistent:
    """The links cannot all be true: ``conflict`` is a set of links that already cannot.

    Each of them is needed if ``minimal``; otherwise the time was over before that was known.
    """

    conflict: tuple[Link, ...]
    decided_by: str = "graph"
    minimal: bool = True


@dataclass(frozen=True, slots=True)
class Undecided:
    """Nobody knows: the reason says which limit was reached."""

    reason: str


Consistency: TypeAlias = Consistent | Inconsistent | Undecided


@dataclass(frozen=True, slots=True)
class Repair:
    """Links of least total weight whose removal makes the document consistent, in document order."""

    dropped: tuple[Link, ...]
    weight: Fraction


@dataclass(frozen=True, slots=True)
class Unrepairable:
    """No allowed removal helps: these links, all protected, already contradict each other."""

    conflict: tuple[Link, ...]


# --- scores ----------------------------------------------------------------------------------------------------------


def ratio(part: Exact, whole: Exact, empty: int) -> Fraction:
    """``part / whole``; where there is nothing to divide by, ``empty`` (0 or 1) is the answer."""
    return Fraction(part) / Fraction(whole) if whole else Fraction(empty)


def harmonic_mean(precision: Fraction, recall: Fraction) -> Fraction:
    """F1; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


@dataclass(frozen=True, slots=True)
class Counts:
    """What a metric counts in a document. Counts of documents add up; precision and recall are derived last.

    >>> MatchCounts(1, 2, 1, 4) + MatchCounts(1, 1, 0, 1)
    MatchCounts(precision_matched=2, system_total=3, recall_matched=1, gold_total=5)
    """

    def precision(self, empty: int) -> Fraction:
        raise NotImplementedError

    def recall(self, empty: int) -> Fraction:
        raise NotImplementedError

    def derived(self, empty: int) -> dict[str, Fraction]:  # noqa: ARG002 - for those that divide
        """Further figures worth showing beside the counts."""
        return {}

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def items(self) -> Iterator[tuple[str, Exact]]:
        """Names and values."""
        return ((each.name, getattr(self, each.name)) for each in fields(self))


@dataclass(frozen=True, slots=True)
class MatchCounts(Counts):
    """Credit for what the system says and for what the gold standard says, out of how many."""

    precision_matched: Exact = 0
    system_total: int = 0
    recall_matched: Exact = 0
    gold_total: int = 0

    def precision(self, empty: int) -> Fraction:
        return ratio(self.precision_matched, self.system_total, empty)

    def recall(self, empty: int) -> Fraction:
        return ratio(self.recall_matched, self.gold_total, empty)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document without a score, and why."""

    document: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Entities of either side without a counterpart on the other, by id."""

    gold: tuple[str, ...] = ()
    system: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 as exact fractions, the counts they come from, and how they were obtained.

    A score of one document names it; a score of many holds theirs in ``documents``.
    """

    metric: str
    counts: Counts
    precision: Fraction
    recall: Fraction
    f1: Fraction
    signature: str
    document: str | None = None
    documents: tuple[Score, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    breakdown: Mapping[str, Mapping[str, Counts]] = field(
        default_factory=dict
    )  # e.g. "kind" -> "event-event" -> counts
    confusion: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (gold label, system label) -> links
    unmatched: Unmatched | None = None  # where entities were aligned
    derived: Mapping[str, Fraction] = field(default_factory=dict)  # further figures that the metric has
    warnings: tuple[str, ...] = ()


class ProofEdge(NamedTuple):
    """``left <= right`` or ``left < right`` between endpoints such as "e1.end", and the position of the link for it."""

    left: str
    strict: bool
    right: str
    link: int | None  # None: the start of an entity is before its end


class ProofCycle(NamedTuple):
    """Edges that lead back to where they began, at least one of them strict: a contradiction."""

    edges: tuple[ProofEdge, ...]


class ProofSplit(NamedTuple):
    """Cases that together cover all that a link still allows, each with the place of the step that refutes it."""

    link: int
    cases: tuple[tuple[Relation, int], ...]


ProofStep: TypeAlias = ProofCycle | ProofSplit
"""A proof by cases is a list of them; the first refutes everything."""


class ClausalProof(NamedTuple):
    """Clauses that hold, and clauses that follow by unit propagation from those before them, up to the empty one.

    Variable v, counted from 1, says that an endpoint is not later than another; -v is its negation.
    """

    variables: tuple[tuple[str, str], ...]
    clauses: tuple[tuple[tuple[int, ...], int | None], ...]  # with the link they follow from; None: they always hold
    lemmas: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Certificate:
    """A claim about the links of a document, with everything needed to check it; ``to_json`` is its documented form.

    See docs/certificates.md. Exactly those parts are set that the claim needs.
    """

    claim: str  # consistent, inconsistent, entailed, refuted or open
    links: tuple[Link, ...]
    query: Link | None = None
    witness: Witness | None = None
    countermodel: Witness | None = None
    conflict: tuple[int, ...] | None = None  # positions in ``links``
    needed: tuple[Witness, ...] | None = None  # per link of the conflict, a model of the others
    proof: tuple[ProofStep, ...] | ClausalProof | None = None


class DocumentVerdict(Enum):
    """What ``check`` finds out about a document."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Relabelling:
    """What could stand in the place of a dropped link once the document is repaired."""

    link: Link
    possible: Relation  # every atom that fits
    labels: tuple[str, ...]  # every label of the reading that can be true and says something


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All that ``check`` says about one document. Plain values: it can be sent between processes."""

    document: str
    path: str | None
    verdict: DocumentVerdict
    entities: int = 0
    links: int = 0
    decided_by: str | None = None
    conflicts: tuple[tuple[Link, ...], ...] = ()  # they share no link; the first is the smallest where links are convex
    chains: tuple[tuple[str, ...], ...] = ()  # the conflicts in words
    repair: Repair | Unrepairable | None = None  # None: not asked for, or not needed
    relabellings: tuple[Relabelling, ...] = ()
    certificate: Certificate | None = None
    warnings: tuple[Remark, ...] = ()
    error: str | None = None  # why it is undecided or unreadable
    seconds: float = 0.0
    not_minimal: bool = False  # time ran out while the last conflict was made smaller
