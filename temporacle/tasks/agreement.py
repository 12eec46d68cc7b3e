"""How far two annotators agree: any metric both ways, and Cohen's kappa."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from temporacle.figures import digits
from temporacle.frames import html_table, to_frame
from temporacle.runner import Plan
from temporacle.scoring.agreement import Kappa, kappa
from temporacle.tasks.observer import SILENT
from temporacle.tasks.score import GoldStandard, ScoreRun
from temporacle.tasks.score_request import reading_for, request_for, split_options

if TYPE_CHECKING:
    from temporacle.results import Score
    from temporacle.tasks.inputs import Inputs
    from temporacle.tasks.observer import Observer


@dataclass(frozen=True, slots=True, repr=False)
class Agreement:
    """Two annotators: the score both ways, and kappa."""

    forward: Score  # the first annotator as the key
    backward: Score
    kappa: Kappa

    def __repr__(self) -> str:
        figures = f"{digits(self.forward.f1)} and {digits(self.backward.f1)}"
        found = "undefined" if self.kappa.kappa is None else digits(self.kappa.kappa)
        return f"Agreement({self.forward.metric} F1 {figures}, kappa {found} of {self.kappa.pairs} pairs)"

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the total, with both directions and kappa."""
        figures = {"observed": self.kappa.observed, "expected": self.kappa.expected, "kappa": self.kappa.kappa}
        agreed = {
            "backward": {**self.backward.figures(), "counts": self.backward.all_counts()},
            "pairs": self.kappa.pairs,
            **{name: None if value is None else float(value) for name, value in figures.items()},
        }
        return {**self.forward.to_dict(), "agreement": agreed}

    def to_frame(self) -> Any:
        """A pandas frame with one row for each direction."""
        rows = self._rows()
        return to_frame(rows, list(rows[0]))

    def _repr_html_(self) -> str:
        rows = self._rows()
        cells = [[digits(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in rows]
        return html_table(list(rows[0]), cells, caption=self.forward.signature)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"key": key, "precision": float(each.precision), "recall": float(each.recall), "f1": float(each.f1)}
            for key, each in (("first", self.forward), ("second", self.backward))
        ]


def agreement(
    first: Inputs,
    second: Inputs,
    *,
    metric: str = "awareness",
    average: str = "micro",
    align: str = "ids",
    empty: int = 0,
    budget: float | None = None,
    jobs: int | None = None,
    observer: Observer = SILENT,
    **options: Any,
) -> Agreement:
    """How far two annotators of the same documents agree.

    ``first`` and ``second`` are the annotators' documents. ``metric``, ``average``, ``align``, ``empty``, ``budget``,
    ``jobs``, ``observer`` and the other keywords, such as ``during``, are those of ``score``.

    >>> agreement([("a", "BEFORE", "b"), ("b", "AFTER", "c")], [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    Agreement(awareness F1 0.5000 and 0.5000, kappa 0.0000 of 2 pairs)
    """
    reading, chosen = split_options(options)
    request = request_for([metric], chosen, align=align, empty=empty, budget=budget, both_ways=True)
    standard = GoldStandard(first, reading_for(request, reading), request, average=average, observer=observer)
    run = ScoreRun(standard, second, Plan(jobs))
    documents = tuple(each for scores in run.documents() for each in scores if each)
    found = agreement_of(run)
    return replace(found, forward=replace(found.forward, documents=documents))


def agreement_of(run: ScoreRun) -> Agreement:
    """The agreement, once all documents of a run both ways are scored."""
    (forward,), (backward,) = run.totals(), run.backward_totals()
    return Agreement(forward, backward, kappa(run.labels))
