"""Turn the inputs of a caller into documents: paths, documents, content or values.

documents("gold/")                                   files and folders, read as they come
documents([document, other])                         documents as they are
documents("<TimeML>...</TimeML>")                    the content of a file, as text, bytes or an open file
documents([("left", "BEFORE", "docked")])            triples: one document. Records, dicts and frames: ``io.values``

Options about reading are keywords, named as on the command line: ``during="is_included"`` (``ReadingOptions``).
"""

from __future__ import annotations

import csv
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypedDict, TypeGuard, TypeVar

from temporacle.errors import InputError, TimeLimitError, UsageError, spelled, warn_of_skipped
from temporacle.io import read_corpus, read_graphs, read_source, sources
from temporacle.io.columns import SAMPLED, ColumnsError, is_header, is_named, require_one_of_labels
from temporacle.io.listing import listing
from temporacle.io.source import GZIP, STANDARD_INPUT, Options, Source, is_regular_file, writable
from temporacle.model import Body, Document, Extras, Link, PlainGraph, Statement, Unreadable
from temporacle.printing import shown
from temporacle.reasoner.network import document_time
from temporacle.runner.job import DIED, Result, unexpected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import Remark
    from temporacle.readings import Reading

# ----------------------------------------------------------------------------------------------------
# Several files that annotate one document, as one document.
#
# TempEval-1 gives tasks A and B in one folder and task C in another, the same name for the same text; annotation
# projects keep layers in separate files. Documents with the same id are joined: entities and links in order of first
# mention, the text of the first that has one. Link ids that occur twice get the name of their folder in front.


def merged(documents: Iterable[Document | Unreadable]) -> Iterator[Document | Unreadable]:
    """Yield every document once, in order of first mention.

    All of them are kept in memory, because parts may come last.
    """
    parts: dict[str, list[Document]] = {}
    unreadable: list[Unreadable] = []
    for document in documents:
        if isinstance(document, Unreadable):
            unreadable.append(document)
        else:
            parts.setdefault(document.id, []).append(document)
    for same in parts.values():
        yield same[0] if len(same) == 1 else join(same)
    yield from unreadable


def join(parts: Sequence[Document]) -> Document:
    """Return one document made from several with the same id. Its path is that of the first part."""
    first = parts[0]
    links: list[Link] = []
    taken: set[str] = set()
    names: list[dict[str, str]] = []  # for each part: what its links are called now
    for part in parts:
        names.append({})
        for link in part.links:
            name = link.id if link.id not in taken else _unique(f"{_folder(part)}:{link.id}", taken)
            taken.add(name)
            names[-1][link.id] = name
            links.append(link if name == link.id else link._replace(id=name))
    return Document(
        id=first.id,
        links=tuple(links),
        entity_ids=tuple(dict.fromkeys(name for part in parts for name in part.entity_ids)),
        path=first.path,
        how_read=first.how_read,
        remarks=tuple(remark for part in parts for remark in part.remarks if remark.code != "duplicate-document"),
        body=partial(_joined_body, tuple(parts), tuple(names)),
    )


def _joined_body(parts: Sequence[Document], names: Sequence[dict[str, str]]) -> Body:
    entities = {entity.id: entity for part in reversed(parts) for entity in reversed(part.entities)}
    text = next((part.text for part in parts if part.text is not None), None)
    return Body(tuple(reversed(entities.values())), text, _joined_extras(parts, names))


def _joined_extras(parts: Sequence[Document], names: Sequence[dict[str, str]]) -> Extras | None:
    """Return the attributes of all parts. If two parts have the same attribute, the first is used."""
    document: dict[str, Any] = {}
    entities: dict[str, Mapping[str, Any]] = {}
    links: dict[str, Mapping[str, Any]] = {}
    lost: Counter[str] = Counter()
    for part, called in zip(parts, names, strict=True):
        if (own := part.extras) is not None:
            document = {**own.document, **document}
            entities |= {name: {**found, **entities.get(name, {})} for name, found in own.entities.items()}
            links |= {called[name]: found for name, found in own.links.items()}
            lost.update(own.lost)
    return Extras(document, entities, links, lost) if document or entities or links or lost else None


def _folder(document: Document) -> str:
    place = (document.path or "").replace("\\", "/").rstrip("/").split("/")
    return writable(place[-2]) if len(place) > 1 else "other"


