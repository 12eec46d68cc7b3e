"""Text from documents as people see it: on a terminal, in messages, in tables and in spreadsheets.

A document may hold anything: line breaks that forge lines, escape characters that a terminal obeys, characters that
turn the direction of writing, formulas, names of five megabytes. Nothing of that reaches people as it is.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 80  # characters of a name in a message
LONGEST_LINE = 4000  # characters of a line for people
_STARTS_A_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ATOMS = re.compile(r"=(\|[a-z]+)*")  # a relation, though it begins like a formula


def printable(text: str) -> str:
    r"""Return one line for people. Control characters and line breaks are shown as escapes; a long line is shortened.

    >>> printable("e1" + chr(27) + "[31m"), printable("a\nb: consistent"), printable("\u202etxt")
    ('e1\\x1b[31m', 'a\\nb: consistent', '\\u202etxt')
    >>> len(printable("x" * 5_000_000)) < 4100
    True
    """
    return escaped(shortened(text, LONGEST_LINE))


def escaped(text: str) -> str:
    r"""Return text in which every control character is written as its escape, as in Python.

    >>> escaped("a" + chr(13) + chr(10))
    'a\\r\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(name: str | None) -> str:
    r"""Return a name from a document for use in a message: quoted, on one line, shortened.

    >>> shown("left"), shown("a\nb"), shown("x" * 5_000_000)[-30:]
    ("'left'", "'a\\nb'", "xxxxx'... (5000000 characters)")
    """
    if name is None or len(name) <= LONGEST_NAME:
        return repr(name)
    return f"{name[:LONGEST_NAME]!r}... ({len(name)} characters)"


def first_of(names: Iterable[str], most: int = 10) -> str:
    """Return the first of some names for a message.

    >>> first_of(["a", "b", "c"], 2), first_of([])
    ('a, b, ...', 'none')
    """
    found = list(islice(names, most + 1))
    return ", ".join(found[:most]) + (", ..." if len(found) > most else "") or "none"


def shortened(text: str, longest: int) -> str:
    """Return text of at most the given number of characters, with a note about what was left out in its middle.

    >>> shortened("harbour", 100), shortened("abcdefgh" * 5, 8)
    ('harbour', 'abcd [32 characters left out] efgh')
    """
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"


def spreadsheet_cell(text: str) -> str:
    r"""Return a cell of CSV for people and spreadsheets, without control characters and formulas.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("a\nb"), spreadsheet_cell("b|m")
    ("'=1+1", 'a\\nb', 'b|m')
    """
    return harmless(escaped(text))


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, with an apostrophe if needed. Relations are not formulas
    and stay the same.

    >>> harmless("=1+1"), harmless("=|si"), harmless("e1")
    ("'=1+1", '=|si', 'e1')
    """
    return "'" + cell if _STARTS_A_FORMULA.match(cell) and not _ATOMS.fullmatch(cell) else cell


def restored(cell: str) -> str:
    """Return the value that was given to ``harmless``.

    >>> restored("'=1+1"), restored("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _STARTS_A_FORMULA.match(cell) else cell
