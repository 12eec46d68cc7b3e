"""Repairs and lower bounds of docs/checker.md."""

from __future__ import annotations

from typing import Any

from changes import GONE, Table, plus, row, table, valid
from rules_meanings import CALENDAR, SPANS, exactly, record
from small_certificates import BA, CLAUSES, CYCLE, certificate

LARGEST = 10**18


def part(bound: str, steps: list[Any], *conflicts: int) -> dict[str, Any]:
    """Return a part."""
    return {"bound": bound, "conflicts": list(conflicts), "steps": steps}


_TURNED = [
    ["c.end", "<", "e.start", 2],
    ["e.start", "<", "e.end", None],
    ["e.end", "<", "c.start", 3],
    ["c.start", "<", "c.end", None],
]
_PRICE = [{"dual": [[0, "1"]]}]
_REPAIR = certificate(
    "repair",
    3,
    ("a", "b", "b"),
    ("b", "b", "a"),
    ("c", "b", "e"),
    ("e", "b", "c"),
    weights=["1", "2", "2", "3"],
    protected=[3],
    dropped=[0, 2],
    weight="3",
    witness={**BA, "c": [2, 3], "e": [0, 1]},
    conflicts=[{"conflict": [0, 1], "proof": [{"cycle": CYCLE}]}, {"conflict": [2, 3], "proof": [{"cycle": _TURNED}]}],
    parts=[part("1", _PRICE, 0), part("2", [{"dual": [[1, "2"]]}], 1)],
)
_FRACTIONS = [
    "1/1",
    "2/4",
    "01",
    "-0",
    "0/5",
    "1/0",
    "1/00",
    "1/02",
    "+1",
    "1.0",
    " 1",
    "1 ",
    "",
    "1/",
    "/2",
    "1/-2",
    "٣",
    1,
    None,
    [],
    "1\n",
]
REPAIR = table(
    "repair",
    _REPAIR,
    [
        row("version 2", "the claim repair does not exist in version 2", ("version", 2)),
        row("a field too many", "the certificate: has", ("needed", None)),
        row("weights that are an object", "weights: not a list", ("weights", {})),
        row("a weight too few", "weights: not one for each link and value", ("weights.3", GONE)),
        row("a weight too many", "weights: not one for each link and value", ("weights", plus("1"))),
        row("a negative weight", "weights: a negative one", ("weights.3", "-1")),
        row("a negative sum", "weights: a negative one", ("weight", "-3")),
        *(row(f"a weight {text!r}", "weights: not a fraction", ("weights.3", text)) for text in _FRACTIONS),
        *(row(f"a sum {text!r}", "weights: not a fraction", ("weight", text)) for text in (3, None, "6/2")),
        valid("a long fraction", ("weights.3", "1" * 1998 + "/2")),
        row("a fraction too long", "weights: not a fraction", ("weights.3", "1" * 2001)),
        valid("the longest fraction", ("weights.3", "1" * 2000)),
        valid(
            "fractions",
            ("weights", ["1/2", "3/4", "2", "1/3"]),
            ("weight", "5/2"),
            ("parts.0.bound", "1/2"),
            ("parts.0.steps", [{"dual": [[0, "1/2"]]}]),
        ),
        *(
            row(f"{name} that is null", f"{name}: not a list", (name, None))
            for name in ("protected", "dropped", "conflicts")
        ),
        row("a protected fact twice", "protected: not a list of different links", ("protected", [3, 3])),
        row("a dropped fact twice", "dropped: not a list of different links", ("dropped", [0, 2, 2])),
        row("a protected fact that is not there", "protected: not a list of different links", ("protected", [4])),
        row("a dropped query", "dropped: not a list of different links", ("dropped", ["query"])),
        row("a protected fact is dropped", "a protected fact is dropped", ("protected", [0, 3])),
        row("another sum", "the dropped facts have another weight", ("weight", "2")),
        row("another larger sum", "the dropped facts have another weight", ("weight", "4")),
        row("one fact less dropped", "the dropped facts have another weight", ("dropped", [0])),
        row(
            "one fact less dropped, at its weight",
            "witness: 'c' b 'e' does not hold",
            ("dropped", [0]),
            ("weight", "1"),
        ),
        row("a bad witness", "witness: bad times", ("witness.a", [])),
        row(
            "a witness of what is dropped",
            "witness: 'b' b 'a' does not hold",
            ("witness.a", [0, 1]),
            ("witness.b", [2, 3]),
        ),
        valid("a lighter fact is kept anyway", ("dropped", [0, 2]), ("weights", ["1", "1", "2", "3"])),
        # conflicts
        row("a conflict that is a list", "conflict 0: not an object", ("conflicts.0", [])),
        row("a conflict with more", "conflict 0: has", ("conflicts.0.more", 1)),
        row("a fact of no link", "conflict 1: not a list of different links", ("conflicts.1.conflict", [2, 4])),
        row("no proof", "the proof is empty", ("conflicts.0.proof", [])),
        row("a proof of nothing", "is not continued", ("conflicts.0.proof.0.cycle.0", GONE)),
        row("a smaller conflict", "is not in the conflict", ("conflicts.0.conflict", [0])),
        row("another conflict", "is not in the conflict", ("conflicts.0.conflict", [2, 3])),
        row("a proof in a file", "proof: has", ("conflicts.0.proof", {"file": "x.proof.jsonl", "sha256": "0" * 64})),
        row("a proof without hints", "proof: has", ("conflicts.0.proof", CLAUSES)),
        valid("a proof with hints", ("conflicts.0.proof", {**CLAUSES, "lemmas": [[]], "hints": [[0, 1, 2]]})),
        # parts
        row("parts that are null", "parts: not a list", ("parts", None)),
        row("a part that is a list", "part 0: not an object", ("parts.0", [])),
        row("a part with more", "part 0: has", ("parts.0.more", 1)),
        row("a part without steps", "part 0: has", ("parts.0.steps", GONE)),
        row("a bound that is a number", "part 0: not a fraction", ("parts.0.bound", 1)),
        row("a bound in another form", "part 0: not a fraction in lowest terms", ("parts.0.bound", "2/2")),
        row("conflicts that are null", "part 0: not a list", ("parts.0.conflicts", None)),
        *(
            row(f"a conflict {bad}", "part 0: a bad conflict", ("parts.0.conflicts", [0, bad]))
            for bad in (-1, True, "0", None, 0.0)
        ),
        row("a conflict twice", "part 0: names no conflict, or one twice", ("parts.0.conflicts", [0, 0])),
        row("a conflict that is not there", "part 0: names no conflict, or one twice", ("parts.0.conflicts", [0, 2])),
        row("steps that are null", "part 0: not a list", ("parts.0.steps", None)),
        row("no steps", "part 0: no steps", ("parts.0.steps", [])),
        *(
            row(f"a step {number}", "part 0: a step of no kind", ("parts.0.steps", [bad]))
            for number, bad in enumerate(
                [
                    {},
                    [],
                    1,
                    ["dual"],
                    {"branch": 0},
                    {"cases": []},
                    {"conflict": 0, "dual": []},
                    {"dual": [], "more": 1},
                ]
            )
        ),
        *(
            row(f"a step of the conflict {bad}", "part 0: a bad conflict", ("parts.0.steps", [{"conflict": bad}]))
            for bad in (-1, True, "0", None)
        ),
        row("prices that are null", "part 0: not a list", ("parts.0.steps.0.dual", None)),
        *(
            row(f"a price {number}", "part 0: a bad price", ("parts.0.steps.0.dual", [[0, "1"], bad]))
            for number, bad in enumerate([1, [0], [0, "1", 1], [-1, "1"], [True, "1"], ["0", "1"], [None, "1"]])
        ),
        row("a price that is a number", "part 0: not a fraction", ("parts.0.steps.0.dual.0.1", 1)),
        row("a negative price", "part 0: a negative price", ("parts.0.steps.0.dual", plus([0, "-1"]))),
        valid("a price of 0", ("parts.0.steps.0.dual", plus([0, "0"]))),
        row("a price of another part", "a price of no conflict of this part", ("parts.0.steps.0.dual", plus([1, "0"]))),
        row("a price of no conflict", "a price of no conflict of this part", ("parts.0.steps.0.dual", plus([7, "0"]))),
        row(
            "a part shares a conflict",
            "part 2: shares something with another part",
            ("parts", plus(part("0", _PRICE, 0))),
        ),
        row(
            "a part shares a branch",
            "part 2: shares something with another part",
            ("parts", plus(part("0", [{"branch": 0, "cases": [[["keep", "drop"], 1]]}, {"dual": []}]))),
        ),
        row("one price too low", "part 0, step 0: the prices give 0 instead of 1", ("parts.0.steps.0.dual.0.1", "0")),
        row("one price too high", "part 0, step 0: the prices give 0 instead of 1", ("parts.0.steps.0.dual.0.1", "3")),
        valid("a price that is rounded up", ("parts.0.steps.0.dual.0.1", "1/2")),
        row("a price twice", "the prices give 0 instead of 1", ("parts.0.steps.0.dual", [[0, "3/2"], [0, "3/2"]])),
        valid("a price in two halves", ("parts.0.steps.0.dual", [[0, "1/2"], [0, "1/2"]])),
        row("a bound too high", "the prices give 1 instead of 2", ("parts.0.bound", "2")),
        row("a bound too low", "a repair may weigh 2 only", ("parts.0.bound", "0")),
        row("a negative bound", "a repair may weigh 1 only", ("parts.0.bound", "-1")),
        row("a part too few", "a repair may weigh 1 only", ("parts.1", GONE)),
        row("no parts", "a repair may weigh 0 only", ("parts", [])),
        valid("nothing to repair", ("parts", []), ("weights", ["0", "0", "0", "0"]), ("weight", "0")),
        valid(
            "a price of facts without weight",
            ("weights", ["0", "0", "2", "3"]),
            ("weight", "2"),
            ("parts.0", part("0", [{"dual": []}], 0)),
        ),
        row(
            "a part of facts without weight",
            "the prices give 0 instead of 1",
            ("weights", ["0", "0", "2", "3"]),
            ("weight", "2"),
            ("parts.0", part("1", [{"dual": []}], 0)),
        ),
        # the unit: 2 and 4 have 2 in common, 2 and 3 have 1, 1/2 and 3/4 have 1/4
        valid("a unit of 2", ("weights", ["2", "4", "2", "3"]), ("weight", "4"), ("parts.0.bound", "2")),
        row(
            "a unit of 1",
            "the prices give 1 instead of 2",
            ("weights", ["2", "3", "2", "3"]),
            ("weight", "4"),
            ("parts.0.bound", "2"),
        ),
        valid(
            "a unit of 1/4",
            ("weights", ["1/2", "3/4", "2", "3"]),
            ("weight", "5/2"),
            ("parts.0", part("1/2", [{"dual": [[0, "3/8"]]}], 0)),
        ),
        row(
            "less than a unit of 1/4",
            "the prices give 1/4 instead of 1/2",
            ("weights", ["1/2", "3/4", "2", "3"]),
            ("weight", "5/2"),
            ("parts.0", part("1/2", [{"dual": [[0, "1/4"]]}], 0)),
        ),
        valid(
            "a unit of 1/6",
            ("weights", ["1/2", "2/3", "2", "3"]),
            ("weight", "5/2"),
            ("parts.0", part("1/2", [{"dual": [[0, "5/12"]]}], 0)),
        ),
        row(
            "a conflict with only protected facts pays for itself",
            "instead of 1",
            ("protected", []),
            ("parts.0", part("1", [{"dual": []}], 0)),
        ),
    ],
)

