"""Reading a file of i2b2 2012 as its program does: bytes, line by line, without parsing XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from temporacle.scoring.official.registry import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_BLANKS = rb"[ \t\r\v\f]+"
_NUMBER = re.compile(rb"[ \t\r\v\f\n]*[+-]?[0-9]+[ \t\r\v\f\n]*")


def _pattern(*names: str, end: bytes) -> re.Pattern[bytes]:
    # The name of the first attribute may be the end of a longer one: the program searches for the text.
    return re.compile(_BLANKS.join(rb'%s="([^"]*)"' % name.encode() for name in names) + end)


_EVENT = _pattern("id", "start", "end", "text", "modality", "polarity", "type", end=_BLANKS + b"/>")
_TIMEX = _pattern("id", "start", "end", "text", "type", "val", "mod", end=_BLANKS + b"/>")
_TLINK = _pattern("id", "fromID", "fromText", "toID", "toText", "type", end=_BLANKS + b".*/>")


class I2b2Tag(NamedTuple):
    """An event or a time. ``attributes``: modality, polarity, type of an event; val, mod, type of a time."""

    id: bytes
    start: int
    end: int
    text: bytes
    attributes: tuple[bytes, bytes, bytes]


class TagLink(NamedTuple):
    """A link as it is written."""

    id: bytes
    source: bytes
    target: bytes
    label: bytes


def _matches(content: bytes, tag: bytes, pattern: re.Pattern[bytes]) -> list[re.Match[bytes]]:
    found = []
    for line in content.split(b"\n"):
        if b"<" + tag in line:
            match = pattern.search(line)
            if match is None:
                shown = line.decode("utf-8", "replace").strip()[:80]
                raise Stop("Exception", f"the {tag.decode()} tag is not in the expected form: {shown}")
            found.append(match)
    return found


def events_in(content: bytes) -> list[I2b2Tag]:
    """Return the events, each id once."""
    return _tags((match.groups() for match in _matches(content, b"EVENT", _EVENT)), lambda m, p, t: (m, p, t))


def times_in(content: bytes) -> list[I2b2Tag]:
    """Return the times, each id once."""
    return _tags((match.groups() for match in _matches(content, b"TIMEX3", _TIMEX)), lambda t, v, m: (v, m, t))


def links_in(content: bytes) -> list[TagLink]:
    """Return the links in order."""
    groups = (match.groups() for match in _matches(content, b"TLINK", _TLINK))
    return [TagLink(name, source, target, label) for name, source, _, target, _, label in groups]


def _tags(
    rows: Iterable[tuple[bytes, ...]], order: Callable[[bytes, bytes, bytes], tuple[bytes, bytes, bytes]]
) -> list[I2b2Tag]:
    found: dict[bytes, I2b2Tag] = {}
    for name, start, end, text, *attributes in rows:
        place = _whole(start), _whole(end)
        upper = (attribute.upper() for attribute in attributes)
        found.setdefault(name, I2b2Tag(name, *place, text, order(*upper)))
    return list(found.values())


def _whole(text: bytes) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise Stop("ValueError", f"{text.decode('utf-8', 'replace')!r} is not a whole number")
    return int(text)
