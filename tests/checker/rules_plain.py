"""Form, models, proofs by cases, and queries (sections 2 to 5 of docs/checker.md)."""

from __future__ import annotations

from changes import GONE, Table, plus, row, table, valid
from small_certificates import AB, ATOMS, BA, CLAUSES, CYCLE, consistent, entailed, inconsistent, split, undecided

LARGEST = 10**18
DIGEST = "0" * 64
FORM = table(
    "form",
    consistent(),
    [
        row("not of this program", "not a certificate of this program", ("format", "other")),
        row("no format", "not a certificate of this program", ("format", GONE)),
        row("version 0", "a version this program cannot check", ("version", 0)),
        row("version 4", "does not exist in version 4", ("version", 4)),
        row("version 5", "a version this program cannot check", ("version", 5)),
        row("version true", "a version this program cannot check", ("version", True)),
        row("version 1.0", "a version this program cannot check", ("version", 1.0)),
        row("version as a text", "a version this program cannot check", ("version", "1")),
        row("an unknown claim", "an unknown claim", ("claim", "sound")),
        row("a claim that is a list", "an unknown claim", ("claim", ["consistent"])),
        row("a claim of another version", "does not exist in version 3", ("version", 3)),
        row("a version for clauses", "a version for clausal proofs", ("version", 2)),
        row("a field too many", "the certificate: has", ("more", 1)),
        row("a field too few", "the certificate: has", ("witness", GONE)),
        row("values in version 1", "the certificate: has", ("calendar", {}), ("values", []), ("unit", 1)),
        # document
        row("a document that is a list", "document: not an object", ("document", [])),
        row("a document that is a number", "document: not an object", ("document", 5)),
        row("a document that is null", "document: not an object", ("document", None)),
        row("a document without id", "document: has", ("document.id", GONE)),
        row("a document with more", "document: has", ("document.more", None)),
        row("an id that is null", "document: the id is a text", ("document.id", None)),
        *(
            row(f"a number as {name}", f"document: {name} is a text or null", (f"document.{name}", 1))
            for name in ("path", "format", "reading", "during", "encoding", "sha256")
        ),
        *(
            valid(f"a text as {name}", (f"document.{name}", "x"))
            for name in ("path", "format", "reading", "during", "encoding")
        ),
        valid("a digest", ("document.sha256", DIGEST)),
        row("a short digest", "document: sha256 is not a digest", ("document.sha256", DIGEST[1:])),
        row("a long digest", "document: sha256 is not a digest", ("document.sha256", DIGEST + "0")),
        row("a digest in capitals", "document: sha256 is not a digest", ("document.sha256", "A" * 64)),
        row("a digest with a line feed", "document: sha256 is not a digest", ("document.sha256", DIGEST + "\n")),
        valid("nothing dropped", ("document.dropped", [])),
        valid("a dropped link", ("document.dropped", [{"code": "c", "line": 7, "element": "e"}])),
        valid("a dropped link somewhere", ("document.dropped", [{"code": "c", "line": None, "element": None}])),
        row("dropped is null", "dropped: not a list", ("document.dropped", None)),
        row("a dropped number", "dropped: not an object", ("document.dropped", [1])),
        row("dropped without code", "dropped: has", ("document.dropped", [{"line": 1, "element": None}])),
        row("a bad code", "dropped: a bad entry", ("document.dropped", [{"code": 1, "line": 1, "element": None}])),
        row("a bad line", "dropped: a bad entry", ("document.dropped", [{"code": "c", "line": 0, "element": None}])),
        row("a bad element", "dropped: a bad entry", ("document.dropped", [{"code": "c", "line": 1, "element": 1}])),
        # readings and links
        row("readings that are an object", "readings: not a list", ("readings", {})),
        row("a reading that is a text", "readings: an entry is", ("readings", ["b"])),
        row("a reading of three", "readings: an entry is", ("readings.0", ["b", ["b"], 1])),
        row("a reading of a number", "readings: an entry is", ("readings.0", [1, ["b"]])),
        row("a reading of no atoms", "readings: not atoms in their order", ("readings.0", ["b", ["before"]])),
        row("a reading twice", "readings: an entry is given twice", ("readings", plus(["b", ["b"]]))),
        row("a reading too many", "readings and links do not agree", ("readings", plus(["m", ["m"]]))),
        row("a reading too few", "readings and links do not agree", ("readings", [])),
        row("another reading", "readings and links do not agree", ("readings.0.1", ["b", "m"])),
        row("links that are an object", "links: not a list", ("links", {})),
        row("a link that is a list", "link 0: not an object", ("links.0", [])),
        row("a link without line", "link 0: has", ("links.0.line", GONE)),
        row("a link with more", "link 0: has", ("links.0.more", 1)),
        *(
            row(
                f"a link with a number as {name}", "link 0: id, source, label, target are texts", (f"links.0.{name}", 1)
            )
            for name in ("id", "source", "label", "target")
        ),
        valid("line 1", ("links.0.line", 1)),
        valid("the last line", ("links.0.line", LARGEST)),
        row("line 0", "link 0: line is not a line number", ("links.0.line", 0)),
        row("a line too far", "link 0: line is not a line number", ("links.0.line", LARGEST + 1)),
        row("line true", "link 0: line is not a line number", ("links.0.line", True)),
        row("line 1.0", "link 0: line is not a line number", ("links.0.line", 1.0)),
        row("a relation that is a text", "link 0: not a list", ("links.0.relation", "b")),
        row("an atom twice", "link 0: not atoms in their order", ("links.0.relation", ["b", "b"])),
        row("atoms in another order", "link 0: not atoms in their order", ("links.0.relation", ["m", "b"])),
        row("an unknown atom", "link 0: not atoms in their order", ("links.0.relation", ["b", "x"])),
        valid("all atoms", ("links.0.relation", ATOMS), ("readings.0.1", ATOMS)),
        # models
        row("a witness that is a list", "witness: not an object", ("witness", [])),
        row("times that are a number", "witness: bad times", ("witness.a", 1)),
        row("three times", "witness: bad times", ("witness.a", [0, 1, 2])),
        row("one time", "witness: bad times", ("witness.a", [0])),
        row("a time that is true", "witness: bad times", ("witness.a", [0, True])),
        row("a time with a fraction", "witness: bad times", ("witness.a", [0, 1.0])),
        row("a time too early", "witness: bad times", ("witness.a", [-LARGEST - 1, 1])),
        row("a time too late", "witness: bad times", ("witness.b", [2, LARGEST + 1])),
        valid("the first and the last time", ("witness.a", [-LARGEST, 1]), ("witness.b", [2, LARGEST])),
        row("an empty interval", "witness: 'a' does not start before it ends", ("witness.a", [1, 1])),
        row("an interval backwards", "witness: 'a' does not start before it ends", ("witness.a", [1, 0])),
        row("another empty interval", "witness: 'x' does not start before it ends", ("witness.x", [1, 1])),
        valid("another entity", ("witness.x", [1, 2])),
        row("no times for the source", "witness: no times for 'a' or 'b'", ("witness.a", GONE)),
        row("no times for the target", "witness: no times for 'a' or 'b'", ("witness.b", GONE)),
        row("a link that does not hold", "witness: 'a' b 'b' does not hold", ("witness.b", [1, 2])),
        row("the second link", "does not hold", ("links", plus({**consistent()["links"][0], "target": "a"}))),
    ],
)
INCONSISTENT = table(
    "inconsistent",
    inconsistent(),
    [
        row("an inconsistent document is consistent", "the certificate: has", ("claim", "consistent")),
        valid("needed is null", ("needed", None)),
        row("needed is an object", "needed: not a list", ("needed", {})),
        row("needed has a list", "needed 1: not an object", ("needed.1", [])),
        row("needed has too few", "needed and conflict differ in length", ("needed", [BA])),
        row("needed has too many", "needed and conflict differ in length", ("needed", [BA, AB, AB])),
        row("needed is empty", "needed and conflict differ in length", ("needed", [])),
        row("needed breaks a link", "needed for link 0", ("needed.0", AB)),
        row("needed breaks the other", "needed for link 1", ("needed.1", BA)),
        row("needed in another order", "needed for link 0", ("needed", [AB, BA])),
        valid("both orders turned", ("conflict", [1, 0]), ("needed", [AB, BA])),
        # conflict
        row("a conflict that is null", "conflict: not a list", ("conflict", None)),
        row("a fact twice", "conflict: not a list of different links", ("conflict", [0, 1, 1])),
        row("a link that is not there", "conflict: not a list of different links", ("conflict", [0, 1, 2])),
        row("a negative link", "conflict: not a list of different links", ("conflict", [0, -1])),
        row("the query of none", "conflict: not a list of different links", ("conflict", [0, 1, "query"])),
        row("a value of none", "conflict: not a list of different links", ("conflict", [0, 1, ["value", 0]])),
        row("a fact that is true", "conflict: not a list of different links", ("conflict", [0, True])),
        row("a fact that is an object", "conflict: not a list of different links", ("conflict", [0, {}])),
        row("a fact that is null", "conflict: not a list of different links", ("conflict", [0, None])),
        row(
            "a smaller conflict", "is based on a link that is not in the conflict", ("conflict", [0]), ("needed", None)
        ),
        # cycles
        row("an empty proof", "the proof is empty", ("proof", [])),
        row("no proof", "the proof is empty", ("proof", None)),
        row("a proof that is a text", "proof: not a list", ("proof", "cycle")),
        row("a step that is a list", "proof step 0: neither cycle nor split", ("proof", [[]])),
        row("a step that lists a kind", "proof step 0: neither cycle nor split", ("proof", [["cycle"]])),
        row("a step of both kinds", "neither cycle nor split", ("proof.0.split", 0), ("proof.0.cases", [])),
        row("an empty step", "proof step 0: neither cycle nor split", ("proof", [{}])),
        row("half a split", "proof step 0: neither cycle nor split", ("proof", [{"split": 0}])),
        row("a cycle that is null", "proof step 0: not a list", ("proof.0.cycle", None)),
        row("an edge of five", "proof step 0: a bad edge", ("proof.0.cycle.0", ["a.end", "<", "b.start", 0, 0])),
        row("an edge of three", "proof step 0: a bad edge", ("proof.0.cycle.0", ["a.end", "<", "b.start"])),
        row("an edge from a number", "proof step 0: a bad edge", ("proof.0.cycle.0.0", 1)),
        row("an edge to a number", "proof step 0: a bad edge", ("proof.0.cycle.0.2", 1)),
        row("an unknown sign", "proof step 0: a bad edge", ("proof.0.cycle.0.1", "=")),
        row("an edge of another fact", "proof step 0: a bad edge", ("proof.0.cycle.0.3", "b")),
        row("an edge of a value", "proof step 0: a bad edge", ("proof.0.cycle.0.3", ["value", 0])),
        row("an edge of a link that is true", "proof step 0: a bad edge", ("proof.0.cycle.0.3", True)),
        row("a cycle of nothing", "proof step 0: the cycle is not strict", ("proof.0.cycle", [])),
        row("an open path", "is not continued", ("proof.0.cycle.3", GONE)),
        row("a gap", "is not continued", ("proof.0.cycle.1", GONE)),
        row(
            "an end before a start",
            "is not based on a link",
            (
                "proof.0.cycle",
                [
                    ["a.end", "<", "a.start", None],
                    ["a.start", "<", "a.end", None],
                ],
            ),
        ),
        row(
            "starts of two entities",
            "is not based on a link",
            (
                "proof.0.cycle",
                [
                    ["a.start", "<", "b.end", None],
                    ["b.end", "<", "a.start", 1],
                ],
            ),
        ),
        row("two starts", "is not based on a link", ("proof.0.cycle", [["a.start", "<", "a.start", None]])),
        row("an edge without ends", "is not based on a link", ("proof.0.cycle", [["a", "<", "a", None]])),
        row(
            "an edge that does not follow",
            "a.end < a.end does not follow",
            (
                "proof.0.cycle",
                [["a.end", "<", "a.end", 0]],
            ),
        ),
        row("an edge of another link", "does not follow", ("proof.0.cycle.0.3", 1)),
        row("an edge of another entity", "does not follow", ("proof.0.cycle", [["c.end", "<", "c.end", 0]])),
        row("the query of no query", "is based on a link that is not in the conflict", ("proof.0.cycle.0.3", "query")),
        valid("edges that are not strict", ("proof.0.cycle.0.1", "<="), ("proof.0.cycle.1.1", "<=")),
        row("no strict edge", "the cycle is not strict", *((f"proof.0.cycle.{k}.1", "<=") for k in range(4))),
        row("a step that nothing names", "proof step 1 is not used", ("proof", plus({"cycle": CYCLE}))),
        row("a step of clauses", "proof: not a list", ("proof", CLAUSES)),
    ],
)


