"""The verdict on a plain graph with the values of its time expressions: what ``check`` finds, without a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.calendar.facts import marks_writing, remarks_on
from temporacle.calendar.said import ORIGINS, reader_of_times
from temporacle.reasoner.metric.quick import quick_verdict
from temporacle.reasoner.metric.remarks import counted_values, remarks_on_values

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from temporacle.calendar.policy import Calendar
    from temporacle.calendar.said import Constraint
    from temporacle.model import PlainGraph, Remark


class JudgedGraph(NamedTuple):
    """The answer of the oracle, and what an inquiry says about values."""

    is_consistent: bool
    decided_by: str
    remarks: tuple[Remark, ...]
    calendar: Mapping[str, Any]


def judged(graph: PlainGraph, calendar: Calendar) -> JudgedGraph | None:
    """Return whether the links and values of a graph can all be true; None if the document must be read."""
    if graph.times is None:
        return None
    read = reader_of_times(calendar)
    said: dict[Hashable, tuple[Constraint, ...]] = {}
    remarks: list[Remark] = []
    values = 0
    for name, time in graph.times.entities.items():
        if time.begin_point or time.end_point:
            return None
        constraints, _, odd = read(time.value, time.type, time.mod, marks_writing(time))
        if constraints:
            said[name] = constraints
        if odd:
            remarks += remarks_on(time, odd)
        values += bool(time.value and time.value.strip())
    verdict = quick_verdict(graph.sources, graph.relations, graph.targets, said)
    if verdict is None:
        return None
    return JudgedGraph(
        verdict,
        "graph" if _are_dates(said.values()) else "weights",
        remarks_on_values(values, tuple(remarks), calendar, graph.format, graph.times.reading),
        counted_values(calendar, values, len(said)),
    )


def _are_dates(values: Iterable[Iterable[Constraint]]) -> bool:
    return all(each.left in ORIGINS or each.right in ORIGINS for constraints in values for each in constraints)
