"""Names for the rows of detailed tables: labels of relations, and kinds of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.model import Kind
from temporacle.readings import canonical
from temporacle.reasoner.algebra import ALL
from temporacle.relation import ATOMS, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.model import Document

NOTHING = "(nothing)"  # the pair is not related
UNKNOWN = "(unknown entity)"  # the side does not mention one of the two


class LabelNames:
    """Labels for relations: of the reading that the documents were read by, else as they write them, else atoms.

    A reading has one name for a relation (SIMULTANEOUS, also where IDENTITY was written), so that tables of many
    documents add up.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._names: dict[int, str] = {}
        self._reading = None
        for document in documents:
            if self._reading is None and document.how_read is not None:
                self._reading = document.how_read.reading
            for link in document.links:
                if link.label and "|" not in link.label and link.label not in ATOMS:  # atoms are shown as such
                    self._names.setdefault(int(link.relation), canonical(link.label))

    def of(self, mask: int) -> str:
        if mask == ALL:
            return NOTHING
        relation = Relation(mask)
        if self._reading is not None and (label := self._reading.label_for(relation)) in self._reading.labels:
            return label
        return self._names.get(mask) or str(relation)


class PairKinds:
    """The kinds of entities that a pair joins: event-event, event-time, event-DCT, time-time, or other."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._kinds: dict[str, str] = {}
        for document in documents:
            for entity in document.entities:
                kind = "DCT" if entity.is_dct else entity.kind.value
                if self._kinds.get(entity.id, Kind.UNKNOWN.value) == Kind.UNKNOWN.value:
                    self._kinds[entity.id] = kind

    def of(self, source: str, target: str) -> str:
        return pair_kind(self.kind(source), self.kind(target))

    def kind(self, name: str) -> str:
        """Return the kind of an entity: event, time, DCT or unknown."""
        return self._kinds.get(name, Kind.UNKNOWN.value)


def pair_kind(first: str, second: str) -> str:
    """Return the kind of a pair of entities of these kinds."""
    pair = {first, second}
    if Kind.UNKNOWN.value in pair:
        return "other"
    if "event" not in pair:
        return "time-time"
    return "event-DCT" if "DCT" in pair else "event-time" if "time" in pair else "event-event"
