"""Proofs with values (section 7 of docs/checker.md)."""

from __future__ import annotations

import copy
from typing import Any

from changes import GONE, Table, plus, row, table, valid
from rules_meanings import ALL, CALENDAR, HI, INSIDE, LO, NEXT, exactly, record
from rules_values import MOST
from small_certificates import certificate, query

_LATE = [
    ["@", "b.end", HI, False, ["value", 1]],
    ["b.end", "b.start", 0, True, None],
    ["b.start", "a.end", 0, True, 0],
    ["a.end", "@", -NEXT[1], False, ["value", 0]],
]
_VALUES = [record("2000", exactly(*NEXT)), record("1999", exactly(LO, HI, "b"), "b")]
_PROOF = certificate(
    "inconsistent",
    2,
    ("a", "b", "b"),
    calendar=CALENDAR,
    values=_VALUES,
    unit=1,
    conflict=[0, ["value", 0], ["value", 1]],
    needed=[
        {"a": list(NEXT), "b": [LO, HI]},
        {"a": [0, 1], "b": [LO, HI]},
        {"a": list(NEXT), "b": [NEXT[1] + 1, NEXT[1] + 2]},
    ],
    proof=[{"cycle": _LATE}],
)


def _edges(*edges: list[Any]) -> tuple[str, Any]:
    return "proof.0.cycle", list(edges)


