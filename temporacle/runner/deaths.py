"""What to do with a chunk that killed its worker: find the document that did, and answer all others.

The chunk is tried again alone, in a worker that notes in a file what it is about to do. If that worker dies too, the
note names the culprit; what stands before it and what stands after it is tried again, and so on. So a deadly document
costs two workers, the one it was met in and the one it was found in.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from temporacle.errors import InputError
from temporacle.io.source import Source
from temporacle.model import Unreadable
from temporacle.runner.chunks import Answer, answers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.runner.chunks import Chunk, Part, Question, Result

CAUSE = "the process that worked on it died"
_CURE = "out of memory, or a fault in a library: check it alone, or leave it out"


class WorkerDiedError(Exception):
    """A worker process ended without an answer."""


class Attempts(Protocol):
    """Works on a chunk in another process, with a file for notes; WorkerDiedError if that process does not survive."""

    def attempt(self, chunk: Chunk, function: Question[Result], notes: str) -> list[Answer[Result]]: ...


class Note(NamedTuple):
    """What a worker was about to do: to read a document, or to ask the one of that name."""

    part: int  # of the chunk
    position: int  # in the source
    name: str | None  # None: reading


def answers_with_notes(chunk: Chunk, function: Question[Result], path: str) -> list[Answer[Result]]:
    """Work on a chunk; the latest step is always found in a file, whatever happens to this process."""
    with open(path, "r+b", buffering=0) as file:  # noqa: PTH123

        def note(part: int, position: int, name: str | None) -> None:
            file.seek(0)
            file.write(json.dumps(Note(part, position, name)).encode() + b"\n")

        return answers_of(chunk, function, note)


def latest_note(path: str) -> Note:
    """The note that was left; of a worker that died before it began, one about reading the first document."""
    with open(path, "rb") as file:  # noqa: PTH123
        line = file.readline()
    return Note(*json.loads(line)) if line else Note(0, 0, None)


def answers_despite_deaths(chunk: Chunk, function: Question[Result], attempts: Attempts) -> Iterator[Answer[Result]]:
    """The answers of a chunk in order; a document that kills its worker is an Unreadable for the function."""
    import tempfile

    handle, path = tempfile.mkstemp(prefix="temporacle-")
    os.close(handle)
    waiting: list[tuple[Chunk, Answer[Result] | None]] = [(chunk, None)]  # what to try, and the answer after that
    try:
        while waiting:
            piece, follower = waiting.pop()
            try:
                os.truncate(path, 0)
                yield from attempts.attempt(piece, function, path) if piece else ()
            except WorkerDiedError:
                note = latest_note(path)
                before, after = _around(piece, note)
                waiting += [(after, follower), (before, _dead(piece[note.part], note, function))]
            else:
                if follower is not None:
                    yield follower
    finally:
        os.unlink(path)  # noqa: PTH108


def _around(chunk: Chunk, note: Note) -> tuple[Chunk, Chunk]:
    """What stands before the culprit and what stands after it. Of a source that kills its reader nothing is left."""
    part = chunk[note.part]
    before, after = chunk[: note.part], chunk[note.part + 1 :]
    if note.position > part.start:
        before = (*before, part._replace(stop=note.position))
    if note.name is not None and part.stop != note.position + 1:
        after = (part._replace(start=note.position + 1), *after)
    return before, after


def _dead(part: Part, note: Note, function: Question[Result]) -> Answer[Result]:
    source = part.source
    name = note.name or (source.name if isinstance(source, Source) else source.id)
    bad = Unreadable(name, part.path, InputError(CAUSE, path=part.path, cure=_CURE))
    # Whether documents follow is not known here; if none do, a journal is asked once more for nothing.
    return Answer(
        name, part.path, function(bad), part.first_line, note.position, is_last=note.name is None, readable=False
    )
