"""What can be chosen about the calendar: the policy, the hemisphere of seasons, the zone of the document's clock."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, NamedTuple

from temporacle.errors import UsageError, one_of


class Policy(StrEnum):
    """Is "1998" the year, or some time in it?"""

    WITHIN = "within"  # some time in it; lengths are right up to one unit
    DOCUMENT = "document"  # the year, except that a creation time is some time on its day
    EXACT = "exact"  # the year


class Hemisphere(StrEnum):
    """Where spring begins in March, where it begins in September, or either."""

    NORTH = "north"
    SOUTH = "south"
    UNKNOWN = "unknown"


class Calendar(NamedTuple):
    """How values are read. ``zone``: seconds by which the document's clock is ahead of UTC; None: not known."""

    policy: Policy = Policy.WITHIN
    hemisphere: Hemisphere = Hemisphere.UNKNOWN
    zone: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON output and certificates give them."""
        zone = None if self.zone is None else zone_name(self.zone)
        return {"policy": self.policy.value, "hemisphere": self.hemisphere.value, "zone": zone}

    def signed(self) -> str:
        """Return the choices for a score's signature: the policy, and what differs from the defaults."""
        parts = [self.policy.value]
        if self.hemisphere is not Hemisphere.UNKNOWN:
            parts.append(self.hemisphere.value)
        if self.zone is not None:
            parts.append(f"UTC{zone_name(self.zone).replace(':', '')}")
        return "+".join(parts)


_ZONE = re.compile(r"([+-])(\d\d):?(\d\d)?")
MOST_HOURS = 14


def calendar_of(
    policy: str | bool | Calendar | None,  # noqa: FBT001 - True is short for the default
    hemisphere: str | None = None,
    zone: str | None = None,
) -> Calendar | None:
    """Return the calendar for the options; None if they do not ask for one. ``True`` stands for the default policy.

    >>> calendar_of("exact", zone="+01:00")
    Calendar(policy=<Policy.EXACT: 'exact'>, hemisphere=<Hemisphere.UNKNOWN: 'unknown'>, zone=3600)
    """
    if policy is None or policy is False:
        for option, value in (("hemisphere", hemisphere), ("zone", zone)):
            if value is not None:
                raise UsageError(option=option, needs=["calendar"])
        return None
    if isinstance(policy, Calendar):
        return policy
    return Calendar(
        one_of(Policy, "within" if policy is True else policy, "calendar"),
        one_of(Hemisphere, hemisphere or "unknown", "hemisphere"),
        None if zone is None else read_zone(zone),
    )


def read_zone(text: str) -> int:
    """Return an offset such as ``+01:00`` in seconds."""
    match = _ZONE.fullmatch(text)
    if match is None or int(match[2]) > MOST_HOURS or int(match[3] or 0) > 59:
        raise UsageError("give the offset from UTC, such as +01:00 or -05:00", option="zone", value=text)
    offset = int(match[2]) * 3600 + int(match[3] or 0) * 60
    return -offset if match[1] == "-" else offset


def zone_name(seconds: int) -> str:
    """Return an offset in seconds as ``+01:00``."""
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02}:{minutes:02}"
