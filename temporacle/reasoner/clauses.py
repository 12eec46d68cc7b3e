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
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import NamedTuple

from temporacle.reasoner.algebra import ALL, ATOM_SIGNS, GT, LT
from temporacle.relation import ATOMS

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
    """Return the same in the other direction."""
    return 2 * (2 * left_end + right_end) + 2


def atoms_where(literal: int) -> int:
    """Return the relation of a literal: all atoms that make it true."""
    bit = abs(literal) - 1
    return sum(1 << atom for atom, code in enumerate(CODES) if code >> bit & 1 == (literal > 0))


def literals_of_atom(atom: int) -> Clause:
    """Return the value of every local variable."""
    return tuple(variable if CODES[atom] >> variable - 1 & 1 else -variable for variable in range(1, LOCAL + 1))


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


def composition_by_rows(first: int, second: int) -> int:
    """Return the atoms that can hold between i and k, given those of ij and jk, by the rows alone: the twin of
    ``algebra.compose``.
    """
    possible = 0
    for a, b, c in product(range(len(ATOMS)), repeat=3):
        if first >> a & 1 and second >> b & 1:
            values = (CODES[a], CODES[b], CODES[c])
            if all(
                any(values[side] >> abs(literal) - 1 & 1 == (literal > 0) for side, literal in enumerate(row))
                for row in rows()
            ):
                possible |= 1 << c
    return possible
