"""Certificates with values, made by the reference: what the checker must accept, and what forgeries are made of.

``truth`` says what a certificate's claim is worth, by the reference alone.
"""

from __future__ import annotations

from typing import Any

from naive_calendar import (
    ATOMS,
    LOCAL,
    SIGNS,
    UTC,
    Calendar,
    Distances,
    Fact,
    calendar_of,
    edges_between,
    is_consistent,
    is_dct,
    link_fact,
    mod_of,
    point_edges,
    points_of,
    read_time,
    scenarios,
    smallest_conflicts,
    unpacked,
    value_edges,
    weight,
)
from naive_values import Span

ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "random"}
QUERY = "?"


def named(point: object) -> str:
    return point if isinstance(point, str) else f"{point[0]}.{('start', 'end')[point[1]]}"


def zone_text(zone: int | None) -> str | None:
    if zone is None:
        return None
    return f"{'-' if zone < 0 else '+'}{abs(zone) // 3600:02}:{abs(zone) // 60 % 60:02}"


def constraints(edges) -> list[list[Any]]:
    return [[named(u), named(v), unpacked(w)[0], unpacked(w)[1] < 0] for u, v, w in edges]


class Maker:
    """Certificates of one document under one policy."""

    def __init__(self, document: dict, policy: str, *, hemisphere: str = "unknown", zone: int | None = None) -> None:
        self.calendar = calendar_of(document, policy, hemisphere=hemisphere, zone=zone)
        self.document = document
        self.options = {"policy": policy, "hemisphere": hemisphere, "zone": zone_text(zone)}
        self.unit = len(points_of(self.calendar)) + 1

    def common(self, claim: str) -> dict[str, Any]:
        links = [
            {
                "id": link["id"],
                "source": link["source"],
                "relation": sorted(link["relation"].split("|"), key=ATOMS.index),
                "label": link["relation"],
                "target": link["target"],
                "line": None,
            }
            for link in self.document["links"]
        ]
        readings = sorted({(link["label"], tuple(link["relation"])) for link in links})
        return {
            "format": "temporacle-certificate",
            "version": 2,
            "claim": claim,
            "document": dict(ABOUT),
            "readings": [[label, list(atoms)] for label, atoms in readings],
            "links": links,
            "calendar": dict(self.options),
            "values": [self.record(name) for name in self.calendar.values],
            "unit": self.unit,
        }

    def record(self, fact: str) -> dict[str, Any]:
        by_id = {entity["id"]: entity for entity in reversed(self.document["entities"])}
        entity, described = by_id.get(fact), by_id.get(fact)
        if entity is None:
            name, _, attribute = fact.rpartition(".")
            entity = by_id[name]
            described = by_id[entity[attribute]]
        return {
            "fact": fact,
            "entity": entity["id"],
            "value": described["value"],
            "type": described.get("type"),
            "mod": described.get("mod"),
            "dct": fact == entity["id"] and is_dct(entity),
            "constraints": constraints(self.calendar.facts[fact].edges),
        }

    def place(self, fact: str) -> Any:
        if fact == QUERY:
            return "query"
        if fact in self.calendar.links:
            return self.calendar.links.index(fact)
        return ["value", self.calendar.values.index(fact)]

    def model(self, distances: Distances) -> dict[str, list[int]]:
        """Times as near to each other as they can be, counted from @."""
        columns = zip(*distances.rows, strict=True)
        nearest = [min(each for each in column if each is not None) for column in columns]
        times = [seconds * self.unit + strict for seconds, strict in map(unpacked, nearest)]
        at = {point: times[place] - times[distances.number[LOCAL]] for point, place in distances.number.items()}
        return {name: [at[name, 0], at[name, 1]] for name in self.calendar.entities}

    def verdict(self) -> dict[str, Any]:
        found = next(scenarios(self.calendar), None)
        if found is not None:
            return self.common("consistent") | {"witness": self.model(found)}
        conflict = sorted(smallest_conflicts(self.calendar)[0])
        needed = [next(scenarios(self.calendar, [each for each in conflict if each != fact])) for fact in conflict]
        return self.common("inconsistent") | {
            "conflict": [self.place(fact) for fact in conflict],
            "needed": [self.model(each) for each in needed],
            "proof": self.proof([self.calendar.facts[fact] for fact in conflict]),
        }

    def answer(self, source: str, atoms: tuple[str, ...], target: str) -> dict[str, Any]:
        """What a consistent document says about a query between two of its entities."""
        asked = link_fact(QUERY, source, atoms, target)
        others = tuple(atom for atom in ATOMS if atom not in atoms)
        denied = link_fact(QUERY, source, others, target) if others else None
        holding = next(scenarios(self.calendar, extra=(asked,)), None)
        failing = None if denied is None else next(scenarios(self.calendar, extra=(denied,)), None)
        query = {"source": source, "relation": sorted(atoms, key=ATOMS.index), "target": target}
        if holding is not None and failing is not None:
            models = {"witness": self.model(holding), "countermodel": self.model(failing)}
            return self.common("open") | {"query": query} | models
        refuted = holding is None
        facts = [*self.calendar.facts.values(), *(each for each in (asked if refuted else denied,) if each is not None)]
        return self.common("refuted" if refuted else "entailed") | {
            "query": query,
            "witness": self.model(failing if refuted else holding),
            "conflict": [self.place(fact.name) for fact in facts],
            "proof": self.proof(facts),
        }

    def proof(self, facts: list[Fact]) -> list[dict[str, Any]]:
        """Cases, each ended by a circle."""
        splits = [fact for fact in facts if fact.link is not None]
        edges = [(edge, None) for edge in self.calendar.always]
        edges += [(edge, fact.name) for fact in facts for edge in fact.edges]
        steps: list[Any] = [None]
        waiting = [(0, 0, edges)]
        while waiting:
            place, depth, known = waiting.pop()
            cycle = find_cycle(known)
            if cycle is not None:
                steps[place] = {
                    "cycle": [
                        [*constraints([edge])[0], None if fact is None else self.place(fact)] for edge, fact in cycle
                    ]
                }
                continue
            fact = splits[depth]
            source, atoms, target = fact.link
            cases = []
            for atom in atoms:
                cases.append([[atom], len(steps)])
                more = [(edge, fact.name) for edge in edges_between(source, target, [SIGNS[atom]])]
                waiting.append((len(steps), depth + 1, [*known, *more]))
                steps.append(None)
            steps[place] = {"split": self.place(fact.name), "cases": cases}
        return steps


