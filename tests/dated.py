"""Documents in which some entities are days, and whether links and values fit together, by a fresh oracle."""

from dataclasses import replace

from fuzz.replay import is_consistent
from temporacle.calendar.facts import values_of
from temporacle.calendar.policy import Calendar, Policy
from temporacle.model import Entity, Kind, Link
from temporacle.reasoner.clock.oracle import CalendarOracle

DAYS = [f"1998-02-0{day}" for day in range(1, 9)]
WITHIN = Calendar(Policy.WITHIN)


def times(days):
    return tuple(Entity(name, Kind.TIME, value=day) for name, day in days.items())


def facts_of(document, calendar):
    return [*document.links, *(values_of(document, WITHIN).facts if calendar else ())]


def fits(document, facts, calendar):
    if not calendar:
        return is_consistent(facts)
    links = tuple(fact for fact in facts if isinstance(fact, Link))
    values = values_of(document, WITHIN)._replace(facts=tuple(fact for fact in facts if not isinstance(fact, Link)))
    return CalendarOracle(replace(document, links=links), WITHIN, values=values).is_consistent()
