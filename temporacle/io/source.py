"""One input, how to read it, and where complaints about it point."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.readings import Reading, load_reading

if TYPE_CHECKING:
    from collections.abc import Iterator

# Stripped from file names, longest first, to find a document's name.
SUFFIXES = (
    ".TE3input.tml",
    ".tml.xml",
    ".xml.xml",
    ".tml",
    ".xml",
    ".jsonl",
    ".tsv",
    ".csv",
    ".csp",
    ".parquet",
    ".tab",
    ".txt",
    ".gz",
)
STANDARD_INPUT = "-"
_HALVES = re.compile("[\ud800-\udfff]")  # what Python makes of such bytes
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_LARGEST = 2 << 30  # decompressed bytes; beyond it a .gz file is refused rather than allowed to fill the memory


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may choose about reading."""

    format: str | None = None  # None: recognised by content
    reading: str | None = None  # None: the format decides
    during: str = "simultaneous"
    encoding: str | None = None  # None: as declared, else UTF-8
    keep_unknown: bool = False  # keep links to undeclared ids, as entities without span
    doctimerel: bool = False  # Anafora: DocTimeRel properties as links to the DCT


class Source:
    """One file, or one folder in a format that is a folder.

    ``Source(path)`` reads the file when its ``data`` is first asked for, so a source that was only listed is small and
    can be sent to another process. A folder has no ``data`` of its own: its reader opens the files in ``path``.
    A slice of a large file has some of its lines as ``data``, the first of them with the number ``first_line``.
    """

    __slots__ = ("_data", "first_line", "format", "options", "path", "tree")

    def __init__(
        self,
        path: str,
        data: bytes | None = None,
        options: Options = Options(),  # noqa: B008 - an immutable value
        *,
        format: str | None = None,  # noqa: A002 - the name of the thing everywhere else
        first_line: int = 1,
    ) -> None:
        self.path = path
        self.first_line = first_line
        self.options = options
        self.format = format or options.format  # None: not recognised yet
        self.tree: Any = None  # the parsed XML, from recognition until the reader takes it
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.path, self._data, self.options, self.format, self.first_line)

    def __repr__(self) -> str:
        return f"Source({self.path!r}, format={self.format!r})"

    @property
    def carried(self) -> int:
        """How many bytes of data the source carries with it."""
        return 0 if self._data is None else len(self._data)

    @property
    def size(self) -> int:
        """Bytes to be read, as far as anybody knows."""
        if self.carried:
            return self.carried
        try:
            return os.path.getsize(self.path)  # noqa: PTH202 - asked of every file of a corpus
        except OSError:
            return 0

    @property
    def data(self) -> bytes:
        """The bytes, decompressed if need be."""
        if self._data is None:
            self._data = self._load()
        return self._data

    def _load(self) -> bytes:
        if self.path == STANDARD_INPUT:
            return self._decompressed(sys.stdin.buffer.read())
        try:
            with open(self.path, "rb", buffering=0) as file:  # noqa: PTH123 - half the time for a small file
                data = file.read()
        except OSError as error:
            raise self.error(f"cannot be opened: {error.strerror or error}") from error
        return self._decompressed(data)

    def _decompressed(self, data: bytes) -> bytes:
        if not data.startswith(_GZIP):
            return data
        import gzip
        import io
        import zlib

        try:
            with gzip.open(io.BytesIO(data)) as file:
                plain = file.read(_LARGEST + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise self.error(f"not a complete gzip file: {error}") from error
        if len(plain) > _LARGEST:
            raise self.error("more than 2 GiB when decompressed", cure="split it into several files")
        return plain

    @property
    def name(self) -> str:
        """The file name without folders and known suffixes: a document's name where the file gives no other."""
        if self.path == STANDARD_INPUT:
            return "stdin"
        return strip_suffixes(writable(self.path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]))

    def reading(self, default: str) -> Reading:
        """The reading chosen by the caller, else the format's own."""
        return load_reading(self.options.reading or default, self.options.during)

    def error(self, reason: str, **place: object) -> InputError:
        """An error about this file."""
        return InputError(reason, path=self.path, **place)  # type: ignore[arg-type]

    def decode(self) -> str:
        """The content as text. UTF-8 unless the caller says otherwise; a bad byte is an error with its place."""
        encoding = self.options.encoding or "utf-8"
        data = self.data.removeprefix(_BOM)
        try:
            text = data.decode(encoding).removeprefix("\ufeff")
            if self.options.encoding:
                text.encode()  # escapes may have smuggled in half a character, which nobody could print
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + self.first_line
            raise self.error(
                f"byte 0x{data[error.start]:02x} at offset {error.start} is not {encoding}",
                line=line,
                cure="give --encoding, or save the file as UTF-8",
            ) from None
        except UnicodeError as error:  # some codecs do not tell the place
            raise self.error(f"cannot be read as {encoding}: {error}") from None
        except LookupError:
            raise self.error(f"unknown encoding {encoding!r}") from None
        return text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines, cut at line feeds only (other Unicode line ends occur inside tokens), one CR stripped."""
        for number, line in enumerate(self.decode().split("\n"), self.first_line):
            yield number, line.removesuffix("\r")


def _restore(path: str, data: bytes | None, options: Options, format_name: str | None, first_line: int) -> Source:
    return Source(path, data, options, format=format_name, first_line=first_line)


def writable(name: str) -> str:
    """A file's name as text that can be written: a byte that is not UTF-8, as in old archives, becomes ``%`` and its
    code.

    >>> writable("caf" + chr(0xDCE9))
    'caf%E9'
    """
    return name if name.isascii() else _HALVES.sub(lambda half: f"%{ord(half[0]) & 0xFF:02X}", name)


def strip_suffixes(name: str) -> str:
    """A file name without the suffixes that annotation tools add.

    >>> strip_suffixes("wsj_0011.TE3input.tml"), strip_suffixes("a.tsv.gz")
    ('wsj_0011', 'a')
    """
    while name.endswith(SUFFIXES):
        suffix = next(suffix for suffix in SUFFIXES if name.endswith(suffix))
        if name == suffix:
            break
        name = name[: -len(suffix)]
    return name
