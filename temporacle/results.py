"""The answers of the reasoner and the results of scorers. Core values only: no paths, no printing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NamedTuple,
    NoReturn,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from temporacle.errors import UsageError
from temporacle.frames import Figure, digits, html_table, to_frame
from temporacle.model import Action, Link, Remark, counted, skipped_links, skipped_words
from temporacle.relation import Relation  # noqa: TC001 - part of the public signature

if TYPE_CHECKING:
    from temporacle.calendar.facts import CalendarFact

    Fact: TypeAlias = Link | CalendarFact
    """What can be blamed or dropped: a link or, with a calendar, the value of a time expression."""

Exact: TypeAlias = int | Fraction
Witness: TypeAlias = Mapping[str, tuple[int, int]]
"""Integer times (start, end) for every entity: one way the document can be true."""


class Verdict(Enum):
    """The answers to "does the document say that ...?". Never a bool: UNDECIDED is not "no".

    >>> bool(Verdict.OPEN)
    Traceback (most recent call last):
        ...
    TypeError: a Verdict has five values; compare it with one of them
    """

    ENTAILED = "entailed"  # true in every model
    REFUTED = "refuted"  # true in no model
    OPEN = "open"  # true in some models, false in others
    UNDECIDED = "undecided"  # the time limit ran out
    INCONSISTENT = "inconsistent"  # the document contradicts itself, so nothing is taken to follow from it
    UNKNOWN = UNDECIDED  # the old name

    def __bool__(self) -> NoReturn:
        raise TypeError("a Verdict has five values; compare it with one of them")


Listed_co = TypeVar("Listed_co", covariant=True)


class InOrder(Sequence[Listed_co]):
    """The results of several documents, certificates, questions or systems, in order."""

    __slots__ = ()
    holds: ClassVar[str] = "documents"  # the attribute that has them

    def _listed(self) -> tuple[Listed_co, ...]:
        return getattr(self, self.holds)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._listed())

    @overload
    def __getitem__(self, place: int) -> Listed_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Listed_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Listed_co | tuple[Listed_co, ...]:
        return self._listed()[place]


class HasWarnings:
    """A result that says what was odd about its input. Links that could not be used are among it."""

    __slots__ = ()

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what was odd about the input, skipped links included."""
        return self.remarks  # type: ignore[attr-defined, no-any-return]

    @property
    def skipped_links(self) -> dict[str, int]:
        """Return how many links could not be used, by code."""
        return skipped_links(self.warnings)


class _Warned(Protocol):
    @property
    def warnings(self) -> tuple[Remark, ...]: ...


Warned_co = TypeVar("Warned_co", bound=_Warned, covariant=True)


class OfDocuments(InOrder[Warned_co], HasWarnings):
    """The results of several documents, with what was odd about all of them."""

    __slots__ = ()

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what was odd about all documents, skipped links included."""
        return tuple(remark for each in self._listed() for remark in each.warnings)


class _ThreeValued:
    """An answer that is neither true nor false to ``if``: a contradiction must not pass for a yes."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("consistency has three answers; use isinstance(answer, Consistent), Inconsistent or Undecided")


@dataclass(frozen=True, slots=True, repr=False)
class Consistent(_ThreeValued):
    """The links can all be true together, for instance as in the witness."""

    witness: Witness  # start and end of each entity on one timeline on which every link holds
    decided_by: str = "graph"  # the engine that found it

    def __repr__(self) -> str:
        return f"Consistent(a witness of {len(self.witness)} entities, decided by {self.decided_by})"


@dataclass(frozen=True, slots=True, repr=False)
class Inconsistent(_ThreeValued):
    """The links cannot all be true: ``conflict`` is a set of links that already cannot.

    Each of them is needed if ``minimal``; otherwise the time was over before that was known.

    >>> bool(Inconsistent(()))
    Traceback (most recent call last):
        ...
    TypeError: consistency has three answers; use isinstance(answer, Consistent), Inconsistent or Undecided
    """

    conflict: tuple[Fact, ...]  # links, or values with a calendar
    decided_by: str = "graph"  # the engine that found it
    minimal: bool = True  # whether each link of the conflict is needed

    def __repr__(self) -> str:
        return f"Inconsistent({_ids(self.conflict) or 'no conflict searched'}, decided by {self.decided_by})"


