"""The pages, scripts and styles of the workbench, as the browser gets them: with the token in every address.

All files are read at the start and found by name in a dictionary, so no request can lead to another file.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

PAGES = {"/": "corpus.html", "/document": "document.html", "/adjudicate": "adjudicate.html"}
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_TEXT = ("html", "js", "css")
_SHARED = ("colours.css", "dark.css")  # of the report: colours stand in one place
_IMPORT = re.compile(r"""(\b(?:from|import)\s*\(?\s*)(["'])(\./[\w./-]+\.js)\2""")


class StaticFile(NamedTuple):
    """The content of a file and its type."""

    data: bytes
    media_type: str


def static_files(token: str) -> dict[str, StaticFile]:
    """Return all files by name, with the token put where it is needed."""
    package = files("temporacle")
    shared = (package.joinpath("report", "pages", "templates", name) for name in _SHARED)
    found = (*_listed(package.joinpath("workbench", "static")), *shared)
    return {each.name: _made(each, token) for each in found}


def _listed(folder: Traversable) -> Iterator[Traversable]:
    if folder.is_dir():
        yield from (each for each in folder.iterdir() if each.name.rpartition(".")[2] in _TYPES)


def _made(file: Traversable, token: str) -> StaticFile:
    kind = file.name.rpartition(".")[2]
    if kind not in _TEXT:
        return StaticFile(file.read_bytes(), _TYPES[kind])
    return StaticFile(with_token(file.read_text("utf-8"), kind, token).encode(), _TYPES[kind])


def with_token(text: str, kind: str, token: str) -> str:
    """Return a file with the token in the addresses that it names.

    >>> with_token('<link href="static/page.css?token={{token}}">', "html", "t0")
    '<link href="static/page.css?token=t0">'
    >>> with_token('import { draw } from "./timeline.js";', "js", "t0")
    'import { draw } from "./timeline.js?token=t0";'
    """
    if kind == "js":
        return _IMPORT.sub(rf"\1\2\3?token={token}\2", text)
    return text.replace("{{token}}", token)
