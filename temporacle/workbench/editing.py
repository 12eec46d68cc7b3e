"""A workbench on the files of a corpus, which are edited and saved in their places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.workbench.bench import Workbench, file_digest
from temporacle.workbench.corpus import Corpus
from temporacle.workbench.opened import OpenDocument
from temporacle.workbench.saving import Saving

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.model import Document
    from temporacle.workbench.bench import Setup
    from temporacle.workbench.journal import Log
    from temporacle.workbench.listing import Entry

_TRIALS = 5  # of reading a file that changes at the same time


class CorpusWorkbench(Workbench):
    """The documents of a corpus. Each folder that was given has a journal."""

    corpus: Corpus

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.corpus = Corpus(setup.paths, setup.options, self.confines, setup.budget)
        self._saving = Saving(self)
        self.lock(map(_folder, setup.paths))

    def opened(self, name: str) -> OpenDocument:
        entry = self.corpus.entry(name)
        document, sha256 = self.read(entry)
        return OpenDocument(document, sha256, self.log(entry), self.setup.budget)

    def read(self, entry: Entry) -> tuple[Document, str]:
        """Return a document and the digest of the file that it was read from."""
        for _ in range(_TRIALS):
            before = file_digest(entry.path)
            document = self.corpus.read(entry)
            if file_digest(entry.path) == before:
                return document, before
        raise InputError("changes all the time", path=entry.path, cure="try again when nothing else writes it")

    def log(self, entry: Entry) -> Log | None:
        """Return the document's part of the journal of the innermost folder that was given; None if read-only."""
        place = os.path.realpath(entry.path)
        holding = [folder for folder in self.journals if place == folder or place.startswith(os.path.join(folder, ""))]  # noqa: PTH118
        return self.journals[max(holding, key=len)].log(place, entry.name) if holding else None

    def may_have_records(self, entry: Entry) -> bool:
        """Answer without asking the system where the file is."""
        name = os.path.basename(entry.path)  # noqa: PTH119 - asked of every document of a corpus
        return any(name in journal.names for journal in self.journals.values())

    def unsaved(self) -> list[str]:
        return [
            os.path.join(folder, path)  # noqa: PTH118 - names as the caller wrote them
            for folder, journal in self.journals.items()
            for path, _ in journal.unsaved()
        ]

    def save(self, name: str) -> dict[str, Any]:
        return self._saving.save(name)

    def compare(self, name: str) -> dict[str, Any]:
        return self._saving.compare(name)

    def merge(self, name: str, body: Mapping[str, Any], revision: int | None) -> None:
        self._saving.merge(name, body, revision)

    def opened_from(self, path: str) -> list[OpenDocument]:
        """Return the open documents of a file."""
        return [each for name, each in self.desk.all() if self.corpus.entry(name).path == path]

    def moved(self, path: str, before: str, after: str) -> None:
        """Note in the journal that a file has another digest because of a save of ours."""
        place = os.path.realpath(path)
        for folder, journal in self.journals.items():
            journal.moved(os.path.relpath(place, folder), before, after)


def _folder(path: str) -> str:
    """Return the folder whose journal is about a path that was given."""
    if os.path.isdir(path):  # noqa: PTH112 - names as the caller wrote them
        return os.path.realpath(path)
    return os.path.dirname(os.path.realpath(path))  # noqa: PTH120
