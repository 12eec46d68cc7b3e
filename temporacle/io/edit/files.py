"""Write changed files: compressed as before, never incomplete, and never over a newer version of the file."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.files import atomic_bytes
from temporacle.io.formats import FORMATS
from temporacle.io.limits import GZIP

if TYPE_CHECKING:
    from temporacle.io.source import Source


def packed_like(original: bytes, data: bytes) -> bytes:
    """Return new content of a file, compressed if the file is compressed."""
    return gzip.compress(data, mtime=0) if original.startswith(GZIP) else data


class Original:
    """A file as it was when it was read. Its source must not be read before."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        try:
            self._bytes = Path(source.path).read_bytes()
        except OSError as error:
            raise InputError(f"cannot be opened: {error.strerror or error}", path=source.path) from error

    def packed(self, data: bytes) -> bytes:
        """Return new content, compressed if the file is compressed."""
        return packed_like(self._bytes, data)

    def is_at(self, path: str) -> bool:
        """Return whether a path leads to this file."""
        return os.path.exists(path) and os.path.samefile(path, self.path)  # noqa: PTH110, PTH121

    def replace(self, path: str, data: bytes) -> None:
        """Write new content, which may replace this file. Raise InputError if the file has changed meanwhile."""
        if self.is_at(path):
            if Path(self.path).read_bytes() != self._bytes:
                raise InputError("changed while it was being edited: it is left alone", path=path, cure="try again")
            path = os.path.realpath(path)  # a link to the file stays a link
        with atomic_bytes(path) as file:
            file.write(self.packed(data))


def copy_beside(path: str, target: str, format_name: str) -> None:
    """Copy the files that belong to a file, such as its text, to where its changed version stands."""
    for suffix in FORMATS[format_name].beside:
        text, copy = Path(path).with_suffix(suffix), Path(target).with_suffix(suffix)
        if text.is_file() and not (copy.exists() and copy.samefile(text)):
            with atomic_bytes(copy) as file:
                file.write(text.read_bytes())
