"""A set of points to be ordered: what is handed to a solver, and how its answer is checked.

``edges`` are certain: x <= y, or x < y. A ``choice`` names the four endpoints of two entities and the relation that
must hold between them, of any class. Points that are equal may share a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import ATOM_SIGNS, EQ, GT, LT, atoms_in

if TYPE_CHECKING:
    from collections.abc import Sequence


class Choice(NamedTuple):
    """Source start and end, target start and end, and the atoms allowed between them."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    mask: int

    def cross_pairs(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Return the pairs of points in the order of the signs of an atom."""
        return (
            (self.source_start, self.target_start),
            (self.source_start, self.target_end),
            (self.source_end, self.target_start),
            (self.source_end, self.target_end),
        )


@dataclass(slots=True)
class PointProblem:
    """Points 0 .. size - 1, what is certain about them, and what must be chosen."""

    size: int
    edges: list[tuple[int, int, bool]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)

    def satisfied_by(self, times: Sequence[int]) -> bool:
        """Return whether times for all points satisfy every edge and every choice."""
        for x, y, strict in self.edges:
            if times[x] > times[y] or (strict and times[x] == times[y]):
                return False
        return all(choice.mask >> atom_chosen(choice, times) & 1 for choice in self.choices)


def atom_chosen(choice: Choice, times: Sequence[int]) -> int:
    """Return the position of the atom that holds between the two entities of a choice."""
    signs = tuple(LT if times[x] < times[y] else EQ if times[x] == times[y] else GT for x, y in choice.cross_pairs())
    return _ATOM_BY_SIGNS[signs]


_ATOM_BY_SIGNS: dict[tuple[int, ...], int] = {signs: position for position, signs in enumerate(ATOM_SIGNS)}


def forbidden_atoms(mask: int) -> list[int]:
    """Return the positions of the atoms that a relation excludes."""
    return atoms_in(~mask)