def find_cycle(edges):
    """The edges of a cycle below (0, 0) in the order of travel, by Bellman and Ford; None if there is none."""
    distance = {point: 0 for edge, _ in edges for point in edge[:2]}
    reached: dict[object, tuple] = {}
    last = None
    for _ in range(len(distance) + 1):
        last = None
        for entry in edges:
            (u, v, w), _ = entry
            if distance[u] + w < distance[v]:
                distance[v] = distance[u] + w
                reached[v] = entry
                last = v
        if last is None:
            return None
    for _ in distance:  # back into the cycle
        last = reached[last][0][0]
    cycle, point = [], last
    while True:
        entry = reached[point]
        cycle.append(entry)
        point = entry[0][0]
        if point == last:
            return cycle[::-1]


# --- what a certificate is worth -------------------------------------------------------------------------------------


def truth(certificate: dict[str, Any], trusted: list[str]) -> bool:
    """Whether the claim follows from the links, values and query of a certificate."""
    options = certificate["calendar"]
    zone = options["zone"]
    seconds = None
    if zone is not None:
        seconds = (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60) * (-1 if zone[0] == "-" else 1)
    facts: dict[Any, Fact] = {}
    names = set()
    for place, link in enumerate(certificate["links"]):
        facts[place] = link_of(place, link["source"], tuple(link["relation"]), link["target"])
        names |= {link["source"], link["target"]}
    for place, record in enumerate(certificate["values"]):
        facts["value", place] = Fact(str(place), tuple(edges_of(record, options, trusted)))
        names.add(record["entity"])
    query = certificate.get("query")
    if query is not None:
        names |= {query["source"], query["target"]}
    always = [((name, 1), (name, 0), weight(0, strict=True)) for name in names]
    used = {point for fact in facts.values() for edge in fact.edges for point in edge[:2]}
    if {LOCAL, UTC} <= used:
        late, early = (14 * 3600, 12 * 3600) if seconds is None else (seconds, -seconds)
        always += [(LOCAL, UTC, weight(late)), (UTC, LOCAL, weight(early))]
    calendar = Calendar(facts, (), (), {}, (), tuple(always), tuple(sorted(names)), LOCAL)
    claim = certificate["claim"]
    if claim == "consistent":
        return is_consistent(calendar)
    if claim == "inconsistent":
        conflict = [tuple(each) if isinstance(each, list) else each for each in certificate["conflict"]]
        if is_consistent(calendar, conflict):
            return False
        parts = [[other for other in conflict if other != each] for each in conflict]
        return certificate["needed"] is None or all(is_consistent(calendar, part) for part in parts)
    atoms = tuple(query["relation"])
    others = tuple(atom for atom in ATOMS if atom not in atoms)
    holding, failing = (
        is_consistent(calendar, extra=(link_of("?", query["source"], each, query["target"]),))
        for each in (atoms, others)
    )
    return {"open": (True, True), "entailed": (True, False), "refuted": (False, True)}[claim] == (holding, failing)


def link_of(name: object, source: str, atoms: tuple[str, ...], target: str) -> Fact:
    """A link; one without atoms holds never."""
    if not atoms:
        return Fact(str(name), ((LOCAL, LOCAL, weight(-1)),))
    return link_fact(str(name), source, atoms, target)


def edges_of(record: dict[str, Any], options: dict[str, Any], trusted: list[str]) -> list:
    """What a record says by the reference; of trusted ones what is stated."""
    entity, fact = record["entity"], record["fact"]
    if (fact or entity) in trusted:
        return [(point_of(u), point_of(v), weight(c, strict=strict)) for u, v, c, strict in record["constraints"]]
    described = {**record, "kind": "dct" if record["dct"] else "time"}
    reading, _ = read_time(described, options["hemisphere"])
    if fact is None:
        return value_edges(entity, reading._replace(firm=True), "", "exact", is_dct=False)
    if fact != entity:
        end = 0 if fact.endswith(".beginPoint") else 1
        has_unit = isinstance(reading, Span) and mod_of(described) in {"", "START", "MID", "END"}
        return point_edges((entity, end), reading) if has_unit else []
    return value_edges(entity, reading, mod_of(described), options["policy"], is_dct=record["dct"])


def point_of(name: str) -> object:
    if name in (LOCAL, UTC):
        return name
    entity, _, end = name.rpartition(".")
    return entity, int(end == "end")
