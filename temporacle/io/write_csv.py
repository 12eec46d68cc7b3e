"""Writes CSV for spreadsheets: one row a link. Nothing in it can be taken for a formula."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from temporacle.io.write_common import tell_what_no_link_holds

if TYPE_CHECKING:
    from temporacle.io.writers import Report
    from temporacle.model import Document

_STARTS_A_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ATOMS = re.compile(r"=(\|[a-z]+)*")  # no formula, though it begins like one


def text(document: Document, report: Report) -> str:
    """The links of a document, a row each."""
    file = io.StringIO()
    writer = csv.writer(file)
    for link in document.links:
        cells = (document.id, link.id, link.source, str(link.relation), link.label, link.target)
        writer.writerow([*map(harmless, cells), link.line, link.weight, harmless(link.task or "")])
    tell_what_no_link_holds(document, report, "CSV")
    return file.getvalue()


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe first. Relations are none, and stay as they are.

    >>> harmless("=1+1"), harmless("=|si"), harmless("e1")
    ("'=1+1", '=|si', 'e1')
    """
    return "'" + cell if _STARTS_A_FORMULA.match(cell) and not _ATOMS.fullmatch(cell) else cell


def restored(cell: str) -> str:
    """What ``harmless`` was given.

    >>> restored("'=1+1"), restored("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _STARTS_A_FORMULA.match(cell) else cell
