"""Contents of a TimeML file beyond entities, links and text: kept under the key ``timeml``, and written again.

    document   "timeml": [{"tag": "SIGNAL", "attributes": {"sid": "s1"}, "start": 4, "end": 10},
                          {"tag": "SLINK", "attributes": {...}, "text": ""}]
    entity     "timeml": {"EVENT": {"class": "OCCURRENCE"}, "MAKEINSTANCE": {"tense": "PAST"}}
    link       "timeml": {"signalID": "s1"}

An element inside the text has a start and an end there; one outside it has its text. What cannot be kept is counted
by kind, so that a writer can report it: comments, attributes in a namespace, and elements outside the text that hold
others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.io.builder import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.model import Extras

KEY = "timeml"
# Elements and attributes that a Document holds in fields of its own.
STRUCTURE = {"TimeML", "TempEval", "TEXT", "DCT", "EVENT", "MAKEINSTANCE", "TIMEX3", "TLINK"}
KNOWN = {
    "EVENT": {"eid"},
    "MAKEINSTANCE": {"eiid", "eventID"},
    "TIMEX3": {"tid", "value", "functionInDocument", *ATTRIBUTES},
    "TLINK": {
        *("lid", "relType", "eventInstanceID", "timeID", "relatedToEventInstance", "relatedToTime"),
        *("eventID", "relatedToEvent", "from", "to", "task"),
    },
}


def elements_in(extras: Extras | None) -> Iterable[dict[str, Any]]:
    """Yield the further elements of a document that are in the form described above."""
    found = extras.document.get(KEY) if extras is not None else None
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict) and _is_name(each.get("tag")) and _is_flat(each.get("attributes", {})):
            yield each


def attributes_in(extras: Extras | None, entity: str, tag: str) -> dict[str, str]:
    """Return the further attributes of the element ``tag`` of an entity."""
    found = extras.entities.get(entity, {}).get(KEY) if extras is not None else None
    return _usable(found.get(tag) if isinstance(found, dict) else None, tag)


def link_attributes_in(extras: Extras | None, link: str) -> dict[str, str]:
    """Return the further attributes of a link."""
    return _usable(extras.links.get(link, {}).get(KEY) if extras is not None else None, "TLINK")


def _usable(found: object, tag: str) -> dict[str, str]:
    if not isinstance(found, dict) or not _is_flat(found):
        return {}
    return {name: value for name, value in found.items() if name not in KNOWN[tag]}


def _is_flat(found: object) -> bool:
    return isinstance(found, dict) and all(_is_name(name) and isinstance(value, str) for name, value in found.items())


def _is_name(value: object) -> bool:
    """Return whether a value can be the name of an element or attribute: JSON Lines may hold anything."""
    return isinstance(value, str) and value.isidentifier() and value.isascii() and value not in STRUCTURE
