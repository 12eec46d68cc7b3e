"""When something can start or end, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.calendar.civil import DAY, iso_time

if TYPE_CHECKING:
    from temporacle.reasoner.clock.bounds import Limit, Range


def range_words(found: Range) -> str:
    """Return the limits of a start or end in words.

    >>> from temporacle.reasoner.clock.bounds import Limit, Range
    >>> range_words(Range(Limit(0, attained=True), Limit(86400, attained=False)))
    '1970-01-01 … before 1970-01-02'
    """
    earliest, latest = found
    if earliest is None:
        return "any time" if latest is None else _until(latest)
    if latest is None:
        return f"{_since(earliest)} or later"
    if earliest == latest:
        return f"at {_clock(earliest)}"
    return f"{_since(earliest)} … {_until(latest)}"


def _since(limit: Limit) -> str:
    return _clock(limit) if limit.attained else f"after {_clock(limit, with_midnight=True)}"


def _until(limit: Limit) -> str:
    if not limit.attained:
        return f"before {_clock(limit)}"
    if limit.seconds % DAY == 0:
        return f"by the end of {_clock(limit._replace(seconds=limit.seconds - DAY))}"
    return f"by {_clock(limit)}"


def _clock(limit: Limit, *, with_midnight: bool = False) -> str:
    """Return a time as text. Midnight is written as the date alone, unless that could be taken for the day."""
    time = iso_time(limit.seconds).removesuffix(":00")
    return time if with_midnight else time.removesuffix("T00:00")
