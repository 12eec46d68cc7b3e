"""Pieces of a corpus small enough to be sent about, and what a worker does with one."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from temporacle.errors import InputError
from temporacle.io import read_source
from temporacle.io.source import Source
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Item = TypeVar("Item")
Result = TypeVar("Result")
Question: TypeAlias = "Callable[[Document | Unreadable], Result]"
"""What is asked of a document. It must be possible to send it to another process: a function of a module, or a partial
of one."""

Noting: TypeAlias = "Callable[[int, int, str | None], None]"
"""Hears the number of a part, a position in it, and the name of the document there; None while it is being read."""

# Sending a chunk costs the parent almost a millisecond; a megabyte is worked on for some thirty.
_LARGEST_CHUNK = 200  # sources
_ENOUGH_BYTES = 1 << 20
_GROWTH = 8  # a group is at most an eighth of what went before it


def _note_nothing(_part: int, _position: int, _name: str | None) -> None:
    """For work that nobody watches."""


class Part(NamedTuple):
    """The documents number ``start`` to ``stop`` of a source; ``stop`` None means all that follow."""

    source: Source | Unreadable
    start: int = 0
    stop: int | None = None

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def first_line(self) -> int:
        """Where the source begins in its file: with the path, this is its identity."""
        return self.source.first_line if isinstance(self.source, Source) else 1

    @property
    def size(self) -> int:
        """Bytes to be read, as far as anybody knows."""
        return self.source.size if isinstance(self.source, Source) else 0


class Answer(NamedTuple, Generic[Result]):
    """What the function said about one document."""

    document: str
    path: str | None
    result: Result
    first_line: int = 1  # of the source in its file
    position: int = 0  # in the source
    is_last: bool = True  # of the source
    readable: bool = True
    twin: str | None = None  # another file with a document of this name


Chunk: TypeAlias = tuple[Part, ...]


def chunks_of(parts: Iterable[Part]) -> Iterator[Chunk]:
    """Parts in groups that depend on the corpus alone."""
    return grouped(iter(parts), attrgetter("size"), _LARGEST_CHUNK)


def grouped(items: Iterator[Item], size: Callable[[Item], int], largest: int) -> Iterator[tuple[Item, ...]]:
    """Items in groups: single ones first, so that a few heavy ones are spread evenly, then more and more."""
    group: list[Item] = []
    carried = sent = 0
    for item in items:
        group.append(item)
        carried += size(item)
        if carried >= _ENOUGH_BYTES or len(group) >= min(largest, 1 + sent // _GROWTH):
            yield tuple(group)
            sent += len(group)
            group, carried = [], 0
    if group:
        yield tuple(group)


def answers_of(chunk: Chunk, function: Question[Result], note: Noting = _note_nothing) -> list[Answer[Result]]:
    """The work itself. No exception of a single document gets out. ``note`` hears of each step before it is taken."""
    found: list[Answer[Result]] = []
    for number, part in enumerate(chunk):
        found += _answers_of_part(part, function, number, note)
    return found


def _answers_of_part(part: Part, function: Question[Result], number: int, note: Noting) -> list[Answer[Result]]:
    found: list[Answer[Result]] = []
    note(number, part.start, None)
    for position, document in enumerate(documents_of(part.source)):
        if position < part.start:
            continue
        note(number, position, document.id)
        found.append(_answer(document, function, part, position))
        if part.stop == position + 1:
            return found  # the next one must not even be read
        note(number, position + 1, None)
    if found:
        found[-1] = found[-1]._replace(is_last=True)
    return found


def _answer(document: Document | Unreadable, function: Question[Result], part: Part, position: int) -> Answer[Result]:
    try:
        result = function(document)
    except Exception as error:  # noqa: BLE001 - one bad document never stops a run
        document = Unreadable(document.id, document.path or part.path, unexpected(error, document.path or part.path))
        result = function(document)
    readable = not isinstance(document, Unreadable)
    return Answer(document.id, document.path, result, part.first_line, position, is_last=False, readable=readable)


def documents_of(source: Source | Unreadable) -> Iterator[Document | Unreadable]:
    """The documents of a source. No exception gets out."""
    if isinstance(source, Unreadable):
        yield source
        return
    try:
        yield from read_source(source)
    except Exception as error:  # noqa: BLE001 - a reader met what its author did not think of
        yield Unreadable(source.name, source.path, unexpected(error, source.path))


def unexpected(error: Exception, path: str) -> InputError:
    """An exception that nobody foresaw, as a complaint about the document that caused it."""
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return InputError(f"internal error: {what}", path=path, cure="please report this document")
