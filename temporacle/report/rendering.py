"""One document, from reading to HTML: functions of values, for this process or another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import PlainGraph
from temporacle.reasoner.check import check_graph
from temporacle.report.document.gather import asked_by_report, checked, page_of, row_of
from temporacle.report.document.page import document_article
from temporacle.report.html import shown_path
from temporacle.report.systems.gather import compared_page, not_compared
from temporacle.report.systems.page import compared_article
from temporacle.report.systems.values import ComparedRow
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.model import Document, Unreadable
    from temporacle.report.document.values import DocumentRow
    from temporacle.report.systems.gather import GoldWithAnswers
    from temporacle.report.systems.values import ComparedPage

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
