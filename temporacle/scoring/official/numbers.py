"""Numbers as Python 2 rounded and printed them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

_SIX_DECIMALS = Decimal("0.000001")
_WIDE = Context(prec=400)  # enough for every digit of a double between -1 and 1, and for large ones


def round6(value: float) -> float:
    """Return six decimals of the exact binary value, rounding ties away from zero.

    >>> round6(1 / 128), round(1 / 128, 6)
    (0.007813, 0.007812)
    """
    return float(Decimal(value).quantize(_SIX_DECIMALS, rounding=ROUND_HALF_UP, context=_WIDE))


def percent(value: float) -> float:
    """Return a ratio as the programs report it."""
    return 100 * round6(value)


def text(value: float) -> str:
    """Return ``str(float)`` of Python 2: twelve significant digits.

    >>> text(100.0), text(100 * 0.385983), text(71.02223314501)
    ('100.0', '38.5983', '71.022233145')
    """
    digits = f"{value:.12g}"
    return digits if any(mark in digits for mark in ".en") else digits + ".0"


def ratio(part: float, whole: int) -> float:
    """Return ``part / whole``, with 0/0 as 0."""
    return part / whole if whole else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
