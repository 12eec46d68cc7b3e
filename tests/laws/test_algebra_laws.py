"""Laws of the relation algebra, each against the meaning of relations as sets of atoms."""

from hypothesis import given
from hypothesis import strategies as st

from temporacle.readings import BUILT_IN, DURING, load_reading
from temporacle.reasoner.algebra import ALL, ATOM_SIGNS, compose, converse
from temporacle.relation import EQUAL, EVERYTHING, NOTHING, Relation

masks = st.integers(0, ALL)
relations = masks.map(Relation)


@given(masks)
def test_converse_is_an_involution(mask):
    assert converse(converse(mask)) == mask


@given(masks, masks)
def test_converse_distributes_over_union_and_intersection(first, second):
    assert converse(first | second) == converse(first) | converse(second)
    assert converse(first & second) == converse(first) & converse(second)


@given(masks, masks)
def test_converse_of_a_composition_is_the_composition_of_the_converses_the_other_way_round(first, second):
    assert converse(compose(first, second)) == compose(converse(second), converse(first))


@given(masks, masks, masks)
def test_composition_is_associative(first, second, third):
    assert compose(compose(first, second), third) == compose(first, compose(second, third))


@given(masks, masks, masks)
def test_composition_distributes_over_union(first, second, third):
    assert compose(first, second | third) == compose(first, second) | compose(first, third)


@given(masks)
def test_equal_is_neutral_and_nothing_absorbs(mask):
    assert compose(mask, EQUAL) == compose(EQUAL, mask) == mask
    assert compose(mask, NOTHING) == compose(NOTHING, mask) == NOTHING


@given(masks, masks, masks)
def test_peircean_law(first, second, third):
    """(r ; s) meets t exactly if (converse(r) ; t) meets s."""
    assert bool(compose(first, second) & third) == bool(compose(converse(first), third) & second)


@given(relations, relations)
def test_relations_are_sets_of_atoms(first, second):
    assert set((first & second).atoms) == set(first.atoms) & set(second.atoms)
    assert set((first | second).atoms) == set(first.atoms) | set(second.atoms)
    assert set((~first).atoms) == set(EVERYTHING.atoms) - set(first.atoms)
    assert (first <= second) == (set(first.atoms) <= set(second.atoms))
    assert (first < second) == (set(first.atoms) < set(second.atoms))
    assert (first >= second) == (set(first.atoms) >= set(second.atoms))
    assert (first > second) == (set(first.atoms) > set(second.atoms))
    assert Relation.of(*first.atoms) == first
    assert int(first.converse()) == converse(first)


@given(relations.filter(bool), st.sampled_from(["allen", "links"]))
def test_a_printed_relation_is_read_back(relation, reading):
    assert load_reading(reading).relation(str(relation)) == relation


@given(st.sampled_from(BUILT_IN), st.sampled_from(DURING))
def test_a_label_for_a_relation_means_that_relation(name, during):
    reading = load_reading(name, during)
    for meaning in reading.labels.values():
        assert reading.with_atoms().relation(reading.label_for(meaning)) == meaning


def test_atoms_are_told_apart_by_their_signs():
    assert len(set(ATOM_SIGNS)) == 13
