"""Scores of systems by every metric, with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.corpus import Request, score_pairs
from temporacle.errors import TemporacleError
from temporacle.report.compared import Confusion, DifferenceRow, Figures, GroupRow, MetricRow, SystemPage
from temporacle.results import harmonic_mean
from temporacle.scoring.comparison import compare
from temporacle.scoring.metrics import METRICS
from temporacle.scoring.options import Align, Average, ScoringOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.corpus import Spread
    from temporacle.io.pairing import Pairing
    from temporacle.readings import Reading
    from temporacle.results import Counts, Score

SAMPLES = 1000
_OUTSIDE = 0.025  # of the samples, on either side of the interval


class Choice(NamedTuple):
    """A metric with its options, as a row of the table."""

    name: str
    metric: str
    options: ScoringOptions


def choices(formats: set[str | None], budget: float | None) -> list[Choice]:
    """Every metric that means something for documents of these formats, strict and relaxed where it has both."""
    found = []
    for metric in METRICS.values():
        if metric.name == "timeline":
            if formats == {"timeline"}:
                found.append(Choice("timeline", metric.name, ScoringOptions(budget=budget)))
                found.append(
                    Choice("timeline, order only", metric.name, ScoringOptions(budget=budget, ordering_only=True))
                )
        elif "relaxed" in metric.options:
            found += [
                Choice(
                    f"{metric.name}, {scheme}", metric.name, ScoringOptions(budget=budget, relaxed=scheme == "relaxed")
                )
                for scheme in ("strict", "relaxed")
            ]
        else:
            found.append(Choice(metric.name, metric.name, ScoringOptions(budget=budget, details=True)))
    return found


def request_for(choice: Choice, align: Align, during: str, reading: Reading | None) -> Request:
    return Request(metric=choice.metric, options=choice.options, align=align, during=during, reading=reading)


def figures(score: Score) -> Figures:
    return Figures(float(score.precision), float(score.recall), float(score.f1))


def metric_row(
    system: int, choice: Choice, pairing: Pairing, request: Request, seed: int, *, spread: Spread = map
) -> tuple[MetricRow, Score | None]:
    """One metric of one system. What cannot be scored is a row with the reason. For ``spread`` see ``score_pairs``."""
    about = METRICS[choice.metric].about
    try:
        total = score_pairs(pairing, request, spread=spread)
    except TemporacleError as error:
        return MetricRow(system, choice.name, about, None, reason=str(error)), None
    low, high = interval(total.documents, request.empty, seed)
    row = MetricRow(system, choice.name, about, figures(total), low, high, total.signature, skipped=len(total.skipped))
    return row, total


def interval(documents: Sequence[Score], empty: int, seed: int, samples: int = SAMPLES) -> tuple[float, float]:
    """Where the middle 95 % of micro-averaged F1 lie when documents are drawn with replacement."""
    import numpy as np

    if not documents:
        return 0.0, 0.0
    kind: type[Counts] = type(documents[0].counts)
    table = np.array([[float(value) for _, value in score.counts.items()] for score in documents])
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(samples):
        weights = np.bincount(random.integers(0, len(documents), len(documents)), minlength=len(documents))
        counts = kind(*(weights @ table).tolist())
        drawn.append(float(harmonic_mean(counts.precision(empty), counts.recall(empty))))
    drawn.sort()
    outside = int(_OUTSIDE * samples)
    return drawn[outside], drawn[-1 - outside]


def differences(totals: Sequence[Score | None], seed: int) -> tuple[DifferenceRow, ...]:
    """F1 of every other system minus F1 of the first."""
    first = totals[0] if totals else None
    rows = []
    for number, other in enumerate(totals[1:], 1):
        if first is None or other is None:
            continue
        found = compare(other.documents, first.documents, average=Average.MICRO, empty=0, samples=SAMPLES, seed=seed)
        f1 = next(each for each in found.differences if each.measure == "f1")
        rows.append(DifferenceRow(number, float(f1.observed), float(f1.low), float(f1.high), float(f1.p_value)))
    return tuple(rows)


def system_page(name: str, total: Score | None) -> SystemPage:
    """Labels, kinds of pairs and confusions of a system."""
    if total is None:
        return SystemPage(name, (), (), Confusion((), ()))
    labels, kinds = (_groups(total.breakdown.get(group, {})) for group in ("label", "kind"))
    skipped = tuple(f"{each.document}: {each.reason}" for each in total.skipped)
    notes = tuple(text for each in total.documents for text in each.warnings)
    return SystemPage(name, labels, kinds, _confusion(total.confusion), (*total.warnings, *notes, *skipped))


def _groups(groups: Mapping[str, Counts]) -> tuple[GroupRow, ...]:
    rows = []
    for name, counts in groups.items():
        precision, recall = counts.precision(0), counts.recall(0)
        totals = dict(counts.items())
        found = Figures(float(precision), float(recall), float(harmonic_mean(precision, recall)))
        rows.append(GroupRow(name, found, int(totals["gold_total"]), int(totals["system_total"])))
    return tuple(rows)


def _confusion(table: Mapping[tuple[str, str], int]) -> Confusion:
    labels = tuple(sorted({label for pair in table for label in pair}, key=_placeholders_last))
    return Confusion(labels, tuple(tuple(table.get((gold, said), 0) for said in labels) for gold in labels))


def _placeholders_last(label: str) -> tuple[bool, str]:
    return label.startswith("("), label