CIRCLES = table(
    "circles",
    _PROOF,
    [
        valid("version 3", ("version", 3)),
        row("version 1", "the certificate: has", ("version", 1)),
        row("a needed model that breaks the link", "needed for link ('value', 0)", ("needed.1.a", list(NEXT))),
        row("a needed model that breaks a value", "needed for link 0", ("needed.0.a", [0, 1])),
        row(
            "needed models exchanged", "needed for link ('value', 0)", ("needed", lambda old: [old[0], old[2], old[1]])
        ),
        row("a value twice", "conflict: not a list of different links", ("conflict", plus(["value", 1]))),
        row("a value that is not there", "conflict: not a list of different links", ("conflict", plus(["value", 2]))),
        row("a negative value", "conflict: not a list of different links", ("conflict", plus(["value", -1]))),
        row("value true", "conflict: not a list of different links", ("conflict.2", ["value", True])),
        row("a choice", "conflict: not a list of different links", ("conflict", plus(["choice", 1]))),
        row("a value of three", "conflict: not a list of different links", ("conflict.2", ["value", 1, 1])),
        row("a value in a list", "conflict: not a list of different links", ("conflict.2", [["value"], 1])),
        row("an empty list", "conflict: not a list of different links", ("conflict.2", [])),
        row("a circle that is null", "proof step 0: not a list", ("proof.0.cycle", None)),
        *(
            row(f"an edge {number}", "proof step 0: a bad edge", ("proof.0.cycle.0", bad))
            for number, bad in enumerate(
                [
                    1,
                    _LATE[0][:4],
                    [*_LATE[0], 1],
                    [1, *_LATE[0][1:]],
                    ["@", 1, HI, False, None],
                    ["@", "b.end", 1.0, False, None],
                    ["@", "b.end", True, False, None],
                    ["@", "b.end", HI, 0, None],
                    ["@", "b.end", MOST + 1, False, None],
                    ["@", "b.end", -MOST - 1, False, None],
                    ["@", "b.end", HI, False, "value"],
                    ["@", "b.end", HI, False, True],
                    ["@", "b.end", HI, False, {}],
                    ["@", "b.end", HI, False, ["value"]],
                    ["@", "b.end", HI, False, ["value", 1, 1]],
                    ["@", "b.end", HI, False, ["value", True]],
                    ["@", "b.end", HI, False, ["fact", 1]],
                    ["@", "b.end", HI, False, ["choice", 1]],
                    ["@", "b.end", HI, False, ["choice", 0]],
                    ["@", "b.end", HI, False, [["value"], 1]],
                ]
            )
        ),
        row("an open path", "is not continued", ("proof.0.cycle.3", GONE)),
        row("nothing", "proof step 0: the circle is possible", ("proof.0.cycle", [])),
        row("an edge of no fact", "rests on no fact", ("proof.0.cycle.0.4", None)),
        row("an edge of another value", "the value does not say this", ("proof.0.cycle.0.4", ["value", 0])),
        row("an edge of no value", "rests on a fact that is not in the conflict", ("proof.0.cycle.0.4", ["value", 2])),
        row(
            "an edge outside the conflict",
            "rests on a fact that is not in the conflict",
            ("conflict.2", GONE),
            ("needed", None),
        ),
        row("another number of seconds", "the value does not say this", ("proof.0.cycle.0.2", HI - 1)),
        row("another strictness", "the value does not say this", ("proof.0.cycle.0.3", True)),
        row("a link with seconds", "does not follow", ("proof.0.cycle.2.2", -1)),
        row(
            "a link the other way",
            "does not follow",
            _edges(["a.end", "b.start", 0, True, 0], ["b.start", "a.end", 0, True, 0]),
        ),
        row("a link of other points", "does not follow", _edges(["c.end", "c.end", 0, True, 0])),
        valid("a link that is not strict", ("proof.0.cycle.2.3", False)),
        valid(
            "a link that holds at equal times",
            ("links.0.relation", ["m"]),
            ("readings.0.1", ["m"]),
            ("proof.0.cycle.2.3", False),
            ("needed", None),
        ),
        row(
            "a link that does not hold at equal times",
            "does not follow",
            ("links.0.relation", ["m"]),
            ("readings.0.1", ["m"]),
            ("needed", None),
        ),
        valid("an own edge that is not strict", ("proof.0.cycle.1.3", False)),
        row(
            "an own edge the other way",
            "rests on no fact",
            _edges(["b.start", "b.end", 0, True, None], ["b.end", "b.start", 0, True, None]),
        ),
        row("an own edge with seconds", "rests on no fact", ("proof.0.cycle.1.2", -1)),
        row(
            "an own edge of two entities",
            "rests on no fact",
            ("proof.0.cycle.1.0", "c.end"),
            ("proof.0.cycle.0.1", "c.end"),
            ("proof.0.cycle.0.4", ["value", 1]),
            ("values.1", record("1999", exactly(LO, HI, "c"), "c")),
            ("needed", None),
        ),
        row(
            "a possible circle",
            "the circle is possible",
            _edges(
                ["@", "b.end", HI, False, ["value", 1]],
                ["b.end", "b.start", 0, True, None],
                ["b.start", "@", -LO, False, ["value", 1]],
            ),
        ),
        row(
            "a circle of nothing",
            "the circle is possible",
            _edges(["@", "b.end", HI, False, ["value", 1]], ["b.end", "@", -HI, False, ["value", 1]]),
        ),
        row(
            "the zone alone",
            "the circle is possible",
            _edges(["@", "@Z", 50_400, False, None], ["@Z", "@", 43_200, False, None]),
        ),
        row(
            "a given zone alone",
            "the circle is possible",
            ("calendar.zone", "+01:00"),
            _edges(["@", "@Z", 3600, False, None], ["@Z", "@", -3600, False, None]),
        ),
        row(
            "a strict zone",
            "rests on no fact",
            ("calendar.zone", "+01:00"),
            _edges(["@", "@Z", 3600, True, None], ["@Z", "@", -3600, False, None]),
        ),
        row(
            "another zone",
            "rests on no fact",
            ("calendar.zone", "+01:00"),
            _edges(["@", "@Z", 3599, False, None], ["@Z", "@", -3600, False, None]),
        ),
        row(
            "the zone of none",
            "rests on no fact",
            _edges(["@", "@Z", 3600, False, None], ["@Z", "@", -3601, False, None]),
        ),
    ],
)

