"""A journal of answers: what a killed run had done, the next run need not do again.

JSON Lines, one object a document: the answer itself, as the command prints it, and under ``resume`` where in the corpus
it belongs. Answers are added in the order of the corpus, chunk by chunk, and each chunk is on the disk before its
answers are told to anybody; so whenever a run ends, its journal is the beginning of the journal of an undisturbed run,
but perhaps for a torn last line, which is cut off.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import IO, TYPE_CHECKING, Any, Generic, TypeAlias

from temporacle.errors import UsageError
from temporacle.runner.chunks import Answer, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.runner.over import Part

Row: TypeAlias = dict[str, Any]
_KEY = "resume"


class Log:
    """A file of JSON objects that only one run writes. ``run`` is a text that says all that could change an answer.

    Under ``resume`` each object says of which run it is, and where it belongs: another run is refused.
    """

    def __init__(self, path: str, run: str) -> None:
        self.path = path
        self._run = sha256(run.encode()).hexdigest()[:16]
        try:
            self._file: IO[bytes] = open(path, "a+b")  # noqa: PTH123, SIM115 - closed with the run
        except OSError as error:
            raise UsageError(f"cannot open {path} to resume: {error.strerror or error}") from error
        if not _locked(self._file):
            self._file.close()
            raise UsageError(f"another run is writing {path}")

    def close(self) -> None:
        self._file.close()

    def rows(self) -> Iterator[tuple[Row, Row]]:
        """The objects of earlier runs and their places, in order. What is torn at the end of the file is cut off."""
        file = self._file
        file.seek(0)
        good = number = 0
        while line := file.readline():
            number += 1
            found = self._parsed(line, number)
            if found is None:
                if file.readline():
                    raise UsageError(f"{self.path}:{number}: not a line of a journal; choose another file for --resume")
                break
            good = file.tell()
            yield found
        file.truncate(good)
        file.seek(0, os.SEEK_END)

    def _parsed(self, line: bytes, number: int) -> tuple[Row, Row] | None:
        """An object and its place; None if the line is torn."""
        if not line.endswith(b"\n"):
            return None
        try:
            row = json.loads(line)
            place = row.pop(_KEY)
            run = place["run"]
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        if run != self._run:
            raise UsageError(
                f"{self.path}:{number} is from a run with other paths, options or version;"
                " repeat that run, or choose another file for --resume"
            )
        return row, place

    def add(self, entries: Iterable[tuple[str, Row]]) -> None:
        """Put objects, as texts that are not empty, each with its place, on the disk."""
        lines = [
            f"{text[:-1]}, {json.dumps(_KEY)}: {json.dumps({'run': self._run, **place})}}}\n" for text, place in entries
        ]
        self._file.write("".join(lines).encode())
        self._file.flush()
        os.fsync(self._file.fileno())


class Journal(Generic[Result]):
    """The answers about a corpus, which belong to places in its files. ``encode`` makes the text of a JSON object."""

    def __init__(self, path: str, run: str, encode: Callable[[Result], str], decode: Callable[[Row], Result]) -> None:
        self.path = path
        self._log = Log(path, run)
        self._encode = encode
        self._decode = decode
        self._done: dict[tuple[str, int], int | None] = {}  # a source -> how many of its documents; None: all

    def close(self) -> None:
        self._log.close()

    def replay(self) -> Iterator[Answer[Result]]:
        """The answers of an earlier run, in order."""
        for row, place in self._log.rows():
            answer = Answer(
                row["document"],
                place["source"],
                self._decode(row),
                place["line"],
                place["position"],
                place["last"],
                place["readable"],
            )
            self._done[answer.path or "", answer.first_line] = None if answer.is_last else answer.position + 1
            yield answer

    def left_of(self, parts: Iterable[Part]) -> Iterator[Part]:
        """The parts that have no answer yet, or not for all their documents."""
        for part in parts:
            done = self._done.get((part.path, part.first_line), 0)
            if done is not None:
                yield part._replace(start=done) if done else part

    def add(self, answers: Sequence[Answer[Result]]) -> None:
        """Put answers on the disk."""
        self._log.add((self._encode(answer.result), _place(answer)) for answer in answers)


def _place(answer: Answer[Result]) -> Row:
    return {
        "source": answer.path,
        "line": answer.first_line,
        "position": answer.position,
        "last": answer.is_last,
        "readable": answer.readable,
    }


class NamedJournal(Generic[Result]):
    """Results that belong to a name, which occurs once in each ``part`` of a run. ``encode`` as for a Journal."""

    def __init__(self, path: str, run: str, encode: Callable[[Result], str], decode: Callable[[Row], Result]) -> None:
        self.path = path
        self._log = Log(path, run)
        self._encode = encode
        self._decode = decode

    def close(self) -> None:
        self._log.close()

    def replay(self, part: str) -> Iterator[tuple[str, Result]]:
        """The names and results of earlier runs, in order."""
        for row, place in self._log.rows():
            if place["part"] == part:
                yield place["name"], self._decode(row)

    def add(self, part: str, results: Iterable[tuple[str, Result]]) -> None:
        """Put results on the disk."""
        self._log.add((self._encode(result), {"part": part, "name": name}) for name, result in results)


def _locked(file: IO[bytes]) -> bool:
    """Whether this run alone writes the file from now on. Where the system has no such locks, it is believed."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
