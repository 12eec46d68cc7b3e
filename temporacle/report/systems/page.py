"""Pages about systems and a gold standard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.frames import digits
from temporacle.report.document import values
from temporacle.report.document.page import marked_text
from temporacle.report.document.values import LinkStatus
from temporacle.report.drawings import (
    Captions,
    connection_words,
    draw_timeline,
    drawing,
    element,
    listing,
    shortened,
    text_width,
)
from temporacle.report.html import render, trusted, whole_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from markupsafe import Markup

    from temporacle.report.document.values import Connection, TimelineBars
    from temporacle.report.systems.values import ComparedPage, ComparedRow, ComparisonPage, Disagreement, MetricRow


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
        most_rows=values.ROWS,
        most_near=values.NEIGHBOURS,
        LinkStatus=LinkStatus,
    )


def _around(timeline: TimelineBars, disagreement: Disagreement, key: str) -> Markup:
    """Return the disagreement that is drawn first. The script draws the others in the same way."""
    pair = disagreement.source.id, disagreement.target.id
    near = timeline.around(*pair, disagreement.number, values.NEIGHBOURS)
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
        most_rows=values.ROWS,
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


# ----------------------------------------------------------------------------------------------------
# Plots of scores: precision against recall, and F1 with confidence intervals.

_SIZE = 300
_LEFT = 44
_TOP = 14
_BOTTOM = 40
_SHAPES = 5  # marks that differ without colour
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_ROW = 26


def mark(shape: int, x: float, y: float, hint: str) -> Markup:
    """Return a mark for the n-th system: circle, square, triangle, diamond, cross; then again."""
    css = f"dot s{shape % _SHAPES}"
    title = element("title", hint)
    r = 4.5
    match shape % _SHAPES:
        case 0:
            return element("circle", title, cx=x, cy=y, r=r, class_=css)
        case 1:
            return element("rect", title, x=x - r, y=y - r, width=2 * r, height=2 * r, class_=css)
        case 2:
            points = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y + r:.1f} {x - r:.1f},{y + r:.1f}"
        case 3:
            points = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y:.1f} {x:.1f},{y + r:.1f} {x - r:.1f},{y:.1f}"
        case _:
            path = f"M{x - r:.1f} {y - r:.1f}L{x + r:.1f} {y + r:.1f}M{x - r:.1f} {y + r:.1f}L{x + r:.1f} {y - r:.1f}"
            return element("path", title, d=path, class_=css)
    return element("polygon", title, points=points, class_=css)


def draw_scatter(rows: Sequence[ComparedRow], systems: Sequence[str]) -> Markup:
    """Return one mark for every document and system."""
    parts = list(_axes())
    said = []
    for row in rows:
        for number, figures in enumerate(row.figures):
            if figures is not None:
                shown = f"precision {digits(figures.precision, 3)}, recall {digits(figures.recall, 3)}"
                hint = f"{row.id}, {systems[number]}: {shown}"
                parts.append(mark(number, _x(figures.recall), _y(figures.precision), hint))
                said.append(hint)
    width = _LEFT + _SIZE + 20
    label = f"Precision against recall of every document: {listing(said)}"
    return drawing(width, _TOP + _SIZE + _BOTTOM, label, parts, kind="plot")


def _x(value: float) -> float:
    return _LEFT + _SIZE * value


def _y(value: float) -> float:
    return _TOP + _SIZE * (1 - value)


def _axes() -> Iterator[Markup]:
    for tick in _TICKS:
        yield element("line", x1=_x(tick), x2=_x(tick), y1=_y(0), y2=_y(1), class_="grid")
        yield element("line", x1=_x(0), x2=_x(1), y1=_y(tick), y2=_y(tick), class_="grid")
        yield element("text", f"{tick:.1f}", x=_x(tick), y=_y(0) + 15, text_anchor="middle", class_="tick")
        yield element("text", f"{tick:.1f}", x=_x(0) - 6, y=_y(tick) + 4, text_anchor="end", class_="tick")
    yield element("path", d=f"M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}", class_="axis edge")
    yield element("text", "recall", x=_x(0.5), y=_y(0) + 32, text_anchor="middle")
    middle = _y(0.5)
    yield element(
        "text",
        "precision",
        x=12,
        y=middle,
        text_anchor="middle",
        transform=f"rotate(-90 12 {middle})",
    )


def draw_intervals(rows: Sequence[MetricRow], systems: Sequence[str]) -> Markup:
    """Return f1 of every metric and system on one scale, with its interval."""
    scored = [row for row in rows if row.figures is not None]
    names = [
        shortened(f"{row.metric}: {systems[row.system]}" if len(systems) > 1 else row.metric, 60) for row in scored
    ]
    said = []
    left = max(map(text_width, names), default=0) + 14
    parts: list[Markup] = []
    height = _ROW * len(scored) + 8
    for tick in _TICKS:
        x = left + _SIZE * tick
        parts.append(element("line", x1=x, x2=x, y1=4, y2=height, class_="grid"))
        parts.append(element("text", f"{tick:.1f}", x=x, y=height + 14, text_anchor="middle", class_="tick"))
    for number, (row, name) in enumerate(zip(scored, names, strict=True)):
        y = _ROW * number + 18.0
        css = f"whisker s{row.system % _SHAPES}"
        f1 = row.figures.f1 if row.figures else 0.0
        hint = f"{row.metric}, {systems[row.system]}: F1 {digits(f1, 3)}"
        parts.append(element("text", name, x=left - 8, y=y + 4, text_anchor="end"))
        if row.interval is not None:
            low, high = row.interval
            hint += f", 95 % between {digits(low, 3)} and {digits(high, 3)}"
            parts.append(element("line", x1=left + _SIZE * low, x2=left + _SIZE * high, y1=y, y2=y, class_=css))
        parts.append(mark(row.system, left + _SIZE * f1, y, hint))
        said.append(hint)
    label = f"F1 with confidence intervals: {listing(said)}"
    return drawing(left + _SIZE + 24, height + 22, label, parts, kind="plot")