_WHEN = [
    ["@", "a.end", HI, False, ["value", 0]],
    ["a.end", "b.start", 0, True, 0],
    ["b.start", "@", -NEXT[0], False, ["value", 1]],
]
_SPLIT = certificate(
    "inconsistent",
    2,
    ("a", "bi|oi", "b"),
    calendar=CALENDAR,
    values=[record("1999", ALL), record("2000", exactly(*NEXT, "b"), "b")],
    unit=1,
    conflict=[0, ["value", 0], ["value", 1]],
    needed=None,
    proof=[{"split": 0, "cases": [[["bi"], 1], [["oi"], 2]]}, {"cycle": _WHEN}, {"cycle": _WHEN}],
)
_SPLIT["proof"][2] = {"cycle": copy.deepcopy(_WHEN)}
TIMED_SPLIT = table(
    "splits of circles",
    _SPLIT,
    [
        row("a case left out", "proof step 0 leaves out a case", ("proof.0.cases.1", GONE), ("proof.2", GONE)),
        row("a split of a value", "proof step 0: splits no link", ("proof.0.split", ["value", 0])),
        row(
            "an edge of one case in the other",
            "does not follow",
            (
                "proof.2.cycle",
                [
                    ["a.start", "b.end", 0, True, 0],
                    ["b.end", "b.start", 0, True, None],
                    ["b.start", "@", -NEXT[0], False, ["value", 1]],
                    ["@", "a.start", LO, False, ["value", 0]],
                ],
            ),
        ),
        valid(
            "an edge of its own case",
            (
                "proof.1.cycle",
                [
                    ["a.start", "b.end", 0, True, 0],
                    ["b.end", "b.start", 0, True, None],
                    ["b.start", "@", -NEXT[0], False, ["value", 1]],
                    ["@", "a.start", LO, False, ["value", 0]],
                ],
            ),
        ),
        row(
            "without the atoms of a case",
            "does not follow",
            (
                "proof",
                [
                    {
                        "cycle": [
                            ["a.start", "b.end", 0, True, 0],
                            ["b.end", "b.start", 0, True, None],
                            ["b.start", "@", -NEXT[0], False, ["value", 1]],
                            ["@", "a.start", LO, False, ["value", 0]],
                        ]
                    }
                ],
            ),
        ),
    ],
)
_SELF = certificate(
    "inconsistent",
    2,
    ("a", "b|=", "a"),
    calendar=CALENDAR,
    values=[record("1999", ALL)],
    unit=1,
    conflict=[0],
    needed=None,
    proof=[
        {"split": 0, "cases": [[["b"], 1], [["="], 2]]},
        {"cycle": [["a.start", "a.start", 0, True, 0]]},
        {"split": 0, "cases": []},
    ],
)
_ITSELF = _SELF | {
    "links": [{**_SELF["links"][0], "relation": ["b"]}],
    "readings": [["b|=", ["b"]]],
    "proof": [{"cycle": [["a.start", "a.start", 0, True, 0]]}],
}
SELF = table(
    "an entity and itself, with values",
    _ITSELF,
    [
        row("it equals itself", "proof step 2 leaves out a case", *_SELF.items()),
        row("it may equal itself", "does not follow", ("links.0.relation", ["b", "="]), ("readings.0.1", ["b", "="])),
        valid("nothing is left", ("links.0.relation", ["b", "bi"]), ("readings.0.1", ["b", "bi"])),
        row("other points", "does not follow", ("proof.0.cycle.0", ["b.start", "b.start", 0, True, 0])),
    ],
)

_CHOICES = {  # written by no program; each choice of an atom is excluded by a circle
    "choices": [[0, "bi"], [0, "oi"]],
    "cycles": [[*_WHEN[:1], [*_WHEN[1][:4], ["choice", v]], *_WHEN[2:]] for v in (1, 2)],
    "lemmas": [],
}
CHOICES = table(
    "a proof of another form",
    _SPLIT,
    [
        valid("version 3", ("version", 3)),
        row("choices", "proof: not a list", ("proof", _CHOICES)),
        row("choices in version 3", "proof: not a list", ("version", 3), ("proof", _CHOICES)),
        row("clauses", "proof: not a list", ("proof", {"variables": [], "clauses": [], "lemmas": []})),
        row("a file", "proof: not a list", ("version", 3), ("proof", {"file": "x.proof.jsonl", "sha256": "0" * 64})),
        row("an empty object", "the proof is empty", ("proof", {})),
        row("an edge of a choice", "a bad edge", ("proof", [{"cycle": _CHOICES["cycles"][0]}])),
    ],
)

