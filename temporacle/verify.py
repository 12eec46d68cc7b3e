"""Checks certificates. Trust this file, and you need not trust the reasoner.

It uses the standard library only and nothing else of the package. A certificate is accepted only if every part of it is
in place and its claim follows from its own links by the steps below; with the document's file, also only if the file is
the one it was made for. docs/certificates.md describes the form.

What it knows about time is one table: an example of each of Allen's thirteen atoms. Any two pairs of proper intervals
between which the same atom holds have their endpoints in the same order, so one example of each is enough.

    model      integer times; every link is true of them
    cycle      x <= ... < ... <= x, where each step holds in all atoms that its link still allows, or is start < end of
               one entity: impossible
    split      cases that together cover all atoms a link still allows; in each, the link allows only the case's atoms,
               and the step named refutes it
    clause     "this endpoint is not later than that one, or ...": true in every atom of one link, or of any intervals,
               since its negation is a cycle
    seconds    with values of time expressions, edges are right - left <= seconds: they form a circle and add up to less
               than 0, or to 0 with a strict one among them. What a value says is worked out by ``verify_calendar``
    lemma      a clause whose negation leads to a contradiction by unit propagation alone: whenever all literals of a
               clause but one are false, that one is true. The empty lemma refutes everything

It also runs by itself: ``python verify.py CERTIFICATE [DOCUMENT]``, with ``verify_calendar.py`` beside it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

EXAMPLES = {
    "b": ((0, 1), (2, 3)),
    "m": ((0, 1), (1, 2)),
    "o": ((0, 2), (1, 3)),
    "fi": ((0, 2), (1, 2)),
    "di": ((0, 3), (1, 2)),
    "s": ((0, 1), (0, 2)),
    "=": ((0, 1), (0, 1)),
    "si": ((0, 2), (0, 1)),
    "d": ((1, 2), (0, 3)),
    "f": ((1, 2), (0, 2)),
    "oi": ((1, 3), (0, 2)),
    "mi": ((1, 2), (0, 1)),
    "bi": ((2, 3), (0, 1)),
}
ATOMS = list(EXAMPLES)
ENDS = ("start", "end")
# The parts of a certificate, beside those that all have.
PARTS = {
    "consistent": {"witness"},
    "inconsistent": {"conflict", "needed", "proof"},
    "entailed": {"query", "witness", "conflict", "proof"},
    "refuted": {"query", "witness", "conflict", "proof"},
    "open": {"query", "witness", "countermodel"},
}
COMMON = {"format", "version", "claim", "document", "readings", "links"}
DOCUMENT = {"id", "path", "sha256", "format", "reading", "during", "encoding"}
LINK = {"id", "source", "relation", "label", "target", "line"}
QUERY = {"source", "relation", "target"}
CLAUSAL = {"variables", "clauses", "lemmas"}
LARGEST = 10**18  # a time beyond this is refused, so that no number costs much to compare
CALENDAR = {"calendar", "values", "unit"}  # with values of time expressions
LAZY = {"choices", "cycles", "lemmas"}
MOST_SECONDS = 10**15


class Rejected(Exception):  # noqa: N818 - it is a verdict
    """Why a certificate is not accepted."""


def verify(text: str | bytes, document: str | None = None) -> dict[str, Any]:
    """Return the certificate if it holds, else raise Rejected. ``document``: path of the file it must belong to."""
    certificate = parse(text)
    claim = certificate["claim"]
    links = certificate["links"]
    if document is not None:
        _require(certificate["document"]["sha256"] is not None, "it was not made from a file: it has no digest")
        _require(
            digest(document) == certificate["document"]["sha256"],
            f"{document} is not the file the certificate was made for",
        )
    clock = _ask("Clock", certificate) if "calendar" in certificate else None
    facts: list[Any] = [(link["source"], frozenset(link["relation"]), link["target"]) for link in links]
    known = dict(enumerate(facts)) | (clock.values if clock is not None else {})
    facts = list(known.values())
    if claim == "consistent":
        _check_model(certificate["witness"], facts, "witness", clock)
    elif claim == "inconsistent":
        conflict = [_key(number) for number in certificate["conflict"]]
        _check_proof(certificate["proof"], {number: known[number] for number in conflict}, clock)
        needed = certificate["needed"]  # null: nothing is claimed about it
        _require(needed is None or len(needed) == len(conflict), "needed and conflict differ in length")
        for number, model in zip(conflict, needed, strict=True) if needed is not None else ():
            others = [known[other] for other in conflict if other != number]
            _check_model(model, others, f"needed for link {number}", clock)
    else:
        query = certificate["query"]
        asked = (query["source"], frozenset(query["relation"]), query["target"])
        negated = (asked[0], frozenset(ATOMS) - asked[1], asked[2])
        _require(
            {asked[0], asked[2]} <= set(certificate["witness"]),
            "the query is about an entity that is not in the document",
        )
        _check_model(certificate["witness"], [*facts, negated if claim == "refuted" else asked], "witness", clock)
        if claim == "open":
            _check_model(certificate["countermodel"], [*facts, negated], "countermodel", clock)
        else:
            allowed = known | {"query": negated if claim == "entailed" else asked}
            conflict = [*map(_key, certificate["conflict"]), *(clock.dates if clock is not None else ())]
            _check_proof(certificate["proof"], {number: allowed[number] for number in conflict}, clock)
    return certificate


def trusted(certificate: dict[str, Any]) -> list[str]:
    """Return the facts of an accepted certificate that were trusted, because the checker has no rules for them."""
    return _ask("Clock", certificate).trusted if "calendar" in certificate else []


def _ask(question: str, *arguments: Any) -> Any:
    """Call a function of ``verify_calendar``, which stands beside this file and is only needed for values."""
    calendar = _calendar()
    try:
        return getattr(calendar, question)(*arguments)
    except calendar.Wrong as reason:
        raise Rejected(str(reason)) from None


@functools.cache
def _calendar() -> Any:
    if __package__:
        return importlib.import_module(f"{__package__}.verify_calendar")
    beside = Path(__file__).with_name("verify_calendar.py")  # copied away from the package
    _require(beside.is_file(), f"to check values of time expressions, put {beside.name} beside {Path(__file__).name}")
    found = importlib.util.spec_from_file_location(beside.stem, beside)
    if found is None or found.loader is None:
        raise Rejected(f"{beside} cannot be loaded")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _key(number: Any) -> Any:
    """Return a position among links or values as a key."""
    return tuple(number) if isinstance(number, list) else number


def digest(path: str) -> str:
    """Return the SHA-256 of a file; for a folder, of the sorted list of its files and digests (as sha256sum)."""
    place = Path(path)
    if not place.is_dir():
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    files = (file for file in place.rglob("*") if file.is_file())
    rows = sorted(_row(digest(str(file)), file.relative_to(place).as_posix()) for file in files)
    return hashlib.sha256("".join(rows).encode("utf-8", "surrogateescape")).hexdigest()


def _row(sha256: str, name: str) -> str:
    """Return the line that sha256sum writes: with line breaks escaped, so that no name can pass for two."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if escaped == name else chr(92)}{sha256}  {escaped}\n"


