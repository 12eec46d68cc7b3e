"""The long parts of a page, the text and the tables of links and of documents, as HTML.

They are put together here and not in a template, because a template takes several times as long for each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from temporacle.report.values.document import DocumentRow, EntityRow, LinkRow, Piece

_BETWEEN = "\0"  # texts; if one of them has this character, each is escaped by itself
_TABLE = """<div class="scroll" tabindex="0" role="region" aria-label="{0}">
<table>
<caption>{0}{1}</caption>
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
        numbers = (row.entities, row.links, row.conflict, row.repair, row.remarks)
        cells = "".join([f'<td class="number">{number}</td>' for number in numbers])
        verdict = row.verdict.value
        parts.append(
            f'<tr data-group="{verdict}"><td>{linked}</td><td class="verdict {verdict}">{verdict}</td>'
            f"{cells}<td>{kind}</td><td>{place}</td></tr>\n"
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
            f'<a class="badge" href="#{prefix}-c{number}" aria-label="contradiction {number}"'
            f' title="Part of contradiction {number}">{number}</a>'
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