def _case(*pairs):
    return [[list(names), step] for names, step in pairs]


_TWICE = split()["proof"]
SPLIT = table(
    "split",
    split(),
    [
        row("a split of null", "proof step 0: splits no link", ("proof.0.split", None)),
        row("a split of true", "proof step 0: splits no link", ("proof.0.split", True)),
        row("a split of a value", "proof step 0: splits no link", ("proof.0.split", ["value", 0])),
        row("a split of another link", "splits a link that is not in the conflict", ("proof.0.split", 2)),
        row("a split of the query", "splits a link that is not in the conflict", ("proof.0.split", "query")),
        row("cases that are null", "proof step 0: not a list", ("proof.0.cases", None)),
        row("a case of three", "proof step 0: a bad case", ("proof.0.cases.0", [["b"], 1, 1])),
        row("a case that is a number", "proof step 0: a bad case", ("proof.0.cases.0", 1)),
        row("a case without a number", "proof step 0: a bad case", ("proof.0.cases.0.1", None)),
        row("a case with true", "proof step 0: a bad case", ("proof.0.cases.0.1", True)),
        row("a case without atoms", "proof step 0: not atoms in their order", ("proof.0.cases.0.0", ["bi", "b"])),
        row("a case left out", "proof step 0 leaves out a case", ("proof.0.cases.1", GONE), ("proof.2", GONE)),
        row("both cases with one atom", "proof step 0 leaves out a case", ("proof.0.cases.1.0", ["b"])),
        row("a step that is not there", "proof step 0 names a wrong step", ("proof.0.cases.1.1", 3)),
        row("a split that names itself", "proof step 0 names a wrong step", ("proof.0.cases.1.1", 0)),
        row("a step before it", "proof step 0 names a wrong step", ("proof.0.cases.1.1", -1)),
        row("a step named twice", "proof step 0 names a wrong step", ("proof.0.cases.1.1", 1)),
        row("a step that nothing names", "proof step 3 is not used", ("proof", lambda old: [*old, old[1]])),
        row("cases exchanged", "does not follow", ("proof.0.cases", _case((["b"], 2), (["bi"], 1)))),
        row("a case too large", "does not follow", ("proof.0.cases.0.0", ["b", "bi"])),
        valid("a case with other atoms", ("proof.0.cases.0.0", ["b", "m", "o"])),
        valid("a case of nothing", ("proof.0.cases", plus([[], 3])), ("proof", plus({"split": 0, "cases": []}))),
        row("no cases", "proof step 0 leaves out a case", ("proof", [{"split": 0, "cases": []}])),
        # a split of what was split before: only what is left must be covered, and nothing else is allowed
        valid(
            "split again",
            (
                "proof",
                [
                    {"split": 0, "cases": _case((["b"], 1), (["bi"], 3))},
                    {"split": 0, "cases": _case((["b"], 2))},
                    *_TWICE[1:],
                ],
            ),
        ),
        row(
            "split again with all cases named once",
            "does not follow",
            (
                "proof",
                [
                    {"split": 0, "cases": _case((["b"], 1), (["bi"], 3))},
                    {"split": 0, "cases": _case((["b", "bi"], 2))},
                    {"cycle": _TWICE[2]["cycle"]},
                    {"cycle": _TWICE[2]["cycle"]},
                ],
            ),
        ),
        # the state of a step is that of its own branch
        row("the state of another branch", "does not follow", ("proof.2", _TWICE[1])),
        row("a cycle after nothing is split", "does not follow", ("proof", [_TWICE[1]])),
    ],
)

