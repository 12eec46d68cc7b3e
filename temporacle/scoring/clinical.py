"""The links of anaforatools' row ``TLINK:Type``, scored exactly: temporal awareness of the same links.

Labels mean what the program's table of facts says. Links that follow from earlier ones are not counted, and a link that
contradicts earlier ones is set aside, as for metric ``awareness``.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import Document, Link
from temporacle.relation import EXAMPLES, Relation
from temporacle.scoring import awareness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.scoring.awareness import AwarenessCounts
    from temporacle.scoring.official.anafora import AnaforaAnnotation
    from temporacle.scoring.official.chemotimelines import Entry

# What each label of the program says about the ends: x is the source and y the target; s is a start, e an end.
FACTS: dict[str, tuple[str, ...]] = {
    "BEFORE": ("xe < ys",),
    "AFTER": ("ye < xs",),
    "IBEFORE": ("xe = ys",),
    "IAFTER": ("xs = ye",),
    "CONTAINS": ("xs < ys", "ye < xe"),
    "INCLUDES": ("xs < ys", "ye < xe"),
    "IS_INCLUDED": ("ys < xs", "xe < ye"),
    "BEGINS-ON": ("xs = ys",),
    "ENDS-ON": ("xe = ye",),
    "BEGINS": ("xs = ys", "xe < ye"),
    "BEGUN_BY": ("xs = ys", "ye < xe"),
    "ENDS": ("ys < xs", "xe = ye"),
    "ENDED_BY": ("xs < ys", "xe = ye"),
    "SIMULTANEOUS": ("xs = ys", "xe = ye"),
    "IDENTITY": ("xs = ys", "xe = ye"),
    "DURING": ("xs = ys", "xe = ye"),
    "DURING_INV": ("xs = ys", "xe = ye"),
    "OVERLAP": ("xs < ye", "ys < xe"),
}


def _says(fact: str, x: tuple[int, int], y: tuple[int, int]) -> bool:
    first, sign, second = fact.split()
    left, right = ({"xs": x[0], "xe": x[1], "ys": y[0], "ye": y[1]}[each] for each in (first, second))
    return left < right if sign == "<" else left == right


RELATIONS = {
    label: Relation.of(*(atom for atom, pair in EXAMPLES.items() if all(_says(fact, *pair) for fact in facts)))
    for label, facts in FACTS.items()
}


def exact_links(
    name: str, reference: Sequence[AnaforaAnnotation], predicted: Sequence[AnaforaAnnotation], budget: float | None
) -> AwarenessCounts:
    """Score the links of one document."""
    gold, system = (Document(name, tuple(_links(side))) for side in (reference, predicted))
    counts = awareness.judge(gold, system, awareness.AwarenessOptions(budget)).counts
    assert isinstance(counts, awareness.AwarenessCounts)  # noqa: S101 - narrows the type only
    return counts


def _links(annotations: Iterable[AnaforaAnnotation]) -> Iterable[Link]:
    """Yield the links between two spans with a known label; entities go by their spans, as in the program."""
    for number, each in enumerate(annotations, 1):
        label, ends = each.properties.get("Type"), each.arguments()
        if each.type == "TLINK" and len(ends) == 2 and isinstance(label, str) and label in RELATIONS:
            source, target = (repr(end.pieces) for end in ends)
            yield Link(str(number), source, RELATIONS[label], target, label)


# ----------------------------------------------------------------------------------------------------
# Timelines of treatments, scored without the faults of the ChemoTimelines program.
#
#     right    predictions that gold has: the same drug, label and date
#     wrong    predictions that gold does not have
#     missed   gold entries that are not predicted
#
# Entries count once, labels are compared without regard to case, weeks are ISO weeks, and a gold patient without a
# prediction counts as missed. Relaxed to day, month or year, dates are cut to that length; one that is less exact stays
# as it is, and nothing is made up for it. An entry that agrees with one of the other side up to begins-on (or ends-on)
# against contains-1 is right. An entry that lies within the other side's time of that drug is excused: it counts
# neither as right nor as wrong. Each entry is used for one match.

_WEEK = re.compile(r"([0-9]{4})-W([0-9]{1,2})", re.IGNORECASE)
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_GENERIC = "chemo"


class Period(NamedTuple):
    """The days that a date stands for: [start, end)."""

    start: date
    end: date

    def cut(self, mode: str) -> Period:
        """Return the day, month or year around this period; the period itself if it reaches over a border."""
        if mode == "month":
            wider = _month(self.start.year, self.start.month)
        elif mode == "year":
            wider = Period(date(self.start.year, 1, 1), date(self.start.year + 1, 1, 1))
        else:
            return self
        return wider if self.end <= wider.end else self

    def within(self, other: Period) -> bool:
        return other.start <= self.start and self.end <= other.end


def period_of(text: str) -> Period | None:
    """Return the days of a date; None if there is no such date.

    >>> period_of("2013-W01").start, period_of("2013-02").end, period_of("2013-02-30")
    (datetime.date(2012, 12, 31), datetime.date(2013, 3, 1), None)
    """
    try:
        if week := _WEEK.fullmatch(text):
            monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
            return Period(monday, monday + timedelta(days=7))
        found = _DATE.fullmatch(text)
        if found is None:
            return None
        year, month, day = (int(part) if part else None for part in found.groups())
        if year is None or month is None:
            return Period(date(year or 0, 1, 1), date((year or 0) + 1, 1, 1))
        if day is None:
            return _month(year, month)
        return Period(date(year, month, day), date(year, month, day) + timedelta(days=1))
    except (ValueError, OverflowError):
        return None


def _month(year: int, month: int) -> Period:
    return Period(date(year, month, 1), date(year, month, 1) + timedelta(days=monthrange(year, month)[1]))


class PlacedEntry(NamedTuple):
    """An entry with its date as days; an impossible date keeps its text, and agrees with that text only."""

    drug: str
    label: str
    when: Period | str


class ExactPatient(NamedTuple):
    """Counts of one patient."""

    patient: str
    right: int
    wrong: int
    missed: int
    has_gold: bool

    @property
    def precision(self) -> Fraction | None:
        """Return the precision; None if no prediction counts."""
        return Fraction(self.right, self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> Fraction | None:
        """Return the recall; None if gold has nothing to find."""
        return Fraction(self.right, self.right + self.missed) if self.right + self.missed else None

    @property
    def f1(self) -> Fraction | None:
        total = 2 * self.right + self.wrong + self.missed
        return Fraction(2 * self.right, total) if total else None


def exact_patients(
    gold: Mapping[str, Sequence[Entry]], system: Mapping[str, Sequence[Entry]], mode: str
) -> list[ExactPatient]:
    """Score every patient that one of the sides has, gold's first."""
    return [
        exact_patient(patient, gold.get(patient, ()), system.get(patient, ()), mode) for patient in {**gold, **system}
    ]


