"""Large files of many documents, cut into slices of whole documents that can be read one by one, anywhere.

JSON Lines of documents are cut between lines; JSON Lines of links, and TSV, CSV and Parquet with a document column,
where the document changes, which takes a first pass to make sure that no document is scattered over the file. Text may
be plain or gzip; a file is never held as a whole. Whatever is small, or cannot be cut, comes back as it is.

Where slices end depends on the file alone. What readers say once a file is said once a slice here.
"""

from __future__ import annotations

import csv
import io
import json
import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io import tables
from temporacle.io.columns import HEADER, ColumnsError, is_header, roles_of
from temporacle.io.jsonl.read import MIXED, is_link_line, refuse_spread_out
from temporacle.io.recognise import json_format, recognise
from temporacle.io.source import (
    BROKEN,
    GZIP,
    STANDARD_INPUT,
    Source,
    descriptor_of,
    limited_lines,
    line_too_long,
    opened,
    read_whole,
    standard_input,
)
from temporacle.io.tables import allow_cells
from temporacle.model import Unreadable
from temporacle.printing import restored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.columns import Columns

SLICE = 1 << 18  # bytes: some hundred documents, a hundredth of a second of work
_HEAD = 1 << 16  # bytes looked at to tell the format
_SMALL_GZIP = 1 << 14
_BOM = b"\xef\xbb\xbf"
_PARQUET = b"PAR1"
_SLICED = ("jsonl", "tsv", "csv", "parquet")
_LINKS = "links of jsonl"  # what JSON Lines are called here if they hold a link a line
_LINKS_KEY = b'"links"'


def slices(source: Source) -> Iterator[Source | Unreadable]:
    """Yield the slices of a source, or the source itself."""
    if source.format not in {None, *_SLICED} or source.options.encoding is not None or source.is_whole:
        yield source
        return
    try:
        if source.path == STANDARD_INPUT and not source.carried:
            yield from _slices_of_standard_input(source)
        elif source.carried or not _is_large(source) or (kind := _kind(source)) is None:
            yield source
        else:
            yield from _slices(source, kind)
    except InputError as error:
        yield Unreadable(source.name, source.path, error)
    except (*BROKEN, csv.Error) as error:
        yield Unreadable(source.name, source.path, source.error(f"cannot be read to its end: {error}"))


def _slices(source: Source, kind: str) -> Iterator[Source]:
    if kind == "parquet":
        yield from tables.slices(source)
        return
    with opened(source) as file:
        yield from _lines(source, file) if kind == "jsonl" else _groups(source, file, kind)


def _slices_of_standard_input(source: Source) -> Iterator[Source]:
    file = standard_input(source)
    if file.peek(1).removeprefix(_BOM).lstrip()[:1] != b"{":
        source.data  # noqa: B018 - read it here: another process has another standard input
        yield source
        return
    begun = b""
    for line in limited_lines(file, source):
        begun += line
        if not line.isspace():
            break
    if is_link_line(begun, source.options.named_columns):
        yield Source(source.path, begun + read_whole(file, source, limited=True), source.options, format="jsonl")
    else:
        yield from _lines(source, file, begun)


def _is_large(source: Source) -> bool:
    try:
        size = os.path.getsize(source.path)  # noqa: PTH202 - asked of every file of a corpus
        if size <= _SMALL_GZIP:
            return False
        if size > SLICE:
            return True
        with os.fdopen(descriptor_of(source), "rb", buffering=0) as file:
            return file.read(2) == GZIP
    except OSError:
        return False  # its reader will complain


def _kind(source: Source) -> str | None:
    """Return the format of a large file if files of this format can be cut; None otherwise."""
    try:
        with opened(source) as file:
            head = file.read(_HEAD)
        if head.removeprefix(_BOM).lstrip()[:1] == b"{":
            if source.format not in {None, "jsonl"}:
                return None
            if source.format is None and json_format(head.decode("utf-8", "replace")) is not None:
                return None
            if not is_link_line(_first_line(head.removeprefix(_BOM)), source.options.named_columns):
                return "jsonl"
            return _LINKS if _documents_are_together(source, _LINKS) else None
        if head.startswith(_PARQUET):
            return "parquet" if source.format in {None, "parquet"} and tables.documents_are_together(source) else None
        looked_at = head[: head.rfind(b"\n") + 1]
        kind = source.format or recognise(Source(source.path, looked_at, source.options))
        return kind if kind in _SLICED and _documents_are_together(source, kind) else None
    except (InputError, *BROKEN):
        return None  # its reader will complain


# --- JSON Lines ------------------------------------------------------------------------------------


