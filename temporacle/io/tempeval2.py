"""TempEval-2: a folder of tab files about many documents, without headers.

``event-extents.tab`` and ``timex-extents.tab`` declare the entities, one row for each token; every ``tlinks-*.tab``
has document, source, target, label. Whatever such a file is called, the event is the source. ``t0`` is the creation
time and stands in no file of entities; ``dct.txt`` has its date. Labels are lower case in most languages.

Folders are often incomplete. What is there is read, and a remark names what is missing: without a file of times, the
times that links name are taken as declared; without files of links, the documents have none.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeAlias

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder, iso_date, with_attributes
from temporacle.io.rows import DCT, Row, joined_spans, only_new_remarks, placed_words, rows, with_body, wrong_columns
from temporacle.io.source import Source, descriptor_of, strip_suffixes
from temporacle.model import Body, Entity, Kind, Remark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from temporacle.model import Document

# The task's letters for its four kinds of links, by a word in the file name.
_TASKS = {"dct": "D", "timex": "C", "main": "E", "subordinated": "F"}
_PARTNERS = ("tlinks-", "timex-", "timex3-", "base-segmentation", "event-attributes")
_TIMES = ("timex-extents.tab", "timex3-extents.tab")
_TIME_ID = re.compile(r"t[0-9]+", re.IGNORECASE)
_TAGGED_DATE = re.compile(r"(?>(.+?):\s*+<DATE>)(.*?)</DATE>", re.IGNORECASE)


def is_folder(names: set[str]) -> bool:
    """Return whether a folder with these files is in this format."""
    return "event-extents.tab" in names and any(name.startswith(_PARTNERS) and name.endswith(".tab") for name in names)


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of the folder, in the order of first mention."""
    contents = Contents()
    events = member(source, "event-extents.tab")
    if events is None:
        raise source.error("not a TempEval-2 folder: it has no event-extents.tab")
    read_mentions(contents, events, Kind.EVENT, id_column=4, name=document_name)
    link_files = list(members(source, "tlinks-*.tab"))
    if not link_files:
        contents.remarks.append(
            Remark("missing-file", "the folder has no tlinks-*.tab, so its documents have no links")
        )
    times = member(source, *_TIMES) or _misnamed_times(source, contents)
    if times is not None:
        read_mentions(contents, times, Kind.TIME, id_column=4, name=document_name)
    else:
        _declare_linked_times(contents, link_files)
    _read_values(contents, member(source, "timex-attributes.tab", "timex3-attributes.tab"))
    read_tokens(contents, member(source, "base-segmentation.tab"), document_name)
    _read_dates(contents, member(source, "dct.txt", "dct.tab"))
    documents = FolderDocuments(source, "tempeval2", contents)
    for document in contents.mentions:
        documents.of(document)
    for file in link_files:
        _add_links(file, documents)
    yield from documents.build()


def document_name(written: str) -> str:
    """Return a document's name without the suffixes that the tools of the corpus have added.

    >>> document_name("harbour_01.txt.pos"), document_name("harbour_01.fid"), document_name("harbour.01")
    ('harbour_01', 'harbour_01', 'harbour.01')
    """
    return strip_suffixes(written.strip().removesuffix(".pos").removesuffix(".fid"))


def _misnamed_times(source: Source, contents: Contents) -> Source | None:
    """Return a file of times under another name, known by its fourth column, with a remark."""
    for file in members(source, "*extent*"):
        name = PurePath(file.path).name
        row = next(iter(table(file, 1)), None) if name != "event-extents.tab" else None
        if row is not None and len(row.fields) > 4 and row.fields[3].strip().lower().startswith("timex"):
            message = f"{name} is read as the file of times, which is usually called {_TIMES[0]}"
            contents.remarks.append(Remark("misnamed-file", message))
            return file
    return None


