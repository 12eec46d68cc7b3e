"""Large files of many documents, cut into slices of whole documents that can be read one by one, anywhere.

JSON Lines are cut between lines; links TSV with a document column where the document changes, which takes a first pass
to make sure that no document is scattered over the file. Plain or gzip; a file is never held as a whole. Whatever is
small, or cannot be cut, comes back as it is.

Where slices end depends on the file alone. What readers say once a file is said once a slice here.
"""

from __future__ import annotations

import os
import sys
import zlib
from io import BufferedReader
from typing import IO, TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.recognise import recognise
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.model import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

SLICE = 1 << 18  # bytes: some hundred documents, a hundredth of a second of work
_HEAD = 1 << 16  # bytes looked at to tell the format
_SMALL_GZIP = 1 << 14
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_SLICED = ("jsonl", "tsv", "csv")


def slices(source: Source) -> Iterator[Source | Unreadable]:
    """The slices of a source, or the source itself."""
    if source.format not in {None, *_SLICED} or source.options.encoding is not None:
        yield source
    elif source.path == STANDARD_INPUT and not source.carried:
        yield from _slices_of_standard_input(source)
    elif source.carried or not _is_large(source.path) or (kind := _kind(source)) is None:
        yield source
    else:
        try:
            with _opened(source.path) as file:
                yield from _lines(source, file) if kind == "jsonl" else _groups(source, file, kind)
        except (OSError, EOFError, zlib.error) as error:
            yield Unreadable(source.name, source.path, source.error(f"cannot be read to its end: {error}"))


def _slices_of_standard_input(source: Source) -> Iterator[Source]:
    file = sys.stdin.buffer
    assert isinstance(file, BufferedReader)  # noqa: S101 - narrows the type only
    if file.peek(1).removeprefix(_BOM).lstrip()[:1] == b"{":
        yield from _lines(source, file)
    else:
        source.data  # noqa: B018 - read it here: another process has another standard input
        yield source


def _is_large(path: str) -> bool:
    try:
        size = os.path.getsize(path)  # noqa: PTH202 - asked of every file of a corpus
        if size <= _SMALL_GZIP:
            return False
        if size > SLICE:
            return True
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return file.read(2) == _GZIP
    except OSError:
        return False  # its reader will complain


def _opened(path: str) -> IO[bytes]:
    file = open(path, "rb")  # noqa: PTH123, SIM115 - closed by the caller
    if file.peek(2)[:2] != _GZIP:
        return file
    import gzip

    return gzip.open(file)  # type: ignore[return-value]


def _kind(source: Source) -> str | None:
    """The format of a large file if it is one that can be cut; None otherwise."""
    try:
        with _opened(source.path) as file:
            head = file.read(_HEAD)
        if head.removeprefix(_BOM).lstrip()[:1] == b"{":
            return "jsonl" if source.format in {None, "jsonl"} else None
        looked_at = head[: head.rfind(b"\n") + 1]
        kind = source.format or recognise(Source(source.path, looked_at, source.options))
        return kind if kind in _SLICED and _documents_are_together(source.path, kind) else None
    except (InputError, OSError, EOFError, zlib.error):
        return None  # its reader will complain


# --- JSON Lines ------------------------------------------------------------------------------------


def _lines(source: Source, file: IO[bytes]) -> Iterator[Source]:
    first_line = 1
    while block := file.read(SLICE):
        block += file.readline()
        if not block.isspace():
            yield Source(source.path, block, source.options, format="jsonl", first_line=first_line)
        first_line += block.count(b"\n")


# --- tables with a document column --------------------------------------------------------------------------------


def _records(file: IO[bytes], kind: str) -> Iterator[tuple[bytes, bytes]]:
    """The name of the document (empty for comments and blank lines) and the text of every record.

    A record of CSV goes on over the end of the line while a quotation mark is open.
    """
    separator = b"\t" if kind == "tsv" else b","
    comment = b"#" if kind == "tsv" else None
    record = b""
    for line in file:
        record += line
        if kind == "csv" and record.count(b'"') % 2:
            continue
        is_content = not record.isspace() and not (comment and record.startswith(comment))
        yield record.split(separator, 1)[0] if is_content else b"", record
        record = b""
    if record:
        yield b"", record


def _documents_are_together(path: str, kind: str) -> bool:
    """Whether the file has a document column, and the rows of each document follow each other."""
    columns = 0
    separator = b"\t" if kind == "tsv" else b","
    met: set[bytes] = set()
    current = b""
    with _opened(path) as file:
        for name, record in _records(file, kind):
            if not name or name == current:
                continue
            columns = columns or record.count(separator) + 1
            if columns != 4 or name in met:
                return False
            met.add(name)
            current = name
    return True


def _groups(source: Source, file: IO[bytes], kind: str) -> Iterator[Source]:
    first_line = next_line = 1
    group: list[bytes] = []
    size = 0
    current = b""
    for name, record in _records(file, kind):
        if name and name != current:
            if size >= SLICE:
                yield Source(source.path, b"".join(group), source.options, format=kind, first_line=first_line)
                group, size, first_line = [], 0, next_line
            current = name
        group.append(record)
        size += len(record)
        next_line += record.count(b"\n")
    if group:
        yield Source(source.path, b"".join(group), source.options, format=kind, first_line=first_line)
