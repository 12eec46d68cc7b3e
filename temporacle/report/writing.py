"""Write pages: one file, or an index with linked pages, one for each document.

A page with everything is kept as long as documents are few. With more, details go to the folder ``NAME_files`` next to
``NAME.html``, and the page itself stays small enough to open at once.

Nothing is written through a symbolic link: a link in the place of the page or of the folder is refused, a link in the
place of a file in that folder is replaced by the file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from temporacle.errors import UsageError
from temporacle.io.files import atomic_bytes
from temporacle.report.document import values
from temporacle.report.document.page import document_page

if TYPE_CHECKING:
    import os

_OWN_PAGE = re.compile(r"d\d+(-\d+)?\.html")


class PageWriter:
    """Takes documents as they come. Once each has a page of its own, no page is held in memory.

    ``linked`` None: as soon as there are more than a few documents.
    """

    def __init__(self, target: str | os.PathLike[str], *, linked: bool | None = None) -> None:
        self.target = Path(target)
        self.folder = self.target.with_name(f"{self.target.stem}_files")
        self.linked = bool(linked)
        self._auto = linked is None
        self._documents = 0
        self.keys: dict[str, None] = {}  # of documents with details
        self.articles: dict[str, str] = {}  # those that stand on the page itself
        self._titles: dict[str, str] = {}
        self._has_folder = False
        if not self.target.parent.is_dir():
            raise UsageError(f"cannot write {self.target}: the folder {self.target.parent} does not exist")
        if self.target.is_dir():
            raise UsageError(f"cannot write {self.target}: it is a folder")
        _refuse_link(self.target)
        if self.target.exists() and not self.target.is_file():
            raise UsageError(f"cannot write {self.target}: it is a device or a pipe; give the name of a file")
        _refuse_link(self.folder)

    @property
    def written(self) -> tuple[Path, ...]:
        """Return the page and the linked pages, once they are finished."""
        beside = (self.folder / f"{key}.html" for key in self.keys) if self.linked else ()
        return (self.target, *beside)

    def add(self, key: str, title: str, article: str | None) -> None:
        """Take one more document; ``key`` names it inside the page and as a file. No article: it has no details."""
        self._documents += 1
        if article is not None:
            self.keys[key] = None
            self.articles[key] = article
            self._titles[key] = title
        self.linked = self.linked or (self._auto and self._documents > values.DOCUMENTS)
        if self.linked:
            self._spill()

    def href(self, key: str) -> str | None:
        """Return where the details of a document are, seen from the page; None if it has none."""
        if key not in self.keys:
            return None
        return f"{quote(self.folder.name)}/{key}.html" if self.linked else f"#{key}"

    def _spill(self) -> None:
        if not self._has_folder:
            self._make_folder()
        if not self.articles:
            return
        _refuse_link(self.folder)
        back = f"../{quote(self.target.name)}"
        for key, article in self.articles.items():
            _write(self.folder / f"{key}.html", document_page(self._titles[key], article, back))
        self.articles.clear()
        self._titles.clear()

    def _make_folder(self) -> None:
        _refuse_link(self.folder)
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write to {self.folder}: {error.strerror or error}") from error
        self._has_folder = True

    def finish(self, page: str) -> None:
        """Write the page itself, last, and remove pages of earlier reports."""
        _refuse_link(self.target)
        _write(self.target, page)
        if self.folder.is_dir() and not self.folder.is_symlink():
            current = {f"{key}.html" for key in self.keys} if self.linked else set()
            for old in self.folder.iterdir():
                if _OWN_PAGE.fullmatch(old.name) and old.name not in current:
                    old.unlink()


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise UsageError(f"cannot write {path}: it is a symbolic link; remove it, or choose another name for the page")


def _write(path: Path, text: str) -> None:
    """Write a complete file or none. Half a surrogate pair, as in undecodable file names, is shown as an escape."""
    with atomic_bytes(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