def _unique(name: str, taken: set[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}#{number}"
    return candidate


# ----------------------------------------------------------------------------------------------------
# Refuse names of columns that no input has.
#
# A table without the named columns is read by its usual names, because one ``--columns`` serves gold and system. So a
# misspelled name would go unnoticed, and the wrong column could be scored.

_HEAD = 1 << 16  # bytes in which the names of columns are expected
_PARQUET = b"PAR1"


def require_columns(options: Options, *sources: Inputs) -> None:
    """Raise UsageError if columns are named and no source has one of them.

    Files are opened one by one until one of them has a named column: usually the first or the second. Standard input
    and iterators cannot be read twice, so nothing is refused with them.
    """
    if options.named_columns and not any(_may_have_named(source, options) for source in sources):
        wanted = ", ".join(shown(header) for _role, header in options.named_columns)
        raise UsageError(
            f"no input has a column {wanted}; correct the name, or leave it out if the inputs have the usual names",
            option="columns",
        )


def _may_have_named(source: Inputs, options: Options) -> bool:
    """Return whether a source has a column that the caller names, or whether that is not known."""
    paths = paths_of(source)
    if paths is None:
        names = _names_of_values(source)
        return names is None or is_named(names, options.named_columns)
    found = (names for path in _files_under(paths, options) for names in _possible_names(path, options))
    return STANDARD_INPUT in paths or any(is_named(names, options.named_columns) for names in found)


def _names_of_values(source: Any) -> Iterable[str] | None:
    """Return the names of the columns of a frame or of records; None for values that need not have names."""
    from temporacle.io.values import column_names

    if is_read(source):
        return ()
    first = source[0] if isinstance(source, list | tuple) and source else None
    if isinstance(first, Mapping):
        return map(str, first)
    return None if isinstance(source, str | bytes | list | tuple | Mapping) else column_names(source)


def refuse_label_columns(source: Inputs, options: Options) -> None:
    """Raise UsageError if a table has two columns that hold labels, and the caller has not chosen one of them.

    The readers refuse such a file as well. This is for tasks that must refuse before they print.
    """
    for path in _files_under(paths_of(source) or (), options):
        try:
            require_one_of_labels(_sampled_file(path), options)
        except ColumnsError as error:
            raise UsageError(f"{path} has {error}; {error.cure}") from None


def _files_under(paths: Sequence[str], options: Options) -> Iterator[str]:
    """Yield the files under some paths; standard input, pipes and what is not there are left to their reader."""
    if STANDARD_INPUT not in paths:
        listed = listing(paths, options, lambda _remark: None)
        yield from (each.path for each in listed if isinstance(each, Source) and is_regular_file(each.path))


def _sampled_file(path: str) -> dict[str, list[str]]:
    """Return the first values of each column of a CSV or TSV file; nothing for any other file."""
    separator = {".csv": ",", ".tsv": "\t"}.get(os.path.splitext(path)[1].lower())  # noqa: PTH122
    if separator is None:
        return {}
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:  # noqa: PTH123
            rows = list(islice(csv.reader(file, delimiter=separator), SAMPLED + 1))
    except (OSError, csv.Error):
        return {}  # its reader says what is wrong
    header = rows[0] if rows and is_header(rows[0]) else _label_header(rows)
    return {name: [row[place] for row in rows[1:] if place < len(row)] for place, name in enumerate(header)}


def _label_header(rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the first row if it names both ends of links, whatever the columns of labels are called."""
    return rows[0] if rows and is_header([*rows[0], "relation"]) else ()


def _possible_names(path: str, options: Options) -> Iterator[Iterable[str]]:
    """Yield the names of columns that a file has if it is a table: of Parquet, TSV, CSV, and JSON Lines."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - names are kept as the caller wrote them
            head = file.read(_HEAD)
        if head.startswith(GZIP):
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        if head.startswith(_PARQUET):
            yield _parquet_names(path)
            return
        lines = head.decode(options.encoding or "utf-8", "replace").removeprefix("\ufeff").splitlines()
    except (OSError, ValueError, LookupError, zlib.error):
        return  # the reader says what is wrong
    line = next((each for each in lines if each.strip() and not each.startswith("#")), "")
    yield line.split("\t")
    try:
        yield next(csv.reader([line]), [])
        record = json.loads(line)
        yield list(record) if isinstance(record, dict) else []
    except (csv.Error, ValueError, RecursionError):
        return


def _parquet_names(path: str) -> list[str]:
    """Return the columns in the footer of a Parquet file; none if it cannot be read."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return []
    try:
        return list(pq.read_schema(path).names)
    except (OSError, ValueError, pa.ArrowException):
        return []


# ----------------------------------------------------------------------------------------------------
# The documents of a corpus as items of a run: sources, large files cut into slices, documents in memory.

Piece: TypeAlias = Source | Document | Unreadable
Read = TypeVar("Read", bound=Document | PlainGraph | Unreadable)

_CURES = {DIED: "out of memory, or a fault in a library: check it alone, or leave it out"}
_READ_WHOLE = ("tsv", "csv", "parquet")
_REPORT = "please report this document"


def pieces(
    paths: Sequence[str], options: Options, report: Callable[[Remark], None] | None = None, *, loaded: bool = False
) -> Iterator[Source | Unreadable]:
    """Yield the sources under some paths, in pieces that can be read independently, in any process.

    ``loaded``: the pieces carry their content. It can be read on another machine then, and it is the content that
    ``key_of`` knows, whatever happens to the file.
    """
    for source in sources(paths, options, report=report):
        for piece in (source,) if isinstance(source, Unreadable) or source.is_whole else _slices(source):
            yield load(piece) if loaded else piece


def _slices(source: Source) -> Iterator[Source | Unreadable]:
    from temporacle.io.slices import slices  # corpora of XML do without it, and without all readers of tables

    return slices(source)


def load(piece: Source | Unreadable) -> Source | Unreadable:
    """Return the piece with its content, or an unreadable one if it has none."""
    if isinstance(piece, Source):
        try:
            piece.data  # noqa: B018 - reads the file
        except InputError as error:
            return Unreadable(piece.name, piece.path, error)
    return piece


def key_of(piece: Piece) -> tuple[str, str]:
    """Return the identity of a piece and a digest of its content. A journal uses them to find results."""
    from hashlib import sha256  # most runs have no journal

    if isinstance(piece, Unreadable):
        return piece.path, sha256(repr(str(piece.error)).encode()).hexdigest()
    if isinstance(piece, Document):
        content = (piece.id, piece.path, piece.links, piece.entity_ids, piece.how_read, piece.remarks, piece.entities)
        return f"document {piece.id}", sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()
    if piece.carried or piece.path == STANDARD_INPUT:
        return f"{piece.path}:{piece.first_line}", sha256(piece.data).hexdigest()
    from temporacle.checker import digest

    return f"{piece.path}:{piece.first_line}", digest(piece.path)


def size_of(piece: Piece) -> int:
    """Return the number of bytes to be read, as far as it is known."""
    return piece.size if isinstance(piece, Source) else 0


@dataclass(frozen=True)
class Asking(Generic[Result]):
    """The job of asking every document the same question: a function of a module, or a partial of one.

    What cannot be read, and what the question fails on, is asked about as Unreadable. ``graphs``: the question can be
    answered for plain graphs, too, which are read faster.
    """

    question: Callable[..., Result]
    graphs: bool = False
    limit: float | None = None  # seconds for a document, from the first byte on

    def results(self, item: Piece, skip: int, tell: Callable[[str], None]) -> Iterator[Result]:
        began = monotonic()
        # A slice of a file has many documents: what reading it takes is not the time of its first document.
        timed = item if self.limit is not None and isinstance(item, Source) and not item.carried else None
        if timed is not None:
            timed.until = began + (self.limit or 0.0)
        found = found_in(item, read_graphs if self.graphs else read_source)
        is_alone = timed is not None
        if self.limit is not None and isinstance(item, Source) and item.format in _READ_WHOLE and item.carried:
            first = list(islice(found, 2))  # no document of a table is ready before all are
            is_alone, found = len(first) == 1, chain(first, found)
        for number, document in enumerate(found):
            took = monotonic() - began if is_alone and not number else 0.0
            if timed is not None:
                timed.until = None  # the time of other documents begins when they have been read
            if number >= skip:
                tell(document.id)
                yield self._answer(document, took)

    def _answer(self, document: Found | PlainGraph, took: float) -> Result:
        is_late = isinstance(document, Unreadable) and isinstance(document.error, TimeLimitError)
        if is_late or (self.limit is not None and took > self.limit):
            return self.late(document.id, document.path or "", f"not read within {self.limit:g} s")
        try:
            with document_time(took=took):
                return self.question(document)
        except Exception as error:  # noqa: BLE001 - the runner would have to read the whole source again
            return self.given_up(document.id, document.path or "", unexpected(error), read=True)

    def late(self, name: str, path: str, reason: str) -> Result:
        """Return the result for a document that could not be read within the time limit."""
        error = TimeLimitError(reason, path=path or None, cure=f"give more time with {spelled('time_limit', '1m')}")
        return self.question(Unreadable(name, path, error))

    def failed(self, item: Piece, name: str | None, reason: str) -> Result:
        if name is not None:
            return self.given_up(name, item.path or "", reason, read=True)
        return self.given_up(item.name if isinstance(item, Source) else item.id, item.path or "", reason, read=False)

    def given_up(self, name: str, path: str, reason: str, *, read: bool) -> Result:  # noqa: ARG002 - for subclasses
        """Return the result for a document or a source that failed before or after it was read."""
        error = InputError(reason, path=path or None, cure=_CURES.get(reason, _REPORT))
        return self.question(Unreadable(name, path, error))


def documents_of(piece: Piece) -> Iterator[Found]:
    """Yield the documents of a piece. Exceptions are caught."""
    return found_in(piece, read_source)


def found_in(piece: Piece, read: Callable[[Source], Iterator[Found | Read]]) -> Iterator[Found | Read]:
    """Yield what ``read`` finds in a piece. Exceptions are caught."""
    if not isinstance(piece, Source):
        yield piece
        return
    try:
        yield from read(piece)
    except Exception as error:  # noqa: BLE001 - a reader met what its author did not think of
        yield Unreadable(piece.name, piece.path, InputError(unexpected(error), path=piece.path, cure=_REPORT))


class Register:
    """The names of all documents of a run, to notice documents with the same name. Nothing else is kept."""

    def __init__(self) -> None:
        self._met: dict[str, str] = {}  # name -> path

    def before(self, name: str, path: str) -> str | None:
        """Return the file in which a document of this name was read before; None if the name is new.

        Remember the name.
        """
        met = self._met.get(name)
        if met is None:
            self._met[name] = path
        return met


# ----------------------------------------------------------------------------------------------------

PathName: TypeAlias = str | os.PathLike[str]
Found: TypeAlias = Document | Unreadable
Inputs: TypeAlias = PathName | Iterable[PathName] | Document | Iterable[Found] | Iterable[Statement] | Any
"""A path or several, a document or several, the content of a file, or values such as triples or a frame."""


_TRIPLE = 3  # items of a statement


class ReadingOptions(TypedDict, total=False):
    """The options for reading. They have the same names as on the command line."""

    format: str | None  # read as this format instead of recognising it
    reading: str | Reading | None  # timeml, tempeval, dense, ..., a TOML file, or a Reading; None: the format decides
    during: str  # what TimeML's DURING means: simultaneous or is_included
    encoding: str | None  # of text files, if not UTF-8
    keep_unknown: bool  # keep links to ids that the file does not declare
    doctimerel: bool  # Anafora, annotation tools: read DocTimeRel as links to the creation time
    mapping: str | ToolMapping | None  # what names mean in files of annotation tools: e3c, timeset, or a TOML file
    config: str | None  # a project file, for what is not chosen here
    on_error: str  # lists, dicts and frames: "raise" an error for rows that cannot be used (default), or "skip" them
    columns: Any  # of tables, as text ("source=event1,relation=pred") or as a mapping of roles to headers


READING_OPTIONS = tuple(ReadingOptions.__annotations__)


def options_for(source: Inputs, reading: ReadingOptions) -> Options:
    """Return how to read a source. Raise UsageError if it has been read already: the options would have no effect."""
    chosen = [name for name, value in reading.items() if value not in (None, False, ()) and name != "on_error"]
    if chosen and is_read(source):
        raise UsageError(
            f"{', '.join(chosen)}: options about reading have no effect on documents that have been read already;"
            " give them where the documents are read"
        )
    options = Options(**reading)
    require_columns(options, source)
    return options


def is_read(source: Inputs) -> bool:
    """Return whether a source holds documents that have already been read or made."""
    first = source[0] if isinstance(source, list | tuple) and source else source
    return isinstance(first, Document | Unreadable)


def paths_of(source: Inputs) -> list[str] | None:
    """Return the paths if paths were given; None otherwise. Nothing is read."""
    if _is_path(source):
        return [os.fspath(source)]
    if isinstance(source, list | tuple) and source:
        paths = [os.fspath(each) for each in source if _is_path(each)]
        if len(paths) == len(source) == _TRIPLE and paths[1].isupper() and not any(map(os.path.lexists, paths)):
            raise UsageError(f"{source!r:.80} is one statement: give a list of statements, [{tuple(source)!r:.80}]")
        return paths if len(paths) == len(source) else None
    return None


def _is_path(source: Any) -> TypeGuard[PathName]:
    if not isinstance(source, str):
        return isinstance(source, os.PathLike)
    if source.lstrip("\ufeff")[:1] not in ("", "<", "{", "[") and len(source.split(maxsplit=1)) == 1:
        return True
    from temporacle.io.values import is_content

    return not is_content(source)


def documents(
    source: Inputs,
    options: Options = Options(),  # noqa: B008 - an immutable value
    *,
    report: Callable[[Remark], None] | None = None,
    name: str | None = None,
) -> Iterator[Found]:
    """Yield the documents of a source, one at a time. What cannot be read is yielded as Unreadable.

    ``name``: of the document, if the source is content or a value that gives it none.
    """
    if (paths := paths_of(source)) is not None:
        return read_corpus(paths, options, report=report)
    if isinstance(source, Document | Unreadable):
        return iter((source,))
    from temporacle.io.values import is_content, is_frame, read_content, read_values  # files do without it

    if is_content(source):
        return read_content(source, options, name)
    if is_frame(source) or not isinstance(source, Iterable):
        return iter(read_values(source, options, name))
    items = iter(source)
    first = next(items, None)
    every = chain(() if first is None else (first,), items)
    if isinstance(first, Document | Unreadable):
        return map(_checked_document, every)
    if is_content(first) or isinstance(first, str | os.PathLike):
        return _read_each(every, options, report)
    return iter(read_values(every, options, name))


def _read_each(items: Iterable[Any], options: Options, report: Callable[[Remark], None] | None) -> Iterator[Found]:
    """Yield the documents of several files, some of which may be content. Content is named by its position."""
    from temporacle.io.values import NAME, is_content, read_content

    for number, item in enumerate(items, 1):
        if is_content(item):
            yield from read_content(item, options, None if hasattr(item, "name") else f"{NAME}{number}")
        elif isinstance(item, str | os.PathLike):
            yield from read_corpus([os.fspath(item)], options, report=report)
        else:
            raise UsageError(f"a list of files holds a {type(item).__name__}: {_expected()}")


def _checked_document(item: object) -> Found:
    if not isinstance(item, Document | Unreadable):
        raise UsageError(f"a list of documents holds a {type(item).__name__}: {_expected()}")
    return item


def _expected() -> str:
    from temporacle.io.values import EXPECTED

    return EXPECTED


def one_document(source: Inputs, options: Options = Options()) -> Document:  # noqa: B008 - an immutable value
    """Return the only document of a source. Raise InputError if it cannot be read, UsageError if there are several."""
    found = documents(source, options)
    first = next(found, None)
    if first is None:
        raise InputError("holds no document", path=str((paths_of(source) or ["the source"])[0]))
    if isinstance(first, Unreadable):
        raise first.error
    if (second := next(found, None)) is not None:
        raise UsageError(
            f"expected one document, got several ({first.id}, {second.id}, ...): choose one, for instance from"
            " read_corpus"
        )
    warn_of_skipped([first.skipped_links], [source])
    return first


def pieces_of(source: Inputs, options: Options, report: Callable[[Remark], None], *, loaded: bool) -> Iterator[Piece]:
    """Yield the documents of a source as items for the runner. Files are read where the work is done.

    ``loaded``: files carry their content, for other machines and for journals.
    """
    paths = paths_of(source)
    return documents(source, options, report=report) if paths is None else pieces(paths, options, report, loaded=loaded)
