"""Composition and converse of whole arrays of relations.

The composition table of all 8192 x 8192 relations would take 128 MB. Composition distributes over union, so a relation
is cut into its first seven atoms and the other six: two tables of 128 and 64 rows, 3 MB together, answer everything.
All is made from the atoms' own compositions (``algebra``) when it is first used, in some milliseconds.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from temporacle.reasoner.algebra import compose, converse
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Masks: TypeAlias = "NDArray[np.uint16]"
_CUT = 7
_LOW = (1 << _CUT) - 1


def compose_all(first: Masks, second: Masks) -> Masks:
    """Return ``compose(first[k], second[k])`` for every k."""
    low, high = _halves()
    composed: Masks = low[first & _LOW, second] | high[first >> _CUT, second]
    return composed


def converse_all(masks: Masks) -> Masks:
    """Return ``converse(masks[k])`` for every k."""
    return _converses()[masks]


@cache
def _halves() -> tuple[Masks, Masks]:
    atoms = range(len(ATOMS))
    rows = [doubled((compose(1 << atom, 1 << other) for other in atoms), np.zeros(1, np.uint16)) for atom in atoms]
    nothing = np.zeros((1, len(rows[0])), np.uint16)
    return doubled(rows[:_CUT], nothing), doubled(rows[_CUT:], nothing)


@cache
def _converses() -> Masks:
    return doubled((converse(1 << atom) for atom in range(len(ATOMS))), np.zeros(1, np.uint16))


def doubled(parts: Iterable[int | Masks], start: Masks) -> Masks:
    """Return the union of the parts for every subset of them. The second half of each stage also has the next part."""
    table = start
    for part in parts:
        table = np.concatenate([table, table | np.asarray(part, np.uint16)])
    return table