_SELF = inconsistent() | {
    "links": [{**inconsistent()["links"][0], "target": "a"}],
    "conflict": [0],
    "needed": [{}],
    "proof": [{"cycle": [["a.start", "<", "a.start", 0]]}],
}
SELF = table(
    "an entity before itself",
    _SELF,
    [
        valid(
            "its end before its start",
            (
                "proof.0.cycle",
                [
                    ["a.end", "<", "a.start", 0],
                    ["a.start", "<", "a.end", None],
                ],
            ),
        ),
        row("an entity that equals itself", "does not follow", ("links.0.relation", ["="]), ("readings.0.1", ["="])),
        row("two ways to see it", "does not follow", ("links.0.relation", ["b", "bi"]), ("readings.0.1", ["b", "bi"])),
        valid("nothing is possible", ("links.0.relation", []), ("readings.0.1", [])),
        row(
            "nothing is possible, for another",
            "does not follow",
            ("links.0.relation", []),
            ("readings.0.1", []),
            (
                "proof.0.cycle",
                [["b.start", "<", "b.start", 0]],
            ),
        ),
        row(
            "a sign the other way",
            "does not follow",
            ("proof.0.cycle.0", ["a.start", "<", "a.start", 0]),
            ("links.0.relation", ["s"]),
            ("readings.0.1", ["s"]),
        ),
    ],
)

