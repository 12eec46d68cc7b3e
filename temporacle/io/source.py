"""The bytes of one file, how to read them, and where complaints about them point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.readings import Reading, load_reading

if TYPE_CHECKING:
    from collections.abc import Iterator

# Stripped from file names, longest first, to find a document's name.
SUFFIXES = (".TE3input.tml", ".tml.xml", ".xml.xml", ".tml", ".xml", ".jsonl", ".tsv", ".tab", ".txt", ".gz")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may choose about reading."""

    format: str | None = None  # None: recognised by content
    reading: str | None = None  # None: the format decides
    during: str = "simultaneous"
    encoding: str | None = None  # None: as declared, else UTF-8
    keep_unknown: bool = False  # keep links to undeclared ids, as entities without span
    doctimerel: bool = False  # Anafora: DocTimeRel properties as links to the DCT


@dataclass(frozen=True, slots=True)
class Source:
    """One file's content."""

    path: str
    data: bytes
    options: Options = Options()

    @property
    def name(self) -> str:
        """The file name without folders and known suffixes: a document's name where the file gives no other."""
        return strip_suffixes(self.path.replace("\\", "/").rsplit("/", 1)[-1])

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
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.error(
                f"byte 0x{data[error.start]:02x} at offset {error.start} is not {encoding}",
                line=line,
                cure="give --encoding, or save the file as UTF-8",
            ) from None
        except LookupError:
            raise self.error(f"unknown encoding {encoding!r}") from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines, cut at line feeds only (other Unicode line ends occur inside tokens), one CR stripped."""
        for number, line in enumerate(self.decode().split("\n"), 1):
            yield number, line.removesuffix("\r")


def strip_suffixes(name: str) -> str:
    """A file name without the suffixes that annotation tools add.

    >>> strip_suffixes("wsj_0011.TE3input.tml"), strip_suffixes("a.tsv.gz")
    ('wsj_0011', 'a')
    """
    shorter = True
    while shorter:
        shorter = False
        for suffix in SUFFIXES:
            if name.endswith(suffix) and len(name) > len(suffix):
                name = name[: -len(suffix)]
                shorter = True
                break
    return name
