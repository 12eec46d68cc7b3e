"""Options about the values of time expressions: ``--calendar [POLICY]``, ``--hemisphere``, ``--zone``."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.calendar.policy import Calendar


_ONLY_PATHS = {"check", "closure", "diff", "fix", "report", "score", "stats"}  # their other arguments are paths


class CalendarPolicy(StrEnum):
    """The way values are read.

    It repeats the calendar's choices, because the command line starts without the calendar.
    """

    WITHIN = "within"
    DOCUMENT = "document"
    EXACT = "exact"


class CalendarHemisphere(StrEnum):
    """Whose seasons are meant."""

    NORTH = "north"
    SOUTH = "south"
    UNKNOWN = "unknown"


CalendarOption = Annotated[
    CalendarPolicy | None,
    typer.Option(
        "--calendar",
        metavar="[POLICY]",
        help="Use the values of time expressions. within (default): a value names a time in the unit; exact: the whole"
        " unit; document: the whole unit, except creation times. (docs/calendar.md).",
    ),
]
HemisphereOption = Annotated[
    CalendarHemisphere | None,
    typer.Option("--hemisphere", help="Whose seasons 1998-SU names (default: unknown)."),
]
ZoneOption = Annotated[
    str | None,
    typer.Option("--zone", metavar="±HH:MM", help="Zone of values without one (default: unknown)."),
]


def with_policies(arguments: Sequence[str]) -> list[str]:
    """Return a command line in which each ``--calendar`` has its policy: the word after it if that is one, otherwise
    within. A wrong policy stays one, to be refused as such.

    >>> with_policies(["check", "--calendar", "gold/"])
    ['check', '--calendar=within', 'gold/']
    >>> with_policies(["check", "--calendar", "exact", "gold/", "--", "--calendar"])
    ['check', '--calendar=exact', 'gold/', '--', '--calendar']
    """
    found: list[str] = []
    policies = set(CalendarPolicy)
    only_paths = bool(arguments) and arguments[0] in _ONLY_PATHS
    end = arguments.index("--") if "--" in arguments else len(arguments)
    place = 0
    while place < end:
        word = arguments[place]
        place += 1
        if word == "--calendar":
            policy: str = CalendarPolicy.WITHIN
            if place < end and (arguments[place] in policies or (only_paths and _is_word(arguments[place]))):
                policy = arguments[place]
                place += 1
            word = f"--calendar={policy}"
        found.append(word)
    return [*found, *arguments[end:]]


def _is_word(argument: str) -> bool:
    """Return whether an argument can only be a policy, though a wrong one: it is neither an option nor a path."""
    return argument.isalpha() and not os.path.lexists(argument)


def calendar_from(
    policy: CalendarPolicy | None, hemisphere: CalendarHemisphere | None, zone: str | None
) -> Calendar | None:
    """Return the options in the form that tasks need."""
    from temporacle.tasks.calendars import chosen_calendar

    return chosen_calendar(
        None if policy is None else policy.value, None if hemisphere is None else hemisphere.value, zone
    )
