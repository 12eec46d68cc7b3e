"""The civil clock: whole seconds since 1970-01-01T00:00:00 in the proleptic Gregorian calendar.

Every day has 86,400 seconds; there are no leap seconds and no daylight saving. Years are counted astronomically: year 0
is 1 BC. The standard library stops at the years 1 and 9999; values of time expressions do not.
"""

from __future__ import annotations

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
