"""The request for a score: metrics with their options, and how files are read for them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from temporacle.corpus.inputs import READING_OPTIONS, require_budget, require_columns
from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.scoring.metric import metric_named, one_of
from temporacle.scoring.options import Align
from temporacle.tasks.score_pair import Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.corpus.inputs import Inputs
    from temporacle.readings import Reading
    from temporacle.scoring.metric import MetricOptions


def wants_list(*choices: str | Sequence[str] | None) -> bool:
    """Return whether several metrics or conventions were asked for. Then the result is a list, even of one."""
    return any(choice is not None and not isinstance(choice, str) for choice in choices)


def split_options(given: Mapping[str, Any], *sources: Inputs) -> tuple[Options, dict[str, Any]]:
    """Return the options about reading the sources, and those of metrics."""
    reading = {name: value for name, value in given.items() if name in READING_OPTIONS}
    options = Options(**reading)
    require_columns(options, *sources)
    return options, {name: value for name, value in given.items() if name not in reading}


def request_for(
    metrics: Sequence[str],
    options: Mapping[str, Any],
    *,
    align: str = "ids",
    empty: int = 0,
    details: bool = False,
    budget: float | None = None,
    both_ways: bool = False,
    rows: bool = False,
) -> Request:
    """Return what to compute. Each option goes to the metrics that have it. Raise UsageError if none has it.

    An option that takes several values, such as ``convention``, makes one score for each.
    """
    if not metrics:
        raise UsageError("name at least one metric")
    require_budget(budget)
    if empty not in (0, 1):
        raise UsageError(f"empty (the value of 0/0) must be 0 or 1, not {empty!r}")
    chosen_align = one_of(Align, align, "align")
    if chosen_align is Align.TEMPEVAL3:
        raise UsageError(
            'align="tempeval3" belongs to the TempEval-3 program: use temporacle official awareness GOLD SYSTEM,'
            ' or tp.official("awareness", gold, system, align="tempeval3"). Choose ids or spans here'
        )
    kinds = [(name, metric_named(name).options) for name in metrics]
    known = {name: {each.name for each in kind.declared()} for name, kind in kinds}
    chosen: list[tuple[str, MetricOptions]] = []
    for name, kind in kinds:
        # An option that some metric has is for those that have it; any other is refused by the first metric.
        others = set().union(*(fields for other, fields in known.items() if other != name))
        own = {option: value for option, value in options.items() if option in known[name] or option not in others}
        chosen += [(name, kind.chosen(name, each, budget=budget, details=details, rows=rows)) for each in _each(own)]
    if len(set(chosen)) < len(chosen):
        raise UsageError(f"a metric is named twice: {', '.join(metrics)}")
    return Request(tuple(chosen), chosen_align, empty, both_ways)


def _each(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one choice of options for each value of those that were given as lists."""
    values = [value if isinstance(value, list | tuple) else (value,) for value in options.values()]
    for combination in product(*values):
        yield dict(zip(options, combination, strict=True))


def reading_for(request: Request, reading: Options) -> Options:
    """Return the options for reading files.

    A metric may ask for a format, or for labels, if the content does not decide.
    """
    names = list(dict.fromkeys(name for name, _ in request.metrics))
    formats = {metric_named(name).format for name in names}
    if len(formats) > 1:
        raise UsageError(f"the metrics {', '.join(names)} read different files; score them one at a time")
    if reading.format is None:
        reading = replace(reading, format=formats.pop())
    labels = vocabulary(request, None)
    return reading if labels is None or reading.reading else replace(reading, labels_like=labels)


def vocabulary(request: Request, like: Reading | None) -> Reading | None:
    """Return the reading for formats without their own, if the metric decides: ``like`` if it has the labels.

    Together with other metrics it does not decide: a score must not depend on which other metrics are asked for.
    """
    names = {name for name, _ in request.metrics}
    made = metric_named(names.pop()).vocabulary if len(names) == 1 else None
    return None if made is None else made(like)
