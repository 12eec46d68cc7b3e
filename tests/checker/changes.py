"""Tables of changes: a valid certificate, and for each rule a change that breaks it, with words of the reason."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.checker import Rejected, verify

if TYPE_CHECKING:
    from collections.abc import Callable

GONE = object()  # as a value: the field, or the entry of a list, is left out


class Row(NamedTuple):
    """A change of a certificate. ``words``: part of the reason for rejecting it; None: it is still valid."""

    name: str
    words: str | None
    certificate: dict[str, Any]


class Table(NamedTuple):
    """A valid certificate and changes of it."""

    name: str
    certificate: dict[str, Any]
    rows: list[Row]


def table(name: str, certificate: dict[str, Any], rows: list[Callable[[dict[str, Any]], Row]]) -> Table:
    """Make the table of one certificate."""
    found = Table(name, certificate, [make(certificate) for make in rows])
    names = [row.name for row in found.rows]
    assert len(set(names)) == len(names), f"{name}: a row is there twice"
    written = json.dumps(certificate)  # 1 and true are equal in Python
    assert all(json.dumps(row.certificate) != written for row in found.rows), f"{name}: a row changes nothing"
    return found


def row(name: str, words: str | None, *changes: tuple[str, Any]) -> Callable[[dict[str, Any]], Row]:
    """Return a row maker. A change is a path such as ``links.0.line``, and the new value or a function of the old."""

    def make(certificate: dict[str, Any]) -> Row:
        twin = json.loads(json.dumps(certificate))  # no part of it is there twice
        for path, value in changes:
            _put(twin, path.split("."), value)
        return Row(name, words, twin)

    return make


def valid(name: str, *changes: tuple[str, Any]) -> Callable[[dict[str, Any]], Row]:
    """Return the maker of a row whose certificate is still valid."""
    return row(name, None, *changes)


def plus(*more: Any) -> Callable[[list[Any]], list[Any]]:
    """Return a function that makes a list longer."""
    return lambda old: [*old, *more]


def _put(holder: Any, path: list[str], value: Any) -> None:
    *way, last = path
    for name in way:
        holder = holder[int(name) if isinstance(holder, list) else name]
    place: Any = int(last) if isinstance(holder, list) else last
    if value is GONE:
        del holder[place]
    else:
        holder[place] = value(holder[place]) if callable(value) else copy.deepcopy(value)


def verdict(text: str | bytes, **about: Any) -> str | None:
    """Return the reason for which the checker rejects a certificate, or None."""
    try:
        verify(text, **about)
    except Rejected as reason:
        return str(reason)
    return None


def faults(tables: Table) -> list[str]:
    """Return the rows of a table that get another verdict, or another reason."""
    found = []
    for each in [Row("unchanged", None, tables.certificate), *tables.rows]:
        reason = verdict(json.dumps(each.certificate))
        if (reason is None) != (each.words is None) or (each.words or "") not in (reason or ""):
            found.append(f"{tables.name}, {each.name}: {reason!r} instead of {each.words!r}")
    return found


def whole(name: str, words: str | None, certificate: dict[str, Any]) -> Callable[[dict[str, Any]], Row]:
    """Return the maker of a row with a certificate of its own."""
    return lambda _: Row(name, words, certificate)
