"""The clock of a certificate with values of time expressions: their constraints, and whether times agree with them.

``values`` has the form of a constraint, and what each value says. docs/certificates.md describes the records.
"""

from __future__ import annotations

import re
from typing import Any

from .form import MOST_SECONDS, Rejected, is_list, require
from .values import Constraint, constraints_of, has_form

CHOICES = {"policy": ("within", "document", "exact"), "hemisphere": ("north", "south", "unknown")}
VALUE = {"fact", "entity", "value", "type", "mod", "dct", "constraints"}
LARGEST_UNIT = 10**9
_ZONE = re.compile("([+-])(0[0-9]|1[0-4]):([0-5][0-9])")


class Clock:
    """The constraints of a certificate's values, each as stated and as it must be."""

    def __init__(self, certificate: dict[str, Any]) -> None:
        self.values: dict[tuple[str, int], list[Constraint]] = {}  # by ("value", position)
        self.dates: list[tuple[str, int]] = []  # positions of the dates of a query
        self.trusted: list[str] = []
        self.unit: int = certificate["unit"]
        for place, record in enumerate(certificate["values"]):
            name = record["fact"] or record["entity"]
            stated: list[Constraint] = [
                (one, other, more, strict) for one, other, more, strict in record["constraints"]
            ]
            try:
                derived = constraints_of(record, certificate["calendar"]["policy"])
            except Rejected as reason:
                raise Rejected(f"the value of {name}: {reason}") from None
            if derived is None:
                require(has_form(record), f"the value of {name}: constraints of another form")
                self.trusted.append(name)
            else:
                require(sorted(derived) == sorted(stated), f"the value of {name} does not say this under the policy")
            self.values["value", place] = stated
            if record["fact"] is None:
                self.dates.append(("value", place))
        self.zone = _zone(certificate["calendar"]["zone"])
        used = {point for edges in self.values.values() for left, right, *_ in edges for point in (left, right)}
        self.has_both_origins = "@" in used and "@Z" in used

    def check_times(self, model: dict[str, list[int]], edges: list[Constraint], name: str) -> None:
        """Check that times, counted from @ in 1/unit of a second, make constraints true for some time of @Z.

        No constraint of @Z is strict: the meaning of a value never has such a one, and none is trusted.
        """
        least: list[int] = []  # of @Z
        most: list[int] = []
        for left, right, seconds, strict in [*edges, *(self.zone if self.has_both_origins else ())]:
            distance = seconds * self.unit
            if left == "@Z":
                least.append(_time(right, model, name) - distance)
            elif right == "@Z":
                most.append(_time(left, model, name) + distance)
            else:
                found = _time(right, model, name) - _time(left, model, name)
                fits = found < distance or (found == distance and not strict)
                require(fits, f"{name}: {left} and {right} are too far apart, or too close")
        require(not least or not most or max(least) <= min(most), f"{name}: no zone fits")


def _zone(zone: str | None) -> list[Constraint]:
    """Return constraints on the difference between UTC and the local clock."""
    late, early = 14 * 3600, 12 * 3600
    parts = _ZONE.fullmatch(zone or "")
    if parts is not None:
        late = (3600 * int(parts[2]) + 60 * int(parts[3])) * (-1 if parts[1] == "-" else 1)
        early = -late
    return [("@", "@Z", late, False), ("@Z", "@", early, False)]


def _time(point: str, model: dict[str, list[int]], name: str) -> int:
    """Return the time of an endpoint, or of @."""
    if point == "@":
        return 0
    entity, _, end = point.rpartition(".")
    require(entity in model, f"{name}: no times for {entity[:40]!r}")
    return model[entity][end == "end"]


# --- form ------------------------------------------------------------------------------------------------------------


def check_form(certificate: dict[str, Any]) -> None:
    """Check that everything about values has its place and type."""
    calendar = certificate["calendar"]
    require(isinstance(calendar, dict) and calendar.keys() == {*CHOICES, "zone"}, "calendar: wrong fields")
    require(all(calendar[name] in allowed for name, allowed in CHOICES.items()), "calendar: an unknown choice")
    zone = calendar["zone"]
    require(zone is None or (isinstance(zone, str) and _ZONE.fullmatch(zone) is not None), "calendar: no zone")
    unit = certificate["unit"]
    require(type(unit) is int and 1 <= unit <= LARGEST_UNIT, "unit: not a whole number from 1")
    require(isinstance(certificate["values"], list), "values: not a list")
    query, met = certificate.get("query"), set()
    for place, record in enumerate(certificate["values"]):
        _check_record(record, query if isinstance(query, dict) else {}, f"values {place}")
        met.add((record["entity"], record["fact"]))
    require(len(met) == len(certificate["values"]), "values: a fact is given twice")
    named = {entity for entity, fact in met if fact is not None}
    named |= {link[end] for link in certificate["links"] for end in ("source", "target")}
    require(all(fact is not None or entity not in named for entity, fact in met), "values: a date that is an entity")


def _check_record(record: Any, query: dict[str, Any], name: str) -> None:
    require(isinstance(record, dict) and record.keys() == VALUE, f"{name}: wrong fields")
    texts = all(isinstance(record[key], str) for key in ("entity", "value"))
    texts = texts and all(record[key] is None or isinstance(record[key], str) for key in ("fact", "type", "mod"))
    require(texts and isinstance(record["dct"], bool), f"{name}: wrong types")
    constraints = record["constraints"]
    require(isinstance(constraints, list) and bool(constraints), f"{name}: no constraints")
    for constraint in constraints:
        require(is_list(constraint, 4) and is_edge(constraint), f"{name}: odd constraint")
    entity, fact = record["entity"], record["fact"]
    if fact is None:
        asked = entity in (query.get("source"), query.get("target"))
        require(asked and record["type"] is None and record["mod"] is None, f"{name}: not a date that was asked about")
    else:
        require(fact in (entity, f"{entity}.beginPoint", f"{entity}.endPoint"), f"{name}: a fact of another entity")


def is_edge(edge: list[Any]) -> bool:
    """Return whether the first four parts are those of a constraint."""
    left, right, seconds, strict = edge[:4]
    numbers = type(seconds) is int and abs(seconds) <= MOST_SECONDS and isinstance(strict, bool)
    return numbers and isinstance(left, str) and isinstance(right, str)
