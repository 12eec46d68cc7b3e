"""Reasoning with dates and lengths, by definition: the reference that the library is compared with.

A document is a dict as in JSON Lines. A *fact* (a link, a time's value, a beginPoint, an endPoint) gives edges
``(u, v, w)``: v - u <= w. A weight is a pair (seconds, strictness) packed into one whole number: seconds * STRICT - 1
for "less than". Packed weights add up and compare as the pairs do, as long as a path has fewer than STRICT / 2 edges.

Everything is decided by all shortest paths (Floyd and Warshall) and by trying every atom of a link whose atoms are not
an interval of signs. It is for small documents. ``first_cycle`` is for large ones with convex links.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

from naive_values import Length, Span, read

STRICT = 1 << 32
POLICIES = ("exact", "document", "within")
FUNCTIONS = {
    f"{name}_TIME" for name in ("CREATION", "PUBLICATION", "RELEASE", "MODIFICATION", "RECEPTION", "EXPIRATION")
}
LOCAL, UTC = "@", "@Z"
# Of each atom: how the four endpoint pairs (start, start), (start, end), (end, start), (end, end) compare.
SIGNS = {
    "b": (-1, -1, -1, -1),
    "m": (-1, -1, 0, -1),
    "o": (-1, -1, 1, -1),
    "fi": (-1, -1, 1, 0),
    "di": (-1, -1, 1, 1),
    "s": (0, -1, 1, -1),
    "=": (0, -1, 1, 0),
    "si": (0, -1, 1, 1),
    "d": (1, -1, 1, -1),
    "f": (1, -1, 1, 0),
    "oi": (1, -1, 1, 1),
    "mi": (1, 0, 1, 1),
    "bi": (1, 1, 1, 1),
}
ATOMS = tuple(SIGNS)


class Fact(NamedTuple):
    """Edges that all hold; and, for a link that is not convex, the atoms of which one holds."""

    name: str
    edges: tuple[tuple[object, object, int], ...]
    link: tuple[str, tuple[str, ...], str] | None = None  # to be split


class Calendar(NamedTuple):
    facts: dict[str, Fact]  # in order: links, then values
    links: tuple[str, ...]
    values: tuple[str, ...]  # the calendar facts that constrain something
    remarks: dict[str, str]  # of times
    dangling: tuple[str, ...]  # beginPoints and endPoints of unknown times
    always: tuple[tuple[object, object, int], ...]
    entities: tuple[str, ...]
    origin: str


def weight(seconds: int, *, strict: bool = False) -> int:
    return seconds * STRICT - strict


def unpacked(packed: int) -> tuple[int, int]:
    seconds = -(-packed // STRICT)
    return seconds, packed - seconds * STRICT


# --- from a document to facts ----------------------------------------------------------------------------------------


def calendar_of(
    document: dict,
    policy: str | None,
    *,
    hemisphere: str = "unknown",
    zone: int | None = None,
    dates: tuple[str, ...] = (),
) -> Calendar:
    """The facts of a document under a policy; ``policy`` None: without values. ``zone``: local time minus UTC.

    ``dates``: values that are intervals of their own, whole whatever the policy.
    """
    first: dict[str, dict] = {}
    for entity in document["entities"]:
        first.setdefault(entity["id"], entity)
    facts: dict[str, Fact] = {}
    for position, link in enumerate(document["links"], 1):
        name = link.get("id", str(position))
        facts[name] = link_fact(name, link["source"], tuple(link["relation"].split("|")), link["target"])
    links = tuple(facts)
    remarks: dict[str, str] = {}
    dangling: list[str] = []
    if policy is not None:
        readings = {name: read_time(entity, hemisphere) for name, entity in first.items() if is_time(entity)}
        remarks = {name: remark for name, (_, remark) in readings.items() if remark}
        for name, (reading, _) in readings.items():
            entity = first[name]
            add(facts, name, value_edges(name, reading, mod_of(entity), policy, is_dct=is_dct(entity)))
            for attribute, end in (("beginPoint", 0), ("endPoint", 1)):
                other = entity.get(attribute)
                if not other or other == name:
                    continue
                if other not in first:
                    dangling.append(f"{name}.{attribute}")
                elif mod_of(first[other]) in {"", "START", "MID", "END"}:
                    span, _ = readings.get(other, (None, None))
                    if isinstance(span, Span):
                        add(facts, f"{name}.{attribute}", point_edges((name, end), span))
    values = tuple(name for name in facts if name not in links)
    for value in dates:
        first[value] = {"id": value}
        span = read(value, hemisphere)
        add(facts, value, value_edges(value, span._replace(firm=True), "", "exact", is_dct=False))
    always = [((name, 1), (name, 0), weight(0, strict=True)) for name in first]
    used = {point for fact in facts.values() for edge in fact.edges for point in edge[:2] if point in (LOCAL, UTC)}
    if used == {LOCAL, UTC}:
        early, late = (12 * 3600, 14 * 3600) if zone is None else (-zone, zone)
        always += [(LOCAL, UTC, weight(late)), (UTC, LOCAL, weight(early))]
    origin = UTC if used == {UTC} else LOCAL
    return Calendar(facts, links, values, remarks, tuple(dangling), tuple(always), tuple(first), origin)


def add(facts: dict[str, Fact], name: str, edges: list[tuple[object, object, int]]) -> None:
    if edges:
        assert name not in facts, f"{name} names a link and a time"
        facts[name] = Fact(name, tuple(edges))


def is_time(entity: dict) -> bool:
    return entity.get("kind") in {"time", "dct"}


def is_dct(entity: dict) -> bool:
    return entity.get("kind") == "dct" or (entity.get("function") or "").strip().upper() in FUNCTIONS


def mod_of(entity: dict) -> str:
    return (entity.get("mod") or "").strip().upper()


def read_time(entity: dict, hemisphere: str) -> tuple[Span | Length | None, str | None]:
    """What a time says, its mod aside, and the remark about it."""
    kind = (entity.get("type") or "").strip().upper()
    found = read(entity.get("value"), hemisphere)
    if kind == "SET":
        return None, None
    if isinstance(found, str):
        return None, found or None
    if isinstance(found, Length) and kind in {"DATE", "TIME"}:
        return None, "value-type-mismatch"
    mod = mod_of(entity)
    of_dates = {"START", "MID", "END", "ON_OR_BEFORE", "ON_OR_AFTER", "BEFORE", "AFTER"}
    of_lengths = {"LESS_THAN", "EQUAL_OR_LESS", "MORE_THAN", "EQUAL_OR_MORE"}
    odd = "value-type-mismatch" if isinstance(found, Span) and kind == "DURATION" else None
    if mod == "APPROX":
        return None, odd
    if mod and mod not in of_dates | of_lengths:
        return None, odd or "mod-unknown"
    if mod in (of_lengths if isinstance(found, Span) else of_dates):
        return None, odd or "mod-mismatch"
    return found, odd


def value_edges(name: str, reading: Span | Length | None, mod: str, policy: str, *, is_dct: bool) -> list:
    start, end = (name, 0), (name, 1)
    if isinstance(reading, Length):
        least, most, above, below = reading
        if mod in {"LESS_THAN", "EQUAL_OR_LESS"}:
            return [(start, end, weight(most, strict=mod == "LESS_THAN"))]
        if mod in {"MORE_THAN", "EQUAL_OR_MORE"}:
            return [(end, start, weight(-least, strict=mod == "MORE_THAN"))]
        if policy == "within":
            return [(start, end, weight(below, strict=True)), (end, start, weight(-above, strict=True))]
        return [(start, end, weight(most)), (end, start, weight(-least))]
    if reading is None:
        return []
    lo, hi, firm, zoned = reading
    at = UTC if zoned else LOCAL
    if mod in {"BEFORE", "ON_OR_BEFORE"}:
        return [(at, end, weight(lo if mod == "BEFORE" and policy != "within" else hi))]
    if mod in {"AFTER", "ON_OR_AFTER"}:
        return [(start, at, weight(-(hi if mod == "AFTER" and policy != "within" else lo)))]
    edges = [(start, at, weight(-lo)), (at, end, weight(hi))]
    if firm and mod == "" and (policy == "exact" or (policy == "document" and not is_dct)):
        edges += [(at, start, weight(lo)), (end, at, weight(-hi))]
    return edges


def point_edges(point: tuple[str, int], span: Span) -> list:
    at = UTC if span.zoned else LOCAL
    return [(point, at, weight(-span.lo)), (at, point, weight(span.hi))]


def link_fact(name: str, source: str, atoms: tuple[str, ...], target: str) -> Fact:
    """A convex link has edges only; of another the edges are what all of its atoms have in common."""
    assert all(atom in SIGNS for atom in atoms), atoms
    signs = [SIGNS[atom] for atom in atoms]
    hull = [{sign for sign in (-1, 0, 1) if min(each) <= sign <= max(each)} for each in zip(*signs, strict=True)]
    covered = {atom for atom in ATOMS if all(sign in allowed for sign, allowed in zip(SIGNS[atom], hull, strict=True))}
    split = None if covered == set(atoms) else (source, atoms, target)
    return Fact(name, tuple(edges_between(source, target, signs)), split)


def edges_between(source: str, target: str, signs: list[tuple[int, ...]]) -> list:
    edges = []
    for place, (one, other) in enumerate(product((0, 1), repeat=2)):
        x, y = (source, one), (target, other)
        least, most = min(each[place] for each in signs), max(each[place] for each in signs)
        if most < 1:  # x <= y
            edges.append((y, x, weight(0, strict=most < 0)))
        if least > -1:
            edges.append((x, y, weight(0, strict=least > 0)))
    return edges


# --- deciding --------------------------------------------------------------------------------------------------------


class Contradiction(Exception):  # noqa: N818 - it is a verdict
    """A cycle below (0, 0)."""


class Distances:
    """All shortest paths, one edge after the other. Unreachable: None."""

    def __init__(self, points: list[object]) -> None:
        self.number = {point: place for place, point in enumerate(points)}
        size = len(points)
        self.rows = [[0 if i == j else None for j in range(size)] for i in range(size)]

    def copy(self) -> Distances:
        twin = Distances([])
        twin.number = self.number
        twin.rows = [row[:] for row in self.rows]
        return twin

    def add(self, edges) -> Distances:
        for u, v, w in edges:
            self._add(self.number[u], self.number[v], w)
        return self

    def _add(self, u: int, v: int, w: int) -> None:
        rows = self.rows
        back = rows[v][u]
        if (back is not None and back + w < 0) or (u == v and w < 0):
            raise Contradiction
        if rows[u][v] is not None and rows[u][v] <= w:
            return
        onward = rows[v]
        reached = [(j, onward[j] + w) for j in range(len(rows)) if onward[j] is not None]
        for row in rows:
            if (to_u := row[u]) is not None:
                for j, distance in reached:
                    if row[j] is None or to_u + distance < row[j]:
                        row[j] = to_u + distance

    def between(self, u: object, v: object) -> int | None:
        return self.rows[self.number[u]][self.number[v]]


def points_of(calendar: Calendar) -> list[object]:
    return [LOCAL, UTC, *((name, end) for name in calendar.entities for end in (0, 1))]


def scenarios(calendar: Calendar, names=None, extra: tuple[Fact, ...] = ()):
    """The distances of every consistent choice of atoms for the links that are not convex."""
    facts = [*(calendar.facts[name] for name in (calendar.facts if names is None else names)), *extra]
    try:
        start = Distances(points_of(calendar)).add(calendar.always)
        for fact in facts:
            start.add(fact.edges)
    except Contradiction:
        return
    splits = [fact.link for fact in facts if fact.link is not None]
    waiting = [(start, 0)]
    while waiting:
        distances, place = waiting.pop()
        if place == len(splits):
            yield distances
            continue
        source, atoms, target = splits[place]
        for atom in atoms:
            try:
                waiting.append((distances.copy().add(edges_between(source, target, [SIGNS[atom]])), place + 1))
            except Contradiction:
                continue


def is_consistent(calendar: Calendar, names=None, extra: tuple[Fact, ...] = ()) -> bool:
    return next(scenarios(calendar, names, extra), None) is not None


def smallest_conflicts(calendar: Calendar) -> list[frozenset[str]]:
    """All conflicts of the smallest size, by trying every set of facts."""
    for size in range(1, len(calendar.facts) + 1):
        found = [frozenset(part) for part in combinations(calendar.facts, size) if not is_consistent(calendar, part)]
        if found:
            return found
    return []


def strongest(calendar: Calendar, source: str, target: str) -> list[str]:
    """The atoms that can hold between two entities, each tried by itself."""
    return [atom for atom in ATOMS if is_consistent(calendar, extra=(link_fact("?", source, (atom,), target),))]


class Limit(NamedTuple):
    seconds: int
    attained: bool


def bounds(calendar: Calendar, entity: str) -> dict[str, dict[str, Limit | None]]:
    """Earliest and latest start and end over all choices."""
    found = list(scenarios(calendar))
    answer = {}
    for name, end in (("start", 0), ("end", 1)):
        point = (entity, end)
        latest = outermost([each.between(calendar.origin, point) for each in found])
        earliest = outermost([each.between(point, calendar.origin) for each in found])
        answer[name] = {
            "earliest": None if earliest is None else Limit(-unpacked(earliest)[0], not unpacked(earliest)[1]),
            "latest": None if latest is None else Limit(unpacked(latest)[0], not unpacked(latest)[1]),
        }
    return answer


def outermost(distances: list[int | None]) -> int | None:
    """The largest distance; any number of strict steps is the same to a limit: approached, and not reached."""
    if None in distances:
        return None
    return max(weight(unpacked(each)[0], strict=unpacked(each)[1] < 0) for each in distances)


def shown(seconds: int) -> str:
    """Seconds since 1970 as ISO 8601; years outside 1 to 9999 by moving them by cycles of 400 years."""
    cycles = 0
    year = 1970 + seconds // 31_556_952
    if not 2 <= year <= 9998:
        cycles = (year - 2000) // 400
        seconds -= cycles * 146_097 * 86_400
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)  # noqa: DTZ001 - a clock without zones
    year = moment.year + 400 * cycles
    sign = "-" if year < 0 else ""
    return f"{sign}{abs(year):04}{moment.isoformat()[4:]}"


def expected_bounds(calendar: Calendar, entity: str) -> dict:
    """The bounds as the golden cases and the command give them."""

    def form(limit: Limit | None) -> dict | None:
        return None if limit is None else {"time": shown(limit.seconds), "attained": limit.attained}

    return {
        name: {which: form(limit) for which, limit in limits.items()}
        for name, limits in bounds(calendar, entity).items()
    }


@cache
def converse_atoms() -> dict[str, str]:
    return {
        atom: next(
            other
            for other in ATOMS
            if SIGNS[other] == (-SIGNS[atom][0], -SIGNS[atom][2], -SIGNS[atom][1], -SIGNS[atom][3])
        )
        for atom in ATOMS
    }


# --- large documents -------------------------------------------------------------------------------------------------


def has_cycle(calendar: Calendar) -> bool:
    """Whether convex facts contradict each other: shortest paths from everywhere at once, by Bellman and Ford."""
    assert all(fact.link is None for fact in calendar.facts.values())
    edges = [*calendar.always, *(edge for fact in calendar.facts.values() for edge in fact.edges)]
    number: dict[object, int] = {}
    numbered = [(number.setdefault(u, len(number)), number.setdefault(v, len(number)), w) for u, v, w in edges]
    distance = [0] * len(number)
    for _ in range(len(number) + 1):
        changed = False
        for u, v, w in numbered:
            if distance[u] + w < distance[v]:
                distance[v] = distance[u] + w
                changed = True
        if not changed:
            return False
    return True
