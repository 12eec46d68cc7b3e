"""CSV: one link a row, read and written.

The columns are those of ``columns``, named in the first line. CSV may do without that line: then it has three columns,
or four with the document first. A link without an id of its own is named by its line.

Spreadsheets take some cells for formulas. Writing puts an apostrophe before these, and reading takes it away.
"""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from itertools import islice
from sys import intern
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, spelled, without_extra
from temporacle.io.columns import (
    HEADER,
    NEEDED,
    SAMPLED,
    ColumnsError,
    is_header,
    order_of,
    require_one_of_labels,
    roles_of,
)
from temporacle.io.columns import is_header as names_columns
from temporacle.io.formats import knows, share
from temporacle.io.jsonl.document import is_weight
from temporacle.io.rows import (
    Builders,
    Row,
    cell_too_long,
    links_reading,
    note_blanks,
    note_during,
    plain_entities,
    refuse_nul,
    require_content,
    rows,
    with_body,
    wrong_columns,
)
from temporacle.io.source import FREE_EXPANSION, Source, exceeded
from temporacle.io.writers import relation_text, tell_what_no_link_holds
from temporacle.model import Remark
from temporacle.printing import harmless, restored, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.io.formats import Report, Sample
    from temporacle.model import Document

_LOOKED_AT = 50  # rows, to tell links from names of columns


def is_first_line(line: str, path: str) -> bool:
    """Return whether a line with commas names the columns of CSV, or is a link in a file whose name ends in .csv."""
    try:
        cells = next(csv.reader([line]))
    except csv.Error:  # a carriage return in the middle, for instance
        return False
    return is_header(cells) or path.endswith((".csv", ".csv.gz"))  # nothing else is called so


def read_csv(source: Source) -> Iterator[Document]:
    """Yield the documents of a CSV file, in the order of first mention."""
    require_content(source)
    yield from documents_in(source, "csv", _csv_records(source))


def _csv_records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = source.decode()
    has_nul = "\0" in text
    names: Sequence[str] | None = None
    for line, row in delimited_rows(source, text):
        if has_nul:
            refuse_nul(source, "".join(row), line)
        if row and names is None:
            if is_header(row, source.options.named_columns):
                sample = (each for number, each in delimited_rows(source, text) if number > line)
                names = roles_in(source, row, line, [each for each in islice(sample, SAMPLED) if len(each) == len(row)])
                continue
            names = _names_without_header(source, row, line)
        if row and names is not None:
            if len(row) != len(names):
                raise source.error(f"{len(row)} columns where {len(names)} are expected", line=line)
            yield line, dict(zip(names, map(restored, row), strict=True))


