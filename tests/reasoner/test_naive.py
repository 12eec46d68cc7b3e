"""The helpers themselves: what all other tests rest on."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from naive import KINDS, all_scenarios, atom_between, brute_force, random_network, relations_of

from temporacle.relation import ATOMS, EXAMPLES, Relation


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 13), (3, 409), (4, 23917)])
def test_every_scenario_is_listed_once(size, count):
    scenarios = list(all_scenarios(size))
    assert len(scenarios) == len(set(scenarios)) == count


@pytest.mark.parametrize("size", [2, 3])
def test_scenarios_are_those_of_all_assignments(size):
    intervals = [(start, end) for start in range(2 * size) for end in range(start + 1, 2 * size)]
    without_gaps = {
        assignment
        for assignment in product(intervals, repeat=size)
        if set(range(max(max(interval) for interval in assignment) + 1)) == {t for i in assignment for t in i}
    }
    assert set(all_scenarios(size)) == without_gaps


def test_atoms_agree_with_the_examples_that_define_them():
    assert [atom_between(x, y) for x, y in EXAMPLES.values()] == list(ATOMS)


def test_brute_force_knows_a_chain_a_clash_and_a_self_link():
    before, meets = Relation.of("b"), Relation.of("m")
    assert brute_force([("a", meets, "b"), ("b", meets, "c")], "abc")["c", "a"] == Relation.of("bi")
    assert brute_force([("a", before, "b"), ("b", before, "a")], "ab") is None
    assert brute_force([("a", before, "a")], "ab") is None
    assert brute_force([("a", Relation.of("=", "b"), "a")], "ab") == {
        ("a", "b"): ~Relation(0),
        ("b", "a"): ~Relation(0),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_random_networks_stay_in_their_kind_and_repeat_with_their_seed(kind):
    first, again = (random_network(Random(5), "abcd", kind, density=0.8) for _ in range(2))
    assert first == again
    assert all(relation in relations_of(kind) for _, relation, _ in first)


def test_sizes_of_the_kinds():
    assert [len(relations_of(kind)) for kind in KINDS] == [13, 82, 187, 867, 8191]
