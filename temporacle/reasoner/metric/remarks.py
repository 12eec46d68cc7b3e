"""Remarks on the values of a document as a whole, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.calendar.policy import Policy
from temporacle.checks import STRICT_LABELS
from temporacle.model import Remark

if TYPE_CHECKING:
    from temporacle.calendar.policy import Calendar
    from temporacle.readings import Reading

# Formats that have no place for values: that each time lacks one is nothing to say there.
_WITHOUT_VALUES = frozenset({"dense", "matres", "deptree", "depgraph", "tsv", "csp", "csv", "parquet"})

SILENT_VALUES = "no time expression has a value: the answer is that of the links alone"


def remarks_on_values(
    values: int, remarks: tuple[Remark, ...], calendar: Calendar, document_format: str | None, reading: Reading
) -> tuple[Remark, ...]:
    """Return what is odd about the values: remarks on single ones, and one on all. ``values``: how many there are."""
    if not values:
        silent = Remark("no-values", SILENT_VALUES)
        return (silent,) if document_format in _WITHOUT_VALUES else (silent, *remarks)
    if calendar.policy is Policy.WITHIN or reading.name != "timeml":
        return remarks
    message = (
        f"under {calendar.policy.value}, adjacent days meet, and BEFORE, read strictly, does not"
        " allow that: --reading timeml-loose does"
    )
    return (*remarks, Remark(STRICT_LABELS, message))


def counted_values(calendar: Calendar, values: int, constraining: int) -> dict[str, Any]:
    """Return how values were read, and how many there are and constrain something, as in JSON output."""
    return calendar.to_dict() | {"values": values, "constraining": constraining}
