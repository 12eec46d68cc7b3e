"""How a figure is shown: four decimals, and never a whole number that it is not."""

from __future__ import annotations

from fractions import Fraction


def digits(value: Fraction | float | None) -> str:
    """Four decimals; more where four would show a whole number that the value is not: 0.99997 is not 1.

    >>> digits(Fraction(2, 3)), digits(Fraction(1)), digits(Fraction(30000, 30001)), digits(Fraction(-1, 10**6))
    ('0.6667', '1.0000', '0.99997', '-0.000001')
    """
    if value is None:
        return ""
    exact, places = Fraction(value), 4
    while exact.denominator > 1 and round(exact, places).denominator == 1:
        places += 1
    return f"{float(round(exact, places)):.{places}f}"
