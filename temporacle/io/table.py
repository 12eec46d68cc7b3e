"""Links in a table with named columns: CSV and Parquet.

``source``, ``relation`` and ``target`` are needed; with a column ``document`` a table holds many documents. ``id`` and
``weight`` are used if they are there; any other column is somebody's own. A relation is one label, or several joined by
``|`` (in Parquet also a list of them). CSV may do without a line of names: then it has three columns, or four with the
document first. A link without an id of its own is named by its line (of CSV) or row (of Parquet).
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from temporacle.io.jsonl_document import is_weight
from temporacle.io.tables import (
    Builders,
    links_reading,
    note_blanks,
    note_during,
    plain_entities,
    require_content,
    with_body,
)
from temporacle.io.tsv import HEADER
from temporacle.io.write_csv import restored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document

NEEDED = HEADER[1:]
USED = (*HEADER, "id", "weight")


def read_csv(source: Source) -> Iterator[Document]:
    """The documents of a CSV file, in the order of first mention."""
    require_content(source)
    yield from documents_in(source, "csv", _csv_records(source))


def _csv_records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
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
                if len(row) != len(names):
                    raise source.error(f"{len(row)} columns where {len(names)} are expected", line=line)
                yield line, dict(zip(names, map(restored, row), strict=True))
            line = source.first_line + rows.line_num
    except csv.Error as error:
        raise source.error(f"not well-formed CSV: {error}", line=line, cure="close every quotation mark") from None


def column_names(row: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The names of the columns, given the first row, and whether that row is a link already.

    >>> column_names(["Target", "source", "relation", "mine"])
    (('target', 'source', 'relation', 'mine'), False)
    >>> column_names(["a", "b", "c"])
    (('source', 'relation', 'target'), True)
    """
    names = tuple(name.strip().lower() for name in row)
    if set(NEEDED) <= set(names):
        return names, False
    return {3: NEEDED, 4: HEADER}.get(len(row), ()), True


def read_parquet(source: Source) -> Iterator[Document]:
    """The documents of a Parquet file, in the order of first mention."""
    yield from documents_in(source, "parquet", _parquet_records(source))


def _parquet_records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    from temporacle.io.parquet import opened

    with opened(source) as file:
        row = source.first_line
        for batch in file.iter_batches(columns=[name for name in file.schema_arrow.names if name in USED]):
            for record in batch.to_pylist():
                yield row, record
                row += 1


def documents_in(source: Source, kind: str, records: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[Document]:
    """The documents that numbered rows describe, in the order of first mention."""
    builders = Builders(source, kind, links_reading(source.options))
    many = False
    for line, record in records:
        many = many or "document" in record
        _add(builders, line, record)
    if not many and source.first_line == 1:
        builders.of(source.name)  # a file without links is a document without links
    for document in builders.build():
        yield with_body(document, plain_entities)


def _add(builders: Builders, line: int, record: Mapping[str, Any]) -> None:
    document = record.get("document", builders.source.name)
    if not isinstance(document, str) or not document.strip():
        raise builders.source.error("the document column is empty", line=line, cure="name the document")
    builder = builders.of(document)
    name = str(record.get("id") or line)
    first, label, second = (record[column] for column in NEEDED)
    if isinstance(label, list):
        label = "|".join(map(str, label))
    if not all(cell is None or isinstance(cell, str) for cell in (first, label, second)):
        builder.drop("bad-link", "source, relation and target must be text", line=line, element=name)
        return
    weight = record.get("weight")
    weight = _number(weight) if isinstance(weight, str) else weight
    if weight is None:
        weight = 1
    if isinstance(weight, str) or not is_weight(weight):
        builder.drop("bad-weight", f"weight {weight!r} is not a finite number above zero", line=line, element=name)
        return
    note_blanks(builder, (document, first or "", second or ""), line=line, element=name)
    before = len(builder.links)
    builder.add_link(name, first, label, second, line=line, weight=weight)
    if len(builder.links) > before:
        note_during(builder, label or "", line=line, element=name)


def _number(cell: str) -> float | str | None:
    """A number from a cell; the cell itself if it is none, None if it is blank."""
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        return cell
