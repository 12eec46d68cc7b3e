"""Reasons and closures of docs/checker.md."""

from __future__ import annotations

from typing import Any

from changes import GONE, Table, plus, row, table, valid
from rules_meanings import CALENDAR
from small_certificates import ATOMS, certificate, entailed

LARGEST = 10**18
FOLLOWS = entailed()["proof"]  # a before b and b before c, but not a before c: impossible
_WITH_CLAUSES = {  # 1: a.end <= b.start, 2: b.end <= c.start, 3: c.start <= a.end
    "variables": [["a.end", "b.start"], ["b.end", "c.start"], ["c.start", "a.end"]],
    "clauses": [[[1], 0], [[2], 1], [[3], "query"], [[-1, -2, -3], None]],
    "lemmas": [],
}
REASONS: dict[str, Any] = {
    "derived": [["a", ["b"], "c", [0, 1, "query"], FOLLOWS]],
    "edges": [["a.end", "<", "b.start", 0], ["b.start", "<=", "b.end", None], ["b.end", "<=", "c.start", 1]],
    "paths": [[None, 0], [0, 1], [1, 2]],
}
_CLOSURE = certificate(
    "closure",
    3,
    ("a", "b", "b"),
    ("b", "b", "c"),
    **REASONS,
    entities=["a", "b", "c", "x"],
    parts=[
        {
            "entities": ["a", "b", "c"],
            "models": [[0, 1, 2, 3, 4, 5]],
            "pairs": [["a", ["b"], "b", [-1], [0]], ["a", ["b"], "c", [2], [0]], ["b", ["b"], "c", [-2], [0]]],
        },
        {"entities": ["x"], "models": [[0, 1]], "pairs": []},
    ],
)
_PAIR = "parts.0.pairs.1"
CLOSURE = table(
    "closure",
    _CLOSURE,
    [
        row("version 2", "the claim closure does not exist in version 2", ("version", 2)),
        row("a field too many", "the certificate: has", ("witness", {})),
        row("values", "a closure with values of time expressions", ("calendar", CALENDAR), ("values", []), ("unit", 1)),
        row("entities that are null", "entities: not a list", ("entities", None)),
        row("an entity that is a number", "entities: not texts", ("entities", plus(1))),
        row("an entity twice", "entities: a name is given twice", ("entities", plus("x"))),
        row("an entity too many", "the parts are not all entities, each once", ("entities", plus("y"))),
        row("an entity too few", "the parts are not all entities, each once", ("entities.3", GONE)),
        row(
            "an entity in two parts",
            "the parts are not all entities, each once",
            ("parts", plus({"entities": ["x"], "models": [[0, 1]], "pairs": []})),
        ),
        row("parts that are null", "parts: not a list", ("parts", None)),
        row("a part that is a list", "part 0: not an object", ("parts.0", [])),
        row("a part with more", "part 0: has", ("parts.0.more", 1)),
        row("a part without models", "part 0: has", ("parts.0.models", GONE)),
        row("a part with a number", "part 1: entities: not texts", ("parts.1.entities", [1])),
        row("a part with an entity twice", "part 1: entities: a name is given twice", ("parts.1.entities", ["x", "x"])),
        row("models that are null", "part 0: models: not a list", ("parts.0.models", None)),
        *(
            row(f"a model {bad}", "part 1: a bad model", ("parts.1.models", [[0, 1], bad]))
            for bad in (
                None,
                [0],
                [0, 1, 2],
                [0, 1, 2, 3],
                [0, True],
                [0, 1.0],
                [0, LARGEST + 1],
                [-LARGEST - 1, 0],
                {"x": [0, 1]},
            )
        ),
        valid("the first and the last time", ("parts.1.models", [[-LARGEST, LARGEST]])),
        row("no model", "part 1 has no model", ("parts.1.models", [])),
        row(
            "an empty interval", "part 1: model 0 has an end that is not after its start", ("parts.1.models", [[1, 1]])
        ),
        row("a later empty interval", "part 1: model 1 has an end", ("parts.1.models", [[0, 1], [1, 1]])),
        row("a model that breaks a link", "in model 1 breaks a link", ("parts.0.models", plus([0, 1, 1, 3, 4, 5]))),
        valid("two models", ("parts.0.models", plus([0, 1, 2, 3, 4, 5])), (f"{_PAIR}.4", [1])),
        valid("a part of nothing", ("parts", plus({"entities": [], "models": [[]], "pairs": []}))),
        row(
            "a part of nothing without a model",
            "part 2 has no model",
            ("parts", plus({"entities": [], "models": [], "pairs": []})),
        ),
        row("a link to an unknown entity", "link 0 is about an entity that is not listed", ("links.0.target", "y")),
        row("a link from an unknown entity", "link 0 is about an entity that is not listed", ("links.0.source", "y")),
        row("a link between parts", "link 0 connects two parts", ("links.0.target", "x")),
        row("pairs that are null", "part 0: pairs: not a list", ("parts.0.pairs", None)),
        *(
            row(f"a pair {number}", "part 0: a pair has a bad form", (_PAIR, bad))
            for number, bad in enumerate(
                [
                    1,
                    ["a", ["b"], "c", [2]],
                    ["a", ["b"], "c", [2], [0], 1],
                    [1, ["b"], "c", [2], [0]],
                    ["a", ["b"], 1, [2], [0]],
                ]
            )
        ),
        row("a pair without atoms", "part 0: a pair: not atoms in their order", (f"{_PAIR}.1", ["m", "b"])),
        row("reasons that are null", "part 0: a pair: not a list", (f"{_PAIR}.3", None)),
        *(
            row(f"a reason {bad}", "part 0: a pair: a bad reason", (f"{_PAIR}.3", [2, bad]))
            for bad in (3, -4, True, "2", None, 2.0)
        ),
        row("shown that is null", "part 0: a pair: not a list", (f"{_PAIR}.4", None)),
        *(
            row(f"shown {bad}", "part 0: a pair: not one model for each atom", (f"{_PAIR}.4", bad))
            for bad in ([], [0, 0], [1], [-1], [False], ["0"])
        ),
        *(
            row(
                f"two atoms, and shown {bad}",
                "part 0: a pair: not one model for each atom",
                (f"{_PAIR}.1", ["b", "m"]),
                (f"{_PAIR}.4", bad),
            )
            for bad in ([0, 1], [1, 0], [0, "0"], [0, -1], [0, None])
        ),
        row("a pair too few", "part 0 does not list all pairs", ("parts.0.pairs.2", GONE)),
        row("a pair too many", "part 0 does not list all pairs", ("parts.0.pairs", plus(["b", ["b"], "c", [-2], [0]]))),
        row("pairs in another order", "are not the next pair", ("parts.0.pairs", lambda old: [old[1], old[0], old[2]])),
        row("a pair turned", "are not the next pair", (_PAIR, ["c", ["bi"], "a", [2], [0]])),
        row("an atom without a reason", "'a' and 'c': an atom is not excluded", (f"{_PAIR}.3", [])),
        row("a weaker reason", "an atom is not excluded", ("edges.0.1", "<=")),
        row("an atom that is not shown", "model 0 does not show m", (f"{_PAIR}.1", ["b", "m"]), (f"{_PAIR}.4", [0, 0])),
        row("another atom", "an atom is not excluded", (f"{_PAIR}.1", ["m"])),
        valid("a derived relation as the reason", (f"{_PAIR}.3", [-3])),
        valid("two reasons", (f"{_PAIR}.3", [2, -3])),
        row("a reason about others", "a reason is about other entities", (f"{_PAIR}.3", [2, -1])),
        row("a path that ends elsewhere", "a reason is about other entities", (f"{_PAIR}.3", [2, 0])),
        row("a path that begins elsewhere", "a reason is about other entities", ("parts.0.pairs.2.3", [-2, 2])),
        valid(
            "all atoms",
            ("links", []),
            ("readings", []),
            ("derived", []),
            ("edges", []),
            ("paths", []),
            ("entities", ["a", "b"]),
            (
                "parts",
                [
                    {
                        "entities": ["a", "b"],
                        "pairs": [["a", ATOMS, "b", [], list(range(13))]],
                        "models": [
                            [0, 1, 2, 3],
                            [0, 1, 1, 2],
                            [0, 2, 1, 3],
                            [0, 2, 1, 2],
                            [0, 3, 1, 2],
                            [0, 1, 0, 2],
                            [0, 1, 0, 1],
                            [0, 2, 0, 1],
                            [1, 2, 0, 3],
                            [1, 2, 0, 2],
                            [1, 3, 0, 2],
                            [1, 2, 0, 1],
                            [2, 3, 0, 1],
                        ],
                    }
                ],
            ),
        ),
    ],
)

