"""Documents to files: ``tp.write``, ``tp.convert`` and ``temporacle convert``."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from temporacle.corpus.inputs import Asking, documents, merged, paths_of
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import ConvertingOptions, Going
from temporacle.declared import OUTPUT, About, whole_task
from temporacle.errors import UsageError
from temporacle.frames import html_table, to_frame
from temporacle.io.listing import refuse_to_replace
from temporacle.io.writers import STANDARD_OUTPUT, WRITERS, writer_for, writer_named
from temporacle.io.writers import write as write_files
from temporacle.model import Action, Document, Remark, Unreadable, skipped_words, unchecked_words
from temporacle.results import HasWarnings
from temporacle.rules import UNCHECKED, trouble_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.corpus.inputs import Found, Inputs, PathName


@dataclass(frozen=True, slots=True, repr=False)
class Written(HasWarnings):
    """The result of a conversion: what was written, and what was lost."""

    path: str
    format: str
    documents: int
    unreadable: tuple[Unreadable, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())  # about links and documents; those with Action.DROPPED are lost
    read: int = 0  # documents that could be read

    @property
    def dropped(self) -> tuple[Remark, ...]:
        """Return the remarks on links that could not be read and documents that could not be written."""
        return tuple(remark for remark in self.remarks if remark.action is Action.DROPPED)

    def __repr__(self) -> str:
        lost = f", {len(self.unreadable)} unreadable" if self.unreadable else ""
        lost += skipped_words(self.skipped_links)
        return f"Written({self.path!r}, {self.documents} documents as {self.format}{lost})"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, and a description of what was lost."""
        return {
            "path": self.path,
            "format": self.format,
            "documents": self.documents,
            "unreadable": [str(each.error) for each in self.unreadable],
            "dropped": [remark.message for remark in self.dropped],
            "skipped_links": self.skipped_links,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row."""
        row = self.to_dict()
        return to_frame([row], tuple(row))

    def _repr_html_(self) -> str:
        row = self.to_dict()
        cells = ["; ".join(cell) if isinstance(cell, list) else cell for cell in row.values()]
        return html_table(tuple(row), [cells], repr(self))


def write(source: Inputs, path: PathName, *, format: str | None = None) -> Written:  # noqa: A002 - as everywhere
    """Write documents to a file, or to a folder with one file for each.

    Args:
        source: Documents, statements of one document, or a frame. An Unreadable among them raises its error.
        path: A folder if it is one already, ends with a slash or has no suffix; otherwise a file.
        format: One of the formats that can be written; None: the suffix of ``path`` decides.

    Returns:
        What was written.

    Raises:
        UsageError: The format cannot be written.

    Examples:
        >>> import tempfile
        >>> from temporacle.model import Document
        >>> folder = tempfile.TemporaryDirectory()
        >>> written = write(Document("d", [("a", "BEFORE", "b")]), folder.name + "/d.tsv")
        >>> written.documents, written.format
        (1, 'tsv')
        >>> folder.cleanup()
    """
    return _written(_readable(documents(source)), path, format)


@whole_task
def convert(
    source: Annotated[Inputs, About("A file or folder; - is standard input.", value="IN", path="read")],
    path: Annotated[
        PathName | None, About("A file, a folder, or - for standard output.", value="[OUT]", path="place")
    ] = None,
    *,
    out: Annotated[
        PathName | None, About("The same as OUT.", value="OUT", path="place", group=OUTPUT, short="-o")
    ] = None,
    to: Annotated[
        str | None, About(f"{', '.join(WRITERS)}. Default: the suffix of OUT decides.", value="FORMAT", group=OUTPUT)
    ] = None,
    merge: Annotated[bool, About("Join documents of the same name, such as the tasks of TempEval-1.")] = False,
    observer: Observer = SILENT,
    **shared: Unpack[ConvertingOptions],
) -> Written:
    """Read documents and write them in another format. What cannot be read is left out and listed in the result.

    A path is a folder if it is one already, ends with a slash or has no suffix; otherwise a file.

    Args:
        observer: Gets what could not be used.

    Returns:
        What was written, and what could not be read.

    Raises:
        UsageError: The format cannot be written, or the target is an input.

    Examples:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> convert("examples/gold", folder.name + "/gold.jsonl").documents
        2
        >>> folder.cleanup()
    """
    place = path if out is None else out
    if place is None or (path is not None and out is not None):
        raise UsageError("name one place to write to: OUT, or -o OUT")
    listener = _Listener(observer)
    going = Going.over(source, shared)
    if going.plan.jobs is None:
        going = replace(going, plan=replace(going.plan, jobs=_JOBS))
    _protect(source, place, to)
    return _written(listener.documents(source, going, merge=merge), place, to, listener)


_JOBS = 1  # a document costs as much to send to this process as to read


def _itself(found: Found) -> Found:
    return found


def _protect(source: Inputs, path: PathName, to: str | None) -> None:
    """Refuse to write over files that are read: what a format cannot hold would be lost."""
    read, where = paths_of(source) or [], os.fspath(path)
    if not read or where == STANDARD_OUTPUT:
        return
    refuse_to_replace(where, read)
    if to and os.path.isdir(where):  # noqa: PTH112
        suffix = writer_named(to).suffixes[0]
        for name in sorted(os.listdir(where)):  # noqa: PTH208
            if name.endswith(suffix):
                refuse_to_replace(os.path.join(where, name), read)  # noqa: PTH118


class _Listener(Observer):
    """Notes what was lost, and passes everything on."""

    def __init__(self, observer: Observer = SILENT) -> None:
        self._observer = observer
        self.read = 0
        self.unreadable: list[Unreadable] = []
        self.remarks: list[Remark] = []

    def documents(self, source: Inputs, going: Going, *, merge: bool) -> Iterator[Document]:
        """Yield the readable documents."""
        from temporacle.corpus.each import each_piece

        job: Asking[Found] = Asking(_itself, limit=going.limit)
        found = (document for _, document in each_piece(source, job, going, self))
        for document in merged(found) if merge else found:
            for trouble in trouble_with(document):
                self._observer.unusable(*trouble)
            if isinstance(document, Unreadable):
                self.unreadable.append(document)
            else:
                if document.is_unchecked:
                    remark = Remark(UNCHECKED, unchecked_words(document.dropped), element=document.id)
                    self._observer.unusable(document.path, remark)
                self.read += 1
                self.remarks += document.dropped
                yield document

    @property
    def wants_progress(self) -> bool:  # type: ignore[override]
        return self._observer.wants_progress

    def advanced(self, documents: int, size: int) -> None:
        self._observer.advanced(documents, size)

    def corpus_remark(self, remark: Remark) -> None:
        """Record a remark of a reader or writer about its work as a whole."""
        self.remarks.append(remark)
        self._observer.corpus_remark(remark)


def _readable(found: Iterable[Found]) -> Iterator[Document]:
    for document in found:
        if isinstance(document, Unreadable):
            raise document.error
        yield document


def _written(found: Iterable[Document], path: PathName, name: str | None, listener: _Listener | None = None) -> Written:
    where = os.fspath(path)
    heard = listener or _Listener()
    try:
        writer = writer_named(name) if name else writer_for(where)
    except UsageError:
        if name:
            raise
        known = ", ".join(WRITERS)
        raise UsageError(f"the name {where} has no suffix of a known format: choose one of {known}") from None
    count = write_files(found, where, writer.name, heard.corpus_remark)
    return Written(where, writer.name, count, tuple(heard.unreadable), tuple(heard.remarks), heard.read)
