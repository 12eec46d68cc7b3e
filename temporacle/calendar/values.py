"""A value of a time expression, as text, and what it says before any policy.

    Span       borders on the calendar. Firm: the unit's own borders. Not firm: outer borders only
    Length     how long it lasts
    Silence    nothing, and that is in order: PRESENT_REF, XXXX-07-16, PXM
    BadValue   nothing, with a remark: the value is missing, impossible or of an unknown pattern

One table maps the shape of a value to a function. The shape is judged before the numbers: 1999-02-30 has the shape of a
day and is impossible, 2000-W7 has no known shape. Values are never mended; a plain cure is named.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.calendar.civil import (
    DAY,
    HOUR,
    Length,
    first_monday,
    is_vague,
    month_length,
    read_length,
    start_of,
    weeks_of,
)
from temporacle.calendar.policy import MOST_HOURS, Hemisphere
from temporacle.errors import UsageError
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable


class Span(NamedTuple):
    """From second ``lo`` to second ``hi`` of the local clock, or of UTC if ``zoned``."""

    lo: int
    hi: int
    firm: bool = True
    zoned: bool = False


class Silence(NamedTuple):
    """A value that constrains nothing, as it should."""


class BadValue(NamedTuple):
    """A value that constrains nothing because it cannot be read."""

    code: str  # of the remark: value-missing, value-impossible or value-unknown
    cure: str | None = None  # how the value is written, where that is plain


ValueReading: TypeAlias = Span | Length | Silence | BadValue


class _Impossible(Exception):  # noqa: N818 - never leaves this module
    """The right shape, but no such time."""


def read_value(value: str | None, hemisphere: str = "unknown") -> ValueReading:
    """Return the meaning of the value of a time expression.

    Args:
        value: As TimeML writes it, such as ``1998-02-06`` or ``PT3H``.
        hemisphere: Decides about seasons: north, south or unknown.

    Returns:
        A span of time, a length, or what is wrong with the value.

    Raises:
        ValueError: The hemisphere is unknown.

    Examples:
        >>> read_value("1998-02-06")
        Span(lo=886723200, hi=886809600, firm=True, zoned=False)
        >>> read_value("PT3H")
        Length(least=10800, most=10800, above=7200, below=14400)
        >>> read_value("1999-02-30"), read_value("2000-W7")
        (BadValue(code='value-impossible', cure=None), BadValue(code='value-unknown', cure='2000-W07'))
    """
    return _read((value or "").strip(), Hemisphere(hemisphere))


class CalendarDate(NamedTuple):
    """A calendar unit to ask about: ``oracle.entails("e4", "BEFORE", tp.date("1998-02-09"))``."""

    value: str

    def span(self, hemisphere: str = "unknown") -> Span:
        """Return the borders of the unit. Raise UsageError if the value has none."""
        reading = read_value(self.value, hemisphere)
        if not isinstance(reading, Span):
            cure = f"; write {reading.cure}" if isinstance(reading, BadValue) and reading.cure else ""
            raise UsageError(f"{shown(self.value)} is not a date: give a value such as 1998-02-09 or 1998-Q1{cure}")
        return reading


def date(value: str) -> CalendarDate:
    """Return a calendar unit, such as a day, to use in a question.

    Args:
        value: As TimeML writes it, such as ``1998-02-09``.

    Returns:
        The unit.

    Raises:
        UsageError: The value does not name one.

    Examples:
        >>> date("1998-02-09")
        CalendarDate(value='1998-02-09')
    """
    asked = CalendarDate(value.strip())
    asked.span()
    return asked


@lru_cache(maxsize=1 << 14)
def _read(value: str, hemisphere: Hemisphere) -> ValueReading:
    if not value:
        return BadValue("value-missing")
    try:
        reading = _reading(value, hemisphere)
    except _Impossible:
        return BadValue("value-impossible")
    return BadValue("value-unknown", _cure(value, hemisphere)) if reading is None else reading


def _reading(value: str, hemisphere: Hemisphere) -> ValueReading | None:
    """Return the meaning of a value; None if it has no known pattern."""
    if not value.isascii():  # other scripts have digits, too
        return None
    if value.startswith("P"):
        length = read_length(value)
        if length is not None:
            if not length.most:
                raise _Impossible
            return length
        return Silence() if value in _REFERENCES or is_vague(value) else None
    if value in _REFERENCES:
        return Silence()
    match = _TIME.fullmatch(value)
    if match is None:
        return _date(value, hemisphere)
    day, clock, zone = match["day"], match["clock"], match["zone"]
    if day and not _WITH_CLOCK.fullmatch(day):
        return None
    hours = _clock(clock)
    if hours is None:
        return None
    offset = 0 if zone is None else _offset(zone)
    unit = _date(day, hemisphere) if day else Silence()
    if not isinstance(unit, Span):
        return unit  # the year, or the day, is not known
    if not _DAY.fullmatch(day):  # not a certain day: the hull, and the small hours of the day after its last
        later = 0 if _WEEK_OF_SOME_YEAR.match(day) else DAY
        return Span(unit.lo - offset, unit.hi + later - offset, firm=False, zoned=zone is not None)
    return Span(unit.lo + hours.lo - offset, unit.lo + hours.hi - offset, hours.firm, zone is not None)


_REFERENCES = {"PRESENT_REF", "PAST_REF", "FUTURE_REF"}
_TIME = re.compile(r"(?P<day>[^T]*)T(?P<clock>[A-Z]{2}|[\dX:.]+?)(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?")
_DAY = re.compile(r"\d{4}-(?:\d\d-\d\d|W\d\d-\d)")
_WEEK_OF_SOME_YEAR = re.compile(r"\d{1,3}X{1,3}-(?:W|SP|SU|FA)")  # W begins weeks and winter
_SOME_YEAR = r"(?=[\dX]{4}(?:-|$))(\d{0,3})(X{1,4})"  # the year's last digits are not known
_REST = r"(|-(?:\d\d|XX)(?:-(?:\d\d|XX))?|-W(?:\d\d|XX)(?:-(?:\d|X|WE))?|-Q[\dX]|-H[\dX]|-(?:SP|SU|FA|WI))"
_WITH_CLOCK = re.compile(  # a day, or one of the patterns with X
    r"\d{4}-(?:(?:\d\d|XX)-(?:\d\d|XX)|XX|[QH]X|W\d\d-[\dX]|WXX(?:-(?:\d|WE|X))?)|" + _SOME_YEAR + _REST
)


# --- dates -----------------------------------------------------------------------------------------------------------


def _date(value: str, hemisphere: Hemisphere) -> Span | Silence | None:
    for pattern, read in _DATES:
        match = pattern.fullmatch(value)
        if match is not None:
            return read(match, hemisphere)
    return None


def _year_span(first: int, years: int = 1, *, firm: bool = True) -> Span:
    return Span(start_of(first), start_of(first + years), firm)


def _named_year(text: str) -> int:
    year = int(text)
    if not year:
        raise _Impossible
    return year


def _require(condition: bool) -> None:  # noqa: FBT001 - reads as a sentence
    if not condition:
        raise _Impossible


def _year(match: re.Match[str], _: Hemisphere) -> Span:
    return _year_span(_named_year(match[1]))


def _months(first: int, months: int) -> Callable[[re.Match[str], Hemisphere], Span]:
    """Return a unit of the given number of months, numbered from 1 to ``first``."""

    def read(match: re.Match[str], _: Hemisphere) -> Span:
        year, number = _named_year(match[1]), int(match[2])
        _require(1 <= number <= first)
        month = (number - 1) * months + 1
        return Span(start_of(year, month), start_of(year, month + months))

    return read


def _day(match: re.Match[str], _: Hemisphere) -> Span:
    year, month, day = _named_year(match[1]), int(match[2]), int(match[3])
    _require(1 <= month <= 12 and 1 <= day <= month_length(year, month))
    begin = start_of(year, month, day)
    return Span(begin, begin + DAY)


def _week(match: re.Match[str], _: Hemisphere) -> Span:
    year, week, day = _named_year(match[1]), int(match[2]), match[3]
    _require(1 <= week <= weeks_of(year))
    monday = (first_monday(year) + 7 * (week - 1)) * DAY
    if day is None:
        return Span(monday, monday + 7 * DAY)
    if day == "WE":
        return Span(monday + 5 * DAY, monday + 7 * DAY)
    if day == "X":
        return Span(monday, monday + 7 * DAY, firm=False)
    _require(1 <= int(day) <= 7)
    return Span(monday + (int(day) - 1) * DAY, monday + int(day) * DAY)


def _some_week(match: re.Match[str], _: Hemisphere) -> Span:
    year, day = _named_year(match[1]), match[2]
    _require(day is None or not day.isdigit() or 1 <= int(day) <= 7)
    return Span(first_monday(year) * DAY, first_monday(year + 1) * DAY, firm=False)


def _round_years(years: int) -> Callable[[re.Match[str], Hemisphere], Span]:
    return lambda match, _: _year_span(int(match[1]) * years, years)


def _before_christ(match: re.Match[str], _: Hemisphere) -> Span:
    return _year_span(1 - _named_year(match[1]))


def _negative_year(match: re.Match[str], _: Hemisphere) -> Span:
    """Return a year before Christ. Some writers count like ISO 8601, others count years before Christ."""
    return _year_span(-_named_year(match[1]), 2, firm=False)


# North of the equator: month and day of the beginning and of the end, and the years they are in, counted from the
# named one. They enclose the meteorological and the astronomical season, and for winter those of both years.
_SEASONS = {
    "SP": ((0, 3, 1), (0, 6, 23)),
    "SU": ((0, 6, 1), (0, 9, 25)),
    "FA": ((0, 9, 1), (0, 12, 24)),
    "WI": ((-1, 12, 1), (1, 3, 22)),
}
_OPPOSITE = {"SP": "FA", "FA": "SP", "SU": "WI", "WI": "SU"}


def _season(match: re.Match[str], hemisphere: Hemisphere) -> Span:
    year = _named_year(match[1])
    names = {
        Hemisphere.NORTH: (match[2],),
        Hemisphere.SOUTH: (_OPPOSITE[match[2]],),
        Hemisphere.UNKNOWN: (match[2], _OPPOSITE[match[2]]),
    }[hemisphere]
    borders = [[start_of(year + later, month, day) for later, month, day in _SEASONS[name]] for name in names]
    return Span(min(lo for lo, _ in borders), max(hi for _, hi in borders), firm=False)


def _some_month(match: re.Match[str], _: Hemisphere) -> Span:
    year, day = _named_year(match[1]), match[2]
    _require(day is None or not day.isdigit() or 1 <= int(day) <= 31)
    return _year_span(year, firm=False)


def _some_day(match: re.Match[str], _: Hemisphere) -> Span:
    year, month = _named_year(match[1]), int(match[2])
    _require(1 <= month <= 12)
    return Span(start_of(year, month), start_of(year, month + 1), firm=False)


def _part_of_year(match: re.Match[str], _: Hemisphere) -> Span:
    return _year_span(_named_year(match[1]), firm=False)


_WIDER = 100 * DAY  # for weeks and seasons, which may begin or end outside their year


def _unknown_year(match: re.Match[str], _: Hemisphere) -> Span | Silence:
    """Return a year of which only the first digits are known, with whatever follows the year."""
    digits, unknown, rest = match[1], match[2], match[3]
    _check_rest(rest)
    if not digits:
        return Silence()
    years = 10 ** len(unknown)
    span = _year_span(int(digits) * years, years, firm=False)
    wider = _WIDER if rest[1:2] == "W" or rest[1:] in _SEASONS else 0
    return Span(span.lo - wider, span.hi + wider, firm=False)


def _check_rest(rest: str) -> None:
    """Numbers that exist in no year."""
    most = {"W": 53, "Q": 4, "H": 2}
    part, _, day = rest[1:].partition("-")
    if part.isdigit():
        _require(1 <= int(part) <= 12)
        _require(not day.isdigit() or 1 <= int(day) <= month_length(4, int(part)))
    elif part[:1] in most:
        number = part[1:]
        _require(not number.isdigit() or 1 <= int(number) <= most[part[0]])
        _require(not day.isdigit() or 1 <= int(day) <= 7)
    else:
        _require(not day.isdigit() or 1 <= int(day) <= 31)


def _fiscal_year(match: re.Match[str], _: Hemisphere) -> Span:
    """Return a fiscal year. It may be named by its first or its last year, and may begin with any month."""
    year, quarter = _named_year(match[1]), match[2]
    _require(quarter is None or 1 <= int(quarter) <= 4)
    return _year_span(year - 1, 3, firm=False)


_DATES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Hemisphere], Span | Silence]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"(\d{4})-(\d\d)-(\d\d)", _day),
        (r"(\d{4})", _year),
        (r"(\d{4})-(\d\d)", _months(12, 1)),
        (r"(\d{4})-W(\d\d)(?:-(\d|WE|X))?", _week),
        (r"(\d{4})-Q(\d)", _months(4, 3)),
        (r"(\d{4})-H(\d)", _months(2, 6)),
        (r"(\d{4})-(SP|SU|FA|WI)", _season),
        (r"(\d{3})", _round_years(10)),
        (r"(\d{2})", _round_years(100)),
        (r"BC(\d{4})", _before_christ),
        (r"-(\d{4})", _negative_year),
        (r"(\d{4})-XX(?:-(\d\d|XX))?", _some_month),
        (r"(\d{4})-(\d\d)-XX", _some_day),
        (r"(\d{4})-[QH]X", _part_of_year),
        (r"(\d{4})-WXX(?:-(\d|WE|X))?", _some_week),
        (_SOME_YEAR + _REST, _unknown_year),
        (r"FY(\d{4})(?:-Q(\d))?", _fiscal_year),
    )
)


# --- times of the day ------------------------------------------------------------------------------------------------

_PARTS_OF_DAY = {"MO": (0, 12), "MI": (10, 15), "AF": (12, 19), "EV": (16, 24), "NI": (0, 32), "DT": (4, 22)}
_CLOCK = re.compile(r"(\d\d)(?::(\d\d|XX)(?::(\d\d|XX)(\.\d+)?)?)?")


def _clock(text: str) -> Span | None:
    """Return the seconds from midnight; None if the text has no known pattern."""
    if text in _PARTS_OF_DAY:
        begin, end = _PARTS_OF_DAY[text]
        return Span(begin * HOUR, end * HOUR, firm=False)
    if text in ("XX", "XX:XX", "XX:XX:XX"):
        return Span(0, DAY, firm=False)
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hour, minute, second, fraction = match.groups()
    if (minute == "XX" and second not in (None, "XX")) or (second == "XX" and fraction):
        return None
    begin, length = int(hour) * HOUR, HOUR
    _require(int(hour) <= 24)
    for part, unit in ((minute, 60), (second, 1)):
        if part is not None and part != "XX":
            _require(int(part) < (60 if int(hour) < 24 else 1))
            begin, length = begin + int(part) * unit, unit
    _require(not fraction or int(hour) < 24)
    return Span(begin, begin + length, firm="XX" not in (minute, second) and not fraction)


def _offset(zone: str) -> int:
    """Return the seconds ahead of UTC."""
    if zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    _require(hours <= MOST_HOURS and minutes < 60)
    return (hours * HOUR + minutes * 60) * (-1 if zone[0] == "-" else 1)


# --- cures -----------------------------------------------------------------------------------------------------------

_SLIPS = (
    (re.compile(r"-W(\d)(?!\d)"), r"-W0\1"),
    (re.compile(r"T(\d)(?=:|$)"), r"T0\1"),
    (re.compile(r"^P(?=[\d.]+[HS]$)"), "PT"),
    (re.compile(r"^(\d{4})(\d\d)(\d\d)"), r"\1-\2-\3"),
    (re.compile(r"^(\d{4})-(\d)(?!\d)"), r"\1-0\2"),
    (re.compile(r"^(\d{4}-\d\d)-(\d)(?!\d)"), r"\1-0\2"),
)


def _cure(value: str, hemisphere: Hemisphere) -> str | None:
    """Return the value without common slips, if it can be read then."""
    mended = value.upper() if value.upper() != value else value
    for slip, right in _SLIPS:
        mended = slip.sub(right, mended)
    if mended == value:
        return None
    try:
        return None if _reading(mended, hemisphere) is None else mended
    except _Impossible:
        return None
