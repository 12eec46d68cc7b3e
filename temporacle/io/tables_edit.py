"""Links TSV and CSV: one link a row. Tables have no place for notes."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from temporacle.io.columns import order_of
from temporacle.io.edit.edits import FreeIds, Splice
from temporacle.io.edit.places import Value, line_after, lines, whole_line
from temporacle.printing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.source import Source
    from temporacle.model import Document

_CELL = re.compile(r'"(?:[^"]|"")*+"|[^,\r\n]*+')
_MUST_BE_QUOTED = re.compile(r'[,"\r\n]')


def tsv_splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements in a TSV file."""
    rows = {number: whole_line(text, line.start) for number, line in lines(text)}
    cells = (_tsv_cells(text, row) for row in rows.values())
    first = next(row for row in cells if any(row) and not row[0].startswith("#"))
    roles = order_of(first, source.options.named_columns)
    found = [
        Splice(*row) if label is None else _tsv_label(text, row, roles.index("relation"), label)
        for row, label in _rows_to_change(documents, edits, rows)
    ]
    for document, new in _added(documents, edits):
        row, is_header = _row_before(document, rows)
        new_cells = _new_cells(document, new, roles, _tsv_cells(text, row))
        found += [line_after(text, row, "\t".join(each), is_first=is_header) for each in new_cells]
    return found


def csv_splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a CSV file."""
    rows, roles = _csv_rows(text, source)
    found = [
        Splice(*row) if label is None else Splice(*_csv_cell(text, row, roles.index("relation")), _csv_text(label))
        for row, label in _rows_to_change(documents, edits, rows)
    ]
    for document, new in _added(documents, edits):
        row, is_header = _row_before(document, rows)
        places = [_csv_cell(text, row, column) for column in range(len(roles))]
        quoted = [text.startswith('"', place.start) for place in places]
        for each in _new_cells(document, new, roles, [text[place.start : place.end] for place in places]):
            cells = (_csv_text(harmless(cell), is_quoted=own) for cell, own in zip(each, quoted, strict=True))
            found.append(line_after(text, row, ",".join(cells), is_first=is_header))
    return found


def _added(documents: Sequence[Document], edits: Mapping[str, Edits]) -> Iterator[tuple[Document, Sequence[NewLink]]]:
    """Yield the documents that get new links."""
    for document in documents:
        if (wanted := edits.get(document.id)) is not None and wanted.add:
            yield document, wanted.add


def _row_before(document: Document, rows: Mapping[int, Value]) -> tuple[Value, bool]:
    """Return the row that new ones stand behind, and whether it must stay before them: it may be the header."""
    if document.links:
        return rows[document.links[-1].line or 0], False
    return list(rows.values())[-1], True


def _new_cells(
    document: Document, added: Sequence[NewLink], roles: Sequence[str], model: Sequence[str]
) -> Iterator[list[str]]:
    """Yield the cells of new rows. Columns without a meaning here stay empty; so do ids, if the last row has none."""
    ids = FreeIds(link.id for link in document.links)
    for new in added:
        values = {
            "document": document.id,
            "source": new.source,
            "relation": new.label,
            "target": new.target,
            "id": ids.give(new.id),
        }
        yield [values.get(role, "") if cell or role != "id" else "" for role, cell in zip(roles, model, strict=True)]


def _rows_to_change(
    documents: Sequence[Document], edits: Mapping[str, Edits], rows: Mapping[int, Value]
) -> Iterator[tuple[Value, str | None]]:
    """Yield the rows of the links with their new labels; None for a removed link."""
    for document in documents:
        if (wanted := edits.get(document.id)) is None:
            continue
        links = {link.id: link for link in document.links}
        wanted.require(links, document.id)
        for name in sorted(wanted.drop | wanted.relabel.keys()):
            yield rows[links[name].line or 0], wanted.relabel.get(name)


def _tsv_cells(text: str, row: Value) -> list[str]:
    return text[row.start : row.end].rstrip("\r\n").split("\t")


def _tsv_label(text: str, row: Value, column: int, label: str) -> Splice:
    fields = _tsv_cells(text, row)
    start = row.start + sum(len(field) + 1 for field in fields[:column])
    return Splice(start, start + len(fields[column]), label)


def _csv_rows(text: str, source: Source) -> tuple[dict[int, Value], tuple[str, ...]]:
    """Return the rows by the number of their first line, and the roles of the columns."""
    starts = [0]

    def counted() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            starts.append(starts[-1] + len(line))
            yield line

    rows = csv.reader(counted(), strict=True)
    found: dict[int, Value] = {}
    first = 0
    roles: tuple[str, ...] = ()
    for row in rows:
        if row and not roles:
            roles = order_of(row, source.options.named_columns)
        if row:
            found[first + 1] = Value(starts[first], starts[rows.line_num])
        first = rows.line_num
    return found, roles


def _csv_cell(text: str, row: Value, column: int) -> Value:
    position = row.start
    for _ in range(column):
        position = _CELL.match(text, position).end() + 1  # type: ignore[union-attr]
    return Value(*_CELL.match(text, position).span())  # type: ignore[union-attr]


def _csv_text(cell: str, *, is_quoted: bool = False) -> str:
    return '"' + cell.replace('"', '""') + '"' if is_quoted or _MUST_BE_QUOTED.search(cell) else cell
