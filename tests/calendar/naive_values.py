"""Values of time expressions, read a second time: the reference that the library is compared with.

Written from the description of values alone. It shares nothing with the library and takes another way: a value is cut
into fields and each field is judged, where the library matches patterns.

``read(value)`` gives one of

    Span(lo, hi, firm, zoned)             seconds since 1970; zoned: of UTC's clock
    Length(least, most, above, below)     seconds
    NOTHING                               says nothing, and that is fine
    "value-impossible" and other codes    says nothing, and somebody should look at it
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import NamedTuple

DAY = 86_400
NOTHING = ""
MISSING, IMPOSSIBLE, UNKNOWN = "value-missing", "value-impossible", "value-unknown"
PARTS_OF_DAY = {"MO": (0, 12), "MI": (10, 15), "AF": (12, 19), "EV": (16, 24), "NI": (0, 32), "DT": (4, 22)}
SEASONS = ("SP", "SU", "FA", "WI")
MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Span(NamedTuple):
    lo: int
    hi: int
    firm: bool
    zoned: bool = False


class Length(NamedTuple):
    least: int
    most: int
    above: int
    below: int


class Problem(Exception):  # noqa: N818 - it carries a verdict
    """The code of a remark."""


def read(value: str | None, hemisphere: str = "unknown") -> Span | Length | str:
    text = (value or "").strip()
    if not text:
        return MISSING
    if text in {"PRESENT_REF", "PAST_REF", "FUTURE_REF"}:
        return NOTHING
    try:
        return period(text[1:]) if text[0] == "P" else date_or_time(text, hemisphere)
    except Problem as problem:
        return str(problem)


# --- the calendar ----------------------------------------------------------------------------------------------------


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else MONTH_LENGTHS[month - 1]


def new_year(year: int) -> int:
    """Days from 1970-01-01 to the first day of a year: whole cycles of 400 years, then year by year."""
    cycles, rest = divmod(year - 1970, 400)
    return cycles * 146_097 + sum(366 if is_leap(1970 + each) else 365 for each in range(rest))


def day_number(year: int, month: int, day: int) -> int:
    return new_year(year) + sum(days_in(year, each) for each in range(1, month)) + day - 1


def first_week(year: int) -> int:
    """The Monday of the week that holds 4 January. Day 0, 1970-01-01, was a Thursday."""
    fourth = day_number(year, 1, 4)
    return fourth - (fourth + 3) % 7


# --- dates and times -------------------------------------------------------------------------------------------------


def require(condition: bool, code: str = UNKNOWN) -> None:
    if not condition:
        raise Problem(code)


def is_digits(text: str, length: int) -> bool:
    return len(text) == length and text.isascii() and text.isdigit()


def date_or_time(text: str, hemisphere: str) -> Span | str:
    written, has_time, clock = text.partition("T")
    day_part = cut_date(written) if written else None
    time_part = cut_time(clock) if has_time else None
    if day_part is None:
        if time_part is None:
            raise Problem(UNKNOWN)
        clock_span(time_part)  # its numbers are judged all the same
        return NOTHING
    kind = day_part[0]
    require(time_part is None or kind in {"day", "weekday"} or "X" in written)
    span = date_span(day_part, hemisphere, has_time=time_part is not None)
    if time_part is None:
        return span
    start, end, firm, offset = clock_span(time_part)
    if span == NOTHING:
        return NOTHING
    lo, hi, is_firm = span.lo, span.hi, False
    if "X" not in written:
        lo, hi, is_firm = span.lo + start, span.lo + end, firm
    shift = 0 if offset is None else -offset
    return Span(lo + shift, hi + shift, is_firm, offset is not None)


def cut_date(text: str) -> tuple[str, ...]:
    """The kind of a date and its fields; raises Problem for a shape that is not known."""
    if is_digits(text, 2) or is_digits(text, 3):
        return "digits", text
    if text.startswith("BC") and is_digits(text[2:], 4):
        return "before-christ", text[2:]
    if text.startswith("-") and is_digits(text[1:], 4):
        return "negative", text[1:]
    if text.startswith("FY"):
        year, dash, quarter = text[2:].partition("-")
        require(is_digits(year, 4))
        require(not dash or (len(quarter) == 2 and quarter[0] == "Q" and quarter[1].isascii() and quarter[1].isdigit()))
        return "fiscal", year, quarter[1:]
    year, *fields = text.split("-")
    known = year.rstrip("X")
    require(len(year) == 4 and (known == "" or is_digits(known, len(known))))
    require(len(fields) <= 2)
    if not fields:
        return "year", year
    head = fields[0]
    if head in SEASONS and len(fields) == 1:
        return "season", year, head
    if head[:1] in ("Q", "H") and len(fields) == 1 and (head[1:] == "X" or is_digits(head[1:], 1)):
        return "quarter" if head[0] == "Q" else "half", year, head[1:]
    if head[:1] == "W" and (head[1:] == "XX" or is_digits(head[1:], 2)):
        if len(fields) == 1:
            return "week", year, head[1:]
        if fields[1] == "WE":
            return "weekend", year, head[1:]
        require(fields[1] == "X" or is_digits(fields[1], 1))
        return "weekday", year, head[1:], fields[1]
    require(all(field == "XX" or is_digits(field, 2) for field in fields))
    return ("month" if len(fields) == 1 else "day"), year, *fields


def date_span(fields: tuple[str, ...], hemisphere: str, *, has_time: bool) -> Span | str:
    """What a date says, as if nothing stood behind it but a day more for what is only a hull."""
    kind, year, *rest = fields
    later = 1 if has_time else 0
    if kind == "digits":
        size = 10 ** (4 - len(year))
        return days(new_year(int(year) * size), new_year((int(year) + 1) * size), firm=True)
    if kind in {"before-christ", "negative", "fiscal"}:
        number = int(year)
        require(number > 0, IMPOSSIBLE)
        if kind == "fiscal":
            require(rest[0] in {"", "1", "2", "3", "4"}, IMPOSSIBLE)
            return days(new_year(number - 1), new_year(number + 2), firm=False)
        if kind == "negative":
            return days(new_year(-number), new_year(-number + 2), firm=False)
        return days(new_year(1 - number), new_year(2 - number), firm=True)
    known = year.rstrip("X")
    require(year != "0000", IMPOSSIBLE)
    judge_fields(kind, int(year) if known == year else None, rest)
    if not known:
        return NOTHING
    if known != year:
        size = 10 ** (4 - len(known))
        wider = 100 if kind in {"week", "weekday", "weekend", "season"} else 0
        lo, hi = new_year(int(known) * size), new_year((int(known) + 1) * size)
        return days(lo - wider, hi + (wider or later), firm=False)
    return unit(kind, int(year), rest, hemisphere, later)


def judge_fields(kind: str, year: int | None, rest: list[str]) -> None:
    """Raise Problem if no such month, day, week, quarter or half exists in the year, or in any year."""
    numbers = [None if "X" in field or not field.isdigit() else int(field) for field in rest]
    first = numbers[0] if numbers else None
    if kind in {"month", "day"}:
        require(first is None or 1 <= first <= 12, IMPOSSIBLE)
        if kind == "day" and (day := numbers[1]) is not None:
            longest = 31 if first is None else days_in(2000 if year is None else year, first)
            require(1 <= day <= longest, IMPOSSIBLE)
    elif kind in {"week", "weekday", "weekend"}:
        if first is not None:
            weeks = 53 if year is None else (first_week(year + 1) - first_week(year)) // 7
            require(1 <= first <= weeks, IMPOSSIBLE)
        if kind == "weekday":
            require(numbers[1] is None or 1 <= numbers[1] <= 7, IMPOSSIBLE)
    elif kind in {"quarter", "half"}:
        require(first is None or 1 <= first <= (4 if kind == "quarter" else 2), IMPOSSIBLE)


def unit(kind: str, year: int, rest: list[str], hemisphere: str, later: int) -> Span:
    """A date whose year is known."""
    if kind == "season":
        return season(year, rest[0], hemisphere)
    if kind in {"week", "weekday", "weekend"}:
        if rest[0] == "XX":
            return days(first_week(year), first_week(year + 1) + later, firm=False)
        monday = first_week(year) + 7 * (int(rest[0]) - 1)
        if kind == "week":
            return days(monday, monday + 7, firm=True)
        if kind == "weekend":
            return days(monday + 5, monday + 7, firm=True)
        if rest[1] == "X":
            return days(monday, monday + 7 + later, firm=False)
        return days(monday + int(rest[1]) - 1, monday + int(rest[1]), firm=True)
    if kind == "year":
        return days(new_year(year), new_year(year + 1), firm=True)
    if rest[0] in {"X", "XX"}:
        return days(new_year(year), new_year(year + 1) + later, firm=False)
    number = int(rest[0])
    if kind in {"quarter", "half"}:
        months = 3 if kind == "quarter" else 6
        return days(months_on(year, months * (number - 1)), months_on(year, months * number), firm=True)
    start, end = months_on(year, number - 1), months_on(year, number)
    if kind == "month":
        return days(start, end, firm=True)
    if rest[1] == "XX":
        return days(start, end + later, firm=False)
    return days(start + int(rest[1]) - 1, start + int(rest[1]), firm=True)


def months_on(year: int, months: int) -> int:
    """The first day of the month so many months after January."""
    return day_number(year + months // 12, months % 12 + 1, 1)


def season(year: int, name: str, hemisphere: str) -> Span:
    north = {
        "SP": (day_number(year, 3, 1), day_number(year, 6, 23)),
        "SU": (day_number(year, 6, 1), day_number(year, 9, 25)),
        "FA": (day_number(year, 9, 1), day_number(year, 12, 24)),
        "WI": (day_number(year - 1, 12, 1), day_number(year + 1, 3, 22)),
    }
    south = {"SP": north["FA"], "FA": north["SP"], "SU": north["WI"], "WI": north["SU"]}
    chosen = [table[name] for table, skipped in ((north, "south"), (south, "north")) if hemisphere != skipped]
    return days(min(lo for lo, _ in chosen), max(hi for _, hi in chosen), firm=False)


def days(lo: int, hi: int, *, firm: bool) -> Span:
    return Span(lo * DAY, hi * DAY, firm)


def cut_time(text: str) -> tuple[list[str], int | None]:
    """The fields of a time of the day, and its zone's offset from UTC; Problem for an unknown shape."""
    clock, offset = text, None
    if text.endswith("Z"):
        clock, offset = text[:-1], ("+", "0", "0")
    else:
        for sign in "+-":
            before, found, zone = text.partition(sign)
            if found:
                digits = zone.replace(":", "", 1) if len(zone) == 5 and zone[2] == ":" else zone
                require(is_digits(digits, 2) or is_digits(digits, 4))
                clock, offset = before, (sign, digits[:2], digits[2:] or "0")
                break
    if clock in PARTS_OF_DAY:
        return [clock], offset
    fields = clock.split(":")
    require(1 <= len(fields) <= 3)
    fraction = ""
    if len(fields) == 3 and "." in fields[2]:
        fields[2], _, fraction = fields[2].partition(".")
        require(1 <= len(fraction) <= 6 and fraction.isascii() and fraction.isdigit())
        require(is_digits(fields[2], 2))
    require(all(field == "XX" or is_digits(field, 2) for field in fields))
    require(not any(early == "XX" and late != "XX" for early, late in itertools.pairwise(fields)))
    return [*fields, *([f".{fraction}"] if fraction else [])], offset