_DATED = certificate(
    "entailed",
    2,
    calendar=CALENDAR,
    unit=1,
    values=[record("1999", ALL), record("2000", exactly(*NEXT, "x"), "x", fact=None)],
    query=query("a", "b|m", "x"),
    witness={"a": [LO, HI], "x": list(NEXT)},
    conflict=["query", ["value", 0]],
    proof=[
        {
            "cycle": [
                ["@", "a.end", HI, False, ["value", 0]],
                ["a.end", "x.start", 0, True, "query"],
                ["x.start", "@", -NEXT[0], False, ["value", 1]],
            ]
        }
    ],
)
DATES = table(
    "dates of a query",
    _DATED,
    [
        valid("version 3", ("version", 3)),
        valid("under another policy", ("calendar.policy", "within"), ("values.0.constraints", INSIDE)),
        row("a date in the conflict", "conflict: not a list of different links", ("conflict", plus(["value", 1]))),
        row("a value outside the conflict", "is not in the conflict", ("conflict", ["query"])),
        row("a date with a type", "values 1: not a date that was asked about", ("values.1.type", "DATE")),
        row("a date with a mod", "values 1: not a date that was asked about", ("values.1.mod", "END")),
        row("a date of another entity", "values 1: not a date that was asked about", ("values.1.entity", "y")),
        row(
            "a date that is an entity",
            "values: a date that is an entity",
            ("values", plus(record("2000", exactly(*NEXT, "x"), "x"))),
        ),
        row(
            "a date in a link",
            "values: a date that is an entity",
            ("links", [{"id": "l", "source": "a", "relation": ["m"], "label": "m", "target": "x", "line": None}]),
            ("readings", [["m", ["m"]]]),
        ),
        row(
            "a date in the source of a link",
            "values: a date that is an entity",
            ("links", [{"id": "l", "source": "x", "relation": ["mi"], "label": "m", "target": "a", "line": None}]),
            ("readings", [["m", ["mi"]]]),
        ),
        row("a length", "the value of x: a length is not a date", ("values.1.value", "P2D")),
        row("a date of less", "does not say this", ("values.1.constraints", exactly(*NEXT, "x")[:2])),
        row("a witness against the date", "too far apart, or too close", ("witness.x", [NEXT[0], NEXT[1] + 1])),
        valid("a trusted date", ("values.1.value", "2000-SP")),
        valid(
            "a date to the second",
            ("values.1.value", "2000-01-01T00:00:00.5"),
            ("values.1.constraints", exactly(NEXT[0], NEXT[0] + 1, "x")),
            ("witness.x", [NEXT[0], NEXT[0] + 1]),
        ),
        valid("the date first", ("query", query("x", "mi|bi", "a"))),
        row("a query that is a list", "", ("query", [])),
    ],
)
_OPEN = certificate(
    "open",
    2,
    calendar=CALENDAR,
    values=[record("1999", ALL)],
    unit=1,
    query=query("a", "b", "b"),
    witness={"a": [LO, HI], "b": [HI + 1, HI + 2]},
    countermodel={"a": [LO, HI], "b": [HI, HI + 2]},
)
OPEN = table(
    "an open query with values",
    _OPEN,
    [
        row("version 3", "the claim open does not exist in version 3", ("version", 3)),
        row("a countermodel against a value", "countermodel: ", ("countermodel.a", [LO, HI + 1])),
    ],
)

TABLES: list[Table] = [CIRCLES, TIMED_SPLIT, SELF, CHOICES, DATES, OPEN]
