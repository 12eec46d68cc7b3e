"""Rows as a data frame, and as a table in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_MOST_SHOWN = 100  # rows of a table in a notebook


def to_frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> Any:
    """Return a pandas DataFrame with these columns, in this order. Raise UsageError if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise UsageError("to_frame() needs pandas (pip install pandas); to_dict() does not") from error
    return pd.DataFrame([[row.get(column) for column in columns] for row in rows], columns=list(columns))


# A signature is long and has no blanks: it must not make a table wider than its rows.
_CAPTION = "caption-side:bottom;text-align:left;font-size:85%;overflow-wrap:anywhere"


def html_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "", *, most: int = _MOST_SHOWN
) -> str:
    """Return a table for a notebook. Text from documents is escaped, and what comes after the first rows is counted.

    Names of columns may be broken at ``_``.

    >>> html_table(["id"], [["<b>"]])
    '<table><thead><tr><th>id</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    from html import escape  # only notebooks need it

    def shown(cell: object) -> str:
        return "" if cell is None else escape(str(cell))

    head = "".join(f"<th>{escape(column.replace('_', ' '))}</th>" for column in columns)
    every = list(rows)
    body = "".join(f"<tr>{''.join(f'<td>{shown(cell)}</td>' for cell in row)}</tr>" for row in every[:most])
    if (left_out := len(every) - most) > 0:
        body += f'<tr><td colspan="{len(columns)}">and {left_out} more rows</td></tr>'
    title = f'<caption style="{_CAPTION}">{escape(caption)}</caption>' if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
