"""Reading by keyword, for notebooks and scripts: ``tp.read("gold/d1.tml", during="is_included")``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from temporacle import io
from temporacle.io.source import Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from temporacle.model import Document, Unreadable


class ReadingOptions(TypedDict, total=False):
    """What can be chosen about reading; the names are those of the command line."""

    format: str | None
    reading: str | None
    during: str
    encoding: str | None
    keep_unknown: bool
    doctimerel: bool


def read(path: str | PathLike[str], **options: Unpack[ReadingOptions]) -> Document:
    """The one document at a path. InputError if it cannot be read or holds several."""
    return io.read(path, Options(**options))


def read_corpus(
    *paths: str | PathLike[str], merge: bool = False, **options: Unpack[ReadingOptions]
) -> Iterator[Document | Unreadable]:
    """Every document under some files and folders; what cannot be read comes as Unreadable.

    ``merge`` joins documents of the same name, such as the tasks of TempEval-1.
    """
    found = io.read_corpus(paths, Options(**options))
    if not merge:
        return found
    from temporacle.io.merge import merged

    return merged(found)