_TREE = [
    {"branch": 0, "cases": [[["keep"], 1], [["drop"], 2]]},
    {"branch": 1, "cases": [[["keep"], 3], [["drop"], 4]]},
    {"dual": []},
    {"conflict": 0},
    {"dual": []},
]
_BRANCH = _REPAIR | {"parts": [part("1", _TREE, 0), _REPAIR["parts"][1]]}
_STEPS = "parts.0.steps"
BRANCH = table(
    "branches",
    _BRANCH,
    [
        *(
            row(f"a branch on {bad}", "part 0: a bad branch", (f"{_STEPS}.0.branch", bad))
            for bad in (
                -1,
                True,
                "0",
                None,
                ["value"],
                ["value", -1],
                ["value", True],
                ["choice", 0],
                ["value", 0, 0],
                [0, 0],
            )
        ),
        row("a branch on nothing", "part 0: branches on something else", (f"{_STEPS}.0.branch", 4)),
        row("a branch on a protected fact", "part 0: branches on something else", (f"{_STEPS}.0.branch", 3)),
        row("a branch on a value", "part 0: branches on something else", (f"{_STEPS}.0.branch", ["value", 0])),
        row("cases that are null", "part 0: not a list", (f"{_STEPS}.0.cases", None)),
        *(
            row(f"a case {number}", "part 0: a bad case", (f"{_STEPS}.0.cases.0", bad))
            for number, bad in enumerate(
                [1, [["keep"]], [["keep"], 1, 1], [["keep"], "1"], [["keep"], True], [["keep"], None]]
            )
        ),
        row("options that are a text", "part 0: not a list", (f"{_STEPS}.0.cases.0.0", "keep")),
        *(
            row(f"an option {bad}", "part 0: a bad option", (f"{_STEPS}.0.cases.0.0", ["keep", bad]))
            for bad in (None, True, 1.0, ["keep"], {}, LARGEST + 1, -LARGEST - 1, 10**30)
        ),
        valid("other options", (f"{_STEPS}.0.cases.0.0", ["keep", "lose", 0, -1, LARGEST, -LARGEST])),
        row("an option left out", "part 0, step 0 leaves out an option", (f"{_STEPS}.0.cases", [[["keep"], 1]])),
        row("another option left out", "part 0, step 0 leaves out an option", (f"{_STEPS}.0.cases.0.0", ["lose"])),
        row("a step that is not there", "part 0, step 0 names a wrong step", (f"{_STEPS}.0.cases.1.1", 5)),
        row("a step before it", "part 0, step 1 names a wrong step", (f"{_STEPS}.1.cases.1.1", 0)),
        row("a step that names itself", "part 0, step 1 names a wrong step", (f"{_STEPS}.1.cases.1.1", 1)),
        row("a step named twice", "part 0, step 1 names a wrong step", (f"{_STEPS}.1.cases.1.1", 3)),
        row("a step named by two", "part 0, step 1 names a wrong step", (f"{_STEPS}.1.cases.1.1", 2)),
        row("a step that nothing names", "part 0, step 5 is not used", (_STEPS, plus({"dual": [[0, "1"]]}))),
        row("the first step alone", "part 0, step 1 is not used", (_STEPS, [{"dual": [[0, "1"]]}] * 2)),
        row("a conflict of another part", "names no conflict of this part", (f"{_STEPS}.3.conflict", 1)),
        row("a conflict of no part", "names no conflict of this part", (f"{_STEPS}.3.conflict", 9)),
        row("a conflict that can be met", "part 0, step 4: the conflict can be met", (f"{_STEPS}.4", {"conflict": 0})),
        row(
            "a conflict that can be met by one", "part 0, step 0: the conflict can be met", (_STEPS, [{"conflict": 0}])
        ),
        row("a price that is too low", "part 0, step 3: the prices give 0 instead of 1", (f"{_STEPS}.3", {"dual": []})),
        row("a bound too high", "part 0, step 2: the prices give 1 instead of 2", ("parts.0.bound", "2")),
        # a case without options: nothing is left to choose, whatever the prices
        valid("a case of no option", (f"{_STEPS}.0.cases", plus([["lose"], 5])), (_STEPS, plus({"dual": []}))),
        valid(
            "a case of no option, with prices",
            (f"{_STEPS}.0.cases", plus([[], 5])),
            (_STEPS, plus({"dual": [[0, "9"]]})),
        ),
        row(
            "no option, with the price of another part",
            "a price of no conflict of this part",
            (f"{_STEPS}.0.cases", plus([[], 5])),
            (_STEPS, plus({"dual": [[1, "9"]]})),
        ),
        row(
            "no option, with the price of nothing",
            "a price of no conflict of this part",
            (f"{_STEPS}.0.cases", plus([[], 5])),
            (_STEPS, plus({"dual": [[10**16, "9"]]})),
        ),
        row(
            "no option, and a conflict of another slot",
            "the conflict can be met",
            (f"{_STEPS}.0.cases", plus([[], 5])),
            (_STEPS, plus({"conflict": 0})),
        ),
        valid(
            "no option, and a branch", (f"{_STEPS}.0.cases", plus([[], 5])), (_STEPS, plus({"branch": 0, "cases": []}))
        ),
        row("a branch of nothing", "part 0, step 3 leaves out an option", (f"{_STEPS}.3", {"branch": 0, "cases": []})),
        row(
            "an option that was left out before",
            "the prices give 0 instead of 1",
            (
                _STEPS,
                [
                    {"branch": 0, "cases": [[["keep"], 1], [["drop"], 2]]},
                    {"branch": 0, "cases": [[["keep", "drop"], 3]]},
                    {"dual": []},
                    {"dual": [[0, "0"]]},
                ],
            ),
        ),
        # prices count what is left only: without keep, slot 0 costs 1 less the price
        valid("prices in a branch", (f"{_STEPS}.2", {"dual": [[0, "1"]]})),
        row(
            "a price in a branch too high",
            "step 2: the prices give -1 instead of 1",
            (f"{_STEPS}.2", {"dual": [[0, "4"]]}),
        ),
    ],
)

