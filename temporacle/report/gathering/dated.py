"""A timeline on the calendar: one model of links and values, and when each entity can have been."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.calendar.facts import values_of
from temporacle.reasoner.metric.oracle import CalendarOracle
from temporacle.reasoner.metric.problem import Problem
from temporacle.reasoner.network import Network
from temporacle.report.values import limits
from temporacle.report.values.document import TimelineBar, TimelineBars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.model import Document
    from temporacle.reasoner.metric.bounds import Limit
    from temporacle.reasoner.network import Budget
    from temporacle.report.values.document import EntityRow
    from temporacle.results import Fact


def dated_timeline(
    document: Document, calendar: Calendar, dropped: Sequence[Fact], rows: Mapping[str, EntityRow], budget: Budget
) -> tuple[TimelineBars | None, str]:
    """Return the bars of the entities that have links or values, and a note; no bars if they are too many.

    ``dropped``: the links and values that a repair removes.
    """
    values = values_of(document, calendar)
    gone = {(fact.id, fact.said) for fact in dropped}
    links = [link for link in document.links if (link.id, link.said) not in gone]
    facts = [fact for fact in values.facts if (fact.id, fact.said) not in gone]
    problem = Problem(Network(links, document.entity_ids), facts, calendar.zone)
    oracle = CalendarOracle(document, calendar, budget=budget, values=values).about(problem)
    shown = dict.fromkeys(name for link in links for name in link.entities)
    shown.update(dict.fromkeys(fact.entity for fact in facts))
    if len(shown) > limits.BARS:
        return None, f"No timeline: {len(shown)} entities are more than the {limits.BARS} that can be drawn."
    if not shown:
        return None, "No timeline: no links and no values."
    witness = oracle.witness()
    bars = []
    for name in shown:
        bounds = oracle.bounds(name)
        earliest, latest = _steps(bounds.start.earliest, oracle.unit), _steps(bounds.end.latest, oracle.unit)
        bars.append(TimelineBar(rows[name], *witness[name], earliest, latest))
    alone = len(rows) - len(shown)
    note = f"Not drawn: {alone} without links and values, which may lie anywhere." if alone else ""
    return TimelineBars(tuple(bars), unit=oracle.unit), note


def _steps(limit: Limit | None, unit: int) -> int | None:
    return None if limit is None else limit.seconds * unit
