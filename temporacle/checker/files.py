"""The digest that binds a certificate to its file."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest(path: str) -> str:
    """Return the SHA-256 of a file; for a folder, of the sorted list of its files and digests (as sha256sum)."""
    place = Path(path)
    if not place.is_dir():
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    files = (file for file in place.rglob("*") if file.is_file())
    rows = sorted(_row(digest(str(file)), file.relative_to(place).as_posix()) for file in files)
    return hashlib.sha256("".join(rows).encode("utf-8", "surrogateescape")).hexdigest()


def _row(sha256: str, name: str) -> str:
    """Return the line that sha256sum writes: with line breaks escaped, so that no name can pass for two."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if escaped == name else chr(92)}{sha256}  {escaped}\n"
