"""The return values of ``report`` and ``report_comparison``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from temporacle.figures import digits
from temporacle.frames import html_table, to_frame
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from temporacle.report.document.values import DocumentRow
    from temporacle.report.systems.values import PRF, ComparedRow, MetricRow
    from temporacle.trouble import Trouble

_CORPUS_COLUMNS = ("document", "path", "verdict", "entities", "links", "conflict", "repair", "remarks")
_COMPARISON_COLUMNS = ("document", "system", "gold_links", "precision", "recall", "f1")
_MOST_SHOWN = 50  # rows of a table in a notebook


@dataclass(frozen=True, slots=True, repr=False)
class CorpusReport:
    """The report that was written about a corpus."""

    page: str
    written: tuple[str, ...]  # the page, and the pages linked from it
    documents: tuple[DocumentRow, ...]
    trouble: tuple[Trouble, ...]  # what could not be read or decided

    @property
    def verdicts(self) -> dict[str, int]:
        """Return how many documents got each verdict. Verdicts that did not occur are left out."""
        counted = Counter(row.verdict for row in self.documents)
        return {verdict.value: counted[verdict] for verdict in DocumentVerdict if verdict in counted}

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in self.verdicts.items())
        return f"CorpusReport({self.page!r}: {len(self.documents)} documents, {verdicts})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "page": self.page,
            "written": list(self.written),
            "verdicts": self.verdicts,
            "documents": self._rows(),
            "trouble": [each.to_dict() for each in self.trouble],
        }

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each document."""
        return to_frame(self._rows(), _CORPUS_COLUMNS)

    def _repr_html_(self) -> str:
        rows = [[row[column] for column in _CORPUS_COLUMNS] for row in self._rows()[:_MOST_SHOWN]]
        return _caption(repr(self)) + html_table(_CORPUS_COLUMNS, rows)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "document": row.id,
                "path": row.path or None,
                "verdict": row.verdict.value,
                "entities": row.entities,
                "links": row.links,
                "conflict": row.conflict,
                "repair": row.repair,
                "remarks": row.remarks,
            }
            for row in self.documents
        ]


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonReport:
    """The report that was written about systems and a gold standard."""

    page: str
    written: tuple[str, ...]
    gold: str
    systems: tuple[str, ...]
    metrics: tuple[MetricRow, ...]  # every metric of every system
    documents: tuple[ComparedRow, ...]
    trouble: tuple[Trouble, ...]

    def __repr__(self) -> str:
        names = ", ".join(self.systems)
        return f"ComparisonReport({self.page!r}: {len(self.documents)} gold documents, systems {names})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. Scores are those of temporal awareness; None if a system has none."""
        return {
            "page": self.page,
            "written": list(self.written),
            "gold": self.gold,
            "systems": list(self.systems),
            "documents": [
                {
                    "document": row.id,
                    "gold_links": row.gold_links,
                    "scores": {
                        name: None if figures is None else figures._asdict()
                        for name, figures in zip(self.systems, row.figures, strict=True)
                    },
                }
                for row in self.documents
            ],
            "trouble": [each.to_dict() for each in self.trouble],
        }

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each gold document and system: temporal awareness."""
        return to_frame(self._rows(), _COMPARISON_COLUMNS)

    def _repr_html_(self) -> str:
        rows = [
            [self.systems[row.system], row.metric, *(map(digits, row.figures) if row.figures else ("", "", ""))]
            for row in self.metrics
        ]
        return _caption(repr(self)) + html_table(("system", "metric", "precision", "recall", "f1"), rows)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "document": row.id,
                "system": name,
                "gold_links": row.gold_links,
                **_measures(figures),
            }
            for row in self.documents
            for name, figures in zip(self.systems, row.figures, strict=True)
        ]


def _measures(figures: PRF | None) -> dict[str, float | None]:
    return {"precision": None, "recall": None, "f1": None} if figures is None else dict(figures._asdict())


def _caption(text: str) -> str:
    return f"<p>{escape(text)}</p>"
