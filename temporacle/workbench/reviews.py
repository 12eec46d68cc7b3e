"""Which documents a person has reviewed, with a note on each: a file beside the corpus."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from getpass import getuser
from typing import Any

from temporacle.errors import InputError, UsageError
from temporacle.io.files import atomic_bytes, read_regular
from temporacle.printing import printable

NAME = ".temporacle-review.json"
_KEYS = {"reviewed", "note"}
_COLUMNS = ("document", "reviewed", "note", "who", "when")
_LONGEST = 10_000  # characters of a note


class Reviews:
    """The reviews of a corpus by the id of the document. Every change is on the disk before it is answered."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)  # noqa: PTH118 - names as the caller wrote them
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        if os.path.exists(self._path):  # noqa: PTH110
            try:
                self._known = {str(name): dict(each) for name, each in json.loads(read_regular(self._path)).items()}
            except (ValueError, AttributeError, TypeError) as error:
                cure = "move it away, or correct it"
                raise InputError("is not a file of reviews", path=self._path, cure=cure) from error

    def row(self, document: str) -> dict[str, Any]:
        """Return what the list of documents says about the review of one."""
        found = self._known.get(document, {})
        return {"reviewed": bool(found.get("reviewed")), "note": str(found.get("note", ""))}

    def write(self, document: str, body: dict[str, Any]) -> dict[str, Any]:
        """Note a review: ``{"reviewed": true, "note": "..."}``, or one of the two."""
        note, reviewed = body.get("note", ""), body.get("reviewed", False)
        if not body or set(body) - _KEYS or not isinstance(note, str) or not isinstance(reviewed, bool):
            raise UsageError('the body must be {"reviewed": true, "note": "..."}')
        if len(note) > _LONGEST:
            raise UsageError(f"a note has at most {_LONGEST} characters")
        with self._lock:
            when = datetime.now(UTC).isoformat(timespec="seconds")
            row = {**self.row(document), **body, "who": user(), "when": when}
            known = {**self._known, document: row}
            if not row["reviewed"] and not row["note"]:
                del known[document]
            with atomic_bytes(self._path) as file:
                file.write(json.dumps(known, indent=1).encode())
            self._known = known
        return self.row(document)

    def table(self) -> str:
        """Return all reviews as TSV."""
        rows = [_COLUMNS, *((name, *(each.get(key, "") for key in _COLUMNS[1:])) for name, each in self._known.items())]
        return "".join("\t".join(printable(str(cell)) for cell in row) + "\n" for row in rows)


def user() -> str:
    """Return the name of who works here; empty if the system does not know it."""
    try:
        return getuser()
    except (ImportError, KeyError, OSError):
        return ""