@dataclass(frozen=True, slots=True)
class Undecided(_ThreeValued):
    """There is no answer: the reason says which limit was reached."""

    reason: str  # which limit was reached


Consistency: TypeAlias = Consistent | Inconsistent | Undecided


@dataclass(frozen=True, slots=True, repr=False)
class Repair:
    """Links of least total weight whose removal makes the document consistent, in document order.

    ``alternatives``: for each dropped link, up to ten links of the same weight that could be dropped instead of it;
    None if they were not looked for, or not known in time.
    """

    dropped: tuple[Fact, ...]  # the links to remove
    weight: Fraction  # their total weight
    alternatives: tuple[tuple[Fact, ...], ...] | None = field(default=None, compare=False)  # links that would also do

    def __repr__(self) -> str:
        return f"Repair({_ids(self.dropped) or 'nothing to drop'}, weight {self.weight})"

    def alternative_ids(self) -> dict[str, list[str]] | None:
        """Return the ids of alternatives by the id of the dropped link; None if they are not known.

        Links without an alternative are left out.
        """
        if self.alternatives is None:
            return None
        pairs = zip(self.dropped, self.alternatives, strict=True)
        return {dropped.id: [other.id for other in others] for dropped, others in pairs if others}


@dataclass(frozen=True, slots=True, repr=False)
class Unrepairable:
    """No allowed removal helps: these links, all protected, already contradict each other."""

    conflict: tuple[Fact, ...]

    def __repr__(self) -> str:
        return f"Unrepairable({_ids(self.conflict)})"


def _ids(links: tuple[Fact, ...]) -> str:
    """Return the ids of links in one line."""
    return " ".join(link.id for link in links[:6]) + (" ..." if len(links) > 6 else "")


# --- scores ----------------------------------------------------------------------------------------------------------


def ratio(part: Exact, whole: Exact, empty: int) -> Fraction:
    """Return ``part / whole`` as a fraction, or ``empty`` (0 or 1) if ``whole`` is 0.

    Columns of numpy, which hold many sums, give a column of floats.
    """
    if hasattr(whole, "dtype"):
        return cast("Fraction", _ratios(part, whole, empty))
    return Fraction(part, whole) if whole else Fraction(empty)


def _ratios(part: Any, whole: Any, empty: int) -> Any:
    import numpy as np

    return np.divide(part, whole, out=np.full(len(whole), float(empty)), where=whole != 0)


def harmonic_mean(precision: Fraction, recall: Fraction) -> Fraction:
    """Return F1; 0 if both are 0."""
    (a, b), (c, d) = precision.as_integer_ratio(), recall.as_integer_ratio()
    whole = a * d + c * b  # one division in the end: a step with fractions takes ten times one with whole numbers
    return Fraction(2 * a * c, whole) if whole else Fraction(0)


