"""What to do with a chunk that killed its worker: find the one document that does, and answer all others.

A chunk is tried again alone. If the worker dies again, each half is tried, and so on down to single sources; a source
of many documents is then halved by documents. So one deadly document among n costs O(log n) workers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from temporacle.errors import InputError
from temporacle.io.source import Source
from temporacle.model import Unreadable
from temporacle.runner.chunks import Answer, Chunk, Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.runner.chunks import Question, Result

_CAUSE = "the process that worked on it died"
_CURE = "out of memory, or a fault in a library: check it alone, or leave it out"


class WorkerDiedError(Exception):
    """A worker process ended without an answer."""


class Attempts(Protocol):
    """Runs something in another process; WorkerDiedError if that process does not survive."""

    def answers(self, chunk: Chunk, function: Question[Result]) -> list[Answer[Result]]: ...

    def names(self, source: Source) -> tuple[str, ...]: ...


def answers_despite_deaths(chunk: Chunk, function: Question[Result], attempts: Attempts) -> Iterator[Answer[Result]]:
    """The answers of a chunk in order; a document that kills its worker is an Unreadable for the function."""
    waiting = [chunk]
    while waiting:
        piece = waiting.pop()
        try:
            yield from attempts.answers(piece, function)
        except WorkerDiedError:
            halves = (
                [piece[: len(piece) // 2], piece[len(piece) // 2 :]] if len(piece) > 1 else _halves(piece[0], attempts)
            )
            if halves:
                waiting += reversed(halves)
            else:
                yield _dead(piece[0], function)


def _halves(part: Part, attempts: Attempts) -> list[Chunk]:
    """Two parts of one source; nothing if it cannot be divided, or if even reading it is deadly."""
    if not isinstance(part.source, Source):
        return []
    names = part.names
    if not names:
        try:
            names = attempts.names(part.source)
        except WorkerDiedError:
            return []
    stop = len(names) if part.stop is None else part.stop
    middle = (part.start + stop) // 2
    whole = part._replace(stop=stop, names=names)
    if middle == part.start:
        return [] if part.names else [(whole,)]
    return [(whole._replace(stop=middle),), (whole._replace(start=middle),)]


def _dead(part: Part, function: Question[Result]) -> Answer[Result]:
    name = (
        part.names[part.start]
        if part.names
        else part.source.name
        if isinstance(part.source, Source)
        else part.source.id
    )
    bad = Unreadable(name, part.path, InputError(_CAUSE, path=part.path, cure=_CURE))
    is_last = part.stop is None or part.stop >= len(part.names)
    return Answer(name, part.path, function(bad), part.first_line, part.start, is_last=is_last, readable=False)
