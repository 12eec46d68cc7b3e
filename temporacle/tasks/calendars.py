"""The calendar that a caller asks for, without loading anything where none is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.corpus.options import chosen_calendar as chosen_calendar  # noqa: PLC0414 - taken from here
from temporacle.model import Remark

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.calendar.facts import DocumentValues
    from temporacle.model import Document


def report_missing_values(document: Document, values: DocumentValues, report: Callable[[Remark], None] | None) -> None:
    """Report a document whose values were asked for and that has none."""
    if report is not None and not values.values:
        from temporacle.reasoner.clock.check import SILENT_VALUES

        report(Remark("no-values", f"{document.id}: {SILENT_VALUES}"))
