"""One input, how to read it, and where complaints about it point."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import zlib
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, cast

from temporacle.declared import STANDARD_INPUT as STANDARD_INPUT  # noqa: PLC0414 - readers take it from here
from temporacle.errors import InputError, TimeLimitError, UsageError, spelled
from temporacle.io.columns import Columns, columns_from, signed
from temporacle.io.formats import FORMATS, format_named, looks_like_xml
from temporacle.io.project import ACTIVE, Projects
from temporacle.io.project import load as load_project
from temporacle.model import IN_MEMORY
from temporacle.printing import shown
from temporacle.readings import Reading, load_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from _typeshed import WriteableBuffer

    from temporacle.io.files import Confines
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import HowRead
    from temporacle.relation import Relation

# Stripped from file names, longest first, to find a document's name.
SUFFIXES = (
    *(".TE3input.tml", ".tml.xml", ".xml.xml"),
    *dict.fromkeys(suffix for entry in FORMATS.values() for suffix in entry.suffixes),
    *(".tab", ".gz"),
)
_EXTENDED = "+config"  # ends the name of a label set with the labels of a project file
_WHOLE = (".tml", ".xml")
_HALVES = re.compile("[\ud800-\udfff]")  # what Python makes of such bytes
_SMALL = 1 << 16  # bytes
_TO_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_BOM = b"\xef\xbb\xbf"
_LOOKS = 1024  # lines between two looks at the clock


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of a caller about reading."""

    format: str | None = None  # None: recognised by content
    reading: str | Reading | None = None  # a name, a TOML file, or a Reading; None: the format decides
    labels_like: Reading | None = None  # for formats without a reading of their own: what their labels mean
    during: str = "simultaneous"
    encoding: str | None = None  # None: as declared, else UTF-8
    keep_unknown: bool = False  # keep links to undeclared ids, as entities without span
    doctimerel: bool = False  # Anafora, annotation tools: DocTimeRel attributes as links to the DCT
    mapping: str | ToolMapping | None = None  # what names mean in files of annotation tools; None: the names decide
    columns: str | Mapping[str, str] | Columns | None = ()  # of tables: "source=event1,..." or pairs of role and header
    confines: Confines | None = None  # of a server: what it may open; None: whatever is given, pipes as well
    on_error: str = "raise"  # rows of lists, dicts and frames that cannot be used: raise an error, or skip them
    config: str | None = None  # a project file, for keys that are not chosen here
    projects: Projects | None = field(default_factory=ACTIVE.get)  # of the command that runs; None: no project file
    configured: str | None = None  # the digest of the project file that these options come from
    more_labels: tuple[tuple[str, Relation], ...] = ()  # of a project file, with those of the format
    values: bool = False  # values of time expressions are needed: keep them where that saves time
    # Beyond these a file is refused, before it can fill the memory (``limits``).
    largest_line: int = 64 << 20  # bytes in a line: in JSON Lines a document
    largest_cell: int = 128 << 10  # characters in a cell of a table
    largest_document: int = 256 << 20  # bytes in an XML file, or in all rows of a document in a table
    largest_file: int = 2 << 30  # bytes in a compressed file when decompressed, or on standard input
    largest_expansion: int = 250  # how many times its size a compressed file may hold

    def __post_init__(self) -> None:
        if self.on_error not in ("raise", "skip"):
            raise UsageError(f'on_error is {self.on_error!r}; it must be "raise" or "skip"')
        if self.format is not None and self.format not in FORMATS and self.format not in IN_MEMORY:
            format_named(self.format)  # a plugin's, or refused
        if self.config is not None:
            object.__setattr__(self, "projects", Projects(load_project(self.config)))
        # A file is read here, once: all documents are read by the same content, in whichever process.
        chosen = load_reading(self.reading, self.during) if isinstance(self.reading, str) else self.reading
        object.__setattr__(self, "reading", chosen)
        if isinstance(self.mapping, str):
            from temporacle.io.tools.mapping import load_mapping

            object.__setattr__(self, "mapping", load_mapping(self.mapping, self.during))
        object.__setattr__(self, "columns", columns_from(self.columns))

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the chosen options, besides format and reading, that can change links. Signatures list them."""
        chosen = {
            "keep-unknown": self.keep_unknown,
            "doctimerel": self.doctimerel,
            f"encoding-{self.encoding}": self.encoding is not None,
            f"mapping-{getattr(self.mapping, 'signed', None)}": self.mapping is not None,
            f"columns-{signed(self.named_columns)}": bool(self.columns),
            f"config-{self.configured}": self.configured is not None,
            f"labels-{self.configured}": bool(self.more_labels),
        }
        return tuple(name for name, is_chosen in chosen.items() if is_chosen)

    @property
    def named_columns(self) -> Columns:
        """Return the columns that the caller has named, as pairs of role and header."""
        return cast("Columns", self.columns)  # others were read when the options were made

    @property
    def chosen_reading(self) -> Reading | None:
        """Return the reading chosen by the caller; None if the format decides."""
        return cast("Reading | None", self.reading)  # a name was loaded when the options were made

    def links_reading(self) -> Reading:
        """Return the reading for formats without a reading of their own. Atoms are always understood there."""
        found = self.chosen_reading or self.labels_like or load_reading("links", self.during)
        return self._extended(found).with_atoms()

    def reading_for(self, default: str) -> Reading:
        """Return the reading chosen by the caller, or else the one called ``default``."""
        return self._extended(self.chosen_reading or load_reading(default, self.during))

    def _extended(self, reading: Reading) -> Reading:
        """Return a label set with the labels of a project file."""
        if not self.more_labels or reading.name.endswith(_EXTENDED):
            return reading
        return replace(reading, name=f"{reading.name}{_EXTENDED}", labels={**reading.labels, **dict(self.more_labels)})


class Source:
    """One file, or one folder in a format that is a folder.

    ``Source(path)`` reads the file when its ``data`` is first asked for, so a source that was only listed is small and
    can be sent to another process. A folder has no ``data`` of its own: its reader opens the files in ``path``.
    A slice of a large file has some of its lines as ``data``, the first of them with the number ``first_line``.
    Content in memory has a ``name``, which need not be that of a file; nothing stands beside it.
    """

    __slots__ = (
        *("_data", "_name", "_size", "first_line", "format", "labels", "offset", "options", "path", "tree", "until"),
    )

    def __init__(
        self,
        path: str,
        data: bytes | None = None,
        options: Options = Options(),  # noqa: B008 - an immutable value
        *,
        format: str | None = None,  # noqa: A002 - the name of the thing everywhere else
        first_line: int = 1,
        name: str | None = None,
    ) -> None:
        self.path = path
        self._name = name
        self.first_line = first_line
        self.options = options = options if options.projects is None else options.projects.options_for(path, options)
        self.format = format or options.format  # None: not recognised yet
        self.tree: Any = None  # the parsed XML, from recognition until the reader takes it
        self.labels: Any = None  # what the reader of JSON Lines knows about labels, for the lines that follow
        self.offset: int | None = None  # of a slice: where in the file its data begins; None: not known, or compressed
        self.until: float | None = None  # when the first document must be read, by the clock of this process
        self._data = data
        self._size: int | None = None  # of the file, once it was asked for

    def __reduce__(self) -> tuple[Any, ...]:
        how = {"format": self.format, "first_line": self.first_line, "name": self._name}
        return partial(Source, **how), (self.path, self._data, self.options)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"Source({self.path!r}, format={self.format!r})"

    @property
    def carried(self) -> int:
        """Return the number of bytes of data that the source carries with it."""
        return 0 if self._data is None else len(self._data)

    @property
    def is_whole(self) -> bool:
        """Return whether the name alone says that this is one document. Corpora have thousands of such files."""
        return self.path.endswith(_WHOLE)

    def is_file(self) -> bool:
        """Return whether it is a regular file. The question gives its size, too."""
        try:
            status = os.stat(self.path)  # noqa: PTH116 - asked of every file of a corpus
        except (OSError, ValueError):
            return False
        self._size = status.st_size
        return stat.S_ISREG(status.st_mode)

    @property
    def size(self) -> int:
        """Return the number of bytes to be read, as far as it is known."""
        if self.carried:
            return self.carried
        if self._size is None:
            try:
                self._size = os.path.getsize(self.path)  # noqa: PTH202 - asked of every file of a corpus
            except OSError:
                self._size = 0
        return self._size

    @property
    def data(self) -> bytes:
        """Return the bytes, decompressed if necessary."""
        if self._data is None:
            self._data = self._load()
        return self._data

    def _load(self) -> bytes:
        try:
            if self.path == STANDARD_INPUT:
                return self._whole(standard_input(self), is_sized=False)
            descriptor = descriptor_of(self)
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_size < _SMALL:
                # In a corpus of small files, the further system calls of a file object would take as long as a parser.
                try:
                    data = os.read(descriptor, _SMALL)
                finally:
                    os.close(descriptor)
                if len(data) < _SMALL:
                    return self.contents(data)
                descriptor = descriptor_of(self)  # it has grown meanwhile
            if stat.S_ISDIR(status.st_mode):
                os.close(descriptor)
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with os.fdopen(descriptor, "rb") as file:
                return self._whole(file, is_sized=stat.S_ISREG(status.st_mode))
        except OSError as error:
            raise self.error(f"cannot be opened: {error.strerror or error}") from error

    def contents(self, raw: bytes) -> bytes:
        """Return what the bytes of a file hold, decompressed if necessary."""
        return self._whole(io.BytesIO(raw), is_sized=True) if raw.startswith(GZIP) else raw

    def _whole(self, file: io.BufferedReader[Any] | io.BytesIO, *, is_sized: bool) -> bytes:
        """Return the whole content of a file, decompressed if necessary and within the limits."""
        is_gzip = (file.getbuffer() if isinstance(file, io.BytesIO) else file.peek(2))[:2] == GZIP
        if not is_gzip:
            return read_whole(file, self, limited=not is_sized)
        if not is_sized:  # what comes through a pipe does not say how much was taken
            file = io.BytesIO(file.read(self.options.largest_file))
        try:
            with unpacked(file, self) as plain:
                return read_whole(plain, self, limited=True)
        except BROKEN as error:
            raise self.error(f"not a complete gzip file: {error}") from error

    def require_time(self) -> None:
        """Raise TimeLimitError if the time for reading is over."""
        if self.until is not None and monotonic() > self.until:
            raise TimeLimitError("not read within the time limit", path=self.path)

    def with_data(self, data: bytes) -> Source:
        """Return the source, which carries the data from now on."""
        self._data = data
        return self

    @property
    def has_place(self) -> bool:
        """Return whether it is a file or a folder, beside which others may stand."""
        return self._name is None and self.path != STANDARD_INPUT

    @property
    def name(self) -> str:
        """Return the file name without folders and known suffixes, for documents that have no other name."""
        if self._name is not None:
            return self._name
        if self.path == STANDARD_INPUT:
            return "stdin"
        name = strip_suffixes(writable(self.path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]))
        if "%" not in name:
            return name
        from temporacle.io.files import original_name

        return original_name(name)

    def reading(self, default: str) -> Reading:
        """Return the reading chosen by the caller, or else the format's own."""
        return self.options.reading_for(default)

    def error(self, reason: str, **place: object) -> InputError:
        """Return an error about this file."""
        return InputError(reason, path=self.path, **place)  # type: ignore[arg-type]

    def decode(self) -> str:
        """Return the content as text, in UTF-8 unless the caller chose otherwise.

        A bad byte is an error with its position.
        """
        encoding = self.options.encoding or "utf-8"
        data = self.data.removeprefix(_BOM)
        try:
            text = data.decode(encoding).removeprefix("\ufeff")
            if self.options.encoding:
                text.encode()  # escapes may contain half a character, which cannot be printed
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + self.first_line
            raise self.error(
                f"byte 0x{data[error.start]:02x} at offset {error.start} is not {encoding}",
                line=line,
                cure=f"give {spelled('encoding')}, or save the file as UTF-8",
            ) from None
        except UnicodeError as error:  # some codecs do not tell the place
            raise self.error(f"cannot be read as {encoding}: {error}") from None
        except LookupError:
            raise self.error(f"unknown encoding {encoding!r}") from None
        return text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield numbered lines without a final CR, cut at line feeds only: other line ends occur inside tokens."""
        largest = self.options.largest_line
        for number, line in enumerate(self.decode().split("\n"), self.first_line):
            if len(line) > largest:
                raise line_too_long(self, number)
            if number % _LOOKS == 0:
                self.require_time()
            yield number, line.removesuffix("\r")


def options_of(how_read: HowRead) -> Options:
    """Return options that read a document in the same way again."""
    chosen = how_read.choices
    return Options(
        format=how_read.format,
        reading=how_read.reading,
        during=how_read.reading.during,
        encoding=next((each.removeprefix("encoding-") for each in chosen if each.startswith("encoding-")), None),
        keep_unknown="keep-unknown" in chosen,
        doctimerel="doctimerel" in chosen,
        mapping=how_read.mapping,
    )


def standard_input(source: Source) -> io.BufferedReader:
    """Return the stream of standard input. Raise InputError if it is closed."""
    if sys.stdin is None:
        raise source.error("standard input is closed", cure="give a file, or pipe something into the command")
    found = sys.stdin.buffer
    return found if isinstance(found, io.BufferedReader) else io.BufferedReader(found)  # type: ignore[arg-type]


def writable(name: str) -> str:
    """Return a file's name as text that can be written.

    A byte that is not UTF-8, as in old archives, becomes ``%`` and its code.

    >>> writable("caf" + chr(0xDCE9))
    'caf%E9'
    """
    return name if name.isascii() else _HALVES.sub(lambda half: f"%{ord(half[0]) & 0xFF:02X}", name)


def strip_suffixes(name: str) -> str:
    """Return a file name without the suffixes that annotation tools add.

    >>> strip_suffixes("wsj_0011.TE3input.tml"), strip_suffixes("a.tsv.gz")
    ('wsj_0011', 'a')
    """
    while name.endswith(SUFFIXES):
        suffix = next(suffix for suffix in SUFFIXES if name.endswith(suffix))
        if name == suffix:
            break
        name = name[: -len(suffix)]
    return name


# ----------------------------------------------------------------------------------------------------
# Limits on how much of a file is taken into memory, counted while it is read and decompressed.
#
# A small file can stand for a large one: six megabytes of gzip for one line of six gigabytes. The limits are fields of
# ``Options``: ``largest_line``, ``largest_cell``, ``largest_document``, ``largest_file`` (all in bytes or characters)
# and ``largest_expansion`` (how many times its size a compressed file may grow). Whoever has larger files raises them.

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
    name, more = limit.removeprefix("largest_"), str(2 * allowed)
    if name != "expansion":
        more = next(
            (f"{2 * allowed // factor}{unit}" for unit, factor in reversed(_UNITS.items()) if allowed >= factor), more
        )
    cure = f"if this is intended, raise the limit: {spelled('read_limit', f'{name}={more}')}"
    return source.error(f"{what} than {size}", line=line, cure=cure)


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


def descriptor_of(source: Source) -> int:
    """Open the file of a source. Raise InputError if it is outside of what a server may open, OSError otherwise."""
    if source.options.confines is None:
        return os.open(source.path, _TO_READ)
    from temporacle.io.files import open_regular

    return open_regular(source.path, source.options.confines)


def opened(source: Source) -> IO[bytes]:
    """Return the file of a source, decompressed if necessary.

    Reading raises InputError if it grows beyond the limit.
    """
    file = os.fdopen(descriptor_of(source), "rb")
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
