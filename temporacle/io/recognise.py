"""Recognise the format of a file or folder by its content. The only suffix that counts is ``.ann``.

Each format declares its own signs (``formats``, ``signs``). They are tested in this order:

1. A folder whose files together are one format; a file whose name belongs to one format (``.ann``).
2. ``<`` first: XML, decided by the root element.
3. The first bytes: ``{`` for JSON Lines, ``PAR1`` for Parquet.
4. The first line that is not blank: CSV, Estonian tables, dependency graphs.
5. Otherwise tab text, decided by the columns of the first 50 data lines; a network of GQR by its first two.

If two formats fit, or none, Temporacle does not guess: it asks the caller for ``--format``.
"""

from __future__ import annotations

import csv
import re
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from temporacle.errors import AmbiguousFormatError, InputError, spelled
from temporacle.io.columns import is_header
from temporacle.io.formats import (
    BYTE_ORDER_MARKS,
    FORMATS,
    Beginning,
    FirstLine,
    FirstObject,
    FolderFiles,
    Root,
    RootStructure,
    Sample,
    Suffix,
    TableLine,
    TabRows,
    looks_like_xml,
    recognised_by_plugins,
)
from temporacle.io.source import GZIP, STANDARD_INPUT, is_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import UnionType

    from temporacle.io.source import Source

APPLE_DOUBLE = b"\x00\x05\x16\x07"
_LOOKED_AT = 50
_SNIFFED = 1 << 12  # bytes
UNKNOWN_ROOT = "unknown root element"
# What may stand before the root element. No part is given back once it is matched, so this is linear in its length.
_FIRST_ELEMENT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|(?><\?.*?\?>)|(?><!--.*?-->)|(?><!DOCTYPE[^\[>]*+>))*+<(?:[\w.-]+:)?+([A-Za-z_][\w.-]*+)",
    re.DOTALL,
)
# What other commands write, perhaps into a folder that is read again.
_OWN_FILES = {b'{"temporacle-baseline":': "a baseline", b'{"format": "temporacle-certificate"': "a certificate"}


@cache
def roots() -> dict[str, tuple[str, Root]]:
    """Return the XML formats by root element."""
    return {sign.tag: (name, sign) for name, sign in _signs(Root)}


@cache
def _signs(kind: type | UnionType) -> list[tuple[str, Any]]:
    """Return the signs of a kind with the names of their formats."""
    return [(name, sign) for name, entry in FORMATS.items() for sign in entry.signs if isinstance(sign, kind)]


def _first(kind: type | UnionType, *about: Any) -> str | None:
    """Return the first format with a sign of this kind that fits."""
    return next((name for name, sign in _signs(kind) if sign.fits(*about)), None)


def folder_format(names: Iterable[str]) -> str | None:
    """Return the format of a folder with these file names, if the folder as a whole has one.

    >>> folder_format(["event-extents.tab", "tlinks-main-events.tab"]), folder_format(["a.tml"])
    ('tempeval2', None)
    """
    return _first(FolderFiles, set(names))


def sniff(path: str) -> str | None:
    """Return the format of a file that holds exactly one document, by its first element; None for any other file.

    The file is not parsed, so it may still be unreadable. If it can be read, it holds one document, called
    ``format_named(found).document_name(Source(path).name)``.
    """
    try:
        if not is_regular_file(path):
            return None
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - asked of every file of a corpus
            head = file.read(_SNIFFED)
            if head.startswith(GZIP):
                head = zlib.decompressobj(wbits=31).decompress(head, _SNIFFED)
    except (OSError, ValueError, zlib.error):
        return None
    if (by_name := _first(Suffix, path)) is not None:
        return by_name if FORMATS[by_name].one_document else None
    element = _FIRST_ELEMENT.match(head)
    name, _ = roots().get(element[1].decode(), (None, None)) if element else (None, None)
    return name if name is not None and FORMATS[name].one_document else None


def has_known_root(text: str) -> bool:
    """Return whether a text begins with an element that is the root of a format."""
    element = _FIRST_ELEMENT.match(text[:_SNIFFED].encode("utf-8", "replace"))
    return element is not None and element[1].decode() in roots()


def recognise(source: Source) -> str:
    """Return the name of a source's format, which the source keeps. Raise InputError if none fits, or more than one.

    Plugins are asked about what fits none of ours.
    """
    if source.format is not None:
        return source.format
    try:
        source.format = _recognised(source)
    except AmbiguousFormatError:
        raise
    except InputError:
        if not source.data or (found := recognised_by_plugins(source)) is None:
            raise
        source.format = found
    return source.format


def _recognised(source: Source) -> str:
    """Return the name of the format of ours that fits."""
    data = source.data
    by_name = _first(Suffix, source.path)
    if not data and by_name is None:
        raise source.error("file is empty")
    if data.startswith(APPLE_DOUBLE):
        raise source.error("AppleDouble: file attributes of a Mac, not a document", cure="give the file without '._'")
    if by_name is not None:
        return by_name
    if looks_like_xml(data):
        return _by_root(source)
    for start, what in _OWN_FILES.items():
        if data.startswith(start):
            raise source.error(f"{what} of Temporacle, not a document")
    for name, sign in _signs(Beginning):
        if not sign.after_blanks and data.startswith(sign.start):
            return name
    text = _start(source)
    if (found := json_format(text)) is not None:
        return found
    for name, sign in _signs(Beginning):
        if sign.after_blanks and text.lstrip()[: len(sign.start)].encode() == sign.start:
            return name
    return _by_lines(source, text)


