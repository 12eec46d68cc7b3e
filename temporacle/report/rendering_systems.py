"""One gold document and the answers to it, from links to HTML: functions of values, for this process or another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.report.gathering.systems import compared_page, not_compared
from temporacle.report.pages.systems import compared_article
from temporacle.report.values.systems import ComparedRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.report.gathering.systems import GoldWithAnswers
    from temporacle.report.values.systems import ComparedPage


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
