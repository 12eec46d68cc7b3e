"""Rows of results as data frames and as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MOST_SHOWN = 100  # rows of a table in a notebook


def to_frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> Any:
    """A pandas DataFrame with these columns. UsageError if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("to_frame() needs pandas, which is not installed: pip install pandas") from None
    return pd.DataFrame([[row.get(column) for column in columns] for row in rows], columns=list(columns))


def html_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table for a notebook: all text escaped, a long table cut short with the number of rows left out.

    >>> html_table(["entity"], [["<e1>"]])
    '<table><tr><th>entity</th></tr><tr><td>&lt;e1&gt;</td></tr></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = [
        "<tr>" + "".join(f"<td>{escape('' if cell is None else str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows[:_MOST_SHOWN]
    ]
    left_out = len(rows) - len(lines)
    if left_out:
        lines.append(f'<tr><td colspan="{len(columns)}">and {left_out} more rows</td></tr>')
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"
