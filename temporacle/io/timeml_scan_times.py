"""The time expressions of a plain TimeML file, read from its bytes like its links (``timeml_scan``), without a tree.

The scan has proven how each TIMEX3 is written: the attributes with quotation marks, no ``<`` or ``>`` in them, and
nothing but text between the tags. Here a value with an entity, or with a blank that is not a space, is not plain: a
parser would replace it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from temporacle.model import Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAG = b"<TIMEX3"
_HOLDER = b"<DCT>"
_ATTRIBUTES = re.compile(r"""([A-Za-z]+)="([^"]*)\"""")
_REPLACED = re.compile(rb"""="[^"]*[&\t\n]""")


class _Stated(NamedTuple):
    """What a tag says besides the id."""

    value: str | None
    function: str | None
    type: str | None
    mod: str | None
    begin_point: str | None
    end_point: str | None


def plain_times(text: bytes, tids: Sequence[bytes]) -> list[Entity] | None:
    """Return the time expressions with these ids, in the order of the text, without their words; None if one is odd.

    ``text`` is the part of a plain file that has all of them, and is well-formed.
    """
    if b"\r" in text:  # lines end in several ways
        return None
    found: list[Entity] = []
    holder = text.find(_HOLDER)
    inside = None  # the place of the time that DCT holds
    end, line = 0, 1
    for tid in tids:
        begin = text.index(_TAG, end)
        if begin > holder >= 0 and inside is None:
            inside = len(found)
        before, end = end, text.index(b">", begin)
        stated = _stated(text[begin + len(_TAG) : end].replace(b' tid="%b"' % tid, b""))
        if stated is None:
            return None
        line += text.count(b"\n", before, end)
        value, function, kind, mod, begins, ends = stated
        found.append(
            Entity(tid.decode(), Kind.TIME, None, (), None, value, function, False, line, kind, mod, begins, ends)
        )
    dct = inside if holder >= 0 else _creation_time(found)
    if dct is not None:
        found[dct] = found[dct]._replace(is_dct=True)
    return found


@lru_cache(maxsize=1 << 14)
def _stated(attributes: bytes) -> _Stated | None:
    """Return what attributes say. Many times of a corpus say the same."""
    if _REPLACED.search(attributes):
        return None
    get = dict(_ATTRIBUTES.findall(attributes.decode())).get
    return _Stated(
        get("value"),
        get("functionInDocument"),
        get("type") or None,
        get("mod") or None,
        get("beginPoint") or None,
        get("endPoint") or None,
    )


def _creation_time(times: Sequence[Entity]) -> int | None:
    """Return the place of the creation time where no element holds it. A plain file has one of each kind at most."""
    for function in ("CREATION_TIME", "PUBLICATION_TIME"):
        for place, time in enumerate(times):
            if time.function == function:
                return place
    return next((place for place, time in enumerate(times) if time.id == "t0" and time.function is None), None)
