"""Matching the events and times of two files of i2b2 2012, in one direction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.scoring.official.registry import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.scoring.official.i2b2.tags import I2b2Tag

Mapping: TypeAlias = "dict[bytes, list[bytes]]"
_WORD = re.compile(rb"[A-Za-z0-9_]")
_IGNORED = frozenset(
    b", . ? ! \" ' < > ; : / \\ ~ _ - + = ( ) [ ] { } | @ # $ % ^ & * ` &apos; &amp; &quot; &gt; &lt;".split()
)


class Best(NamedTuple):
    """The best partner of an entity so far: points for three attributes, how well the spans agree, and its number."""

    points: tuple[int, int, int] = (0, 0, 0)
    span: float = 0
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class DirectionCounts:
    """Counts of one direction, for one kind of entity."""

    total: int = 0
    matched: int = 0
    credit: float = 0
    points: tuple[int, int, int] = (0, 0, 0)

    def plus(self, other: DirectionCounts) -> DirectionCounts:
        points = tuple(mine + theirs for mine, theirs in zip(self.points, other.points, strict=True))
        return DirectionCounts(
            self.total + other.total,
            self.matched + other.matched,
            self.credit + other.credit,
            points,  # type: ignore[arg-type]
        )


def match_events(
    first: Sequence[I2b2Tag], second: Sequence[I2b2Tag], *, exact: bool
) -> tuple[Mapping, DirectionCounts]:
    """Find for each event of the first side its partners on the second."""
    return _matched(first, second, _event_points, _may_take_event, exact=exact)


def match_times(first: Sequence[I2b2Tag], second: Sequence[I2b2Tag], *, exact: bool) -> tuple[Mapping, DirectionCounts]:
    """Find for each time of the first side its partners on the second."""
    return _matched(first, second, _time_points, _may_take_time, exact=exact)


def _matched(
    first: Sequence[I2b2Tag],
    second: Sequence[I2b2Tag],
    points_of: Callable[[I2b2Tag, I2b2Tag], tuple[int, int, int]],
    may_take: Callable[[Best, Best], bool],
    *,
    exact: bool,
) -> tuple[Mapping, DirectionCounts]:
    """Go through all pairs in order, as the program does: quadratic, for entities of one document."""
    best = [Best()] * len(first)
    holder: dict[int, int] = {}
    mapping: Mapping = {}
    for number, tag in enumerate(first):
        mapping[tag.id] = partners = []
        for other, candidate in enumerate(second):
            span = span_agreement(tag, candidate)
            if not span:
                continue
            partners.append(candidate.id)
            new = Best(points_of(tag, candidate), span, other)
            own = holder.get(other)
            if own is None:
                if may_take(new, best[number]):
                    before = best[number].partner
                    if before is not None and before != other:
                        holder.pop(before, None)
                    best[number], holder[other] = new, number
            elif (span == 1 or may_take is _may_take_time) and best[own].span < 1:
                best[own], best[number], holder[other] = Best(), new, number
        if not partners:
            partners.append(tag.id)
    least = 0.5 if exact else 0
    points = tuple(sum(each.points[place] for each in best) for place in range(3))
    matched = sum(each.span > least for each in best)
    return mapping, DirectionCounts(len(first), matched, sum(each.span for each in best), points)  # type: ignore[arg-type]


def span_agreement(a: I2b2Tag, b: I2b2Tag) -> float:
    """Return 1 if two entities touch and have the same words, 0.5 if they only touch, otherwise 0."""
    if not (_WORD.search(a.text) and _WORD.search(b.text)):
        return 0
    # Not symmetric: one character more is needed from the entity that starts later.
    touching = a.end >= b.start + 1 if a.start <= b.start else b.end > a.start + 1
    if not touching:
        return 0
    return 1 if _words(a) == _words(b) else 0.5


def _words(tag: I2b2Tag) -> list[bytes]:
    return [word for word in tag.text.split() if word not in _IGNORED]


def _event_points(a: I2b2Tag, b: I2b2Tag) -> tuple[int, int, int]:
    modality, polarity, kind = (int(mine == theirs) for mine, theirs in zip(a.attributes, b.attributes, strict=True))
    return modality, polarity, kind


def _time_points(a: I2b2Tag, b: I2b2Tag) -> tuple[int, int, int]:
    _, mod, kind = (int(mine == theirs) for mine, theirs in zip(a.attributes, b.attributes, strict=True))
    return int(same_value(a.attributes, b.attributes)), mod, kind


def _may_take_event(new: Best, best: Best) -> bool:
    better = sum(new.points) > sum(best.points)
    return best.span < 1 or better if new.span == 1 else best.span != 1 and better


def _may_take_time(new: Best, best: Best) -> bool:
    return new.points[0] > best.points[0] or best.points[0] == 0


# ----------------------------------------------------------------------------------------------------
# When two values of times count as equal in i2b2 2012: durations and frequencies by length, all others by text.

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
