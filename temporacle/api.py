"""Reading by keyword, for notebooks and scripts: ``tp.read("gold/d1.tml", during="is_included")``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle import io
from temporacle.io.source import Options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from temporacle.model import Document, Unreadable


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the name users know from the command line
    reading: str | None = None,
    during: str = "simultaneous",
    encoding: str | None = None,
) -> Document:
    """The one document at a path. InputError if it cannot be read or holds several."""
    return io.read(path, Options(format=format, reading=reading, during=during, encoding=encoding))


def read_corpus(
    *paths: str | PathLike[str],
    format: str | None = None,  # noqa: A002 - the name users know from the command line
    reading: str | None = None,
    during: str = "simultaneous",
    encoding: str | None = None,
) -> Iterator[Document | Unreadable]:
    """Every document under some files and folders; what cannot be read comes as Unreadable."""
    each: Iterable[str | PathLike[str]] = paths
    return io.read_corpus(each, Options(format=format, reading=reading, during=during, encoding=encoding))
