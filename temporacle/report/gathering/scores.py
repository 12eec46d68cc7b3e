"""Scores as a page shows them: rows of tables, groups of links, confusions. The scorers compute, this arranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.report.values.systems import PRF, Confusion, DifferenceRow, GroupRow, MetricRow, SystemPage
from temporacle.results import harmonic_mean
from temporacle.scoring.comparison import compare
from temporacle.scoring.intervals import SAMPLES, f1_interval
from temporacle.scoring.metrics import METRICS, metric_named
from temporacle.scoring.options import Average

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from temporacle.results import Counts, Score


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


def metric_row(system: int, choice: MetricChoice, found: Score | str, seed: int) -> MetricRow:
    """Return the score of one system by one metric, or the reason why there is none."""
    about = metric_named(choice.metric).about
    if isinstance(found, str):
        return MetricRow(system, choice.name, about, None, reason=found)
    interval = f1_interval(found.documents, seed=seed)
    return MetricRow(
        system,
        choice.name,
        about,
        prf(found),
        None if interval is None else (float(interval.low), float(interval.high)),
        found.signature,
        skipped=len(found.skipped),
    )


def difference_rows(totals: Sequence[Score | None], seed: int) -> tuple[DifferenceRow, ...]:
    """Return f1 of every other system minus F1 of the first."""
    first = totals[0] if totals else None
    rows = []
    for number, other in enumerate(totals[1:], 1):
        if first is None or other is None:
            continue
        found = compare(other.documents, first.documents, average=Average.MICRO, empty=0, samples=SAMPLES, seed=seed)
        f1 = found.of("f1")
        rows.append(DifferenceRow(number, float(f1.observed), float(f1.low), float(f1.high), float(f1.p_value)))
    return tuple(rows)


def system_page(name: str, total: Score | None) -> SystemPage:
    """Return labels, kinds of pairs and confusions of a system."""
    if total is None:
        return SystemPage(name, (), (), Confusion((), ()))
    labels, kinds = (_groups(total.breakdown.get(group, {})) for group in ("label", "kind"))
    skipped = tuple(f"{each.document}: {each.reason}" for each in total.skipped)
    remarks = (*total.warnings, *(remark for each in total.documents for remark in each.warnings))
    notes = tuple(remark.sentence() for remark in remarks)
    return SystemPage(name, labels, kinds, _confusion(total.confusion), (*notes, *skipped))


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
