"""Values in certificates and in models (section 7 of docs/checker.md)."""

from __future__ import annotations

from typing import Any

from changes import GONE, Table, plus, row, table, valid
from rules_meanings import ALL, CALENDAR, HI, LO, NEXT, ZONED, exactly, record, valued
from small_certificates import certificate

MOST = 10**15
_BASE = certificate(
    "consistent",
    2,
    ("a", "b", "b"),
    calendar=CALENDAR,
    values=[record("1999", ALL, dct=False)],
    unit=1,
    witness={"a": [LO, HI], "b": [HI + 1, HI + 2]},
)
_TWO = plus(record("2000", exactly(*NEXT, "c"), "c"))
FORM = table(
    "values, form",
    _BASE,
    [
        row("version 1", "the certificate: has", ("version", 1)),
        row("version 3", "does not exist in version 3", ("version", 3)),
        row("no unit", "the certificate: has", ("unit", GONE)),
        row("a calendar that is null", "calendar: wrong fields", ("calendar", None)),
        row("a calendar with more", "calendar: wrong fields", ("calendar.more", 1)),
        row("a calendar without zone", "calendar: wrong fields", ("calendar.zone", GONE)),
        row("an unknown policy", "calendar: an unknown choice", ("calendar.policy", "about")),
        row("an unknown hemisphere", "calendar: an unknown choice", ("calendar.hemisphere", "east")),
        row("a policy that is a list", "calendar: an unknown choice", ("calendar.policy", [])),
        *(valid(f"hemisphere {name}", ("calendar.hemisphere", name)) for name in ("south", "unknown")),
        *(valid(f"zone {zone}", ("calendar.zone", zone)) for zone in ("+00:00", "-09:59", "+10:00", "+14:59")),
        *(
            row(f"zone {zone!r}", "calendar: no zone", ("calendar.zone", zone))
            for zone in ("+15:00", "01:00", "+1:00", "+01:60", "+0100", "+01:00 ", "Z", "", 1, "+20:00")
        ),
        *(
            row(f"unit {unit}", "unit: not a whole number from 1", ("unit", unit))
            for unit in (0, -1, 10**9 + 1, True, 1.0, "1", None)
        ),
        valid(
            "the largest unit",
            ("unit", 10**9),
            ("witness", {"a": [LO * 10**9, HI * 10**9], "b": [10**18, 10**18 + 1]}),
        ),
        row("values that are an object", "values: not a list", ("values", {})),
        row("a record that is a list", "values 0: wrong fields", ("values.0", [])),
        row("a record with more", "values 0: wrong fields", ("values.0.more", 1)),
        row("a record without mod", "values 0: wrong fields", ("values.0.mod", GONE)),
        *(
            row(f"{name} that is null", "values 0: wrong types", (f"values.0.{name}", None))
            for name in ("entity", "value", "dct")
        ),
        *(
            row(f"{name} that is 1", "values 0: wrong types", (f"values.0.{name}", 1))
            for name in ("entity", "value", "fact", "type", "mod", "dct")
        ),
        row("no constraints", "values 0: no constraints", ("values.0.constraints", [])),
        *(
            row(f"constraints that are {bad}", "values 0: no constraints", ("values.0.constraints", bad))
            for bad in (None, True, {"a": 1}, "@")
        ),
        *(
            row(f"a constraint {bad}", "values 0: odd constraint", ("values.0.constraints.1", bad))
            for bad in (
                1,
                ["@", "a.end", 5],
                ["@", "a.end", 5, False, 1],
                [1, "a.end", 5, False],
                ["@", 1, 5, False],
                ["@", "a.end", True, False],
                ["@", "a.end", 5.0, False],
                ["@", "a.end", 5, 0],
                ["@", "a.end", 5, None],
                ["@", "a.end", MOST + 1, False],
                ["@", "a.end", -MOST - 1, False],
            )
        ),
        *(
            row(f"a constraint of {most} seconds", "does not say this", ("values.0.constraints.1.2", most))
            for most in (MOST, -MOST, HI + 1, HI - 1)
        ),
        row("another strictness", "does not say this", ("values.0.constraints.1.3", True)),
        row("a constraint too few", "does not say this", ("values.0.constraints.3", GONE)),
        row("a constraint twice", "does not say this", ("values.0.constraints", plus(ALL[0]))),
        valid("constraints in another order", ("values.0.constraints", ALL[::-1])),
        row("a fact of another entity", "values 0: a fact of another entity", ("values.0.fact", "b")),
        row("a fact of another point", "values 0: a fact of another entity", ("values.0.fact", "a.start")),
        row("a date of no query", "values 0: not a date that was asked about", ("values.0.fact", None)),
        row("a fact twice", "values: a fact is given twice", ("values", plus(_BASE["values"][0]))),
        valid(
            "a fact and its beginning",
            (
                "values",
                plus(record("1999", [["a.start", "@", -LO, False], ["@", "a.start", HI, False]], fact="a.beginPoint")),
            ),
        ),
        # models
        row("times too late", "witness: bad times", ("witness.x", [0, MOST + 1])),
        row("times too early", "witness: bad times", ("witness.x", [-MOST - 1, 0])),
        valid("the first and the last time", ("witness.x", [-MOST, MOST])),
        valid("a larger unit", ("unit", 2), ("witness", {"a": [2 * LO, 2 * HI], "b": [2 * HI + 1, 2 * MOST]})),
        row("the times of another unit", "are too far apart, or too close", ("unit", 2)),
        row("no times", "witness: no times for 'c'", ("values", _TWO)),
        valid("two values", ("values", _TWO), ("witness.c", list(NEXT))),
        *(
            row(f"a value moved by {at} and {by}", "too far apart, or too close", ("witness.a", [LO + at, HI + by]))
            for at, by in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ),
        row("a link that does not hold", "'a' b 'b' does not hold", ("witness.b", [HI, HI + 2])),
    ],
)

