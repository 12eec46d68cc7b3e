"""Choose the files of an Anafora folder to read: a document has one file for each layer of annotation.

``note.Temporal-Relation.gold.completed.xml`` holds the times; files of coreference or of medical terms are next to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LAYER = re.compile(r"(?P<note>.+)\.(?P<schema>[A-Za-z][\w-]*)\.[^.]+\.(?:completed|inprogress)\.xml(?:\.gz)?")
_TEMPORAL_SCHEMAS = ("Temporal-Relation", "Temporal", "Temporal-Entity")  # the first has what the last has, and links


def other_layers(names: Iterable[str]) -> set[str]:
    """Return the files of a folder that annotate something else, if another file has the times of the same document.

    >>> sorted(other_layers(["n.Temporal-Relation.gold.completed.xml", "n.UMLS.gold.completed.xml", "m.xml"]))
    ['n.UMLS.gold.completed.xml']
    """
    layers: dict[str, dict[str, list[str]]] = {}
    for name in names:
        if found := _LAYER.fullmatch(name):
            layers.setdefault(found["note"], {}).setdefault(found["schema"], []).append(name)
    others: set[str] = set()
    for schemas in layers.values():
        chosen = next((each for each in _TEMPORAL_SCHEMAS if each in schemas), None)
        if chosen is not None:
            others.update(name for schema, files in schemas.items() if schema != chosen for name in files)
    return others
