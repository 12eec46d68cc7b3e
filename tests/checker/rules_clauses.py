"""Clausal proofs (section 6 of docs/checker.md)."""

from __future__ import annotations

import copy

from changes import GONE, Table, plus, row, table, valid
from small_certificates import CLAUSES, CYCLE, inconsistent

DIGEST = "0" * 64
_HINTS = {**CLAUSES, "lemmas": [[-2], []], "hints": [[0, 2], [1, 3]]}
_CONSTANT = [["a.start", "a.end"]]
CLAUSAL = table(
    "clauses",
    inconsistent(2, CLAUSES),
    [
        row("version 3, without hints", "proof: has", ("version", 3)),
        valid("version 3, with hints", ("version", 3), ("proof", _HINTS)),
        row("version 1", "proof: not a list", ("version", 1)),
        row("a proof by cases in version 2", "proof: not an object", ("proof", [{"cycle": CYCLE}])),
        row("an empty proof", "the proof is empty", ("proof", {})),
        row("a field too many", "proof: has", ("proof.more", [])),
        row("a field too few", "proof: has", ("proof.lemmas", GONE)),
        row("hints in version 2", "proof: has", ("proof", _HINTS)),
        row("a file in version 2", "proof: has", ("proof", {"file": "x.proof.jsonl", "sha256": DIGEST})),
        row("variables that are null", "proof variables: not a list", ("proof.variables", None)),
        row("a variable of three", "proof: a bad variable", ("proof.variables.0", ["a.end", "b.start", "x"])),
        row("a variable of a number", "proof: a bad variable", ("proof.variables.0", ["a.end", 1])),
        row("a variable of no endpoint", "proof: 'a' is not an endpoint", ("proof.variables", plus(["a", "b.start"]))),
        row("an endpoint of another kind", "is not an endpoint", ("proof.variables", plus(["a.end", "b.middle"]))),
        row(
            "an endpoint without entity",
            "proof: 'start' is not an endpoint",
            ("proof.variables", plus(["start", "b.end"])),
        ),
        valid("the empty name", ("proof.variables", plus([".start", "..end"]))),
        row("clauses that are null", "proof clauses: not a list", ("proof.clauses", None)),
        row("a clause of three", "proof: a bad clause", ("proof.clauses.0", [[1], 0, 0])),
        row("a clause that is a number", "proof: a bad clause", ("proof.clauses.0", [1, 0])),
        row("literal 0", "proof: a bad clause", ("proof.clauses.0.0", [1, 0])),
        row("a literal of no variable", "proof: a bad clause", ("proof.clauses.0.0", [1, 3])),
        row("a negative literal of none", "proof: a bad clause", ("proof.clauses.0.0", [1, -3])),
        row("a literal that is true", "proof: a bad clause", ("proof.clauses.0.0", [True])),
        row("a clause of another fact", "proof: a bad clause", ("proof.clauses.0.1", "b")),
        row("a clause of a value", "proof: a bad clause", ("proof.clauses.0.1", ["value", 0])),
        valid("a literal twice", ("proof.clauses.0.0", [1, 1])),
        valid("a clause with more", ("proof.clauses", plus([[1, 2], 0], [[1, 2, -2], None]))),
        row("a clause of another link", "proof clause 0 does not follow from its link", ("proof.clauses.0.1", 1)),
        row(
            "a clause of a link outside",
            "proof clause 0 is based on a link that is not in the conflict",
            ("proof.clauses.0.1", 2),
        ),
        row("a clause of the query", "is based on a link that is not in the conflict", ("proof.clauses.0.1", "query")),
        row("a clause of nothing", "proof clause 0 does not always hold", ("proof.clauses.0.1", None)),
        row("a false clause", "proof clause 0 does not follow from its link", ("proof.clauses.0.0", [-1])),
        row("an empty clause", "proof clause 0 does not follow from its link", ("proof.clauses.0.0", [])),
        row("an empty clause of nothing", "proof clause 2 does not always hold", ("proof.clauses.2.0", [])),
        row("a clause of nothing too strong", "proof clause 2 does not always hold", ("proof.clauses.2.0", [-1])),
        row("another clause of nothing", "proof clause 2 does not always hold", ("proof.clauses.2.0", [1, 2])),
        row(
            "a clause of three entities",
            "proof clause 3 does not follow from its link",
            ("proof.variables", plus(["a.start", "c.end"])),
            ("proof.clauses", plus([[1, 3], 0])),
        ),
        row(
            "the other way round",
            "proof clause 3 does not follow from its link",
            ("proof.variables", plus(["c.start", "a.end"])),
            ("proof.clauses", plus([[1, 3], 0])),
        ),
        valid(
            "a start is not later than the end",
            ("proof.variables", plus(*_CONSTANT)),
            ("proof.clauses", plus([[3], None], [[3], 0])),
        ),
        row(
            "an end is not later than the start",
            "proof clause 3 does not always hold",
            ("proof.variables", plus(*_CONSTANT)),
            ("proof.clauses", plus([[-3], None])),
        ),
        valid(
            "a point is not later than itself",
            ("proof.variables", plus(["a.end", "a.end"])),
            ("proof.clauses", plus([[3], None])),
        ),
        row(
            "a point is not earlier than itself",
            "proof clause 3 does not always hold",
            ("proof.variables", plus(["a.end", "a.end"])),
            ("proof.clauses", plus([[-3], None])),
        ),
        valid(
            "one of two is not later",
            ("proof.variables", plus(["a.end", "b.end"], ["b.end", "a.end"])),
            ("proof.clauses", plus([[3, 4], None])),
        ),
        valid(
            "an entity ends after its start, on the left only",
            ("proof.variables", plus(["a.start", "c.start"], ["a.end", "c.start"])),
            ("proof.clauses", plus([[3, -4], None])),
        ),
        valid(
            "an entity ends after its start, on the right only",
            ("proof.variables", plus(["c.start", "a.start"], ["c.start", "a.end"])),
            ("proof.clauses", plus([[-3, 4], None])),
        ),
        row(
            "one of two is earlier",
            "proof clause 3 does not always hold",
            ("proof.variables", plus(["a.end", "b.end"], ["b.end", "a.end"])),
            ("proof.clauses", plus([[-3, -4], None])),
        ),
        row(
            "a link of an entity to itself",
            "proof clause 0 does not follow from its link",
            ("links.0.target", "a"),
            ("needed", None),
        ),
        row(
            "a link of an entity to itself says nothing",
            "proof clause 3 does not follow from its link",
            ("links", lambda old: [*old, {**old[0], "target": "a"}]),
            ("conflict", [0, 1, 2]),
            ("needed", None),
            ("proof.variables", plus(*_CONSTANT)),
            ("proof.clauses", plus([[3], 2])),
        ),
        row(
            "every atom makes a literal true",
            "proof clause 0 does not follow from its link",
            ("links.0.relation", ["b", "o"]),
            ("readings", [["b", ["b", "o"]], ["b", ["b"]]]),
            ("needed", None),
        ),
        valid(
            "each atom makes another literal true",
            ("links.0.relation", ["b", "bi"]),
            ("readings", [["b", ["b", "bi"]], ["b", ["b"]]]),
            ("needed", None),
            ("proof.variables", plus(["b.start", "a.start"])),
            ("proof.clauses", plus([[1, 2], 0], [[1, 3], 0])),
            ("proof.clauses.0.0", [1, 2]),
            ("proof.clauses.1.0", [2]),
            ("links.1.relation", ["b"]),
            ("proof.lemmas", []),
            ("conflict", [0, 1]),
            ("proof.clauses.2", [[-1, -2], None]),
            ("links", plus({**inconsistent()["links"][0]})),
            ("conflict", [0, 1, 2]),
            ("proof.clauses", plus([[1], 2])),
        ),
        row("no contradiction", "the lemmas do not lead to a contradiction", ("proof.clauses.2", GONE)),
        row("no clauses", "the lemmas do not lead to a contradiction", ("proof.clauses", [])),
        row("lemmas that are null", "proof lemmas: not a list", ("proof.lemmas", None)),
        row("a lemma that is a number", "proof: a bad lemma", ("proof.lemmas", [1])),
        row("a lemma with literal 0", "proof: a bad lemma", ("proof.lemmas", [[0]])),
        row("a lemma of no variable", "proof: a bad lemma", ("proof.lemmas", [[3]])),
        valid("a lemma after the contradiction", ("proof.lemmas", [[1], [2]])),
    ],
)

