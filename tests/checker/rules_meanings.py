"""What values say (section 7 of docs/checker.md). What the standard library knows is worked out with it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from changes import GONE, Table, row, table, valid, whole
from small_certificates import certificate

DAY = 86_400
CALENDAR = {"policy": "exact", "hemisphere": "north", "zone": None}


def at(text: str) -> int:
    """Return the seconds from 1970 to a day or a time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def week(year: int, number: int, day: int = 1) -> int:
    """Return the seconds from 1970 to a day of a week."""
    return at(datetime.fromisocalendar(year, number, day).isoformat())


def record(value: str, constraints: list[Any], entity: str = "a", **more: Any) -> dict[str, Any]:
    """Return a record of a value."""
    plain = {"fact": entity, "entity": entity, "value": value, "type": None, "mod": None, "dct": False}
    return plain | {"constraints": constraints} | more


def exactly(lo: int, hi: int, entity: str = "a", origin: str = "@") -> list[Any]:
    """Return the constraints of a span under the policy exact."""
    s, e = f"{entity}.start", f"{entity}.end"
    return [[s, origin, -lo, False], [origin, e, hi, False], [origin, s, lo, False], [e, origin, -hi, False]]


def valued(*values: dict[str, Any], witness: dict[str, Any], policy: str = "exact", **more: Any) -> dict[str, Any]:
    """Return a certificate of values that hold."""
    fields = {"calendar": {**CALENDAR, "policy": policy}, "values": list(values), "unit": 1, "witness": witness}
    return certificate("consistent", 2, **(fields | more))


def says(value: str, constraints: list[Any], times: list[int], policy: str = "exact", **more: Any) -> dict[str, Any]:
    """Return a certificate of one value, and times of its entity."""
    return valued(record(value, constraints, **more), witness={"a": times}, policy=policy)


# --- what a value says ------------------------------------------------------------------------------------------------

