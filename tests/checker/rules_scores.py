"""Scores of docs/checker.md."""

from __future__ import annotations

from typing import Any

from changes import GONE, Table, plus, row, table, valid
from rules_reasons import REASONS
from small_certificates import ATOMS, stated

EVERY = "|".join(ATOMS)
COUNTS = {
    "precision_matched": 2,
    "system_total": 2,
    "recall_matched": 1,
    "gold_total": 4,
    "system_set_aside": 0,
    "gold_set_aside": 1,
    "system_vague_left_out": 0,
    "gold_vague_left_out": 1,
}
OPTIONS = {"align": "ids", "contradictions": "set-aside", "vague": "ignore", "empty": 0}
_SAME = {"a": [0, 1], "b": [0, 1]}
_LATE = {"a": [0, 1], "b": [2, 3], "c": [2, 3]}
GOLD = (
    stated(
        ("a", "b", "b"),
        ("b", "b", "c"),
        ("a", "b", "c"),
        ("c", "b", "a"),
        ("a", "b", "b"),
        ("a", EVERY, "c"),
        ("x", "=", "x"),
    )
    | REASONS
    | {
        "names": [],
        "walk": [
            ["kept", 0],
            ["kept", 1],
            ["redundant", [2]],
            ["set-aside", [2]],
            ["duplicate", 0],
            ["vague"],
            ["kept", None],
        ],
        "witness": {"a": [0, 1], "b": [2, 3], "c": [4, 5], "x": [0, 1]},
        "models": [_SAME, _LATE],
        "verified": [["stated", 0], ["open", 2], ["open", 2], ["unknown"]],
    }
)
SYSTEM = stated(("b", "bi", "a"), ("a", "b", "c")) | {
    "derived": [],
    "edges": [],
    "paths": [],
    "names": [],
    "walk": [["kept", 0], ["kept", 1]],
    "witness": {"a": [0, 1], "b": [2, 3], "c": [2, 3]},
    "models": [_SAME, {"a": [0, 1], "b": [2, 3], "c": [0, 1]}, _LATE],
    "verified": [["stated", 0], ["entailed", [2]]],
}


def score() -> dict[str, Any]:
    """Return a score of two small documents."""
    head = {"format": "temporacle-certificate", "version": 3, "claim": "score", "metric": "awareness"}
    figures = {"counts": COUNTS, "precision": "1", "recall": "1/4", "f1": "2/5"}
    return head | {"options": OPTIONS, "gold": GOLD, "system": SYSTEM} | figures


def counted(**changes: Any) -> tuple[str, Any]:
    return "counts", lambda old: old | changes


