"""The civil clock: whole seconds since 1970-01-01T00:00:00 in the proleptic Gregorian calendar.

Every day has 86,400 seconds; there are no leap seconds and no daylight saving. Years are counted astronomically: year 0
is 1 BC. The standard library stops at the years 1 and 9999; values of time expressions do not.

A period such as ``P9M`` or ``PT1.5H`` is four whole numbers of seconds. Months have different lengths. n months in a
row last between the least and the greatest sum of n month lengths over the 400 years after which the calendar repeats
itself: 28 to 31 days for one, 365 or 366 for twelve. A fraction of a month counts 28 to 31 days times the fraction.
Bounds are widened to whole seconds.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import ceil, floor
from typing import NamedTuple

DAY = 86_400
HOUR = 3_600
MINUTE = 60
_DAYS_OF_400_YEARS = 146_097
_MARCH_1_OF_YEAR_0 = -719_468  # days before 1970-01-01


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    """Return the number of days of a month. Months are counted from 1."""
    return 29 if month == 2 and is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def day_number(year: int, month: int = 1, day: int = 1) -> int:
    """Return days since 1970-01-01. Months beyond 12 belong to the next year.

    >>> day_number(1970), day_number(1998, 2, 6), day_number(1997, 13) == day_number(1998)
    (0, 10263, True)
    """
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if month <= 2:  # years begin with March here, so that leap days come last
        year, month = year - 1, month + 12
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day - 1 + _MARCH_1_OF_YEAR_0


def start_of(year: int, month: int = 1, day: int = 1) -> int:
    """Return the second at which a day begins."""
    return day_number(year, month, day) * DAY


def first_monday(year: int) -> int:
    """Return the day number of the Monday of ISO week 1, which holds 4 January."""
    fourth = day_number(year, 1, 4)
    return fourth - (fourth + 3) % 7  # 1970-01-01 was a Thursday


def weeks_of(year: int) -> int:
    """Return the number of ISO weeks in a year, 52 or 53."""
    return (first_monday(year + 1) - first_monday(year)) // 7


def date_of(day: int) -> tuple[int, int, int]:
    """Return year, month and day of a day number.

    >>> date_of(10263)
    (1998, 2, 6)
    """
    cycle, rest = divmod(day - _MARCH_1_OF_YEAR_0, _DAYS_OF_400_YEARS)
    year = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
    rest -= 365 * year + year // 4 - year // 100
    month = (5 * rest + 2) // 153  # from March
    return 400 * cycle + year + (month >= 10), (month + 2) % 12 + 1, rest - (153 * month + 2) // 5 + 1


def iso_time(seconds: int) -> str:
    """Return a second in the form of ISO 8601.

    >>> iso_time(10263 * 86400 + 3600), iso_time(-86400 * 719529)
    ('1998-02-06T01:00:00', '-0001-12-31T00:00:00')
    """
    day, rest = divmod(seconds, DAY)
    year, month, of_month = date_of(day)
    sign = "-" if year < 0 else ""
    clock = f"{rest // HOUR:02}:{rest // MINUTE % 60:02}:{rest % MINUTE:02}"
    return f"{sign}{abs(year):04}-{month:02}-{of_month:02}T{clock}"


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
