"""Reading and writing annotated corpora.

read_corpus(["gold", "more.jsonl"])    every document under some paths
sources(...), read_source(...)         the same in two stages, for a pool of processes
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.source import Options, Source
from temporacle.model import Document, PlainGraph, Remark, Unreadable
from temporacle.printing import shown

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Options", "Source", "read_corpus", "read_graphs", "read_source", "sources"]

Report = Callable[[Remark], None]
_DEFAULT = Options()


def read_corpus(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    options: Options = _DEFAULT,
    *,
    report: Report | None = None,
) -> Iterator[Document | Unreadable]:
    """Yield every document under some files and folders, one at a time.

    A file that cannot be read is yielded as Unreadable.

    A document id that occurred before gets a remark. ``report`` gets remarks about the corpus as a whole, for instance
    how many files of the operating system were skipped.
    """
    met: dict[str, str] = {}
    for source in sources(paths, options, report=report):
        for document in (source,) if isinstance(source, Unreadable) else read_source(source):
            yield _told_apart(document, met) if isinstance(document, Document) else document


def _told_apart(document: Document, met: dict[str, str]) -> Document:
    """Return the document, with a remark if its id occurred before."""
    if document.id not in met:
        met[document.id] = document.path or "somewhere else"
        return document
    remark = Remark("duplicate-document", f"document {shown(document.id)} was also read from {met[document.id]}")
    return dataclasses.replace(document, remarks=(*document.remarks, remark))


def sources(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    options: Options = _DEFAULT,
    *,
    report: Report | None = None,
) -> Iterator[Source | Unreadable]:
    """Yield the sources in order without reading them.

    This is cheap, and a source is small enough to send to another process.
    """
    from temporacle.io.listing import listing, watched

    tell = report or (lambda _remark: None)
    found = listing(paths, options, tell)
    if options.mapping is None:
        return found
    return watched(found, options, tell)


def read_source(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of one source. A file that cannot be used becomes one Unreadable, never an exception."""
    from temporacle.io.formats import format_named
    from temporacle.io.recognise import recognise

    try:
        yield from format_named(recognise(source)).reader()(source)
    except InputError as error:
        yield Unreadable(source.name, source.path, error)


def read_graphs(source: Source) -> Iterator[Document | PlainGraph | Unreadable]:
    """Yield the same, with plain graphs in place of documents wherever that is much faster."""
    from temporacle.io.timeml.fast import plain_graph

    try:
        plain = plain_graph(source, _only_document)  # before the format is recognised, which takes a parsed tree
        if plain is not None:
            yield plain
            return
        from temporacle.io.formats import format_named
        from temporacle.io.recognise import recognise

        yield from format_named(recognise(source)).graph_reader()(source)
    except InputError as error:
        yield Unreadable(source.name, source.path, error)


def _only_document(source: Source) -> Document | Unreadable:
    """Return the document of a TimeML file. Its tree is kept, because most who ask for it want the text, too."""
    from temporacle.io.xml import parse

    with suppress(InputError):  # the reader finds the same fault, and makes it the result
        source.tree = parse(source)
    tree = source.tree
    (found,) = read_source(source)
    source.tree = tree
    return found
