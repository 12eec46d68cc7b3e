"""Rows as a data frame and as a table in a notebook; figures with their decimals."""

from __future__ import annotations

import sys
from fractions import Fraction
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


_FLOAT_ERROR = 1e-9  # 0.07 * 100 counts as 7


class Figure(Fraction):
    """A fraction that can be formatted, which fractions of Python 3.11 cannot. All else is that of a fraction.

    >>> f"{Figure(2, 3):.3f}", f"{Figure(2, 3):.1%}", f"{Figure(2, 3)}", Figure(2, 3)
    ('0.667', '66.7%', '2/3', Fraction(2, 3))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"

    if sys.version_info < (3, 12):

        def __format__(self, spec: str) -> str:
            return format(float(self), spec) if spec else str(self)


def digits(value: Fraction | float | None, places: int = 4) -> str:
    """Return the decimals of a figure; nothing for None. 0.99997 is never shown as 1, nor 0.00003 as 0.

    >>> digits(Fraction(2, 3)), digits(1), digits(Fraction(30000, 30001)), digits(Fraction(-1, 10**6))
    ('0.6667', '1.0000', '0.99997', '-0.000001')
    >>> digits(2 / 3, 3), digits(0.99996, 3), digits(99.97, places=1), digits(0.07 * 100, 3), digits(None)
    ('0.667', '0.99996', '99.97', '7.000', '')
    """
    if value is None:
        return ""
    exact = Fraction(value)
    nearest = round(exact)
    if isinstance(value, float) and abs(exact - nearest) < _FLOAT_ERROR:
        exact = Fraction(nearest)
    while exact.denominator > 1 and round(exact, places).denominator == 1:
        places += 1
    return f"{float(round(exact, places)):.{places}f}"


def signed_digits(value: Fraction | float, places: int = 4) -> str:
    """Return the digits of a difference, with a plus or minus sign.

    >>> signed_digits(Fraction(1, 8), 3), signed_digits(-0.25, 3), signed_digits(0.0, 3)
    ('+0.125', '-0.250', '+0.000')
    """
    shown = digits(value, places)
    return shown if shown.startswith("-") else f"+{shown}"
