"""The attributes of TIMEX3, under the same names in every format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from temporacle.model import Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPACT_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
# TIMEX3's names of those attributes that readers and writers treat alike, and the fields of an entity that hold them:
# the last ones, in this order.
ATTRIBUTES = {"type": "type", "mod": "mod", "beginPoint": "begin_point", "endPoint": "end_point"}


def time_entity(
    get: Callable[[str], str | None],
    content: str | None,
    spans: tuple[tuple[int, int], ...],
    *,
    is_dct: bool,
    line: int | None,
) -> Entity:
    """Return the entity of a TIMEX3 element. ``get`` looks an attribute up."""
    value, function = get("value"), get("functionInDocument")
    return Entity(get("tid") or "", Kind.TIME, content, spans, None, value, function, is_dct, line, *_further(get))


def with_attributes(entity: Entity, get: Callable[[str], str | None]) -> Entity:
    """Return the time with its type, mod, beginPoint and endPoint. ``get`` looks an attribute up; an empty one counts
    as missing.

    >>> from temporacle.model import Entity
    >>> with_attributes(Entity("t5"), {"type": "DURATION", "beginPoint": "t1", "endPoint": ""}.get).begin_point
    't1'
    """
    fields: dict[str, Any] = dict(zip(ATTRIBUTES.values(), _further(get), strict=True))
    return entity._replace(**fields)


def _further(get: Callable[[str], str | None]) -> list[str | None]:
    return [get(attribute) or None for attribute in ATTRIBUTES]


def iso_date(written: str) -> str:
    """Return a creation date as TIMEX3 writes it. Lists of creation dates leave out the hyphens.

    >>> iso_date("20200504"), iso_date("2020-05-04")
    ('2020-05-04', '2020-05-04')
    """
    compact = _COMPACT_DATE.fullmatch(written)
    return "-".join(compact.groups()) if compact else written