FORM = table(
    "score, form",
    score(),
    [
        row("version 2", "the claim score does not exist in version 2", ("version", 2)),
        row("a field too many", "the certificate: has", ("links", [])),
        row("a field too few", "the certificate: has", ("f1", GONE)),
        row("another metric", "an unknown metric", ("metric", "accuracy")),
        row("options that are null", "options: not an object", ("options", None)),
        row("an option too many", "options: has", ("options.more", 1)),
        row("an option too few", "options: has", ("options.empty", GONE)),
        *(
            row(f"another {name}", f"options: an unknown value of {name}", (f"options.{name}", "x"))
            for name in ("align", "contradictions", "vague")
        ),
        *(
            row(f"empty {bad!r}", "options: empty is 0 or 1", ("options.empty", bad))
            for bad in (2, -1, False, True, "0", None, 1.0)
        ),
        valid("spans", ("options.align", "spans")),
        valid("empty 1", ("options.empty", 1)),
        row("counts that are null", "counts: not an object", ("counts", None)),
        row("a count too many", "counts: has", ("counts.more", 1)),
        row("a count too few", "counts: has", ("counts.gold_total", GONE)),
        *(
            row(f"a count {bad!r}", "counts: not whole numbers", ("counts.gold_total", bad))
            for bad in (-1, True, "4", None, 4.0)
        ),
        *(
            row(f"{name} as a number", "precision, recall and f1 are texts", (name, 1))
            for name in ("precision", "recall", "f1")
        ),
        *(
            row(f"{name} is {count + 1}", f"{name} is {count}, not {count + 1}", (f"counts.{name}", count + 1))
            for name, count in COUNTS.items()
        ),
        row("another precision", "precision is 1, not 1/2", ("precision", "1/2")),
        row("precision in another form", "precision is 1, not 2/2", ("precision", "2/2")),
        row("another recall", "recall is 1/4, not 1/3", ("recall", "1/3")),
        row("another f1", "f1 is 2/5, not 1/2", ("f1", "1/2")),
        # sides
        row("a side that is null", "gold: not an object", ("gold", None)),
        row("another side that is null", "system: not an object", ("system", None)),
        row("a side with more", "gold: has", ("gold.more", 1)),
        row("a side without a walk", "system: has", ("system.walk", GONE)),
        row("a document", "gold: document: the id is a text", ("gold.document.id", 1)),
        row("the readings of a side", "readings and links do not agree", ("system.readings", [])),
        row("names that are null", "gold: names: not a list", ("gold.names", None)),
        *(
            row(f"a name {bad}", "gold: bad names", ("gold.names", [["z", "y"], bad]))
            for bad in (1, ["a"], ["a", "b", "c"], [1, "a"], ["a", 1], ["z", "w"], "ab")
        ),
        row("a bad witness", "gold: witness: bad times", ("gold.witness.a", [0])),
        row("models that are null", "gold: models: not a list", ("gold.models", None)),
        row("a bad model", "gold: a model: bad times", ("gold.models", plus({"a": [0]}))),
        row("a bad edge", "edge 0: a bad edge", ("gold.edges.0", 1)),
        row("a walk that is null", "gold: walk: not a list", ("gold.walk", None)),
        row("a step too few", "gold: not one step for each link", ("gold.walk.6", GONE)),
        row("a step too many", "gold: not one step for each link", ("gold.walk", plus(["vague"]))),
        *(
            row(f"a step {bad}", f"gold: link 1: {words}", ("gold.walk.1", bad))
            for bad, words in (
                (1, "a bad entry"),
                ([], "a bad entry"),
                ([1], "a bad entry"),
                (["vague", 1], "a bad entry"),
                (["kept"], "a bad entry"),
                (["kept", 1, 1], "a bad entry"),
                (["kept", 2], "names a model that is not there"),
                (["kept", -1], "names a model that is not there"),
                (["kept", True], "names a model that is not there"),
                (["kept", "1"], "names a model that is not there"),
                (["open", 1], "an unknown entry"),
                (["stated", 0], "an unknown entry"),
                (["unknown"], "a bad entry"),
                (["entailed", []], "an unknown entry"),
                (["duplicate", 7], "names a link that is not there"),
                (["duplicate", -1], "names a link that is not there"),
                (["duplicate", False], "names a link that is not there"),
                (["duplicate", None], "names a link that is not there"),
                (["redundant", None], "not a list"),
                (["redundant", [3]], "a bad reason"),
                (["redundant", [-9]], "a bad reason"),
                (["set-aside", [True]], "a bad reason"),
                ("vague", "a bad entry"),
            )
        ),
        row("verified that is null", "gold: verified: not a list", ("gold.verified", None)),
        *(
            row(f"an entry {bad}", f"gold: counted link 0: {words}", ("gold.verified.0", bad))
            for bad, words in (
                (1, "a bad entry"),
                ([], "a bad entry"),
                ([None], "a bad entry"),
                (["vague", 1], "a bad entry"),
                (["unknown", 1], "a bad entry"),
                (["open"], "a bad entry"),
                (["open", 3], "names a model that is not there"),
                (["open", None], "names a model that is not there"),
                (["open", -1], "names a model that is not there"),
                (["kept", 0], "an unknown entry"),
                (["duplicate", 0], "an unknown entry"),
                (["redundant", []], "an unknown entry"),
                (["stated", 2], "names a link that is not there"),
                (["stated", -1], "names a link that is not there"),
                (["stated", True], "names a link that is not there"),
                (["entailed", [0]], "a bad reason"),
                (["entailed", [-3]], "a bad reason"),
            )
        ),
        row("an entry of the system", "system: counted link 1: a bad reason", ("system.verified.1", ["entailed", [3]])),
        row("the model of another link", "model 0 divides link 1", ("gold.verified.2", ["open", 0])),
    ],
)

TABLES: list[Table] = [FORM]
