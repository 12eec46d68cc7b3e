"""Relations between intervals as clauses over Booleans ``p <= q``: the language of the search and of clausal proofs.

Two entities have four cross pairs of endpoints (``algebra``), and each cross pair (p, q) has two Booleans, ``p <= q``
and ``q <= p``: eight *local variables* for a pair of entities, numbered 1 to 8. Each atom gives them values; a
relation allows the values of its atoms and no others.

*Implicates.* A clause follows from a relation if no atom of the relation makes all its literals false. A relation is
written down as **all its prime implicates**, the shortest such clauses, about twenty of them. Then unit propagation
alone sees every value that follows for the pair, which one clause for each forbidden atom would not give.

*Rows.* For three entities the only further rule is that ``<=`` is transitive: ``p <= q`` and ``q <= r`` give
``p <= r``. There are eight ways to choose an endpoint of each entity, and six orders of the three: 48 clauses, each
with one literal on each side of the triangle. Together with the relations of the sides they say exactly what the
composition table says (a test compares them).

Reference: Bordeaux and Marques-Silva (2012), "Knowledge compilation with empowerment" (implicates for propagation).
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ALL, ATOM_SIGNS, GT, LT, SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from temporacle.reasoner.disjunctions.completion import Masks, Numbers, Triangles
    from temporacle.reasoner.disjunctions.sat import Cdcl

LOCAL = 8  # variables of a pair
Clause = tuple[int, ...]
Row = tuple[int, int, int]  # a literal on each side ij, jk, ik of a triangle

# Bit 2c says whether p <= q holds on cross pair c, bit 2c + 1 whether q <= p does.
CODES: tuple[int, ...] = tuple(
    sum((sign != GT) << 2 * pair | (sign != LT) << 2 * pair + 1 for pair, sign in enumerate(signs))
    for signs in ATOM_SIGNS
)
ATOM_OF_CODE = {code: atom for atom, code in enumerate(CODES)}


def not_later(left_end: int, right_end: int) -> int:
    """Return the local variable for: this end (0 or 1) of the first entity is not later than that of the second."""
    return 2 * (2 * left_end + right_end) + 1


def not_earlier(left_end: int, right_end: int) -> int:
    """Return the local variable for: this end of the first entity is not earlier than that of the second."""
    return 2 * (2 * left_end + right_end) + 2


def atoms_where(literal: int) -> int:
    """Return the relation of a literal: all atoms that make it true."""
    bit = abs(literal) - 1
    return sum(1 << atom for atom, code in enumerate(CODES) if code >> bit & 1 == (literal > 0))


class Candidate(NamedTuple):
    """A clause that is a prime implicate of some relations: of those that lie inside it, but inside no part of it."""

    clause: Clause
    outside: int  # atoms that make every literal false
    parts: tuple[int, ...]  # the same for the clause without one of its literals


@cache
def candidates() -> tuple[Candidate, ...]:
    """Return all clauses that are a prime implicate of some relation, short ones first."""
    outside = {
        literal: ALL & ~atoms_where(literal) for variable in range(1, LOCAL + 1) for literal in (variable, -variable)
    }
    masks: dict[Clause, int] = {(): ALL}
    found = []
    layer: list[Clause] = [()]
    while layer:
        longer: list[Clause] = []
        for shorter in layer:
            for variable in range(abs(shorter[-1]) + 1 if shorter else 1, LOCAL + 1):
                for literal in (variable, -variable):
                    clause = (*shorter, literal)
                    masks[clause] = masks[shorter] & outside[literal]
                    longer.append(clause)
        for clause in longer:
            parts = tuple(masks[clause[:place] + clause[place + 1 :]] for place in range(len(clause)))
            if masks[clause] not in parts:
                found.append(Candidate(clause, masks[clause], parts))
        # A clause that excludes as much as one of its parts is never prime, and neither is what contains it.
        kept = {candidate.clause for candidate in found}
        layer = [clause for clause in longer if clause in kept]
    return tuple(found)


@cache
def implicates(mask: int) -> tuple[Clause, ...]:
    """Return the prime implicates of a relation.

    >>> from temporacle.relation import Relation
    >>> implicates(Relation.of("b"))[:3]
    ((1,), (-2,), (3,))
    """
    return tuple(
        clause for clause, outside, parts in candidates() if not outside & mask and all(part & mask for part in parts)
    )


def shifted(clause: Iterable[int], base: int) -> list[int]:
    """Return a clause over the local variables of a pair as one over its own variables, which come after ``base``."""
    return [literal + base if literal > 0 else literal - base for literal in clause]


def follows(clause: Clause, mask: int) -> bool:
    """Return whether a relation implies a clause: each of its atoms makes a literal true."""
    allowed = 0
    for literal in clause:
        allowed |= atoms_where(literal)
    return not mask & ~allowed


@cache
def rows() -> tuple[Row, ...]:
    """Return the 48 clauses of transitivity for entities i, j, k."""
    found: list[Row] = []
    for x, y, z in product((0, 1), repeat=3):
        variable = {  # of "the end of this entity is not later than that one's", and the side it belongs to
            (0, 1): (0, not_later(x, y)),
            (1, 0): (0, not_earlier(x, y)),
            (1, 2): (1, not_later(y, z)),
            (2, 1): (1, not_earlier(y, z)),
            (0, 2): (2, not_later(x, z)),
            (2, 0): (2, not_earlier(x, z)),
        }
        for first, middle, last in permutations(range(3)):
            row = [0, 0, 0]
            for side, literal in (variable[first, middle], variable[middle, last]):
                row[side] = -literal
            side, literal = variable[first, last]
            row[side] = literal
            found.append((row[0], row[1], row[2]))
    return tuple(found)


# ----------------------------------------------------------------------------------------------------
# The clauses of many pairs and triangles at once, as arrays: the fast twin of the functions above.
#
# Each pair has a *base*: its variables 1 to 8 are the solver's variables base + 1 to base + 8. A set of rows of a
# triangle is a number of 48 bits.

Codes: TypeAlias = "NDArray[np.uint8]"
RowSets: TypeAlias = "NDArray[np.uint64]"
_ALL_ROWS = np.uint64((1 << 48) - 1)
_AT_A_TIME = 1 << 12  # triangles or pairs whose clauses are listed at a time
NO_ATOM = 255


def implicate_clauses(bases: Numbers, labels: Masks) -> Iterator[list[list[int]]]:
    """Yield the prime implicates of the relation of each pair, given its base, in lists of some ten thousands."""
    if not len(bases):
        return
    distinct, which = np.unique(labels, return_inverse=True)
    literals, lengths, outside, parts = _candidate_arrays()
    masks = distinct[:, None]
    chosen = (outside & masks) == 0
    for part in parts:
        chosen &= (part & masks) != 0
    for start in range(0, len(bases), _AT_A_TIME):
        place, clause = np.nonzero(chosen[which[start : start + _AT_A_TIME]])
        base = bases[start : start + _AT_A_TIME][place]
        for length in range(1, literals.shape[1] + 1):
            some = np.flatnonzero(lengths[clause] == length)
            if len(some):
                local = literals[clause[some], :length]
                yield np.where(local > 0, local + base[some, None], local - base[some, None]).tolist()


def open_rows(labels: Masks, triangles: Triangles) -> RowSets:
    """Return the rows of every triangle that the relations of its sides do not already make true."""
    true = _rows_made_true()
    ij, jk, ik = triangles.sides
    return ~(true[0][labels[ij]] | true[1][labels[jk]] | true[2][labels[ik]]) & _ALL_ROWS


def broken_rows(codes: Codes, triangles: Triangles) -> RowSets:
    """Return the rows of every triangle that given values of all variables make false."""
    false = _rows_made_false()
    ij, jk, ik = triangles.sides
    return false[0][codes[ij]] & false[1][codes[jk]] & false[2][codes[ik]]


def row_clauses(
    triangles: Triangles, bases: Numbers, some: NDArray[np.intp], wanted: RowSets
) -> Iterator[list[list[int]]]:
    """Yield the wanted rows of some triangles as clauses, in lists of some ten thousands."""
    local = _row_literals()
    positions = np.arange(48, dtype=np.uint64)
    for start in range(0, len(some), _AT_A_TIME):
        here = some[start : start + _AT_A_TIME]
        place, row = np.nonzero(wanted[start : start + _AT_A_TIME, None] >> positions & np.uint64(1))
        offsets = np.stack([bases[side[here[place]]] for side in triangles.sides], axis=1)
        literals = local[row]
        yield np.where(literals > 0, literals + offsets, literals - offsets).tolist()


def codes_of(values: NDArray[np.bool_], bases: Numbers) -> Codes:
    """Return the values of the local variables of every pair as one number, as in ``clauses.CODES``."""
    return np.packbits(values[bases[:, None] + np.arange(LOCAL)], axis=1, bitorder="little")[:, 0]


def atoms_of(codes: Codes) -> Codes:
    """Return the atom of each code, NO_ATOM if the code does not stand for one."""
    return _atom_by_code()[codes]


# --- tables, made when first used -------------------------------------------------------------------------------------


@cache
def _candidate_arrays() -> tuple[Numbers, Numbers, Masks, list[Masks]]:
    """Return the literals padded with zeros, their numbers, the atoms that violate each clause, and for each place the
    atoms that violate its other literals.
    """
    found = candidates()
    longest = max(len(candidate.clause) for candidate in found)
    literals = np.zeros((len(found), longest), np.int32)
    parts = [np.full(len(found), ALL, np.uint16) for _ in range(longest)]
    for number, candidate in enumerate(found):
        literals[number, : len(candidate.clause)] = candidate.clause
        for place, part in enumerate(candidate.parts):
            parts[place][number] = part
    lengths = np.array([len(candidate.clause) for candidate in found], np.int32)
    return literals, lengths, np.array([candidate.outside for candidate in found], np.uint16), parts


@cache
def _row_literals() -> Numbers:
    return np.array(rows(), np.int32)


@cache
def _rows_made_true() -> list[RowSets]:
    """Return, by side and relation, the rows with a literal on that side that all atoms of the relation make true."""
    masks = np.arange(SIZE, dtype=np.uint16)
    fixed = {
        literal: ((masks & (ALL & ~atoms_where(literal))) == 0).astype(np.uint64)
        for variable in range(1, LOCAL + 1)
        for literal in (variable, -variable)
    }
    tables = [np.zeros(SIZE, np.uint64) for _ in range(3)]
    for number, row in enumerate(rows()):
        for side, literal in enumerate(row):
            tables[side] |= fixed[literal] << np.uint64(number)
    return tables


@cache
def _rows_made_false() -> list[RowSets]:
    """Return, by side and code, the rows whose literal on that side is false."""
    codes = np.arange(1 << LOCAL)
    tables = [np.zeros(1 << LOCAL, np.uint64) for _ in range(3)]
    for number, row in enumerate(rows()):
        for side, literal in enumerate(row):
            holds = codes >> abs(literal) - 1 & 1 == (literal > 0)
            tables[side] |= (~holds).astype(np.uint64) << np.uint64(number)
    return tables


@cache
def _atom_by_code() -> Codes:
    table = np.full(1 << LOCAL, NO_ATOM, np.uint8)
    for code, atom in ATOM_OF_CODE.items():
        table[code] = atom
    return table


# ----------------------------------------------------------------------------------------------------
# Rows of transitivity for a solver: those of chosen triangles, and those that a solution breaks.


class RowWriter:
    """Writes rows of the triangles of a completion, whose pairs have the given bases."""

    def __init__(self, solver: Cdcl, triangles: Triangles, bases: Numbers) -> None:
        self._solver = solver
        self._triangles = triangles
        self._bases = bases

    def write(self, chosen: NDArray[np.bool_], rows: RowSets) -> None:
        """Write these rows of the chosen triangles."""
        some = np.flatnonzero(chosen)
        self._solver.add_many(row_clauses(self._triangles, self._bases, some, rows[some]))

    def write_broken(self, codes: Codes) -> None:
        """Write the rows that a solution breaks. There must be some, since the solution has a contradiction."""
        broken = broken_rows(codes, self._triangles)
        if not broken.any():
            raise InternalError("a contradiction in a network whose triangles all agree")
        self.write(broken != 0, broken)
