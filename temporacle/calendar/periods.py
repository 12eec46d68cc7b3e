"""How long periods such as ``P9M`` or ``PT1.5H`` last: four whole numbers of seconds.

Months have different lengths. n months in a row last between the least and the greatest sum of n month lengths over the
400 years after which the calendar repeats itself: 28 to 31 days for one, 365 or 366 for twelve. A fraction of a month
counts 28 to 31 days times the fraction. Bounds are widened to whole seconds.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import ceil, floor
from typing import NamedTuple

from temporacle.calendar.civil import DAY, HOUR, MINUTE, month_length

_CYCLE = 4_800  # months after which the calendar repeats itself
_DAYS_OF_CYCLE = 146_097


class Length(NamedTuple):
    """How long something lasts, in seconds: ``least`` to ``most`` as stated.

    ``above`` and ``below`` say the same "right up to one unit": the least of the period with its last component one
    smaller, and the most of it with its last component one larger.
    """

    least: int
    most: int
    above: int
    below: int


_NUMBER = r"\d{1,6}(?:\.\d{1,6})?"
_ISO = re.compile(
    rf"P(?:({_NUMBER})Y)?(?:({_NUMBER})M)?(?:({_NUMBER})W)?(?:({_NUMBER})D)?"
    rf"(?:T(?=\d)(?:({_NUMBER})H)?(?:({_NUMBER})M)?(?:({_NUMBER})S)?)?"
)
_LONG = re.compile(rf"P({_NUMBER})(Q|DE|E|CE|C|ML|L|WE)")
# A component is so many months, and so many seconds.
_UNITS = ((12, 0), (1, 0), (0, 7 * DAY), (0, DAY), (0, HOUR), (0, MINUTE), (0, 1))
_LONG_UNITS = {
    "Q": (3, 0),
    **dict.fromkeys(("DE", "E"), (120, 0)),
    **dict.fromkeys(("C", "CE"), (1_200, 0)),
    **dict.fromkeys(("L", "ML"), (12_000, 0)),
    "WE": (0, 2 * DAY),
}
# X for a number; a part of the day or a season for the unit.
_ANY = rf"(?:{_NUMBER}|X+)"
_VAGUE = re.compile(
    rf"PT?X+|P(?=[\dXT])(?:{_ANY}Y)?(?:{_ANY}M)?(?:{_ANY}W)?(?:{_ANY}D)?"
    rf"(?:T(?=[\dX])(?:{_ANY}H)?(?:{_ANY}M)?(?:{_ANY}S)?)?"
    rf"|PX+(?:Q|DE|E|CE|C|ML|L)|PT?{_ANY}(?:MO|MI|AF|EV|NI|DT|SP|SU|FA|WI)|P{_ANY}WE"
)


def is_vague(value: str) -> bool:
    """Return whether a period gives no number, or a unit without a length: ``PXM``, ``P1NI``."""
    return _VAGUE.fullmatch(value) is not None


def read_length(value: str) -> Length | None:
    """Return the length of a period; None if it is not one. A period of zero length has ``most`` 0.

    >>> [seconds // 86400 for seconds in read_length("P9M")]
    [273, 276, 242, 306]
    """
    if (match := _LONG.fullmatch(value)) is not None:
        if match[2] == "WE" and Fraction(match[1]) not in (0, 1):
            return None
        return _length([(Fraction(match[1]), *_LONG_UNITS[match[2]])])
    if (match := _ISO.fullmatch(value)) is None:
        return None
    parts = [(Fraction(number), *unit) for number, unit in zip(match.groups(), _UNITS, strict=True) if number]
    return _length(parts) if parts else None


def _length(parts: list[tuple[Fraction, int, int]]) -> Length:
    least, most = _range(parts)
    *others, (number, months, seconds) = parts
    smaller = (max(number - 1, Fraction(0)), months, seconds)
    larger = (number + 1, months, seconds)
    return Length(least, most, _range([*others, smaller])[0], _range([*others, larger])[1])


def _range(parts: list[tuple[Fraction, int, int]]) -> tuple[int, int]:
    """Return the least and the most seconds of a period."""
    months = sum((number * unit for number, unit, _ in parts), Fraction(0))
    seconds = sum((number * unit for number, _, unit in parts), Fraction(0))
    whole = floor(months)
    fewest, most = month_days(whole)
    rest = months - whole
    return floor(seconds + (fewest + 28 * rest) * DAY), ceil(seconds + (most + 31 * rest) * DAY)


@cache
def month_days(months: int) -> tuple[int, int]:
    """Return the fewest and the most days of the given number of months in a row.

    >>> month_days(1), month_days(12), month_days(48)
    ((28, 31), (365, 366), (1460, 1461))
    """
    cycles, rest = divmod(months, _CYCLE)
    sums = _sums()
    days = [sums[start + rest] - sums[start] for start in range(_CYCLE)]
    return cycles * _DAYS_OF_CYCLE + min(days), cycles * _DAYS_OF_CYCLE + max(days)


@cache
def _sums() -> tuple[int, ...]:
    """Return days of the first n months of two cycles."""
    lengths = [month_length(month // 12, month % 12 + 1) for month in range(_CYCLE)]
    return tuple(accumulate((*lengths, *lengths), initial=0))
