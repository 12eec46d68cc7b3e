"""The smallest certificate of each kind, written by hand. All names and links are invented."""

from __future__ import annotations

from typing import Any

ATOMS = ["b", "m", "o", "fi", "di", "s", "=", "si", "d", "f", "oi", "mi", "bi"]
ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "d"}


def atoms(text: str) -> list[str]:
    """Return atoms in their order: "b|m"."""
    return [atom for atom in ATOMS if atom in text.split("|")]


def link(source: str, relation: str, target: str) -> dict[str, Any]:
    """Return a link whose label is its relation."""
    return {"id": "l", "source": source, "relation": atoms(relation), "label": relation, "target": target, "line": None}


def stated(*links: tuple[str, str, str]) -> dict[str, Any]:
    """Return links and their readings."""
    readings = sorted({relation for _, relation, _ in links})
    return {
        "document": dict(ABOUT),
        "readings": [[relation, atoms(relation)] for relation in readings],
        "links": [link(*each) for each in links],
    }


def certificate(claim: str, version: int, *links: tuple[str, str, str], **fields: Any) -> dict[str, Any]:
    """Return a certificate about links."""
    head = {"format": "temporacle-certificate", "version": version, "claim": claim}
    return head | stated(*links) | fields


def query(source: str, relation: str, target: str) -> dict[str, Any]:
    """Return a query."""
    return {"source": source, "relation": atoms(relation), "target": target}


# A cycle through two links, a before b and b before a.
CYCLE = [
    ["a.end", "<", "b.start", 0],
    ["b.start", "<", "b.end", None],
    ["b.end", "<", "a.start", 1],
    ["a.start", "<", "a.end", None],
]
AB = {"a": [0, 1], "b": [2, 3]}
BA = {"a": [2, 3], "b": [0, 1]}
CLAUSES = {  # 1: a.end <= b.start, 2: b.end <= a.start
    "variables": [["a.end", "b.start"], ["b.end", "a.start"]],
    "clauses": [[[1], 0], [[2], 1], [[-1, -2], None]],
    "lemmas": [],
}


def consistent() -> dict[str, Any]:
    return certificate("consistent", 1, ("a", "b", "b"), witness=AB)


def inconsistent(version: int = 1, proof: Any = None) -> dict[str, Any]:
    """Return a contradiction of two links; each alone can hold."""
    links = ("a", "b", "b"), ("b", "b", "a")
    shown = [{"cycle": CYCLE}] if proof is None else proof
    return certificate("inconsistent", version, *links, conflict=[0, 1], needed=[BA, AB], proof=shown)


def split() -> dict[str, Any]:
    """Return a contradiction in each of two cases: a is before b or b before a, and both are equal."""
    first = [["a.end", "<", "b.start", 0], ["b.start", "<=", "a.start", 1], ["a.start", "<", "a.end", None]]
    second = [["b.end", "<", "a.start", 0], ["a.start", "<=", "b.start", 1], ["b.start", "<", "b.end", None]]
    proof = [{"split": 0, "cases": [[["b"], 1], [["bi"], 2]]}, {"cycle": first}, {"cycle": second}]
    links = ("a", "b|bi", "b"), ("a", "=", "b")
    return certificate("inconsistent", 1, *links, conflict=[0, 1], needed=None, proof=proof)


def entailed(claim: str = "entailed") -> dict[str, Any]:
    """Return what follows from a before b before c, for the question whether a is before c, or after it."""
    cycle = [
        ["a.end", "<", "b.start", 0],
        ["b.start", "<", "b.end", None],
        ["b.end", "<", "c.start", 1],
        ["c.start", "<=", "a.end", "query"],
    ]
    if claim == "refuted":
        cycle[3:] = [
            ["c.start", "<", "c.end", None],
            ["c.end", "<", "a.start", "query"],
            ["a.start", "<", "a.end", None],
        ]
    return certificate(
        claim,
        1,
        ("a", "b", "b"),
        ("b", "b", "c"),
        query=query("a", "b" if claim == "entailed" else "bi", "c"),
        witness={"a": [0, 1], "b": [2, 3], "c": [4, 5]},
        conflict=[0, 1, "query"],
        proof=[{"cycle": cycle}],
    )


def undecided() -> dict[str, Any]:
    """Return an open question: is a before b, if it is before b or meets it?"""
    meets = {"a": [0, 2], "b": [2, 3]}
    return certificate("open", 1, ("a", "b|m", "b"), query=query("a", "b", "b"), witness=AB, countermodel=meets)
