"""Which atoms and links hold at given times, for many pairs of entities at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from temporacle.relation import ATOMS, EXAMPLES, endpoint_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Times: TypeAlias = "NDArray[np.int64]"  # of all points: start and end of entity 0, of entity 1, ...
Ends: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64]]"  # starts and ends of some entities

_WEIGHTS = (27, 9, 3, 1)  # the signs of the four cross pairs as digits -1, 0, 1 of one number


def _codes() -> NDArray[np.uint16]:
    """Return the bit of the atom that each combination of signs means; 0 for those that cannot be."""
    bits = np.zeros(81, np.uint16)
    for position, atom in enumerate(ATOMS):
        signs = endpoint_signs(*EXAMPLES[atom])
        bits[40 + sum(sign * weight for sign, weight in zip(signs, _WEIGHTS, strict=True))] = 1 << position
    return bits


_BIT_OF_CODE = _codes()


def atoms_between(first: Ends, second: Ends) -> NDArray[np.uint16]:
    """Return the atom that holds between each two entities, as a mask. Arrays of different shape are broadcast.

    >>> starts, ends = np.array([0, 2]), np.array([1, 3])
    >>> atoms_between((starts[:, None], ends[:, None]), (starts, ends)).tolist() == [[1 << 6, 1], [1 << 12, 1 << 6]]
    True
    """
    code = 40
    for weight, (x, y) in zip(_WEIGHTS, ((0, 0), (0, 1), (1, 0), (1, 1)), strict=True):
        code = code + weight * np.sign(first[x] - second[y])
    found: NDArray[np.uint16] = _BIT_OF_CODE[code]
    return found


def with_times_for(entities: int, times: Times) -> Times:
    """Return times of all entities. Those that are new since the times were found get some.

    >>> with_times_for(2, np.array([3, 4])).tolist()
    [3, 4, 0, 1]
    """
    missing = 2 * entities - len(times)
    return np.concatenate((times, np.resize([0, 1], missing))) if missing > 0 else times


class LinkArrays:
    """The links of a network as arrays.

    >>> links = LinkArrays([(0, 1, 1), (1, 1, 0)])  # each before the other
    >>> links.broken(np.array([0, 1, 2, 3])).tolist()
    [1]
    """

    __slots__ = ("_masks", "_sources", "_targets")

    def __init__(self, constraints: Sequence[tuple[int, int, int]]) -> None:
        table = np.array(constraints, np.int64).reshape(-1, 3)
        self._sources, self._masks, self._targets = table[:, 0], table[:, 1], table[:, 2]

    def atoms(self, times: Times) -> NDArray[np.uint16]:
        """Return the atom that holds between the two ends of each link, as a mask."""
        starts, ends = times[::2], times[1::2]
        return atoms_between((starts[self._sources], ends[self._sources]), (starts[self._targets], ends[self._targets]))

    def broken(self, times: Times) -> NDArray[np.intp]:
        """Return the numbers of the links that do not hold at these times."""
        return np.flatnonzero((self.atoms(times) & self._masks) == 0)
