"""Limits on how much of a file is taken into memory, counted while it is read and decompressed.

A small file can stand for a large one: six megabytes of gzip for one line of six gigabytes. The limits are fields of
``Options``: ``largest_line``, ``largest_cell``, ``largest_document``, ``largest_file`` (all in bytes or characters)
and ``largest_expansion`` (how many times its size a compressed file may grow). Whoever has larger files raises them.
"""

from __future__ import annotations

import io
import os
import stat
import zlib
from typing import IO, TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.io.signs import looks_like_xml
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from _typeshed import WriteableBuffer

    from temporacle.errors import InputError
    from temporacle.io.source import Source

GZIP = b"\x1f\x8b"
FREE_EXPANSION = 2 << 20  # bytes that any compressed file may grow to
BROKEN = (OSError, EOFError, zlib.error)  # what reading a damaged file raises
_BLOCK = 1 << 18
_PARQUET = b"PAR1"
_NAMES = ("line", "cell", "document", "file", "expansion")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def exceeded(source: Source, what: str, limit: str, *, line: int | None = None) -> InputError:
    """Return the error for something that is larger than a limit, which is a field of ``Options``."""
    allowed: int = getattr(source.options, limit)
    size = f"{allowed} times its size" if limit == "largest_expansion" else in_words(allowed)
    return source.error(f"{what} than {size}", line=line, cure=f"if this is intended, raise the limit {limit}")


def in_words(size: int) -> str:
    """Return a size as people write it.

    >>> in_words(64 << 20), in_words(131_072), in_words(1000)
    ('64 MiB', '128 KiB', '1000 bytes')
    """
    for unit, factor in reversed(_UNITS.items()):
        if size >= factor and size % factor == 0:
            return f"{size // factor} {unit}iB"
    return f"{size} bytes"


def limits(stated: Iterable[str]) -> dict[str, int]:
    """Return fields of ``Options`` from limits on a command line. Raise UsageError for anything else.

    >>> limits(["line=256M", "expansion=1000"])
    {'largest_line': 268435456, 'largest_expansion': 1000}
    """
    found = {}
    for each in stated:
        name, _, size = each.partition("=")
        number = size.strip().upper().removesuffix("B").removesuffix("I")
        factor = _UNITS.get(number[-1:], 1)
        digits = number[:-1] if factor > 1 else number
        if name not in _NAMES or not (digits.isascii() and digits.isdigit() and len(digits) <= 15 and int(digits)):
            names = ", ".join(_NAMES)
            raise UsageError(f"limit {shown(each)} is not understood: write NAME=SIZE with a name of {names}")
        found[f"largest_{name}"] = int(digits) * factor
    return found


def is_regular_file(path: str) -> bool:
    """Return whether a path is a file with a size, not a pipe or a device. Raise OSError if there is no file."""
    return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - asked of every file of a corpus


def opened(source: Source) -> IO[bytes]:
    """Return the file of a source, decompressed if necessary.

    Reading raises InputError if it grows beyond the limit.
    """
    file = open(source.path, "rb")  # noqa: PTH123, SIM115 - closed by the caller
    is_gzip = file.peek(2)[:2] == GZIP
    return unpacked(file, source) if is_gzip else file


def unpacked(packed: IO[bytes], source: Source) -> io.BufferedReader:
    """Return the content of a compressed file."""
    return io.BufferedReader(_Unpacked(packed, source), _BLOCK)


class _Unpacked(io.RawIOBase):
    """Decompresses, and compares what it has given with what it has taken."""

    def __init__(self, packed: IO[bytes], source: Source) -> None:
        import gzip

        self._packed = packed
        self._plain = gzip.GzipFile(fileobj=packed)
        self._source = source
        self._total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._plain.readinto1(buffer)  # what was good before a damage is given first
        self._total += count
        allowed = self._source.options.largest_expansion * self._packed.tell()
        if self._total > max(allowed, FREE_EXPANSION):
            raise exceeded(self._source, "expands to more", "largest_expansion")
        return count

    def close(self) -> None:
        self._plain.close()
        self._packed.close()
        super().close()


def read_whole(file: IO[bytes], source: Source, *, limited: bool) -> bytes:
    """Return the whole content of a file in which no line is too long.

    ``limited``: limit its size too, because it is not known in advance.
    """
    blocks: list[bytes] = []
    total = line_length = line_breaks = 0
    block = file.read(_BLOCK)
    is_xml = looks_like_xml(block)
    has_lines = not is_xml and not block.startswith(_PARQUET)
    while block:
        blocks.append(block)
        total += len(block)
        if not has_lines:
            if is_xml and total > source.options.largest_document:
                raise exceeded(source, "the document is larger", "largest_document")
        elif (last := block.rfind(b"\n")) >= 0:
            line_length = len(block) - last - 1
            line_breaks += block.count(b"\n")
        else:
            line_length += len(block)
            if line_length > source.options.largest_line:
                raise line_too_long(source, line_breaks + 1)
        if limited and total > source.options.largest_file:
            raise exceeded(source, "holds more", "largest_file")
        block = file.read(_BLOCK)
    return b"".join(blocks)


def limited_lines(file: IO[bytes], source: Source) -> Iterator[bytes]:
    """Yield the lines of a file, with their ends."""
    largest = source.options.largest_line
    read_line, number = file.readline, 0
    while line := read_line(largest + 2):
        number += 1
        if len(line) > largest and len(line.rstrip(b"\r\n")) > largest:
            raise line_too_long(source, number)
        yield line


def line_too_long(source: Source, number: int) -> InputError:
    """Return the error for a line beyond the limit."""
    return exceeded(source, "the line is longer", "largest_line", line=number)
