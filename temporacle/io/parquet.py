"""Parquet through pyarrow: one link a row, in the columns of ``link_rows``.

A large file can be cut into slices of whole documents. A link without an id of its own is named by its row.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.link_rows import NEEDED, USED, documents_in
from temporacle.io.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from temporacle.model import Document

ROWS = 1 << 16  # at a time


def read(source: Source) -> Iterator[Document]:
    """The documents of a Parquet file, in the order of first mention."""
    yield from documents_in(source, "parquet", _records(source))


def _records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with opened(source) as file:
        row = source.first_line
        for batch in file.iter_batches(columns=[name for name in file.schema_arrow.names if name in USED]):
            for record in batch.to_pylist():
                yield row, record
                row += 1


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """The file of a source, known to have the columns that are needed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise UsageError("reading Parquet needs more: pip install 'temporacle[parquet]'") from error

    try:
        place = io.BytesIO(source.data) if source.carried else source.path
        file = pq.ParquetFile(place, memory_map=not source.carried)
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a Parquet file that can be read: {error}") from error
    with file:
        missing = [name for name in NEEDED if name not in file.schema_arrow.names]
        if missing:
            raise source.error(f"no column {', '.join(missing)}", cure="name the columns source, relation and target")
        try:
            yield file
        except pa.ArrowException as error:
            raise source.error(f"cannot be read to its end: {error}") from error


def documents_are_together(source: Source) -> bool:
    """Whether there is a document column, and the rows of each document follow each other."""
    with opened(source) as file:
        if "document" not in file.schema_arrow.names:
            return False
        met: set[object] = set()
        current: object = object()
        for batch in file.iter_batches(ROWS, columns=["document"]):
            for name in batch.column(0).dictionary_encode().to_pylist():
                if name != current:
                    if name in met:
                        return False
                    met.add(name)
                    current = name
    return True


def slices(source: Source) -> Iterator[Source]:
    """Rows of whole documents, as small Parquet files; ``first_line`` counts rows."""
    import pyarrow as pa

    first = 1
    left: Any = None
    with opened(source) as file:
        columns = [name for name in file.schema_arrow.names if name in USED]
        for batch in file.iter_batches(ROWS, columns=columns):
            rows = pa.Table.from_batches([batch])
            rows = rows if left is None else pa.concat_tables([left, rows])
            names = rows.column("document").to_pylist()
            end = len(names)
            while end and names[end - 1] == names[-1]:
                end -= 1
            left = rows.slice(end)
            if end:
                yield _slice(source, rows.slice(0, end), first)
                first += end
    if left is not None and len(left):
        yield _slice(source, left, first)


def _slice(source: Source, rows: Any, first: int) -> Source:
    import pyarrow.parquet as pq

    data = io.BytesIO()
    pq.write_table(rows, data, compression="none")
    return Source(source.path, data.getvalue(), source.options, format="parquet", first_line=first)
