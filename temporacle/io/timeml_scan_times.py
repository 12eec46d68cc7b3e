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
    stated, lines = [], []
    end, line = 0, 1
    for tid in tids:
        begin = text.index(_TAG, end)
        before, end = end, text.index(b">", begin)
        said = _stated(text[begin + len(_TAG) : end].replace(b' tid="%b"' % tid, b""))
        if said is None:
            return None
        line += text.count(b"\n", before, end)
        stated.append(said)
        lines.append(line)
    dct = creation_time(text, tids, [each.function for each in stated])
    return [
        Entity(tid.decode(), Kind.TIME, None, (), None, value, function, place == dct, line, kind, mod, begins, ends)
        for place, tid, line, (value, function, kind, mod, begins, ends) in zip(
            range(len(tids)), tids, lines, stated, strict=True
        )
    ]


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


def creation_time(text: bytes, tids: Sequence[bytes], functions: Sequence[str | None]) -> int | None:
    """Return the number of the creation time. A plain file has at most one candidate of each kind.

    ``functions``: what ``functionInDocument`` says of each time.
    """
    holder = text.find(b"<DCT>")
    if holder >= 0:
        return text.count(_TAG, 0, holder)  # the next one after it
    for function in ("CREATION_TIME", "PUBLICATION_TIME"):
        if function in functions:
            return functions.index(function)
    unmarked = (number for number, tid in enumerate(tids) if tid == b"t0" and functions[number] is None)
    return next(unmarked, None)
