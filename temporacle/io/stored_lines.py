"""Lines of a large file that stay there until they are needed: only their places are kept.

Lines of gzip files and of standard input cannot be read again at a place. They wait in a temporary file.
"""

from __future__ import annotations

from array import array
from os import SEEK_END
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, NamedTuple
from weakref import finalize
from zlib import crc32

from temporacle.io.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.io.source import Options


def file_for(owner: object) -> IO[bytes]:
    """Return a temporary file that goes with its owner."""
    file = TemporaryFile()  # noqa: SIM115 - see the next line
    finalize(owner, file.close)
    return file


class StoredLines:
    """The places of some lines of a file: about thirty bytes for each of them."""

    def __init__(self, path: str, options: Options) -> None:
        self.path, self._options = path, options
        self._starts, self._sizes, self._numbers = array("q"), array("q"), array("q")
        self._sums = array("I")  # tell whether a line is still what it was
        self._copies: IO[bytes] | None = None  # of all lines, if they cannot be read again

    def add(self, start: int, line: bytes, number: int) -> StoredLine:
        """Remember a line that begins at a byte of the file and has a number there."""
        self.place(start, len(line), number, crc32(line))
        return StoredLine(self, len(self._starts) - 1)

    def place(self, start: int, size: int, number: int, check_sum: int) -> None:
        """Remember where a line is."""
        self._starts.append(start)
        self._sizes.append(size)
        self._numbers.append(number)
        self._sums.append(check_sum)

    def keep(self, line: bytes, number: int) -> StoredLine:
        """Put a line that cannot be read again into a temporary file. It is for all lines of a file, or for none."""
        if self._copies is None:
            self._copies = file_for(self)
        start = self._copies.seek(0, SEEK_END)
        self._copies.write(line)
        return self.add(start, line, number)

    @property
    def are_copies(self) -> bool:
        """Return whether the lines wait in a temporary file, which other processes cannot read."""
        return self._copies is not None

    def size(self, place: int) -> int:
        """Return the number of bytes of a line."""
        return self._sizes[place]

    def facts(self, place: int) -> tuple[str, Options, tuple[int, int, int, int]]:
        """Return all that is known of a line."""
        numbers = self._starts[place], self._sizes[place], self._numbers[place], self._sums[place]
        return self.path, self._options, numbers

    def source(self, place: int) -> Source:
        """Return a line with its content. Raise InputError if the file has changed there or cannot be opened."""
        number = self._numbers[place]
        source = Source(self.path, b"", self._options, format="jsonl", first_line=number)
        if self._copies is not None:
            self._copies.seek(self._starts[place])
            line = self._copies.read(self._sizes[place])
            return Source(self.path, line, self._options, format="jsonl", first_line=number)
        try:
            with open(self.path, "rb", buffering=0) as file:  # noqa: PTH123
                file.seek(self._starts[place])
                line = file.read(self._sizes[place])
        except OSError as error:
            raise source.error(f"cannot be opened: {error.strerror or error}") from error
        if crc32(line) != self._sums[place]:
            raise source.error("the file has changed while it was read", line=number, cure="run the command again")
        return Source(self.path, line, self._options, format="jsonl", first_line=number)


class StoredLine(NamedTuple):
    """One of these lines."""

    lines: StoredLines
    place: int

    @property
    def size(self) -> int:
        """Return the number of bytes to be read."""
        return self.lines.size(self.place)

    def source(self) -> Source:
        """Return the line with its content. Raise InputError if it is not there any more."""
        return self.lines.source(self.place)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Pickle the line without the others. It can be read in any process of this machine.

        A line that cannot be read again becomes a source with its content.
        """
        if self.lines.are_copies:
            return itself, (self.source(),)
        return _stored_line, self.lines.facts(self.place)


def itself(value: object) -> object:
    """Return what was pickled in place of something else."""
    return value


def _stored_line(path: str, options: Options, numbers: tuple[int, int, int, int]) -> StoredLine:
    lines = StoredLines(path, options)
    lines.place(*numbers)
    return StoredLine(lines, 0)