def clock_span(cut: tuple[list[str], tuple[str, str, str] | None]) -> tuple[int, int, bool, int | None]:
    """From and to, in seconds after midnight; whether it is firm; the zone's offset."""
    fields, zone = cut
    offset = None
    if zone is not None:
        sign, hours, minutes = zone[0], int(zone[1]), int(zone[2])
        offset = (hours * 3600 + minutes * 60) * (-1 if sign == "-" else 1)
    found = _clock_span(fields)
    require(zone is None or (hours <= 14 and minutes <= 59), IMPOSSIBLE)
    return (*found, offset)


def _clock_span(fields: list[str]) -> tuple[int, int, bool]:
    if fields[0] in PARTS_OF_DAY:
        lo, hi = PARTS_OF_DAY[fields[0]]
        return lo * 3600, hi * 3600, False
    known = [int(field) for field in fields if field.isdigit()]
    if known[:1] == [24]:
        require(not any(known[1:]) and not fields[-1].startswith("."), IMPOSSIBLE)
    else:
        require(all(number <= most for number, most in zip(known, (23, 59, 59), strict=False)), IMPOSSIBLE)
    start = sum(number * size for number, size in zip(known, (3600, 60, 1), strict=False))
    size = (DAY, 3600, 60, 1)[len(known)]
    return start, start + size, len(known) == len(fields)


