"""Reading by keyword, for notebooks and scripts: ``tp.read("gold/d1.tml", during="is_included")``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from temporacle import io
from temporacle.corpus.inputs import ReadingOptions, require_columns
from temporacle.io.source import Options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.corpus.inputs import PathName
    from temporacle.model import Document, Unreadable


def read(path: PathName, **reading: Unpack[ReadingOptions]) -> Document:
    """Return the one document at a path. Raise InputError if it cannot be read or holds several.

    ``path``: a file, or a folder in a format that is a folder.
    ``reading``, ``during``, ``format``, ``encoding``, ``keep_unknown``, ``doctimerel``, ``mapping``: as on
    the command line.

    >>> read("examples/corpus/ferry.tml")
    Document('ferry', 8 links)
    """
    options = Options(**reading)
    require_columns(options, path)
    return io.read(path, options)


def read_corpus(
    *paths: PathName, merge: bool = False, **reading: Unpack[ReadingOptions]
) -> Iterator[Document | Unreadable]:
    """Yield every document under some files and folders, one at a time. Unreadable files are yielded as Unreadable.

    ``paths``: files and folders.
    ``merge``: join documents of the same name, such as the tasks of TempEval-1.
    ``reading``, ``during``, ``format``, ``encoding``, ``keep_unknown``, ``doctimerel``, ``mapping``: as on
    the command line.

    >>> [document.id for document in read_corpus("examples/gold")]
    ['harbour', 'market']
    """
    options = Options(**reading)
    require_columns(options, *paths)
    found = io.read_corpus(paths, options)
    if not merge:
        return found
    from temporacle.corpus.inputs import merged

    return merged(found)