_NO_COUNTS: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # behind precision, and behind recall


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a metric in a document. Counts of documents add up; precision and recall are derived last.

    >>> MatchCounts(1, 2, 1, 4) + MatchCounts(1, 1, 0, 1)
    MatchCounts(precision_matched=2, system_total=3, recall_matched=1, gold_total=5)
    """

    _FIGURED = _NO_COUNTS

    def precision(self, empty: int) -> Fraction:
        """Return what of the system is right; ``empty`` where it has nothing to count."""
        raise NotImplementedError

    def recall(self, empty: int) -> Fraction:
        """Return how much of gold was found; ``empty`` where it asks for nothing."""
        raise NotImplementedError

    def gold_size(self) -> Exact:
        """Return the denominator of recall: how much gold asks for. Tables show it as n."""
        raise NotImplementedError

    def system_size(self) -> Exact:
        """Return the denominator of precision: how much the system says."""
        raise NotImplementedError

    @classmethod
    def names_for(cls, measure: str) -> tuple[str, ...]:
        """Return the names of the counts that precision, recall or f1 is computed from."""
        parts = cls._FIGURED if measure == "f1" else (cls._FIGURED[measure == "recall"],)
        return tuple(dict.fromkeys(name for part in parts for name in part))

    def basis(self) -> tuple[Exact, ...]:
        """Return the counts that F1 is computed from: systems with the same ones have the same figures."""
        return tuple(getattr(self, name) for name in self.names_for("f1"))

    def derived(self, empty: int) -> dict[str, Fraction]:  # noqa: ARG002 - for those that divide
        """Return further figures to show with the counts."""
        return {}

    def beside(self, empty: int) -> dict[str, Fraction]:  # noqa: ARG002 - for those that divide
        """Return further figures to show with precision, recall and F1."""
        return {}

    def coverage(self) -> dict[str, int]:
        """Return how many pairs were asked about, answered, and answered twice; empty if nothing asks for pairs."""
        return {}

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def __mul__(self, times: int) -> Self:
        if times == 1:
            return self
        return type(self)(*(getattr(self, name) * times for name in self.__dataclass_fields__))

    def items(self) -> Iterator[tuple[str, Exact]]:
        """Return an iterator over names and values."""
        return ((name, getattr(self, name)) for name in self.__dataclass_fields__)

    def to_dict(self) -> dict[str, Any]:
        """Return counts by name. A fraction has its exact value as a second entry."""
        row: dict[str, Any] = {}
        for name, value in self.items():
            if value.denominator == 1:
                row[name] = int(value)
            else:
                row[name], row[f"{name}_exact"] = float(value), str(value)
        return row


@dataclass(frozen=True, slots=True)
class MatchCounts(Counts):
    """Credit for what the system says and for what the gold standard says, out of how many."""

    precision_matched: Exact = 0
    system_total: int = 0
    recall_matched: Exact = 0
    gold_total: int = 0

    _FIGURED = (("precision_matched", "system_total"), ("recall_matched", "gold_total"))

    def precision(self, empty: int) -> Fraction:
        """Return the matched share of the system."""
        return ratio(self.precision_matched, self.system_total, empty)

    def recall(self, empty: int) -> Fraction:
        """Return the matched share of gold."""
        return ratio(self.recall_matched, self.gold_total, empty)

    def gold_size(self) -> int:
        """Return how much gold asks for."""
        return self.gold_total

    def system_size(self) -> int:
        """Return how much the system says."""
        return self.system_total


def skipped_sides(skipped: Mapping[str, Mapping[str, int]]) -> str:
    """Return what ``repr`` adds for links of each side that could not be used.

    >>> skipped_sides({"gold": {}, "system": {"unknown-label": 3}})
    '; links of system 3 skipped: 3 unknown-label'
    """
    said = ((side, skipped_words(codes)) for side, codes in skipped.items())
    return "".join(f"; links of {side}{words[1:]}" for side, words in said if words)


def warned_words(remarks: Iterable[Remark], *, unless: Container[str] = ()) -> str:
    """Return what ``repr`` adds for warnings: their codes, but for skipped links and what is shown in another way.

    >>> warned_words([Remark("same-input", "x"), Remark("bad-id", "y", action=Action.DROPPED)])
    '; warnings: same-input'
    """
    codes = dict.fromkeys(each.code for each in remarks if each.action is not Action.DROPPED)
    known = ", ".join(code for code in codes if code not in unless)
    return f"; warnings: {known}" if known else ""


class PairRow(NamedTuple):
    """A pair that counts: what each side says about it, and whether the other side bears that out."""

    source: str
    target: str
    gold: str | None = None  # a label; None: nothing
    system: str | None = None
    follows_in_gold: bool | None = None  # what the system says; None: nothing that counts
    follows_in_system: bool | None = None  # what gold says
    weight: float = 1
    kind: str = ""  # from here on with details only
    source_text: str | None = None
    target_text: str | None = None
    sentence: str | None = None
    distance: int | None = None  # characters between the two
    sentence_distance: int | None = None

    @property
    def correct(self) -> bool:
        """Return whether each side bears out what the other says; if neither says what counts, whether both say it."""
        borne_out = {self.follows_in_gold, self.follows_in_system} - {None}
        return False not in borne_out if borne_out else self.gold == self.system

    def to_dict(self, document: str) -> dict[str, Any]:
        """Return the row of a table."""
        row = {"document": document, "source": self.source, "target": self.target, "gold": self.gold}
        judged = {
            "system": self.system,
            "correct": self.correct,
            "follows_in_gold": self.follows_in_gold,
            "follows_in_system": self.follows_in_system,
            "weight": self.weight,
        }
        more = {name: getattr(self, name) for name in self._fields[7:]}
        return {**row, **judged, **(more if self.kind else {})}


NOTHING = "(nothing)"  # the pair is not related
NO_LINK = "NONE"  # the same, in confusions of labels by name
_BANDS = (0, 20, 50, 100, 200, 500, 1000)


def _band(distance: int) -> str:
    """Return the range of a distance.

    >>> _band(7), _band(250), _band(5000)
    ('0-19', '200-499', '1000-')
    """
    low = max(each for each in _BANDS if each <= distance)
    high = next((each for each in _BANDS if each > distance), None)
    return f"{low}-{'' if high is None else high - 1}"


_UNKNOWN = "unknown"  # the group of pairs whose entities have no place in a text


def _of_both(group: Callable[[PairRow], str | None]) -> Callable[[PairRow], tuple[str | None, str | None]]:
    """Return a group as that of both sides; none without details."""

    def both(row: PairRow) -> tuple[str | None, str | None]:
        name = (group(row) or _UNKNOWN) if row.kind else None
        return name, name

    return both


_GROUPS: dict[str, Callable[[PairRow], tuple[str | None, str | None]]] = {
    "label": lambda row: (row.gold, row.system),
    "kind": _of_both(lambda row: row.kind),
    "distance": _of_both(lambda row: None if row.distance is None else _band(row.distance)),
    "sentence_distance": _of_both(lambda row: None if row.sentence_distance is None else str(row.sentence_distance)),
}


def grouped(rows: Iterable[PairRow], name: str) -> dict[str, MatchCounts]:
    """Return counts by groups of pairs: the group of a pair for what gold says, and for what the system says."""
    groups, found = _GROUPS[name], dict[str, MatchCounts]()
    for row in rows:
        asked, given = groups(row)
        if row.follows_in_system is not None and asked:
            found[asked] = found.get(asked, MatchCounts()) + MatchCounts(0, 0, int(row.follows_in_system), 1)
        if row.follows_in_gold is not None and given:
            found[given] = found.get(given, MatchCounts()) + MatchCounts(int(row.follows_in_gold), 1)
    return dict(sorted(found.items()))


def counts_by_label(confusion: Mapping[tuple[str, str], int]) -> dict[str, MatchCounts]:
    """Return the counts of each label, from how often each pair of labels (gold, system) occurs.

    >>> counts_by_label({("BEFORE", "BEFORE"): 2, ("BEFORE", "NONE"): 1})["BEFORE"]
    MatchCounts(precision_matched=2, system_total=2, recall_matched=2, gold_total=3)
    """
    found: dict[str, MatchCounts] = {}
    for (gold, system), number in confusion.items():
        right = number * (gold == system)
        for label, part in ((gold, MatchCounts(0, 0, right, number)), (system, MatchCounts(right, number))):
            if label != NO_LINK:
                found[label] = found.get(label, MatchCounts()) + part
    return dict(sorted(found.items()))


def _first_number(name: str) -> int:
    number = name.split("-", maxsplit=1)[0]
    return int(number) if number.isdigit() else 0


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


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """Precision, recall and F1 as exact fractions, the counts they come from, and how they were obtained.

    A score of one document names it. A score of many is a total: ``scored`` says of how many, ``documents`` holds
    theirs where they were kept.
    """

    metric: str
    counts: Counts
    precision: Fraction
    recall: Fraction
    f1: Fraction
    signature: str = ""
    convention: str = ""  # for metrics that have several
    document: str | None = None
    documents: tuple[Score, ...] = ()
    scored: int = 0
    skipped: tuple[Skipped, ...] = ()
    breakdown: Mapping[str, Mapping[str, Counts]] = field(
        default_factory=dict
    )  # e.g. "kind" -> "event-event" -> counts
    confused: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (gold label, system label) -> links
    unmatched: Unmatched | None = None  # where entities were aligned
    labels: tuple[str, ...] = ()  # of the confusion, in order, where the metric has a fixed set
    derived: Mapping[str, Fraction] = field(default_factory=dict)  # further figures that the metric has
    beside: Mapping[str, Fraction] = field(default_factory=dict)  # those shown with precision, recall and F1
    warnings: tuple[Remark, ...] = ()
    skipped_links: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: {"gold": {}, "system": {}})
    #                                                 links that could not be used, of each side, by code
    rows: tuple[PairRow, ...] = ()  # of one document: every pair that counts

    def __post_init__(self) -> None:
        for name in ("precision", "recall", "f1"):
            if type(value := getattr(self, name)) is Fraction:
                object.__setattr__(self, name, Figure(value))

    def __repr__(self) -> str:
        total = f"{self.scored} document{'s' * (self.scored != 1)}"
        skipped = skipped_sides(self.skipped_links)
        of = total if self.document is None else repr(self.document)
        figures = f"P {digits(self.precision)}, R {digits(self.recall)}, F1 {digits(self.f1)}"
        covered = "; {answered} of {asked} pairs answered".format(**pairs) if (pairs := self.counts.coverage()) else ""
        alone, others = self._warned()
        return f"Score({self.title} of {of}{alone}: {figures}{covered}{skipped}{others})"

    def _warned(self) -> tuple[str, str]:
        """Return what ``repr`` says about warnings: documents without a partner, and the codes of the others."""
        codes = Counter(remark.code for remark in self.warnings)
        alone = "".join(
            f", {codes[code]} without a {other} document"
            for code, other in (("unpaired-gold", "system"), ("unpaired-system", "gold"))
            if code in codes
        )
        return alone, warned_words(self.warnings, unless={"unanswered-pairs", "unpaired-gold", "unpaired-system"})

    @property
    def title(self) -> str:
        """Return the metric, and its convention if it has several."""
        return f"{self.metric} {self.convention}" if self.convention else self.metric

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a document's line, or of the total's."""
        return self._document_row() if self.document is not None else self._total_row()

    def _document_row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "document": self.document,
            **self.figures(),
            **self.counts.coverage(),
            "counts": self.all_counts(),
        }
        if self.unmatched is not None:
            row["unmatched"] = {"gold": list(self.unmatched.gold), "system": list(self.unmatched.system)}
        if self.warnings:
            row["warnings"] = [each.sentence() for each in self.warnings]
        if any(self.skipped_links.values()):
            row["skipped_links"] = {side: dict(codes) for side, codes in self.skipped_links.items()}
        return row

    def _total_row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "total": True,
            "metric": self.metric,
            **({"convention": self.convention} if self.convention else {}),
            **self.figures(),
            **self.counts.coverage(),
            "counts": self.all_counts(),
            "documents": self.scored,
            "skipped": [{"document": each.document, "reason": each.reason} for each in self.skipped],
            "skipped_links": {side: dict(codes) for side, codes in self.skipped_links.items()},
        }
        for name, groups in self.breakdown.items():
            row[f"by_{name}"] = {group: counts.to_dict() for group, counts in groups.items()}
        if self.labels:
            row["labels"], row["matrix"] = list(self.labels), self.matrix()
        elif self.confused:
            row["confusion"] = [
                {"gold": gold, "system": system, "count": number}
                for (gold, system), number in sorted(self.confused.items())
            ]
        if self.warnings:
            row["warnings"] = [each.sentence() for each in self.warnings]
        return {**row, "signature": self.signature}

    def matrix(self) -> list[list[int]]:
        """Return the number of examples by gold label (rows) and system label (columns), in the order of ``labels``."""
        return [[self.confused.get((gold, given), 0) for given in self.labels] for gold in self.labels]

    def figures(self) -> dict[str, Any]:
        """Return precision, recall and F1 as numbers and as exact fractions, and the metric's further figures."""
        values = {"precision": self.precision, "recall": self.recall, "f1": self.f1, **self.beside}
        return {
            **{name: float(value) for name, value in values.items()},
            **{f"{name}_exact": str(value) for name, value in values.items()},
        }

    def all_counts(self) -> dict[str, Any]:
        """Return the counts, and the further figures of the metric."""
        row = self.counts.to_dict()
        for name, value in self.derived.items():
            row[name], row[f"{name}_exact"] = float(value), str(value)
        return row

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each document: its name, precision, recall, F1 and the counts."""
        columns, rows = self._table()
        return to_frame(rows, columns)

    def _repr_html_(self) -> str:
        columns, rows = self._table()
        shown = [
            {name: digits(row[name]) if name in {"precision", "recall", "f1"} else row[name] for name in columns}
            for row in [*rows, *([] if self.document is not None else [self.row("TOTAL")])]
        ]
        told = [name for name in columns if any(row[name] != 0 for row in shown)]  # most counts are 0 in most corpora
        table = html_table(told, [[row[name] for name in told] for row in shown], caption=self.signature)
        return table + self._html_of_details() if any(row.kind for row in self._pair_rows()) else table

    def _html_of_details(self) -> str:
        columns, rows = self._confusion()
        tables = [html_table(columns, [list(row.values()) for row in rows], "gold in rows, system in columns")]
        for name in _GROUPS:
            rows = self._grouped(name)
            if any(row[name] != _UNKNOWN for row in rows):
                cells = [[digits(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in rows]
                tables.append(html_table(list(rows[0]), cells, f"by {name.replace('_', ' ')}"))
        return "".join(tables)

    def _table(self) -> tuple[list[str], list[dict[str, Any]]]:
        rows = [each.row(each.document or "") for each in (self.documents or (self,))]
        return list(rows[0]), rows

    def pairs(self) -> Any:
        """Return a pandas frame with one row for each pair that counts: what gold says, what the system says.

        ``follows_in_gold`` says whether gold bears out what the system says, ``follows_in_system`` the reverse; None
        where there is nothing to ask. With ``details=True`` there are also words, sentences, kinds and distances.
        """
        rows = self.pair_rows()
        if not rows and self.counts.gold_size() + self.counts.system_size():
            raise UsageError(f"metric {self.metric} keeps rows of pairs only with details=True, if it has them")
        return to_frame(rows, list(rows[0]) if rows else list(PairRow("", "").to_dict("")))

    def pair_rows(self) -> list[dict[str, Any]]:
        """Return the rows of ``pairs`` as dicts."""
        parts = self.documents if self.document is None else (self,)
        return [row.to_dict(each.document or "") for each in parts for row in each.rows]

    def confusion(self) -> Any:
        """Return a pandas frame with the number of pairs by gold label (rows) and system label (columns)."""
        columns, rows = self._confusion()
        if not rows:
            raise UsageError(f"metric {self.metric} has no table of labels without details=True, if it has labels")
        return to_frame(rows, columns)

    def _confusion(self) -> tuple[list[str], list[dict[str, Any]]]:
        table = dict(self.confused)
        if not table:
            table = dict(Counter((row.gold or NOTHING, row.system or NOTHING) for row in self._pair_rows()))
        down = list(self.labels) or sorted({gold for gold, _ in table})
        across = list(self.labels) or sorted({system for _, system in table})
        rows = [{"gold": gold, **{name: table.get((gold, name), 0) for name in across}} for gold in down]
        return ["gold", *across], rows if table else []

    def by_label(self) -> Any:
        """Return a pandas frame with precision, recall, F1 and counts of each label."""
        return self._by("label")

    def by_kind(self) -> Any:
        """Return a frame of scores for each kind of pair, such as event-event. It needs ``details=True``."""
        return self._by("kind")

    def by_distance(self) -> Any:
        """Return a frame of scores by the distance of the entities in characters. It needs ``details=True``."""
        return self._by("distance")

    def by_sentence_distance(self) -> Any:
        """Return a frame of scores by the number of sentence ends between the entities. It needs ``details=True``."""
        return self._by("sentence_distance")

    def _by(self, name: str) -> Any:
        if not (rows := self._grouped(name)):
            raise UsageError(f"there are no scores by {name}: give details=True, and a metric that has labels")
        return to_frame(rows, list(rows[0]))

    def _grouped(self, name: str) -> list[dict[str, Any]]:
        """Return figures by groups of pairs, as the metric counts them; where it does not, by its rows."""
        found = self.breakdown.get(name)
        if not found and name == "label" and self.labels:  # labels without a relation count, too
            found = counts_by_label(self.confused)
        found = found or grouped(self._pair_rows(), name)
        rows = []
        for each in sorted(found, key=lambda each: (each == _UNKNOWN, _first_number(each), each)):
            counts = found[each]
            precision, recall = counts.precision(0), counts.recall(0)
            figures = {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall)}
            rows.append({name: each, **{key: float(value) for key, value in figures.items()}, **counts.to_dict()})
        return rows

    def _pair_rows(self) -> Iterator[PairRow]:
        return (row for each in (self.documents if self.document is None else (self,)) for row in each.rows)

    def row(self, name: str) -> dict[str, Any]:
        """Return a row of a table under a name: precision, recall, F1 and the counts."""
        values = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        counts = {name: value if isinstance(value, int) else float(value) for name, value in self.counts.items()}
        return {"document": name, **{key: float(value) for key, value in values.items()}, **counts}


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

    The hints of a lemma are the clauses and lemmas that show it, in the order in which all their literals but one are
    false, and the last one all; clauses are numbered from 0, and lemmas after them.

    Variable v, counted from 1, says that an endpoint is not later than another; -v is its negation.
    """

    variables: tuple[tuple[str, str], ...]
    clauses: tuple[tuple[tuple[int, ...], int | None], ...]  # with the link they follow from; None: they always hold
    lemmas: tuple[tuple[int, ...], ...]
    hints: tuple[tuple[int, ...], ...]  # of each lemma


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """A claim about the links of a document, with everything needed to check it; ``to_json`` is its documented form.

    See docs/certificates.md. Exactly those parts are set that the claim needs.
    """

    claim: str  # consistent, inconsistent, entailed, refuted, open, closure, repair or decode
    links: tuple[Link, ...]
    query: Link | None = None
    witness: Witness | None = None
    countermodel: Witness | None = None
    conflict: tuple[int, ...] | None = None  # positions in ``links``
    needed: tuple[Witness, ...] | None = None  # per link of the conflict, a model of the others
    proof: tuple[ProofStep, ...] | ClausalProof | None = None
    form: Mapping[str, Any] | None = None  # instead of the parts above, in the documented form

    def __repr__(self) -> str:
        return f"Certificate({self.claim!r}, {counted(len(self.links), 'link')})"


class DocumentVerdict(StrEnum):
    """The result of ``check`` for a document. Compare it, with one of these or with a string."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"
    UNREADABLE = "unreadable"
    UNCHECKED = "unchecked"  # it has links, and none of them could be used

    def __bool__(self) -> NoReturn:
        raise TypeError("a DocumentVerdict has five values; compare it with one of them")


class RepairStatus(StrEnum):
    """Whether the repair of a document is known. Nothing has to be removed from a consistent one: that is optimal."""

    OPTIMAL = "optimal"
    IMPOSSIBLE = "impossible"  # protected links contradict each other
    UNDECIDED = "undecided"  # the time was over before one was proven
    NOT_ASKED = "not-asked"


@dataclass(frozen=True, slots=True)
class Relabelling:
    """The labels that could replace a dropped link once the document is repaired."""

    link: Link
    possible: Relation  # every atom that fits
    labels: tuple[str, ...]  # every label of the reading that can be true and says something

    def to_dict(self) -> dict[str, object]:
        """Return an entry of ``relabel`` in the JSON of ``check``."""
        return {"id": self.link.id, "possible": list(self.possible.atoms), "labels": list(self.labels)}
