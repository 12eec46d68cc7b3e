"""One document, from reading to HTML: functions of values, for this process or another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import PlainGraph
from temporacle.reasoner.check import check_graph
from temporacle.report.gathering.document import asked_by_report, checked, page_of, row_of
from temporacle.report.names import shown_path
from temporacle.report.pages.document import document_article
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.model import Document, Unreadable
    from temporacle.report.values.document import DocumentRow

# Documents are drawn in other processes, which do not know their place in the corpus. Until it is known, this stands
# for the name under which a page keeps a document. A text that contains it only sees it replaced by such a name.
_SOME_KEY = "\ue000key\ue000"


class RenderedDocument(NamedTuple):
    """A document ready to be written: its row in the table and its part of a page, None if it has none."""

    row: DocumentRow
    article: str | None

    def named(self, key: str) -> RenderedDocument:
        """Return the same with the name that it has in the report."""
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
