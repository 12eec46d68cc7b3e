"""Pages about the documents of a corpus."""

from __future__ import annotations

import re
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import escape

from temporacle.errors import InternalError
from temporacle.report.drawings.conflict_cycle import draw_conflict
from temporacle.report.drawings.minimal_graph import draw_graph
from temporacle.report.drawings.timeline_bars import draw_timeline
from temporacle.report.pages.certificates import CHECKING, embedded
from temporacle.report.pages.html import render, trusted, whole_page
from temporacle.report.pages.long_parts import document_rows, link_table, marked_text
from temporacle.report.values import limits
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from markupsafe import Markup

    from temporacle.report.values.certificates import Certificates
    from temporacle.report.values.document import Conflict, DocumentPage, DocumentRow

_URGENT = (
    DocumentVerdict.INCONSISTENT,
    DocumentVerdict.UNDECIDED,
    DocumentVerdict.UNREADABLE,
    DocumentVerdict.CONSISTENT,
)
_COLUMNS = (
    ("Document", ""),
    ("Verdict", ""),
    ("Entities", "number"),
    ("Links", "number"),
    ("Conflict", "number"),
    ("Repair", "number"),
    ("Warnings", "number"),
    ("Format", ""),
    ("Path", ""),
)


def document_article(page: DocumentPage, key: str, place: str | None = None) -> str:
    """Return the part of a page about one document.

    ``key`` names it inside the page; ``place`` is the path as shown.
    """
    timeline, graph, conflicted = page.timeline, page.graph, page.conflicts_of()
    count = len(page.conflicts) + page.more_conflicts
    pictures = [
        _conflict_picture(conflict, f"Contradiction {number} in {page.id}" if count > 1 else f"Conflict in {page.id}")
        if number <= limits.PICTURES
        else ""
        for number, conflict in enumerate(page.conflicts, 1)
    ]
    return render(
        "document.html",
        page=page,
        key=key,
        place=page.path if place is None else place,
        conflicted=conflicted,
        text=marked_text(page.pieces, key, conflicted) if page.pieces else "",
        link_table=link_table(page.links, limits.ROWS, "Links as stated") if page.links else "",
        conflicts=list(zip(page.conflicts, pictures, strict=True)),
        conflict_count=count,
        most_rows=limits.ROWS,
        most_arrows=limits.ARROWS,
        timeline_picture=draw_timeline(timeline, f"Timeline of {page.id}", key) if timeline else "",
        graph_picture=draw_graph(graph, f"Minimal endpoint graph of {page.id}") if graph else "",
    )


def _conflict_picture(conflict: Conflict, label: str) -> Markup | str:
    return draw_conflict(conflict, label) if 0 < len(conflict.arrows) <= limits.ARROWS else ""


def note_paragraph(text: str) -> str:
    """Return a remark between documents."""
    return str(trusted('<p class="note">{}</p>').format(text))


def document_page(title: str, article: str, back: str) -> str:
    """Return a separate page for one document, with a link back to the table."""
    head, top, middle, foot = _around_documents()
    return "".join((head, escape(title), top, escape(back), middle, article, foot))


@cache
def _around_documents() -> tuple[str, ...]:
    """Return what all pages of documents have around title, link and article: the template is filled only once."""
    names = ("title", "back", "article")
    page = whole_page("document_page.html", scripts=(), **{name: trusted(_place(name)) for name in names})
    parts = tuple(re.split("|".join(map(_place, names)), page))
    if len(parts) != len(names) + 1:
        raise InternalError("the template of a document's page does not have each of its parts once")
    return parts


def _place(name: str) -> str:
    return f"\ue000{name}\ue000"


class _Sizes(NamedTuple):
    total: int
    least: int
    median: float
    most: int


def _sizes(values: Sequence[int]) -> _Sizes:
    return _Sizes(sum(values), min(values), median(values), max(values)) if values else _Sizes(0, 0, 0, 0)


def corpus_page(
    title: str,
    rows: Sequence[DocumentRow],
    articles: Mapping[str, str],
    href: Callable[[str], str | None],
    certificates: Certificates | None = None,
) -> str:
    """Return the table of documents, followed by the documents themselves if they are on the same page.

    Documents that need attention come first. ``articles`` are the documents on this page by key; ``href`` says where
    the details of a document stand, None if it has none. ``certificates`` are checked by the browser.
    """
    ordered = sorted(rows, key=lambda row: _URGENT.index(row.verdict))
    readable = [row for row in rows if row.verdict is not DocumentVerdict.UNREADABLE]
    counted = [(verdict.value, sum(row.verdict is verdict for row in rows)) for verdict in DocumentVerdict]
    return whole_page(
        "corpus.html",
        scripts=("script.js",) if certificates is None else CHECKING,
        certificates=certificates,
        embedded=embedded,
        title=title,
        rows=ordered,
        table=document_rows(ordered, href),
        verdicts=[(name, count) for name, count in counted if count],
        labels=_labels(rows),
        entities=_sizes([row.entities for row in readable]),
        links=_sizes([row.links for row in readable]),
        remarks=sum(row.remarks for row in rows),
        without_details=sum(href(row.key) is None for row in rows),
        columns=_COLUMNS,
        articles=[trusted(articles[row.key]) for row in ordered if row.key in articles],
        href=href,
    )


def _labels(rows: Iterable[DocumentRow]) -> list[tuple[str, int, float]]:
    """Return labels, most frequent first, with their share."""
    counts: dict[str, int] = {}
    for row in rows:
        for label, count in row.labels:
            counts[label] = counts.get(label, 0) + count
    total = sum(counts.values())
    return [(label, count, count / total) for label, count in sorted(counts.items(), key=lambda item: (-item[1], item))]