# --- what follows ----------------------------------------------------------------------------------------------------


def _order(x: Any, y: Any) -> tuple[int, ...]:
    """Return how the endpoints of x lie to those of y: -1 before, 0 equal, 1 after."""
    return tuple((p > q) - (p < q) for p in x for q in y)


_ATOM_OF = {_order(x, y): atom for atom, (x, y) in EXAMPLES.items()}


def _check_model(model: dict[str, list[int]], facts: list[Any], name: str, clock: Any) -> None:
    for entity, times in model.items():
        if not times[0] < times[1]:
            raise Rejected(f"{name}: {entity!r} does not start before it ends")
    if clock is not None:
        _ask("check_times", clock, model, [edge for fact in facts if isinstance(fact, list) for edge in fact], name)
    for source, relation, target in (fact for fact in facts if not isinstance(fact, list)):
        if source not in model or target not in model:
            raise Rejected(f"{name}: no times for {source!r} or {target!r}")
        if _ATOM_OF[_order(model[source], model[target])] not in relation:
            raise Rejected(f"{name}: {source!r} {'|'.join(sorted(relation))} {target!r} does not hold")


def _check_proof(steps: Any, facts: dict[Any, Any], clock: Any) -> None:
    """Check that each step is reached once, by an earlier split, with the atoms that split links still allow there."""
    if isinstance(steps, dict):
        if clock is None:
            _check_clausal(steps, facts)
        else:
            _check_lazy(steps, facts, clock)
        return
    allowed: dict[int, dict[Any, frozenset[str]]] = {0: {}}
    for place, step in enumerate(steps):
        _require(place in allowed, f"proof step {place} is not used")
        atoms = allowed.pop(place)
        if "cycle" in step:
            if clock is None:
                _check_cycle(step["cycle"], facts, atoms, place)
            else:
                _add_up(step["cycle"], facts, atoms, clock, f"proof step {place}")
            continue
        number = step["split"]
        _require(number in facts, f"proof step {place} splits a link that is not in the conflict")
        before = atoms.get(number, facts[number][1])
        covered = frozenset(atom for relation, _ in step["cases"] for atom in relation)
        _require(before <= covered, f"proof step {place} leaves out a case")
        for relation, later in step["cases"]:
            _require(place < later < len(steps) and later not in allowed, f"proof step {place} names a wrong step")
            allowed[later] = atoms | {number: before & frozenset(relation)}


