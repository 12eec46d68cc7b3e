"""Everything in a certificate has its place and type, before anything is believed: what all claims share.

A claim calls ``check_common``, and the functions here for its own parts.
"""

from __future__ import annotations

import re
from typing import Any

from .atoms import ATOMS

COMMON = {"format", "version", "claim", "document", "readings", "links"}
CALENDAR = {"calendar", "values", "unit"}  # with values of time expressions
DOCUMENT = {"id", "path", "sha256", "format", "reading", "during", "encoding"}
LINK = {"id", "source", "relation", "label", "target", "line"}
LARGEST = 10**18  # a number beyond this is refused, so that none costs much to compare
MOST_SECONDS = 10**15


class Rejected(Exception):  # noqa: N818 - it is a verdict
    """Why a certificate is not accepted."""


def require(condition: bool, reason: str) -> None:  # noqa: FBT001
    """Reject the certificate unless the condition is true."""
    if not condition:
        raise Rejected(reason)


def check_common(certificate: dict[str, Any], parts: set[str]) -> None:
    """Check that a certificate has exactly the common fields and ``parts``, and the form of the common ones.

    With values (``has_values``) it has three more fields.
    """
    valued = has_values(certificate)
    check_fields(certificate, COMMON | parts | (CALENDAR if valued else set()), "the certificate")
    check_document(certificate["document"])
    check_links(certificate)
    if valued:
        from .clock import check_form

        check_form(certificate)


def has_values(certificate: dict[str, Any]) -> bool:
    """Return whether a certificate rests on values of time expressions; never in version 1."""
    return certificate["version"] > 1 and "calendar" in certificate


def check_document(document: Any, name: str = "document") -> None:
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
    sha256 = document["sha256"]
    require(sha256 is None or re.fullmatch("[0-9a-f]{64}", sha256) is not None, f"{name}: sha256 is not a digest")


def check_links(holder: dict[str, Any]) -> None:
    """Check ``links``, and that ``readings`` lists the meanings of their labels."""
    readings = set()
    for entry in as_list(holder["readings"], "readings"):
        require(is_list(entry, 2) and isinstance(entry[0], str), "readings: an entry is [label, atoms]")
        readings.add((entry[0], as_atoms(entry[1], "readings")))
    require(len(readings) == len(holder["readings"]), "readings: an entry is given twice")
    used = {_check_link(link, place) for place, link in enumerate(as_list(holder["links"], "links"))}
    require(used == readings, "readings and links do not agree on what the labels mean")


def _check_link(link: Any, place: int) -> tuple[str, tuple[str, ...]]:
    """Return the label of a link, and its relation."""
    check_fields(link, LINK, f"link {place}")
    require(is_text(link, "id", "source", "label", "target"), f"link {place}: id, source, label, target are texts")
    require(is_line(link["line"]), f"link {place}: line is not a line number")
    return link["label"], as_atoms(link["relation"], f"link {place}")


def check_times(model: Any, name: str, certificate: dict[str, Any]) -> None:
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


def key(number: Any) -> Any:
    """Return a position among links or values as a key."""
    return tuple(number) if isinstance(number, list) else number