_YEARS = {
    "1999": ("1999-01-01", "2000-01-01"),
    "2000": ("2000-01-01", "2001-01-01"),
    "1900": ("1900-01-01", "1901-01-01"),
}
SPANS = {
    **{value: (at(first), at(last)) for value, (first, last) in _YEARS.items()},
    "0001": (at("0001-01-01"), at("0002-01-01")),
    "9998": (at("9998-01-01"), at("9999-01-01")),
    "1999-01": (at("1999-01-01"), at("1999-02-01")),
    "1999-02": (at("1999-02-01"), at("1999-03-01")),
    "2000-02": (at("2000-02-01"), at("2000-03-01")),
    "1900-02": (at("1900-02-01"), at("1900-03-01")),
    "2004-03": (at("2004-03-01"), at("2004-04-01")),
    "1999-12": (at("1999-12-01"), at("2000-01-01")),
    "1999-01-01": (at("1999-01-01"), at("1999-01-02")),
    "1999-01-31": (at("1999-01-31"), at("1999-02-01")),
    "2000-02-29": (at("2000-02-29"), at("2000-03-01")),
    "1999-12-31": (at("1999-12-31"), at("2000-01-01")),
    "1999-W01": (week(1999, 1), week(1999, 2)),
    "1998-W53": (week(1998, 53), week(1999, 1)),
    "2003-W01": (week(2003, 1), week(2003, 2)),
    "2005-W01": (week(2005, 1), week(2005, 2)),
    "2006-W01": (week(2006, 1), week(2006, 2)),
    "2010-W01": (week(2010, 1), week(2010, 2)),
    "2013-W01": (week(2013, 1), week(2013, 2)),
    "1999-W05-1": (week(1999, 5), week(1999, 5, 2)),
    "1999-W05-7": (week(1999, 5, 7), week(1999, 6)),
    "1999-W05-WE": (week(1999, 5, 6), week(1999, 6)),
    "1999-Q1": (at("1999-01-01"), at("1999-04-01")),
    "1999-Q4": (at("1999-10-01"), at("2000-01-01")),
    "1999-H1": (at("1999-01-01"), at("1999-07-01")),
    "1999-H2": (at("1999-07-01"), at("2000-01-01")),
    "199": (at("1990-01-01"), at("2000-01-01")),
    "19": (at("1900-01-01"), at("2000-01-01")),
    "00": (at("0001-01-01") - 366 * DAY, at("0100-01-01")),
    "1999-05-04T00": (at("1999-05-04T00:00:00"), at("1999-05-04T01:00:00")),
    "1999-05-04T13:45": (at("1999-05-04T13:45:00"), at("1999-05-04T13:46:00")),
    "1999-05-04T13:45:59": (at("1999-05-04T13:45:59"), at("1999-05-04T13:46:00")),
    "1999-05-04T23:59": (at("1999-05-04T23:59:00"), at("1999-05-05")),
    "1999-05-04T24": (at("1999-05-05"), at("1999-05-05T01:00:00")),
    "1999-05-04T24:00:00": (at("1999-05-05"), at("1999-05-05T00:00:01")),
    "1999-W05-3T10": (week(1999, 5, 3) + 36_000, week(1999, 5, 3) + 39_600),
    "\u3000 1999\t": (at("1999-01-01"), at("2000-01-01")),
}
ZONED = {
    "1999-05-04T10Z": at("1999-05-04T10:00:00"),
    "1999-05-04T10+01": at("1999-05-04T09:00:00"),
    "1999-05-04T10-01": at("1999-05-04T11:00:00"),
    "1999-05-04T10+0130": at("1999-05-04T08:30:00"),
    "1999-05-04T10-01:30": at("1999-05-04T11:30:00"),
    "1999-05-04T10+14:59": at("1999-05-03T19:01:00"),
}
IMPOSSIBLE = [
    "0000",
    "1999-00",
    "1999-13",
    "1999-13-01",
    "1999-00-01",
    "1999-01-00",
    "1999-01-32",
    "1999-02-29",
    "1900-02-29",
    "1999-04-31",
    "1999-W00",
    "1999-W53",
    "1999-W00-1",
    "1999-W05-0",
    "1999-W05-8",
    "1999-Q0",
    "1999-Q5",
    "1999-H0",
    "1999-H3",
    "0000-01-01T10",
    "1999-02-30TXX",
    "1999-05-04T25",
    "1999-05-04T10:60",
    "1999-05-04T10:00:60",
    "1999-05-04T24:01",
    "1999-05-04T24:00:01",
    "1999-05-04T24:00:00.0",
    "1999-05-04T10+15",
    "1999-05-04T10+01:60",
    "P0D",
    "P0Y0M",
    "PT0.0S",
    "P0Q",
]
UNKNOWN = [
    "",
    "x",
    "199-05",
    "1",
    "20000",
    "1999/01",
    "1999-05-04-",
    "PAST_REF",
    "P",
    "PT",
    "P1",
    "PD",
    "P1X",
    "PXD",
    "P1DT",
    "P1YT1D",
    "P1H",
    "P1M1Y",
    "P1.D",
    "P.5D",
    "P1234567D",
    "P1.1234567D",
    "P1QE",
    "P1Q1D",
    "1999-05T10:00Z~",
    "19T10",
    "٢٠٠٠",
]
TRUSTED = [
    "1999-SP",
    "1999-SU",
    "1999-FA",
    "1999-WI",
    "FY1999",
    "FY1999-Q2",
    "BC0100",
    "-0100",
    "1999-05-04TMO",
    "199X",
    "1999-05-04T1X:30",
    "1999-W05-3TEV",
    "1999-XX",
    "1999-05-XX",
    "1999-05-04TNIZ",
]
NEXT = SPANS["2000"]
SEASON = [["a.start", "@", -5, False], ["@", "a.end", 9, False]]


def _off(constraints: list[Any]) -> list[Any]:
    """Return constraints whose first number is one larger: more than the value allows."""
    left, right, seconds, strict = constraints[0]
    return [[left, right, seconds + 1, strict], *constraints[1:]]


def _span_rows() -> list[Any]:
    rows = [
        whole(f"{value!r}", None, says(value, exactly(*borders), list(borders))) for value, borders in SPANS.items()
    ]
    rows += [
        whole(f"{value!r}", None, says(value, exactly(lo, lo + 3600, origin="@Z"), [lo, lo + 3600]))
        for value, lo in ZONED.items()
    ]
    rows += [
        whole(f"{value!r}, off by 1", "does not say this", says(value, _off(exactly(*borders)), list(borders)))
        for value, borders in SPANS.items()
    ]
    lo = at("1999-05-04T10:00:01")
    within = exactly(lo, lo + 1)[:2]
    rows += [
        whole("a fraction", None, says("1999-05-04T10:00:01.5", within, [lo, lo + 1])),
        whole(
            "a fraction is not firm",
            "does not say this",
            says("1999-05-04T10:00:01.5", exactly(lo, lo + 1), [lo, lo + 1]),
        ),
    ]
    any_time = [["@", "a.end", 5, False]]
    rows += [whole(f"{value!r}", "there is no such time", says(value, any_time, [0, 1])) for value in IMPOSSIBLE]
    rows += [whole(f"{value!r}", "constrains nothing", says(value, any_time, [0, 1])) for value in UNKNOWN]
    rows += [whole(f"{value!r}", None, says(value, SEASON, [5, 9])) for value in TRUSTED]
    return rows


