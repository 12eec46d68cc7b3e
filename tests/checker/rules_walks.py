"""Walks, verified links and empty sides of scores (docs/checker.md)."""

from __future__ import annotations

from changes import GONE, Table, plus, row, table, valid
from rules_scores import COUNTS, EVERY, GOLD, OPTIONS, SYSTEM, counted, score
from small_certificates import stated

WALK = table(
    "the walk",
    score(),
    [
        row("two entities with one name", "gold: two entities get the same name", ("gold.names", [["a", "b"]])),
        row("two names for one", "gold: two entities get the same name", ("gold.names", [["a", "q"], ["b", "q"]])),
        valid("names of entities that are not there", ("gold.names", [["y", "a"], ["z", "a"]])),
        row("a witness against a kept link", "gold: witness: 'b' b 'c' does not hold", ("gold.witness.c", [2, 3])),
        row("a witness without an entity", "gold: witness: no times for 'x'", ("gold.witness.x", GONE)),
        row("a witness of an empty interval", "does not start before it ends", ("system.witness.z", [1, 1])),
        # duplicates
        row("a repeated link is redundant", "gold: link 4 repeats link 0", ("gold.walk.4", ["redundant", [-1]])),
        row("a repeated link repeats another", "gold: link 4 repeats link 0", ("gold.walk.4", ["duplicate", 1])),
        row(
            "a link of another label repeats",
            "gold: link 4 is neither a duplicate nor vague",
            ("gold.links.4.label", "c"),
            ("gold.readings", plus(["c", ["b"]])),
        ),
        valid(
            "a link of another label is redundant",
            ("gold.links.4.label", "c"),
            ("gold.readings", plus(["c", ["b"]])),
            ("gold.walk.4", ["redundant", [-1]]),
        ),
        *(
            valid(
                f"the label {label!r}",
                ("gold.links.0.label", one),
                ("gold.links.4.label", label),
                ("gold.readings", plus([one, ["b"]], [label, ["b"]])),
            )
            for one, label in (
                ("B", " B\t"),
                ("x-y", "X_Y"),
                ("p/q", "P Q"),
                ("during", "DURING INV"),
                ("SIMULTANEOUS", "during"),
            )
        ),
        row(
            "another label",
            "is neither a duplicate nor vague",
            ("gold.links.4.label", "B.B"),
            ("gold.readings", plus(["B.B", ["b"]])),
        ),
        row(
            "a link repeats a later one",
            "gold: link 2 is neither a duplicate nor vague",
            ("gold.walk.2", ["duplicate", 4]),
        ),
        # vague
        row("a vague link is redundant", "gold: link 5 allows every atom", ("gold.walk.5", ["redundant", []])),
        row("a vague link is kept", "gold: link 5 allows every atom", ("gold.walk.5", ["kept", 0])),
        row("a link that is not vague", "gold: link 2 is neither a duplicate nor vague", ("gold.walk.2", ["vague"])),
        # an entity as itself
        row(
            "the first mention with a model",
            "gold: link 6 is the first mention of an entity, as itself",
            ("gold.walk.6", ["kept", 0]),
        ),
        row(
            "the first mention is redundant",
            "gold: link 6 is the first mention of an entity",
            ("gold.walk.6", ["redundant", []]),
        ),
        row("another link without a model", "gold: link 1: without a model", ("gold.walk.1", ["kept", None])),
        row(
            "a mentioned entity is kept",
            "gold: link 6: without a model, only the first mention",
            ("gold.links.6.source", "a"),
            ("gold.links.6.target", "a"),
        ),
        valid(
            "a mentioned entity is redundant",
            ("gold.links.6.source", "a"),
            ("gold.links.6.target", "a"),
            ("gold.walk.6", ["redundant", []]),
            ("gold.verified.3", GONE),
            counted(gold_total=3),
            ("recall", "1/3"),
            ("f1", "1/2"),
        ),
        valid(
            "an entity before itself is set aside",
            ("gold.links.6.relation", ["b"]),
            ("gold.links.6.label", "b"),
            ("gold.readings", lambda old: [each for each in old if each[0] != "="]),
            ("gold.walk.6", ["set-aside", []]),
            ("gold.witness.x", GONE),
            counted(gold_set_aside=2),
        ),
        row(
            "an entity before itself is redundant",
            "the reasons do not show that it is redundant",
            ("gold.links.6.relation", ["b"]),
            ("gold.links.6.label", "b"),
            ("gold.readings", lambda old: [each for each in old if each[0] != "="]),
            ("gold.walk.6", ["redundant", []]),
            ("gold.witness.x", GONE),
        ),
        row("an entity that equals itself is set aside", "is the first mention", ("gold.walk.6", ["set-aside", []])),
        # kept
        row(
            "a model in which the link holds",
            "gold: link 0 holds in model 0",
            ("gold.models.0", {"a": [0, 1], "b": [2, 3]}),
        ),
        row(
            "a model in which an earlier link does not hold",
            "gold: link 1: model 1: 'a' b 'b' does not hold",
            ("gold.models.1.a", [2, 3]),
        ),
        row(
            "a model without the entities", "gold: link 0: model 0: no times for 'a' or 'b'", ("gold.models.0.b", GONE)
        ),
        row("a model that divides a link", "gold: link 1: model 1 divides link 0", ("gold.models.1.a", GONE)),
        valid("a model of other entities as well", ("gold.models.0.q", [0, 1])),
        row("a model of an empty interval", "does not start before it ends", ("gold.models.0.q", [1, 1])),
        valid("a model against a later kept link", ("gold.models.0.c", [0, 1])),
        # redundant and set aside
        row("a redundant link is kept", "gold: link 2: model 1: 'b' b 'c' does not hold", ("gold.walk.2", ["kept", 1])),
        row(
            "a kept link is redundant",
            "gold: link 1: the reasons do not show that it is redundant",
            ("gold.walk.1", ["redundant", []]),
            ("gold.derived", []),
            ("gold.edges.2", GONE),
            ("gold.paths.2", GONE),
            ("gold.walk.2", ["redundant", []]),
            ("gold.walk.3", ["set-aside", []]),
            ("system.verified.1", ["stated", 2]),
        ),
        row(
            "a redundant link is set aside",
            "the reasons do not show that it is set-aside",
            ("gold.walk.2", ["set-aside", [2]]),
        ),
        row(
            "a set-aside link is redundant",
            "the reasons do not show that it is redundant",
            ("gold.walk.3", ["redundant", [2]]),
        ),
        row(
            "no reasons",
            "gold: link 2: the reasons do not show that it is redundant",
            ("gold.walk.2", ["redundant", []]),
        ),
        row(
            "no reasons to set it aside",
            "gold: link 3: the reasons do not show that it is set-aside",
            ("gold.walk.3", ["set-aside", []]),
        ),
        valid("a derived relation as the reason", ("gold.walk.2", ["redundant", [-8]])),
        row("a reason about others", "a reason is about other entities", ("gold.walk.2", ["redundant", [0]])),
        row(
            "a reason that is not kept",
            "gold: link 3 rests on a link that is not used",
            ("gold.walk.3", ["set-aside", [-3]]),
        ),
        row(
            "an edge that is not kept",
            "edge 3 rests on a link that is not used",
            ("gold.edges", plus(["a.end", "<", "c.start", 2])),
        ),
        row(
            "a derived relation of what is not kept",
            "derived 1 rests on a link that is not used",
            (
                "gold.derived",
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
        ),
        row(
            "contradictions are refused",
            "a document that contradicts itself has no score",
            ("options.contradictions", "refuse"),
        ),
        valid(
            "vague links count",
            ("options.vague", "count"),
            ("gold.verified", lambda old: [*old[:3], ["vague"], old[3]]),
            ("counts", lambda old: old | {"gold_total": 5, "gold_vague_left_out": 0}),
            ("recall", "1/5"),
            ("f1", "1/3"),
        ),
        row(
            "vague links count, without an entry",
            "gold: not one entry for each counted link",
            ("options.vague", "count"),
        ),
    ],
)

# The same links in another order: what is redundant or set aside must follow from links before it.
_ORDER = stated(("a", "b", "c"), ("a", "b", "b"), ("b", "b", "c"))
_ORDER_EDGES = [["a.end", "<", "b.start", 1], ["b.start", "<=", "b.end", None], ["b.end", "<=", "c.start", 2]]
_LATER = {
    "gold": GOLD
    | _ORDER
    | {
        "derived": [
            [
                "a",
                ["b"],
                "c",
                [1, 2, "query"],
                [
                    {
                        "cycle": [
                            ["a.end", "<", "b.start", 1],
                            ["b.start", "<", "b.end", None],
                            ["b.end", "<", "c.start", 2],
                            ["c.start", "<=", "a.end", "query"],
                        ]
                    }
                ],
            ]
        ],
        "edges": _ORDER_EDGES,
        "walk": [["kept", 0], ["kept", 1], ["kept", 2]],
        "witness": {"a": [0, 1], "b": [2, 3], "c": [4, 5]},
        "models": [
            {"a": [0, 1], "c": [0, 1]},
            {"a": [0, 1], "b": [0, 1], "c": [2, 3]},
            {"a": [0, 1], "b": [2, 3], "c": [2, 3]},
        ],
        "verified": [["stated", 1], ["stated", 0], ["open", 2]],
    },
    "counts": COUNTS | {"gold_total": 3, "recall_matched": 2, "gold_set_aside": 0, "gold_vague_left_out": 0},
    "recall": "2/3",
    "f1": "4/5",
}
_LATER["gold"]["paths"] = [[None, 0], [0, 1], [1, 2]]
_LATER_SCORE = score() | _LATER
_LATER_SCORE["system"] = SYSTEM | {"verified": [["stated", 1], ["stated", 0]]}
_DROP = [
    ("gold.verified.0", GONE),
    ("gold.walk.0", ["redundant", [2]]),
    ("gold.witness", {"a": [0, 1], "b": [2, 3], "c": [4, 5]}),
]
_FEWER = [counted(gold_total=2, recall_matched=1), ("recall", "1/2"), ("f1", "2/3")]


def between(first, last, reasons):
    """Changes: a before c is link 1, a before b and b before c are the two given links."""
    links = [("a", "b", "c")] * 3
    links[first], links[last] = ("a", "b", "b"), ("b", "b", "c")
    cycle = [
        ["a.end", "<", "b.start", first],
        ["b.start", "<", "b.end", None],
        ["b.end", "<", "c.start", last],
        ["c.start", "<=", "a.end", "query"],
    ]
    return [
        ("gold.links", stated(*links)["links"]),
        ("gold.derived", [["a", ["b"], "c", [0, 2, "query"], [{"cycle": cycle}]]]),
        ("gold.edges.0.3", first),
        ("gold.edges.2.3", last),
        ("gold.models", plus({"a": [0, 1], "b": [0, 1]}, {"b": [0, 1], "c": [0, 1]})),
        ("gold.walk", [["kept", 3 if first == 0 else 4], ["redundant", reasons], ["kept", 0]]),
    ]


LATER = table(
    "reasons from later links",
    _LATER_SCORE,
    [
        valid("contradictions are refused, and there is none", ("options.contradictions", "refuse")),
        row(
            "the system contradicts itself, and that is refused",
            "a document that contradicts itself has no score",
            ("options.contradictions", "refuse"),
            ("system.links", lambda old: [*old, {**old[1], "source": "c", "target": "a"}]),
            ("system.walk", plus(["set-aside", [-2]])),
        ),
        row("a path from later links", "gold: link 0: a reason rests on a later link", *_DROP, *_FEWER),
        row(
            "a derived relation from later links",
            "gold: link 0: a reason rests on a later link",
            *_DROP,
            *_FEWER,
            ("gold.walk.0", ["redundant", [-4]]),
        ),
        row(
            "itself",
            "gold: link 0 rests on a link that is not used",
            *_DROP,
            *_FEWER,
            ("gold.walk.0", ["redundant", [-1]]),
        ),
        *(
            row(f"links {first}, {last} by {why}", "link 1: a reason rests on a later link", *between(first, last, why))
            for first, last in ((0, 2), (2, 0))
            for why in ([2], [-4])
        ),
        row(
            "a later link itself",
            "gold: link 1: a reason rests on a later link",
            ("gold.links.2", lambda old: {**old, "source": "b", "target": "a", "relation": ["bi"], "label": "bi"}),
            ("gold.readings", [["b", ["b"]], ["bi", ["bi"]]]),
            ("gold.derived", []),
            ("gold.edges", []),
            ("gold.paths", []),
            ("gold.walk", [["kept", 0], ["redundant", [-3]], ["kept", 1]]),
        ),
    ],
)

VERIFIED = table(
    "verified links",
    score(),
    [
        row("an entry too few", "gold: not one entry for each counted link", ("gold.verified.3", GONE)),
        row("an entry too many", "system: not one entry for each counted link", ("system.verified", plus(["unknown"]))),
        row(
            "stated by another link",
            "gold: counted link 0: link 1 does not state it",
            ("gold.verified.0", ["stated", 1]),
        ),
        row(
            "stated the other way",
            "system: counted link 1: link 3 does not state it",
            ("system.verified.1", ["stated", 3]),
        ),
        valid("stated by a link that is not kept", ("system.verified.1", ["stated", 2])),
        valid("entailed by a fact", ("system.verified.1", ["entailed", [-8]])),
        valid("stated is entailed", ("system.verified.0", ["entailed", [-1]])),
        row(
            "entailed without reasons",
            "system: counted link 1: the reasons do not show that it follows",
            ("system.verified.1", ["entailed", []]),
        ),
        row("entailed by others", "a reason is about other entities", ("system.verified.1", ["entailed", [0]])),
        row(
            "entailed of the unknown",
            "gold: counted link 6: an entity is not known",
            ("gold.verified.3", ["entailed", []]),
        ),
        row("stated is open", "gold: counted link 0: the other side states it", ("gold.verified.0", ["open", 0])),
        row(
            "stated is unknown", "system: counted link 0: the other side states it", ("system.verified.0", ["unknown"])
        ),
        row("known is unknown", "gold: counted link 1: both entities are known", ("gold.verified.1", ["unknown"])),
        row("a link that is not vague", "gold: counted link 1 is not vague", ("gold.verified.1", ["vague"])),
        row("a model in which it holds", "gold: counted link 1 holds in model 2", ("system.models.2.c", [4, 5])),
        row("a model in which a kept link does not hold", "model 0 divides link 1", ("gold.verified.1", ["open", 0])),
        row(
            "the model of another link",
            "gold: counted link 1: model 1: 'a' b 'c' does not hold",
            ("gold.verified.1", ["open", 1]),
        ),
        row("open of the unknown", "no times for 'x'", ("gold.verified.3", ["open", 2])),
        row(
            "half unknown is known",
            "gold: counted link 6: both entities are known",
            ("gold.names", [["x", "q"]]),
            ("system.names", []),
            ("gold.links.6.source", "a"),
            ("gold.links.6.target", "a"),
            ("gold.links.6.relation", ["b"]),
            ("gold.links.6.label", "b"),
            ("gold.witness.x", GONE),
            ("gold.readings", lambda old: [each for each in old if each[0] != "="]),
            ("gold.walk.6", ["set-aside", []]),
            counted(gold_set_aside=2),
        ),
        valid(
            "renamed",
            ("system.names", [["a", "a1"], ["b", "b1"], ["c", "c1"]]),
            ("gold.names", [["a", "a1"], ["b", "b1"], ["c", "c1"]]),
            *(
                (
                    f"{side}.{name}",
                    lambda old: {f"{key}1" if key in "abc" else key: times for key, times in old.items()},
                )
                for side, name in (
                    ("gold", "witness"),
                    ("system", "witness"),
                    ("gold", "models.0"),
                    ("gold", "models.1"),
                    ("system", "models.0"),
                    ("system", "models.1"),
                    ("system", "models.2"),
                )
            ),
            ("gold.derived", []),
            (
                "gold.edges",
                lambda old: [
                    [left.replace(".", "1."), sign, right.replace(".", "1."), fact] for left, sign, right, fact in old
                ],
            ),
        ),
    ],
)

_VAGUE = {
    "gold": GOLD,
    "system": stated(("a", EVERY, "c"))
    | {
        "derived": [],
        "edges": [],
        "paths": [],
        "names": [],
        "walk": [["vague"]],
        "witness": {},
        "models": [{"a": [0, 1], "c": [0, 1]}],
        "verified": [["stated", 5]],
    },
}
_VAGUE_SCORE = (
    score()
    | _VAGUE
    | {
        "options": OPTIONS | {"vague": "count"},
        "counts": COUNTS | {"precision_matched": 1, "system_total": 1, "gold_total": 5, "gold_vague_left_out": 0},
        "recall": "1/5",
        "f1": "1/3",
    }
)
_VAGUE_SCORE["gold"] = GOLD | {"verified": [["unknown"], ["unknown"], ["open", 0], ["stated", 0], ["unknown"]]}
VAGUE = table(
    "vague links that count",
    _VAGUE_SCORE,
    [
        row(
            "a vague link is entailed",
            "gold: counted link 5: a vague link is not entailed",
            ("gold.verified.3", ["entailed", []]),
        ),
        row("a stated link is vague", "gold: counted link 5: the other side states it", ("gold.verified.3", ["vague"])),
        valid(
            "vague links are ignored",
            ("options.vague", "ignore"),
            ("gold.verified.3", GONE),
            ("system.verified", []),
            counted(precision_matched=0, system_total=0, recall_matched=0, gold_total=4),
            counted(gold_vague_left_out=1, system_vague_left_out=1),
            *((name, "0") for name in ("precision", "recall", "f1")),
        ),
        row("a link that is ignored", "not one entry for each counted link", ("options.vague", "ignore")),
    ],
)

_NOTHING = stated() | {
    "derived": [],
    "edges": [],
    "paths": [],
    "names": [],
    "walk": [],
    "witness": {},
    "models": [],
    "verified": [],
}
_NONE = dict.fromkeys(COUNTS, 0)
_EMPTY = score() | {"gold": _NOTHING, "system": _NOTHING, "counts": _NONE, "precision": "0", "recall": "0", "f1": "0"}
_ONES = [("precision", "1"), ("recall", "1"), ("f1", "1")]
EMPTY = table(
    "nothing to score",
    _EMPTY,
    [
        valid("empty counts as 1", ("options.empty", 1), *_ONES),
        row("empty counts as 0", "precision is 0, not 1", *_ONES),
        valid(
            "no system",
            ("gold", _VAGUE_SCORE["gold"]),
            ("gold.verified", [["unknown"]] * 4),
            counted(gold_total=4, gold_set_aside=1, gold_vague_left_out=1),
        ),
        valid(
            "no system, empty counts as 1",
            ("options.empty", 1),
            ("gold", _VAGUE_SCORE["gold"]),
            ("gold.verified", [["unknown"]] * 4),
            counted(gold_total=4, gold_set_aside=1, gold_vague_left_out=1),
            ("precision", "1"),
        ),
    ],
)

_PLAIN = _EMPTY | {
    "gold": _NOTHING
    | stated(("a", "m|=", "b"), ("c", "b", "e"))
    | {
        "walk": [["kept", 0], ["kept", 1]],
        "witness": {"a": [0, 1], "b": [0, 1], "c": [0, 1], "e": [2, 3]},
        "models": [{"a": [0, 1], "b": [2, 3]}, {"c": [0, 1], "e": [0, 1]}, {"a": [0, 1], "b": [1, 2]}],
        "verified": [["open", 1], ["unknown"]],
    },
    "system": _NOTHING
    | stated(("b", "=|si", "a"))
    | {
        "walk": [["kept", 0]],
        "witness": {"a": [0, 1], "b": [0, 1]},
        "models": [{"a": [0, 2], "b": [0, 1]}, {"a": [0, 1], "b": [0, 2]}],
        "verified": [["open", 2]],
    },
    "counts": _NONE | {"gold_total": 2, "system_total": 1},
}
PLAIN = table(
    "first mentions and models of some entities",
    _PLAIN,
    [
        row(
            "both entities are known", "gold: counted link 0: both entities are known", ("gold.verified.0", ["unknown"])
        ),
        row("a model of the wrong entities", "no times for 'c' or 'e'", ("gold.walk.1", ["kept", 2])),
        row("a model that divides a link", "gold: link 1: model 1 divides link 0", ("gold.models.1.a", [0, 1])),
    ],
)

TABLES: list[Table] = [WALK, LATER, VERIFIED, VAGUE, EMPTY, PLAIN]