_LO, _HI = SPANS["1999"]
_DATED = certificate(
    "repair",
    3,
    calendar=CALENDAR,
    unit=1,
    values=[
        record("1999", exactly(_LO, _HI)),
        record("2000", [["a.start", "@", -_HI, False], ["@", "a.start", SPANS["2000"][1], False]], fact="a.beginPoint"),
    ],
    weights=["2", "1"],
    protected=[],
    dropped=[["value", 1]],
    weight="1",
    witness={"a": [_LO, _HI]},
    conflicts=[
        {
            "conflict": [["value", 0], ["value", 1]],
            "proof": [
                {
                    "cycle": [
                        ["@", "a.start", _LO, False, ["value", 0]],
                        ["a.start", "@", -_HI, False, ["value", 1]],
                    ]
                }
            ],
        }
    ],
    parts=[part("1", _PRICE, 0)],
)
DATED = table(
    "repairs of values",
    _DATED,
    [
        valid(
            "a branch on a value",
            (
                "parts.0.steps",
                [
                    {"branch": ["value", 1], "cases": [[["drop"], 1], [["keep"], 2]]},
                    {"dual": []},
                    {"branch": ["value", 0], "cases": [[["drop"], 3], [["keep"], 4]]},
                    {"dual": []},
                    {"conflict": 0},
                ],
            ),
        ),
        row(
            "a branch on another value",
            "part 0: branches on something else",
            ("parts.0.steps", [{"branch": ["value", 2], "cases": []}]),
        ),
        row("the heavier value", "the dropped facts have another weight", ("dropped", [["value", 0]])),
        row("a protected value", "a protected fact is dropped", ("protected", [["value", 1]])),
        row("nothing dropped", "witness: ", ("dropped", []), ("weight", "0")),
        row("a weight too few", "weights: not one for each link and value", ("weights", ["2"])),
        row("a value that does not say this", "does not say this", ("values.0.constraints.0.2", 0)),
        row("an edge outside", "is not in the conflict", ("conflicts.0.conflict", [["value", 0]])),
    ],
)

