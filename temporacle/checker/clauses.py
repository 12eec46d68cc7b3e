"""Clausal proofs: what single links, or intervals as such, say about the order of endpoints; and what follows."""

from __future__ import annotations

from typing import Any

from .atoms import ENDS, EXAMPLES, Link
from .form import as_list, check_fields, is_int, is_list, is_number, require
from .propagation import Propagation, check_hinted, check_lemmas, is_clause

CLAUSAL = {"variables", "clauses", "lemmas"}

Literal = tuple[Any, Any, bool]  # x is not later than y, or the opposite


def check(proof: dict[str, Any], facts: dict[Any, Link]) -> None:
    """Check that every clause is justified on its own, and every lemma by those before it, up to a contradiction."""
    points = [tuple(map(point, pair)) for pair in proof["variables"]]
    for place, (clause, number) in enumerate(proof["clauses"]):
        check_clause(clause, number, points, facts, f"proof clause {place}")
    if "hints" in proof:
        check_hinted([clause for clause, _ in proof["clauses"]], proof["lemmas"], proof["hints"])
        return
    known = Propagation(len(points))
    for clause, _ in proof["clauses"]:
        known.add(clause)
    check_lemmas(proof["lemmas"], known)


def check_clause(clause: list[int], number: Any, points: list[Any], facts: dict[Any, Link], name: str) -> None:
    """Check that a clause follows from the link with this number, or from none. ``points`` has the variables."""
    literals = [(*points[abs(literal) - 1], literal > 0) for literal in clause]
    if number is None:
        require(always_holds(literals), f"{name} does not always hold")
    else:
        require(number in facts, f"{name} is based on a link that is not in the conflict")
        require(holds_by_link(literals, facts[number]), f"{name} does not follow from its link")


def point(name: str) -> tuple[str, str]:
    """Return an endpoint such as "e1.end" as entity and end."""
    entity, dot, end = name.rpartition(".")
    require(bool(dot) and end in ENDS, f"proof: {name!r} is not an endpoint")
    return entity, end


def always_holds(literals: list[Literal]) -> bool:
    """Return whether the negation of a clause contains a cycle with a strict edge."""
    # Not p <= q is q < p; and each entity starts before it ends.
    edges = {(x, y, False) if not positive else (y, x, True) for x, y, positive in literals}
    edges |= {((e, "start"), (e, "end"), True) for x, y, _ in literals for e in (x[0], y[0])}
    for start, reached, strict in edges:
        if strict:
            seen = {reached}
            waiting = [reached]
            for point in waiting:  # grows while it is read
                for x, y, _ in edges:
                    if x == point and y not in seen:
                        seen.add(y)
                        waiting.append(y)
            if start in seen:
                return True
    return False


def holds_by_link(literals: list[Literal], link: Link) -> bool:
    """Return whether every atom of the link makes a literal true. All must be about the link's two entities."""
    source, relation, target = link
    side = {source: 0, target: 1}
    if source == target or any(point[0] not in side for x, y, _ in literals for point in (x, y)):
        return False
    for atom in relation:
        times = EXAMPLES[atom]
        values = [
            (times[side[x[0]]][ENDS.index(x[1])] <= times[side[y[0]]][ENDS.index(y[1])]) == positive
            for x, y, positive in literals
        ]
        if not any(values):
            return False
    return True


def check_form(proof: Any, *, may_have_hints: bool) -> None:
    """Check the form of a clausal proof."""
    hinted = may_have_hints and isinstance(proof, dict) and "hints" in proof
    check_fields(proof, CLAUSAL | {"hints"} if hinted else CLAUSAL, "proof")
    for points in as_list(proof["variables"], "proof variables"):
        require(is_list(points, 2) and all(isinstance(point, str) for point in points), "proof: a bad variable")
    most = len(proof["variables"])
    for entry in as_list(proof["clauses"], "proof clauses"):
        require(is_list(entry, 2) and is_clause(entry[0], most), "proof: a bad clause")
        require(entry[1] is None or is_number(entry[1]), "proof: a bad clause")
    for lemma in as_list(proof["lemmas"], "proof lemmas"):
        require(is_clause(lemma, most), "proof: a bad lemma")
    count = len(proof["clauses"]) + len(proof["lemmas"])
    for hints in as_list(proof["hints"], "proof hints") if hinted else ():
        good = isinstance(hints, list) and all(is_int(hint) and 0 <= hint < count for hint in hints)
        require(good, "proof: bad hints")
    require(not hinted or len(proof["hints"]) == len(proof["lemmas"]), "proof: not one list of hints for each lemma")
