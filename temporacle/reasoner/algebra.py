"""The interval algebra, derived from endpoint orderings.

Two intervals x, y have four endpoints, numbered 0 = x.start, 1 = x.end, 2 = y.start, 3 = y.end. An atom fixes the
sign of each of the four *cross pairs* (0,2), (0,3), (1,2), (1,3). A relation allows, on each cross pair, a set of
signs: three bits, LT = 1, EQ = 2, GT = 4. Projecting a relation on the cross pairs and taking everything that fits the
projections again gives its *hull*:

    convex       = its hull, where {<, >} on a pair is widened to {<, =, >}          82 relations
    pointisable  = its hull, where {<, >} is kept as "different"                    187 relations
    ORD-Horn     = all atoms of its convex hull that are missing have a lower
                   dimension than the relation (Ligozat's preconvex relations)       867, and the empty one
    general      = the rest

No table is typed in: the thirteen atoms come from example intervals, and the rest follows.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from temporacle.relation import ATOMS, EXAMPLES, Relation, atom_holding, endpoint_signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LT, EQ, GT = 1, 2, 4
ANY = LT | EQ | GT
DIFFERENT = LT | GT
Signs: TypeAlias = tuple[int, int, int, int]  # one set of signs per cross pair
CROSS_PAIRS = ((0, 2), (0, 3), (1, 2), (1, 3))

SIZE = 1 << len(ATOMS)
ALL = SIZE - 1
_SIGN_BIT = {-1: LT, 0: EQ, 1: GT}
ATOM_SIGNS: tuple[Signs, ...] = tuple(
    tuple(_SIGN_BIT[sign] for sign in endpoint_signs(x, y))  # type: ignore[misc]
    for x, y in EXAMPLES.values()
)
_CONVEX_SIGNS = {signs: ANY if signs == DIFFERENT else signs for signs in range(8)}
_CONVERSE_BIT = tuple(int(Relation(1 << position).converse()) for position in range(len(ATOMS)))


class RelationClass(Enum):
    """The effort that exact reasoning with a relation takes. Each class contains the ones above it."""

    CONVEX = "convex"
    POINTISABLE = "pointisable"
    ORD_HORN = "ord-horn"
    GENERAL = "general"


def atoms_in(mask: int) -> list[int]:
    """Return positions of the atoms of a relation."""
    return [position for position in range(len(ATOMS)) if mask >> position & 1]


@cache
def converse(mask: int) -> int:
    """Return the relation seen from the other side."""
    result = 0
    for position in atoms_in(mask):
        result |= _CONVERSE_BIT[position]
    return result


@cache
def signs_of(mask: int) -> Signs:
    """Return the signs that a relation allows on each cross pair (its projection)."""
    projected = [0, 0, 0, 0]
    for position in atoms_in(mask):
        for pair, sign in enumerate(ATOM_SIGNS[position]):
            projected[pair] |= sign
    return tuple(projected)  # type: ignore[return-value]


@cache
def mask_of(signs: Signs) -> int:
    """Return all atoms that fit the given signs."""
    mask = 0
    for position, atom in enumerate(ATOM_SIGNS):
        if all(sign & allowed for sign, allowed in zip(atom, signs, strict=True)):
            mask |= 1 << position
    return mask


@cache
def convex_hull(mask: int) -> int:
    """Return the smallest convex relation that contains the given one."""
    start_start, start_end, end_start, end_end = (_CONVEX_SIGNS[signs] for signs in signs_of(mask))
    return mask_of((start_start, start_end, end_start, end_end))


@cache
def point_hull(mask: int) -> int:
    """Return the smallest pointisable relation that contains the given one."""
    return mask_of(signs_of(mask))


def dimension(position: int) -> int:
    """Return the degrees of freedom of an atom: 2 minus one for each pair of equal endpoints."""
    return 2 - ATOM_SIGNS[position].count(EQ)


@cache
def classify(mask: int) -> RelationClass:
    """Return the smallest class a relation belongs to. The empty relation is convex: it is its own hull."""
    hull = convex_hull(mask)
    if hull == mask:
        return RelationClass.CONVEX
    if point_hull(mask) == mask:
        return RelationClass.POINTISABLE
    own = max(dimension(position) for position in atoms_in(mask))
    if all(dimension(position) < own for position in atoms_in(hull & ~mask)):
        return RelationClass.ORD_HORN
    return RelationClass.GENERAL


@cache
def _atom_compositions() -> tuple[tuple[int, ...], ...]:
    """Return, for atoms r and s, all atoms that can hold between x and z when x r y and y s z.

    Three intervals have six endpoints, so six time points show every case.
    """
    intervals = [(start, end) for start in range(6) for end in range(start + 1, 6)]
    position = {atom: index for index, atom in enumerate(ATOMS)}
    holding = {(x, y): position[atom_holding(x, y)] for x, y in product(intervals, repeat=2)}
    table = [[0] * len(ATOMS) for _ in ATOMS]
    for x, y, z in product(intervals, repeat=3):
        table[holding[x, y]][holding[y, z]] |= 1 << holding[x, z]
    return tuple(map(tuple, table))


@cache
def _atom_with_mask(position: int, mask: int) -> int:
    row = _atom_compositions()[position]
    result = 0
    for other in atoms_in(mask):
        result |= row[other]
    return result


def compose(first: int, second: int) -> int:
    """Return all atoms that can hold between x and z when ``x first y`` and ``y second z``."""
    result = 0
    for position in atoms_in(first):
        result |= _atom_with_mask(position, second)
        if result == ALL:
            break
    return result


@cache
def subrelations_of_class(mask: int, atom: int, pointisable: bool) -> tuple[int, ...]:  # noqa: FBT001 - cache key
    """Return the largest convex (or pointisable) relations inside ``mask`` that contain ``atom``, largest first.

    At most 187 candidates, each a product of sign sets around the atom's own signs.
    """
    hull = point_hull if pointisable else convex_hull
    found = {
        candidate
        for signs in product(*(_sign_sets_with(sign) for sign in ATOM_SIGNS[atom]))
        if (candidate := hull(mask_of(signs))) & ~mask == 0
    }
    return tuple(sorted(found, key=lambda relation: (-relation.bit_count(), relation)))


def _sign_sets_with(sign: int) -> list[int]:
    return [signs for signs in range(1, 8) if signs & sign]


@cache
def convex_pieces(mask: int) -> tuple[int, ...]:
    """Return few convex relations whose union is the given one. Each step takes the largest around the first atom that
    is not covered.

    >>> from temporacle.relation import Relation
    >>> [str(Relation(piece)) for piece in convex_pieces(Relation.of("b", "m", "mi", "bi"))]
    ['b|m', 'mi|bi']
    """
    pieces = []
    left = mask
    while left:
        atom = atoms_in(left)[0]
        piece = subrelations_of_class(mask, atom, pointisable=False)[0]
        pieces.append(piece)
        left &= ~piece
    return tuple(pieces)


_ATOM_BIT = {atom: 1 << position for position, atom in enumerate(ATOMS)}


def atom_at(times: Sequence[int], source: int, target: int) -> int:
    """Return the atom that holds between two entities at these times of all endpoints, as a mask.

    >>> atom_at([0, 1, 2, 3], 0, 1)
    1
    """
    x, y = 2 * source, 2 * target
    return _ATOM_BIT[atom_holding((times[x], times[x + 1]), (times[y], times[y + 1]))]


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits of a number, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