def json_format(text: str) -> str | None:
    """Return the format of a JSON text by its first object; None for Temporacle's own JSON Lines and other texts."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    from temporacle.io.tools.json_file import first_object

    record = first_object(text)
    return None if not record or "links" in record else _first(FirstObject, record)


def _by_root(source: Source) -> str:
    """Return the format of an XML file by its root. The parsed tree is kept for the reader."""
    from temporacle.io.xml import parse

    root = parse(source)
    tag = str(root.tag)
    if tag.rpartition("}")[2] == "typeSystemDescription":
        cure = "give the .xmi or .xml file next to it"
        raise source.error("a UIMA type system, not a document", line=root.sourceline, cure=cure)
    name, sign = roots().get(tag) or _root_in_any_namespace(tag)
    expected = sign.children if sign is not None else ()
    is_foreign = bool(expected) and len(root) > 0 and all(root.find(child) is None for child in expected)
    if name is None or is_foreign:
        if (found := _first(RootStructure, root)) is not None:
            source.tree = root
            return found
        raise source.error(
            f"{UNKNOWN_ROOT} <{tag}>" + (f" without {' or '.join(expected)}" if expected else ""),
            line=root.sourceline,
            cure=f"known are {', '.join(roots())}",
        )
    source.tree = root
    return name


def _root_in_any_namespace(tag: str) -> tuple[str, Root] | tuple[None, None]:
    found = roots().get(tag.rpartition("}")[2])
    return found if found is not None and found[1].any_namespace else (None, None)


def _by_lines(source: Source, text: str) -> str:
    """Return the format of a text: by its first line, or else by the columns of the first lines."""
    lines = _first_lines(text)
    if not lines:
        raise source.error("file is empty")
    if "\n" not in text and "\r" in text.strip():
        raise source.error("lines end with CR alone, as on old Macs", line=1, cure="save it with line feeds")
    if (found := _first(FirstLine | TableLine, lines[0], source.path)) is not None:
        return found
    if (named := _by_named_columns(source, lines)) is not None:
        return named
    if source.path == STANDARD_INPUT:
        return "tsv"  # the one kind of tab text that is promised there
    return _by_columns(source, Sample(lines, source.options.chosen_reading or source.options.labels_like))


def _by_named_columns(source: Source, lines: list[str]) -> str | None:
    """Return the format of a table whose first line contains the columns that the caller has named."""
    columns = source.options.named_columns
    first = next((line for line in lines if not line.startswith("#")), "")
    if columns and is_header(first.split("\t"), columns):
        return "tsv"
    try:
        return "csv" if columns and is_header(next(csv.reader([first]), []), columns) else None
    except csv.Error:
        return None


def _by_columns(source: Source, sample: Sample) -> str:
    """Return the one format whose rule fits the first lines of tab-separated text. Exactly one must fit."""
    is_tsv_name = source.path.endswith((".tsv", ".tsv.gz"))
    shares = {name: sign.share(sample) for name, sign in _signs(TabRows)}
    found = [name for name, share in shares.items() if share > 0.5]
    if len(found) > 1:  # what fits every line is meant, unless two do
        found = [name for name in found if shares[name] == 1] or found
    if "dense" in found and (shares["tsv"] or is_tsv_name):
        from temporacle.io.dense import has_numbered_ids

        if not has_numbered_ids(sample):  # "a b s" could be either, and "a BEFOR b" is a slip
            found = ["tsv"] if is_tsv_name else ["dense", "tsv"]
    if len(found) == 1:
        return found[0]
    if found:
        cure = f"name it with {spelled('format')}"
        raise AmbiguousFormatError(f"could be {' or '.join(found)}", path=source.path, line=1, cure=cure)
    lines = sample.lines
    if len(lines) == 1 and "\t" not in lines[0] and source.path.endswith(".txt"):
        return "timeline"  # the name of its entity and nothing else: an empty timeline
    if is_tsv_name:
        return "tsv"  # nothing else is called so, and its reader says what is wrong with which line
    raise _nothing_fits(source, sample)


def _start(source: Source) -> str:
    """Return the start of the source, which is all that is examined. A character cut in two at its end does no harm."""
    encoding = source.options.encoding
    if encoding is None and source.data.startswith(BYTE_ORDER_MARKS[1:]):
        cure = f"give {spelled('encoding', 'utf-16')}, or save the file as UTF-8"
        raise source.error("text in UTF-16, by its byte order mark", line=1, cure=cure)
    try:
        text = source.data[: 1 << 20].decode(encoding or "utf-8", "replace")
    except LookupError:
        raise source.error(f"unknown encoding {encoding!r}") from None
    except UnicodeError as error:  # not every codec can pass over what it does not know
        raise source.error(f"cannot be read as {encoding}: {error}") from None
    return text.removeprefix("\ufeff")


def _first_lines(text: str) -> list[str]:
    """Return the first lines that are not blank."""
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return [line for line in lines if line.strip()][: _LOOKED_AT + 1]


def _nothing_fits(source: Source, sample: Sample) -> InputError:
    start = sample.lines[0].strip()[:40]
    is_xml_name = source.path.endswith((".tml", ".xml"))
    rows = sample.rows
    if rows and all(2 <= len(row) <= 3 and not any(cell.strip() for cell in row[2:]) for row in rows):
        what = "not XML" if is_xml_name else "no labels"
        cure = "a list of pairs without labels is a work list, not an annotation"
        return source.error(f"{what}: it starts with {start!r}", line=1, cure=cure)
    if is_xml_name:
        from temporacle.io.xml import not_xml

        return not_xml(source)
    return source.error(f"no known format: it starts with {start!r}", line=1, cure=f"name it with {spelled('format')}")
