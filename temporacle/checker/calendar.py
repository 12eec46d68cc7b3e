"""Whether values of time expressions say what a certificate states, and whether times and circles agree with them.

A constraint is (left, right, seconds, strict): right - left <= seconds, or < if strict. "@" is the moment at which the
document's clock shows 1970-01-01T00:00:00, "@Z" the moment at which UTC does. Times count in 1/unit of a second from @.
In a proof, edges have the form of constraints. They form a *circle* whose seconds add up to less than 0, or to 0 with a
strict edge among them: impossible.

What a value says is worked out here, and compared with what is stated. Days, months, years, weeks, quarters, halves,
decades, centuries, times of the clock and lengths are known. Of other patterns only the form is checked, and they are
named as trusted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from .kernel import Constraint, Fact, Rejected, follows, is_constraint, is_int, is_list, is_own_order, key, require

CALENDAR = {"calendar", "values", "unit"}
SETTINGS = {"policy": ("within", "document", "exact"), "hemisphere": ("north", "south", "unknown")}
VALUE = {"fact", "entity", "value", "type", "mod", "dct", "constraints"}
LARGEST_UNIT = 10**9
_ZONE = re.compile("([+-])(0[0-9]|1[0-4]):([0-5][0-9])")


class Calendar:
    """A clock (``kernel.Clock``): the constraints of a certificate's values, each as stated and as it must be."""

    def __init__(self, certificate: dict[str, Any]) -> None:
        self.values: dict[tuple[str, int], list[Constraint]] = {}  # by ("value", position)
        self.dates: list[tuple[str, int]] = []  # positions of the dates of a query
        self.trusted: list[str] = []
        self.unit: int = certificate["unit"]
        for place, record in enumerate(certificate["values"]):
            name = record["fact"] or record["entity"]
            stated: list[Constraint] = [
                (one, other, more, strict) for one, other, more, strict in record["constraints"]
            ]
            try:
                derived = constraints_of(record, certificate["calendar"]["policy"])
            except Rejected as reason:
                raise Rejected(f"the value of {name}: {reason}") from None
            if derived is None:
                require(has_form(record), f"the value of {name}: constraints of another form")
                self.trusted.append(name)
            else:
                require(sorted(derived) == sorted(stated), f"the value of {name} does not say this under the policy")
            self.values["value", place] = stated
            if record["fact"] is None:
                self.dates.append(("value", place))
        self.zone = _zone(certificate["calendar"]["zone"])
        used = {point for edges in self.values.values() for left, right, *_ in edges for point in (left, right)}
        self.has_both_origins = "@" in used and "@Z" in used

    def check_times(self, model: dict[str, list[int]], edges: list[Constraint], name: str) -> None:
        """Check that times, counted from @ in 1/unit of a second, make constraints true for some time of @Z.

        No constraint of @Z is strict: the meaning of a value never has such a one, and none is trusted.
        """
        least: list[int] = []  # of @Z
        most: list[int] = []
        for left, right, seconds, strict in [*edges, *(self.zone if self.has_both_origins else ())]:
            distance = seconds * self.unit
            if left == "@Z":
                least.append(_time(right, model, name) - distance)
            elif right == "@Z":
                most.append(_time(left, model, name) + distance)
            else:
                found = _time(right, model, name) - _time(left, model, name)
                fits = found < distance or (found == distance and not strict)
                require(fits, f"{name}: {left} and {right} are too far apart, or too close")
        require(not least or not most or max(least) <= min(most), f"{name}: no zone fits")

    def check_circle(self, edges: list[list[Any]], facts: dict[Any, Fact], atoms: dict[Any, Any], name: str) -> None:
        """Check that edges with seconds form a circle, each implied by its fact, whose sum is impossible."""
        for (left, right, seconds, strict, number), following in pairwise([*edges, *edges[:1]]):
            step, fact_key = f"{name}: {left} to {right}", key(number)
            require(right == following[0], f"{step} is not continued")
            if fact_key is None:
                own = seconds == 0 and is_own_order(right, left)
                require(own or (left, right, seconds, strict) in self.zone, f"{step} rests on no fact")
                continue
            require(fact_key in facts, f"{step} rests on a fact that is not in the conflict")
            fact = facts[fact_key]
            if isinstance(fact, list):
                require((left, right, seconds, strict) in fact, f"{step}: the value does not say this")
            else:
                still = atoms.get(fact_key, fact[1])
                if fact[0] == fact[2]:  # an entity equals itself, and nothing else
                    still &= {"="}
                holds = follows(right, "<" if strict else "<=", left, fact, still)
                require(seconds == 0 and holds, f"{step} does not follow")
        total = sum(edge[2] for edge in edges)
        require(total < 0 or (total == 0 and any(edge[3] for edge in edges)), f"{name}: the circle is possible")


