"""JSON files that are one value, from strangers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.io.source import Source

_LARGE = 1 << 20  # characters of a text whose objects share their texts
_TOKEN = re.compile(r'"(?P<string>(?:[^"\\]|\\.)*+)(?:"|\\?\Z)(?P<colon>\s*+:)?|[\[\]{}]', re.DOTALL)


def json_value(source: Source) -> Any:
    """Return the value that a file holds. Raise InputError with line and column if it holds none."""
    text = source.decode()
    if not text.strip():
        raise source.error("file is empty")
    return parsed(text, source, "not JSON", "the file may be cut off: export it again")


def parsed(text: str, source: Source, problem: str, cure: str, *, line: int | None = None) -> Any:
    """Return the value of a JSON text. Raise InputError with line and column if it has none. ``line``: all of it."""
    try:
        value = json.loads(text, object_hook=_sharing_texts() if len(text) > _LARGE else None)
        if "\\u" in text:  # an escape may contain half a character, which cannot be printed
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = {"line": line or error.lineno, "column": error.colno}
        raise source.error(f"{problem}: {error.msg}", **place, cure=cure) from None
    except UnicodeEncodeError:
        cure = "write surrogates in pairs"
        raise source.error("a \\u escape gives half a character", line=line, cure=cure) from None
    except RecursionError:
        raise source.error(f"{problem}: nested too deeply", line=line) from None
    except ValueError as error:  # a number of thousands of digits
        raise source.error(f"{problem}: {error}", line=line) from None
    return value


def _sharing_texts() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that gives equal texts of all objects one place in memory: many links name one entity."""
    known: dict[str, str] = {}

    def shared(record: dict[str, Any]) -> dict[str, Any]:
        for key, value in record.items():
            if type(value) is str:
                record[key] = known.setdefault(value, value)
        return record

    return shared


def whole_object(source: Source) -> dict[str, Any] | None:
    """Return the object that a file as a whole is; None if it is none, or an empty one."""
    try:
        return dictionary(json.loads(source.decode())) or None
    except (ValueError, RecursionError):
        return None


def first_object(text: str) -> dict[str, Any]:
    """Return the first object of a JSON text, for recognising it: of a list, of JSON Lines, or the text itself.

    The text may be cut off. Then only the keys of the object are known, and their values are None.
    """
    start = re.match(r"\ufeff?\s*+(?:\[\s*+)?(?=\{)", text)
    if start is None:
        return {}
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError):
        return dict.fromkeys(_keys(text, start.end()))
    return dictionary(found)


def _keys(text: str, start: int) -> Iterator[str]:
    """Yield the keys of the object that begins here, as far as the text goes."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
            if not depth:
                return
        elif depth == 1 and token["colon"]:
            yield token["string"]


def text_of(value: object) -> str | None:
    """Return an id or a label as text; None for anything that is neither text nor a whole number.

    >>> text_of(7), text_of("a"), text_of(""), text_of(True), text_of([])
    ('7', 'a', None, None, None)
    """
    if type(value) is str:
        return value or None
    return str(value) if type(value) is int else None


def dictionary(value: object) -> dict[str, Any]:
    """Return the value if it is an object, and an empty object otherwise."""
    return value if type(value) is dict else {}


def records(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list. Anything else becomes an empty object, so that positions stay the same."""
    return [dictionary(each) for each in value] if type(value) is list else []