def _check_cycle(edges: list[list[Any]], facts: dict[Any, Any], atoms: dict[Any, frozenset[str]], place: int) -> None:
    for (left, sign, right, number), following in zip(edges, edges[1:] + edges[:1], strict=True):
        step = f"proof step {place}: {left} {sign} {right}"
        _require(right == following[0], f"{step} is not continued")
        if number is None:
            entity = left.removesuffix(".start")
            _require((left, right) == (f"{entity}.start", f"{entity}.end"), f"{step} is not based on a link")
        else:
            _require(number in facts, f"{step} is based on a link that is not in the conflict")
            still = atoms.get(number, facts[number][1])
            _require(_follows(left, sign, right, facts[number], still), f"{step} does not follow")
    _require(any(edge[1] == "<" for edge in edges), f"proof step {place}: the cycle is not strict")


def _follows(left: str, sign: str, right: str, fact: tuple[str, Any, str], atoms: frozenset[str]) -> bool:
    """Return whether an edge holds in every atom. An entity linked to itself can be seen from either side."""
    places = [(side, end) for side in (0, 1) for end in (0, 1)]
    named = {place: f"{fact[0] if place[0] == 0 else fact[2]}.{ENDS[place[1]]}" for place in places}

    def holds(x: tuple[int, int], y: tuple[int, int]) -> bool:
        pairs = [(EXAMPLES[atom][x[0]][x[1]], EXAMPLES[atom][y[0]][y[1]]) for atom in atoms]
        return all(p < q if sign == "<" else p <= q for p, q in pairs)

    return any(holds(x, y) for x in places for y in places if named[x] == left and named[y] == right)