def _zone(zone: str | None) -> list[Constraint]:
    """Return constraints on the difference between UTC and the local clock."""
    late, early = 14 * 3600, 12 * 3600
    parts = _ZONE.fullmatch(zone or "")
    if parts is not None:
        late = (3600 * int(parts[2]) + 60 * int(parts[3])) * (-1 if parts[1] == "-" else 1)
        early = -late
    return [("@", "@Z", late, False), ("@Z", "@", early, False)]


def _time(point: str, model: dict[str, list[int]], name: str) -> int:
    """Return the time of an endpoint, or of @."""
    if point == "@":
        return 0
    entity, _, end = point.rpartition(".")
    require(entity in model, f"{name}: no times for {entity[:40]!r}")
    return model[entity][end == "end"]


# --- form ------------------------------------------------------------------------------------------------------------


def check_calendar_form(certificate: dict[str, Any]) -> None:
    """Check that everything about values has its place and type."""
    calendar = certificate["calendar"]
    require(isinstance(calendar, dict) and calendar.keys() == {*SETTINGS, "zone"}, "calendar: wrong fields")
    require(all(calendar[name] in allowed for name, allowed in SETTINGS.items()), "calendar: an unknown choice")
    zone = calendar["zone"]
    require(zone is None or (isinstance(zone, str) and _ZONE.fullmatch(zone) is not None), "calendar: no zone")
    unit = certificate["unit"]
    require(is_int(unit) and 1 <= unit <= LARGEST_UNIT, "unit: not a whole number from 1")
    require(isinstance(certificate["values"], list), "values: not a list")
    query, met = certificate.get("query"), set()
    for place, record in enumerate(certificate["values"]):
        _check_value_form(record, query if isinstance(query, dict) else {}, f"values {place}")
        met.add((record["entity"], record["fact"]))
    require(len(met) == len(certificate["values"]), "values: a fact is given twice")
    named = {entity for entity, fact in met if fact is not None}
    named |= {link[end] for link in certificate["links"] for end in ("source", "target")}
    require(all(fact is not None or entity not in named for entity, fact in met), "values: a date that is an entity")


def _check_value_form(record: Any, query: dict[str, Any], name: str) -> None:
    require(isinstance(record, dict) and record.keys() == VALUE, f"{name}: wrong fields")
    texts = all(isinstance(record[field], str) for field in ("entity", "value"))
    texts = texts and all(record[field] is None or isinstance(record[field], str) for field in ("fact", "type", "mod"))
    require(texts and isinstance(record["dct"], bool), f"{name}: wrong types")
    constraints = record["constraints"]
    require(isinstance(constraints, list) and bool(constraints), f"{name}: no constraints")
    for constraint in constraints:
        require(is_list(constraint, 4) and is_constraint(constraint), f"{name}: odd constraint")
    entity, fact = record["entity"], record["fact"]
    if fact is None:
        asked = entity in (query.get("source"), query.get("target"))
        require(asked and record["type"] is None and record["mod"] is None, f"{name}: not a date that was asked about")
    else:
        require(fact in (entity, f"{entity}.beginPoint", f"{entity}.endPoint"), f"{name}: a fact of another entity")


# --- what a value says -----------------------------------------------------------------------------------------------

