"""Find the exact position of each value in a JSON text.

The text has been parsed before, so it is known to be JSON: this only looks for the borders of values. Nothing here is
recursive, so depth does not matter; each call reads its value once.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.io.edit.text import Splice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_BLANK = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]++")


class Value(NamedTuple):
    """The place of a value."""

    start: int
    end: int

    def of(self, text: str) -> Any:
        """Return the value itself."""
        return json.loads(text[self.start : self.end])


class Member(NamedTuple):
    """A key of an object with the place of its value."""

    key: str
    start: int  # of the key
    value: Value


def value_at(text: str, start: int) -> Value:
    """Return the value that begins here, or after the white space here.

    >>> text = ' {"a": "}"}, 2'
    >>> value_at(text, 0)
    Value(start=1, end=11)
    """
    start = _BLANK.match(text, start).end()  # type: ignore[union-attr]
    first = text[start]
    if first == '"':
        return Value(start, _STRING.match(text, start).end())  # type: ignore[union-attr]
    if first not in "[{":
        return Value(start, _SCALAR.match(text, start).end())  # type: ignore[union-attr]
    depth = 0
    for match in _NESTING.finditer(text, start):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
            if not depth:
                return Value(start, match.end())
    raise ValueError("the value has no end")


def items(text: str, array: Value) -> list[Value]:
    """Return the values of an array."""
    return list(_parts(text, array))


def members(text: str, record: Value) -> list[Member]:
    """Return the keys of an object in the order of the text."""
    found = []
    for key in _parts(text, record):
        colon = _BLANK.match(text, key.end).end()  # type: ignore[union-attr]
        found.append(Member(json.loads(text[key.start : key.end]), key.start, value_at(text, colon + 1)))
    return found


def member(text: str, record: Value, name: str) -> Member | None:
    """Return the key of that name. If there are several, return the last, which is the valid one."""
    return next((each for each in reversed(members(text, record)) if each.key == name), None)


def value_of(text: str, record: Value, *path: str) -> Value | None:
    """Return the value under a key, under a key of that value, and so on; None if there is none."""
    for name in path:
        found = member(text, record, name) if text[record.start] == "{" else None
        if found is None:
            return None
        record = found.value
    return record


def _parts(text: str, whole: Value) -> Iterator[Value]:
    """Yield the values of an array, or the keys of an object."""
    is_object = text[whole.start] == "{"
    position = _BLANK.match(text, whole.start + 1).end()  # type: ignore[union-attr]
    while position < whole.end - 1:
        part = value_at(text, position)
        yield part
        end = part.end
        if is_object:
            end = value_at(text, _BLANK.match(text, end).end() + 1).end  # type: ignore[union-attr]
        position = _BLANK.match(text, end).end()  # type: ignore[union-attr]
        if text[position] == ",":
            position = _BLANK.match(text, position + 1).end()  # type: ignore[union-attr]


def removed(text: str, array: Value, gone: Collection[int]) -> Iterator[Splice]:
    """Take items, given by their positions, out of an array.

    An item goes with the comma before it, if an item that stays stands anywhere before it; otherwise with what stands
    between it and the next. If none stays, nothing is left between the brackets.
    """
    yield from _without(array, items(text, array), gone)


def without_member(text: str, record: Value, name: str) -> Iterator[Splice]:
    """Take a key out of an object, by the same rule."""
    present = members(text, record)
    gone = {position for position, each in enumerate(present) if each.key == name}
    yield from _without(record, [Value(each.start, each.value.end) for each in present], gone)


def _without(whole: Value, parts: list[Value], gone: Collection[int]) -> Iterator[Splice]:
    if len(gone) == len(parts):
        yield Splice(whole.start + 1, whole.end - 1)
        return
    one_stays = False
    for position, part in enumerate(parts):
        if position not in gone:
            one_stays = True
        elif one_stays:
            yield Splice(parts[position - 1].end, part.end)
        else:
            yield Splice(part.start, parts[position + 1].start)


def with_member(text: str, record: Value, name: str, value: object) -> Splice:
    """Return a splice that changes the value under a key.

    A new key is placed after the last one, with the white space of the first.
    """
    written = json.dumps(value, ensure_ascii=False)
    present = members(text, record)
    there = next((each for each in reversed(present) if each.key == name), None)
    if there is not None:
        return Splice(*there.value, written)
    key = json.dumps(name, ensure_ascii=False)
    if not present:
        return Splice(record.start + 1, record.start + 1, f"{key}: {written}")
    blanks = text[record.start + 1 : present[0].start]
    place = present[-1].value.end
    return Splice(place, place, f",{blanks}{key}: {written}")


def lines(text: str) -> Iterator[tuple[int, Value]]:
    """Yield the lines that are not blank with their numbers, split at line feeds."""
    start, number = 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        number += 1
        if not text[start:end].isspace() and end > start:
            yield number, Value(start, end)
        start = end + 1


def whole_line(text: str, place: int) -> Value:
    """Return the line that contains a place, with its line end."""
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    return Value(start, len(text) if end < 0 else end + 1)