def _lines(source: Source, file: IO[bytes], begun: bytes = b"") -> Iterator[Source]:
    """Yield blocks of whole lines. The first block begins with the bytes that were read already."""
    largest = source.options.largest_line
    first_line = 1
    offset = 0 if isinstance(getattr(file, "raw", None), io.FileIO) and not begun else None
    while block := begun + file.read(SLICE):
        rest = file.readline(largest + 2)
        if len(rest) > largest:
            number = first_line + block.count(b"\n")
            if len(rest.rstrip(b"\r\n")) > largest:
                raise line_too_long(source, number)
        block += rest
        begun = rest = b""  # a line may be large
        if not block.isspace():
            if (
                first_line > 1
                and _LINKS_KEY not in block[: block.find(b"\n")]
                and is_link_line(_first_line(block), source.options.named_columns)
            ):
                # On its own the slice would be taken for a file of links.
                raise source.error("documents and single links are mixed", line=first_line, cure=MIXED)
            piece = Source(source.path, block, source.options, format="jsonl", first_line=first_line)
            piece.offset = offset
            if first_line == 1:
                refuse_spread_out(piece)
            yield piece
        first_line += block.count(b"\n")
        offset = None if offset is None else offset + len(block)


def _first_line(block: bytes) -> bytes:
    return block.lstrip().split(b"\n", 1)[0]


# --- tables with a document column --------------------------------------------------------------------------------


def _records(source: Source, file: IO[bytes], kind: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the document name (empty for comments and blank lines) and the text of every record."""
    if kind == "csv":
        yield from _csv_records(source, file)
        return
    if kind == _LINKS:
        for line in limited_lines(file, source):
            yield b"" if line.isspace() else _document_of(line), line
        return
    for line in limited_lines(file, source):
        is_content = not line.isspace() and not line.startswith(b"#")
        yield line.split(b"\t", 1)[0] if is_content else b"", line


def _document_of(line: bytes) -> bytes:
    """Return the document that a JSON Lines link belongs to. Raise ValueError if the line does not name it."""
    record = json.loads(line.removeprefix(_BOM))
    name = record.get("document") if type(record) is dict and "links" not in record else None
    if type(name) is not str or not name:
        raise ValueError
    return name.encode("utf-8", "surrogatepass")


def _csv_records(source: Source, file: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the records of a CSV file. A record may span lines, so only the CSV parser knows its end. Raises csv.Error.

    Every byte is a character here, so that none is lost.
    """
    raw: list[bytes] = []
    allow_cells(source.options.largest_cell)

    def lines() -> Iterator[str]:
        for line in limited_lines(file, source):
            raw.append(line)
            yield line.decode("latin-1")

    for row in csv.reader(lines(), strict=True):
        record = b"".join(raw)
        raw.clear()
        yield b"" if record.isspace() else restored(row[0]).encode("latin-1"), record


def _documents_are_together(source: Source, kind: str) -> bool:
    """Return whether the first column names documents and the rows of each document follow each other."""
    met: set[bytes] = set()
    current = b""
    columns = source.options.named_columns
    with suppress(csv.Error, ValueError, RecursionError), opened(source) as file:
        for name, record in _records(source, file, kind):
            if not name or name == current:
                continue
            if name in met or (not met and not _begins_with_document(record, kind, columns)):
                return False
            met.add(name)
            current = name
        return True
    return False  # its reader will complain


def _begins_with_document(record: bytes, kind: str, columns: Columns) -> bool:
    """Return whether the first record of a table (names or a link) has the document in its first column."""
    if kind == _LINKS:
        return True
    if kind == "tsv":
        cells = record.removeprefix(_BOM).decode("utf-8", "replace").rstrip("\r\n").split("\t")
        return len(cells) == len(HEADER) and (tables.is_tsv_header(cells) or not is_header(cells, columns))
    cells = _cells(record)
    if not is_header(cells, columns):
        return len(cells) == len(HEADER)
    try:
        return roles_of(cells, columns)[0] == "document"
    except ColumnsError:
        return False  # its reader will complain


def _is_header(record: bytes, kind: str, columns: Columns) -> bool:
    return kind == "csv" and is_header(_cells(record), columns)


def _cells(record: bytes) -> list[str]:
    """Return the cells of a CSV record; none if it is malformed, which its reader reports."""
    text = record.removeprefix(_BOM).decode("utf-8", "replace")
    try:
        return next(csv.reader(io.StringIO(text, newline=""), strict=True), [])
    except csv.Error:
        return []


def _groups(source: Source, file: IO[bytes], kind: str) -> Iterator[Source]:
    first_line = next_line = 1
    group: list[bytes] = []
    header = b""  # of CSV, whose columns may be in any order: every slice has it
    size = 0
    current = b""
    for name, record in _records(source, file, kind):
        if name and name != current:
            if not current and _is_header(record, kind, source.options.named_columns):
                header = record
            if size >= SLICE:
                yield _slice(source, group, kind, header, first_line)
                group, size, first_line = [], 0, next_line
            current = name
        group.append(record)
        size += len(record)
        next_line += record.count(b"\n")
    if group:
        yield _slice(source, group, kind, header, first_line)


def _slice(source: Source, group: list[bytes], kind: str, header: bytes, first_line: int) -> Source:
    repeated = header if first_line > 1 else b""
    first = first_line - repeated.count(b"\n")
    name = "jsonl" if kind == _LINKS else kind
    return Source(source.path, repeated + b"".join(group), source.options, format=name, first_line=first)
