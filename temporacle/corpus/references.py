"""The documents of a corpus by name, read only if the name cannot be found in another way.

A file in a format that holds one document under the file's name is known by that name. Of JSON Lines each line is
read by itself; the lines of a large file stay there until they are needed, or wait in a temporary file if they cannot
be read again. Everything else is read here, and the documents of large tables wait in a temporary file, too. So two
corpora can be paired by names, and the pairs read where they are scored.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Sequence
from copy import copy
from os import SEEK_END
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, NamedTuple, cast, overload
from weakref import finalize
from zlib import crc32

from temporacle.corpus.inputs import documents, merged, paths_of
from temporacle.errors import InputError, TimeLimitError
from temporacle.io import read_source, sources
from temporacle.io.formats import format_named
from temporacle.io.jsonl.read import numbered_lines, parse_record, placed_lines
from temporacle.io.recognise import recognise, sniff
from temporacle.io.slices import slices
from temporacle.io.source import STANDARD_INPUT, Source, strip_suffixes
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import reading_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from temporacle.corpus.inputs import Found, Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.corpus.pairing import Renaming
    from temporacle.io.source import Options


def bare_name(document: str) -> str:
    """Return the name by which a document is paired: its id without folders and suffixes.

    >>> bare_name("run1/wsj_0011.tml")
    'wsj_0011'
    """
    return strip_suffixes(document.replace("\\", "/").rsplit("/", 1)[-1]) or document


class Reference(NamedTuple):
    """A document known by its name; its content may still have to be read."""

    name: str
    path: str
    content: Source | StoredLine | StoredDocument | Document | Unreadable
    renaming: Renaming | None = None  # of its entities

    @classmethod
    def to(cls, document: Found) -> Reference:
        """Return a reference to a document that has been read."""
        return cls(bare_name(document.id), document.path or "", document)

    def read(self) -> Found:
        """Return the document, its entities renamed if need be."""
        found = self.read_as_it_is()
        return found if self.renaming is None or isinstance(found, Unreadable) else self.renaming.apply(found)[0]

    def loaded(self) -> Reference:
        """Return the reference with the content of its line or stored document, which can be read in any process."""
        if isinstance(self.content, StoredDocument):
            return self._replace(content=self.content.document())
        if not isinstance(self.content, StoredLine):
            return self
        try:
            return self._replace(content=self.content.source())
        except InputError as error:
            return self._replace(content=Unreadable(self.name, self.path, error))

    def read_as_it_is(self) -> Found:
        """Return the document under the ids that its file has."""
        content = self.content
        if isinstance(content, StoredLine | StoredDocument):
            content = self.loaded().content
        elif isinstance(content, Source):
            content = _to_read(content)
        if not isinstance(content, Source):
            return content  # type: ignore[return-value]
        content.until = reading_ends()
        try:
            content.require_time()  # the other side may have taken all of it
            found = list(read_source(content))
        except TimeLimitError as error:
            return Unreadable(self.name, self.path, error)
        except Exception as error:  # noqa: BLE001 - a reader met what its author did not think of
            problem = InputError(f"internal error: {type(error).__name__}: {error}", path=self.path)
            return Unreadable(self.name, self.path, problem)
        if len(found) != 1:
            return Unreadable(self.name, self.path, InputError(f"holds {len(found)} documents", path=self.path))
        return found[0]

    @property
    def size(self) -> int:
        """Return the number of bytes to be read for it."""
        return self.content.size if isinstance(self.content, Source | StoredLine) else 0

    def digest(self) -> str:
        """Return the value that stands for the content in a journal. If it differs, the document has changed."""
        from hashlib import sha256

        if isinstance(self.content, StoredLine | StoredDocument):
            return self.loaded().digest()
        if isinstance(self.content, Source):
            try:
                return sha256(_to_read(self.content).data).hexdigest()
            except InputError as error:
                return f"unreadable: {error}"
        if isinstance(self.content, Unreadable):
            return f"unreadable: {self.content.error}"
        facts = (self.content.links, self.content.entity_ids, self.content.how_read, self.content.entities)
        return sha256(repr((facts, self.content.text)).encode("utf-8", "surrogatepass")).hexdigest()


def _to_read(source: Source) -> Source:
    """Return a copy that takes what is read with it, so that a list of files stays small.

    Standard input can be read only once.
    """
    return source if source.path == STANDARD_INPUT else copy(source)


class References(Sequence[Reference]):
    """Documents in order. Of a line that stays in its file, only the name and the place are kept."""

    def __init__(self, documents: Iterable[Reference]) -> None:
        self.names: list[str] = []
        self._holders: list[Reference | StoredLines] = []
        self._places = array("q")  # among the lines of the holder
        for each in documents:
            self.names.append(each.name)
            if isinstance(each.content, StoredLine):
                self._holders.append(each.content.lines)
                self._places.append(each.content.place)
            else:
                self._holders.append(each)
                self._places.append(0)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> Reference: ...
    @overload
    def __getitem__(self, place: slice) -> list[Reference]: ...
    def __getitem__(self, place: int | slice) -> Reference | list[Reference]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        holder = self._holders[place]
        if isinstance(holder, Reference):
            return holder
        return Reference(self.names[place], holder.path, StoredLine(holder, self._places[place]))


def names_of(documents: Sequence[Reference]) -> Sequence[str]:
    """Return the names of some documents, without a reference for each where only names and places are kept."""
    return documents.names if isinstance(documents, References) else [each.name for each in documents]


def references(source: Inputs, options: Options, observer: Observer, *, merge: bool = False) -> Sequence[Reference]:
    """Return every document of a source, in order.

    ``merge`` joins documents of one name, such as the tasks of TempEval-1.
    """
    paths = paths_of(source)
    if paths is None or merge:
        found = documents(source, options, report=observer.corpus_remark)
        return [Reference.to(document) for document in (merged(found) if merge else found)]
    return References(_under(paths, options, observer))


def _under(paths: Sequence[str], options: Options, observer: Observer) -> Iterator[Reference]:
    for each in sources(paths, options, report=observer.corpus_remark):
        if isinstance(each, Unreadable):
            yield Reference.to(each)
        elif (name := _name_by_file(each)) is not None:
            yield Reference(bare_name(name), each.path, each)
        else:
            yield from _inside(each)


def _name_by_file(source: Source) -> str | None:
    """Return the name of the only document of a file, if its format determines it; None if the file must be read."""
    found = None if source.carried else source.format or sniff(source.path)
    if found is None or not format_named(found).one_document:
        return None
    return format_named(found).document_name(source.name)


def _inside(source: Source) -> Iterator[Reference]:
    met: set[str] = set()  # a name stands for one document within a file
    stored = StoredLines(source.path, source.options)
    tables: StoredDocuments | None = None
    for piece in slices(source):
        if isinstance(piece, Unreadable):
            yield Reference.to(piece)
        elif _has_a_document_a_line(piece):
            yield from _lines(piece, met, stored, is_slice=piece is not source)
        else:
            for document in read_source(piece):
                reference = Reference.to(document)
                if piece is not source and isinstance(document, Document):
                    tables = tables or StoredDocuments()
                    reference = reference._replace(content=tables.add(document))
                yield reference


def _has_a_document_a_line(source: Source) -> bool:
    """Return whether every line is a separate document. A file that begins in another way is left to its reader."""
    try:
        if source.options.encoding is not None or recognise(source) != "jsonl":
            return False
        first = next(numbered_lines(source), None)
        return first is not None and "links" in parse_record(first[1], first[0], source)
    except InputError:
        return False


def _lines(source: Source, met: set[str], stored: StoredLines, *, is_slice: bool) -> Iterator[Reference]:
    for number, start, line in placed_lines(source):
        try:
            name = str(parse_record(line, number, source)["document"])
        except InputError as error:
            yield Reference.to(Unreadable(f"{source.name}:{number}", source.path, error))
            continue
        if name in met:
            again = source.error(f"document {name!r} occurs a second time", line=number, cure="rename or merge it")
            yield Reference.to(Unreadable(name, source.path, again))
            continue
        met.add(name)
        if source.offset is not None:
            yield Reference(bare_name(name), source.path, stored.add(source.offset + start, line, number))
        elif is_slice:
            yield Reference(bare_name(name), source.path, stored.keep(line, number))
        else:
            single = Source(source.path, line, source.options, format="jsonl", first_line=number)
            yield Reference(bare_name(name), source.path, single)


# ----------------------------------------------------------------------------------------------------
# Documents of a large table that wait in a temporary file until their turn comes.


class StoredDocuments:
    """Documents in a temporary file: sixteen bytes of memory for each of them."""

    def __init__(self) -> None:
        self._file = file_for(self)
        self._starts, self._sizes = array("q"), array("q")

    def add(self, document: Document) -> StoredDocument:
        """Store a document."""
        data = pickle.dumps(document, pickle.HIGHEST_PROTOCOL)
        self._starts.append(self._file.seek(0, SEEK_END))
        self._sizes.append(len(data))
        self._file.write(data)
        return StoredDocument(self, len(self._starts) - 1)

    def document(self, place: int) -> Document:
        """Return a document as it was."""
        self._file.seek(self._starts[place])
        return cast("Document", pickle.loads(self._file.read(self._sizes[place])))  # noqa: S301 - our own bytes


class StoredDocument(NamedTuple):
    """One of these documents."""

    documents: StoredDocuments
    place: int

    def document(self) -> Document:
        """Return the document as it was."""
        return self.documents.document(self.place)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Pickle the document in its place, because other processes cannot read the temporary file."""
        return itself, (self.document(),)


