"""The algebra: nothing typed in, everything counted."""

from collections import Counter
from itertools import product

import pytest

from temporacle.reasoner.algebra import (
    ALL,
    SIZE,
    RelationClass,
    atoms_in,
    classify,
    compose,
    converse,
    convex_hull,
    convex_pieces,
    mask_of,
    point_hull,
    signs_of,
    subrelations_of_class,
)
from temporacle.relation import ALLEN_NAMES, ATOMS, Relation, atom_holding, atom_named

ORD_HORN = [mask for mask in range(SIZE) if classify(mask) is not RelationClass.GENERAL]


def test_thirteen_atoms_in_the_order_of_the_interface():
    assert " ".join(ATOMS) == "b m o fi di s = si d f oi mi bi"


def test_every_pair_of_intervals_has_exactly_one_atom_and_all_atoms_occur():
    intervals = [(start, end) for start in range(4) for end in range(start + 1, 4)]
    assert {atom_holding(x, y) for x, y in product(intervals, repeat=2)} == set(ATOMS)


def test_sizes_of_the_classes():
    count = Counter(classify(mask) for mask in range(1, SIZE))
    convex = count[RelationClass.CONVEX]
    pointisable = convex + count[RelationClass.POINTISABLE]
    assert convex == 82
    assert pointisable == 187
    assert pointisable + count[RelationClass.ORD_HORN] + 1 == 868  # with the empty relation
    assert sum(count.values()) == SIZE - 1


def test_convex_relations_are_the_ones_made_of_convex_endpoint_labels():
    labels = [1, 2, 4, 3, 6, 7]  # <, =, >, <=, >=, any
    assert {mask_of(signs) for signs in product(labels, repeat=4)} == {
        mask for mask in range(SIZE) if classify(mask) is RelationClass.CONVEX
    }


def test_pointisable_relations_are_the_ones_made_of_any_endpoint_labels():
    made = {mask_of(signs) for signs in product(range(1, 8), repeat=4)}
    assert made == {mask for mask in range(SIZE) if point_hull(mask) == mask}


def test_ord_horn_is_closed_under_converse_and_intersection():
    members = set(ORD_HORN)
    assert all(converse(mask) in members for mask in members)
    assert all(first & second in members for first in ORD_HORN for second in ORD_HORN[::7])


def test_ord_horn_is_closed_under_composition():
    members = set(ORD_HORN)
    assert all(compose(first, second) in members for first in ORD_HORN[::9] for second in ORD_HORN)


def test_ord_horn_is_maximal_one_more_relation_leaves_the_class():
    # {b, bi} ("disjoint") is the classical relation that makes reasoning NP-complete.
    assert classify(Relation.of("b", "bi")) is RelationClass.GENERAL
    assert classify(Relation.of("di", "si", "fi")) is RelationClass.ORD_HORN
    assert classify(~Relation.of("=")) is RelationClass.ORD_HORN
    assert classify(~Relation.of("bi")) is RelationClass.CONVEX


def test_hulls_contain_and_are_nested():
    for mask in range(SIZE):
        assert mask & ~point_hull(mask) == 0
        assert point_hull(mask) & ~convex_hull(mask) == 0
        assert mask_of(signs_of(mask)) == point_hull(mask)


def test_composition_against_all_placements_of_three_intervals():
    intervals = [(start, end) for start in range(6) for end in range(start + 1, 6)]
    seen: dict[tuple[str, str], int] = {}
    for x, y, z in product(intervals, repeat=3):
        key = atom_holding(x, y), atom_holding(y, z)
        seen[key] = seen.get(key, 0) | Relation.of(atom_holding(x, z))
    for (first, second), mask in seen.items():
        assert compose(Relation.of(first), Relation.of(second)) == mask
    assert compose(Relation.of("b"), Relation.of("bi")) == ALL
    assert Relation(compose(Relation.of("m"), Relation.of("d"))) == Relation.of("o", "s", "d")


@pytest.mark.parametrize("pointisable", [False, True])
def test_subrelations_are_inside_contain_the_atom_and_the_first_is_largest(pointisable):
    hull = point_hull if pointisable else convex_hull
    of_class = [mask for mask in range(1, SIZE) if hull(mask) == mask]
    for mask in range(1, SIZE, 97):
        for atom in atoms_in(mask):
            found = subrelations_of_class(mask, atom, pointisable=pointisable)
            fitting = [other for other in of_class if other & ~mask == 0 and other >> atom & 1]
            assert set(found) == set(fitting)
            assert found[0].bit_count() == max(other.bit_count() for other in fitting)


def test_convex_pieces_cover_exactly():
    for mask in range(1, SIZE):
        pieces = convex_pieces(mask)
        assert all(classify(piece) is RelationClass.CONVEX for piece in pieces)
        union = 0
        for piece in pieces:
            union |= piece
        assert union == mask


def test_names_and_symbols():
    assert {atom_named(atom) for atom in ATOMS} == {Relation.of(atom) for atom in ATOMS}
    for name, atom in ALLEN_NAMES.items():
        assert atom_named(name.lower()) == Relation.of(atom)
    assert atom_named("<") == Relation.of("b")
    assert atom_named("nothing") is None