_TEN = ZONED["1999-05-04T10Z"]
_ZONES = valued(
    record("1999-05-04T10Z", exactly(_TEN, _TEN + 3600, origin="@Z")),
    record("1999-05-04T10", exactly(_TEN, _TEN + 3600, "b"), "b"),
    record("1999-05-04T11Z", exactly(_TEN + 3600, _TEN + 7200, "c", "@Z"), "c"),
    witness={"a": [_TEN, _TEN + 3600], "b": [_TEN, _TEN + 3600], "c": [_TEN + 3600, _TEN + 7200]},
)


def _moved(by: int, and_by: int | None = None) -> list[tuple[str, Any]]:
    other = by if and_by is None else and_by
    return [
        ("witness.a", lambda old: [each + by for each in old]),
        ("witness.c", lambda old: [each + other for each in old]),
    ]


ZONES = table(
    "zones",
    _ZONES,
    [
        *(valid(f"UTC at {by}", *_moved(by)) for by in (50_400, -43_200, 1)),
        *(row(f"UTC at {by}", "witness: no zone fits", *_moved(by)) for by in (50_401, -43_201)),
        *(row(f"two offsets, {by} and {other}", "no zone fits", *_moved(by, other)) for by, other in ((5, 6), (6, 5))),
        valid("a zone ahead", *_moved(3600), ("calendar.zone", "+01:00")),
        valid("a zone behind", *_moved(-5400), ("calendar.zone", "-01:30")),
        *(
            row(f"a zone of {by}", "no zone fits", *_moved(by), ("calendar.zone", "+01:00"))
            for by in (3599, 3601, -3600)
        ),
        valid("no local time", *_moved(10**6), ("values.1", GONE)),
        row("no local time, two offsets", "no zone fits", *_moved(10**6, 10**6 + 1), ("values.1", GONE)),
        row("no local time, two other offsets", "no zone fits", *_moved(10**6 + 1, 10**6), ("values.1", GONE)),
        valid(
            "another unit",
            ("unit", 3),
            (
                "witness",
                {
                    name: [3 * time + (3 * 50_400 if name != "b" else 0) for time in times]
                    for name, times in _ZONES["witness"].items()
                },
            ),
        ),
        row(
            "another unit, too far",
            "no zone fits",
            ("unit", 3),
            (
                "witness",
                {
                    name: [3 * time + (3 * 50_400 + 1 if name != "b" else 0) for time in times]
                    for name, times in _ZONES["witness"].items()
                },
            ),
        ),
    ],
)

TABLES: list[Table] = [FORM, ZONES]
