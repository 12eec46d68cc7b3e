"""Finds what a TimeML file says beyond entities, links and text (``timeml_extras`` has the form it is kept in)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lxml import etree

from temporacle.io.timeml_extras import KEY, KNOWN, STRUCTURE
from temporacle.model import Extras

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.etree import _Element


def local_name(element: _Element) -> str:
    """Return the tag without its namespace."""
    return str(element.tag).rpartition("}")[2]


class ExtrasFinder:
    """Collects the extras of one file. ``inside`` lists the elements of the text whose spans are wanted."""

    def __init__(self, root: _Element, text: _Element) -> None:
        self._root = root
        self._lost: Counter[str] = Counter()
        others = [element for element in root.iter(etree.Element) if local_name(element) not in STRUCTURE]
        within = set(text.iter(etree.Element))
        self.inside = [element for element in others if element in within]
        self._outside = [element for element in others if element not in within]
        self._lost["comment"] = sum(1 for _ in root.iter(etree.Comment))
        self._lost["processing instruction"] = sum(1 for _ in root.iter(etree.ProcessingInstruction))

    def extras(
        self, entities: Mapping[str, Iterable[_Element]], spans: Mapping[_Element, tuple[int, int]]
    ) -> Extras | None:
        """Return all that was found. ``entities`` gives the elements that declare each entity."""
        of_document = [*(self._in_text(each, spans) for each in self.inside), *self._outside_text()]
        of_entities: dict[str, dict[str, Any]] = {}
        for name, elements in entities.items():
            found = {local_name(each): others for each in elements if (others := self._others(each))}
            if found:
                of_entities[name] = {KEY: found}
        of_links = {name: {KEY: others} for name, others in self._links()}
        lost = {kind: count for kind, count in self._lost.items() if count}
        if not (of_document or of_entities or of_links or lost):
            return None
        return Extras({KEY: of_document} if of_document else {}, of_entities, of_links, lost)

    def _others(self, element: _Element) -> dict[str, str]:
        """Return the attributes that a Document has no field for."""
        known = KNOWN.get(local_name(element), ())
        found = {}
        for name, value in element.attrib.items():
            if str(name).startswith("{"):
                self._lost["attribute in a namespace"] += 1
            elif str(name) not in known:
                found[str(name)] = str(value)
        return found

    def _in_text(self, element: _Element, spans: Mapping[_Element, tuple[int, int]]) -> dict[str, Any]:
        start, end = spans[element]
        return {"tag": local_name(element), "attributes": self._others(element), "start": start, "end": end}

    def _outside_text(self) -> Iterable[dict[str, Any]]:
        for element in self._outside:
            if len(element):
                self._lost[f"<{local_name(element)}> around other elements"] += 1
            else:
                yield {"tag": local_name(element), "attributes": self._others(element), "text": element.text or ""}

    def _links(self) -> Iterable[tuple[str, dict[str, str]]]:
        """Yield attributes by link id. If an id is missing or occurs twice, they cannot be assigned."""
        links = [element for element in self._root.iter(etree.Element) if local_name(element) == "TLINK"]
        ids = Counter(element.get("lid") for element in links)
        for element in links:
            if others := self._others(element):
                name = element.get("lid")
                if name and ids[name] == 1:
                    yield name, others
                else:
                    self._lost["attributes of a TLINK without an id of its own"] += 1
