"""Text from documents, made harmless for terminals and spreadsheets."""

from __future__ import annotations

import re

_STARTS_A_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ATOMS = re.compile(r"=(\|[a-z]+)*")  # a relation, though it begins like a formula


def printable(text: str) -> str:
    r"""Text from a document made harmless for a terminal: control characters are shown, not obeyed.

    >>> printable("e1" + chr(27) + "[31m")
    'e1\\x1b[31m'
    """
    return "".join(c if c.isprintable() or c in "\t\n" else c.encode("unicode_escape").decode() for c in text)


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