def _declare_linked_times(contents: Contents, link_files: Iterable[Source]) -> None:
    """Take the times that links name as declared, because the file that should declare them is missing."""
    declared = 0
    for row in (row for file in link_files for row in table(file, 4)):
        mentions = contents.mentions.setdefault(document_name(row.fields[0]), {})
        for end in (row.fields[1].strip(), row.fields[2].strip()):
            if end != DCT and end not in mentions and _TIME_ID.fullmatch(end):
                mentions[end] = TableMention(Kind.TIME)
                declared += 1
    if declared:
        message = f"the folder has no {_TIMES[0]}; {declared} times that links name are taken without their texts"
        contents.remarks.append(Remark("missing-file", message))


def _read_values(contents: Contents, file: Source | None) -> None:
    """Read the attributes of times, one per row.

    Reasoning does not need them, so a bad file is skipped with a remark.
    """
    try:
        for row in table(file, 1) if file is not None else ():
            if len(row.fields) < 8:
                continue  # an attribute without a value
            document, time, attribute, value = (row.fields[column].strip() for column in (0, 4, 6, 7))
            mention = contents.mentions.get(document_name(document), {}).get(time)
            if mention is not None and mention.kind is Kind.TIME:
                mention.attributes.setdefault("value" if attribute == "val" else attribute, value)
    except InputError as error:
        contents.remarks.append(Remark("unread-values", f"the values of times are left out: {error}", error.line))


def _read_dates(contents: Contents, file: Source | None) -> None:
    """Read the creation times: document and date, or ``document:<DATE>date</DATE>``."""
    for row in table(file, 1) if file is not None else ():
        tagged = _TAGGED_DATE.match(row.fields[0])
        name, date = tagged.groups() if tagged else (row.fields[0], row.fields[-1] if len(row.fields) > 1 else "")
        contents.dates.setdefault(document_name(name), date.strip())


def _add_links(file: Source, documents: FolderDocuments) -> None:
    name = PurePath(file.path).name
    task = next((letter for word, letter in _TASKS.items() if word in name), None)
    for row in table(file, 4):
        document, first, second = (field.strip() for field in row.fields[:3])
        documents.of(document_name(document)).add_link(
            f"{name}:{row.line}", first, row.fields[3], second, line=row.line, task=task, plain_case=False
        )


# ----------------------------------------------------------------------------------------------------
# Estonian TimeML: a folder of tab files without suffix, each with a ``# fileName ...`` line that names its columns.
#
# The relation stands in the middle: document, source, relation, target, comment; links to the creation time lack the
# target. Several annotators' versions stand beside the final one, as ``.ann-a`` and so on. They become documents of
# their own, ``document.ann-a``; since their links name ids of the final entity files, they are checked against both.
#
# A single file of links can be read too; entity files beside it are used if they are there.

_FINAL = ""
_ANNOTATION = re.compile(r"\s*TIMEX(?:\s+([A-Z]+)(?=\s|$)(?:\s+([^\s=]+)(?=\s|$))?)?")
_NAMED = re.compile(r'\b(\w++)="([^"]*+)"')
_LINKS = ("tlink-event-dct", "tlink-event-timex", "tlink-main-events", "tlink-subordinate-events")


def is_estonian_folder(names: set[str]) -> bool:
    """Return whether a folder with these files is in this format."""
    return any(name.startswith(_LINKS) for name in names)


def read_estonian(source: Source) -> Iterator[Document]:
    """Yield the documents of the folder: the final annotation first, then each annotator's."""
    if not source.has_place:
        raise source.error("a table of a folder, of which the other files are needed", cure="give the folder")
    is_estonian_folder = Path(source.path).is_dir()
    folder = source if is_estonian_folder else Source(str(Path(source.path).parent), b"", source.options)
    versions: dict[str, list[Source]] = {_FINAL: []} if is_estonian_folder else {}
    for file in members(source, "tlink-*") if is_estonian_folder else [source]:
        versions.setdefault(_version(file), []).append(file)
    final = _final_contents(folder)
    for version in sorted(versions):
        contents = final
        if version != _FINAL:
            contents = Contents(
                {name: dict(mentions) for name, mentions in final.mentions.items()}, final.tokens, final.dates
            )
            _add_mentions(contents, folder, version)
        documents = FolderDocuments(source, "estonian", contents, suffix=version)
        if is_estonian_folder and version == _FINAL:
            for document in contents.mentions:
                documents.of(document)
        for file in versions[version]:
            _add_estonian_links(file, documents)
        yield from documents.build()


