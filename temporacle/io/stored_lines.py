"""Lines of a large file that stay there until they are needed: only their places are kept."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from temporacle.io.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.io.source import Options


class StoredLines:
    """The places of some lines of a file: about thirty bytes for each of them."""

    def __init__(self, path: str, options: Options) -> None:
        self._path, self._options = path, options
        self._starts, self._sizes, self._numbers = array("q"), array("q"), array("q")
        self._sums = array("L")  # tell whether a line is still what it was

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

    def size(self, place: int) -> int:
        """Return the number of bytes of a line."""
        return self._sizes[place]

    def facts(self, place: int) -> tuple[str, Options, tuple[int, int, int, int]]:
        """Return all that is known of a line."""
        numbers = self._starts[place], self._sizes[place], self._numbers[place], self._sums[place]
        return self._path, self._options, numbers

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

    def __reduce__(self) -> tuple[Callable[..., StoredLine], tuple[object, ...]]:
        """Pickle the line without the others. It can be read in any process of this machine."""
        return _stored_line, self.lines.facts(self.place)


def _stored_line(path: str, options: Options, numbers: tuple[int, int, int, int]) -> StoredLine:
    lines = StoredLines(path, options)
    lines.place(*numbers)
    return StoredLine(lines, 0)
