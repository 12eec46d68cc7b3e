"""From values to HTML. Jinja2 escapes everything that is not one of our own drawings or templates."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from temporacle import __version__
from temporacle.report.cycle import MOST_ARROWS, draw_conflict
from temporacle.report.graph import draw_graph
from temporacle.report.timeline import draw_timeline
from temporacle.report.values import Verdict, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from temporacle.report.values import DocumentPage, Piece, Summary

MOST_ROWS = 1000  # of one table of links or warnings
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


@cache
def environment() -> Environment:
    """Templates with autoescaping, without exception."""
    found = Environment(
        loader=PackageLoader("temporacle.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["shown"] = shown
    return found


@cache
def _asset(name: str) -> Markup:
    """A style sheet or script of ours, to stand inside a page."""
    loader = environment().loader
    assert loader is not None  # noqa: S101 - narrows the type only
    source, _, _ = loader.get_source(environment(), name)
    return Markup(source)  # noqa: S704 - our own file


def page(template: str, *, scripted: bool, **values: Any) -> str:
    """A whole page. The only script that may run is ours, named by its hash in the content security policy."""
    script = _asset("script.js") if scripted else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment().get_template(template).render(
        style=_asset("style.css"),
        script=script,
        script_source=Markup(f"'sha256-{digest}'") if script else "'none'",  # noqa: S704 - a digest
        version=__version__,
        **values,
    )  # fmt: skip


class _AnchoredPiece(NamedTuple):
    """A piece of text, and the entities that occur here for the first time."""

    text: str
    entities: tuple[Any, ...]
    begins: frozenset[int]


def anchored(pieces: Iterable[Piece]) -> list[_AnchoredPiece]:
    """Pieces with one anchor for every entity."""
    met: set[int] = set()
    result = []
    for text, entities in pieces:
        new = frozenset(entity.number for entity in entities) - met
        met |= new
        result.append(_AnchoredPiece(text, entities, new))
    return result


def article(document: DocumentPage, key: str) -> str:
    """The part of a page about one document."""
    conflict = document.conflict
    drawable = conflict is not None and 0 < len(conflict.arrows) <= MOST_ARROWS
    return environment().get_template("document.html").render(
        page=document,
        key=key,
        pieces=anchored(document.pieces),
        most_rows=MOST_ROWS,
        conflict_picture=draw_conflict(conflict, _conflict_words(document)) if drawable and conflict else "",
        conflict_note="" if conflict is None or drawable else f"No picture: more than {MOST_ARROWS} links take part.",
        timeline_picture=draw_timeline(document.timeline, f"Timeline of {document.id}", key)
        if document.timeline
        else "",
        graph_picture=draw_graph(document.graph, f"Minimal endpoint graph of {document.id}") if document.graph else "",
    )  # fmt: skip


def _conflict_words(document: DocumentPage) -> str:
    assert document.conflict is not None  # noqa: S101 - narrows the type only
    said = "; ".join(f"{arrow.source} {arrow.label} {arrow.target}" for arrow in document.conflict.arrows)
    return f"Conflict in {document.id}: {said}"


def paragraph(text: str) -> str:
    """A remark between documents."""
    return str(Markup('<p class="note">{}</p>').format(text))


def document_page(title: str, body: str, back: str) -> str:
    """A page of its own for one document, with the way back to the table."""
    article = Markup(body)  # noqa: S704 - rendered with autoescaping
    return page("document_page.html", scripted=False, title=title, article=article, back=back)


class _Sizes(NamedTuple):
    total: int
    least: int
    median: float
    most: int


def _sizes(values: Sequence[int]) -> _Sizes:
    return _Sizes(sum(values), min(values), median(values), max(values)) if values else _Sizes(0, 0, 0, 0)


def corpus_page(title: str, rows: Sequence[Summary], articles: Iterable[str], href: Callable[[str], str]) -> str:
    """The table of documents, followed by the documents themselves where they stand on the same page."""
    readable = [row for row in rows if row.verdict != Verdict.UNREADABLE]
    counted = [(verdict.value, sum(row.verdict == verdict for row in rows)) for verdict in Verdict]
    return page(
        "corpus.html",
        scripted=True,
        title=title,
        rows=rows,
        verdicts=[(name, count) for name, count in counted if count],
        labels=_labels(rows),
        entities=_sizes([row.entities for row in readable]),
        links=_sizes([row.links for row in readable]),
        warnings=sum(row.warnings for row in rows),
        columns=_COLUMNS,
        articles=[Markup(text) for text in articles],  # noqa: S704 - rendered with autoescaping
        href=href,
    )


def _labels(rows: Iterable[Summary]) -> list[tuple[str, int, float]]:
    """Labels, most frequent first, with their share."""
    counts: dict[str, int] = {}
    for row in rows:
        for label, count in row.labels:
            counts[label] = counts.get(label, 0) + count
    total = sum(counts.values())
    return [(label, count, count / total) for label, count in sorted(counts.items(), key=lambda item: (-item[1], item))]