# Three links that contradict each other in pairs. Variables 1 and 2: endpoints; 3, 4 and 5: links that are kept; 6: a
# count. The first core is "not both of links 0 and 1"; then "fewer than two of these are dropped" costs 1, link 2 is
# sure, and contradicts that.
_CORES = certificate(
    "repair",
    4,
    ("a", "b", "b"),
    ("b", "b", "a"),
    ("a", "m", "b"),
    weights=["1", "1", "1"],
    protected=[],
    dropped=[1, 2],
    weight="2",
    witness={"a": [0, 1], "b": [2, 3]},
    bound="2",
    proof={
        "variables": [["a.end", "b.start"], ["b.start", "a.end"]],
        "counts": [[0, 0, 2, 2]],
        "clauses": [[[-2], 0], [[2], 1], [[-1], 1], [[1], 2], [[2], 2], [[3, 4, 6], "count"]],
        "sure": [[5, 1]],
        "lemmas": [[-3, -4], [6]],
        "hints": [[0, 1], [6, 4, 0, 3, 2, 5]],
        "cores": [0, 1],
    },
)
_LOOP = ("links.2", lambda old: old | {"target": "a", "relation": ["m"]})
CORES = table(
    "repairs by cores",
    _CORES,
    [
        valid("a lower bound", ("bound", "1")),
        row("a higher bound", "a repair may weigh 2 only", ("bound", "3")),
        row("a negative bound", "bound: negative", ("bound", "-1")),
        row("a bound that is a number", "bound: not a fraction", ("bound", 2)),
        row("version 3", "the certificate: has", ("version", 3)),
        row("no bound", "the certificate: has", ("bound", GONE)),
        row("conflicts instead of cores", "proof: has", ("proof.cores", GONE)),
        row("a proof that is a list", "proof: not an object", ("proof", [])),
        valid(
            "no lighter repair than nothing",
            ("proof.cores", []),
            ("proof.counts", []),
            ("bound", "0"),
            ("proof.clauses.5", GONE),
            ("proof.sure", []),
            ("proof.lemmas", []),
            ("proof.hints", []),
        ),
        row("no sure wishes", "proof: has", ("proof.sure", GONE)),
        row("sure before the core", "is not sure", ("proof.sure.0.1", 0)),
        row("sure too late", "a hint names no clause before the lemma", ("proof.sure.0.1", 2)),
        row("sure after more cores than there are", "sure: not [wish, number of cores]", ("proof.sure.0.1", 3)),
        row("sure after no number", "sure: not [wish, number of cores]", ("proof.sure.0.1", "1")),
        row("sure before the beginning", "sure: not [wish, number of cores]", ("proof.sure.0.1", -1)),
        row("sure that a link is dropped", "is not sure", ("proof.sure.0.0", -5)),
        row("sure of something cheaper", "is not sure", ("proof.sure.0.0", 3)),
        row("sure of a variable that does not exist", "sure: not [wish, number of cores]", ("proof.sure.0.0", 7)),
        row("sure of variable 0", "sure: not [wish, number of cores]", ("proof.sure.0.0", 0)),
        valid(
            "sure of a count that costs enough", ("proof.sure", plus([-6, 1])), ("proof.hints.1", [7, 6, 4, 0, 3, 2, 5])
        ),
        row(
            "a hint of the number of a lemma before",
            "does not follow",
            ("proof.sure", plus([-6, 1])),
            ("proof.hints.1", [0]),
        ),
        row("cores that are no list", "cores: not a list", ("proof.cores", {})),
        row("a core that is no lemma", "cores: not a list of lemmas", ("proof.cores", [0, 2])),
        row("a core before the first lemma", "cores: not a list of lemmas", ("proof.cores", [-1, 0])),
        row("cores in another order", "cores: not in their order", ("proof.cores", [1, 0])),
        row("a core twice", "cores: not in their order", ("proof.cores", [0, 0])),
        row("a core with a literal twice", "cores: a literal twice", ("proof.lemmas.0", [-3, -4, -4])),
        row("a core fewer", "counts: not a core", ("proof.cores", [])),
        row("only the last core", "counts: not a number of wishes", ("proof.cores", [1])),
        row("a core about an endpoint", "core 1 is not about wishes", ("proof.lemmas.1", [6, 1])),
        row("a core about a kept link", "core 1 is not about wishes", ("proof.lemmas.1", [6, 5])),
        row("counts that are no list", "counts: not a list", ("proof.counts", 0)),
        row("a count of three", "counts: not [core", ("proof.counts.0", [0, 0, 2])),
        row("a count of a text", "counts: not [core", ("proof.counts.0.3", "2")),
        row("a negative count", "counts: not [core", ("proof.counts.0.1", -1)),
        row("a count of another core", "counts: not a core", ("proof.counts.0.0", 2)),
        row("a count beyond its core", "counts: not a number of wishes", ("proof.counts.0.2", 3)),
        row("a count of nothing", "counts: not a number of wishes", ("proof.counts.0", [0, 1, 1, 0])),
        row("a count of 0", "counts: not a number of wishes", ("proof.counts.0.3", 0)),
        row("a count that is too high", "counts: not a number of wishes", ("proof.counts.0.3", 3)),
        row("a count of half a core", "counts something twice", ("proof.counts.0", [0, 0, 1, 1])),
        row("the first count", "is not about wishes", ("proof.counts.0.3", 1)),
        row("a sum that is too low", "does not add up", ("proof.clauses.5.0", [3, 6])),
        row("a wish twice", "counts something twice", ("proof.clauses.5.0", [3, 3, 6])),
        row("a wish of no core", "counts something else", ("proof.clauses.5.0", [3, 5, 6])),
        row("a wish that is true", "counts something else", ("proof.clauses.5.0", [-3, 4, 6])),
        row("a clause that counts nothing", "counts nothing", ("proof.clauses.5.0", [])),
        row("a count that is denied", "counts nothing", ("proof.clauses.5.0", [3, 4, -6])),
        row("a count that is not the last", "counts nothing", ("proof.clauses.5.0", [6, 3, 4])),
        valid(
            "a count of counts",
            ("proof.counts", plus([0, 0, 1, 1], [0, 1, 2, 1])),
            ("proof.clauses", lambda old: [*old[:5], [[-7, -8, 6], "count"], [[3, 7], "count"], [[4, 8], "count"]]),
            ("proof.hints", [[0, 1], [8, 4, 0, 6, 3, 2, 7, 5]]),
        ),
        row(
            "a count of the same wish twice",
            "counts something twice",
            ("proof.counts", plus([0, 0, 1, 1])),
            ("proof.clauses.5.0", [-7, 3, 6]),
        ),
        row("a clause for another reason", "proof: a bad clause", ("proof.clauses.5.1", "sum")),
        row("a clause about a link that always holds", "is not about endpoints only", ("proof.clauses.5.1", None)),
        row("a clause of a link about a link", "is not about endpoints only", ("proof.clauses.0.0", [-2, 3])),
        row("a clause of no link", "is based on a link that is not in", ("proof.clauses.0.1", 3)),
        row("a clause of the query", "is based on a link that is not in", ("proof.clauses.0.1", "query")),
        row("a clause of another link", "does not follow from its link", ("proof.clauses.0.1", 1)),
        row("a clause that does not always hold", "does not always hold", ("proof.clauses.0.1", None)),
        row("a lemma that does not follow", "lemma 1 does not follow", ("proof.lemmas.1", [-5])),
        row("a hint that does not exist", "proof: bad hints", ("proof.hints.0", [0, 9])),
        row("no hints for a lemma", "not one list of hints", ("proof.hints", [[0, 1]])),
        row("a variable that does not exist", "proof: a bad lemma", ("proof.lemmas.0", [-3, -7])),
        row("a protected link is no wish", "is not about wishes", ("protected", [0])),
        valid(
            "a protected link needs no wish",
            ("protected", [0]),
            ("proof.lemmas.0", [-4]),
            ("proof.hints.0", [0, 1]),
            ("proof.lemmas.1", [-5]),
            ("proof.hints.1", [0, 4]),
            ("proof.counts", []),
            ("proof.clauses.5", GONE),
            ("proof.sure", []),
        ),
        row("a heavier link", "is not sure", ("weights", ["1", "2", "1"]), ("weight", "3"), ("bound", "3")),
        row("a witness in which a kept link does not hold", "witness: ", ("dropped", [0, 2])),
        valid(
            "a link that cannot be true",
            _LOOP,
            ("proof.clauses.3", [[], 2]),
            ("proof.clauses.4", [[3], 2]),
            ("proof.sure", []),
            ("proof.lemmas.1", [-5]),
            ("proof.hints.1", [3]),
        ),
        row(
            "a link of an entity to itself",
            "does not follow from its link",
            ("links.2", lambda old: old | {"target": "a", "relation": ["="], "label": "="}),
            ("readings", [["=", ["="]], ["b", ["b"]]]),
            ("proof.clauses.3", [[], 2]),
            ("proof.clauses.4", [[], 2]),
        ),
    ],
)

TABLES: list[Table] = [REPAIR, BRANCH, DATED, CORES]