LO, HI = SPANS["1999"]
ALL = exactly(LO, HI)
INSIDE = ALL[:2]
_BY_MOD = {  # mod, policy, dct -> constraints, times
    ("BEFORE", "within"): ([["@", "a.end", HI, False]], [HI - 2, HI]),
    ("BEFORE", "exact"): ([["@", "a.end", LO, False]], [LO - 2, LO]),
    ("BEFORE", "document"): ([["@", "a.end", LO, False]], [LO - 2, LO]),
    ("ON_OR_BEFORE", "exact"): ([["@", "a.end", HI, False]], [HI - 2, HI]),
    ("ON_OR_BEFORE", "within"): ([["@", "a.end", HI, False]], [HI - 2, HI]),
    ("AFTER", "within"): ([["a.start", "@", -LO, False]], [LO, LO + 2]),
    ("AFTER", "exact"): ([["a.start", "@", -HI, False]], [HI, HI + 2]),
    ("AFTER", "document"): ([["a.start", "@", -HI, False]], [HI, HI + 2]),
    ("ON_OR_AFTER", "exact"): ([["a.start", "@", -LO, False]], [LO, LO + 2]),
    ("ON_OR_AFTER", "within"): ([["a.start", "@", -LO, False]], [LO, LO + 2]),
    ("START", "exact"): (INSIDE, [LO, HI]),
    ("MID", "exact"): (INSIDE, [LO, HI]),
    ("END", "exact"): (INSIDE, [LO, HI]),
    (None, "within"): (INSIDE, [LO, HI]),
    (None, "document"): (ALL, [LO, HI]),
    (" end ", "exact"): (INSIDE, [LO, HI]),
}


def _mod_rows() -> list[Any]:
    rows = [
        whole(f"{mod} under {policy}", None, says("1999", constraints, times, policy, mod=mod))
        for (mod, policy), (constraints, times) in _BY_MOD.items()
    ]
    rows += [
        whole(
            f"{mod} under {policy}, off by 1", "does not say this", says("1999", _off(limits), times, policy, mod=mod)
        )
        for (mod, policy), (limits, times) in _BY_MOD.items()
    ]
    day = says("1999", INSIDE, [LO, HI], "document", dct=True)
    begin, end = "a.beginPoint", "a.endPoint"
    around = [["a.start", "@", -LO, False], ["@", "a.start", HI, False]]
    around_end = [["a.end", "@", -LO, False], ["@", "a.end", HI, False]]
    times = [LO, HI]
    rows += [
        whole("the date of the document", None, day),
        whole("a firm date of the document", "does not say this", says("1999", ALL, times, "document", dct=True)),
        whole("the date of the document under exact", None, says("1999", ALL, times, dct=True)),
        whole("no mod under exact", "does not say this", says("1999", INSIDE, times)),
        whole("a set", "a SET constrains nothing", says("1999", ALL, times, type=" set")),
        whole("an approximate value", "an approximate value", says("1999", ALL, times, mod="approx ")),
        whole("an unknown mod", "mod LATER does not go with a date", says("1999", INSIDE, times, mod="later")),
        whole(
            "a mod of a length", "mod LESS_THAN does not go with a date", says("1999", INSIDE, times, mod="LESS_THAN")
        ),
        whole("a date of type TIME", None, says("1999", ALL, times, type="TIME")),
        whole("a beginning", None, says("1999", around, times, fact=begin)),
        whole("an end", None, says("1999", around_end, times, fact=end)),
        whole("the beginning of an end", "does not say this", says("1999", around, times, fact=end)),
        whole("an end of a beginning", "does not say this", says("1999", around_end, times, fact=begin)),
        whole("a beginning in the middle", None, says("1999", around, times, fact=begin, mod="MID")),
        whole("a beginning before", "names no calendar unit", says("1999", around, times, fact=begin, mod="BEFORE")),
        whole("a beginning of a length", "names no calendar unit", says("P1D", around, times, fact=begin)),
        whole("a beginning of a weekend", "names no calendar unit", says("P1WE", around, times, fact=begin)),
        whole("a trusted beginning", None, says("1999-SP", [["a.start", "@", -5, False]], [5, 9], fact=begin)),
        whole("a trusted end", None, says("1999-SP", [["@", "a.end", 9, False]], [5, 9], fact=end)),
        whole(
            "a trusted beginning of an end",
            "constraints of another form",
            says("1999-SP", [["a.start", "@", -5, False]], [5, 9], fact=end),
        ),
        whole(
            "a trusted end of a beginning",
            "constraints of another form",
            says("1999-SP", [["@", "a.end", 9, False]], [5, 9], fact=begin),
        ),
        *(
            whole(f"{mod} with a zone", None, says("1999-05-04T10Z", [constraint], times, mod=mod))
            for mod, constraint in (
                ("ON_OR_AFTER", ["a.start", "@Z", -ZONED["1999-05-04T10Z"], False]),
                ("ON_OR_BEFORE", ["@Z", "a.end", ZONED["1999-05-04T10Z"] + 3600, False]),
            )
        ),
        whole("a bad beginning", "the value of a.beginPoint: there is no", says("0000", around, times, fact=begin)),
        whole("a wrong beginning", "the value of a.beginPoint does", says("1999", around_end, times, fact=begin)),
        whole(
            "a zoned beginning",
            None,
            says(
                "1999-05-04T10Z",
                [
                    ["a.start", "@Z", -ZONED["1999-05-04T10Z"], False],
                    ["@Z", "a.start", ZONED["1999-05-04T10Z"] + 3600, False],
                ],
                times,
                fact=begin,
            ),
        ),
    ]
    return rows