def exact_patient(patient: str, gold: Iterable[Entry], system: Iterable[Entry], mode: str) -> ExactPatient:
    """Score one patient."""
    gold_entries, system_entries = _placed(gold), _placed(system)
    gold_spans, system_spans = _spans(gold_entries), _spans(system_entries)
    gold_set, system_set = _cut(gold_entries, mode), _cut(system_entries, mode)
    has_gold = bool(gold_set)
    right = [entry for entry in system_set if entry in gold_set]
    left_system = [entry for entry in system_set if entry not in gold_set]
    left_gold = [entry for entry in gold_set if entry not in system_set]
    matched = len(right)
    if mode != "strict":
        for entry in list(left_system):  # places of one drug and date: at most a few, so the first partner will do
            partner = next((other for other in left_gold if _agree_nearly(entry, other)), None)
            if partner is not None:
                left_system.remove(entry)
                left_gold.remove(partner)
                matched += 1
        left_system = [entry for entry in left_system if not _is_excused(entry, gold_spans)]
        left_gold = [entry for entry in left_gold if not _is_excused(entry, system_spans)]
    return ExactPatient(patient, matched, len(left_system), len(left_gold), has_gold)


def _placed(entries: Iterable[Entry]) -> list[PlacedEntry]:
    return [PlacedEntry(drug, label.lower(), period_of(when) or when) for drug, label, when in entries]


def _cut(entries: Iterable[PlacedEntry], mode: str) -> dict[PlacedEntry, None]:
    """Return the entries with dates cut, each once, generic drugs only where no other stands."""
    cut = dict.fromkeys(
        each._replace(when=each.when.cut(mode)) if isinstance(each.when, Period) else each for each in entries
    )
    if mode not in {"month", "year"}:
        return cut
    named = {(each.label, each.when) for each in cut if not each.drug.startswith(_GENERIC)}
    kept: dict[PlacedEntry, None] = {}
    for each in cut:
        if each.drug.startswith(_GENERIC):
            if (each.label, each.when) in named:
                continue
            each = each._replace(drug=_GENERIC)  # noqa: PLW2901 - all generic names are one
        kept[each] = None
    return kept


def _spans(entries: Iterable[PlacedEntry]) -> dict[str, Period]:
    """Return for each drug the time between its first begin and its last end."""
    begins: dict[str, date] = {}
    ends: dict[str, date] = {}
    for drug, label, when in entries:
        if isinstance(when, Period):
            if label == "begins-on":
                begins[drug] = min(when.start, begins.get(drug, when.start))
            elif label == "ends-on":
                ends[drug] = max(when.end, ends.get(drug, when.end))
    return {drug: Period(begins[drug], ends[drug]) for drug in begins.keys() & ends.keys()}


def _agree_nearly(first: PlacedEntry, second: PlacedEntry) -> bool:
    labels = {first.label, second.label}
    near = "contains-1" in labels and bool(labels & {"begins-on", "ends-on"})
    return near and (first.drug, first.when) == (second.drug, second.when)


def _is_excused(entry: PlacedEntry, spans: Mapping[str, Period]) -> bool:
    span = spans.get(entry.drug)
    return span is not None and isinstance(entry.when, Period) and entry.when.within(span)