DAY = 86_400
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DATE = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?"
    r"|-W(?P<week>[0-9]{2})(?:-(?P<weekday>[0-9]|WE))?|-Q(?P<quarter>[0-9])|-H(?P<half>[0-9]))?"
    r"|(?P<decade>[0-9]{3})|(?P<century>[0-9]{2})"
)
_CLOCK = re.compile(r"([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?)?(?:(Z)|([+-])([0-9]{2})(?::?([0-9]{2}))?)?")
_NUMBER = r"([0-9]{1,6}(?:\.[0-9]{1,6})?)"
_PERIOD = re.compile(
    f"P(?=[0-9T])(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    f"(?:T(?=[0-9])(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?"
)
_ONE_UNIT = re.compile(f"P{_NUMBER}(Q|DE|E|CE|C|ML|L)")
_MONTHS_OF_UNIT = {"Q": 3, "DE": 120, "E": 120, "C": 1200, "CE": 1200, "L": 12_000, "ML": 12_000}
_OF_PERIOD = ((12, 0), (1, 0), (0, 7 * DAY), (0, DAY), (0, 3600), (0, 60), (0, 1))  # months, seconds of each part
# Patterns that are not worked out: seasons, fiscal years, years before Christ, parts of the day, X for digits, P1WE.
_TRUSTED = re.compile(
    r"[0-9]{4}-(?:SP|SU|FA|WI)|FY[0-9]{4}(?:-Q[0-9])?|(?:BC|-)[0-9]{4}|P1WE"
    r"|[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|W[0-9]{2}-[0-9])T(?:[A-Z]{2}|[0-9X:]+)(?:Z|[+-][0-9:]{2,5})?"
    r"|[0-9][0-9X]{3}(?:-[0-9A-Z]{1,3}){0,2}(?:T[0-9A-Z:.]+(?:[+-][0-9:]{2,5})?)?"
)
_BEFORE = ("BEFORE", "ON_OR_BEFORE")
_AFTER = ("AFTER", "ON_OR_AFTER")
_LESS = ("LESS_THAN", "EQUAL_OR_LESS")
_MORE = ("MORE_THAN", "EQUAL_OR_MORE")


class _Span(NamedTuple):
    lo: int
    hi: int
    firm: bool
    zoned: bool


class _Length(NamedTuple):
    least: int
    most: int
    above: int
    below: int


def constraints_of(record: dict[str, Any], policy: str) -> list[Constraint] | None:
    """Return the meaning of a record; None if its pattern is not worked out.

    Raise Rejected if the record has no constraint.
    """
    value = record["value"].strip()
    mod = (record["mod"] or "").strip().upper()
    kind = (record["type"] or "").strip().upper()
    if kind == "SET":
        raise Rejected("a SET constrains nothing")
    if mod == "APPROX":
        raise Rejected("an approximate value constrains nothing")
    reading = _read(value)
    if reading is None and not _TRUSTED.fullmatch(value):
        raise Rejected(f"the value {value[:40]!r} constrains nothing")
    entity, fact = record["entity"], record["fact"]
    start, end = f"{entity}.start", f"{entity}.end"
    if fact not in (None, entity):
        if isinstance(reading, _Length) or value == "P1WE" or mod not in ("", "START", "MID", "END"):
            raise Rejected(f"{value[:40]!r} with mod {mod or None} names no calendar unit")
        point = start if fact.endswith(".beginPoint") else end
        return None if reading is None else _around(point, reading)
    if isinstance(reading, _Length):
        if kind in ("DATE", "TIME") or fact is None:
            raise Rejected(f"a length is not a {kind or 'date'}")
        return _length(start, end, reading, mod, policy)
    if reading is None:
        return None
    if fact is None:
        return _span(start, end, reading._replace(firm=True), "", "exact", dct=False)
    return _span(start, end, reading, mod, policy, dct=record["dct"])


def has_form(record: dict[str, Any]) -> bool:
    """Return whether the constraints of a record that is not worked out could be those of a calendar unit."""
    entity, fact = record["entity"], record["fact"]
    own = {f"{entity}.start", f"{entity}.end"}
    if fact not in (None, entity):
        own = {f"{entity}.start" if fact.endswith(".beginPoint") else f"{entity}.end"}
    if record["value"].strip() == "P1WE":
        return all({left, right} == own for left, right, _, _ in record["constraints"])
    origins = {point for left, right, _, _ in record["constraints"] for point in (left, right)} - own
    return len(origins) == 1 and all(
        not strict and len({left, right} & own) == 1 and {left, right} & {"@", "@Z"}
        for left, right, _, strict in record["constraints"]
    )


def _span(start: str, end: str, span: _Span, mod: str, policy: str, *, dct: bool) -> list[Constraint]:
    lo, hi, firm, zoned = span
    origin = "@Z" if zoned else "@"
    strictly = policy != "within"  # the time lies outside the unit
    if mod in _BEFORE:
        return [(origin, end, lo if mod == "BEFORE" and strictly else hi, False)]
    if mod in _AFTER:
        return [(start, origin, -(hi if mod == "AFTER" and strictly else lo), False)]
    if mod not in ("", "START", "MID", "END"):
        raise Rejected(f"mod {mod[:40]} does not go with a date")
    inside = [(start, origin, -lo, False), (origin, end, hi, False)]
    if firm and not mod and (policy == "exact" or (policy == "document" and not dct)):
        return [*inside, (origin, start, lo, False), (end, origin, -hi, False)]
    return inside


def _around(point: str, span: _Span) -> list[Constraint]:
    origin = "@Z" if span.zoned else "@"
    return [(point, origin, -span.lo, False), (origin, point, span.hi, False)]


def _length(start: str, end: str, length: _Length, mod: str, policy: str) -> list[Constraint]:
    if mod in _LESS:
        return [(start, end, length.most, mod == "LESS_THAN")]
    if mod in _MORE:
        return [(end, start, -length.least, mod == "MORE_THAN")]
    if mod:
        raise Rejected(f"mod {mod[:40]} does not go with a length")
    if policy == "within":
        return [(start, end, length.below, True), (end, start, -length.above, True)]
    return [(start, end, length.most, False), (end, start, -length.least, False)]


# --- reading of values -----------------------------------------------------------------------------------------------


def _read(value: str) -> _Span | _Length | None:
    """Return a value of a pattern that is worked out. Raise Rejected if there is no such time."""
    if value.startswith("P"):
        return _read_length(value)
    written, has_clock, clock = value.partition("T")
    date = _DATE.fullmatch(written)
    if date is None:
        return None
    unit = _unit({name: text for name, text in date.groupdict().items() if text is not None})
    if not has_clock:
        return unit
    time = _CLOCK.fullmatch(clock)
    is_day = date["day"] is not None or (date["weekday"] or "WE") != "WE"
    return None if time is None or not is_day else _clock(unit.lo, time)


def _require(condition: bool) -> None:  # noqa: FBT001
    require(condition, "there is no such time")


def _unit(parts: dict[str, str]) -> _Span:
    number = {name: int(text) for name, text in parts.items() if text != "WE"}
    if "decade" in number:
        return _days(_new_year(number["decade"] * 10), _new_year(number["decade"] * 10 + 10))
    if "century" in number:
        return _days(_new_year(number["century"] * 100), _new_year(number["century"] * 100 + 100))
    year = number["year"]
    _require(year > 0)
    if "week" in number:
        return _week(year, number["week"], parts.get("weekday"))
    if "day" in number:
        _require(1 <= number["month"] <= 12)
        first = _month(year, number["month"])
        _require(1 <= number["day"] <= _month(year, number["month"] + 1) - first)
        return _days(first + number["day"] - 1, first + number["day"])
    for name, months in (("month", 1), ("quarter", 3), ("half", 6)):
        if name in number:
            _require(1 <= number[name] <= 12 // months)
            return _days(_month(year, months * (number[name] - 1) + 1), _month(year, months * number[name] + 1))
    return _days(_new_year(year), _new_year(year + 1))


def _days(first: int, behind: int) -> _Span:
    return _Span(first * DAY, behind * DAY, firm=True, zoned=False)


def _week(year: int, week: int, weekday: str | None) -> _Span:
    monday = _first_monday(year) + 7 * (week - 1)
    _require(week >= 1 and monday < _first_monday(year + 1))
    if weekday is None:
        return _days(monday, monday + 7)
    if weekday == "WE":
        return _days(monday + 5, monday + 7)
    _require(1 <= int(weekday) <= 7)
    return _days(monday + int(weekday) - 1, monday + int(weekday))


def _clock(midnight: int, time: re.Match[str]) -> _Span:
    hour, minute, second, fraction, utc, sign, ahead, minutes_ahead = time.groups()
    numbers = [int(text) for text in (hour, minute, second) if text is not None]
    if numbers[0] == 24:
        _require(not any(numbers[1:]) and fraction is None)
    _require(numbers[0] <= 24 and all(each < 60 for each in numbers[1:]))
    sizes = (3600, 60, 1)[: len(numbers)]
    offset = 3600 * int(ahead or 0) + 60 * int(minutes_ahead or 0)
    _require(int(ahead or 0) <= 14 and int(minutes_ahead or 0) < 60)
    lo = midnight + sum(each * size for each, size in zip(numbers, sizes, strict=True))
    lo += offset if sign == "-" else -offset
    return _Span(lo, lo + sizes[-1], fraction is None, utc is not None or sign is not None)


def _read_length(value: str) -> _Length | None:
    one = _ONE_UNIT.fullmatch(value)
    found = one or _PERIOD.fullmatch(value)
    if found is None:
        return None
    if one is not None:
        parts = [(Fraction(one[1]), (_MONTHS_OF_UNIT[one[2]], 0))]
    else:
        parts = [(Fraction(text), size) for text, size in zip(found.groups(), _OF_PERIOD, strict=True) if text]
    _require(any(number for number, _ in parts))
    *before, (number, size) = parts
    shorter, longer = [*before, (max(number - 1, Fraction(0)), size)], [*before, (number + 1, size)]
    return _Length(_shortest(parts), -_longest(parts), _shortest(shorter), -_longest(longer))


def _shortest(parts: list[tuple[Fraction, tuple[int, int]]]) -> int:
    return _extreme(parts, 0, 28)


def _longest(parts: list[tuple[Fraction, tuple[int, int]]]) -> int:
    """Return the longest possible length, negated, so that rounding down makes it longer."""
    return _extreme([(-number, size) for number, size in parts], 1, 31)


def _extreme(parts: list[tuple[Fraction, tuple[int, int]]], which: int, days_of_month: int) -> int:
    months = sum((number * size[0] for number, size in parts), Fraction(0))
    seconds = sum((number * size[1] for number, size in parts), Fraction(0))
    sign = -1 if which else 1
    whole = int(months)  # towards zero
    days = sign * _days_of_months(sign * whole)[which] + (months - whole) * days_of_month
    return (seconds + days * DAY).__floor__()


@lru_cache(maxsize=1024)
def _days_of_months(count: int) -> tuple[int, int]:
    """Return the fewest and the most days of the given number of months in a row.

    The calendar repeats after 4,800 months.
    """
    cycles, rest = divmod(count, 4800)
    firsts = [_month(2000, 1 + place) for place in range(4800 + rest + 1)]
    sums = [firsts[place + rest] - firsts[place] for place in range(4800)]
    return cycles * 146_097 + min(sums), cycles * 146_097 + max(sums)


def _new_year(year: int) -> int:
    """Return days from 1970-01-01 to the first day of a year."""
    before = year - 1
    return 365 * before + before // 4 - before // 100 + before // 400 - 719_162


def _month(year: int, month: int) -> int:
    """Return days from 1970-01-01 to the first day of a month; month 13 is January of the next year."""
    years, place = divmod(month - 1, 12)
    year += years
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _new_year(year) + sum(_MONTHS[:place]) + (is_leap and place > 1)


def _first_monday(year: int) -> int:
    """Return the Monday of the week with 4 January; 1970-01-01 was a Thursday."""
    fourth = _new_year(year) + 3
    return fourth - (fourth + 3) % 7
