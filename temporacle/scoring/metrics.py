"""The metrics, by name. A new metric is one file and one line here.

A metric is a function ``judge(gold, system, options) -> Judgement`` over one pair of documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.model import Document
    from temporacle.scoring.options import Judgement, ScoringOptions


@dataclass(frozen=True, slots=True)
class Metric:
    """Where a metric lives, and which options mean something to it."""

    name: str
    location: str  # "module:function"
    about: str
    options: frozenset[str]  # of relaxed, contradictions, vague, ordering_only
    groups: frozenset[str]  # of label, kind, task: by what its scores can be told apart

    def judge(self, gold: Document, system: Document, options: ScoringOptions) -> Judgement:
        """Counts of one pair of documents. Raises BudgetExceeded when undecided."""
        module, function = self.location.split(":")
        judgement: Judgement = getattr(import_module(module), function)(gold, system, options)
        return judgement


_HERE = "temporacle.scoring"
METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "awareness",
            f"{_HERE}.awareness:judge",
            "temporal awareness (UzZaman & Allen 2011; TempEval-3)",
            frozenset({"contradictions", "vague"}),
            frozenset({"label", "kind"}),
        ),
        Metric(
            "closure",
            f"{_HERE}.closure:judge",
            "pairs of the closed interval graphs (Setzer et al. 2003)",
            frozenset({"relaxed", "contradictions"}),
            frozenset({"label", "kind"}),
        ),
        Metric(
            "core",
            f"{_HERE}.core:judge",
            "core relations of the closed graphs (Tannier & Muller 2011)",
            frozenset({"relaxed", "contradictions"}),
            frozenset({"label", "kind"}),
        ),
        Metric(
            "reduction",
            f"{_HERE}.reduction:judge",
            "transitive reduction of the endpoint graphs (Tannier & Muller 2011)",
            frozenset({"relaxed", "contradictions"}),
            frozenset(),
        ),
        Metric(
            "tempeval1",
            f"{_HERE}.tempeval1:judge",
            "pairwise labels of TempEval-1 (2007), tasks A, B, C",
            frozenset({"relaxed"}),
            frozenset({"label", "task"}),
        ),
        Metric(
            "timeline",
            f"{_HERE}.timeline:judge",
            "timelines of SemEval-2015 task 4, by temporal awareness",
            frozenset({"contradictions", "ordering_only"}),
            frozenset({"label", "kind"}),
        ),
    )
}


def metric_named(name: str) -> Metric:
    """The metric of that name, UsageError with the known names otherwise."""
    try:
        return METRICS[name]
    except KeyError:
        raise UsageError(f"unknown metric {name!r}: choose {', '.join(METRICS)}") from None