# --- lengths ---------------------------------------------------------------------------------------------------------

YEARS = {"DE": 10, "E": 10, "C": 100, "CE": 100, "L": 1000, "ML": 1000}
SECONDS = {"W": 7 * DAY, "D": DAY, "TH": 3600, "TM": 60, "TS": 1}


def period(text: str) -> Length | str:
    parts = cut_period(text)
    if parts is None:
        return NOTHING
    if [unit_name for _, unit_name in parts] == ["WE"]:
        require(parts[0][0] > 0, IMPOSSIBLE)
        return Length(2 * DAY, 2 * DAY, 0, 4 * DAY) if parts[0][0] == 1 else NOTHING
    require(any(number for number, _ in parts), IMPOSSIBLE)
    *before, (number, last) = parts
    smaller, larger = max(number - 1, Fraction(0)), number + 1
    return Length(
        floor(extremes(parts)[0]),
        ceil(extremes(parts)[1]),
        floor(extremes([*before, (smaller, last)])[0]),
        ceil(extremes([*before, (larger, last)])[1]),
    )


def cut_period(text: str) -> list[tuple[Fraction, str]] | None:
    """Numbers and units in order; None if a number is X, or a unit has no length; Problem for an unknown shape."""
    parts: list[tuple[Fraction, str]] = []
    is_vague = False
    of_time = ""
    rest = text
    require(rest != "")
    if set(rest.removeprefix("T")) == {"X"}:
        return None
    if rest.endswith("DT") and rest[:-2] and set(rest[:-2]) <= set("0123456789.X"):
        number_of(rest[:-2])  # so many daytimes: here T does not begin the hours
        return None
    while rest:
        if rest[0] == "T" and not of_time:
            of_time, rest = "T", rest[1:]
            require(rest != "")
        end = 0
        while end < len(rest) and rest[end] in "0123456789.X":
            end += 1
        number, rest = rest[:end], rest[end:]
        end = 0
        while end < len(rest) and rest[end].isalpha() and rest[end] not in ("X" if of_time else "XT"):
            end += 1
        name, rest = rest[:end], rest[end:]
        require(number != "" and name != "")
        parts.append((number_of(number), of_time + name))
        is_vague = is_vague or "X" in number
    names = [name for _, name in parts]
    if len(names) == 1 and names[0].removeprefix("T") in {*PARTS_OF_DAY, *SEASONS}:
        return None
    alone = len(names) == 1 and names[0] in {"Q", "WE", *YEARS}
    order = ["Y", "M", "W", "D", "TH", "TM", "TS"]
    require(alone or names == [name for name in order if name in names])
    return None if is_vague else parts


