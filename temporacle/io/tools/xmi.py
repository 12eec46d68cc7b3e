"""UIMA CAS in XMI: a flat list of feature structures, the text in an attribute of the element Sofa."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from temporacle.io.tools import cas
from temporacle.io.xml import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from temporacle.io.source import Source
    from temporacle.model import Document

ID = "{http://www.omg.org/XMI}id"
_CAS = "{http:///uima/cas.ecore}"
SOFA, VIEW, NULL, ARRAY = (_CAS + name for name in ("Sofa", "View", "NULL", "FSArray"))


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of an XMI file, one for each Sofa."""
    yield from cas.documents(source, "xmi", cas_of(parse(source)))


@lru_cache(maxsize=4096)
def type_name(tag: str) -> str:
    """Return the name of a type: ``{http:///webanno/custom.ecore}EVENT`` is ``webanno.custom.EVENT``."""
    namespace, _, name = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", tag)
    package = namespace.removeprefix("http://").strip("/").removesuffix(".ecore").replace("/", ".")
    return f"{package}.{name}" if package else name


@lru_cache(maxsize=4096)
def is_foreign(tag: str) -> bool:
    """Return whether a layer belongs to syntax or to the framework."""
    return type_name(tag).startswith(cas.FOREIGN)


def cas_of(root: _Element) -> cas.Cas:
    """Return the contents of a file. Elements of foreign layers, which are the majority, are only counted."""
    sofas: list[cas.Sofa] = []
    structures: list[cas.Structure] = []
    arrays: dict[str, list[str]] = {}
    ids: list[str | None] = []
    foreign: dict[str, bool] = {}  # by tag: a file has thousands of elements and a few tags
    for place, element in enumerate(root.iterchildren("*")):
        tag: str = element.tag  # type: ignore[assignment]
        name = element.get(ID)
        ids.append(name)
        is_other = foreign.get(tag)
        if is_other is None:
            is_other = foreign[tag] = is_foreign(tag)
        if is_other:
            if tag == SOFA:
                sofas.append(cas.Sofa(name or "", element.get("sofaID") or name or "", element.get("sofaString")))
            elif tag == ARRAY and name:
                arrays.setdefault(name, (element.get("elements") or "").split())
        elif name:
            structures.append(structure_of(element, place))
    return cas.Cas(cas.one_of_each(sofas), structures, arrays, _repeated(root, ids), _Others(root))


def structure_of(element: _Element, place: int = 0) -> cas.Structure:
    """Return the structure that an element states."""
    features = dict(element.attrib.items())
    name = features.pop(ID, "")
    return cas.Structure(str(name), type_name(str(element.tag)), features, element.sourceline, place)


def _repeated(root: _Element, ids: list[str | None]) -> list[tuple[str, int | None]]:
    if len(set(ids)) == len(ids):
        return []
    counted = Counter(name for name in ids if name)
    lines: dict[str, int | None] = {}
    for element in root.iterchildren("*"):
        name = element.get(ID)
        if name and counted[name] > 1:
            lines[name] = element.sourceline  # of the last
    return list(lines.items())


class _Others:
    """Finds elements of foreign layers by id, when one is first asked for."""

    def __init__(self, root: _Element) -> None:
        self._root = root
        self._by_id: dict[str, _Element] | None = None

    def __call__(self, name: str) -> cas.Structure | None:
        if self._by_id is None:
            self._by_id = {}
            for element in self._root.iterchildren("*"):
                if is_foreign(str(element.tag)) and element.get("begin") is not None and (own := element.get(ID)):
                    self._by_id.setdefault(own, element)
        found = self._by_id.get(name)
        return None if found is None else structure_of(found)