# value: least, most, above, below
_D = DAY
LENGTHS: dict[str, tuple[int, int, int, int]] = {
    "P2D": (2 * _D, 2 * _D, _D, 3 * _D),
    "P1D": (_D, _D, 0, 2 * _D),
    "P1W": (7 * _D, 7 * _D, 0, 14 * _D),
    "PT2H": (7200, 7200, 3600, 10_800),
    "PT5M": (300, 300, 240, 360),
    "PT2S": (2, 2, 1, 3),
    "PT1.5S": (1, 2, 0, 3),
    "PT0.5S": (0, 1, 0, 2),
    "P1M": (28 * _D, 31 * _D, 0, 62 * _D),
    "P2M": (59 * _D, 62 * _D, 28 * _D, 92 * _D),
    "P1Y": (365 * _D, 366 * _D, 0, 731 * _D),
    "P4Y": (1460 * _D, 1461 * _D, 1095 * _D, 1827 * _D),
    "P1.5M": (42 * _D, -(-93 * _D // 2), 14 * _D, (62 * 2 + 31) * _D // 2),
    "P1Q": (89 * _D, 92 * _D, 0, 184 * _D),
    **dict.fromkeys(("P1DE", "P1E"), (3651 * _D, 3653 * _D, 0, 7305 * _D)),
    **dict.fromkeys(("P1CE", "P1C"), (36_524 * _D, 36_525 * _D, 0, 73_049 * _D)),
    **dict.fromkeys(("P1ML", "P1L"), (365_242 * _D, 365_243 * _D, 0, 730_485 * _D)),
    "P400Y": (146_097 * _D, 146_097 * _D, 145_731 * _D, 146_463 * _D),
    "P1Y2M": (424 * _D, 428 * _D, 393 * _D, 458 * _D),
    "P1Y1D": (366 * _D, 367 * _D, 365 * _D, 368 * _D),
    "P1DT1H": (_D + 3600, _D + 3600, _D, _D + 7200),
    "P0Y1D": (_D, _D, 0, 2 * _D),
}


def _length_rows() -> list[Any]:
    rows = []
    for value, (least, most, above, below) in LENGTHS.items():
        plain = [["a.start", "a.end", most, False], ["a.end", "a.start", -least, False]]
        rounded = [["a.start", "a.end", below, True], ["a.end", "a.start", -above, True]]
        rows.append(whole(f"{value} exactly", None, says(value, plain, [0, most])))
        rows.append(whole(f"{value} within", None, says(value, rounded, [0, most], "within")))
    two = {"P2D": [["a.start", "a.end", 2 * _D, False], ["a.end", "a.start", -2 * _D, False]]}["P2D"]
    mods = {
        "LESS_THAN": ["a.start", "a.end", 2 * _D, True],
        "EQUAL_OR_LESS": ["a.start", "a.end", 2 * _D, False],
        "MORE_THAN": ["a.end", "a.start", -2 * _D, True],
        "EQUAL_OR_MORE": ["a.end", "a.start", -2 * _D, False],
    }
    for mod, constraint in mods.items():
        good = 2 * _D + (mod == "MORE_THAN") - (mod == "LESS_THAN")
        rows.append(whole(f"a length {mod}", None, says("P2D", [constraint], [0, good], mod=mod)))
        turned = [*constraint[:3], not constraint[3]]
        rows.append(whole(f"a length {mod} turned", "does not say this", says("P2D", [turned], [0, good], mod=mod)))
        exact = says("P2D", [constraint], [0, 2 * _D], mod=mod)
        rows.append(whole(f"exactly a length {mod}", "are too far apart" if constraint[3] else None, exact))
    rows += [
        whole("a length under document", None, says("P2D", two, [0, 2 * _D], "document")),
        whole("a length of type DURATION", None, says("P2D", two, [0, 2 * _D], type="DURATION")),
        whole("a length of type DATE", "a length is not a DATE", says("P2D", two, [0, 2 * _D], type="date ")),
        whole("a length of type TIME", "a length is not a TIME", says("P2D", two, [0, 2 * _D], type="TIME")),
        whole(
            "a length with a mod of dates",
            "mod BEFORE does not go with a length",
            says("P2D", two, [0, 2], mod="BEFORE"),
        ),
        whole("a length at the start", "mod START does not go with a length", says("P2D", two, [0, 2], mod="START")),
        whole(
            "a weekend", None, says("P1WE", [["a.start", "a.end", 9, True], ["a.end", "a.start", -2, False]], [0, 2])
        ),
    ]
    return rows


_OTHER = [at("1998-01-01"), at("1999-01-01")]
MEANINGS = [
    table(name, says("1998", exactly(*_OTHER), _OTHER), rows)
    for name, rows in (("spans", _span_rows()), ("mods", _mod_rows()), ("lengths", _length_rows()))
]
TRUST = table(
    "trusted values",
    says("1999-SP", SEASON, [5, 9]),
    [
        valid("from UTC", ("values.0.constraints", [["a.start", "@Z", -5, False], ["@Z", "a.end", 9, False]])),
        valid("one border", ("values.0.constraints.1", GONE)),
        valid("the other way", ("values.0.constraints", [["@", "a.start", 5, False], ["a.end", "@", -9, False]])),
        *(
            row(f"constraints {number}", "the value of a: constraints of another form", ("values.0.constraints", edges))
            for number, edges in enumerate(
                [
                    [["a.start", "@", -5, True]],
                    [["a.start", "a.end", 5, False]],
                    [["a.start", "a.start", 5, False]],
                    [["@", "@", 5, False]],
                    [["@", "@Z", 5, False]],
                    [["a.start", "@", -5, False], ["@Z", "a.end", 9, False]],
                    [["a.start", "@", -5, False], ["a.start", "a.end", 9, False]],
                    [["b.start", "@", -5, False]],
                    [["a.start", "b.start", -5, False]],
                    [["a.start", "@", -5, False], ["b.start", "@", 5, False]],
                    [["@", "a", 5, False]],
                ]
            )
        ),
        row("another text", "the value of a: the value", ("values.0.value", "1999-SPRING")),
        valid("a weekend", ("values.0.value", "P1WE"), ("values.0.constraints", [["a.start", "a.end", 9, False]])),
        row("a weekend from 1970", "constraints of another form", ("values.0.value", "P1WE")),
        row(
            "half a weekend",
            "constraints of another form",
            ("values.0.value", "P1WE"),
            ("values.0.constraints", [["a.start", "a.end", 9, False], ["a.start", "@", -5, False]]),
        ),
        row(
            "a weekend of one end",
            "constraints of another form",
            ("values.0.value", "P1WE"),
            ("values.0.constraints", [["a.start", "a.start", 9, False]]),
        ),
        row("times too early", "witness: a.start and @ are too far apart", ("witness.a", [4, 9])),
        row("times too late", "witness: @ and a.end are too far apart", ("witness.a", [5, 10])),
        valid("times with room", ("witness.a", [6, 8])),
    ],
)

TABLES: list[Table] = [*MEANINGS, TRUST]
