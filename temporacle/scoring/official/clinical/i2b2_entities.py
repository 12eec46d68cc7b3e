"""Matching the events and times of two files of i2b2 2012, in one direction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.scoring.official.clinical.i2b2_values import same_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.scoring.official.clinical.i2b2_tags import Tag

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


def match_events(first: Sequence[Tag], second: Sequence[Tag], *, exact: bool) -> tuple[Mapping, DirectionCounts]:
    """Find for each event of the first side its partners on the second."""
    return _matched(first, second, _event_points, _may_take_event, exact=exact)


def match_times(first: Sequence[Tag], second: Sequence[Tag], *, exact: bool) -> tuple[Mapping, DirectionCounts]:
    """Find for each time of the first side its partners on the second."""
    return _matched(first, second, _time_points, _may_take_time, exact=exact)


def _matched(
    first: Sequence[Tag],
    second: Sequence[Tag],
    points_of: Callable[[Tag, Tag], tuple[int, int, int]],
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


def span_agreement(a: Tag, b: Tag) -> float:
    """Return 1 if two entities touch and have the same words, 0.5 if they only touch, otherwise 0."""
    if not (_WORD.search(a.text) and _WORD.search(b.text)):
        return 0
    # Not symmetric: one character more is needed from the entity that starts later.
    touching = a.end >= b.start + 1 if a.start <= b.start else b.end > a.start + 1
    if not touching:
        return 0
    return 1 if _words(a) == _words(b) else 0.5


def _words(tag: Tag) -> list[bytes]:
    return [word for word in tag.text.split() if word not in _IGNORED]


def _event_points(a: Tag, b: Tag) -> tuple[int, int, int]:
    modality, polarity, kind = (int(mine == theirs) for mine, theirs in zip(a.attributes, b.attributes, strict=True))
    return modality, polarity, kind


def _time_points(a: Tag, b: Tag) -> tuple[int, int, int]:
    _, mod, kind = (int(mine == theirs) for mine, theirs in zip(a.attributes, b.attributes, strict=True))
    return int(same_value(a.attributes, b.attributes)), mod, kind


def _may_take_event(new: Best, best: Best) -> bool:
    better = sum(new.points) > sum(best.points)
    return best.span < 1 or better if new.span == 1 else best.span != 1 and better


def _may_take_time(new: Best, best: Best) -> bool:
    return new.points[0] > best.points[0] or best.points[0] == 0
