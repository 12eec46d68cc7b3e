"""The metrics, by name. A new metric is one file (see ``metric``) and one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.scoring.metric import Metric

METRICS = {
    "awareness": "temporacle.scoring.awareness",
    "closure": "temporacle.scoring.closure",
    "core": "temporacle.scoring.core",
    "reduction": "temporacle.scoring.reduction",
    "tempeval1": "temporacle.scoring.tempeval1",
    "timeline": "temporacle.scoring.timeline",
    "pairs": "temporacle.scoring.pairs.metric",
}


@cache
def metric_named(name: str) -> Metric:
    """Return the metric of that name. Raise UsageError with the known names if there is none."""
    if name not in METRICS:
        from temporacle.scoring.official.clinical.choices import PROGRAMS

        if name in PROGRAMS:
            raise UsageError(
                f"metric {name} is a program of its own: use it alone. temporacle score GOLD SYSTEM --metric {name}"
                f' scores exactly; tp.official_score(gold, system, metric="{name}") scores as the original program does'
            )
        raise UsageError(f"unknown metric {name!r}: choose {', '.join((*METRICS, *PROGRAMS))}")
    metric: Metric = import_module(METRICS[name]).METRIC
    return metric
