"""What writers share: all entities of a document, and relations as labels that read back as the same relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import LabelError
from temporacle.model import Entity
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from temporacle.model import Document, Link


def entities_of(document: Document) -> dict[str, Entity]:
    """Every entity by its id: those described, those only declared, and those only named in links."""
    described = {entity.id: entity for entity in document.entities}
    names = dict.fromkeys(document.entity_ids or described)
    for link in document.links:
        names[link.source] = names[link.target] = None
    return {name: described.get(name) or Entity(name) for name in names}


def relation_text(link: Link) -> str:
    """How a relation is written in links TSV and JSON Lines: the link's own label where that reads back as the same
    relation there, otherwise its atoms.

    >>> from temporacle.model import Link
    >>> from temporacle.relation import Relation
    >>> relation_text(Link("1", "a", Relation.of("b"), "c", "BEFORE"))
    'BEFORE'
    >>> relation_text(Link("1", "a", Relation.of("b", "m"), "c", "BEFORE"))
    'b|m'
    """
    try:
        same = load_reading("links").relation(link.label) == link.relation
    except LabelError:
        same = False
    return link.label if same else str(link.relation)
