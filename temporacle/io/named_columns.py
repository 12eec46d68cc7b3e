"""Refuse names of columns that none of the files has.

A table without the named columns is read by its usual names, because one ``--columns`` serves gold and system. So a
misspelled name would go unnoticed, and the wrong column could be scored.
"""

from __future__ import annotations

import csv
import json
import zlib
from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.io.columns import is_named
from temporacle.io.limits import GZIP, is_regular_file
from temporacle.io.listing import listing
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.io.source import Options

_HEAD = 1 << 16  # bytes in which the names of columns are expected
_PARQUET = b"PAR1"


def require_named_columns(options: Options, paths: Sequence[str]) -> None:
    """Raise UsageError if columns are named and no file under the paths has one of them.

    Files are opened one by one until one of them has a named column: usually the first or the second. Standard input
    cannot be read twice, so nothing is refused with it.
    """
    if not options.named_columns or STANDARD_INPUT in paths:
        return
    sources = listing(paths, options, lambda _remark: None)
    files = (each.path for each in sources if isinstance(each, Source) and is_regular_file(each.path))
    if not any(is_named(names, options.named_columns) for path in files for names in _possible_names(path, options)):
        wanted = ", ".join(shown(header) for _role, header in options.named_columns)
        raise UsageError(
            f"--columns: no file has a column {wanted}; correct the name, or leave the option out if the files have"
            " the usual names"
        )


def _possible_names(path: str, options: Options) -> Iterator[Iterable[str]]:
    """Yield the names of columns that a file has if it is a table: of Parquet, TSV, CSV, and JSON Lines."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - names are kept as the caller wrote them
            head = file.read(_HEAD)
        if head.startswith(GZIP):
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        if head.startswith(_PARQUET):
            yield _parquet_names(path)
            return
        lines = head.decode(options.encoding or "utf-8", "replace").removeprefix("\ufeff").splitlines()
    except (OSError, ValueError, LookupError, zlib.error):
        return  # the reader says what is wrong
    line = next((each for each in lines if each.strip() and not each.startswith("#")), "")
    yield line.split("\t")
    try:
        yield next(csv.reader([line]), [])
        record = json.loads(line)
        yield list(record) if isinstance(record, dict) else []
    except (csv.Error, ValueError, RecursionError):
        return


def _parquet_names(path: str) -> list[str]:
    """Return the columns in the footer of a Parquet file; none if it cannot be read."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return []
    try:
        return list(pq.read_schema(path).names)
    except (OSError, ValueError, pa.ArrowException):
        return []