# Four clauses with every sign of two literals: unit propagation alone finds nothing, with the lemma 1 it does.
_FOUR = [["a.start", "b.start"], ["a.end", "b.end"]]
_SIGNS = [[[1, 2], 0], [[1, -2], 0], [[-1, 2], 1], [[-1, -2], 1]]  # a before b: both are true. b before a: none is
_SQUARE = inconsistent(2, {"variables": _FOUR, "clauses": _SIGNS, "lemmas": [[1]]})
LEMMAS = table(
    "lemmas",
    _SQUARE,
    [
        row("without the lemma", "the lemmas do not lead to a contradiction", ("proof.lemmas", [])),
        row("a lemma that does not follow", "proof lemma 0 does not follow", ("proof.lemmas", [[]])),
        valid("another lemma", ("proof.lemmas", [[-1]])),
        valid("a lemma that is always true", ("proof.lemmas", [[1, -1], [1]])),
        row("a lemma of nothing", "the lemmas do not lead to a contradiction", ("proof.lemmas", [[1, -1]])),
        valid("a longer lemma first", ("proof.lemmas", [[1, 2], [2], []])),
        valid("after a contradiction nothing is checked", ("proof.lemmas", [[1], [-1], [-2]])),
        row("one clause less", "proof lemma 0 does not follow", ("proof.clauses.0", GONE)),
        row("another clause less", "proof lemma 0 does not follow", ("proof.clauses.1", GONE)),
        row("a third clause less", "the lemmas do not lead to a contradiction", ("proof.clauses.2", GONE)),
        row("the last clause less", "the lemmas do not lead to a contradiction", ("proof.clauses.3", GONE)),
    ],
)
_HINTED = copy.deepcopy(_SQUARE) | {"version": 3}
_HINTED["proof"] |= {"lemmas": [[1], []], "hints": [[0, 1], [4, 2, 3]]}
HINTS = table(
    "hints",
    _HINTED,
    [
        row("without hints", "proof: has", ("proof.hints", GONE)),
        row("hints that are null", "proof hints: not a list", ("proof.hints", None)),
        row("hints of a lemma that are null", "proof: bad hints", ("proof.hints.0", None)),
        row("a hint that is true", "proof: bad hints", ("proof.hints.0", [False, True])),
        row("a negative hint", "proof: bad hints", ("proof.hints.0", [0, 1, -1])),
        row("a hint of no clause", "proof: bad hints", ("proof.hints.0", [0, 1, 6])),
        valid("a last hint that is not looked at", ("proof.hints.0", [0, 1, 5])),
        row("a list of hints too few", "proof: not one list of hints for each lemma", ("proof.hints.1", GONE)),
        row("a list of hints too many", "proof: not one list of hints for each lemma", ("proof.hints", plus([]))),
        row("a hint to the lemma itself", "a hint names no clause before the lemma", ("proof.hints.0", [0, 4])),
        row("too few hints", "proof lemma 0 does not follow by its hints", ("proof.hints.0", [0])),
        row("no hints", "proof lemma 0 does not follow by its hints", ("proof.hints.0", [])),
        row(
            "a hint with two literals left", "proof lemma 1 does not follow by its hints", ("proof.hints.1", [2, 4, 3])
        ),
        valid("a hint twice", ("proof.hints.0", [0, 0, 1])),
        row(
            "the lemma is not empty",
            "the lemmas do not lead to a contradiction",
            ("proof.lemmas.1", GONE),
            ("proof.hints.1", GONE),
        ),
        row("no lemmas", "the lemmas do not lead to a contradiction", ("proof.lemmas", []), ("proof.hints", [])),
        row(
            "a lemma after the empty one",
            "the lemmas do not lead to a contradiction",
            ("proof.lemmas", plus([1])),
            ("proof.hints", plus([5])),
        ),
        valid("a repeated literal counts once", ("proof.clauses.0.0", [1, 2, 2])),
    ],
)

TABLES: list[Table] = [CLAUSAL, LEMMAS, HINTS]
