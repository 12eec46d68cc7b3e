"""Unsaved edits on the disk, so that neither Ctrl-C nor a crash loses one.

The journal is a file of JSON Lines beside the documents, one for each folder that was given. A line is on the disk
before the edit that it describes is acknowledged. The file is locked: a second workbench on the same folder is refused.
When nothing is unsaved any more the file is emptied, and removed at the end.

    {"journal": "temporacle workbench", "version": 1}
    {"path": "d1.tml", "document": "d1", "do": "open", "sha256": "...", "links": [...]}    the document before all edits
    {"path": "d1.tml", "document": "d1", "do": "edit", "changes": {...}, "added": ["l9"]}
    {"path": "d1.tml", "document": "d1", "do": "undo"}                                      redo alike
    {"path": "d1.tml", "document": "d1", "do": "saving", "intended": "..."}                 the file will have that
    {"path": "d1.tml", "document": "d1", "do": "save", "sha256": "..."}                     what stands is in the file
    {"path": "d1.tml", "document": "d1", "do": "moved", "sha256": "..."}                    another document was saved
    {"path": "d1.tml", "document": "d1", "do": "forget"}                                    all of it is out of date

A last line without its end was being written when the program was killed. It was never acknowledged and is cut off.
After ``saving`` without ``save``, the digest of the file says whether it was saved.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = ".temporacle-workbench.journal"
_HEADER = {"journal": "temporacle workbench", "version": 1}
_LARGEST = 1 << 30  # bytes: no workbench writes as much
_FOLLOWING = ("edit", "undo", "redo", "saving", "save", "moved")
_TRIALS = 10

Record = dict[str, Any]
Key = tuple[str, str]  # path in the folder, and id of the document


class EditJournal:
    """The journal of one folder, locked as long as it is open."""

    def __init__(self, folder: str, *, keep: bool = False) -> None:
        self.folder = folder
        self._keep = keep  # also what is saved, for the next run
        self.path = os.path.join(folder, NAME)  # noqa: PTH118 - names as the caller wrote them
        self._file = _locked(self.path)
        self._end = 0
        self._lock = threading.Lock()  # documents are edited at the same time
        self._records: dict[Key, list[Record]] = {}
        self._owed = b""  # notes that could not be written when they were due
        self.names: set[str] = set()  # of all files that it ever had records about, without folders
        try:
            self._load()
        except BaseException:
            os.close(self._file)
            raise

    def log(self, path: str, document: str) -> Log:
        """Return the part of the journal about one document."""
        return Log(self, (os.path.relpath(path, self.folder), document))

    def unsaved(self) -> list[Key]:
        """Return the documents with edits that are not in their files."""
        return [key for key, records in self._records.items() if steps_after_save(records)]

    def close(self) -> None:
        """Unlock the journal; remove it if nothing is unsaved."""
        if not (self._records if self._keep else self.unsaved()):
            with suppress(OSError):
                os.unlink(self.path)  # noqa: PTH108
        with self._lock, suppress(OSError):  # a thread that is still at work writes nothing any more
            file, self._file = self._file, -1
            os.close(file)

    def moved(self, path: str, before: str, after: str) -> None:
        """Note that a file has another digest, for all documents of it that were recorded with the old one."""
        for key, records in list(self._records.items()):
            if key[0] == path and last_digest(records) == before:
                self.note(key, {"do": "moved", "sha256": after})

    def saved_digests(self) -> set[str]:
        """Return the digests of all files that were saved, or were being saved when the program was killed."""
        every = [each for records in self._records.values() for each in records]
        saved = {each["sha256"] for each in every if each["do"] == "save"}
        return saved | {each["intended"] for each in every if each["do"] == "saving"}

    def records(self, key: Key) -> list[Record]:
        return self._records.get(key, [])

    def write(self, key: Key, records: Iterable[Record]) -> None:
        """Put records on the disk. Raise UsageError if that cannot be done; the journal is as before then."""
        lines = [{"path": key[0], "document": key[1], **record} for record in records]
        what = "the document was not saved" if lines[-1]["do"] == "saving" else "the edit was not made"
        with self._lock:
            if self._file < 0:
                raise UsageError(f"the workbench has ended: {what}")
            try:
                self._append(lines)
            except OSError as error:
                raise UsageError(
                    f"{what}, because the journal {self.path} cannot be written:"
                    f" {error.strerror or error}; make room on the disk and try again"
                ) from error

    def note(self, key: Key, record: Record) -> None:
        """Note what was done to a file. If that cannot be written now, it is written before the next record.

        It is not lost if there is none: the digest of the file says the same when the journal is read again.
        """
        line = {"path": key[0], "document": key[1], **record}
        with self._lock:
            try:
                if self._file >= 0:
                    self._append([line])
            except OSError:
                self._owed += _packed([line])
                self._take(line)

    def _append(self, lines: list[Record]) -> None:
        data = self._owed + _packed(lines)
        try:
            _write_all(self._file, data, self._end)
            os.fsync(self._file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise
        self._end += len(data)
        self._owed = b""
        for line in lines:
            self._take(line)
        if not self._records:
            self._empty()

    def _empty(self) -> None:
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            self._end = 0
            self._begin()

    def _begin(self) -> None:
        data = json.dumps(_HEADER).encode() + b"\n"
        _write_all(self._file, data, 0)
        os.fsync(self._file)
        self._end = len(data)

    def _load(self) -> None:
        if os.fstat(self._file).st_size > _LARGEST:
            raise self._foreign("is too large")
        with open(os.dup(self._file), "rb") as file:  # noqa: PTH123
            data = file.read()
        whole, end, _cut = data.rpartition(b"\n")
        header = json.dumps(_HEADER).encode()
        if not data or (not end and header.startswith(data)):  # new, or killed while it was made
            try:
                os.ftruncate(self._file, 0)
                self._begin()
            except OSError as error:
                raise _unusable(self.path, error) from error
            return
        lines = whole.split(b"\n")
        if lines[0] != header:
            raise self._foreign("does not begin as one")
        for number, line in enumerate(lines[1:], 2):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise self._foreign(f"has a line {number} that cannot be understood") from error
        try:
            self.unsaved()
        except IndexError as error:
            raise self._foreign("takes back edits that were never made") from error
        self._end = len(whole) + 1
        os.ftruncate(self._file, self._end)

    def _take(self, record: Record) -> None:
        key, what = (str(record["path"]), str(record["document"])), record["do"]
        if what == "forget":
            self._records.pop(key, None)
        elif what == "open":
            self._records[key] = [record]
            self.names.add(os.path.basename(key[0]))  # noqa: PTH119
        elif what in _FOLLOWING:
            self._records[key].append(record)
        else:
            raise ValueError(what)

    def _foreign(self, why: str) -> UsageError:
        return UsageError(
            f"{self.path} {why}, so it is not a journal of this program or is damaged: move it away, or use --read-only"
        )


class Log:
    """The records about one document."""

    def __init__(self, journal: EditJournal, key: Key) -> None:
        self._journal = journal
        self._key = key

    @property
    def records(self) -> list[Record]:
        return self._journal.records(self._key)

    def write(self, *records: Record) -> None:
        self._journal.write(self._key, records)

    def note(self, record: Record) -> None:
        self._journal.note(self._key, record)

    def forget(self) -> None:
        if self.records:
            self.write({"do": "forget"})


def last_digest(records: Iterable[Record]) -> str:
    """Return the digest of the file that the records are about."""
    found: str = [record["sha256"] for record in records if "sha256" in record][-1]
    return found


def steps_after_save(records: Iterable[Record]) -> int:
    """Return how many steps lie between the present state of a document and the one that was saved.

    >>> steps_after_save([{"do": each} for each in ("open", "edit", "save", "undo", "edit")])
    2
    """
    done: list[int] = []  # numbers of the edits that stand
    undone: list[int] = []
    saved: list[int] = []
    for number, record in enumerate(records):
        match record["do"]:
            case "edit":
                done.append(number)
                undone.clear()
            case "undo":
                undone.append(done.pop())
            case "redo":
                done.append(undone.pop())
            case "save":
                saved = list(done)
            case _:
                pass
    return len({*done} ^ {*saved})


def _locked(path: str) -> int:
    """Return the file, made if necessary, and locked. Links are not followed, and no foreign file is touched."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    for _ in range(_TRIALS):
        try:
            file = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            _require_own(path, file)
            _lock(path, file)
            if _is_at(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # another workbench has just removed it
    raise UsageError(f"{path} is removed again and again: another program is at work on this corpus")


def _unusable(path: str, error: OSError) -> UsageError:
    return UsageError(
        f"the journal of unsaved edits {path} cannot be opened: {error.strerror or error};"
        " make the folder writable, remove what stands there, or use --read-only"
    )


def _require_own(path: str, file: int) -> None:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        raise UsageError(f"{path} is not a file of this program: move it away, or use --read-only")
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to another user: move it away, or use --read-only")


def _lock(path: str, file: int) -> None:
    try:
        import fcntl
    except ImportError:  # this system has no such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise UsageError(
            f"another workbench is open on {os.path.dirname(path) or '.'}: use its page, end it, or use --read-only"  # noqa: PTH120
        ) from error


def _is_at(path: str, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(file))  # noqa: PTH116
    except OSError:
        return False


def _packed(lines: Iterable[Record]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _write_all(file: int, data: bytes, start: int) -> None:
    os.lseek(file, start, os.SEEK_SET)
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
