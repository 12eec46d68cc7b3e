"""Turn the inputs of a caller into documents: paths, documents, statements or frames.

documents("gold/")                                   files and folders, read as they come
documents([document, other])                         documents as they are
documents([("left", "BEFORE", "docked")])            statements: one document
documents(frame)                                     columns source, relation, target; document if there are many

Options about reading are keywords, named as on the command line: ``during="is_included"`` (``ReadingOptions``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from temporacle.errors import InputError, UsageError
from temporacle.io import read_corpus
from temporacle.io.frames import is_frame, read_frame
from temporacle.io.source import Options
from temporacle.model import Document, HowRead, Statement, Unreadable, as_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.io.tools.mapping import Mapping
    from temporacle.model import Remark
    from temporacle.readings import Reading
    from temporacle.runner.documents import Piece

Path: TypeAlias = str | os.PathLike[str]
Found: TypeAlias = Document | Unreadable
Inputs: TypeAlias = Path | Iterable[Path] | Document | Iterable[Found] | Iterable[Statement] | Any
"""A path or several, a document or several, statements of one document, or a frame."""

_EXPECTED = (
    'give a path, a Document, a list of these, statements such as ("left", "BEFORE", "docked"),'
    " or a frame with the columns source, relation and target"
)


class ReadingOptions(TypedDict, total=False):
    """The options for reading. They have the same names as on the command line."""

    format: str | None  # read as this format instead of recognising it
    reading: str | Reading | None  # timeml, tempeval, dense, ..., a TOML file, or a Reading; None: the format decides
    during: str  # what TimeML's DURING means: simultaneous or is_included
    encoding: str | None  # of text files, if not UTF-8
    keep_unknown: bool  # keep links to ids that the file does not declare
    doctimerel: bool  # Anafora, annotation tools: read DocTimeRel as links to the creation time
    mapping: str | Mapping | None  # what names mean in files of annotation tools: e3c, timeset, or a TOML file
    columns: Any  # of tables, as text ("source=event1,relation=pred") or as a mapping of roles to headers


READING_OPTIONS = tuple(ReadingOptions.__annotations__)


def options_for(source: Inputs, reading: ReadingOptions) -> Options:
    """Return how to read a source. Raise UsageError if it has been read already: the options would have no effect."""
    chosen = [name for name, value in reading.items() if value not in (None, False, ())]
    if chosen and is_read(source):
        raise UsageError(
            f"{', '.join(chosen)}: options about reading have no effect on documents that have been read already;"
            " give them where the documents are read"
        )
    options = Options(**reading)
    require_columns(options, source)
    return options


def require_budget(seconds: float | None) -> None:
    """Raise UsageError for a time limit that is not a number of seconds."""
    if seconds is not None and not seconds >= 0:
        raise UsageError(f"budget is {seconds!r}; it must be a number of seconds from 0 on, or None for no limit")


def require_columns(options: Options, *sources: Inputs) -> None:
    """Raise UsageError if the caller names columns that no file of the sources has."""
    if options.named_columns and all(paths_of(source) is not None for source in sources):
        from temporacle.io.named_columns import require_named_columns

        require_named_columns(options, [path for source in sources for path in paths_of(source) or ()])


def is_read(source: Inputs) -> bool:
    """Return whether a source holds documents that have already been read or made."""
    first = source[0] if isinstance(source, list | tuple) and source else source
    return isinstance(first, Document | Unreadable)


def paths_of(source: Inputs) -> list[str] | None:
    """Return the paths if paths were given; None otherwise. Nothing is read."""
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    if isinstance(source, list | tuple) and source and all(isinstance(each, str | os.PathLike) for each in source):
        return [os.fspath(each) for each in source]
    return None


def documents(
    source: Inputs,
    options: Options = Options(),  # noqa: B008 - an immutable value
    *,
    report: Callable[[Remark], None] | None = None,
) -> Iterator[Found]:
    """Yield the documents of a source, one at a time. What cannot be read is yielded as Unreadable."""
    if (paths := paths_of(source)) is not None:
        return read_corpus(paths, options, report=report)
    if isinstance(source, Document | Unreadable):
        return iter((source,))
    if is_frame(source):
        return read_frame(source, options)
    if not isinstance(source, Iterable):
        raise UsageError(f"cannot read documents from a {type(source).__name__}: {_EXPECTED}")
    return _documents_among(iter(source), options)


def _documents_among(items: Iterator[Any], options: Options) -> Iterator[Found]:
    """Yield the documents of several items. The first item decides how the others are treated."""
    first = next(items, None)
    if first is None:
        return iter((statements((), options),))  # a document without links, with the labels that were asked for
    every = chain((first,), items)
    if isinstance(first, Document | Unreadable):
        return map(_checked_document, every)
    if isinstance(first, str | os.PathLike):
        return read_corpus(list(map(os.fspath, every)), options)
    return iter((statements(every, options),))


def _checked_document(item: object) -> Found:
    if not isinstance(item, Document | Unreadable):
        raise UsageError(f"a list of documents holds a {type(item).__name__}: {_EXPECTED}")
    return item


def statements(items: Iterable[Any], options: Options, name: str = "document") -> Document:
    """Return one document made from statements, with labels read as the options say.

    Raise LabelError for unknown labels.
    """
    reading = options.links_reading()
    links = tuple(as_link(item, position, reading) for position, item in enumerate(items, 1))
    return Document(name, links, how_read=HowRead("statements", reading, options.choices))


def one_document(source: Inputs, options: Options = Options()) -> Document:  # noqa: B008 - an immutable value
    """Return the only document of a source. Raise InputError if it cannot be read, UsageError if there are several."""
    found = documents(source, options)
    first = next(found, None)
    if first is None:
        raise InputError("holds no document", path=str((paths_of(source) or ["the source"])[0]))
    if isinstance(first, Unreadable):
        raise first.error
    if (second := next(found, None)) is not None:
        raise UsageError(
            f"expected one document, got several ({first.id}, {second.id}, ...): choose one, for instance from"
            " read_corpus"
        )
    return first


def pieces_of(source: Inputs, options: Options, report: Callable[[Remark], None], *, loaded: bool) -> Iterator[Piece]:
    """Yield the documents of a source as items for the runner. Files are read where the work is done.

    ``loaded``: files carry their content, for other machines and for journals.
    """
    from temporacle.runner.documents import pieces

    paths = paths_of(source)
    return documents(source, options, report=report) if paths is None else pieces(paths, options, report, loaded=loaded)
