"""Whether times make facts true: the meaning of Allen's thirteen atoms, facts, models, and the form of what all share.

What is known about time is one table: an example of each atom. Any two pairs of proper intervals between which the same
atom holds have their endpoints in the same order, so one example of each is enough.

A *fact* is a link (source, atoms, target), or the list of constraints that a value of a time expression states. A
*model* gives each entity two integers, its start and its end. Everything in a certificate has its place and type before
anything is believed: functions named ``check_..._form`` see to that, and all others rely on it.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Protocol

# --- atoms -----------------------------------------------------------------------------------------------------------

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
EVERY = frozenset(ATOMS)
ENDS = ("start", "end")

Link = tuple[str, frozenset[str], str]  # source, atoms, target


def order(x: Any, y: Any) -> tuple[int, ...]:
    """Return how the endpoints of x lie to those of y: -1 before, 0 equal, 1 after."""
    return tuple((p > q) - (p < q) for p in x for q in y)


ATOM_OF = {order(x, y): atom for atom, (x, y) in EXAMPLES.items()}


def follows(left: str, sign: str, right: str, link: Link, atoms: frozenset[str]) -> bool:
    """Return whether an edge holds in every atom. An entity linked to itself can be seen from either side."""
    places = [(side, end) for side in (0, 1) for end in (0, 1)]
    named = {place: f"{link[0] if place[0] == 0 else link[2]}.{ENDS[place[1]]}" for place in places}

    def holds(x: tuple[int, int], y: tuple[int, int]) -> bool:
        pairs = [(EXAMPLES[atom][x[0]][x[1]], EXAMPLES[atom][y[0]][y[1]]) for atom in atoms]
        return all(p < q if sign == "<" else p <= q for p, q in pairs)

    return any(holds(x, y) for x in places for y in places if named[x] == left and named[y] == right)


def is_own_order(left: str, right: str) -> bool:
    """Return whether these are the start and the end of one entity."""
    entity = left.removesuffix(".start")
    return (left, right) == (f"{entity}.start", f"{entity}.end")


# --- facts -----------------------------------------------------------------------------------------------------------

Constraint = tuple[str, str, int, bool]  # left, right, seconds, strict: right - left <= seconds, or < if strict
Fact = Any  # a link, or the list of a value's constraints


class Clock(Protocol):
    """What a certificate with values of time expressions knows in addition (``calendar``)."""

    values: dict[tuple[str, int], list[Constraint]]  # by ("value", position)
    dates: list[tuple[str, int]]  # positions of the dates of a query

    def check_times(self, model: dict[str, list[int]], constraints: list[Constraint], name: str) -> None:
        """Check that times meet constraints."""

    def check_circle(self, edges: list[list[Any]], facts: dict[Any, Fact], atoms: dict[Any, Any], name: str) -> None:
        """Check that edges with seconds form a circle that is impossible. ``atoms``: what split links still allow."""


class Facts:
    """The facts of a certificate by key: the position of a link, or ("value", position)."""

    def __init__(self, links: list[dict[str, Any]], clock: Clock | None) -> None:
        self.clock = clock  # None: the certificate has no values
        self.known: dict[Any, Fact] = {place: link_of(link) for place, link in enumerate(links)}
        self.known |= clock.values if clock is not None else {}

    def all(self) -> list[Fact]:
        """Return all facts."""
        return list(self.known.values())


def link_of(link: dict[str, Any]) -> Link:
    """Return a link, or a query, as source, atoms and target."""
    return link["source"], frozenset(link["relation"]), link["target"]


def key(number: Any) -> Any:
    """Return a position among links or values as a key."""
    return tuple(number) if isinstance(number, list) else number


# --- models ----------------------------------------------------------------------------------------------------------


class Rejected(Exception):  # noqa: N818 - it is a verdict
    """Why a certificate is not accepted."""


def require(condition: bool, reason: str) -> None:  # noqa: FBT001
    """Reject the certificate unless the condition is true."""
    if not condition:
        raise Rejected(reason)


def check_model(model: dict[str, list[int]], facts: list[Fact], name: str, clock: Clock | None = None) -> None:
    """Check that every entity starts before it ends, and that every fact holds at these times."""
    for entity, times in model.items():
        if not times[0] < times[1]:
            raise Rejected(f"{name}: {entity!r} does not start before it ends")
    if clock is not None:
        clock.check_times(model, [each for fact in facts if isinstance(fact, list) for each in fact], name)
    for source, relation, target in (fact for fact in facts if not isinstance(fact, list)):
        if source not in model or target not in model:
            raise Rejected(f"{name}: no times for {source!r} or {target!r}")
        if ATOM_OF[order(model[source], model[target])] not in relation:
            raise Rejected(f"{name}: {source!r} {'|'.join(sorted(relation))} {target!r} does not hold")


# --- form ------------------------------------------------------------------------------------------------------------

DOCUMENT = {"id", "path", "sha256", "format", "reading", "during", "encoding"}
LINK = {"id", "source", "relation", "label", "target", "line"}
LARGEST = 10**18  # a number beyond this is refused, so that none costs much to compare
MOST_SECONDS = 10**15


def has_values(certificate: dict[str, Any]) -> bool:
    """Return whether a certificate rests on values of time expressions; never in version 1."""
    return certificate["version"] > 1 and "calendar" in certificate


def check_document_form(document: Any, name: str = "document") -> None:
    """Check the description of a document."""
    lists = isinstance(document, dict) and "dropped" in document  # only if links could not be read
    check_fields(document, DOCUMENT | {"dropped"} if lists else DOCUMENT, name)
    for entry in as_list(document["dropped"], "dropped") if lists else []:
        check_fields(entry, {"code", "line", "element"}, "dropped")
        good = is_line(entry["line"]) and (entry["element"] is None or isinstance(entry["element"], str))
        require(good and is_text(entry, "code"), "dropped: a bad entry")
    require(is_text(document, "id"), f"{name}: the id is a text")
    for field in DOCUMENT - {"id"}:
        require(document[field] is None or isinstance(document[field], str), f"{name}: {field} is a text or null")
    require(document["sha256"] is None or is_digest(document["sha256"]), f"{name}: sha256 is not a digest")


def check_links_form(holder: dict[str, Any]) -> None:
    """Check ``links``, and that ``readings`` lists the meanings of their labels."""
    readings = set()
    for entry in as_list(holder["readings"], "readings"):
        require(is_list(entry, 2) and isinstance(entry[0], str), "readings: an entry is [label, atoms]")
        readings.add((entry[0], as_atoms(entry[1], "readings")))
    require(len(readings) == len(holder["readings"]), "readings: an entry is given twice")
    used = {_check_link_form(link, place) for place, link in enumerate(as_list(holder["links"], "links"))}
    require(used == readings, "readings and links do not agree on what the labels mean")


def _check_link_form(link: Any, place: int) -> tuple[str, tuple[str, ...]]:
    """Return the label of a link, and its relation."""
    check_fields(link, LINK, f"link {place}")
    require(is_text(link, "id", "source", "label", "target"), f"link {place}: id, source, label, target are texts")
    require(is_line(link["line"]), f"link {place}: line is not a line number")
    return link["label"], as_atoms(link["relation"], f"link {place}")


def check_model_form(model: Any, name: str, certificate: dict[str, Any]) -> None:
    """Check that a model gives two whole numbers for each entity."""
    largest = MOST_SECONDS * certificate["unit"] if has_values(certificate) else LARGEST
    require(isinstance(model, dict), f"{name}: not an object")
    for times in model.values():
        require(
            is_list(times, 2) and all(is_int(time) and abs(time) <= largest for time in times), f"{name}: bad times"
        )


def check_fields(value: Any, names: set[str], name: str) -> None:
    """Check that an object has exactly these fields."""
    require(isinstance(value, dict), f"{name}: not an object")
    if value.keys() != names:
        raise Rejected(f"{name}: has {sorted(value)} instead of {sorted(names)}")


def as_list(value: Any, name: str) -> list[Any]:
    """Return a list."""
    require(isinstance(value, list), f"{name}: not a list")
    return value  # type: ignore[no-any-return]


def as_atoms(value: Any, name: str) -> tuple[str, ...]:
    """Return atoms in their fixed order, each once."""
    require(as_list(value, name) == [atom for atom in ATOMS if atom in value], f"{name}: not atoms in their order")
    return tuple(value)


def is_list(value: Any, length: int | None = None) -> bool:
    """Return whether it is a list, of the given length."""
    return isinstance(value, list) and length in (None, len(value))


def is_int(value: Any) -> bool:
    """Return whether it is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_line(value: Any) -> bool:
    """Return whether it is the number of a line, or null."""
    return value is None or (is_int(value) and 0 < value <= LARGEST)


def is_number(value: Any) -> bool:
    """Return whether it is the number of a link, or "query"."""
    return is_int(value) or value == "query"


def is_text(value: dict[str, Any], *names: str) -> bool:
    """Return whether these fields are texts."""
    return all(isinstance(value[name], str) for name in names)


def is_digest(value: Any) -> bool:
    """Return whether it is a SHA-256."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_constraint(value: list[Any]) -> bool:
    """Return whether the first four parts of a list are those of a constraint."""
    left, right, seconds, strict = value[:4]
    numbers = is_int(seconds) and abs(seconds) <= MOST_SECONDS and isinstance(strict, bool)
    return numbers and isinstance(left, str) and isinstance(right, str)


# --- files -----------------------------------------------------------------------------------------------------------


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