# ----------------------------------------------------------------------------------------------------
# Lines of a large file that stay there until they are needed: only their places are kept.
#
# Lines of gzip files and of standard input cannot be read again at a place. They wait in a temporary file.


def file_for(owner: object) -> IO[bytes]:
    """Return a temporary file that goes with its owner."""
    file = TemporaryFile()  # noqa: SIM115 - see the next line
    finalize(owner, file.close)
    return file


class StoredLines:
    """The places of some lines of a file: about thirty bytes for each of them."""

    def __init__(self, path: str, options: Options) -> None:
        self.path, self._options = path, options
        self._starts, self._sizes, self._numbers = array("q"), array("q"), array("q")
        self._sums = array("I")  # tell whether a line is still what it was
        self._copies: IO[bytes] | None = None  # of all lines, if they cannot be read again

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

    def keep(self, line: bytes, number: int) -> StoredLine:
        """Put a line that cannot be read again into a temporary file. It is for all lines of a file, or for none."""
        if self._copies is None:
            self._copies = file_for(self)
        start = self._copies.seek(0, SEEK_END)
        self._copies.write(line)
        return self.add(start, line, number)

    @property
    def are_copies(self) -> bool:
        """Return whether the lines wait in a temporary file, which other processes cannot read."""
        return self._copies is not None

    def size(self, place: int) -> int:
        """Return the number of bytes of a line."""
        return self._sizes[place]

    def facts(self, place: int) -> tuple[str, Options, tuple[int, int, int, int]]:
        """Return all that is known of a line."""
        numbers = self._starts[place], self._sizes[place], self._numbers[place], self._sums[place]
        return self.path, self._options, numbers

    def source(self, place: int) -> Source:
        """Return a line with its content. Raise InputError if the file has changed there or cannot be opened."""
        number = self._numbers[place]
        source = Source(self.path, b"", self._options, format="jsonl", first_line=number)
        if self._copies is not None:
            self._copies.seek(self._starts[place])
            line = self._copies.read(self._sizes[place])
            return Source(self.path, line, self._options, format="jsonl", first_line=number)
        try:
            with open(self.path, "rb", buffering=0) as file:  # noqa: PTH123
                file.seek(self._starts[place])
                line = file.read(self._sizes[place])
        except OSError as error:
            raise source.error(f"cannot be opened: {error.strerror or error}") from error
        if crc32(line) != self._sums[place]:
            raise source.error("the file has changed while it was read", line=number, cure="run the command again")
        return Source(self.path, line, self._options, format="jsonl", first_line=number)


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

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Pickle the line without the others. It can be read in any process of this machine.

        A line that cannot be read again becomes a source with its content.
        """
        if self.lines.are_copies:
            return itself, (self.source(),)
        return _stored_line, self.lines.facts(self.place)


def itself(value: object) -> object:
    """Return what was pickled in place of something else."""
    return value


def _stored_line(path: str, options: Options, numbers: tuple[int, int, int, int]) -> StoredLine:
    lines = StoredLines(path, options)
    lines.place(*numbers)
    return StoredLine(lines, 0)
