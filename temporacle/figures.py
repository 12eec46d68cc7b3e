"""Format a figure: with some decimals, and with more if these would show a whole number that it is not."""

from __future__ import annotations

import sys
from fractions import Fraction

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
    """Return the same for a difference, with a plus or minus sign.

    >>> signed_digits(Fraction(1, 8), 3), signed_digits(-0.25, 3), signed_digits(0.0, 3)
    ('+0.125', '-0.250', '+0.000')
    """
    shown = digits(value, places)
    return shown if shown.startswith("-") else f"+{shown}"
