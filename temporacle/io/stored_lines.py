"""Lines of a large file that stay there until they are needed: only their places are kept."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from temporacle.io.source import Source

if TYPE_CHECKING:
    from temporacle.io.source import Options


class StoredLines:
    """The places of some lines of a file: about thirty bytes for each of them."""

    def __init__(self, path: str, options: Options) -> None:
        self._path, self._options = path, options
        self._starts, self._sizes, self._numbers = array("q"), array("q"), array("q")
        self._sums = array("L")  # tell whether a line is still what it was

    def add(self, start: int, line: bytes, number: int) -> StoredLine:
        """Remember a line that begins at a byte of the file and has a number there."""
        self._starts.append(start)
        self._sizes.append(len(line))
        self._numbers.append(number)
        self._sums.append(crc32(line))
        return StoredLine(self, len(self._starts) - 1)

    def size(self, place: int) -> int:
        """Return the number of bytes of a line."""
        return self._sizes[place]

    def source(self, place: int) -> Source:
        """Return a line with its content. Raise InputError if the file has changed there or cannot be opened."""
        number = self._numbers[place]
        source = Source(self._path, b"", self._options, format="jsonl", first_line=number)
        try:
            with open(self._path, "rb", buffering=0) as file:  # noqa: PTH123
                file.seek(self._starts[place])
                line = file.read(self._sizes[place])
        except OSError as error:
            raise source.error(f"cannot be opened: {error.strerror or error}") from error
        if crc32(line) != self._sums[place]:
            raise source.error("the file has changed while it was read", line=number, cure="run the command again")
        return Source(self._path, line, self._options, format="jsonl", first_line=number)


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