_MORE = {"a": [0, 1], "b": [2, 3], "c": [2, 5]}
ENTAILED = table(
    "entailed",
    entailed(),
    [
        row("a query of four", "query: has", ("query.more", 1)),
        row("a query that is a list", "query: not an object", ("query", [])),
        row("a query from a number", "query: source and target are texts", ("query.source", 1)),
        row("a query to a number", "query: source and target are texts", ("query.target", 1)),
        row("a query of no atoms", "query: not atoms in their order", ("query.relation", ["before"])),
        row("a bad witness", "witness: bad times", ("witness.a", [0])),
        row("an unknown source", "the query is about an entity that is not in the document", ("query.source", "x")),
        row("an unknown target", "the query is about an entity that is not in the document", ("query.target", "x")),
        row(
            "a witness against the query",
            "witness: 'a' b 'c' does not hold",
            ("witness", {**_MORE, "c": [0, 5]}),
            ("links.1.target", "b"),
            ("links.1.relation", ["="]),
            ("links.1.label", "="),
            ("readings", plus(["=", ["="]])),
        ),
        row("a witness against a link", "witness: 'b' b 'c' does not hold", ("witness", _MORE)),
        row("a conflict without the query", "is not in the conflict", ("conflict", [0, 1])),
        row("a conflict with an unknown fact", "conflict: not a list of different links", ("conflict", [0, 1, "q"])),
        row("a conflict that is null", "conflict: not a list", ("conflict", None)),
        row("no proof", "the proof is empty", ("proof", [])),
        row("the opposite claim", "witness: 'a' =|bi|d|", ("claim", "refuted")),
        row("a stronger edge of the query", "c.start < a.end does not follow", ("proof.0.cycle.3.1", "<")),
        row("an open question", "the certificate: has", ("claim", "open")),
        row("values in version 2", "the certificate: has", ("version", 2), ("calendar", {})),
    ],
)
REFUTED = table(
    "refuted",
    entailed("refuted"),
    [
        row("the opposite claim", "witness: 'a' bi 'c' does not hold", ("claim", "entailed")),
        row("a query that holds", "witness: 'a' =|bi|d|", ("query.relation", ["b"])),
        row("a query that may hold", "does not follow", ("query.relation", ["oi", "bi"])),
        row("an unknown source", "the query is about an entity that is not in the document", ("query.source", "x")),
    ],
)
OPEN = table(
    "open",
    undecided(),
    [
        row("a bad countermodel", "countermodel: bad times", ("countermodel.a", [0])),
        row("a countermodel of the query", "countermodel: 'a' =|bi|d|", ("countermodel", AB)),
        row("a countermodel against a link", "countermodel: 'a' b|m 'b' does not hold", ("countermodel.a", [0, 3])),
        row("a witness against the query", "witness: 'a' b 'b' does not hold", ("witness.a", [0, 2])),
        row("a witness against a link", "witness: 'a' b|m 'b' does not hold", ("witness.a", [4, 5])),
        row("a question about itself", "witness: 'a' b 'a' does not hold", ("query.target", "a")),
        row("a version for clauses", "a version for clausal proofs, and no proof", ("version", 2)),
        row("version 3", "", ("version", 3)),
    ],
)

TABLES: list[Table] = [FORM, INCONSISTENT, SPLIT, SELF, ENTAILED, REFUTED, OPEN]
