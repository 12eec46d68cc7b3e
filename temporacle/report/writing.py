"""Write pages: one file, or an index with linked pages, one for each document.

A page with everything is kept as long as documents are few. With more, details go to the folder ``NAME_files`` next to
``NAME.html``, and the page itself stays small enough to open at once.

Nothing is written through a symbolic link: a link in the place of the page or of the folder is refused, a link in the
place of a file in that folder is replaced by the file.

A document is rendered by functions of values, for this process or another.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from temporacle.errors import UsageError
from temporacle.io.files import atomic_bytes, require_writable
from temporacle.model import PlainGraph
from temporacle.reasoner.check import check_graph
from temporacle.report.document import values
from temporacle.report.document.gather import asked_by_report, checked, page_of, row_of
from temporacle.report.document.page import document_article, document_page
from temporacle.report.html import shown_path
from temporacle.report.systems.gather import compared_page, not_compared
from temporacle.report.systems.page import compared_article
from temporacle.report.systems.values import ComparedRow
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.model import Document, Unreadable
    from temporacle.report.document.values import DocumentRow
    from temporacle.report.systems.gather import GoldWithAnswers
    from temporacle.report.systems.values import ComparedPage


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
        self._waiting: tuple[str, str, str] | None = None  # key, title and article of the page to be written next
        self._last = ""  # key of the page before
        _refuse_link(self.target)
        require_writable(self.target)
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
        for key, article in self.articles.items():
            self._write_waiting(key)
            self._waiting = (key, self._titles[key], article)
        self.articles.clear()
        self._titles.clear()

    def _write_waiting(self, following: str = "") -> None:
        """Write the page that waited until it is known which one comes next."""
        if self._waiting is None:
            return
        _refuse_link(self.folder)
        key, title, article = self._waiting
        near = [f"{each}.html" if each else "" for each in (self._last, following)]
        _write(self.folder / f"{key}.html", document_page(title, article, f"../{quote(self.target.name)}", *near))
        self._waiting, self._last = None, key

    def _make_folder(self) -> None:
        _refuse_link(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {self.folder}: {error.strerror or error}") from error
        self._has_folder = True

    def finish(self, page: str) -> None:
        """Write the page itself, last, and remove pages of earlier reports."""
        self._write_waiting()
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


# Documents are drawn in other processes, which do not know their place in the corpus. Until it is known, this stands
# for the name under which a page keeps a document. A text that contains it only sees it replaced by such a name.
_SOME_KEY = "\ue000key\ue000"


class RenderedDocument(NamedTuple):
    """A document ready to be written: its row in the table and its part of a page, None if it has none."""

    row: DocumentRow
    article: str | None

    def named(self, key: str) -> RenderedDocument:
        """Return the document under the name that it has in the report."""
        article = None if self.article is None else self.article.replace(_SOME_KEY, key)
        return RenderedDocument(self.row._replace(key=key), article)


def rendered_document(
    found: Document | PlainGraph | Unreadable,
    budget: float | None = None,
    root: str | None = None,
    *,
    brief: bool = False,
    calendar: Calendar | None = None,
) -> RenderedDocument:
    """Return one document of a corpus, checked and drawn, without a name.

    ``root``: what the page leaves out at the beginning of paths (see ``shown_path``).
    ``brief``: no details of documents about which there is nothing to say but that they are consistent, and no drawings
    of those that are consistent and have remarks.
    ``calendar``: how values of time expressions are read; None: they are not.
    """
    check = None
    if isinstance(found, PlainGraph):
        check = check_graph(found, asked_by_report(budget, calendar))
        if brief and check is not None and not found.remarks:
            return RenderedDocument(_row(found, check, root), None)
        found = found.complete()
    check = check or checked(found, budget, calendar)
    row = _row(found, check, root)
    if brief and row.is_plain:
        return RenderedDocument(row, None)
    drawn = not (brief and row.verdict is DocumentVerdict.CONSISTENT)
    page = page_of(found, budget, check, drawn=drawn, calendar=calendar)
    return RenderedDocument(row, document_article(page, _SOME_KEY, row.place))


def _row(found: Document | PlainGraph | Unreadable, check: Check, root: str | None) -> DocumentRow:
    row = row_of(found, check, _SOME_KEY)
    return row._replace(place=shown_path(row.path, root))


# ----------------------------------------------------------------------------------------------------
# One gold document and the answers to it, from links to HTML: functions of values, for this process or another.


class RenderedComparison(NamedTuple):
    """A gold document and its answers, ready to be written."""

    row: ComparedRow
    article: str


def rendered_comparison(item: GoldWithAnswers, names: Sequence[str], budget: float | None = None) -> RenderedComparison:
    """Return one gold document with the links of all systems judged and drawn."""
    return _comparison(item, compared_page(item, budget), names)


def failed_comparison(item: GoldWithAnswers, reason: str, names: Sequence[str]) -> RenderedComparison:
    """Return the entry that stands for a gold document that could not be compared."""
    return _comparison(item, not_compared(item, reason), names)


def _comparison(item: GoldWithAnswers, page: ComparedPage, names: Sequence[str]) -> RenderedComparison:
    gold_links = max((sum(each.side == "gold" for each in a.links) for a in page.answers if a), default=0)
    row = ComparedRow(item.key, page.id, gold_links, tuple(a.figures if a else None for a in page.answers))
    return RenderedComparison(row, compared_article(page, item.key, names))
