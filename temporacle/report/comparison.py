"""Pages about systems and a gold standard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from temporacle.report.pages import MOST_ROWS, anchored, environment, page
from temporacle.report.plots import draw_intervals, draw_scatter
from temporacle.report.timeline import draw_timeline
from temporacle.report.values import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from temporacle.report.compared import Answer, ComparedPage, ComparedRow, ComparisonPage


def compared_article(document: ComparedPage, key: str, systems: Sequence[str]) -> str:
    """The part of a page about one gold document and its answers."""
    return environment().get_template("compared.html").render(
        page=document,
        key=key,
        pieces=anchored(document.pieces),
        answers=[
            (name, answer, _picture(document.id, name, answer, key))
            for name, answer in zip(systems, document.answers, strict=True)
        ],
        most_rows=MOST_ROWS,
        Status=Status,
    )  # fmt: skip


def _picture(document: str, system: str, answer: Answer | None, key: str) -> Markup | str:
    if answer is None or answer.timeline is None:
        return ""
    return draw_timeline(answer.timeline, f"Gold timeline of {document} with the links of {system}", key)


def comparison_page(
    summary: ComparisonPage, rows: Sequence[ComparedRow], articles: Iterable[str], href: Callable[[str], str]
) -> str:
    """Scores, plots and the table of documents, followed by the documents where they stand on the same page."""
    names = [system.name for system in summary.systems]
    return page(
        "comparison.html",
        scripted=True,
        summary=summary,
        names=names,
        rows=rows,
        scatter=draw_scatter(rows, names),
        intervals=draw_intervals(summary.metrics, names),
        articles=[Markup(text) for text in articles],  # noqa: S704 - rendered with autoescaping
        href=href,
        most_rows=MOST_ROWS,
    )
