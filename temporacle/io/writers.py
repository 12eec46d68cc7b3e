"""The formats that can be written, by name. A new one is one file and one line here.

A writer is a function ``text(document, report) -> str``: the document in that format. ``report`` is told what the
format cannot hold. A document that cannot be written at all is an InputError there; ``write`` reports it as dropped
and goes on with the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import IO, TYPE_CHECKING, TypeAlias

from temporacle.errors import InputError, UsageError
from temporacle.io.files import atomic, safe_name
from temporacle.io.source import strip_suffixes
from temporacle.model import Action, Remark

if TYPE_CHECKING:
    from temporacle.model import Document

Report: TypeAlias = Callable[[Remark], None]
STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Writer:
    """Where a format's writer lives, and what its files look like."""

    name: str
    location: str  # "module:function"
    suffixes: tuple[str, ...]  # the first is given to new files
    about: str
    header: str = ""
    many: bool = True  # whether a file can hold several documents

    def text(self, document: Document, report: Report) -> str:
        module, function = self.location.split(":")
        written: str = getattr(import_module(module), function)(document, report)
        return written


_HERE = "temporacle.io"
WRITERS = {
    writer.name: writer
    for writer in (
        Writer("timeml", f"{_HERE}.write_timeml:text", (".tml", ".xml"), "TimeML 1.2.1", many=False),
        Writer("tsv", f"{_HERE}.write_tsv:text", (".tsv",), "links TSV", "document\tsource\trelation\ttarget\n"),
        Writer("jsonl", f"{_HERE}.write_jsonl:text", (".jsonl",), "JSON Lines: one document a line"),
        Writer("dot", f"{_HERE}.write_dot:text", (".dot", ".gv"), "Graphviz, to be drawn"),
        Writer(
            "csv",
            f"{_HERE}.write_csv:text",
            (".csv",),
            "one row a link, for spreadsheets",
            "document,id,source,relation,label,target,line,weight,task\r\n",
        ),
        Writer("csp", f"{_HERE}.write_csp:text", (".csp",), "constraint networks of GQR"),
    )
}


def writer_named(name: str) -> Writer:
    """The writer of that name, UsageError with the known names otherwise."""
    try:
        return WRITERS[name]
    except KeyError:
        raise UsageError(f"cannot write {name!r}: choose {', '.join(WRITERS)}") from None


def writer_for(path: str) -> Writer:
    """The writer that a file name asks for by its suffix."""
    for writer in WRITERS.values():
        if path.lower().endswith(writer.suffixes):
            return writer
    raise UsageError(f"the name {path} does not say which format to write: give --to {', '.join(WRITERS)}")


def write(
    documents: Iterable[Document], path: str | os.PathLike[str], format_name: str, report: Report | None = None
) -> int:
    """Write documents to a file, or to a folder with one file for each; returns how many were written.

    ``path`` is a folder if it is one already, ends with a slash, or has no suffix; ``-`` is standard output. If there
    is nothing to write, no file is made, and one that is there already stays.
    """
    writer = writer_named(format_name)
    name = os.fspath(path)
    tell = report or (lambda _remark: None)
    if name == STANDARD_OUTPUT:
        return _write_all(documents, sys.stdout, writer, tell, name)
    if is_folder(name):
        return _write_each(documents, name, writer, tell)
    count = 0
    with suppress(_NothingWrittenError), atomic(name) as file:
        count = _write_all(documents, file, writer, tell, name)
        if not count:
            raise _NothingWrittenError
    return count


class _NothingWrittenError(Exception):
    """Leaves the file that was begun without making it."""


def is_folder(path: str) -> bool:
    """Whether a path to be written means a folder."""
    return path.endswith(("/", os.sep)) or os.path.isdir(path) or not os.path.splitext(path)[1]  # noqa: PTH112, PTH122


def _write_all(documents: Iterable[Document], file: IO[str], writer: Writer, report: Report, name: str) -> int:
    file.write(writer.header)
    count = 0
    met: set[str] = set()
    for document in documents:
        if document.id in met:
            message = f"document {document.id!r} occurs again: in one file the two cannot be told apart"
            report(Remark("duplicate-document", message))
        met.add(document.id)
        if count and not writer.many:
            raise UsageError(f"{name}: a {writer.name} file holds one document: give a folder to write several")
        text = _text(document, writer, report)
        if text is not None:
            file.write(text)
            count += 1
    return count


def _write_each(documents: Iterable[Document], folder: str, writer: Writer, report: Report) -> int:
    count = 0
    for document, stem in _named_apart(documents, report):
        text = _text(document, writer, report)
        if text is not None:
            if not writer.many and strip_suffixes(stem) != document.id:  # a file of one document names it
                message = f"document {document.id!r} will be read as {strip_suffixes(stem)!r}, by the name of its file"
                report(Remark("renamed-document", message))
            with atomic(os.path.join(folder, stem + writer.suffixes[0])) as file:  # noqa: PTH118
                file.write(writer.header + text)
            count += 1
    return count


def _text(document: Document, writer: Writer, report: Report) -> str | None:
    if document.format == "jsonl" != writer.name and document.extras is not None:
        report(Remark("unknown-keys", f"{document.id}: keys that mean nothing here are kept in JSON Lines only"))
    try:
        return writer.text(document, report)
    except InputError as error:
        report(Remark("not-written", f"document {document.id!r} is not written: {error}", action=Action.DROPPED))
        return None


def _named_apart(documents: Iterable[Document], report: Report) -> Iterator[tuple[Document, str]]:
    """Documents with a file name each; names that some file systems would not tell apart get a number."""
    taken: dict[str, int] = {}
    for document in documents:
        stem = safe_name(document.id)
        taken[stem.casefold()] = number = taken.get(stem.casefold(), 0) + 1
        if number > 1:
            stem = f"{stem}~{number}"
            report(Remark("duplicate-document", f"document {document.id!r} occurs again: written as {stem}"))
        yield document, stem