_TURNED = _CLOSURE | {
    "entities": ["b", "a"],
    "links": [{**_CLOSURE["links"][0], "relation": ["b", "o"]}],
    "readings": [["b", ["b", "o"]]],
    "derived": [],
    "edges": [],
    "paths": [],
    "parts": [
        {
            "entities": ["b", "a"],
            "models": [[2, 3, 0, 1], [1, 3, 0, 2]],
            "pairs": [["b", ["oi", "bi"], "a", [-1], [1, 0]]],
        }
    ],
}
TURNED = table(
    "a reason in the other direction",
    _TURNED,
    [
        row(
            "the converse of less",
            "an atom is not excluded",
            ("links.0.relation", ["b", "m", "o"]),
            ("readings.0.1", ["b", "m", "o"]),
        ),
        row("models exchanged", "does not show", ("parts.0.pairs.0.4", [0, 1])),
    ],
)

GROUNDS = table(
    "reasons",
    _CLOSURE,
    [
        *(row(f"{name} that are null", f"{name}: not a list", (name, None)) for name in ("derived", "edges", "paths")),
        *(
            row(f"a derived relation {number}", "derived 0: a bad entry", ("derived.0", bad))
            for number, bad in enumerate(
                [
                    1,
                    ["a", ["b"], "c", [0, 1, "query"]],
                    ["a", ["b"], "c", [0], FOLLOWS, 1],
                    [1, ["b"], "c", [0], FOLLOWS],
                    ["a", ["b"], 1, [0], FOLLOWS],
                ]
            )
        ),
        row("a derived relation without atoms", "derived 0: not atoms in their order", ("derived.0.1", ["before"])),
        row("a conflict that is null", "derived 0: not a list", ("derived.0.3", None)),
        *(
            row(f"a conflict of {bad}", "derived 0: a bad conflict", ("derived.0.3", [0, 1, "query", bad]))
            for bad in (2, -1, True, "q", None, 1.0, ["value", 0], 1, "query")
        ),
        row(
            "a derived relation of itself",
            "derived 1: a bad conflict",
            ("derived", plus(["a", ["b"], "c", [3], FOLLOWS])),
        ),
        row("no proof", "the proof is empty", ("derived.0.4", [])),
        row("a proof of seconds", "a bad edge", ("derived.0.4", [{"cycle": [["a.end", "b.start", 0, True, 0]]}])),
        row("a proof in a file", "proof: has", ("derived.0.4", {"file": "x.proof.jsonl", "sha256": "0" * 64})),
        row("a proof without hints", "proof: has", ("derived.0.4", _WITH_CLAUSES)),
        valid("a proof with hints", ("derived.0.4", {**_WITH_CLAUSES, "lemmas": [[]], "hints": [[0, 1, 2, 3]]})),
        row(
            "a proof with wrong hints",
            "derived 0: proof lemma 0 does not follow by its hints",
            ("derived.0.4", {**_WITH_CLAUSES, "lemmas": [[]], "hints": [[0, 1, 2]]}),
        ),
        row("a stronger relation", "derived 0: proof step 0: c.start <= a.end does not follow", ("derived.0.1", [])),
        row("another relation", "derived 0: proof step 0: c.start <= a.end does not follow", ("derived.0.1", ["m"])),
        row("another pair", "derived 0: proof step 0: c.start <= a.end does not follow", ("derived.0.2", "b")),
        row("a conflict without the query", "derived 0: ", ("derived.0.3", [0, 1])),
        row("a conflict without a link", "derived 0: ", ("derived.0.3", [0, "query"])),
        valid(
            "a derived relation of a derived one",
            (
                "derived",
                plus(
                    [
                        "a",
                        ["b"],
                        "c",
                        [2, "query"],
                        [{"cycle": [["a.end", "<", "c.start", 2], ["c.start", "<=", "a.end", "query"]]}],
                    ]
                ),
            ),
            (f"{_PAIR}.3", [-4]),
        ),
        valid(
            "a derived relation of nothing",
            ("derived", plus(["a", ATOMS, "c", ["query"], [{"cycle": [["a.start", "<", "a.start", "query"]]}]])),
            (f"{_PAIR}.3", [2, -4]),
        ),
        row(
            "a derived relation of less",
            "derived 1: ",
            (
                "derived",
                plus(
                    [
                        "a",
                        ["b"],
                        "c",
                        [2, "query"],
                        [{"cycle": [["a.end", "<", "b.start", 2], ["b.start", "<=", "a.end", "query"]]}],
                    ]
                ),
            ),
        ),
        *(
            row(f"an edge {number}", "edge 0: a bad edge", ("edges.0", bad))
            for number, bad in enumerate(
                [
                    1,
                    ["a.end", "<", "b.start"],
                    ["a.end", "<", "b.start", 0, 0],
                    [1, "<", "b.start", 0],
                    ["a.end", "<", 1, 0],
                    ["a.end", ["<"], "b.start", 0],
                    ["a.end", "=", "b.start", 0],
                    ["a.end", "<", "b.start", 3],
                    ["a.end", "<", "b.start", -1],
                    ["a.end", "<", "b.start", False],
                    ["a.end", "<", "b.start", "query"],
                ]
            )
        ),
        row("an edge that does not follow", "edge 0: a.end < b.start does not follow", ("edges.0.3", 1)),
        row(
            "an edge the other way",
            "edge 3: b.start <= a.end does not follow",
            ("edges", plus(["b.start", "<=", "a.end", 0])),
        ),
        valid("an edge of a derived relation", ("edges", plus(["a.end", "<", "c.start", 2]))),
        row(
            "an edge of a derived relation that does not follow",
            "edge 3: ",
            ("edges", plus(["c.start", "<", "a.end", 2])),
        ),
        valid("a strict edge of one entity", ("edges.1.1", "<")),
        row(
            "an edge of two entities",
            "edge 3: b.start < c.end is not based on a link",
            ("edges", plus(["b.start", "<", "c.end", None])),
        ),
        row(
            "an edge backwards",
            "edge 3: b.end < b.start is not based on a link",
            ("edges", plus(["b.end", "<", "b.start", None])),
        ),
        row("an edge without ends", "edge 3: b < b is not based on a link", ("edges", plus(["b", "<", "b", None]))),
        *(
            row(f"a path {number}", "path 1: a bad path", ("paths.1", bad))
            for number, bad in enumerate(
                [
                    1,
                    [0],
                    [0, 1, 1],
                    [0, 3],
                    [0, -1],
                    [0, True],
                    [0, None],
                    [1, 1],
                    [-1, 1],
                    [False, 1],
                    ["0", 1],
                ]
            )
        ),
        row("the first path after itself", "path 0: a bad path", ("paths.0", [0, 0])),
        row("a broken path", "path 2 does not begin where path 0 ends", ("paths.2", [0, 2])),
        row("a path about others", "a reason is about other entities", ("paths.2", [None, 2])),
        row(
            "a path that is not strict",
            "an atom is not excluded",
            ("edges", plus(["a.end", "<=", "b.start", 0])),
            ("paths.0", [None, 3]),
        ),
        valid("a path that is strict at its end", ("edges.0.1", "<="), ("edges.2.1", "<")),
        valid("a path that is strict in the middle", ("edges.0.1", "<="), ("edges.1.1", "<")),
        row(
            "a derived relation that nothing uses",
            "derived 1: ",
            ("derived", plus(["a", ["m"], "c", [0, 1, "query"], FOLLOWS])),
        ),
    ],
)

TABLES: list[Table] = [CLOSURE, TURNED, GROUNDS]
