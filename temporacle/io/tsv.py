"""Links TSV: ``source TAB relation TAB target``, or four columns with the document first.

A header line with these names is optional. Under other names (``columns``) there may be more columns, in any order.
Lines that start with ``#`` and blank lines are skipped. The relation is one label or several joined by ``|``. Entities
are whatever occurs in the links; a link's id is its line number.

A written file holds links only: ids, weights, and entities without links have no place in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.columns import HEADER, ColumnsError, roles_of
from temporacle.io.columns import is_header as names_columns
from temporacle.io.link_rows import documents_in, roles_in
from temporacle.io.rows import (
    Builders,
    Row,
    links_reading,
    note_blanks,
    note_during,
    plain_entities,
    rows,
    with_body,
    wrong_columns,
)
from temporacle.io.signs import knows, share
from temporacle.io.writer_helpers import relation_text, tell_what_no_link_holds
from temporacle.model import Remark
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.formats import Report
    from temporacle.io.signs import Sample
    from temporacle.io.source import Source
    from temporacle.model import Document


def share_that_fits(sample: Sample) -> float:
    """Return the share of lines with ``source relation target``, perhaps with the document first and with a header."""
    if not sample.rows or is_header(sample.rows[0]):
        return len(sample.rows[:1])
    if names_columns(sample.rows[0]):
        return _share_under_header(sample)
    width = len(sample.rows[0])
    return share(sample.rows, lambda row: len(row) == width and width in {3, 4} and sample.is_link_label(row[-2]))


def _share_under_header(sample: Sample) -> float:
    """Return the share of rows that fit under a header.

    It is 0 if all labels may be those of TimeBank-Dense, such as 's' and 'b'.
    """
    header, *rest = sample.rows
    try:
        place = roles_of(header).index("relation")
    except ColumnsError:
        return 1  # its reader will complain
    labels = [row[place] if len(row) == len(header) else "" for row in rest]
    if labels and sample.reading is None and all(knows("dense", label) for label in labels):
        return 0
    return (1 + sum(map(sample.is_link_label, labels))) / len(sample.rows)


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a links TSV file, in the order of first mention."""
    if (header := _other_header(source)) is not None:
        yield from documents_in(source, "tsv", _records(source, header))
        return
    builders = Builders(source, "tsv", links_reading(source.options))
    columns = 0
    for row in rows(source):
        if row.fields[0].startswith("#"):
            continue
        if not columns:
            columns = len(row.fields)
            if columns not in {3, 4}:
                raise wrong_columns(source, row, "3 (source, relation, target) or 4 (document first)")
            if is_header(row.fields):
                continue
        if len(row.fields) != columns:
            raise wrong_columns(source, row, f"{columns}, as in the lines before,")
        _add(builders, row, source.name if columns == 3 else row.fields[0])
    if columns != 4:
        builders.of(source.name)  # a file without links is a document without links
    for document in builders.build():
        yield with_body(document, plain_entities)


def _other_header(source: Source) -> Row | None:
    """Return the first line if it names columns in an unusual way, so that they may be many and in any order."""
    first = next((row for row in rows(source) if not row.fields[0].startswith("#")), None)
    columns = source.options.named_columns
    if first is None or (is_header(first.fields) and not columns):
        return None
    return first if names_columns(first.fields, columns) else None


def _records(source: Source, header: Row) -> Iterator[tuple[int, dict[str, str]]]:
    roles = roles_in(source, header.fields, header.line)
    for row in rows(source):
        if row.line <= header.line or row.fields[0].startswith("#"):
            continue
        if len(row.fields) != len(roles):
            raise wrong_columns(source, row, f"{len(roles)}, as in the first line,")
        yield row.line, dict(zip(roles, row.fields, strict=True))


def is_header(fields: list[str]) -> bool:
    """Return whether a line names the columns.

    >>> is_header(["Source", "Relation", "Target"]), is_header(["left", "b", "docked"])
    (True, False)
    """
    return tuple(field.strip().lower() for field in fields) in {HEADER, HEADER[1:]}


def _add(builders: Builders, row: Row, document: str) -> None:
    if not document.strip():
        raise builders.source.error("the document column is empty", line=row.line, cure="name the document")
    first, label, second = row.fields[-3:]
    builder = builders.of(document, sum(map(len, row.fields)), row.line)
    name = str(row.line)
    note_blanks(builder, (document, first, second), line=row.line, element=name)
    before = len(builder.links)
    builder.add_link(name, first, label, second, line=row.line)
    if len(builder.links) > before:
        note_during(builder, label, line=row.line, element=name)


def text(document: Document, report: Report) -> str:
    """Return the links of a document, one in each line."""
    name = _field(document, document.id)
    if name.startswith("#") or not name.strip():
        raise InputError(
            f"document {shown(document.id)} cannot be named in a TSV file", path=document.path, cure="write JSON Lines"
        )
    lines = [
        f"{name}\t{_field(document, link.source)}\t{relation_text(link)}\t{_field(document, link.target)}\n"
        for link in document.links
    ]
    tell_what_no_link_holds(document, report, "TSV")
    if any(link.weight != 1 for link in document.links):
        report(Remark("no-weights", f"{document.id}: weights are not in the TSV file"))
    return "".join(lines)


def _field(document: Document, value: str) -> str:
    if any(character in value for character in "\t\n\r"):
        raise InputError(f"{shown(value)} holds a tab or a line end", path=document.path, cure="write JSON Lines")
    return value
