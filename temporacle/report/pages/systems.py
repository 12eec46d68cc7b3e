"""Pages about systems and a gold standard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.report.drawings.score_plots import draw_intervals, draw_scatter
from temporacle.report.drawings.timeline_bars import draw_timeline
from temporacle.report.pages.html import anchored, render, trusted, whole_page
from temporacle.report.values import limits
from temporacle.report.values.document import LinkStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from markupsafe import Markup

    from temporacle.report.values.systems import ComparedPage, ComparedRow, ComparisonPage, SystemAnswer


def compared_article(page: ComparedPage, key: str, systems: Sequence[str]) -> str:
    """The part of a page about one gold document and its answers; ``key`` names it inside the page."""
    return render(
        "systems_document.html",
        page=page,
        key=key,
        pieces=anchored(page.pieces),
        answers=[
            (name, answer, _picture(page.id, name, answer, key))
            for name, answer in zip(systems, page.answers, strict=True)
        ],
        most_rows=limits.ROWS,
        LinkStatus=LinkStatus,
    )


def _picture(document: str, system: str, answer: SystemAnswer | None, key: str) -> Markup | str:
    if answer is None or answer.timeline is None:
        return ""
    return draw_timeline(answer.timeline, f"Gold timeline of {document} with the links of {system}", key)


def comparison_page(
    summary: ComparisonPage, rows: Sequence[ComparedRow], articles: Iterable[str], href: Callable[[str], str | None]
) -> str:
    """Scores, plots and the table of documents, followed by the documents where they stand on the same page."""
    names = [system.name for system in summary.systems]
    return whole_page(
        "systems.html",
        scripted=True,
        summary=summary,
        names=names,
        rows=rows,
        scatter=draw_scatter(rows, names),
        intervals=draw_intervals(summary.metrics, names),
        articles=map(trusted, articles),
        href=href,
        most_rows=limits.ROWS,
    )
