"""Parquet through pyarrow: one link a row, in the columns of ``columns``.

A large file can be cut into slices of whole documents. A link without an id of its own is named by its row.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.limits import FREE_EXPANSION, exceeded
from temporacle.io.link_rows import documents_in, roles_in
from temporacle.io.rows import cell_too_long
from temporacle.io.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from temporacle.model import Document

ROWS = 1 << 14  # at a time
_LEAST_ROW = 32  # bytes that a row takes at least once it is a link, however well it is compressed
_LONGEST_LIST = 100  # labels in one relation


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a Parquet file, in the order of first mention."""
    yield from documents_in(source, "parquet", _records(source))


def _records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
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
        raise UsageError("reading Parquet needs another package: pip install 'temporacle[parquet]'") from error

    def place() -> Any:
        return io.BytesIO(source.data) if source.carried else source.path

    try:
        with pq.ParquetFile(place(), memory_map=not source.carried) as outline:
            used = set(_used(source, outline.schema_arrow.names).values())
            _check_limits(source, outline.metadata, used)
            texts = [path for path, kind in _used_columns(outline.metadata, used) if kind == "BYTE_ARRAY"]
            file = pq.ParquetFile(
                place(), memory_map=not source.carried, read_dictionary=texts, metadata=outline.metadata
            )
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a Parquet file that can be read: {error}") from error
    with file:
        try:
            yield file
        except (pa.ArrowException, OSError) as error:
            raise source.error(f"cannot be read to its end: {error}") from error


def _used_columns(metadata: Any, used: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the type of each column that is used; for a list, those of its parts."""
    for number in range(metadata.num_columns):
        column = metadata.schema.column(number)
        if column.path.split(".")[0] in used or column.path in used:  # a list has parts; a name may have dots
            yield column.path, column.physical_type


def _check_limits(source: Source, metadata: Any, names: set[str]) -> None:
    """Refuse a file that holds more than its size allows, by what it says about itself."""
    used = {path for path, _ in _used_columns(metadata, names)}
    total = metadata.num_rows * _LEAST_ROW
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema in used:
                total += column.total_uncompressed_size
                if column.num_values > group.num_rows * _LONGEST_LIST:
                    raise source.error(
                        f"lists of more than {_LONGEST_LIST} labels in column {column.path_in_schema.split('.')[0]}",
                        cure="a relation has at most 13 atoms",
                    )
    if total > max(source.options.largest_expansion * source.size, FREE_EXPANSION):
        raise exceeded(source, "expands to more", "largest_expansion")
    if total > source.options.largest_file:
        raise exceeded(source, "holds more", "largest_file")


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
