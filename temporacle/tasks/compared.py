"""Compare two versions of a document pair by pair of entities: what is agreed, and where they differ.

Pairs about which both mean the same are agreed, whatever the labels and the direction. The second version is first put
into the words of the first: its entities (by ids, or by their places in the text) and its labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.errors import LabelError
from temporacle.model import Body, Document, Entity, Link
from temporacle.printing import shown
from temporacle.scoring.options import Align
from temporacle.tasks.history import declares_entities
from temporacle.tasks.pairs_of import by_pair, mean_the_same, pair_of
from temporacle.tasks.score_pair import ids_look_aligned, with_common_names

if TYPE_CHECKING:
    from temporacle.model import Remark
    from temporacle.readings import Reading
    from temporacle.tasks.pairs_of import Pair

Links: TypeAlias = tuple[Link, ...]


class Difference(NamedTuple):
    """A pair of entities about which the two sides do not mean the same."""

    number: int
    source: str
    target: str
    first: Links
    second: Links  # with labels and entities of the first document

    @property
    def pair(self) -> Pair:
        return pair_of(self.source, self.target)

    def side(self, name: str) -> Links:
        """Return the links of a side; none for neither."""
        return {"first": self.first, "second": self.second}.get(name, ())


class LeftOut(NamedTuple):
    """A link of the second side that the first document cannot have."""

    link: Link
    why: str


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of a document, in the words of the first."""

    first: Document
    second: Document  # with labels and entities of the first, without the links that are left out
    base: Document  # the first with the agreed links alone
    differences: tuple[Difference, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[Remark, ...]


def compared(first: Document, second: Document, align: str | None = None) -> Compared:
    """Compare two documents. ``align``: how to match entities, "ids" or "spans"; None: what the documents suggest."""
    common = with_common_names(first, second, _alignment(first, second) if align is None else Align(align))
    entities = _entities(first, common.system)
    left_out: list[LeftOut] = []
    links = []
    known = set(entities)
    for link in common.system.links:
        label = label_for(link, first.reading)
        why = _why_left_out(link, label, known, first)
        if why is not None:
            left_out.append(LeftOut(link, why))
        else:
            links.append(link._replace(label=label or ""))
    agreed, differences = _agreed_and_different(first.links, tuple(links))
    body = first.body if declares_entities(first) else Body(tuple(map(Entity, entities)))
    base = replace(first, links=agreed, entity_ids=entities, body=body)
    other = replace(common.system, links=tuple(links))
    return Compared(first, other, base, differences, tuple(left_out), common.warnings)


def _why_left_out(link: Link, label: str | None, entities: set[str], first: Document) -> str | None:
    """Return why the first document cannot have a link of the second; None if it can."""
    if link.source == link.target:
        return "it links an entity to itself"
    for end in link.entities:
        if end not in entities:
            return f"the first document has no entity at the place of {shown(end.removeprefix('system:'))}"
    return f"reading {first.reading.name} has no label for {link.relation}" if label is None else None


def _alignment(first: Document, second: Document) -> Align:
    """Return how to match entities: by ids, unless these stand for different things or few of them are in common."""
    places = {entity.id: entity.spans for entity in first.entities if entity.spans}
    others = {entity.id: entity.spans for entity in second.entities if entity.spans}
    if not places or not others:
        return Align.IDS
    is_same = all(places[name] == others[name] for name in places.keys() & others.keys())
    return Align.IDS if is_same and ids_look_aligned(first, second) else Align.SPANS


def _entities(first: Document, second: Document) -> tuple[str, ...]:
    """Return the entities of the third version: those of the first, and others only if it declares none."""
    ends = (end for link in (*first.links, *second.links) for end in link.entities)
    others = () if declares_entities(first) else ends
    own = (end for link in first.links for end in link.entities)
    return tuple(dict.fromkeys((*first.entity_ids, *own, *others)))


def _agreed_and_different(first: Links, second: Links) -> tuple[Links, tuple[Difference, ...]]:
    """Return the agreed links, as the first side states them, and the differences.

    Links of an entity to itself are kept: they are not about a pair.
    """
    own, other = by_pair(first), by_pair(second)
    agreed: set[Pair] = set()
    found: list[Difference] = []
    for pair in dict.fromkeys((*own, *other)):
        one, two = tuple(own.get(pair, ())), tuple(other.get(pair, ()))
        if pair[0] == pair[1] or (two and mean_the_same(one, two)):
            agreed.add(pair)
        else:
            found.append(Difference(len(found), *(one or two)[0].entities, one, two))
    return tuple(link for link in first if pair_of(*link.entities) in agreed), tuple(found)


def label_for(link: Link, reading: Reading) -> str | None:
    """Return a label of a reading for the relation of a link: its own one, if it means the same; None if there is none.

    >>> from temporacle.model import Document
    >>> from temporacle.readings import load_reading
    >>> link = Document("d", [("a", "b", "c")]).links[0]
    >>> label_for(link, load_reading("timeml")), label_for(link, load_reading("allen"))
    ('BEFORE', 'b')
    """
    try:
        if reading.relation(link.label) == link.relation:
            return link.label
    except LabelError:
        pass
    named = next((label for label, relation in reading.labels.items() if relation == link.relation), None)
    return str(link.relation) if named is None and reading.atoms else named
