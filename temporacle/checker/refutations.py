"""Whether a proof refutes facts: that they contradict each other, by cases or by clauses.

cases      a list of steps. A *split* has cases that together cover all atoms a link still allows; in each the link
           allows only the atoms of the case, and the step named refutes it. A *cycle* is x <= ... < ... <= x, where
           each edge holds in all atoms that its link still allows, or is start < end of one entity: impossible.
           With values of time expressions edges have seconds, and ``calendar`` adds them up
clauses    "this endpoint is not later than that one, or ...": true in every atom of one link, or of any intervals,
           since its negation contains a cycle. A *lemma* is a clause that follows by *unit propagation*: all its
           literals are false; whenever all literals of a clause but one are false, that one is true; and a clause
           without a literal that could be true ends it. *Hints* name the clauses that show a lemma, in their
           order. The last lemma is empty, and refutes everything
file       clauses with hints in a file beside the certificate, which is read line by line
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from .kernel import (
    ENDS,
    EXAMPLES,
    Clock,
    Fact,
    Link,
    Rejected,
    as_atoms,
    as_list,
    check_fields,
    follows,
    has_values,
    is_constraint,
    is_digest,
    is_int,
    is_list,
    is_number,
    is_own_order,
    key,
    require,
)


def check_proof(proof: Any, facts: dict[Any, Fact], clock: Clock | None = None) -> None:
    """Check that a proof refutes the given facts."""
    if isinstance(proof, ProofFile):
        proof.check(facts)
    elif isinstance(proof, dict):
        check_clausal(proof, facts)
    else:
        check_cases(proof, facts, clock)


def check_proof_form(proof: Any, certificate: dict[str, Any]) -> None:
    """Check the form of a proof. It is by cases in version 1 and with values, by clauses in version 2, else either."""
    version = certificate["version"]
    require(bool(proof), "the proof is empty")
    if not has_values(certificate) and (version == 2 or (version > 2 and isinstance(proof, dict))):
        check_clausal_form(proof, with_hints=version > 2)
    else:
        check_cases_form(proof, with_seconds=has_values(certificate))


def check_own_proof_form(certificate: dict[str, Any]) -> None:
    """Check the form of the proof of a whole certificate. In version 3 without values it may be in another file."""
    if certificate["version"] > 2 and not has_values(certificate) and is_reference(certificate["proof"]):
        check_reference_form(certificate["proof"])
    else:
        check_proof_form(certificate["proof"], certificate)


def check_conflict_form(conflict: Any, certificate: dict[str, Any], name: str = "conflict") -> None:
    """Check that a conflict, which is what a proof may use, lists different facts of the certificate."""
    numbers = [key(number) for number in as_list(conflict, name)]
    wrong = [number for number in numbers if not _is_fact(number, certificate)]
    require(not wrong and len(set(numbers)) == len(numbers), f"{name}: not a list of different links")


def _is_fact(number: Any, certificate: dict[str, Any]) -> bool:
    if number == "query":
        return "query" in certificate
    if isinstance(number, tuple):
        values = certificate.get("values", [])
        good = len(number) == 2 and number[0] == "value" and is_int(number[1]) and 0 <= number[1] < len(values)
        return good and values[number[1]]["fact"] is not None
    return is_int(number) and 0 <= number < len(certificate["links"])


# --- cases -----------------------------------------------------------------------------------------------------------


def check_cases(steps: list[Any], facts: dict[Any, Fact], clock: Clock | None) -> None:
    """Check that each step is reached once, by an earlier split, with the atoms that split links still allow there."""
    allowed: dict[int, dict[Any, frozenset[str]]] = {0: {}}
    for place, step in enumerate(steps):
        name = f"proof step {place}"
        require(place in allowed, f"{name} is not used")
        atoms = allowed.pop(place)
        if "cycle" in step:
            if clock is None:
                _check_cycle(step["cycle"], facts, atoms, name)
            else:
                clock.check_circle(step["cycle"], facts, atoms, name)
            continue
        number = step["split"]
        require(number in facts, f"{name} splits a link that is not in the conflict")
        before = atoms.get(number, facts[number][1])
        covered = frozenset(atom for relation, _ in step["cases"] for atom in relation)
        require(before <= covered, f"{name} leaves out a case")
        for relation, later in step["cases"]:
            require(place < later < len(steps) and later not in allowed, f"{name} names a wrong step")
            allowed[later] = atoms | {number: before & frozenset(relation)}


def _check_cycle(edges: list[list[Any]], facts: dict[Any, Any], atoms: dict[Any, frozenset[str]], name: str) -> None:
    for (left, sign, right, number), following in pairwise([*edges, *edges[:1]]):
        edge = f"{name}: {left} {sign} {right}"
        require(right == following[0], f"{edge} is not continued")
        if number is None:
            require(is_own_order(left, right), f"{edge} is not based on a link")
        else:
            require(number in facts, f"{edge} is based on a link that is not in the conflict")
            still = atoms.get(number, facts[number][1])
            require(follows(left, sign, right, facts[number], still), f"{edge} does not follow")
    require(any(edge[1] == "<" for edge in edges), f"{name}: the cycle is not strict")


def check_cases_form(steps: Any, *, with_seconds: bool) -> None:
    """Check that every step is a cycle or a split."""
    is_edge = _is_timed_edge if with_seconds else _is_edge
    for place, step in enumerate(as_list(steps, "proof")):
        name = f"proof step {place}"
        good = isinstance(step, dict) and set(step) in ({"cycle"}, {"split", "cases"})
        require(good, f"{name}: neither cycle nor split")
        require(all(is_edge(edge) for edge in as_list(step.get("cycle", []), name)), f"{name}: a bad edge")
        require("split" not in step or is_number(step["split"]), f"{name}: splits no link")
        for case in as_list(step.get("cases", []), name):
            require(is_list(case, 2) and is_int(case[1]), f"{name}: a bad case")
            as_atoms(case[0], name)


def _is_edge(edge: Any) -> bool:
    """Return whether it is [left, sign, right, link]."""
    good = is_list(edge, 4) and all(isinstance(part, str) for part in edge[:3]) and edge[1] in ("<", "<=")
    return good and (edge[3] is None or is_number(edge[3]))


def _is_timed_edge(edge: Any) -> bool:
    """Return whether it is [left, right, seconds, strict, fact]."""
    if not (is_list(edge, 5) and is_constraint(edge)):
        return False
    fact = edge[4]
    is_value = is_list(fact, 2) and fact[0] == "value" and is_int(fact[1])
    return fact is None or is_value or is_number(fact)


# --- clauses ---------------------------------------------------------------------------------------------------------

CLAUSAL = {"variables", "clauses", "lemmas"}

Literal = tuple[Any, Any, bool]  # x is not later than y, or the opposite


def check_clausal(proof: dict[str, Any], facts: dict[Any, Link]) -> None:
    """Check that every clause is justified on its own, and every lemma by those before it, up to a contradiction."""
    points = [tuple(map(as_point, pair)) for pair in proof["variables"]]
    for place, (clause, number) in enumerate(proof["clauses"]):
        check_clause(clause, number, points, facts, f"proof clause {place}")
    clauses = [clause for clause, _ in proof["clauses"]]
    if "hints" in proof:
        check_hinted(clauses, proof["lemmas"], proof["hints"])
    else:
        check_unhinted(clauses, proof["lemmas"])


def check_clause(clause: list[int], number: Any, points: list[Any], facts: dict[Any, Link], name: str) -> None:
    """Check that a clause follows from the link with this number, or from none. ``points`` has the variables."""
    literals = [(*points[abs(literal) - 1], literal > 0) for literal in clause]
    if number is None:
        require(always_holds(literals), f"{name} does not always hold")
    else:
        require(number in facts, f"{name} is based on a link that is not in the conflict")
        require(holds_by_link(literals, facts[number]), f"{name} does not follow from its link")


def as_point(name: str) -> tuple[str, str]:
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


def check_hinted(clauses: list[list[int]], lemmas: list[list[int]], hints: list[list[int]]) -> None:
    """Check that the hints of each lemma show it, and that the last lemma is empty. Only clauses they name are read."""
    known = dict(enumerate(clauses))
    for place, (lemma, named) in enumerate(zip(lemmas, hints, strict=True)):
        require(follows_by_hints(lemma, named, known), f"proof lemma {place} does not follow by its hints")
        known[len(known)] = lemma
    require(bool(lemmas) and not lemmas[-1], "the lemmas do not lead to a contradiction")


def follows_by_hints(lemma: list[int], hints: list[int], known: dict[int, list[int]]) -> bool:
    """Return whether a lemma follows: all its literals are false, and each hint makes one more literal true.

    A hint names a clause of which all literals but one are false. The first one of which all are false ends the proof.
    """
    true = {-literal for literal in lemma}
    for hint in hints:
        require(hint in known, "a hint names no clause before the lemma")
        left = {literal for literal in known[hint] if -literal not in true}
        if not left:
            return True
        if len(left) > 1:
            return False
        true |= left
    return False


def check_clausal_form(proof: Any, *, with_hints: bool, more: tuple[int, int] = (0, 0), why: str | None = None) -> None:
    """Check the form of a clausal proof.

    ``more``: how many variables and clauses are not listed there; ``why``: a word for why a clause holds.
    """
    check_fields(proof, CLAUSAL | {"hints"} if with_hints else CLAUSAL, "proof")
    for points in as_list(proof["variables"], "proof variables"):
        require(is_list(points, 2) and all(isinstance(point, str) for point in points), "proof: a bad variable")
    most = len(proof["variables"]) + more[0]
    for entry in as_list(proof["clauses"], "proof clauses"):
        require(is_list(entry, 2) and is_clause(entry[0], most), "proof: a bad clause")
        require(entry[1] is None or is_number(entry[1]) or entry[1] == why, "proof: a bad clause")
    for lemma in as_list(proof["lemmas"], "proof lemmas"):
        require(is_clause(lemma, most), "proof: a bad lemma")
    if with_hints:
        count = len(proof["clauses"]) + more[1] + len(proof["lemmas"])
        good = all(_are_hints(hints, count) for hints in as_list(proof["hints"], "proof hints"))
        require(good, "proof: bad hints")
        require(len(proof["hints"]) == len(proof["lemmas"]), "proof: not one list of hints for each lemma")


def is_clause(value: Any, variables: int) -> bool:
    """Return whether it is a list of literals: numbers of variables, negative for false."""
    return isinstance(value, list) and all(is_int(each) and 0 < abs(each) <= variables for each in value)


def _are_hints(value: Any, count: int) -> bool:
    """Return whether it is a list of numbers of clauses and lemmas, of which there are so many."""
    return isinstance(value, list) and all(is_int(hint) and 0 <= hint < count for hint in value)


# --- clauses without hints: version 2, which Temporacle 0.2 wrote ----------------------------------------------------


def check_unhinted(clauses: list[list[int]], lemmas: list[list[int]]) -> None:
    """Check that each lemma follows from the clauses and the lemmas before it, up to a contradiction."""
    known = [frozenset(clause) for clause in clauses]
    true: set[int] = set()  # literals, for good
    for place, lemma in enumerate(lemmas):
        if contradicts(known, true):
            return
        supposed = true | {-literal for literal in lemma}
        refuted = not true.isdisjoint(lemma) or any(-literal in supposed for literal in supposed)
        require(refuted or contradicts(known, supposed), f"proof lemma {place} does not follow")
        known.append(frozenset(lemma))
    require(contradicts(known, true), "the lemmas do not lead to a contradiction")


def contradicts(clauses: list[frozenset[int]], true: set[int]) -> bool:
    """Return whether unit propagation leaves a clause without a literal. What becomes true is added."""
    false = {-literal for literal in true}
    waiting = clauses
    while True:
        before, later = len(true), []
        for clause in waiting:
            if true.isdisjoint(clause):
                left = clause - false
                if not left:
                    return True
                if len(left) == 1:
                    true |= left
                    false.update(-literal for literal in left)
                else:
                    later.append(clause)
        if len(true) == before:
            return False
        waiting = later  # the others have a literal that is true


# --- clauses with hints in a file of their own -----------------------------------------------------------------------
#
# Each line is a JSON list:
#
#     ["v", left, right]         the next variable, counted from 1
#     ["c", literals, fact]      the next clause; clauses and lemmas are numbered together, from 0
#     ["l", literals, hints]     the next lemma, which follows by its hints
#     ["d", numbers]             clauses and lemmas that are not needed any more
#
# The last line is the empty lemma. Only clauses and lemmas that have not been given up are in memory.

LONGEST_LINE = 1 << 24  # bytes
_FILE_NAME = re.compile(r"[^./\\\x00][^/\\\x00]*\.proof\.jsonl")


def is_reference(proof: Any) -> bool:
    """Return whether a proof is in a file of its own."""
    return isinstance(proof, dict) and "file" in proof


def check_reference_form(proof: Any) -> None:
    """Check the form of a reference to a file with a proof."""
    check_fields(proof, {"file", "sha256"}, "proof")
    good = isinstance(proof["file"], str) and _FILE_NAME.fullmatch(proof["file"]) is not None
    require(good, "proof: the file is not named NAME.proof.jsonl")
    require(is_digest(proof["sha256"]), "proof: not a digest")


class ProofFile:
    """A proof that is read from a file when it is checked. ``folder``: where the certificate stands."""

    def __init__(self, reference: dict[str, str], folder: str | None) -> None:
        self._name = reference["file"]
        self._sha256 = reference["sha256"]
        require(folder is not None, f"its proof is in the file {self._name}: give the certificate as a file beside it")
        self._path = Path(folder or "") / self._name

    def check(self, facts: dict[Any, Fact]) -> None:
        """Check every line, and that the bytes are the recorded ones."""
        found = os.path.isfile(self._path)  # noqa: PTH113 - not is_file, which fails on a name that is too long
        require(found, f"its proof, {self._name}, is not beside it")
        lines, digest, place = _ProofLines(facts), hashlib.sha256(), 0
        with self._path.open("rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                place += 1
                digest.update(line)
                name = f"{self._name}, line {place}"
                require(len(line) <= LONGEST_LINE and line.endswith(b"\n"), f"{name}: too long, or without an end")
                lines.read(_parsed(line, name), name)
        require(digest.hexdigest() == self._sha256, f"{self._name} is not the file that the certificate names")
        require(lines.are_done, "the lemmas do not lead to a contradiction")


def _parsed(line: bytes, name: str) -> list[Any]:
    try:
        entry = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Rejected(f"{name}: not JSON") from None
    require(isinstance(entry, list) and bool(entry), f"{name}: not a list")
    return entry  # type: ignore[no-any-return]


class _ProofLines:
    """What is known at a line."""

    def __init__(self, facts: dict[Any, Fact]) -> None:
        self.are_done = False  # whether the last line was the empty lemma
        self._facts = facts
        self._points: list[tuple[Any, ...]] = []  # by variable
        self._known: dict[int, list[int]] = {}  # by number, unless given up
        self._count = 0

    def read(self, entry: list[Any], name: str) -> None:
        self.are_done = False
        if entry[0] == "v":
            require(is_list(entry, 3) and all(isinstance(each, str) for each in entry), f"{name}: a bad variable")
            self._points.append((as_point(entry[1]), as_point(entry[2])))
        elif entry[0] == "d":
            require(is_list(entry, 2) and isinstance(entry[1], list), f"{name}: not a list of clauses")
            for number in entry[1]:
                require(is_int(number) and number in self._known, f"{name}: gives up a clause that is not there")
                del self._known[number]
        else:
            require(is_list(entry, 3) and entry[0] in ("c", "l"), f"{name}: of no kind")
            require(is_clause(entry[1], len(self._points)), f"{name}: a bad clause")
            (self._read_clause if entry[0] == "c" else self._read_lemma)(entry[1], entry[2], name)
            self._known[self._count] = entry[1]
            self._count += 1

    def _read_clause(self, clause: list[int], fact: Any, name: str) -> None:
        require(fact is None or is_number(fact), f"{name}: a bad clause")
        check_clause(clause, fact, self._points, self._facts, name)

    def _read_lemma(self, lemma: list[int], hints: Any, name: str) -> None:
        require(_are_hints(hints, self._count), f"{name}: bad hints")
        require(follows_by_hints(lemma, hints, self._known), f"{name}: the lemma does not follow by its hints")
        self.are_done = not lemma
