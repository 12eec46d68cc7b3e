"""Allen's thirteen atoms, and relations as sets of them.

An atom is defined by a pair of example intervals alone; everything else (its converse here, composition
and the classes of relations in ``reasoner.algebra``) is derived from endpoint orderings.

A relation is an ``int`` with one bit per atom, so tables can be indexed by it and sets of atoms intersect in one
machine instruction; the subclass adds names and printing. The order of the bits is the order in which atoms are
printed: ``b m o fi di s = si d f oi mi bi``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

# One pair of intervals (x, y) for each atom that holds between x and y.
EXAMPLES: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "b": ((0, 1), (2, 3)),
    "m": ((0, 1), (1, 2)),
    "o": ((0, 2), (1, 3)),
    "fi": ((0, 2), (1, 2)),
    "di": ((0, 3), (1, 2)),
    "s": ((0, 1), (0, 2)),
    "=": ((0, 1), (0, 1)),
    "si": ((0, 2), (0, 1)),
    "d": ((1, 2), (0, 3)),
    "f": ((1, 2), (0, 2)),
    "oi": ((1, 3), (0, 2)),
    "mi": ((1, 2), (0, 1)),
    "bi": ((2, 3), (0, 1)),
}
ATOMS: tuple[str, ...] = tuple(EXAMPLES)

# Allen's own names, and the usual symbols. The first name of an atom is the one used in sentences.
ALLEN_NAMES: dict[str, str] = {
    "BEFORE": "b",
    "MEETS": "m",
    "OVERLAPS": "o",
    "FINISHED_BY": "fi",
    "CONTAINS": "di",
    "STARTS": "s",
    "EQUALS": "=",
    "STARTED_BY": "si",
    "DURING": "d",
    "FINISHES": "f",
    "OVERLAPPED_BY": "oi",
    "MET_BY": "mi",
    "AFTER": "bi",
    "EQUAL": "=",
    "EQ": "=",
    "<": "b",
    ">": "bi",
}

# What each atom says about the first of two entities.
ATOM_WORDS: dict[str, str] = {
    "b": "ends before the other starts",
    "m": "ends when the other starts",
    "o": "starts before the other starts, and ends after that and before the other ends",
    "fi": "starts before the other starts, and ends when the other ends",
    "di": "starts before the other starts, and ends after the other ends",
    "s": "starts when the other starts, and ends before the other ends",
    "=": "starts when the other starts, and ends when the other ends",
    "si": "starts when the other starts, and ends after the other ends",
    "d": "starts after the other starts, and ends before the other ends",
    "f": "starts after the other starts, and ends when the other ends",
    "oi": "starts after the other starts and before the other ends, and ends after that",
    "mi": "starts when the other ends",
    "bi": "starts after the other ends",
}

_BIT = {atom: 1 << position for position, atom in enumerate(ATOMS)}


def atom_holding(x: tuple[int, int], y: tuple[int, int]) -> str:
    """Return the atom that holds between two proper intervals.

    >>> atom_holding((3, 9), (9, 12))
    'm'
    """
    return _ATOM_BY_SIGNS[endpoint_signs(x, y)]


def endpoint_signs(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the order of x.start and x.end to y.start and y.end: -1 before, 0 equal, 1 after."""
    return tuple((p > q) - (p < q) for p in x for q in y)  # type: ignore[return-value]


_ATOM_BY_SIGNS = {endpoint_signs(x, y): atom for atom, (x, y) in EXAMPLES.items()}


class Relation(int):
    """A set of atoms.

    >>> r = Relation("m|b")
    >>> str(r), r.atoms, str(r.converse()), "b" in r, Relation("b") <= r
    ('b|m', ('b', 'm'), 'mi|bi', True, True)
    >>> ~Relation("=") & Relation("=|d")
    Relation('d')
    """

    __slots__ = ()

    def __new__(cls, atoms: int | str = 0) -> Self:
        """Return a relation from atoms joined by ``|``, or from a number with one bit for each atom.

        Raise ValueError for anything else.
        """
        return super().__new__(cls, _mask(atoms) if isinstance(atoms, str) else atoms)

    @classmethod
    def of(cls, *atoms: str) -> Relation:
        """Return the relation that allows these atoms.

        Args:
            *atoms: Names of Allen's atoms, such as ``"b"``.

        Returns:
            The relation.
        """
        mask = 0
        for atom in atoms:
            mask |= _BIT[atom]
        return cls(mask)

    @property
    def atoms(self) -> tuple[str, ...]:
        """Return the names of the atoms, in their usual order."""
        return _atoms_of(int(self))

    def converse(self) -> Relation:
        """Return the relation between y and x, if this one holds between x and y."""
        return _converse_of(int(self))

    @property
    def is_universal(self) -> bool:
        """Return whether the relation constrains nothing."""
        return int(self) == _ALL

    def __contains__(self, atom: str) -> bool:
        return bool(self & _BIT.get(atom, 0))

    def __and__(self, other: int) -> Relation:
        return Relation(int(self) & int(other))

    def __or__(self, other: int) -> Relation:
        return Relation(int(self) | int(other))

    def __invert__(self) -> Relation:
        return Relation(_ALL & ~int(self))

    __rand__ = __and__
    __ror__ = __or__

    def __le__(self, other: int) -> bool:
        """Return whether this is a subset of another relation, that is, at least as strong."""
        return not int(self) & ~int(other)

    def __lt__(self, other: int) -> bool:
        return self <= other and int(self) != int(other)

    def __ge__(self, other: int) -> bool:
        return not int(other) & ~int(self)

    def __gt__(self, other: int) -> bool:
        return self >= other and int(self) != int(other)

    def __str__(self) -> str:
        return "|".join(self.atoms)

    def __repr__(self) -> str:
        return f"Relation({str(self)!r})"


@cache
def _atoms_of(mask: int) -> tuple[str, ...]:
    """Return the relation of a number, from a cache. There are 8,192 relations, and some are used very often."""
    return tuple(atom for atom, bit in _BIT.items() if mask & bit)


@cache
def _converse_of(mask: int) -> Relation:
    return Relation.of(*(_CONVERSE[atom] for atom in _atoms_of(mask)))


def _mask(text: str) -> int:
    mask = 0
    for atom in filter(None, text.split("|")):
        if atom not in _BIT:
            raise ValueError(f"{atom!r} is not an atom; the atoms are {' '.join(ATOMS)}")
        mask |= _BIT[atom]
    return mask


_ALL = (1 << len(ATOMS)) - 1
_CONVERSE = {atom: atom_holding(y, x) for atom, (x, y) in EXAMPLES.items()}

NOTHING = Relation(0)
EVERYTHING = Relation(_ALL)
EQUAL = Relation.of("=")


def union(relations: Iterable[Relation]) -> Relation:
    """Return the relation with all atoms of some relations."""
    mask = 0
    for relation in relations:
        mask |= int(relation)
    return Relation(mask)


def atom_named(name: str) -> Relation | None:
    """Return the atom with this short name, Allen name or symbol, in upper or lower case; None if there is none.

    >>> atom_named("overlapped-by"), atom_named("BI"), atom_named("nonsense")
    (Relation('oi'), Relation('bi'), None)
    """
    short = name.strip().lower()
    if short not in _BIT:
        short = ALLEN_NAMES.get(short.upper().replace("-", "_").replace(" ", "_"), "")
    return Relation(_BIT[short]) if short else None