def _version(file: Source) -> str:
    """Return the suffix that distinguishes an annotator's file from the final one: ``.ann-a``, or nothing."""
    _, dot, annotator = PurePath(file.path).name.partition(".ann-")
    return f"{dot}{annotator}" if dot else _FINAL


def _final_contents(folder: Source) -> Contents:
    contents = Contents()
    _add_mentions(contents, folder, _FINAL)
    read_tokens(contents, member(folder, "base-segmentation-morph-syntax"), str.strip)
    dates = member(folder, "timex-annotation-dct")
    for row in table(dates, 2) if dates is not None else ():
        contents.dates.setdefault(row.fields[0].strip(), row.fields[1].strip())
    return contents


def _add_mentions(contents: Contents, folder: Source, version: str) -> None:
    for name, kind in (("event-annotation", Kind.EVENT), ("timex-annotation", Kind.TIME)):
        file = member(folder, name + version)
        if file is not None:
            attributes = _timex_attributes if kind is Kind.TIME else None
            read_mentions(contents, file, kind, id_column=5, name=str.strip, attributes=attributes)


def _timex_attributes(row: Row) -> dict[str, str]:
    """Return the content of the annotation column: ``TIMEX DATE 196 mod="END"``.

    Only an expression's first row has the value.
    """
    annotation = _ANNOTATION.match(row.fields[4])
    if annotation is None:
        return {}
    stated = {name: value for name, value in zip(("type", "value"), annotation.groups(), strict=True) if value}
    return dict(_NAMED.findall(row.fields[4])) | stated


def _add_estonian_links(file: Source, documents: FolderDocuments) -> None:
    name = PurePath(file.path).name
    header = next((line for _, line in file.lines() if line.startswith("#")), "")
    if header and "relation" not in header:
        raise file.error("holds no links", cure="give the folder, or one of its tlink-... files")
    to_dct = "DCT" in header or (not header and name.startswith("tlink-event-dct"))
    for row in table(file, 3 if to_dct else 4):
        document, first, label, *rest = row.fields
        target = DCT if to_dct else rest[0].strip()
        link = f"{name}:{row.line}"
        documents.of(document.strip()).add_link(link, first.strip(), label, target, line=row.line)


# ----------------------------------------------------------------------------------------------------
# Shared by the two formats that are a folder of tab files: entity files, a token file, a file of dates.
#
# A reader gets a Source whose ``path`` is the folder; ``data`` is not looked at. The files of a folder speak about many
# documents: column 1 is the document everywhere.

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
        with os.fdopen(descriptor_of(Source(str(path), None, folder.options)), "rb") as file:
            return Source(str(path), file.read(), folder.options)
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
    sentences = groupby(tokens.items(), key=lambda item: item[0][0])
    text, found = placed_words([word for _, word in sentence] for _, sentence in sentences)
    places = list(chain.from_iterable(found))
    numbers = {cell: number for number, cell in enumerate(tokens)}
    entities = []
    for name in ids:
        if name == DCT:
            entities.append(Entity(name, Kind.TIME, value=date and iso_date(date), is_dct=True))
        elif name not in mentions:
            entities.append(Entity(name))
        else:
            spans = joined_spans((numbers[cell] for cell in mentions[name].cells if cell in numbers), places)
            words_of = " ".join(text[start:end] for start, end in spans)
            entity = Entity(name, mentions[name].kind, words_of or None, spans)
            entities.append(_with_values(entity, mentions[name].attributes) if mentions[name].attributes else entity)
    return Body(tuple(entities), text if tokens else None)


def _with_values(entity: Entity, attributes: dict[str, str]) -> Entity:
    valued = entity._replace(value=attributes.get("value"), function=attributes.get("functionInDocument"))
    return with_attributes(valued, attributes.get)
