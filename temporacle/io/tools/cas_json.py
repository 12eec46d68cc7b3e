"""UIMA CAS in JSON 0.4: the same feature structures as in XMI, with references marked by ``@``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from temporacle.io.tools import cas
from temporacle.io.tools.json_file import json_value, records, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source
    from temporacle.model import Document

STRUCTURES = "%FEATURE_STRUCTURES"
ELEMENTS = "%ELEMENTS"
_ARRAY = "uima.cas.FSArray"
_SOFA = "uima.cas.Sofa"


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether a file is a CAS: its keys begin with a percent sign."""
    return bool(record) and all(key.startswith("%") for key in record)


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a file, one for each Sofa."""
    value = json_value(source)
    if type(value) is not dict or type(value.get(STRUCTURES)) is not list:
        raise source.error(f"no {STRUCTURES}: the file is not a CAS", cure="export UIMA CAS JSON again")
    yield from cas.documents(source, "cas-json", cas_of(value[STRUCTURES]))


def is_array(record: dict[str, Any]) -> bool:
    """Return whether a structure is an array of structures."""
    kind = record.get("%TYPE")
    return type(kind) is str and (kind == _ARRAY or kind.endswith("[]"))


def cas_of(stated: list[Any]) -> cas.Cas:
    """Return the contents of a file."""
    sofas: list[cas.Sofa] = []
    structures: list[cas.Structure] = []
    arrays: dict[str, list[str]] = {}
    foreign: dict[str, dict[str, Any]] = {}
    ids: list[str] = []
    for place, record in enumerate(records(stated)):
        name, kind = text_of(record.get("%ID")), text_of(record.get("%TYPE"))
        if name is None or kind is None:
            continue
        ids.append(name)
        if kind == _SOFA:
            text = record.get("sofaString")
            label = text_of(record.get("sofaID")) or name
            sofas.append(cas.Sofa(name, label, text if type(text) is str else None))
        elif is_array(record):
            elements = record.get(ELEMENTS)
            found = [text_of(each) for each in elements] if type(elements) is list else []
            arrays.setdefault(name, [each for each in found if each is not None])
        elif kind.startswith(cas.FOREIGN):
            foreign.setdefault(name, record)
        else:
            structures.append(structure_of(record, place))
    repeated = [(name, None) for name, count in Counter(ids).items() if count > 1]

    def other(name: str) -> cas.Structure | None:
        return structure_of(foreign[name]) if name in foreign else None

    return cas.Cas(cas.one_of_each(sofas), structures, arrays, list(repeated), other)


def structure_of(record: dict[str, Any], place: int = 0) -> cas.Structure:
    """Return the structure that an object states. Numbers that are neither offsets nor references are left out."""
    features: dict[str, str] = {}
    for key, value in record.items():
        text = text_of(value)
        if text is None or key.startswith("%"):
            continue
        name = key.lstrip("@^")
        if key.startswith(("@", "^")) or name in {"begin", "end"} or type(value) is not int:
            features.setdefault(name, text)
    name, kind = text_of(record.get("%ID")) or "", text_of(record.get("%TYPE")) or ""
    return cas.Structure(name, kind, features, None, place)
