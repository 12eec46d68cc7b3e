"""Whether relations are the strongest that links allow: reasons against atoms, and the claim ``closure``.

Reasons say why atoms are impossible for a pair of entities. They share their parts, which stand in three lists:

    derived   [source, relation, target, conflict, proof]: the proof refutes the facts of the conflict together with the
              negated relation. Facts are links, by position, and derived relations, numbered after the links
    edges     [left, sign, right, fact]: holds in every atom of the fact; with null it is start < end of an entity
    paths     [path, edge]: an earlier path (null for none), and an edge that begins where this path ends

A reason is the number of a path, or -1 - the number of a fact. A path excludes the atoms in whose example its two ends
lie otherwise; a fact excludes the atoms that it does not have. Each rests on links up to some position, its *last* one.

A closure gives the strongest relation of every pair of entities. Entities are divided into *parts* that no link
connects. Between two parts every atom is possible: times of one part keep their order when they are moved and
stretched (t becomes a + b t, b > 0), so its links still hold, and any two proper intervals can be brought to any atom
in this way. Within a part, every pair is listed. Each atom of its relation holds in a model of the part, and each other
atom is excluded by a reason.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from .kernel import (
    ATOM_OF,
    ENDS,
    EVERY,
    EXAMPLES,
    LARGEST,
    Facts,
    Link,
    Rejected,
    as_atoms,
    as_list,
    check_fields,
    follows,
    has_values,
    is_int,
    is_list,
    is_own_order,
    order,
    require,
)
from .refutations import check_proof, check_proof_form

# --- reasons ---------------------------------------------------------------------------------------------------------

GROUNDS = {"derived", "edges", "paths"}
CONVERSE = {atom: ATOM_OF[order(y, x)] for atom, (x, y) in EXAMPLES.items()}


def turned(link: Link) -> Link:
    """Return a link in the other direction."""
    return link[2], frozenset(CONVERSE[atom] for atom in link[1]), link[0]


class Path(NamedTuple):
    """What a path shows: left is not later than right, or earlier if it is strict."""

    left: str
    strict: bool
    right: str
    last: int


def check_grounds_form(record: dict[str, Any], links: int) -> None:
    """Check that derived relations, edges and paths have their form, and refer to earlier ones only."""
    for place, entry in enumerate(as_list(record["derived"], "derived")):
        name = f"derived {place}"
        require(is_list(entry, 5) and all(isinstance(entry[end], str) for end in (0, 2)), f"{name}: a bad entry")
        as_atoms(entry[1], name)
        conflict = as_list(entry[3], name)
        good = all(each == "query" or (is_int(each) and 0 <= each < links + place) for each in conflict)
        require(good and len(set(conflict)) == len(conflict), f"{name}: a bad conflict")
        check_proof_form(entry[4], {"version": 3})
    most = links + len(record["derived"])
    for place, edge in enumerate(as_list(record["edges"], "edges")):
        good = is_list(edge, 4) and all(isinstance(part, str) for part in edge[:3]) and edge[1] in ("<", "<=")
        good = good and (edge[3] is None or (is_int(edge[3]) and 0 <= edge[3] < most))
        require(good, f"edge {place}: a bad edge")
    for place, path in enumerate(as_list(record["paths"], "paths")):
        good = is_list(path, 2) and is_int(path[1]) and 0 <= path[1] < len(record["edges"])
        good = good and (path[0] is None or (is_int(path[0]) and 0 <= path[0] < place))
        require(good, f"path {place}: a bad path")


def check_reasons_form(reasons: Any, record: dict[str, Any], links: int, name: str) -> None:
    """Check that reasons are numbers of paths and facts."""
    most = links + len(record["derived"])
    good = all(is_int(each) and -1 - most < each < len(record["paths"]) for each in as_list(reasons, name))
    require(good, f"{name}: a bad reason")


class Grounds:
    """Facts and paths that have been checked. ``links``: those that may be used, by position, out of ``count``."""

    def __init__(self, record: dict[str, Any], links: dict[int, Link], count: int) -> None:
        self._facts: dict[int, Link] = dict(links)
        self._last = {number: number for number in links}  # the last link that a fact rests on
        for place, (source, relation, target, conflict, proof) in enumerate(record["derived"]):
            used = [number for number in conflict if number != "query"]
            require(all(number in self._facts for number in used), f"derived {place} rests on a link that is not used")
            facts: dict[Any, Link] = {number: self._facts[number] for number in used}
            if "query" in conflict:
                facts["query"] = (source, EVERY - frozenset(relation), target)
            try:
                check_proof(proof, facts)
            except Rejected as reason:
                raise Rejected(f"derived {place}: {reason}") from None
            self._facts[count + place] = (source, frozenset(relation), target)
            self._last[count + place] = max((self._last[number] for number in used), default=-1)
        for place, edge in enumerate(record["edges"]):
            self._check_edge(f"edge {place}", *edge)
        self._paths: list[Path] = []
        for place, (earlier, number) in enumerate(record["paths"]):
            left, sign, right, fact = record["edges"][number]
            path = Path(left, sign == "<", right, -1 if fact is None else self._last[fact])
            if earlier is not None:
                before = self._paths[earlier]
                require(before.right == left, f"path {place} does not begin where path {earlier} ends")
                path = Path(before.left, before.strict or path.strict, right, max(before.last, path.last))
            self._paths.append(path)

    def _check_edge(self, name: str, left: str, sign: str, right: str, fact: int | None) -> None:
        if fact is None:
            require(is_own_order(left, right), f"{name}: {left} {sign} {right} is not based on a link")
        else:
            require(fact in self._facts, f"{name} rests on a link that is not used")
            link = self._facts[fact]
            require(follows(left, sign, right, link, link[1]), f"{name}: {left} {sign} {right} does not follow")

    def excluded(self, source: str, target: str, reasons: list[int], name: str) -> tuple[frozenset[str], int]:
        """Return the atoms that the reasons exclude, and the last link that they rest on (-1: on none).

        No atom other than = can hold between an entity and itself, whatever the reasons.
        """
        found = EVERY - {"="} if source == target else frozenset()
        last = -1
        for reason in reasons:
            if reason >= 0:
                path = self._paths[reason]
                found |= _excluded_by(path, source, target, name)
                last = max(last, path.last)
            else:
                require(-1 - reason in self._facts, f"{name} rests on a link that is not used")
                fact = self._facts[-1 - reason]
                if (fact[0], fact[2]) != (source, target):
                    fact = turned(fact)
                    require((fact[0], fact[2]) == (source, target), f"{name}: a reason is about other entities")
                found |= EVERY - fact[1]
                last = max(last, self._last[-1 - reason])
        return found, last


def _excluded_by(path: Path, source: str, target: str, name: str) -> frozenset[str]:
    sides = {f"{entity}.{end}": (side, place) for side, entity in enumerate((source, target)) for place, end in _PLACES}
    require(path.left in sides and path.right in sides, f"{name}: a reason is about other entities")
    return _AGAINST[sides[path.left], path.strict, sides[path.right]]


_PLACES = tuple(enumerate(ENDS))
_POINTS = [(side, end) for side in (0, 1) for end in (0, 1)]
_AGAINST = {
    (p, strict, q): frozenset(
        atom
        for atom, times in EXAMPLES.items()
        if not (times[p[0]][p[1]] < times[q[0]][q[1]] if strict else times[p[0]][p[1]] <= times[q[0]][q[1]])
    )
    for p in _POINTS
    for q in _POINTS
    for strict in (False, True)
}


# --- closure ---------------------------------------------------------------------------------------------------------

CLOSURE = {"entities", "parts"} | GROUNDS
PART = {"entities", "models", "pairs"}


def check_closure_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    require(not has_values(certificate), "a closure with values of time expressions cannot be checked")
    _check_names(certificate["entities"], "entities")
    links = len(certificate["links"])
    check_grounds_form(certificate, links)
    for place, part in enumerate(as_list(certificate["parts"], "parts")):
        check_fields(part, PART, f"part {place}")
        _check_names(part["entities"], f"part {place}: entities")
        for model in as_list(part["models"], f"part {place}: models"):
            good = is_list(model, 2 * len(part["entities"])) and all(is_int(time) for time in model)
            require(good and all(abs(time) <= LARGEST for time in model), f"part {place}: a bad model")
        for row in as_list(part["pairs"], f"part {place}: pairs"):
            name = f"part {place}: a pair"
            require(is_list(row, 5) and isinstance(row[0], str) and isinstance(row[2], str), f"{name} has a bad form")
            atoms = as_atoms(row[1], name)
            check_reasons_form(row[3], certificate, links, name)
            good = all(is_int(number) and 0 <= number < len(part["models"]) for number in as_list(row[4], name))
            require(good and len(row[4]) == len(atoms), f"{name}: not one model for each atom")


def _check_names(names: Any, name: str) -> None:
    require(all(isinstance(each, str) for each in as_list(names, name)), f"{name}: not texts")
    require(len(set(names)) == len(names), f"{name}: a name is given twice")


def check_closure(certificate: dict[str, Any], facts: Facts) -> None:
    """Check that the parts are all entities and that no link connects two of them; then each part by itself."""
    known = facts.known
    part_of = {entity: place for place, part in enumerate(certificate["parts"]) for entity in part["entities"]}
    count = sum(len(part["entities"]) for part in certificate["parts"])
    everyone = set(certificate["entities"])
    require(count == len(part_of) and part_of.keys() == everyone, "the parts are not all entities, each once")
    links: list[list[Any]] = [[] for _ in certificate["parts"]]
    for number, (source, relation, target) in known.items():
        require(source in part_of and target in part_of, f"link {number} is about an entity that is not listed")
        require(part_of[source] == part_of[target], f"link {number} connects two parts")
        links[part_of[source]].append((source, relation, target))
    grounds = Grounds(certificate, known, len(known))
    for place, part in enumerate(certificate["parts"]):
        _check_part(part, links[place], grounds, f"part {place}")


def _check_part(part: dict[str, Any], links: list[Any], grounds: Grounds, name: str) -> None:
    entities = part["entities"]
    place_of = {entity: place for place, entity in enumerate(entities)}
    require(bool(part["models"]), f"{name} has no model")
    models = [list(zip(model[::2], model[1::2], strict=True)) for model in part["models"]]
    for number, model in enumerate(models):
        require(
            all(start < end for start, end in model), f"{name}: model {number} has an end that is not after its start"
        )
        for source, relation, target in links:
            atom = ATOM_OF[order(model[place_of[source]], model[place_of[target]])]
            require(atom in relation, f"{name}: {source!r} {atom} {target!r} in model {number} breaks a link")
    expected = combinations(entities, 2)
    require(len(part["pairs"]) == len(entities) * (len(entities) - 1) // 2, f"{name} does not list all pairs")
    for (first, second), (source, relation, target, reasons, shown) in zip(expected, part["pairs"], strict=True):
        pair = f"{name}: {source!r} and {target!r}"
        require((first, second) == (source, target), f"{pair} are not the next pair")
        excluded, _ = grounds.excluded(source, target, reasons, pair)
        require(EVERY - frozenset(relation) <= excluded, f"{pair}: an atom is not excluded")
        for atom, number in zip(relation, shown, strict=True):
            times = models[number][place_of[source]], models[number][place_of[target]]
            require(ATOM_OF[order(*times)] == atom, f"{pair}: model {number} does not show {atom}")
