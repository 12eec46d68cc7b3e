"""What the attributes of a time expression say about it, whatever its name: the rules of types, mods and policies.

Constraints are between ``start`` and ``end`` of the time, and the origins. Many times say the same, in a document and
in a corpus, so each calendar remembers what it has read.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from temporacle.calendar.civil import Length
from temporacle.calendar.policy import Policy
from temporacle.calendar.values import BadValue, Silence, Span, read_value
from temporacle.model import Remark
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.calendar.policy import Calendar

LOCAL, UTC = "@", "@Z"
ORIGINS = frozenset({LOCAL, UTC})
START, END = "start", "end"
_DATE_MODS = {"ON_OR_BEFORE", "ON_OR_AFTER", "BEFORE", "AFTER", "START", "MID", "END"}
_LENGTH_MODS = {"LESS_THAN", "EQUAL_OR_LESS", "MORE_THAN", "EQUAL_OR_MORE"}


class Constraint(NamedTuple):
    """``right - left <= seconds``, or ``<`` if strict."""

    left: str
    right: str
    seconds: int
    strict: bool = False


class Said(NamedTuple):
    """What a time says."""

    constraints: tuple[Constraint, ...] = ()
    span: Span | None = None  # if the value has both borders
    remarks: tuple[Remark, ...] = ()  # without the place of the time


@lru_cache(maxsize=16)
def reader_of_times(calendar: Calendar) -> Callable[[str | None, str | None, str | None, bool], Said]:
    """Return the function from a time's value, type, mod and ``is_dct`` to what it says under a calendar.

    >>> from temporacle.calendar.policy import Calendar
    >>> reader_of_times(Calendar())("PT3H", "DURATION", "MORE_THAN", False).constraints
    (Constraint(left='end', right='start', seconds=-10800, strict=True),)
    """
    return lru_cache(maxsize=1 << 14)(partial(_said, calendar))


def _said(calendar: Calendar, value: str | None, kind: str | None, mod: str | None, is_dct: bool) -> Said:  # noqa: FBT001 - cache key
    kind = (kind or "").strip().upper()
    if kind == "SET":
        return Said()
    reading = read_value(value, calendar.hemisphere)
    if isinstance(reading, Silence):
        return Said()
    if isinstance(reading, BadValue):
        return Said(remarks=(_complaint(value, reading),))
    if isinstance(reading, Length):
        if kind in ("DATE", "TIME"):
            return _remarked("value-type-mismatch", f"{kind} with the value {value}, which is a length: not used")
        return _length(reading, value, mod, calendar.policy)
    said = _date(reading, value, mod, calendar.policy, is_dct=is_dct)
    if kind != "DURATION":
        return said
    remark = Remark("value-type-mismatch", f"DURATION with the value {value}, which is a date: it counts")
    return said._replace(remarks=(remark, *said.remarks))


def _remarked(code: str, message: str) -> Said:
    return Said(remarks=(Remark(code, message),))


def _complaint(value: str | None, reading: BadValue) -> Remark:
    """Return what is wrong with the value, and how it is written where that is plain."""
    written = shown((value or "").strip())
    if reading.code == "value-missing":
        return Remark("value-missing", "no value: the time is not placed on the calendar")
    if reading.code == "value-impossible":
        return Remark("value-impossible", f"{written} has the form of a value, but there is no such time: not used")
    cure = f"; write {reading.cure}" if reading.cure else ""
    return Remark("value-unknown", f"{written} has no known form of a value: not used{cure}")


def _unfit_mod(written: str | None, what: str, value: str | None) -> Said:
    """Return that nothing follows, because of a mod that does not go with the value."""
    mod = _mod(written)
    if mod in _DATE_MODS or mod in _LENGTH_MODS:
        return _remarked("mod-mismatch", f"mod {mod} does not go with {what} ({value}): the value is not used")
    if mod == "APPROX":
        return Said()
    return _remarked("mod-unknown", f"mod {shown(written)} is unknown: the value is not used")


def _mod(written: str | None) -> str:
    return (written or "").strip().upper()


def origin_of(span: Span) -> str:
    """Return the origin from which the borders of a span are counted."""
    return UTC if span.zoned else LOCAL


def _date(span: Span, value: str | None, written: str | None, policy: Policy, *, is_dct: bool) -> Said:
    mod, origin = _mod(written), origin_of(span)
    lo, hi = span.lo, span.hi
    if mod in ("BEFORE", "ON_OR_BEFORE"):
        limit = hi if mod == "ON_OR_BEFORE" or policy is Policy.WITHIN else lo
        return Said((Constraint(origin, END, limit),))
    if mod in ("AFTER", "ON_OR_AFTER"):
        limit = lo if mod == "ON_OR_AFTER" or policy is Policy.WITHIN else hi
        return Said((Constraint(START, origin, -limit),))
    if mod and mod not in ("START", "MID", "END"):
        return _unfit_mod(written, "a date", value)
    inside = (Constraint(START, origin, -lo), Constraint(origin, END, hi))
    whole = policy is Policy.EXACT or (policy is Policy.DOCUMENT and not is_dct)
    if not whole or mod or not span.firm:
        return Said(inside, span)
    return Said((*inside, Constraint(origin, START, lo), Constraint(END, origin, -hi)), span)


def _length(length: Length, value: str | None, written: str | None, policy: Policy) -> Said:
    mod = _mod(written)
    if mod in ("LESS_THAN", "EQUAL_OR_LESS"):
        return Said((Constraint(START, END, length.most, strict=mod == "LESS_THAN"),))
    if mod in ("MORE_THAN", "EQUAL_OR_MORE"):
        return Said((Constraint(END, START, -length.least, strict=mod == "MORE_THAN"),))
    if mod:
        return _unfit_mod(written, "a length", value)
    if policy is Policy.WITHIN:
        return Said(
            (Constraint(START, END, length.below, strict=True), Constraint(END, START, -length.above, strict=True))
        )
    return Said((Constraint(START, END, length.most), Constraint(END, START, -length.least)))
