"""The documents of a corpus as items of a run: sources, large files cut into slices, documents in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from temporacle.errors import InputError
from temporacle.io import read_graphs, read_source, sources
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.model import Document, PlainGraph, Unreadable
from temporacle.runner.job import DIED, Result, unexpected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.model import Remark

Found: TypeAlias = Document | Unreadable
Piece: TypeAlias = Source | Document | Unreadable
Read = TypeVar("Read", bound=Document | PlainGraph | Unreadable)

_CURES = {DIED: "out of memory, or a fault in a library: check it alone, or leave it out"}
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

    def results(self, item: Piece, skip: int, tell: Callable[[str], None]) -> Iterator[Result]:
        for number, document in enumerate(found_in(item, read_graphs if self.graphs else read_source)):
            if number >= skip:
                tell(document.id)
                yield self._answer(document)

    def _answer(self, document: Found | PlainGraph) -> Result:
        try:
            return self.question(document)
        except Exception as error:  # noqa: BLE001 - the runner would have to read the whole source again
            return self.given_up(document.id, document.path or "", unexpected(error), read=True)

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
