"""A workbench on the files of a corpus, which are edited and saved in their places."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from temporacle.editing.saving import OpenFile, changed_on_disk
from temporacle.editing.versions import three_way
from temporacle.errors import InputError, UsageError
from temporacle.io.files import digest_of, read_regular
from temporacle.workbench.bench import Workbench
from temporacle.workbench.corpus import Corpus
from temporacle.workbench.document import OpenDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.editing.saving import Saved
    from temporacle.editing.versions import ThreeWay
    from temporacle.io.source import Options
    from temporacle.model import Document
    from temporacle.workbench.bench import Setup
    from temporacle.workbench.corpus import Entry
    from temporacle.workbench.journal import Log

_TRIALS = 5  # of reading a file that changes at the same time
_MOST_FILES = 16  # whose bytes are kept as they were when they were first saved


class CorpusWorkbench(Workbench):
    """The documents of a corpus. Each folder that was given has a journal."""

    corpus: Corpus

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.corpus = Corpus(setup.paths, self.setup.options, setup.budget, setup.calendar)
        self._saving = threading.Lock()
        self._files: OrderedDict[str, OpenFile] = OrderedDict()  # that documents were saved to
        self.lock(map(_folder, setup.paths))
        self.review_in(_folder(setup.paths[0]))

    def opened(self, name: str) -> OpenDocument:
        entry = self.corpus.entry(name)
        document, sha256 = self.read(entry)
        return OpenDocument(document, sha256, self.log(entry), self.setup.budget, self.setup.calendar)

    def read(self, entry: Entry) -> tuple[Document, str]:
        """Return a document and the digest of the file that it was read from."""
        if not os.path.isdir(entry.path):  # noqa: PTH112 - names as the caller wrote them
            data = read_regular(entry.path, confines=self.confines, largest=self.setup.options.largest_file)
            return self.corpus.read(entry, data), digest_of(data)
        for _ in range(_TRIALS):
            before = self._folder_digest(entry.path)
            document = self.corpus.read(entry)
            if self._folder_digest(entry.path) == before:
                return document, before
        raise InputError("changes all the time", path=entry.path, cure="try again when nothing else writes it")

    def _folder_digest(self, folder: str) -> str:
        """Return a digest of the files in a folder. Hidden files do not count: the journal may be one of them."""
        try:
            names = sorted(each for each in os.listdir(folder) if not each.startswith("."))  # noqa: PTH208
        except OSError as error:
            raise InputError(f"cannot be opened: {error.strerror or error}", path=folder) from error
        paths = [os.path.join(folder, name) for name in names]  # noqa: PTH118
        files = [path for path in paths if os.path.isfile(path)]  # noqa: PTH113
        digests = [(path, digest_of(read_regular(path, confines=self.confines))) for path in files]
        return digest_of(repr(digests).encode("utf-8", "surrogatepass"))

    def log(self, entry: Entry) -> Log | None:
        """Return the document's part of the journal of the innermost folder that was given; None if read-only."""
        folder, place = self._recorded(entry.path)
        return None if folder is None else self.journals[folder].log(place, entry.name)

    def _recorded(self, path: str) -> tuple[str | None, str]:
        """Return the folder whose journal is about a file, and where the file is. A link out of all folders stays."""
        folder, name = os.path.split(path)
        places = (os.path.realpath(path), os.path.join(os.path.realpath(folder), name))  # noqa: PTH118
        for place in places:
            holding = [each for each in self.journals if place == each or place.startswith(os.path.join(each, ""))]  # noqa: PTH118
            if holding:
                return max(holding, key=len), place
        return None, path

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

    def _opened_from(self, path: str) -> list[OpenDocument]:
        """Return the open documents of a file."""
        return [each for name, each in self.desk.all() if self.corpus.entry(name).path == path]

    # --- saving -----------------------------------------------------------------------------------------------------
    #
    # One save is made at a time, and takes the lock before those of documents. A file may hold several documents: when
    # one of them is saved, the others get the new digest, so that they do not take our own change for one of
    # another program.

    def save(self, name: str) -> dict[str, Any]:
        """Save a document. Raise ChangedOnDiskError if its file is not the one that was read or saved last."""
        entry = self.corpus.entry(name)
        with self._saving:
            with self.document(name) as document:
                if document.why_export is not None:
                    raise UsageError(f"{entry.path}: {document.why_export}")
                file = self._file(entry.path, document)
                before = document.digest
                saved = file.save(
                    entry.name,
                    document.session.document,
                    document.new_comments(),
                    backup=self.setup.backup,
                    announce=document.note_saving,
                )
                document.note_saved(saved.digest)
            self._tell_others(entry.path, before, saved)
        return {"saved": True, "path": saved.path, "backup": saved.backup, **document.counts()}

    def _file(self, path: str, document: OpenDocument) -> OpenFile:
        """Return the file, with the bytes that it had when a document of it was first saved."""
        file = self._files.get(path)
        if file is None or file.digest != document.digest:
            file = _opened(path, self.setup.options)
            if file.digest != document.digest:
                raise changed_on_disk(path)
            for each in self._opened_from(path):
                each.begin_file()
            self._files[path] = file
        self._files.move_to_end(path)
        while len(self._files) > _MOST_FILES:
            gone, _ = self._files.popitem(last=False)
            for each in self._opened_from(gone):
                each.begin_file()
        return file

    def _tell_others(self, path: str, before: str, saved: Saved) -> None:
        for each in self._opened_from(path):
            with each.lock:
                each.moved(before, saved.digest)
        folder, place = self._recorded(path)
        if folder is not None:
            self.journals[folder].moved(os.path.relpath(place, folder), before, saved.digest)

    def compare(self, name: str) -> dict[str, Any]:
        """Return the three versions of a document: as opened or saved last, with its edits, and as the file is now."""
        with self.document(name) as document:
            return self._three_way(name, document)[0].to_dict()

    def merge(self, name: str, body: Mapping[str, Any], revision: int | None) -> None:
        """Put the edits of a document on top of the file as it is now."""
        take = _sides(body)
        with self.document(name) as document:
            document.require_revision(revision)
            found, digest = self._three_way(name, document)
            setup = self.setup
            session = found.rebased(take, document.session.comments, budget=setup.budget, calendar=setup.calendar)
            document.rebase(found.theirs, session, digest)

    def _three_way(self, name: str, document: OpenDocument) -> tuple[ThreeWay, str]:
        theirs, digest = self.read(self.corpus.entry(name))
        return three_way(document.base, document.session.document, theirs), digest


def _folder(path: str) -> str:
    """Return the folder whose journal is about a path that was given."""
    if os.path.isdir(path):  # noqa: PTH112 - names as the caller wrote them
        return os.path.realpath(path)
    return os.path.dirname(os.path.realpath(path))  # noqa: PTH120


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
