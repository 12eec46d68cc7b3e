"""Writes CSV for spreadsheets: one row a link. Nothing in it can be taken for a formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporacle.io.writers import Report
    from temporacle.model import Document

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def text(document: Document, report: Report) -> str:  # noqa: ARG001 - a table of links claims to hold nothing else
    """The links of a document, a row each."""
    file = io.StringIO()
    writer = csv.writer(file)
    for link in document.links:
        cells = (document.id, link.id, link.source, str(link.relation), link.label, link.target)
        writer.writerow([*map(harmless, cells), link.line, link.weight, harmless(link.task or "")])
    return file.getvalue()


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula. The atom ``=`` alone is none.

    >>> harmless("=1+1"), harmless("="), harmless("e1")
    ("'=1+1", '=', 'e1')
    """
    return "'" + cell if cell.startswith(_STARTS_A_FORMULA) and cell != "=" else cell
