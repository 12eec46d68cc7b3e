"""A journal of results: what a run that was ended had done, the next run need not do again.

An SQLite file with one row an item: its key, the digest of its content, its results. A chunk of items is one
transaction, committed before its results are given to the caller: whenever a run ends, its journal holds what was
given. A result is used again only if the content has the same digest. A run locks its journal, so no second run writes
it at the same time.

The file comes from outside: results are read back by an unpickler that makes values of this program and nothing else,
and a file that is not such a journal is never written to.
"""

from __future__ import annotations

import io
import os
import pickle
from collections import Counter
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.frames import Figure
from temporacle.readings import LabelSet, built_in_reading

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

_APPLICATION = 0x54504A31  # "TPJ1", in the header of the file
_MAGIC = b"SQLite format 3\x00"
_VALUES = {
    "builtins.frozenset": frozenset,
    "builtins.set": set,
    "collections.Counter": Counter,
    "fractions.Fraction": Fraction,
    "temporacle.frames.Figure": Figure,
    "temporacle.readings.LabelSet": LabelSet,
    "temporacle.readings.built_in_reading": built_in_reading,
}
_ROOMS = (
    *("results", "checks", "model", "passages", "relation", "rules", "tasks", "scoring", "audit", "report"),
    *("reasoner", "scored", "editing.versions", "editing.write_back", "io.edit.edits"),
)


# Graphs that find what follows when they are asked. They hold numbers and names.
_GRAPHS = {
    "temporacle.reasoner.network.Budget",
    "temporacle.reasoner.points.graph.PointGraph",
    "temporacle.reasoner.points.large_reduction.SearchedReduction",
    "temporacle.reasoner.points.searched_rows.SearchedRows",
}


class Journal:
    """The results of a run in a file. ``run`` is a text with everything, except the items, that can change results.

    ``changed`` is called with the key of an item whose content has changed since an earlier run.
    """

    def __init__(self, path: str, run: str, changed: Callable[[str], None] = lambda _key: None) -> None:
        import sqlite3  # most runs have no journal

        self.path = path
        self._changed = changed
        _require_journal_or_nothing(path)
        try:
            self._file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise UsageError(f"cannot open the checkpoint {path}: {error}") from error
        try:
            self._begin(sha256(run.encode("utf-8", "surrogatepass")).hexdigest())
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        """Close the file also if a run was interrupted before it could."""
        if hasattr(self, "_file"):
            self._file.close()

    def find(self, key: str, digest: str) -> list[Any] | None:
        """Return the results of an item from an earlier run; None if there are none, or its content has changed."""
        row = self._do("SELECT digest, results FROM items WHERE key = ?", (_stored(key),)).fetchone()
        if row is None:
            return None
        if row[0] != digest:
            self._changed(key)
            return None
        try:
            found = _ValuesOnly(io.BytesIO(row[1])).load()
        except Exception as error:
            raise UsageError(f"the checkpoint {self.path} is damaged ({error}): choose another file") from error
        return found if isinstance(found, list) else None

    def add(self, entries: Iterable[tuple[str, str, list[Any]]]) -> None:
        """Put keys, digests and results on the disk."""
        rows = [
            (_stored(key), digest, pickle.dumps(results, pickle.HIGHEST_PROTOCOL)) for key, digest, results in entries
        ]
        self._do("BEGIN IMMEDIATE")
        for row in rows:
            self._do("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", row)
        self._do("COMMIT")

    def _begin(self, run: str) -> None:
        """Lock the file for this run, and make sure that it belongs to it."""
        self._do("PRAGMA locking_mode = EXCLUSIVE")
        self._do("BEGIN EXCLUSIVE")
        if not self._do("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._do(f"PRAGMA application_id = {_APPLICATION}")
            self._do("CREATE TABLE run (digest TEXT)")
            self._do("CREATE TABLE items (key BLOB PRIMARY KEY, digest TEXT, results BLOB) WITHOUT ROWID")
            self._do("INSERT INTO run VALUES (?)", (run,))
        elif self._do("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise UsageError(f"{self.path} is not a checkpoint of this program: choose another file")
        elif self._do("SELECT digest FROM run").fetchone() != (run,):
            raise UsageError(
                f"{self.path} is from a run with another task, other options or another version;"
                " repeat that run, or choose another file"
            )
        self._do("COMMIT")

    def _do(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        import sqlite3

        try:
            return self._file.execute(statement, values)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise UsageError(f"another run is writing {self.path}") from error
            raise UsageError(f"cannot write the checkpoint {self.path}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{self.path} is not a checkpoint of this program, or damaged: {error}") from error


def _stored(key: str) -> bytes:
    """Return a key as bytes, because the name of a file may not be text."""
    return key.encode("utf-8", "surrogatepass")


def _require_journal_or_nothing(path: str) -> None:
    """Refuse a file that cannot be a journal, without touching it."""
    if not os.path.exists(path):  # noqa: PTH110
        return
    if not os.path.isfile(path):  # noqa: PTH113
        raise UsageError(f"{path} is not a regular file: choose another one for the checkpoint")
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            beginning = file.read(len(_MAGIC))
    except OSError as error:
        raise UsageError(f"cannot open the checkpoint {path}: {error.strerror or error}") from error
    if beginning not in {b"", _MAGIC}:
        raise UsageError(f"{path} is not a checkpoint of this program: choose another file")


class _ValuesOnly(pickle.Unpickler):
    """Reads back values of this program, and plain ones. Nothing else is looked up, so nothing else can be called."""

    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" in _VALUES:
            return _VALUES[f"{module}.{name}"]
        room = module.removeprefix("temporacle.")
        if room != module and (room in _ROOMS or room.split(".")[0] in _ROOMS):
            found = getattr(import_module(module), name, None)
            is_value = f"{module}.{name}" in _GRAPHS or is_dataclass(found)
            if isinstance(found, type) and (is_value or issubclass(found, tuple | int | Enum)):
                return found
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")
