"""The limits of a corpus on the disk: no file outside the paths that were given is read or written.

A symbolic link in a corpus may lead anywhere. A document is refused if its file, or a file that belongs to it such as
the text of a brat file, is a link that leads outside.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BESIDE = sorted({suffix for entry in FORMATS.values() for suffix in entry.beside})


class Confines:
    """The files and folders that were given, as the system knows them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.roots = [os.path.realpath(path) for path in paths]

    def holds(self, path: str | os.PathLike[str]) -> bool:
        """Return whether a path leads to one of the roots or into one, all links followed."""
        place = PurePath(os.path.realpath(path))
        return any(place.is_relative_to(root) for root in self.roots)

    def require(self, path: str) -> None:
        """Raise InputError if a document's file, or a file that belongs to it, is outside."""
        for file in self._files(path):
            if not self.holds(file):
                raise InputError(
                    "is a link that leads outside the corpus; it is not read",
                    path=file,
                    cure="copy the file into the corpus, or give the folder that it leads to as another PATH",
                )

    def _files(self, path: str) -> Iterator[str]:
        yield path
        if os.path.isdir(path):  # noqa: PTH112 - names as the caller wrote them
            yield from (entry.path for entry in os.scandir(path) if entry.is_symlink())
            return
        # What stands beside a file that was given itself belongs to what was given.
        for suffix in _BESIDE:
            beside = Path(path).with_suffix(suffix)
            if beside.is_symlink() and not PurePath(os.path.realpath(beside)).is_relative_to(beside.parent.resolve()):
                yield str(beside)
