"""Names for the rows of detailed tables: labels of relations, and kinds of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.model import Kind
from temporacle.readings import canonical
from temporacle.reasoner.algebra import ALL
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.model import Document

NOTHING = "(nothing)"  # the pair is not related
UNKNOWN = "(unknown entity)"  # the side does not mention one of the two


class LabelNames:
    """Labels for relations: as the documents themselves write them, otherwise as atoms."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._names: dict[int, str] = {}
        for document in documents:
            for link in document.links:
                if link.label:
                    self._names.setdefault(int(link.relation), canonical(link.label))
        self._names[ALL] = NOTHING

    def of(self, mask: int) -> str:
        return self._names.get(mask) or str(Relation(mask))


class PairKinds:
    """What kinds of entities a pair joins: event-event, event-time, event-DCT, time-time, or other."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._kinds: dict[str, str] = {}
        for document in documents:
            for entity in document.entities:
                kind = "DCT" if entity.is_dct else entity.kind.value
                if self._kinds.get(entity.id, Kind.UNKNOWN.value) == Kind.UNKNOWN.value:
                    self._kinds[entity.id] = kind

    def of(self, source: str, target: str) -> str:
        unknown = Kind.UNKNOWN.value
        pair = {self._kinds.get(source, unknown), self._kinds.get(target, unknown)}
        if unknown in pair:
            return "other"
        if "event" not in pair:
            return "time-time"
        return "event-DCT" if "DCT" in pair else "event-time" if "time" in pair else "event-event"
