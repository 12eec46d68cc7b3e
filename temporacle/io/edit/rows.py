"""Links TSV and CSV: one link a row. Tables have no place for notes."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from temporacle.io.columns import order_of
from temporacle.io.edit.edits import NoPlaceForNotesError
from temporacle.io.edit.json_text import Value, lines, whole_line
from temporacle.io.edit.text import Splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits
    from temporacle.io.source import Source
    from temporacle.model import Document

_CELL = re.compile(r'"(?:[^"]|"")*+"|[^,\r\n]*+')
_MUST_BE_QUOTED = re.compile(r'[,"\r\n]')


def tsv_splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements in a TSV file."""
    rows = {number: whole_line(text, line.start) for number, line in lines(text)}
    cells = (text[line.start : line.end].rstrip("\r\n").split("\t") for line in rows.values())
    first = next(row for row in cells if any(row) and not row[0].startswith("#"))
    column = order_of(first, source.options.named_columns).index("relation")
    return [
        splice
        for row, label in _rows_to_change(source, documents, edits, rows)
        for splice in ([Splice(*row)] if label is None else [_tsv_label(text, row, column, label)])
    ]


def csv_splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a CSV file."""
    rows, column = _csv_rows(text, source)
    return [
        Splice(*row) if label is None else Splice(*_csv_cell(text, row, column), _csv_text(label))
        for row, label in _rows_to_change(source, documents, edits, rows)
    ]


def _rows_to_change(
    source: Source, documents: Sequence[Document], edits: Mapping[str, Edits], rows: Mapping[int, Value]
) -> Iterator[tuple[Value, str | None]]:
    """Yield the rows of the links with their new labels; None for a removed link."""
    for document in documents:
        if (wanted := edits.get(document.id)) is None:
            continue
        if wanted.comment:
            raise NoPlaceForNotesError(f"{source.path}: a {source.format} file has no place for notes")
        links = {link.id: link for link in document.links}
        wanted.require(links, document.id)
        for name in sorted(wanted.drop | wanted.relabel.keys()):
            yield rows[links[name].line or 0], wanted.relabel.get(name)


def _tsv_label(text: str, row: Value, column: int, label: str) -> Splice:
    fields = text[row.start : row.end].rstrip("\r\n").split("\t")
    start = row.start + sum(len(field) + 1 for field in fields[:column])
    return Splice(start, start + len(fields[column]), label)


def _csv_rows(text: str, source: Source) -> tuple[dict[int, Value], int]:
    """Return the rows by the number of their first line, and the column of the relation."""
    starts = [0]

    def counted() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            starts.append(starts[-1] + len(line))
            yield line

    rows = csv.reader(counted(), strict=True)
    found: dict[int, Value] = {}
    first, column = 0, -1
    for row in rows:
        if row and column < 0:
            column = order_of(row, source.options.named_columns).index("relation")
        if row:
            found[first + 1] = Value(starts[first], starts[rows.line_num])
        first = rows.line_num
    return found, column


def _csv_cell(text: str, row: Value, column: int) -> Value:
    position = row.start
    for _ in range(column):
        position = _CELL.match(text, position).end() + 1  # type: ignore[union-attr]
    return Value(*_CELL.match(text, position).span())  # type: ignore[union-attr]


def _csv_text(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if _MUST_BE_QUOTED.search(label) else label