def delimited_rows(source: Source, text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table with their first lines. Raise InputError if it is broken, or a cell is too long."""
    largest = source.options.largest_cell
    is_lower = not allow_cells(largest)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = source.first_line
    try:
        for row in rows:
            if is_lower and row and max(map(len, row)) > largest:
                raise cell_too_long(source, line)
            yield line, row
            line = source.first_line + rows.line_num
    except csv.Error as error:
        if "field limit" in str(error):
            raise cell_too_long(source, line) from None
        raise source.error(f"not a well-formed table: {error}", line=line, cure="close every quotation mark") from None


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
        cure = f"name the columns with {spelled('columns', 'source=HEADER,relation=HEADER,target=HEADER')}"
        raise source.error(f"no columns source, relation and target: the first line has {found}", line=line, cure=cure)
    return names


def csv_text(document: Document, report: Report) -> str:
    """Return the links of a document, one in each row."""
    file = io.StringIO()
    writer = csv.writer(file)
    for link in document.links:
        cells = (document.id, link.id, link.source, str(link.relation), link.label, link.target)
        writer.writerow([*map(harmless, cells), link.line, link.weight, harmless(link.task or "")])
    tell_what_no_link_holds(document, report, "CSV")
    return file.getvalue()


# ----------------------------------------------------------------------------------------------------
# Links TSV: ``source TAB relation TAB target``, or four columns with the document first.
#
# A header line with these names is optional. Under other names (``columns``) there may be more columns, in any order.
# Lines that start with ``#`` and blank lines are skipped. The relation is one label or several joined by ``|``.
# Entities are whatever occurs in the links; a link's id is its line number.
#
# A written file holds links only: ids, weights, and entities without links have no place in it.


def share_that_fits(sample: Sample) -> float:
    """Return the share of lines with ``source relation target``, perhaps with the document first and with a header."""
    if not sample.rows or is_tsv_header(sample.rows[0]):
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


def read_tsv(source: Source) -> Iterator[Document]:
    """Yield the documents of a links TSV file, in the order of first mention."""
    if (header := _other_header(source)) is not None:
        yield from documents_in(source, "tsv", _tsv_records(source, header))
        return
    builders = Builders(source, "tsv", links_reading(source.options))
    columns, only = 0, source.name
    for row in rows(source):
        if row.fields[0].startswith("#"):
            continue
        if not columns:
            columns = len(row.fields)
            if columns not in {3, 4}:
                raise wrong_columns(source, row, "3 (source, relation, target) or 4 (document first)")
            if is_tsv_header(row.fields):
                continue
        if len(row.fields) != columns:
            raise wrong_columns(source, row, f"{columns}, as in the lines before,")
        _add_line(builders, row, only if columns == 3 else row.fields[0])
    if columns != 4:
        builders.of(only)  # a file without links is a document without links
    for document in builders.build():
        yield with_body(document, plain_entities)


def _other_header(source: Source) -> Row | None:
    """Return the first line if it names columns in an unusual way, so that they may be many and in any order."""
    first = next((row for row in rows(source) if not row.fields[0].startswith("#")), None)
    columns = source.options.named_columns
    if first is None or (is_tsv_header(first.fields) and not columns):
        return None
    return first if names_columns(first.fields, columns) else None


def _tsv_records(source: Source, header: Row) -> Iterator[tuple[int, dict[str, str]]]:
    sample = islice((row.fields for row in rows(source) if row.line > header.line), SAMPLED)
    roles = roles_in(source, header.fields, header.line, [each for each in sample if len(each) == len(header.fields)])
    for row in rows(source):
        if row.line <= header.line or row.fields[0].startswith("#"):
            continue
        if len(row.fields) != len(roles):
            raise wrong_columns(source, row, f"{len(roles)}, as in the first line,")
        yield row.line, dict(zip(roles, row.fields, strict=True))


def is_tsv_header(fields: list[str]) -> bool:
    """Return whether a line names the columns.

    >>> is_header(["Source", "Relation", "Target"]), is_header(["left", "b", "docked"])
    (True, False)
    """
    return tuple(field.strip().lower() for field in fields) in {HEADER, HEADER[1:]}


def _add_line(builders: Builders, row: Row, document: str) -> None:
    if not document.strip():
        raise builders.source.error("the document column is empty", line=row.line, cure="name the document")
    first, label, second = map(intern, row.fields[-3:])  # each name is kept once, however many links it has
    builder = builders.of(document, sum(map(len, row.fields)), row.line)
    name = str(row.line)
    note_blanks(builder, (document, first, second), line=row.line, element=name)
    before = len(builder.links)
    builder.add_link(name, first, label, second, line=row.line)
    if len(builder.links) > before:
        note_during(builder, label, line=row.line, element=name)


def tsv_text(document: Document, report: Report) -> str:
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


# ----------------------------------------------------------------------------------------------------
# Parquet through pyarrow: one link a row, in the columns of ``columns``.
#
# A large file can be cut into slices of whole documents. A link without an id of its own is named by its row.

ROWS = 1 << 14  # at a time
_LEAST_ROW = 32  # bytes that a row takes at least once it is a link, however well it is compressed
_LONGEST_LIST = 100  # labels in one relation
_TRUTHS, _BYTE, _NUMBERS, _TEXT, _STRUCT = {1, 2}, 3, {4, 5, 6}, 8, 12  # types of fields in headers of pages
_MORE, _LONGEST_NUMBER = 128, 63


def read_parquet(source: Source) -> Iterator[Document]:
    """Yield the documents of a Parquet file, in the order of first mention."""
    yield from documents_in(source, "parquet", _parquet_records(source))


def _parquet_records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with opened(source) as file:
        row = source.first_line
        used = _used(source, file.schema_arrow.names)
        for batch in file.iter_batches(ROWS, columns=list(used.values())):
            columns = [_cells(batch.column(name), source, row) for name in used.values()]
            for cells in zip(*columns, strict=True):
                yield row, dict(zip(used, cells, strict=True))
                row += 1


def _used(source: Source, names: list[str]) -> dict[str, str]:
    """Return the columns that are used, by role."""
    roles = roles_in(source, names)
    return {role: name for role, name in zip(roles, names, strict=True) if role}


def _cells(column: Any, source: Source, row: int) -> list[Any]:
    """Return the values of a column.

    Equal texts become one object, because a small file can repeat a text very often.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        longest = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
        if longest > source.options.largest_cell:
            raise cell_too_long(source, row)
        texts = column.dictionary.to_pylist()
        return [None if place is None else texts[place] for place in column.indices.to_pylist()]
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        parts = iter(_cells(column.flatten(), source, row))
        lengths = pc.list_value_length(column).to_pylist()
        return [None if length is None else list(islice(parts, length)) for length in lengths]
    found: list[Any] = column.to_pylist()
    return found


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """Provide the file of a source, after checking that it has the needed columns and stays within the limits."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise without_extra("reading Parquet", "parquet") from error

    def place() -> Any:
        return io.BytesIO(source.data) if source.carried else source.path

    try:
        with pq.ParquetFile(place(), memory_map=not source.carried) as outline:
            used = set(_used(source, outline.schema_arrow.names).values())
            with pa.BufferReader(source.data) if source.carried else pa.memory_map(source.path) as pages:
                room = _room(source, outline.metadata, memoryview(pages.read_buffer()).cast("B"))
            _check_limits(source, outline.metadata, used, room)
            texts = [path for path, kind in _used_columns(outline.metadata, used) if kind == "BYTE_ARRAY"]
            file = pq.ParquetFile(
                place(), memory_map=not source.carried, read_dictionary=texts, metadata=outline.metadata
            )
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a Parquet file that can be read: {error}") from error
    with file:
        try:
            _require_one_of_labels(source, file, room)
            yield file
        except (pa.ArrowException, OSError) as error:
            raise source.error(f"cannot be read to its end: {error}") from error


def _require_one_of_labels(source: Source, file: Any, room: dict[str, int]) -> None:
    """Refuse a file with several columns of labels. Columns that take much room are not labels."""
    import pyarrow as pa

    if not file.metadata.num_row_groups:
        return
    names = [
        field.name
        for field in file.schema_arrow
        if (
            pa.types.is_string(field.type) or pa.types.is_large_string(field.type) or pa.types.is_dictionary(field.type)
        )
        and room.get(field.name, FREE_EXPANSION) < FREE_EXPANSION
    ]
    batch = next(file.iter_batches(SAMPLED, columns=names), None)
    rows = [] if batch is None else list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    try:
        require_one_of_labels({name: [row[place] for row in rows] for place, name in enumerate(names)}, source.options)
    except ColumnsError as error:
        raise source.error(str(error), cure=error.cure) from None


def _used_columns(metadata: Any, used: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the type of each column that is used; for a list, those of its parts."""
    for number in range(metadata.num_columns):
        column = metadata.schema.column(number)
        if column.path.split(".")[0] in used or column.path in used:  # a list has parts; a name may have dots
            yield column.path, column.physical_type


def _check_limits(source: Source, metadata: Any, names: set[str], room: dict[str, int]) -> None:
    """Refuse a file that holds more than its size allows, by the sizes that its pages say and must keep."""
    used = {path for path, _ in _used_columns(metadata, names)}
    total = metadata.num_rows * _LEAST_ROW + sum(room.get(path, 0) for path in used)
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema in used and column.num_values > group.num_rows * _LONGEST_LIST:
                raise source.error(
                    f"lists of more than {_LONGEST_LIST} labels in column {column.path_in_schema.split('.')[0]}",
                    cure="a relation has at most 13 atoms",
                )
    if total > max(source.options.largest_expansion * source.size, FREE_EXPANSION):
        raise exceeded(source, "expands to more", "largest_expansion")
    if total > source.options.largest_file:
        raise exceeded(source, "holds more", "largest_file")


def _room(source: Source, metadata: Any, data: memoryview) -> dict[str, int]:
    """Return how many bytes each column takes at most once it is unpacked."""
    room: dict[str, int] = {}
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            size = _unpacked(source, column, data)
            if "DELTA_BYTE_ARRAY" in column.encodings:  # each value may repeat all of the one before
                size *= max(1, column.num_values)
            room[column.path_in_schema] = room.get(column.path_in_schema, 0) + size
    return room


def _unpacked(source: Source, column: Any, data: memoryview) -> int:
    """Return how much the pages of a column take; the footer may say less, and only their headers are kept to."""
    if not column.num_values:
        return 0  # no page is read
    start: int = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < start:
        start = column.dictionary_page_offset
    end, total = start + column.total_compressed_size, 0
    try:
        while start < end:
            (size, packed), behind = _page_header(data, start)
            total += behind - start + size
            start = behind + packed
    except (IndexError, KeyError) as error:
        raise source.error("cannot be read to its end: a page does not say its size") from error
    return total


def _page_header(data: memoryview, at: int) -> tuple[tuple[int, int], int]:
    """Return the size of a page before and after packing, and the place behind its header, in Thrift's compact form."""
    depth, numbers, field = 1, {}, [0]
    while depth:
        head = data[at]
        at += 1
        kind = head & 15
        if not head:
            depth -= 1
            field.pop()
            continue
        field[-1] += head >> 4
        if not head >> 4:
            field[-1], at = _page_number(data, at)
        if kind == _STRUCT:
            depth += 1
            field.append(0)
        elif kind in _NUMBERS:
            value, at = _page_number(data, at)
            if depth == 1:
                numbers[field[0]] = value
        elif kind == _TEXT:
            length, at = _page_number(data, at, signed=False)
            at += length
        elif kind == _BYTE:
            at += 1
        elif kind not in _TRUTHS:
            raise KeyError(kind)
    if min(numbers[2], numbers[3]) < 0:
        raise KeyError(numbers[2])
    return (numbers[2], numbers[3]), at


def _page_number(data: memoryview, at: int, *, signed: bool = True) -> tuple[int, int]:
    """Return a number of variable length and the place behind it."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < _MORE:
            return (value >> 1) ^ -(value & 1) if signed else value, at
        if shift > _LONGEST_NUMBER:
            raise KeyError(shift)


def documents_are_together(source: Source) -> bool:
    """Return whether there is a document column and the rows of each document follow each other."""
    with opened(source) as file:
        column = _used(source, file.schema_arrow.names).get("document")
        if column is None:
            return False
        met: set[object] = set()
        current: object = object()
        for batch in file.iter_batches(ROWS, columns=[column]):
            for name in _cells(batch.column(0), source, 1):
                if name != current:
                    if name in met:
                        return False
                    met.add(name)
                    current = name
    return True


def slices(source: Source) -> Iterator[Source]:
    """Yield rows of whole documents as small Parquet files; ``first_line`` counts rows."""
    import pyarrow as pa

    first = 1
    left: Any = None
    with opened(source) as file:
        used = _used(source, file.schema_arrow.names)
        for batch in file.iter_batches(ROWS, columns=list(used.values())):
            rows = pa.Table.from_batches([batch])
            rows = rows if left is None else pa.concat_tables([left, rows])
            names = [name for chunk in rows.column(used["document"]).chunks for name in _cells(chunk, source, first)]
            end = len(names)
            while end and names[end - 1] == names[-1]:
                end -= 1
            left = rows.slice(end)
            if end:
                yield _slice(source, rows.slice(0, end), first)
                first += end
    if left is not None:  # it has the last document
        yield _slice(source, left, first)


def _slice(source: Source, rows: Any, first: int) -> Source:
    import pyarrow.parquet as pq

    data = io.BytesIO()
    pq.write_table(rows, data, compression="none")
    return Source(source.path, data.getvalue(), source.options, format="parquet", first_line=first)


# ----------------------------------------------------------------------------------------------------
# Links as rows with named columns, whatever they were read from: CSV, Parquet, JSON Lines or a data frame.
#
# ``source``, ``relation`` and ``target`` are needed (``columns`` knows under which names). With a column ``document``
# the rows describe many documents. ``id`` and ``weight`` are used if they are there; any other column is left alone. A
# relation is one label, or several joined by ``|``, or a list of them. A link without an id of its own is named by its
# line or row. Whole numbers are names, too.


def documents_in(source: Source, kind: str, records: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[Document]:
    """Yield the documents that numbered rows describe, in the order of first mention."""
    builders = Builders(source, kind, links_reading(source.options))
    many = False
    for line, record in records:
        many = many or "document" in record
        _add_row(builders, line, record)
    if not many and source.first_line == 1:
        builders.of(source.name)  # a file without links is a document without links
    for document in builders.build():
        yield with_body(document, plain_entities)


def roles_in(
    source: Source, headers: Sequence[str], line: int | None = None, sample: Sequence[Sequence[Any]] = ()
) -> tuple[str, ...]:
    """Return the role of each column of a table. Raise InputError if the roles cannot be determined.

    ``sample``: the first rows, by which columns of labels are known.
    """
    try:
        require_one_of_labels(
            {name: [row[place] for row in sample] for place, name in enumerate(headers)}, source.options
        )
        return roles_of(headers, source.options.named_columns)
    except ColumnsError as error:
        raise source.error(str(error), line=line, cure=error.cure) from None


def _add_row(builders: Builders, line: int, record: Mapping[str, Any]) -> None:
    document = as_text(record.get("document", builders.source.name))
    if not isinstance(document, str) or not document.strip():
        raise builders.source.error("the document column is empty", line=line, cure="name the document")
    size = sum(len(cell) for cell in record.values() if isinstance(cell, str))
    builder = builders.of(document, size, line)
    name = str(record.get("id") or line)
    first, label, second = (record[column] for column in NEEDED)
    first, second = as_text(first), as_text(second)
    if isinstance(label, list):
        label = "|".join(map(str, label))
    for role, cell in (("source", first), ("target", second)):
        if cell is not None and not isinstance(cell, str):
            builder.drop(
                "bad-link", f"the {role} is {cell!r:.40}; ids are text or whole numbers", line=line, element=name
            )
            return
    if label is not None and not isinstance(label, str):
        builder.drop("unknown-label", f"the label is {label!r:.40}, which is not text", line=line, element=name)
        return
    weight = record.get("weight")
    weight = _number(weight) if isinstance(weight, str) else weight
    if weight is None:
        weight = 1
    if isinstance(weight, str) or not is_weight(weight):
        builder.drop("bad-weight", f"weight {weight!r:.40} is not a finite number above zero", line=line, element=name)
        return
    note_blanks(builder, (document, first or "", second or ""), line=line, element=name)
    before = len(builder.links)
    builder.add_link(name, first, label, second, line=line, weight=weight)
    if len(builder.links) > before:
        note_during(builder, label or "", line=line, element=name)


def as_text(cell: Any) -> Any:
    """Return a whole number as text, since it is a name, and anything else unchanged.

    >>> as_text(12), as_text("e12"), as_text(True)
    ('12', 'e12', True)
    """
    return str(cell) if type(cell) is int else cell


def _number(cell: str) -> float | str | None:
    """Return a number from a cell; the cell itself if it is not a number, None if it is blank."""
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        return cell
