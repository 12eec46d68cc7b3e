"""Shared by the two formats that are a folder of tab files: entity files, a token file, a file of dates.

A reader gets a Source whose ``path`` is the folder; ``data`` is not looked at. The files of a folder speak about many
documents: column 1 is the document everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.rows import DCT, Row, only_new_remarks, rows, with_body, wrong_columns
from temporacle.io.source import Source
from temporacle.io.timex import iso_date, with_attributes
from temporacle.model import Body, Entity, Kind, Remark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.model import Document

_RARE = 1000  # bytes of a text for each one that may be wrong
Cell: TypeAlias = tuple[str, str]  # sentence and token number, as written
Tokens: TypeAlias = dict[Cell, str]


@dataclass(slots=True)
class TableMention:
    """An entity and the tokens it consists of."""

    kind: Kind
    cells: list[Cell] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)  # of a time, under TIMEX3's names


@dataclass(slots=True)
class Contents:
    """The contents of a folder's entity, token and date files for each document."""

    mentions: dict[str, dict[str, TableMention]] = field(default_factory=dict)
    tokens: dict[str, Tokens] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)


def member(folder: Source, *names: str) -> Source | None:
    """Return the first file with one of these names in the folder."""
    for name in names:
        path = Path(folder.path, name)
        if path.is_file():
            return _opened(folder, path)
    return None


def members(folder: Source, pattern: str) -> Iterator[Source]:
    """Yield the files of the folder that match the pattern, by name."""
    for path in sorted(Path(folder.path).glob(pattern)):
        if path.is_file():
            yield _opened(folder, path)


def _opened(folder: Source, path: Path) -> Source:
    try:
        return Source(str(path), path.read_bytes(), folder.options)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(path)) from error


def table(file: Source, columns: int) -> Iterator[Row]:
    """Yield the lines of a file with at least that many columns, without comments. An empty file is an empty table."""
    if file.data.strip():
        for row in rows(file):
            if row.fields[0].startswith("#"):
                continue
            if len(row.fields) < columns:
                raise wrong_columns(file, row, f"at least {columns}")
            yield row


def read_mentions(
    contents: Contents,
    file: Source,
    kind: Kind,
    *,
    id_column: int,
    name: Callable[[str], str],
    attributes: Callable[[Row], dict[str, str]] | None = None,
) -> None:
    """Add the entities of a file with one row for each of their tokens. Known entities are not changed. ``attributes``:
    the attributes of a time in a row. If two rows differ, the first is used.
    """
    known = {document: set(mentions) for document, mentions in contents.mentions.items()}
    for row in table(file, id_column + 1):
        document, identifier = name(row.fields[0]), row.fields[id_column].strip()
        if identifier and identifier not in known.get(document, ()):
            mentions = contents.mentions.setdefault(document, {})
            mention = mentions.setdefault(identifier, TableMention(kind))
            mention.cells.append((row.fields[1], row.fields[2]))
            if attributes is not None:
                mention.attributes = attributes(row) | mention.attributes


def read_tokens(contents: Contents, file: Source | None, name: Callable[[str], str]) -> None:
    """Add the text. Only people need it, so a file in an unknown encoding is passed over with a remark."""
    if file is None:
        return
    try:
        for row in table(_without_odd_bytes(file, contents), 4):
            cells = contents.tokens.setdefault(name(row.fields[0]), {})
            cells[row.fields[1], row.fields[2]] = row.fields[3]
    except InputError as error:
        contents.tokens.clear()
        contents.remarks.append(Remark("no-text", f"the text is left out: {error}", error.line))


def _without_odd_bytes(file: Source, contents: Contents) -> Source:
    """Return a file with the few bytes replaced that are not UTF-8. Many of them mean another encoding."""
    if file.options.encoding is not None:
        return file
    try:
        file.data.decode()
    except UnicodeDecodeError as error:
        text = file.data.decode(errors="replace")
        odd = text.count("\ufffd") - file.data.count("\ufffd".encode())
        if odd * _RARE <= len(file.data):
            line = file.data.count(b"\n", 0, error.start) + 1
            name = Path(file.path).name
            count = "1 byte is" if odd == 1 else f"{odd} bytes are"
            message = f"{name}:{line}: {count} not UTF-8 and shown as \ufffd"
            contents.remarks.append(Remark("odd-bytes", message, line))
            return Source(file.path, text.encode(), file.options)
    return file


class FolderDocuments:
    """The documents of a folder by name, in the order of first mention."""

    def __init__(self, source: Source, format_name: str, contents: Contents, *, suffix: str = "") -> None:
        self.source = source
        self.format_name = format_name
        self.contents = contents
        self.suffix = suffix  # added to the documents' names
        self.reading = source.reading("tempeval")
        self._builders: dict[str, DocumentBuilder] = {}

    def of(self, document: str) -> DocumentBuilder:
        """Return the builder of that document. Links may use its entities and the creation time."""
        found = self._builders.get(document)
        if found is None:
            mentions = self.contents.mentions
            declared = (DCT, *mentions.get(document, ())) if mentions else None
            name = document + self.suffix
            found = DocumentBuilder(name, self.source, self.format_name, self.reading, declared)
            self._builders[document] = found
        return found

    def build(self) -> Iterator[Document]:
        """Yield the finished documents with their texts and entities."""
        said: set[str] = set()
        contents = self.contents
        for document, builder in self._builders.items():
            builder.remarks += contents.remarks
            contents.remarks.clear()  # they are about the folder: the first document carries them
            body = partial(
                make_body,
                contents.mentions.get(document, {}),
                contents.tokens.get(document, {}),
                contents.dates.get(document),
            )
            yield only_new_remarks(with_body(builder.build(), body), said)


def make_body(mentions: dict[str, TableMention], tokens: Tokens, date: str | None, ids: tuple[str, ...]) -> Body:
    """Return the text, one sentence in each line with single blanks between tokens, and the entities with their spans
    in it.
    """
    places: dict[Cell, tuple[int, int, int]] = {}  # number in the document, start, end
    lines = []
    offset = 0
    for _, sentence in groupby(tokens.items(), key=lambda item: item[0][0]):
        words = []
        for cell, word in sentence:
            places[cell] = len(places), offset, offset + len(word)
            offset += len(word) + 1
            words.append(word)
        lines.append(" ".join(words))
    text = "\n".join(lines)
    entities = []
    for name in ids:
        if name == DCT:
            entities.append(Entity(name, Kind.TIME, value=date and iso_date(date), is_dct=True))
        elif name not in mentions:
            entities.append(Entity(name))
        else:
            spans = _joined(sorted(places[cell] for cell in set(mentions[name].cells) if cell in places))
            words_of = " ".join(text[start:end] for start, end in spans)
            entity = Entity(name, mentions[name].kind, words_of or None, spans)
            entities.append(_with_values(entity, mentions[name].attributes) if mentions[name].attributes else entity)
    return Body(tuple(entities), text if tokens else None)


def _with_values(entity: Entity, attributes: dict[str, str]) -> Entity:
    valued = entity._replace(value=attributes.get("value"), function=attributes.get("functionInDocument"))
    return with_attributes(valued, attributes.get)


def _joined(places: list[tuple[int, int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the spans of some tokens, with neighbours joined.

    >>> _joined([(4, 10, 14), (5, 15, 18), (9, 40, 41)])
    ((10, 18), (40, 41))
    """
    spans: list[tuple[int, int]] = []
    last = None
    for number, start, end in places:
        if last is not None and number == last + 1:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        last = number
    return tuple(spans)
