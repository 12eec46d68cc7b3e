"""Shared by writers: all entities of a document, and relations as labels that read back as the same relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import LabelError
from temporacle.model import Entity, Kind, Remark
from temporacle.readings import load_reading

if TYPE_CHECKING:
    from temporacle.io.formats import Report
    from temporacle.model import Document, Link


def entities_of(document: Document) -> dict[str, Entity]:
    """Return every entity by its id: those described, those only declared, and those only named in links."""
    described = {entity.id: entity for entity in document.entities}
    names = dict.fromkeys(document.entity_ids or described)
    for link in document.links:
        names[link.source] = names[link.target] = None
    return {name: described.get(name) or Entity(name) for name in names}


def tell_what_no_link_holds(document: Document, report: Report, table: str) -> None:
    """Say what is lost where a format holds links and nothing else."""
    linked = {end for link in document.links for end in (link.source, link.target)}
    if unlinked := len(entities_of(document).keys() - linked):
        what = f"{unlinked} entities" if unlinked > 1 else "1 entity"
        verb = "are" if unlinked > 1 else "is"
        report(Remark("unlinked-entities", f"{document.id}: {what} without links {verb} not in the {table} file"))
    elif not document.links:
        report(Remark("no-links", f"{document.id}: the document has no links, and a {table} file holds nothing else"))


def report_lost(document: Document, report: Report) -> None:
    """Report what a file says and a Document cannot hold, one line for all kinds."""
    lost = document.extras.lost if document.extras is not None else {}
    if lost:
        kinds = ", ".join(f"{count} x {kind}" for kind, count in sorted(lost.items()))
        report(Remark("markup-lost", f"{document.id}: not kept from the original file: {kinds}"))


def relation_text(link: Link) -> str:
    """Return how a relation is written in links TSV and JSON Lines: the link's own label where that reads back as the
    same relation there, otherwise its atoms.

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


# ----------------------------------------------------------------------------------------------------
# Writes Graphviz: entities as nodes, links as arrows with their labels.

_SHAPES = {Kind.EVENT: "ellipse", Kind.TIME: "box", Kind.UNKNOWN: "ellipse"}


def text(document: Document, report: Report) -> str:  # noqa: ARG001 - a picture claims to hold nothing else
    """Return the document as one directed graph."""
    lines = [f"digraph {_quoted(document.id)} {{", "  rankdir=LR;"]
    lines += [f"  {_quoted(name)} [{_style(entity)}];" for name, entity in entities_of(document).items()]
    lines += [
        f"  {_quoted(link.source)} -> {_quoted(link.target)} [label={_quoted(relation_text(link))}];"
        for link in document.links
    ]
    return "\n".join((*lines, "}\n"))


def _style(entity: Entity) -> str:
    label = f"{entity.id}\n{entity.text.strip()}" if entity.text and entity.text.strip() else entity.id
    return f"label={_quoted(label)}, shape={_SHAPES[entity.kind]}{', peripheries=2' if entity.is_dct else ''}"


def _quoted(name: str) -> str:
    r"""Return a quoted string of Graphviz. A line end becomes its escape, other control characters a blank.

    >>> print(_quoted('say "hi"\n' + chr(92)))
    "say \"hi\"\n\\"
    """
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(max(character, " ") for character in escaped) + '"'
