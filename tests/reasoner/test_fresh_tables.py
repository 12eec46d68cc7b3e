"""Tables of the algebra that are made when first used: made anew here, and compared with the definitions."""

from itertools import product

import pytest
from naive import all_scenarios, atom_between

from temporacle.reasoner import algebra
from temporacle.reasoner.algebra import (
    ALL,
    ATOM_SIGNS,
    compose,
    converse,
    convex_hull,
    convex_pieces,
    mask_of,
    point_hull,
    signs_of,
    subrelations_of_class,
)
from temporacle.relation import ATOMS


@pytest.fixture(autouse=True)
def fresh_tables():
    for table in vars(algebra).values():
        if hasattr(table, "cache_clear"):
            table.cache_clear()


def test_compositions_are_those_of_all_scenarios():
    possible = dict.fromkeys(product(range(13), repeat=2), 0)
    for x, y, z in all_scenarios(3):
        first, second, third = (ATOMS.index(atom_between(*ends)) for ends in ((x, y), (y, z), (x, z)))
        possible[first, second] |= 1 << third
    assert {(a, b): compose(1 << a, 1 << b) for a, b in possible} == possible
    assert compose(ALL, ALL) == ALL
    assert compose(0, ALL) == compose(ALL, 0) == 0
    assert compose(1 | 2, 1 | 4) == possible[0, 0] | possible[0, 2] | possible[1, 0] | possible[1, 2]


def test_signs_and_atoms():
    for atom in range(13):
        assert mask_of(ATOM_SIGNS[atom]) == 1 << atom == convex_hull(1 << atom) == point_hull(1 << atom)
    assert mask_of((7, 7, 7, 7)) == ALL
    assert mask_of((0, 7, 7, 7)) == 0
    for mask in range(1, ALL, 37):
        signs = signs_of(mask)
        fitting = sum(
            1 << atom for atom, own in enumerate(ATOM_SIGNS) if all(x & y for x, y in zip(own, signs, strict=True))
        )
        assert mask & ~fitting == 0
        assert point_hull(mask) == fitting
        assert fitting & ~convex_hull(mask) == 0
        assert converse(converse(mask)) == mask


def test_pieces_are_convex_and_together_the_relation():
    for mask in range(1, ALL + 1, 61):
        pieces = convex_pieces(mask)
        union = 0
        for piece in pieces:
            assert convex_hull(piece) == piece
            assert piece & ~union  # each adds something
            union |= piece
        assert union == mask
        for atom in (atom for atom in range(13) if mask >> atom & 1):
            inside = subrelations_of_class(mask, atom, pointisable=False)
            assert all(each >> atom & 1 and convex_hull(each) == each and not each & ~mask for each in inside)
            assert [each.bit_count() for each in inside] == sorted((each.bit_count() for each in inside), reverse=True)
