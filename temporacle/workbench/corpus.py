"""The documents of a corpus, each with its verdict as soon as it is decided.

Files are listed at the start, which is cheap, and again when a page asks for the list. Worker processes read and check
them in the background, so that the server stays quick, and a document that needs too much memory ends its worker and
nothing else. What is kept of a document is one small entry; its links are read again when it is opened.
"""

from __future__ import annotations

import io
import os
import sys
import threading
from collections import Counter, deque
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.corpus.inputs import Asking, documents_of
from temporacle.errors import InputError, TemporacleError, UsageError
from temporacle.io import sources
from temporacle.io.jsonl.edit import place_of
from temporacle.io.slices import slices
from temporacle.io.source import Source
from temporacle.model import Document, Unreadable
from temporacle.printing import printable, shown
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.results import DocumentVerdict
from temporacle.runner.copies import Cores
from temporacle.runner.job import UNDER_WAY, StoppedError, number_of_cores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Found
    from temporacle.io.source import Options
    from temporacle.model import Link
    from temporacle.runner.copies import Task

# ----------------------------------------------------------------------------------------------------
# The list of documents: an entry for each, as soon as something is known about it.

PENDING = "pending"  # the verdict on a document that was not checked yet
_UNADDRESSABLE = {"", ".", ".."}  # a browser takes these out of an address


def is_addressable(document: str) -> bool:
    """Return whether an id can stand in an address."""
    return document not in _UNADDRESSABLE


class Entry(NamedTuple):
    """What the list of documents says about one."""

    id: str  # in addresses: the document's own, unless another document has it
    name: str  # the document's own id
    path: str
    verdict: str
    links: int = 0
    entities: int = 0
    conflicts: int = 0
    error: str | None = None
    differences: int | None = None  # between two annotators, if two are compared
    taken: int | None = None  # differences that are decided
    labels: Mapping[str, int] = {}  # how many links have each label
    codes: tuple[str, ...] = ()  # of messages about it
    sizes: tuple[int, ...] = ()  # of its conflicts
    skipped_links: Mapping[str, int] = {}  # links that could not be used, by code

    def to_dict(self) -> dict[str, Any]:
        compared = {} if self.differences is None else {"differences": self.differences, "taken": self.taken}
        return {
            "id": self.id,
            "verdict": self.verdict,
            "links": self.links,
            "entities": self.entities,
            "path": self.path,
            "conflicts": self.conflicts,
            "unsaved": 0,
            "error": self.error,
            "labels": list(self.labels),
            "codes": list(self.codes),
            "sizes": list(self.sizes),
            "skipped_links": dict(self.skipped_links),
            **compared,
        }


def counted_labels(links: Iterable[Link]) -> dict[str, int]:
    """Return how many links have each label, in the order of the alphabet."""
    return dict(sorted(Counter(link.label for link in links).items()))


class Listing:
    """Documents that are decided one after the other by a thread, while others ask about them."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._order: list[str] = []
        self._repeated: dict[str, int] = {}  # names of several documents: the last number that one of them got
        self.done = False  # all documents are decided

    def start(self) -> None:
        """Begin to decide about documents."""
        raise NotImplementedError

    def stop(self) -> None:
        """End that, whatever is being done."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Look for documents that are new, if that is possible. They are decided like the others."""

    def is_busy(self) -> bool:
        """Return whether a thread of this process is still at work after the end."""
        return False

    def one_name(self, document: str) -> str:
        """Return the id under which a document is listed. It may have others."""
        return document

    def pending(self) -> Iterable[Entry]:
        """Return the documents that are not decided yet, as far as they are known."""
        raise NotImplementedError

    def knows(self, document: str) -> bool:
        """Return whether there is such a document, as far as is known now."""
        raise NotImplementedError

    def entry(self, document: str) -> Entry:
        """Return an entry, also one of a document that was not decided yet. Raise KeyError if there is none."""
        raise NotImplementedError

    @property
    def decided(self) -> list[str]:
        """Return the ids of documents in the order in which they were decided. The list grows."""
        return self._order

    def __getitem__(self, document: str) -> Entry:
        """Return the entry of a document that is decided."""
        return self._entries[document]

    def note(self, document: str, state: Mapping[str, Any]) -> None:
        """Note what is known now about a document that was opened."""
        if document in self._entries:
            self._entries[document] = self._entries[document]._replace(**state)

    def statistics(self) -> dict[str, Any]:
        """Return figures of all documents that are decided."""
        entries = [self._entries[name] for name in self._order]
        found: dict[str, Any] = {
            name: sum(getattr(each, name) for each in entries) for name in ("entities", "links", "conflicts")
        }
        verdicts = Counter(each.verdict for each in entries)
        labels: Counter[str] = Counter()
        skipped: Counter[str] = Counter()
        sizes: Counter[int] = Counter()
        for each in entries:
            labels.update(each.labels)
            skipped.update(each.skipped_links)
            sizes.update(each.sizes)
        counts = {"verdicts": verdicts, "labels": labels, "sizes_of_conflicts": sizes, "skipped_links": skipped}
        ordered = {name: dict(sorted(each.items())) for name, each in counts.items()}  # type: ignore[attr-defined]
        return {"documents": len(entries), **found, **ordered}

    def _add(self, entry: Entry) -> None:
        number = self._repeated.get(entry.name, 1)
        while entry.id in self._entries or not is_addressable(entry.id):
            number += 1
            entry = entry._replace(id=f"{entry.name}~{number}")
            self._repeated[entry.name] = number
        self._entries[entry.id] = entry
        self._order.append(entry.id)