def _add_up(edges: list[list[Any]], facts: dict[Any, Any], atoms: dict[Any, Any], clock: Any, name: str) -> None:
    """Check that edges with seconds form a circle, each implied by its fact, whose sum is impossible."""
    for (left, right, seconds, strict, number), following in zip(edges, edges[1:] + edges[:1], strict=True):
        step, key = f"{name}: {left} to {right}", _key(number)
        _require(right == following[0], f"{step} is not continued")
        if key is None:
            entity = left.removesuffix(".end")
            own = (f"{entity}.end", f"{entity}.start", 0) == (left, right, seconds)
            _require(own or (left, right, seconds, strict) in clock.zone, f"{step} rests on no fact")
            continue
        _require(key in facts, f"{step} rests on a fact that is not in the conflict")
        fact = facts[key]
        if isinstance(fact, list):
            _require((left, right, seconds, strict) in fact, f"{step}: the value does not say this")
        else:
            still = atoms.get(key, fact[1])
            if fact[0] == fact[2]:  # an entity equals itself, and nothing else
                still &= {"="}
            holds = _follows(right, "<" if strict else "<=", left, fact, still)
            _require(seconds == 0 and holds, f"{step} does not follow")
    total = sum(edge[2] for edge in edges)
    _require(total < 0 or (total == 0 and any(edge[3] for edge in edges)), f"{name}: the circle is possible")


def _check_lazy(proof: dict[str, Any], facts: dict[Any, Any], clock: Any) -> None:
    """Check that every circle excludes its choices of atoms, and that the lemmas leave no choice."""
    chosen: dict[Any, list[int]] = {}
    atoms: dict[Any, frozenset[str]] = {}
    extended = dict(facts)
    for variable, (number, atom) in enumerate(proof["choices"], 1):
        _require(number in facts, f"choice {variable} is of a link that is not in the conflict")
        chosen.setdefault(number, []).append(variable)
        extended["choice", variable] = facts[number]
        atoms["choice", variable] = frozenset({atom})
    known = _Propagation(len(proof["choices"]))
    for number, variables in chosen.items():
        offered = frozenset(proof["choices"][variable - 1][1] for variable in variables)
        _require(facts[number][1] <= offered, f"the choices of link {number} leave out an atom")
        known.add(variables)
    for place, edges in enumerate(proof["cycles"]):
        _add_up(edges, extended, atoms, clock, f"proof cycle {place}")
        used = {edge[4][1] for edge in edges if _is_list(edge[4], 2) and edge[4][0] == "choice"}
        known.add([-variable for variable in sorted(used)])
    _check_lemmas(proof["lemmas"], known)


def _check_clausal(proof: dict[str, Any], facts: dict[Any, tuple[str, frozenset[str], str]]) -> None:
    """Check that every clause is justified on its own, and every lemma by those before it, up to a contradiction."""
    points = [tuple(map(_point, pair)) for pair in proof["variables"]]
    for place, (clause, number) in enumerate(proof["clauses"]):
        literals = [(*points[abs(literal) - 1], literal > 0) for literal in clause]
        if number is None:
            _require(_always_holds(literals), f"proof clause {place} does not always hold")
        else:
            _require(number in facts, f"proof clause {place} is based on a link that is not in the conflict")
            _require(_holds_by_link(literals, facts[number]), f"proof clause {place} does not follow from its link")
    known = _Propagation(len(points))
    for clause, _ in proof["clauses"]:
        known.add(clause)
    _check_lemmas(proof["lemmas"], known)


def _check_lemmas(lemmas: list[list[int]], known: _Propagation) -> None:
    for place, lemma in enumerate(lemmas):
        if known.contradictory:
            break
        _require(known.refutes_negation(lemma), f"proof lemma {place} does not follow")
        known.add(lemma)
    _require(known.contradictory, "the lemmas do not lead to a contradiction")


def _point(name: str) -> tuple[str, str]:
    """Return an endpoint such as "e1.end" as entity and end."""
    entity, _, end = name.rpartition(".")
    _require(end in ENDS, f"proof: {name!r} is not an endpoint")
    return entity, end


def _always_holds(literals: list[tuple[Any, Any, bool]]) -> bool:
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


def _holds_by_link(literals: list[tuple[Any, Any, bool]], fact: tuple[str, frozenset[str], str]) -> bool:
    """Return whether every atom of the link makes a literal true. All must be about the link's two entities."""
    source, relation, target = fact
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


