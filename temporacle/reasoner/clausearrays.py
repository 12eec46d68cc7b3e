"""The clauses of many pairs and triangles at once, as arrays: the fast twin of ``clauses``.

Each pair has a *base*: its variables 1 to 8 are the solver's variables base + 1 to base + 8. A set of rows of a
triangle is a number of 48 bits.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from temporacle.reasoner.algebra import ALL, SIZE
from temporacle.reasoner.clauses import ATOM_OF_CODE, LOCAL, atoms_where, candidates, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from temporacle.reasoner.masktables import Masks
    from temporacle.reasoner.triangles import Numbers, Triangles

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