# ----------------------------------------------------------------------------------------------------

_LINES = (".jsonl", ".ndjson", ".json")
_PAUSES = 10  # times as long as a look for new files took: the pause before the next one
_LAST_SECOND = 1  # for the thread to end by itself


def entry_of(found: Found, asked: CheckOptions) -> Entry:
    """Return the entry of a document. A function of values: it is worked out in another process."""
    check = check_document(found, asked)
    remarks = check.remarks if asked.calendar is not None else found.remarks if isinstance(found, Document) else ()
    return Entry(
        check.document,
        check.document,
        check.path or "",
        check.verdict.value,
        check.links,
        check.entities,
        len(check.conflicts),
        check.error,
        labels=counted_labels(found.links) if isinstance(found, Document) else {},
        codes=tuple(sorted({remark.code for remark in remarks})),
        sizes=tuple(sorted(map(len, check.conflicts))),
        skipped_links=check.skipped_links,
    )


class _Job(Asking[Entry]):
    """The job of making entries. A document that could be read and not be checked is undecided."""

    def given_up(self, name: str, path: str, reason: str, *, read: bool) -> Entry:
        found = super().given_up(name, path, reason, read=read)
        return found._replace(verdict=DocumentVerdict.UNDECIDED.value) if read else found


class Corpus(Listing):
    """The documents under some paths. ``start`` begins to decide about them, ``stop`` ends that."""

    def __init__(
        self, paths: Sequence[str], options: Options, budget: float | None, calendar: Calendar | None = None
    ) -> None:
        super().__init__()
        self._paths = list(paths)
        self._options = options
        self._job = _Job(partial(entry_of, asked=CheckOptions(budget=budget, calendar=calendar)))
        self._sources: list[Source | Unreadable] = []
        self._by_path: dict[str, Source | Unreadable] = {}
        self._by_place: dict[str, str] = {}  # the name of each file by where it is, all links followed
        self._same: dict[str, str] = {}  # names of files that are other files by another name
        self._numbers: dict[str, int] = {}
        self._begun = self._list_new()  # sources that an earlier look has found
        if not self._sources:
            raise UsageError(f"no document under {', '.join(paths)}: give files or folders with annotations")
        self._read = 0  # sources whose documents are known
        self._looking = threading.Lock()
        self._next_look = 0.0
        self._is_stopped = False
        self._prepare()

    def _prepare(self) -> None:
        self._cores: Cores[Source | Unreadable, Entry] = Cores(self._job, max(1, number_of_cores() - 1))
        self._thread = threading.Thread(target=self._decide, name="verdicts", daemon=True)

    def _list_new(self) -> int:
        """List the files that are not known yet, and return how many were known before."""
        known = len(self._sources)
        for each in sources(self._paths, self._options):
            if each.path in self._by_path:
                continue
            self._by_path[each.path] = found = self._confined(each)
            place = os.path.realpath(each.path)
            if place in self._by_place:
                self._same[_name(each)] = self._by_place[place]
                continue
            self._by_place[place] = _name(each)
            self._numbers[_name(each)] = len(self._sources)
            self._sources.append(found)
        return known

    def start(self) -> None:
        self._thread.start()

    def look_again(self) -> None:
        """Look for new files when all known ones are decided. Large folders, which take long to list, are not listed
        all the time.
        """
        with self._looking:
            if not self.done or self._is_stopped or monotonic() < self._next_look:
                return
            start = monotonic()
            self._begun = self._list_new()
            self._next_look = monotonic() + _PAUSES * (monotonic() - start)
            if self._begun < len(self._sources):
                self.done = False
                self._prepare()
                self._thread.start()

    def stop(self) -> None:
        """End all workers, whatever they are doing."""
        with self._looking:
            self._is_stopped = True
        self._cores.stop()
        if self._thread.is_alive():
            self._thread.join(_LAST_SECOND)

    def is_busy(self) -> bool:
        return self._thread.is_alive()  # it reads a large file

    # --- what is known -----------------------------------------------------------------------------------------------

    def pending(self) -> Iterator[Entry]:
        """Yield an entry for each file that was not read yet, named as its document is in most formats."""
        for source in self._sources[self._read :]:
            if _name(source) not in self._entries:
                yield Entry(_name(source), _name(source), source.path, PENDING)

    def entry(self, document: str) -> Entry:
        """Return an entry, also one of a document that was not decided yet. Raise KeyError if there is none."""
        document = self.one_name(document)
        found = self._entries.get(document)
        if found is not None:
            return found
        number = self._numbers.get(document, -1)
        if number < self._read:
            raise KeyError(document)
        return Entry(document, document, self._sources[number].path, PENDING)

    def knows(self, document: str) -> bool:
        """Return whether there is such a document, as far as is known now."""
        document = self.one_name(document)
        return document in self._entries or self._numbers.get(document, -1) >= self._read

    def one_name(self, document: str) -> str:
        """Return the id under which a document is listed: a file with two names is one document."""
        is_other = document not in self._entries and document not in self._numbers
        return self._same.get(document, document) if is_other else document

    def read(self, entry: Entry, data: bytes | None = None) -> Document:
        """Return a document, read from its file, or from the bytes of it. Raise InputError if that is not possible."""
        source = self._confined(self._by_path[entry.path], data)
        named = [each for each in _documents(_line_of(source, entry.name) or source) if each.id == entry.name]
        unreadable = [each for each in named if isinstance(each, Unreadable)]
        document = next((each for each in named if isinstance(each, Document)), None)
        if unreadable and (document is None or entry.verdict == DocumentVerdict.UNREADABLE.value):
            raise unreadable[0].error  # a second document of one name in a file is unreadable: the first is not meant
        if document is not None:
            return document
        if entry.verdict == PENDING:
            raise KeyError(entry.name)
        raise InputError(f"the document {shown(entry.name)} is no longer in this file", path=entry.path)

    # --- in the background -------------------------------------------------------------------------------------------

    def _decide(self) -> None:
        try:
            with self._cores, suppress(StoppedError):
                for number, entries in self._results():
                    self._read = number
                    for entry in entries:
                        self._add(entry)
                self._read = len(self._sources)
        except TemporacleError as error:  # workers cannot be started: documents can be opened all the same
            sys.stderr.write(printable(f"temporacle: not all documents were checked: {error}") + "\n")
        finally:
            self.done = True

    def _results(self) -> Iterator[tuple[int, list[Entry]]]:
        """Yield the entries of each piece, with the number of sources that are read by then."""
        under_way: deque[tuple[int, Task[Source | Unreadable, Entry]]] = deque()
        for number, piece in self._pieces():
            under_way.append((number, self._cores.give([piece])))
            if len(under_way) >= UNDER_WAY * number_of_cores():
                yield _taken(under_way)
        while under_way:
            yield _taken(under_way)

    def _pieces(self) -> Iterator[tuple[int, Source | Unreadable]]:
        for number, source in enumerate(self._sources[self._begun :], self._begun):
            for piece in (source,) if isinstance(source, Unreadable) else slices(source):
                yield number, piece

    def _confined(self, source: Source | Unreadable, data: bytes | None = None) -> Source | Unreadable:
        """Return a new source for the file, or why it may not be read. ``data``: the bytes of the file."""
        if isinstance(source, Unreadable):
            return source
        try:
            if self._options.confines is not None:
                self._options.confines.require(source.path)
            if data is not None:
                data = source.contents(data)
            elif os.path.isdir(source.path):  # noqa: PTH112 - names as the caller wrote them
                data = b""
        except InputError as error:
            return Unreadable(source.name, source.path, error)
        return Source(source.path, data, self._options, format=source.format)


def _name(source: Source | Unreadable) -> str:
    return source.id if isinstance(source, Unreadable) else source.name


def _taken(under_way: deque[tuple[int, Task[Source | Unreadable, Entry]]]) -> tuple[int, list[Entry]]:
    number, task = under_way.popleft()
    return number, [entry for entries in task.result() for entry in entries]


def _line_of(source: Source | Unreadable, name: str) -> Source | None:
    """Return the line of a document in a JSON Lines file, which is much quicker to read than the file."""
    if isinstance(source, Unreadable) or not source.path.endswith(_LINES):
        return None
    place = place_of(io.BytesIO(source.data), name, source)
    return None if place is None else place.source(source.path, source.options)


def _documents(source: Source | Unreadable) -> Iterator[Found]:
    for piece in (source,) if isinstance(source, Unreadable) else slices(source):
        yield from documents_of(piece)
