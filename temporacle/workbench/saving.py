"""Saving open documents into their files, and what to do if another program has changed a file.

One save is made at a time, and takes the lock before those of documents. A file may hold several documents: when one of
them is saved, the others are told the new digest, so that they do not take our own change for one of another program.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError
from temporacle.tasks.saving import OpenFile, changed_on_disk
from temporacle.tasks.three_way import three_way

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.io.source import Options
    from temporacle.tasks.saving import Saved
    from temporacle.tasks.three_way import ThreeWay
    from temporacle.workbench.editing import CorpusWorkbench
    from temporacle.workbench.opened import OpenDocument

_MOST_FILES = 16  # whose bytes are kept as they were when they were first saved


class Saving:
    """The files that documents were saved to."""

    def __init__(self, bench: CorpusWorkbench) -> None:
        self._bench = bench
        self._lock = threading.Lock()
        self._files: OrderedDict[str, OpenFile] = OrderedDict()

    def save(self, name: str) -> dict[str, Any]:
        """Save a document. Raise ChangedOnDiskError if its file is not the one that was read or saved last."""
        entry = self._bench.corpus.entry(name)
        with self._lock:
            with self._bench.document(name) as document:
                self._bench.confines.require(entry.path)
                if document.why_export is not None:
                    raise UsageError(f"{entry.path}: {document.why_export}")
                file = self._file(entry.path, document)
                before = document.digest
                saved = file.save(
                    entry.name, document.session.document, document.new_comments(), backup=self._bench.setup.backup
                )
                document.note_saved(saved.digest)
            self._tell_others(entry.path, before, saved)
        return {"saved": True, "path": saved.path, "backup": saved.backup, **document.counts()}

    def _file(self, path: str, document: OpenDocument) -> OpenFile:
        """Return the file, with the bytes that it had when a document of it was first saved."""
        file = self._files.get(path)
        if file is None or file.digest != document.digest:
            file = _opened(path, self._bench.setup.options)
            if file.digest != document.digest:
                raise changed_on_disk(path)
            for each in self._bench.opened_from(path):
                each.begin_file()
            self._files[path] = file
        self._files.move_to_end(path)
        while len(self._files) > _MOST_FILES:
            gone, _ = self._files.popitem(last=False)
            for each in self._bench.opened_from(gone):
                each.begin_file()
        return file

    def _tell_others(self, path: str, before: str, saved: Saved) -> None:
        for each in self._bench.opened_from(path):
            with each.lock:
                each.moved(before, saved.digest)
        self._bench.moved(path, before, saved.digest)

    def compare(self, name: str) -> dict[str, Any]:
        """Return the three versions of a document: as opened or saved last, with its edits, and as the file is now."""
        with self._bench.document(name) as document:
            return self._three_way(name, document)[0].to_dict()

    def merge(self, name: str, body: Mapping[str, Any], revision: int | None) -> None:
        """Put the edits of a document on top of the file as it is now."""
        take = _sides(body)
        with self._bench.document(name) as document:
            document.require_revision(revision)
            found, digest = self._three_way(name, document)
            session = found.rebased(take, document.session.comments, budget=self._bench.setup.budget)
            document.rebase(found.theirs, session, digest)

    def _three_way(self, name: str, document: OpenDocument) -> tuple[ThreeWay, str]:
        theirs, digest = self._bench.read(self._bench.corpus.entry(name))
        return three_way(document.base, document.session.document, theirs), digest


def _opened(path: str, options: Options) -> OpenFile:
    """Open a file that could be read before."""
    try:
        return OpenFile(path, options)
    except InputError as error:
        raise InputError(
            f"was removed or changed by another program since it was opened ({error.reason}): nothing is saved",
            path=path,
            cure="put it back and save again, or export the document",
        ) from error


def _sides(body: Mapping[str, Any]) -> dict[int, Any]:
    """Return the side to take by the number of a difference."""
    take = body.get("take", {})
    if set(body) - {"take", "revision"} or not isinstance(take, dict):
        raise UsageError('the body must be {"take": {"0": "mine", "1": "theirs"}}')
    try:
        return {int(number): side for number, side in take.items()}
    except ValueError:
        raise UsageError("take has numbers of differences as keys, such as 0") from None
