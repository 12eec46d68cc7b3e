"""Writes links TSV. It holds links only: ids, weights, and entities without links have no place in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.io.write_common import relation_text, tell_what_no_link_holds
from temporacle.model import Remark

if TYPE_CHECKING:
    from temporacle.io.writers import Report
    from temporacle.model import Document


def text(document: Document, report: Report) -> str:
    """The links of a document, a line each."""
    name = _field(document, document.id)
    if name.startswith("#") or not name.strip():
        raise InputError(
            f"document {document.id!r} cannot be named in a TSV file", path=document.path, cure="write JSON Lines"
        )
    lines = [
        f"{name}\t{_field(document, link.source)}\t{relation_text(link)}\t{_field(document, link.target)}\n"
        for link in document.links
    ]
    tell_what_no_link_holds(document, report, "TSV")
    if any(link.weight != 1 for link in document.links):
        report(Remark("no-weights", f"{document.id}: weights are not in the TSV file"))
    return "".join(lines)


def _field(document: Document, value: str) -> str:
    if any(character in value for character in "\t\n\r"):
        raise InputError(f"{value!r} holds a tab or a line end", path=document.path, cure="write JSON Lines")
    return value
