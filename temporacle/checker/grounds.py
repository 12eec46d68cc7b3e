"""Reasons why atoms are impossible for a pair of entities: paths between endpoints, links, and derived relations.

    derived   [source, relation, target, conflict, proof]: the proof refutes the facts of the conflict together with the
              negated relation. Facts are links, by position, and derived relations, numbered after the links
    edges     [left, sign, right, fact]: holds in every atom of the fact; with null it is start < end of an entity
    paths     [path, edge]: an earlier path (null for none), and an edge that begins where this path ends

A reason is the number of a path, or -1 - the number of a fact. A path excludes the atoms in whose example its two ends
lie otherwise; a fact excludes the atoms that it does not have. Each rests on links up to some position, its *last* one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .atoms import ATOM_OF, ATOMS, ENDS, EXAMPLES, follows, order
from .form import Rejected, as_atoms, as_list, is_int, is_list, require
from .proofs import check_proof, check_proof_form

if TYPE_CHECKING:
    from .atoms import Link

FIELDS = {"derived", "edges", "paths"}
EVERY = frozenset(ATOMS)
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


def check_form(record: dict[str, Any], links: int) -> None:
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
                check_proof(proof, facts, None)
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
            entity = left.removesuffix(".start")
            good = (left, right) == (f"{entity}.start", f"{entity}.end")
            require(good, f"{name}: {left} {sign} {right} is not based on a link")
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
