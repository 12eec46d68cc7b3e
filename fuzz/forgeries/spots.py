"""Spots in a JSON value: where something can be changed.

Spots have a *role*, the path to them without the positions in lists: all signs of all edges have one role. A spot is
chosen by part of the certificate first, then by role, so that the thousand clauses of a proof do not hide its lemmas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

Role = tuple[str | int, ...]
_TUPLE = 5  # a list within a list, no longer than this, is a record: its positions mean something


class Spot(NamedTuple):
    """A place: ``holder[key]``, with the list or object that holds the holder."""

    role: Role
    outer: Any
    holder: Any
    key: str | int

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value


def spots(certificate: dict[str, Any], part: str) -> Iterator[Spot]:
    """Yield the spots of a part of a certificate, and the part itself."""
    yield Spot((part,), None, certificate, part)
    waiting: list[tuple[Role, Any, Any]] = [((part,), certificate, certificate[part])]
    while waiting:
        role, outer, holder = waiting.pop()
        if isinstance(holder, dict):
            inside = list(holder.items())
        elif isinstance(holder, list):
            inside = list(enumerate(holder))
        else:
            continue
        is_record = isinstance(holder, dict) or (isinstance(outer, list) and len(holder) <= _TUPLE)
        for key, value in inside:
            below = (*role, key if is_record else "*")
            yield Spot(below, outer, holder, key)
            if isinstance(value, dict | list):
                waiting.append((below, holder, value))


def parts_of(certificate: dict[str, Any]) -> list[str]:
    """Return the parts that a claim depends on."""
    return sorted(set(certificate) - {"document", "format", "readings"})


def choose(rng: Random, certificate: dict[str, Any], fits: Callable[[Spot], bool]) -> tuple[Spot | None, list[Spot]]:
    """Return a spot that fits, and all others of its role."""
    parts = parts_of(certificate)
    rng.shuffle(parts)
    for part in parts:
        by_role: dict[Role, list[Spot]] = {}
        for spot in spots(certificate, part):
            if fits(spot):
                by_role.setdefault(spot.role, []).append(spot)
        if by_role:
            same = by_role[rng.choice(sorted(by_role, key=repr))]
            return rng.choice(same), same
    return None, []
