"""When two values of times count as equal in i2b2 2012: durations and frequencies by length, all others by text."""

from __future__ import annotations

import re

from temporacle.scoring.official.clinical.printout import Stop

_FREQUENCY = re.compile(rb"R[0-9]*\.?[0-9]*P?T?[0-9]*\.?[0-9]*[YMWDHS]?")
_DURATION = re.compile(rb"PT*[0-9]*\.?[0-9]*[YMWDHS]?")
_MEASURED = {b"DURATION", b"FREQUENCY"}
_HOURS = {b"D": 24.0, b"W": 24.0 * 7, b"Y": 24.0 * 4 * 7 * 12, b"H": 1.0, b"S": 1 / 2400}
_MONTH = 4.0 * 7 * 24
_TOLERANCE = 3


def same_value(first: tuple[bytes, bytes, bytes], second: tuple[bytes, bytes, bytes]) -> bool:
    """Return whether two times, given by val, mod and type, have the same value."""
    (val, mod, kind), (other_val, other_mod, other_kind) = first, second
    if not ({kind, other_kind} <= _MEASURED and val and other_val):
        return val == other_val
    if kind != other_kind:
        return False
    plain = mod.rstrip() == other_mod.rstrip() == b"NA"
    if kind == b"DURATION":
        if not (_DURATION.fullmatch(val) and _DURATION.fullmatch(other_val)):
            return False
        return _same_period(val[1:], other_val[1:], plain=plain)
    if not (_FREQUENCY.fullmatch(val) and _FREQUENCY.fullmatch(other_val)):
        return False
    if b"P" in val and b"P" in other_val:
        (times, _, period), (other_times, _, other_period) = val.partition(b"P"), other_val.partition(b"P")
        return times == other_times and _same_period(period, other_period, plain=plain)
    return val == other_val


def _same_period(p: bytes, q: bytes, *, plain: bool) -> bool:
    if not p or not q:
        raise Stop("IndexError", "a duration or frequency without a length")
    unit, other = p[-1:], q[-1:]
    if unit == other:
        if unit == b"M" and (p[:1] == b"T" or q[:1] == b"T"):
            if not (p[:1] == b"T" and q[:1] == b"T"):
                return False
            if plain:
                return p == q
            return abs(_number(p[1:-1]) - _number(q[1:-1])) < _TOLERANCE
        first, second = p.removeprefix(b"T")[:-1], q.removeprefix(b"T")[:-1]
        return first == second if plain else abs(_number(first) - _number(second)) < _TOLERANCE
    if plain:
        return _hours(p) == _hours(q)
    number = _number(p.removeprefix(b"T")[:-1])
    low = 0.0 if number < 2 else number - 2

    def around(value: float) -> float:
        sign = b"T" if p[:1] == b"T" else b""
        return _hours(sign + f"{value:.12g}".encode() + unit)

    return _hours(q) <= around(number + 2) and around(low) < _hours(q)


def _hours(period: bytes) -> float:
    unit, body = period[-1:], period.removeprefix(b"T")[:-1]
    if unit != b"M" and unit not in _HOURS:
        raise Stop("UnboundLocalError", f"{period.decode('utf-8', 'replace')!r} has no unit of time")
    if not body:
        raise Stop("IndexError", "a unit of time without a number")
    number = _number(body)
    if unit == b"M":
        return number / 60 if period[:1] == b"T" else number * _MONTH
    return number / 2400 if unit == b"S" else number * _HOURS[unit]


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise Stop("ValueError", f"{text.decode('utf-8', 'replace')!r} is not a number") from None
