"""Rows as a data frame, and as a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def to_frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> Any:
    """A pandas DataFrame with these columns, in this order. UsageError if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise UsageError("a data frame needs pandas: pip install pandas; to_dict() needs nothing") from error
    return pd.DataFrame([[row.get(column) for column in columns] for row in rows], columns=list(columns))


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook. Text of documents is shown as text.

    >>> html_table(["id"], [["<b>"]])
    '<table><thead><tr><th>id</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_shown(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(cell: object) -> str:
    return "" if cell is None else escape(str(cell))