class _Propagation:
    """Clauses under unit propagation. Of each clause two literals are watched: while neither is false, it is at rest.

    Lists are indexed by literals, negative ones from the end.
    """

    def __init__(self, variables: int) -> None:
        self.contradictory = False
        self._value = [0] * (2 * variables + 1)  # 1 true, -1 false, 0 open
        self._watching: list[list[list[int]]] = [[] for _ in self._value]
        self._trail: list[int] = []  # literals that are true, in the order in which they became so

    def add(self, clause: list[int]) -> None:
        """Believe a clause for good."""
        value = self._value
        if self.contradictory or any(value[literal] > 0 for literal in clause):
            return
        left = [literal for literal in dict.fromkeys(clause) if not value[literal]]
        if len(left) > 1:
            self._watching[left[0]].append(left)
            self._watching[left[1]].append(left)
            return
        if left:
            self._set(left[0])
        self.contradictory = not left or not self._propagate(len(self._trail) - 1)

    def refutes_negation(self, clause: list[int]) -> bool:
        """Return whether making every literal false ends in a contradiction. The state is restored."""
        value, trail = self._value, self._trail
        before = len(trail)
        refuted = False
        for literal in clause:
            if value[literal] > 0:
                refuted = True
                break
            if not value[literal]:
                self._set(-literal)
        refuted = refuted or not self._propagate(before)
        for literal in trail[before:]:
            value[literal] = value[-literal] = 0
        del trail[before:]
        return refuted

    def _set(self, literal: int) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._trail.append(literal)

    def _propagate(self, place: int) -> bool:
        """Follow up the literals from a place in the trail on; False if a clause has none left that could be true."""
        value, watching, trail = self._value, self._watching, self._trail
        while place < len(trail):
            false = -trail[place]
            place += 1
            watchers = watching[false]
            watching[false] = kept = []
            for number, clause in enumerate(watchers):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value[first] <= 0:
                    for other in range(2, len(clause)):
                        if value[clause[other]] >= 0:
                            clause[1], clause[other] = clause[other], false
                            watching[clause[1]].append(clause)
                            break
                    else:
                        kept.append(clause)
                        if value[first]:
                            kept += watchers[number + 1 :]
                            return False
                        self._set(first)
                    continue
                kept.append(clause)
        return True


# --- form: everything has its place and type, before anything is believed --------------------------------------------


def parse(text: str | bytes) -> dict[str, Any]:
    """Return a certificate of the right form. Raise Rejected for anything else."""
    try:
        certificate: dict[str, Any] = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise Rejected(f"not a JSON certificate: {error}") from None
    _require(isinstance(certificate, dict), "not a JSON object")
    _require(certificate.get("format") == "temporacle-certificate", "not a certificate of this program")
    version = certificate.get("version")
    _require(_is_int(version) and version in (1, 2), "a version this program cannot check")
    claim = certificate.get("claim")
    parts = PARTS.get(claim) if isinstance(claim, str) else None
    if parts is None:
        raise Rejected("an unknown claim")
    has_values = version == 2 and "calendar" in certificate
    _fields(certificate, COMMON | parts | (CALENDAR if has_values else set()), "the certificate")
    _check_document(certificate["document"])
    readings = set()
    for entry in _list(certificate["readings"], "readings"):
        _require(_is_list(entry, 2) and isinstance(entry[0], str), "readings: an entry is [label, atoms]")
        readings.add((entry[0], _atoms(entry[1], "readings")))
    _require(len(readings) == len(certificate["readings"]), "readings: an entry is given twice")
    used = {_check_link(link, place) for place, link in enumerate(_list(certificate["links"], "links"))}
    _require(used == readings, "readings and links do not agree on what the labels mean")
    if "query" in parts:
        _fields(certificate["query"], QUERY, "query")
        _require(_is_text(certificate["query"], "source", "target"), "query: source and target are texts")
        _atoms(certificate["query"]["relation"], "query")
    largest = LARGEST
    if has_values:
        _ask("check_form", certificate)
        largest = MOST_SECONDS * certificate["unit"]
    for name in parts & {"witness", "countermodel"}:
        _check_times(certificate[name], name, largest)
    needed = certificate.get("needed")
    for place, model in enumerate([] if needed is None else _list(needed, "needed")):
        _check_times(model, f"needed {place}", largest)
    if "proof" in parts:
        conflict = [_key(number) for number in _list(certificate["conflict"], "conflict")]
        wrong = [number for number in conflict if not _is_in_conflict(number, certificate)]
        _require(not wrong and len(set(conflict)) == len(conflict), "conflict: not a list of different links")
        _require(bool(certificate["proof"]), "the proof is empty")
        if isinstance(certificate["proof"], dict) and has_values:
            _check_choices(certificate["proof"])
        elif version == 2 and not has_values:
            _check_clauses(certificate["proof"])
        else:
            for place, step in enumerate(_list(certificate["proof"], "proof")):
                _check_step(step, place, has_values=has_values)
    else:
        _require(version == 1 or has_values, "a version for clausal proofs, and no proof")
    return certificate


