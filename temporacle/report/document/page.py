"""Pages about the documents of a corpus."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from temporacle.errors import InternalError
from temporacle.report.document import values as limits
from temporacle.report.drawings import ONLY_CERTAIN, draw_conflict, draw_graph, draw_timeline
from temporacle.report.html import CHECKING, embedded, render, trusted, whole_page
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from temporacle.report.document.values import DocumentPage, DocumentRow, EntityRow, LinkRow, Piece, ShownConflict
    from temporacle.report.html import PageCertificates

_URGENT = (
    DocumentVerdict.INCONSISTENT,
    DocumentVerdict.UNDECIDED,
    DocumentVerdict.UNREADABLE,
    DocumentVerdict.UNCHECKED,
    DocumentVerdict.CONSISTENT,
)
_COLUMNS = (
    ("Document", ""),
    ("Verdict", ""),
    ("Entities", "number spare"),
    ("Links", "number"),
    ("In a conflict", "number"),
    ("To remove", "number"),
    ("Warnings", "number"),
    ("Format", "spare"),
    ("Path", "spare"),
)


def document_article(page: DocumentPage, key: str, place: str | None = None) -> str:
    """Return the part of a page about one document.

    ``key`` names it inside the page; ``place`` is the path as shown.
    """
    timeline, graph, conflicted = page.timeline, page.graph, page.conflicts_of()
    count = len(page.conflicts) + page.more_conflicts
    pictures = [
        _conflict_picture(conflict, f"Conflict {number} in {page.id}" if count > 1 else f"Conflict in {page.id}")
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
        only_certain=ONLY_CERTAIN,
        timeline_picture=draw_timeline(timeline, f"Timeline of {page.id}", key) if timeline else "",
        graph_picture=draw_graph(graph, f"Minimal endpoint graph of {page.id}") if graph else "",
    )


def _conflict_picture(conflict: ShownConflict, label: str) -> Markup | str:
    return draw_conflict(conflict, label) if 0 < len(conflict.arrows) <= limits.ARROWS else ""


def note_paragraph(text: str) -> str:
    """Return a remark between documents."""
    return str(trusted('<p class="note">{}</p>').format(text))


def document_page(title: str, article: str, back: str, previous: str = "", following: str = "") -> str:
    """Return a separate page for one document, with links to the table and to the pages before and after it."""
    head, top, between, middle, start, foot = _around_documents()
    pages = ((previous, "Previous document"), (following, "Next document"))
    near = "".join(f' · <a href="{escape(href)}">{words}</a>' for href, words in pages if href)
    return "".join((head, escape(title), top, escape(back), between, near, middle, escape(title), start, article, foot))


@cache
def _around_documents() -> tuple[str, ...]:
    """Return what all pages of documents have around title, links and article: the template is filled only once."""
    names = ("title", "back", "near", "heading", "article")
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
    certificates: PageCertificates | None = None,
) -> str:
    """Return the table of documents, followed by the documents themselves if they are on the same page.

    Documents that need attention come first. ``articles`` are the documents on this page by key; ``href`` says where
    the details of a document stand, None if it has none. ``certificates`` are checked by the browser.
    """
    ordered = sorted(rows, key=lambda row: _URGENT.index(row.verdict))
    pairs = Counter(pair for row in rows for pair in row.conflict_labels)
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
        label_pairs=sorted(pairs.items(), key=lambda item: (-item[1], item[0])),
        to_remove=sum(row.repair for row in rows),
        entities=_sizes([row.entities for row in readable]),
        links=_sizes([row.links for row in readable]),
        remarks=sum(row.remarks for row in rows),
        without_details=sum(href(row.key) is None for row in rows),
        columns=_COLUMNS,
        articles=[(row.key, trusted(articles[row.key])) for row in ordered if row.key in articles],
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


# ----------------------------------------------------------------------------------------------------
# The long parts of a page, the text and the tables of links and of documents, as HTML.
#
# They are put together here and not in a template, because a template takes several times as long for each row.

_BETWEEN = "\0"  # texts; if one of them has this character, each is escaped by itself
_TABLE = """<div class="scroll" tabindex="0" role="region" aria-label="{0}">
<table>
<caption><span>{0}{1}</span></caption>
<thead><tr><th scope="col">Link</th><th scope="col">Source</th><th scope="col">Label</th><th scope="col">Target</th>\
<th scope="col">Atoms</th><th scope="col" class="number">Line</th></tr></thead>
<tbody>
{2}</tbody></table></div>"""
_ROW = (
    "<tr><td><code>%s</code></td><td>%s</td><td>%s</td><td>%s</td><td><code>%s</code></td>"
    '<td class="number">%s</td></tr>\n'
)


def link_table(links: Sequence[LinkRow], most: int, caption: str) -> Markup:
    """Return a table of the first ``most`` links as they are stated."""
    count = f": the first {most} of {len(links)}" if len(links) > most else ""
    # A list of columns: as many values as the table has rows, whatever their number.
    ids, sources, labels, relations, targets, lines = zip(*links[:most], strict=True) if links else [()] * 6
    columns = [*map(_escaped, (ids, sources, labels, targets, relations))]
    places = ["" if line is None else line for line in lines]
    rows = "".join([_ROW % row for row in zip(*columns, places, strict=True)])
    return Markup(_TABLE.format(escape(caption), count, rows))  # noqa: S704 - every value is escaped


def document_rows(rows: Sequence[DocumentRow], href: Callable[[str], str | None]) -> Markup:
    """Return the rows of the table of documents. ``href`` says where the details of a document stand, if anywhere."""
    ids, formats, places = (
        _escaped(column)
        for column in (
            [row.id for row in rows],
            [row.format for row in rows],
            [row.place or row.path for row in rows],
        )
    )
    parts = []
    for row, name, kind, place in zip(rows, ids, formats, places, strict=True):
        details = href(row.key)
        linked = f'<a href="{escape(details)}">{name}</a>' if details else name
        numbers = (row.links, row.conflict, row.repair, row.remarks)
        cells = "".join([f'<td class="number">{number}</td>' for number in numbers])
        verdict = row.verdict.value
        parts.append(
            f'<tr data-group="{verdict}"><td>{linked}</td><td class="verdict {verdict}">{verdict}</td>'
            f'<td class="number spare">{row.entities}</td>{cells}<td class="spare">{kind}</td>'
            f'<td class="spare">{place}</td></tr>\n'
        )
    return Markup("".join(parts))  # noqa: S704 - every value is escaped


def marked_text(pieces: Sequence[Piece], key: str, conflicted: Mapping[int, Sequence[int]] | None = None) -> Markup:
    """Return the text of a document with its entities marked. The first mark of each entity is its anchor.

    ``key`` names the document inside the page; ``conflicted`` has the conflicts of entities, both by number.
    """
    conflicts = conflicted or {}
    prefix = str(escape(key))
    met: set[int] = set()
    parts = ['<div class="text" dir="auto">']
    texts = _escaped([piece.text for piece in pieces])
    names = iter(_escaped([_ids(piece.entities) for piece in pieces if piece.entities]))
    for (_, entities), text in zip(pieces, texts, strict=True):
        if not entities:
            parts.append(text)
            continue
        first = entities[0]
        anchor = others = title = badges = ""
        if len(entities) == 1:  # nearly all
            if first.number not in met:
                met.add(first.number)
                anchor = f' id="{prefix}-e{first.number}"'
        else:
            new = [entity.number for entity in entities if entity.number not in met]
            met.update(new)
            anchor = f' id="{prefix}-e{new[0]}"' if new else ""
            others = "".join([f'<span id="{prefix}-e{number}"></span>' for number in new[1:]])
        if len(entities) > 1 or first.value:
            title = _title(entities)
        if conflicts:
            badges = _badges(prefix, entities, conflicts)
        state = " conflicted" if badges else ""
        parts.append(
            f'<mark class="{first.kind}{state}" {title}{anchor}>{others}{text}<sub>{next(names)}</sub>{badges}</mark>'
        )
    parts.append("</div>")
    return Markup("".join(parts))  # noqa: S704 - every value is escaped


def _ids(entities: Sequence[EntityRow]) -> str:
    return entities[0].id if len(entities) == 1 else " ".join([entity.id for entity in entities])


def _title(entities: Iterable[EntityRow]) -> str:
    """Return the values of time expressions as an attribute."""
    values = "; ".join([f"{entity.id} = {entity.value}" for entity in entities if entity.value])
    return f' title="{escape(values)}"' if values else ""


def _badges(prefix: str, entities: Iterable[EntityRow], conflicts: Mapping[int, Sequence[int]]) -> str:
    """Return links to the conflicts of some entities."""
    return "".join(
        [
            f'<a class="badge" href="#{prefix}-c{number}" aria-label="conflict {number}"'
            f' title="Part of conflict {number}">{number}</a>'
            for entity in entities
            for number in conflicts.get(entity.number, ())
        ]
    )


def _escaped(values: Sequence[str]) -> list[str]:
    """Return texts with the characters that mean something in HTML escaped: all at once, which is faster."""
    if not values:
        return []
    found = str(escape(_BETWEEN.join(values))).split(_BETWEEN)
    return found if len(found) == len(values) else [str(escape(value)) for value in values]
