"""Decodings of docs/checker.md."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from changes import GONE, Table, plus, row, table, valid, whole
from rules_meanings import CALENDAR
from rules_repairs import part
from small_certificates import CYCLE, certificate

UNIT = 10**12
_LABELS = [
    [["BEFORE", ["b"], "3/4", "750000000000"], ["AFTER", ["bi"], "1/4", "250000000000"]],
    [["BEFORE", ["b"], "3/5", "600000000000"], ["AFTER", ["bi"], "2/5", "400000000000"]],
]


def pair(source: str, target: str, labels: list[Any], chosen: int) -> dict[str, Any]:
    """Return a pair."""
    return {"id": "p", "source": source, "target": target, "line": None, "labels": labels, "chosen": chosen}


_CIRCLE = [[left, sign, right, fact if fact is None else fact + 1] for left, sign, right, fact in CYCLE]
_DECODE = certificate(
    "decode",
    3,
    ("c", "b", "e"),
    objective="prob",
    value="1150000000000",
    pairs=[pair("a", "b", _LABELS[0], 0), pair("b", "a", _LABELS[1], 1)],
    witness={"a": [0, 1], "b": [2, 3], "c": [0, 1], "e": [2, 3]},
    conflicts=[{"links": [], "blocked": [[0, [0]], [1, [0]]], "proof": [{"cycle": _CIRCLE}]}],
    parts=[part("200000000000", [{"dual": [[0, "200000000000"]]}], 0)],
)
_LABEL = "pairs.0.labels.0"
DECODE = table(
    "decode",
    _DECODE,
    [
        row("version 2", "the claim decode does not exist in version 2", ("version", 2)),
        row("a field too many", "the certificate: has", ("weight", "1")),
        row(
            "values", "a decoding with values of time expressions", ("calendar", CALENDAR), ("values", []), ("unit", 1)
        ),
        row("an unknown objective", "objective: an unknown one", ("objective", "sum")),
        row("a value that is a number", "value: not a fraction", ("value", 1150000000000)),
        row("a value that is not whole", "value: not a whole number", ("value", "1/2")),
        row("a bad witness", "witness: bad times", ("witness.a", [0])),
        row("pairs that are null", "pairs: not a list", ("pairs", None)),
        row("a pair that is a list", "pair 0: not an object", ("pairs.0", [])),
        row("a pair with more", "pair 0: has", ("pairs.0.more", 1)),
        row("a pair without line", "pair 0: has", ("pairs.0.line", GONE)),
        *(
            row(f"a pair with a number as {name}", "pair 0: wrong types", (f"pairs.0.{name}", 1))
            for name in ("id", "source", "target")
        ),
        row("line 0", "pair 0: wrong types", ("pairs.0.line", 0)),
        valid("line 1", ("pairs.0.line", 1)),
        row("labels that are null", "pair 0: not a list", ("pairs.0.labels", None)),
        row("a label that is a text", "pair 0: a label is", (_LABEL, "BEFORE")),
        row("a label of three", "pair 0: a label is", (f"{_LABEL}.3", GONE)),
        row("a label of five", "pair 0: a label is", (_LABEL, plus("1"))),
        row("a label without a name", "pair 0: a label is", (f"{_LABEL}.0", 1)),
        row("a label without atoms", "pair 0: not atoms in their order", (f"{_LABEL}.1", ["before"])),
        row("a score that is a number", "pair 0: not a fraction", (f"{_LABEL}.2", 1)),
        row("a score in another form", "pair 0: not a fraction in lowest terms", (f"{_LABEL}.2", "6/8")),
        row("a value of a label that is a number", "pair 0: not a fraction", (f"{_LABEL}.3", 750000000000)),
        row("a value of a label that is not whole", "pair 0: not a whole number", (f"{_LABEL}.3", "1/2")),
        *(
            row(f"chosen {bad}", "pair 0: the chosen label does not exist", ("pairs.0.chosen", bad))
            for bad in (2, -1, False, "0", None, 0.0)
        ),
        row("no labels", "pair 0: the chosen label does not exist", ("pairs.0.labels", [])),
        row("conflicts that are null", "conflicts: not a list", ("conflicts", None)),
        row("a conflict that is a list", "conflict 0: not an object", ("conflicts.0", [])),
        row("a conflict with more", "conflict 0: has", ("conflicts.0.more", 1)),
        row("links that are null", "conflict 0: not a list", ("conflicts.0.links", None)),
        *(
            row(f"link {bad}", "conflict 0: not a list of links", ("conflicts.0.links", [0, bad]))
            for bad in (1, -1, False, "query", None)
        ),
        valid("a link twice", ("conflicts.0.links", [0, 0])),
        row("blocked that is null", "conflict 0: not a list", ("conflicts.0.blocked", None)),
        row("blocked that is a number", "conflict 0: not a pair", ("conflicts.0.blocked.0", 0)),
        row("blocked of three", "conflict 0: not a pair", ("conflicts.0.blocked.0", [0, [0], 0])),
        *(
            row(f"pair {bad}", "conflict 0: not a pair", ("conflicts.0.blocked.0.0", bad))
            for bad in (2, -1, False, "0", None)
        ),
        row("blocked labels that are null", "conflict 0: not a list", ("conflicts.0.blocked.0.1", None)),
        *(
            row(f"label {bad}", "conflict 0: not labels of the pair", ("conflicts.0.blocked.0.1", [0, bad]))
            for bad in (2, -1, False, "0", None)
        ),
        row("a pair twice", "conflict 0: a pair twice", ("conflicts.0.blocked", plus([0, [0]]))),
        row("no proof", "the proof is empty", ("conflicts.0.proof", [])),
        row("parts that are null", "parts: not a list", ("parts", None)),
        # what it says
        row(
            "a value that is not that of the score",
            "pair 0: 'BEFORE' is not worth this",
            (f"{_LABEL}.3", "750000000001"),
        ),
        row(
            "a score that is not that of the value", "pair 0: 'AFTER' is not worth this", ("pairs.0.labels.1.2", "1/3")
        ),
        row("another sum", "the chosen labels have another value", ("value", "1150000000001")),
        row("a worse label", "the chosen labels have another value", ("pairs.1.chosen", 0)),
        row(
            "a worse label at its value",
            "witness: 'b' b 'a' does not hold",
            ("pairs.1.chosen", 0),
            ("value", "1350000000000"),
        ),
        row("a witness against a link", "witness: 'c' b 'e' does not hold", ("witness.e", [0, 1])),
        row("a witness against a label", "witness: 'a' b 'b' does not hold", ("witness.b", [0, 1])),
        row("a proof under other numbers", "is not in the conflict", ("conflicts.0.proof", [{"cycle": CYCLE}])),
        row("a label too many blocked", "does not follow", ("conflicts.0.blocked.0.1", [0, 1])),
        row("another label blocked", "does not follow", ("conflicts.0.blocked.0.1", [1])),
        row("a pair too few blocked", "is not in the conflict", ("conflicts.0.blocked.1", GONE)),
        row("no parts", "labels may be worth 1350000000000", ("parts", [])),
        row("a bound too low", "labels may be worth 1350000000000", ("parts.0.bound", "0")),
        row("a bound a little too low", "labels may be worth 1150000000001", ("parts.0.bound", "199999999999")),
        row(
            "a bound too high",
            "the prices give 200000000000 instead of 250000000000",
            ("parts.0.bound", "250000000000"),
        ),
        valid("a price that is rounded up", ("parts.0.steps.0.dual.0.1", "100000000001")),
        row(
            "a price too low",
            "the prices give 100000000000 instead of 200000000000",
            ("parts.0.steps.0.dual.0.1", "100000000000"),
        ),
        valid(
            "branches",
            (
                "parts.0.steps",
                [
                    {"branch": 0, "cases": [[[0], 1], [[1], 2]]},
                    {"branch": 1, "cases": [[[0], 3], [[1], 4]]},
                    {"dual": []},
                    {"conflict": 0},
                    {"dual": []},
                ],
            ),
        ),
        row(
            "a branch on a value",
            "part 0: branches on something else",
            ("parts.0.steps", [{"branch": ["value", 0], "cases": []}]),
        ),
        row(
            "a branch on no pair", "part 0: branches on something else", ("parts.0.steps", [{"branch": 2, "cases": []}])
        ),
    ],
)


def worth(score: str, value: int, objective: str) -> dict[str, Any]:
    """Return a decoding of one label with a score and a value."""
    one = pair("a", "b", [["BEFORE", ["b"], score, str(value)]], 0)
    about = {"objective": objective, "value": str(value), "pairs": [one], "conflicts": [], "parts": []}
    return certificate("decode", 3, **about, witness={"a": [0, 1], "b": [2, 3]})


def _worth_rows() -> list[Any]:
    whole_values = [
        ("1/2000000000000", 0),
        ("3/2000000000000", 2),
        ("1/3", 333_333_333_333),
        ("2/3", 666_666_666_667),
        ("0", 0),
        ("1", UNIT),
        ("5", 5 * UNIT),
    ]
    negative = [("-1/2", -UNIT // 2), ("-1/2000000000000", 0), ("-3/2000000000000", -2), ("-2/3", -666_666_666_667)]
    rows = []
    for objective, some in (("prob", whole_values), ("weight", whole_values + negative)):
        for score, value in some:
            rows.append(whole(f"{objective} {score}", None, worth(score, value, objective)))
            rows += [
                whole(f"{objective} {score} as {other}", "is not worth this", worth(score, other, objective))
                for other in (value - 1, value + 1)
            ]
    rows += [whole(f"prob {score}", "is not worth this", worth(score, value, "prob")) for score, value in negative]
    for score, counted in (
        ("1/2", "0.5"),
        ("1", "1"),
        ("3", "3"),
        ("1/1000000", "0.000001"),
        ("0", "0.000001"),
        ("1/2000000", "0.000001"),
    ):
        exact = Decimal(counted).ln() * UNIT
        low = int(exact.to_integral_value("ROUND_FLOOR"))
        near = (low, low + 1) if exact != low else (low,)
        far = (low - 1, low + 2) if exact != low else (low - 1, low + 1)
        rows += [whole(f"logprob {score} as {value}", None, worth(score, value, "logprob")) for value in near]
        rows += [
            whole(f"logprob {score} as {value}", "is not worth this", worth(score, value, "logprob")) for value in far
        ]
    rows.append(whole("logprob of less than 0", "is not worth this", worth("-1", 0, "logprob")))
    return rows


WORTH = table("what labels are worth", worth("1/5", UNIT // 5, "prob"), _worth_rows())
TABLES: list[Table] = [DECODE, WORTH]
