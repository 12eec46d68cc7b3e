"""Pages about systems and a gold standard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.report.drawings.captions import Captions
from temporacle.report.drawings.score_plots import draw_intervals, draw_scatter
from temporacle.report.drawings.timeline_bars import connection_words, draw_timeline
from temporacle.report.pages.html import render, trusted, whole_page
from temporacle.report.pages.long_parts import marked_text
from temporacle.report.values import limits
from temporacle.report.values.document import LinkStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from markupsafe import Markup

    from temporacle.report.values.document import Connection, TimelineBars
    from temporacle.report.values.systems import ComparedPage, ComparedRow, ComparisonPage, Disagreement, MetricRow


def compared_article(page: ComparedPage, key: str, systems: Sequence[str]) -> str:
    """Return the part of a page about one gold document and its answers; ``key`` names it inside the page."""
    first = page.disagreements[0] if page.disagreements else None
    timeline = page.timeline
    return render(
        "systems_document.html",
        page=page,
        key=key,
        text=marked_text(page.pieces, key) if page.pieces else "",
        systems=systems,
        answers=list(zip(systems, page.answers, strict=True)),
        picture=_around(timeline, first, key) if timeline and first else "",
        links=list(_links(timeline)) if timeline else [],
        whole=draw_timeline(timeline._replace(connections=()), f"Gold timeline of {page.id}", key, as_data=True)
        if timeline
        else "",
        most_rows=limits.ROWS,
        most_near=limits.NEIGHBOURS,
        LinkStatus=LinkStatus,
    )


def _around(timeline: TimelineBars, disagreement: Disagreement, key: str) -> Markup:
    """Return the disagreement that is drawn first. The script draws the others in the same way."""
    pair = disagreement.source.id, disagreement.target.id
    near = timeline.around(*pair, disagreement.number, limits.NEIGHBOURS)
    return draw_timeline(near, disagreement.caption, key, frozenset(pair))


def _links(timeline: TimelineBars) -> Iterator[tuple[int, int, Connection, str]]:
    """Yield what the script needs to know about links: the entities by number, and the meaning of an arrow."""
    number = {bar.entity.id: bar.entity.number for bar in timeline.bars}
    captions = Captions((bar.entity.id, bar.entity.text) for bar in timeline.bars)
    for each in timeline.connections:
        link = each.link
        if link.source in number and link.target in number and link.source != link.target:
            words = connection_words(link, each.status, captions)
            yield number[link.source], number[link.target], each, words


def comparison_page(
    summary: ComparisonPage, rows: Sequence[ComparedRow], articles: Iterable[str], href: Callable[[str], str | None]
) -> str:
    """Return scores, plots and the table of documents, followed by the documents if they are on the same page."""
    names = [system.name for system in summary.systems]
    return whole_page(
        "systems.html",
        scripts=("script.js",),
        summary=summary,
        names=names,
        metrics=_side_by_side(summary),
        rows=rows,
        scatter=draw_scatter(rows, names),
        intervals=draw_intervals(summary.metrics, names),
        articles=map(trusted, articles),
        href=href,
        most_rows=limits.ROWS,
    )


def _side_by_side(summary: ComparisonPage) -> list[tuple[str, str, list[MetricRow | None]]]:
    """Return the metrics with the row of every system; None if a system has none."""
    found: dict[str, dict[int, MetricRow]] = {}
    for row in summary.metrics:
        found.setdefault(row.metric, {})[row.system] = row
    return [
        (name, next(iter(rows.values())).about, [rows.get(number) for number in range(len(summary.systems))])
        for name, rows in found.items()
    ]
