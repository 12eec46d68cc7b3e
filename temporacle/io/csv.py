"""CSV: one link a row, read and written.

The columns are those of ``columns``, named in the first line. CSV may do without that line: then it has three columns,
or four with the document first. A link without an id of its own is named by its line.

Spreadsheets take some cells for formulas. Writing puts an apostrophe before these, and reading takes it away.
"""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING, Any

from temporacle.io.columns import is_header, order_of
from temporacle.io.link_rows import documents_in, roles_in
from temporacle.io.rows import cell_too_long, links_reading, require_content
from temporacle.io.signs import knows
from temporacle.io.writer_helpers import tell_what_no_link_holds
from temporacle.printing import harmless, restored, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.io.formats import Report
    from temporacle.io.source import Source
    from temporacle.model import Document


_LOOKED_AT = 50  # rows, to tell links from names of columns


def is_first_line(line: str, path: str) -> bool:
    """Return whether a first line names the columns of CSV, or is a link in a file whose name ends in .csv."""
    if "\t" in line or "," not in line:
        return False
    try:
        cells = next(csv.reader([line]))
    except csv.Error:  # a carriage return in the middle, for instance
        return False
    return is_header(cells) or path.endswith((".csv", ".csv.gz"))  # nothing else is called so


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
                if is_header(row, source.options.named_columns):
                    names, row = roles_in(source, row, line), []  # noqa: PLW2901 - said all it has to say
                else:
                    names = _names_without_header(source, row, line)
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


def _names_without_header(source: Source, row: Sequence[str], line: int) -> tuple[str, ...]:
    """Return the roles of columns in a file that begins with a link. Raise InputError if it begins otherwise."""
    names = order_of(row)
    if names and source.first_line == 1:
        reading = links_reading(source.options)
        rows = islice(csv.reader(io.StringIO(source.decode(), newline="")), _LOOKED_AT)
        labels = [each[-2] for each in rows if len(each) == len(names)]
        if not any(knows(reading, label) for label in labels):
            names = ()
    if not names:
        found = ", ".join(map(shown, row[:12]))
        cure = "name the columns with --columns source=HEADER,relation=HEADER,target=HEADER"
        raise source.error(f"no columns source, relation and target: the first line has {found}", line=line, cure=cure)
    return names


def text(document: Document, report: Report) -> str:
    """Return the links of a document, one in each row."""
    file = io.StringIO()
    writer = csv.writer(file)
    for link in document.links:
        cells = (document.id, link.id, link.source, str(link.relation), link.label, link.target)
        writer.writerow([*map(harmless, cells), link.line, link.weight, harmless(link.task or "")])
    tell_what_no_link_holds(document, report, "CSV")
    return file.getvalue()
