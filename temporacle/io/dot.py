"""Writes Graphviz: entities as nodes, links as arrows with their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.io.writer_helpers import entities_of, relation_text
from temporacle.model import Kind

if TYPE_CHECKING:
    from temporacle.io.formats import Report
    from temporacle.model import Document, Entity

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
