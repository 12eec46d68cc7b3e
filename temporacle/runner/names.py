"""The documents of a corpus by name, read only where the name cannot be had otherwise.

Files of one document are told by their names. Of JSON Lines each line travels alone. Everything else is read here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InputError
from temporacle.io import read_source, sources
from temporacle.io.jsonl import numbered_lines, parse_record
from temporacle.io.recognise import recognise
from temporacle.io.slices import slices
from temporacle.io.source import Source
from temporacle.model import Document, Unreadable
from temporacle.runner.documents import documents_of, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.io.source import Options
    from temporacle.model import Remark

    Found = Document | Unreadable
    Key = Callable[[str], str]  # what documents of an id are known by

_ONE_DOCUMENT = (".tml", ".xml")  # files that are named like their only document, as a rule


class Named(NamedTuple):
    """A document known by its name; its content may still have to be read."""

    name: str
    path: str
    content: Source | Document | Unreadable
    size: int = 0  # bytes read for it

    def documents(self) -> list[Found]:
        """Read it. A source may turn out to hold something else than the document of that name, or several."""
        return list(documents_of(self.content)) if isinstance(self.content, Source) else [self.content]

    def is_as_promised(self, found: list[Found], key: Key) -> bool:
        """Whether it was one document of that name."""
        return len(found) == 1 and key(found[0].id) == self.name

    def load(self) -> None:
        """Read the file, so that it travels with its content."""
        if isinstance(self.content, Source):
            load(self.content)

    @property
    def carried(self) -> int:
        """Bytes that travel with it."""
        return self.content.carried if isinstance(self.content, Source) else 0


def named_documents(path: str, options: Options, key: Key, report: Callable[[Remark], None]) -> Iterator[Named]:
    """The documents under a path, in order."""
    for source in sources([path], options, report=report):
        if isinstance(source, Unreadable):
            yield named(source, key)
        elif _is_named_like_its_document(source):
            yield Named(key(source.name), source.path, source, source.size)
        else:
            yield from _documents_inside(source, key)


def named(document: Found, key: Key, size: int = 0) -> Named:
    """A document that has been read."""
    return Named(key(document.id), document.path or "", document, size)


def _is_named_like_its_document(source: Source) -> bool:
    """A good guess: whoever reads the file finds out."""
    path = source.path
    return not source.carried and path.endswith(_ONE_DOCUMENT) and (path.endswith(".tml") or "." not in source.name)


def _documents_inside(source: Source, key: Key) -> Iterator[Named]:
    met: set[str] = set()  # a name stands for one document within a file
    for piece in slices(source):
        if isinstance(piece, Unreadable):
            yield named(piece, key)
        elif _is_json_lines(piece):
            yield from _lines(piece, key, met)
        else:
            size = piece.size
            for document in read_source(piece):
                yield named(document, key, size)
                size = 0


def _is_json_lines(source: Source) -> bool:
    """Whether every line is a document for itself. A file that begins otherwise is left to its reader."""
    try:
        if source.options.encoding is not None or recognise(source) != "jsonl":
            return False
        for number, line in numbered_lines(source):
            if source.first_line == 1:
                parse_record(line, number, source)
            return True
    except InputError:
        pass
    return False


def _lines(source: Source, key: Key, met: set[str]) -> Iterator[Named]:
    for number, line in numbered_lines(source):
        try:
            name = str(parse_record(line, number, source)["document"])
        except InputError as error:
            yield named(Unreadable(f"{source.name}:{number}", source.path, error), key, len(line))
            continue
        if name in met:
            again = source.error(f"document {name!r} occurs a second time", line=number, cure="rename or merge it")
            yield named(Unreadable(name, source.path, again), key, len(line))
            continue
        met.add(name)
        single = Source(source.path, line, source.options, format="jsonl", first_line=number)
        yield Named(key(name), source.path, single, len(line))
