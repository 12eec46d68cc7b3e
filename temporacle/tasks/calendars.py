"""The calendar that a caller asks for, without loading anything where none is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.model import Remark

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.calendar.facts import DocumentValues
    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document


def chosen_calendar(
    calendar: str | bool | Calendar | None,  # noqa: FBT001 - True is short for the default
    hemisphere: str | None = None,
    zone: str | None = None,
) -> Calendar | None:
    """Return how values are read; None if they are not used."""
    if not calendar:
        for option, value in (("hemisphere", hemisphere), ("zone", zone)):
            if value is not None:
                raise UsageError(option=option, needs=["calendar"])
        return None
    from temporacle.calendar.policy import calendar_of

    return calendar_of(calendar, hemisphere, zone)


def report_missing_values(document: Document, values: DocumentValues, report: Callable[[Remark], None] | None) -> None:
    """Report a document whose values were asked for and that has none."""
    if report is not None and not values.values:
        from temporacle.reasoner.clock.check import SILENT_VALUES

        report(Remark("no-values", f"{document.id}: {SILENT_VALUES}"))
