"""Scores of documents as they come, added up for each metric of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from temporacle.results import Score, Skipped
from temporacle.scoring.metric import metric_named
from temporacle.scoring.tally import Tally
from temporacle.tasks.score_pair import counts_unasked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.corpus.references import Reference
    from temporacle.scoring.options import Average
    from temporacle.tasks.score_pair import Request

NOT_ASKED = "no gold document has this name"
Scores: TypeAlias = tuple[Score | None, ...]
"""Scores of a document by each metric; None where a metric has none."""


class ScoreSums:
    """The scores of one direction, added up for each metric."""

    def __init__(self, request: Request, average: Average) -> None:
        self.tallies = [Tally(metric_named(name), request.empty, average) for name, _ in request.metrics]
        self.skipped: list[tuple[int, Skipped]] = []  # with the place of the metric
        self.strangers: list[list[Skipped]] = [[] for _ in request.metrics]  # documents that gold does not ask for
        self._unasked = [counts_unasked(*each) for each in request.metrics]

    def leave_out(self, documents: Sequence[Reference]) -> None:
        """Take note of documents that gold does not ask for, for the metrics that do not count them."""
        for strangers, counted in zip(self.strangers, self._unasked, strict=True):
            strangers.extend(Skipped(each.name, NOT_ASKED) for each in documents if not counted)

    def add(self, document: str, scores: Sequence[Score | str | None]) -> Scores:
        """Take the scores of a document in, and why it has none by some metric."""
        found: list[Score | None] = []
        for place, (tally, each) in enumerate(zip(self.tallies, scores, strict=bool(scores))):
            if each is None:
                found.append(None)
            elif isinstance(each, str):
                self.skipped.append((place, Skipped(document, each)))
                found.append(None)
            else:
                tally.add(each)
                found.append(each)
        return tuple(found)

    def skipped_by(self, place: int) -> list[Skipped]:
        return [skipped for where, skipped in self.skipped if where == place]