def number_of(text: str) -> Fraction:
    if set(text) == {"X"}:
        return Fraction(1)
    whole, dot, fraction = text.partition(".")
    require(whole.isdigit() and len(whole) <= 6 and (not dot or (fraction.isdigit() and len(fraction) <= 6)))
    return Fraction(text)


def extremes(parts: list[tuple[Fraction, str]]) -> tuple[Fraction, Fraction]:
    """The shortest and the longest that a period can be, in seconds."""
    months, seconds = Fraction(0), Fraction(0)
    for number, name in parts:
        if name in SECONDS:
            seconds += number * SECONDS[name]
        else:
            months += number * ({"Y": 12, "M": 1, "Q": 3}.get(name) or 12 * YEARS[name])
    whole = floor(months)
    low, high = month_extremes(whole)
    fraction = months - whole
    return seconds + (low + 28 * fraction) * DAY, seconds + (high + 31 * fraction) * DAY


@cache
def month_extremes(count: int) -> tuple[int, int]:
    """The fewest and most days of so many months in a row, by looking at every place in the 400-year cycle."""
    cycles, rest = divmod(count, 4800)
    lengths = [days_in(2000 + month // 12, month % 12 + 1) for month in range(4800)]
    sums = {sum(lengths[:rest])}
    total = sum(lengths[:rest])
    for place in range(4800):
        total += lengths[(place + rest) % 4800] - lengths[place]
        sums.add(total)
    return cycles * 146_097 + min(sums), cycles * 146_097 + max(sums)