def _is_in_conflict(number: Any, certificate: dict[str, Any]) -> bool:
    if number == "query":
        return "query" in certificate
    if isinstance(number, tuple):
        values = certificate.get("values", [])
        good = len(number) == 2 and number[0] == "value" and _is_int(number[1]) and 0 <= number[1] < len(values)
        return good and values[number[1]]["fact"] is not None
    return _is_int(number) and 0 <= number < len(certificate["links"])


def _check_choices(proof: Any) -> None:
    _fields(proof, LAZY, "proof")
    for entry in _list(proof["choices"], "proof choices"):
        good = _is_list(entry, 2) and _is_number(entry[0]) and isinstance(entry[1], str) and entry[1] in EXAMPLES
        _require(good, "proof: a bad choice")
    _require(len({tuple(entry) for entry in proof["choices"]}) == len(proof["choices"]), "proof: a choice twice")
    most = len(proof["choices"])
    for cycle in _list(proof["cycles"], "proof cycles"):
        _check_edges(cycle, "proof cycle", most)
    for lemma in _list(proof["lemmas"], "proof lemmas"):
        _require(_is_clause(lemma, most), "proof: a bad lemma")


def _check_edges(edges: Any, name: str, choices: int = 0) -> None:
    for edge in _list(edges, name):
        _require(_is_list(edge, 5) and _ask("is_edge", edge), f"{name}: a bad edge")
        fact = edge[4]
        if isinstance(fact, list):
            good = len(fact) == 2 and fact[0] in ("value", "choice") and _is_int(fact[1])
            _require(good and (fact[0] == "value" or 1 <= fact[1] <= choices), f"{name}: a bad edge")
        else:
            _require(fact is None or _is_number(fact), f"{name}: a bad edge")


def _check_document(document: Any) -> None:
    lists = isinstance(document, dict) and "dropped" in document  # only if links could not be read
    _fields(document, DOCUMENT | {"dropped"} if lists else DOCUMENT, "document")
    for entry in _list(document["dropped"], "dropped") if lists else []:
        _fields(entry, {"code", "line", "element"}, "dropped")
        good = entry["line"] is None or (_is_int(entry["line"]) and entry["line"] > 0)
        good = good and (entry["element"] is None or isinstance(entry["element"], str))
        _require(good and _is_text(entry, "code"), "dropped: a bad entry")
    _require(_is_text(document, "id"), "document: the id is a text")
    for name in DOCUMENT - {"id"}:
        _require(document[name] is None or isinstance(document[name], str), f"document: {name} is a text or null")
    sha256 = document["sha256"]
    _require(sha256 is None or re.fullmatch("[0-9a-f]{64}", sha256) is not None, "document: sha256 is not a digest")


def _check_link(link: Any, place: int) -> tuple[str, tuple[str, ...]]:
    """Return the label of a link, and its relation."""
    _fields(link, LINK, f"link {place}")
    _require(_is_text(link, "id", "source", "label", "target"), f"link {place}: id, source, label, target are texts")
    _require(
        link["line"] is None or (_is_int(link["line"]) and link["line"] > 0), f"link {place}: line is not a line number"
    )
    return link["label"], _atoms(link["relation"], f"link {place}")


