"""Signs by which a format is known: parts of its line in ``formats``.

A function is named as "module:function" and loaded when it is asked for the first time.

    Suffix(suffix)        a file name that belongs to one format alone, so that even an empty file is in it
    Root(tag)             XML with that root element
    Structure(function)   is_root(element) -> bool: XML that is known by what stands below its root
    Beginning(bytes)      the first bytes of a file
    FirstObject(function) is_first_object(record) -> bool: the first object of a JSON text
    FirstLine(function)   is_first_line(line, path) -> bool
    TabRows(function)     share_that_fits(sample) -> the share of the first rows that fit, 0 to 1
    FolderFiles(function) is_folder(names) -> bool: a folder that is in the format as a whole
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.readings import canonical, load_reading
from temporacle.relation import atom_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.readings import Reading

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_INTEGER = re.compile(r"-?\d+")


@cache
def located(place: str) -> Any:
    """Return the function that "module:function" names."""
    module, function = place.split(":")
    return getattr(import_module(module), function)


class Suffix(NamedTuple):
    """The end of a file name that no other format has."""

    suffix: str

    def fits(self, path: str) -> bool:
        return path.endswith((self.suffix, f"{self.suffix}.gz"))


class Root(NamedTuple):
    """A root element, and what stands below it, if anything does."""

    tag: str
    any_namespace: bool = False
    children: tuple[str, ...] = ()


class Structure(NamedTuple):
    """A root element of any name that is known by its children."""

    location: str

    def fits(self, root: Any) -> bool:
        return bool(located(self.location)(root))


class Beginning(NamedTuple):
    """The first bytes of a file."""

    start: bytes
    after_blanks: bool = False


class FirstObject(NamedTuple):
    """The first object of JSON that is not JSON Lines of our own. Where it is cut off, only its keys are known."""

    location: str
    names_document: bool = False  # its objects have "document", as those of our own JSON Lines

    def fits(self, record: dict[str, Any]) -> bool:
        if "document" in record and not self.names_document:
            return False
        return bool(located(self.location)(record))


class FirstLine(NamedTuple):
    """A first line that no other format has."""

    location: str

    def fits(self, line: str, path: str) -> bool:
        return bool(located(self.location)(line, path))


class TabRows(NamedTuple):
    """Columns of tab text."""

    location: str

    def share(self, sample: Sample) -> float:
        return float(located(self.location)(sample))


class FolderFiles(NamedTuple):
    """Files that make a folder one of the format."""

    location: str

    def fits(self, names: set[str]) -> bool:
        return bool(located(self.location)(names))


Sign: TypeAlias = Suffix | Root | Structure | Beginning | FirstObject | FirstLine | TabRows | FolderFiles


def looks_like_xml(data: bytes) -> bool:
    """Return whether the first byte that is neither blank nor a byte order mark is ``<``.

    >>> looks_like_xml(b"  <TimeML/>"), looks_like_xml(b"e1 e2 b"), looks_like_xml("<a/>".encode("utf-16"))
    (True, False, True)
    """
    head = data[:1024]
    for mark in BYTE_ORDER_MARKS:
        head = head.removeprefix(mark)
    return head.replace(b"\0", b"").lstrip()[:1] == b"<"


@dataclass(frozen=True)
class Sample:
    """The first lines of a text file that are not blank, and the reading that the caller has chosen, if any."""

    lines: list[str]
    reading: Reading | None = None

    @cached_property
    def rows(self) -> list[list[str]]:
        """Return the lines split at tabs, without comments."""
        return [line.split("\t") for line in self.lines if not line.startswith("#")]

    def is_link_label(self, label: str) -> bool:
        """Return whether a file of plain links may use this label: one of the format or of the chosen reading."""
        return knows("links", label) or (self.reading is not None and knows(self.reading, label))


def share(rows: Sequence[list[str]], fits: Callable[[list[str]], bool]) -> float:
    """Return the share of the rows that fit.

    A share is used so that one bad line does not hide the format of the others.
    """
    return sum(map(fits, rows)) / len(rows) if rows else 0


def is_integer(cell: str) -> bool:
    """Return whether a cell is a whole number."""
    return _INTEGER.fullmatch(cell.strip()) is not None


def knows(reading: str | Reading, label: str) -> bool:
    """Return whether a reading knows every part of a label."""
    known = load_reading(reading) if isinstance(reading, str) else reading
    return all(
        canonical(part) in known.labels or (known.atoms and atom_named(part) is not None) for part in label.split("|")
    )
