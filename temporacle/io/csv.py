"""CSV: one link a row, read and written.

The columns are those of ``link_rows``, named in the first line. CSV may do without that line: then it has three
columns, or four with the document first. A link without an id of its own is named by its line.

Spreadsheets take some cells for formulas. Writing puts an apostrophe before these, and reading takes it away.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from temporacle.io.link_rows import HEADER, NEEDED, documents_in
from temporacle.io.rows import cell_too_long, require_content
from temporacle.io.signs import knows
from temporacle.io.writer_helpers import tell_what_no_link_holds
from temporacle.printing import harmless, restored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.io.formats import Report
    from temporacle.io.source import Source
    from temporacle.model import Document


def is_first_line(line: str, path: str) -> bool:
    """Return whether a first line names the columns of CSV, or is a link in a file whose name ends in .csv."""
    if "\t" in line or "," not in line:
        return False
    try:
        cells = next(csv.reader([line]))
    except csv.Error:  # a carriage return in the middle, for instance
        return False
    names, is_link = column_names(cells)
    if not is_link or not names:
        return not is_link
    return path.endswith((".csv", ".csv.gz")) and knows("links", cells[-2])


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a CSV file, in the order of first mention."""
    require_content(source)
    yield from documents_in(source, "csv", _records(source))


def _records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    largest = source.options.largest_cell
    is_lower = not allow_cells(largest)
    rows = csv.reader(io.StringIO(source.decode(), newline=""), strict=True)
    names: Sequence[str] | None = None
    line = source.first_line
    try:
        for row in rows:
            if row and names is None:
                names, is_link = column_names(row)
                if not set(NEEDED) <= set(names):
                    cure = f"name the columns in the first line: {', '.join(HEADER)}"
                    raise source.error("no columns source, relation and target", line=line, cure=cure)
                if not is_link:
                    row = []  # noqa: PLW2901 - said all it has to say
            if row and names is not None:
                if is_lower and max(map(len, row)) > largest:
                    raise cell_too_long(source, line)
                if len(row) != len(names):
                    raise source.error(f"{len(row)} columns where {len(names)} are expected", line=line)
                yield line, dict(zip(names, map(restored, row), strict=True))
            line = source.first_line + rows.line_num
    except csv.Error as error:
        if "field limit" in str(error):
            raise cell_too_long(source, line) from None
        raise source.error(f"not well-formed CSV: {error}", line=line, cure="close every quotation mark") from None


def allow_cells(largest: int) -> bool:
    """Raise the limit that the csv module has, if need be; returns whether it is the limit that was asked for.

    It is one limit for all threads, so it is never lowered.
    """
    if largest > csv.field_size_limit():
        csv.field_size_limit(largest)
    return csv.field_size_limit() == largest


def column_names(row: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return the names of the columns, given the first row, and whether that row is already a link.

    >>> column_names(["Target", "source", "relation", "mine"])
    (('target', 'source', 'relation', 'mine'), False)
    >>> column_names(["a", "b", "c"])
    (('source', 'relation', 'target'), True)
    """
    names = tuple(name.strip().lower() for name in row)
    if set(NEEDED) <= set(names):
        return names, False
    return {3: NEEDED, 4: HEADER}.get(len(row), ()), True


def text(document: Document, report: Report) -> str:
    """Return the links of a document, one in each row."""
    file = io.StringIO()
    writer = csv.writer(file)
    for link in document.links:
        cells = (document.id, link.id, link.source, str(link.relation), link.label, link.target)
        writer.writerow([*map(harmless, cells), link.line, link.weight, harmless(link.task or "")])
    tell_what_no_link_holds(document, report, "CSV")
    return file.getvalue()