def _check_times(model: Any, name: str, largest: int) -> None:
    _require(isinstance(model, dict), f"{name}: not an object")
    for times in model.values():
        _require(
            _is_list(times, 2) and all(_is_int(time) and abs(time) <= largest for time in times), f"{name}: bad times"
        )


def _check_step(step: Any, place: int, *, has_values: bool) -> None:
    name = f"proof step {place}"
    _require(
        isinstance(step, dict) and set(step) in ({"cycle"}, {"split", "cases"}), f"{name}: neither cycle nor split"
    )
    if has_values:
        _check_edges(step.get("cycle", []), name)
    for edge in _list(step.get("cycle", []), name) if not has_values else ():
        _require(_is_list(edge, 4) and all(isinstance(part, str) for part in edge[:3]), f"{name}: a bad edge")
        _require(edge[1] in ("<", "<=") and (edge[3] is None or _is_number(edge[3])), f"{name}: a bad edge")
    _require("split" not in step or _is_number(step["split"]), f"{name}: splits no link")
    for case in _list(step.get("cases", []), name):
        _require(_is_list(case, 2) and _is_int(case[1]), f"{name}: a bad case")
        _atoms(case[0], name)


def _check_clauses(proof: Any) -> None:
    _fields(proof, CLAUSAL, "proof")
    for points in _list(proof["variables"], "proof variables"):
        _require(_is_list(points, 2) and all(isinstance(point, str) for point in points), "proof: a bad variable")
    most = len(proof["variables"])
    for entry in _list(proof["clauses"], "proof clauses"):
        _require(_is_list(entry, 2) and _is_clause(entry[0], most), "proof: a bad clause")
        _require(entry[1] is None or _is_number(entry[1]), "proof: a bad clause")
    for lemma in _list(proof["lemmas"], "proof lemmas"):
        _require(_is_clause(lemma, most), "proof: a bad lemma")


def _is_clause(value: Any, variables: int) -> bool:
    return isinstance(value, list) and all(_is_int(each) and 0 < abs(each) <= variables for each in value)


def _atoms(value: Any, name: str) -> tuple[str, ...]:
    """Return atoms in their fixed order, each once."""
    _require(_list(value, name) == [atom for atom in ATOMS if atom in value], f"{name}: not atoms in their order")
    return tuple(value)


def _fields(value: Any, names: set[str], name: str) -> None:
    _require(isinstance(value, dict), f"{name}: not an object")
    if value.keys() != names:
        raise Rejected(f"{name}: has {sorted(value)} instead of {sorted(names)}")


def _list(value: Any, name: str) -> list[Any]:
    _require(isinstance(value, list), f"{name}: not a list")
    return value  # type: ignore[no-any-return]


def _is_list(value: Any, length: int | None = None) -> bool:
    return isinstance(value, list) and length in (None, len(value))


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_int(value) or value == "query"


def _is_text(value: dict[str, Any], *names: str) -> bool:
    return all(isinstance(value[name], str) for name in names)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def _require(condition: bool, reason: str) -> None:  # noqa: FBT001
    if not condition:
        raise Rejected(reason)


if __name__ == "__main__":
    try:
        accepted = verify(Path(sys.argv[1]).read_bytes(), *sys.argv[2:3])
        about, count = accepted["document"], len(accepted["links"])
        left_out = f", without {len(about['dropped'])} unreadable links" if about.get("dropped") else ""
        believed = trusted(accepted)
        left_out += f", trusting the values of {', '.join(believed)}" if believed else ""
        made_from = f"{count} links, reading {about['reading']}, sha256 {about['sha256']}"
        print(f"{accepted['claim']}: holds{left_out} ({made_from})")  # noqa: T201
    except (Rejected, OSError) as reason:
        sys.exit(f"rejected: {reason}")
