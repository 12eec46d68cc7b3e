"""What to do with a chunk that killed its worker: find the document that did, and answer all others.

The chunk is tried again alone, in a worker that notes in a file what it is about to do. If that worker dies too, the
note names a suspect: what stands before it is tried again, then the suspect and all that follows. A document that kills
again is the culprit; one that does not was there when something else, such as a lack of memory, ended the worker.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol

from temporacle.errors import InputError
from temporacle.io.source import Source
from temporacle.model import Unreadable
from temporacle.runner.chunks import Answer, Result, answers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.runner.chunks import Chunk, Part, Question

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


def latest_note(path: str, chunk: Chunk) -> Note:
    """The note that was left; of a worker that died before it began, one about reading the first document."""
    with open(path, "rb") as file:  # noqa: PTH123
        line = file.readline()
    return Note(*json.loads(line)) if line else Note(0, chunk[0].start, None)


def answers_despite_deaths(chunk: Chunk, function: Question[Result], attempts: Attempts) -> Iterator[Answer[Result]]:
    """The answers of a chunk in order; a document that kills its worker is an Unreadable for the function."""
    import tempfile

    handle, path = tempfile.mkstemp(prefix="temporacle-")
    os.close(handle)
    waiting: list[_Trial[Result]] = [_Trial(chunk)]
    try:
        while waiting:
            trial = waiting.pop()
            try:
                os.truncate(path, 0)
                yield from attempts.attempt(trial.chunk, function, path) if trial.chunk else ()
            except WorkerDiedError:
                waiting += _after_a_death(trial, latest_note(path, trial.chunk), function)
            else:
                if trial.follower is not None:
                    yield trial.follower
    finally:
        os.unlink(path)  # noqa: PTH108


@dataclass(frozen=True, slots=True)
class _Trial(Generic[Result]):
    """A chunk to try, and the answer that comes after those of the chunk."""

    chunk: Chunk
    follower: Answer[Result] | None = None
    first_is_suspect: bool = False  # a worker died over the first document before


def _after_a_death(trial: _Trial[Result], note: Note, function: Question[Result]) -> list[_Trial[Result]]:
    """What to try after a worker died as noted; the next trial last."""
    chunk, part = trial.chunk, trial.chunk[note.part]
    if trial.first_is_suspect and note.part == 0 and note.position == part.start:
        return [
            _Trial(_following(chunk, note), trial.follower),
            _Trial((), _dead(part, note, function)),
        ]
    before, since = chunk[: note.part], (part._replace(start=note.position), *chunk[note.part + 1 :])
    if note.position > part.start:
        before = (*before, part._replace(stop=note.position))
    return [_Trial(since, trial.follower, first_is_suspect=True), _Trial(before)]


def _following(chunk: Chunk, note: Note) -> Chunk:
    """What stands after the culprit. Of a source that kills its reader nothing is left."""
    part, after = chunk[note.part], chunk[note.part + 1 :]
    if note.name is None or part.stop == note.position + 1:
        return after
    return (part._replace(start=note.position + 1), *after)


def _dead(part: Part, note: Note, function: Question[Result]) -> Answer[Result]:
    source = part.source
    name = note.name or (source.name if isinstance(source, Source) else source.id)
    bad = Unreadable(name, part.path, InputError(CAUSE, path=part.path, cure=_CURE))
    # Whether documents follow is not known here; if none do, a journal is asked once more for nothing.
    return Answer(
        name, part.path, function(bad), part.first_line, note.position, is_last=note.name is None, readable=False
    )
