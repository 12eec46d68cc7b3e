"""The enumeration against an independent count, against brute force, and against its own complete listing."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from random import Random

import pytest
from naive import KINDS, all_scenarios, atom_between, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.reasoner.network import Budget
from temporacle.reasoner.reference.engines import LARGEST_ENUMERATED as LARGEST
from temporacle.reasoner.reference.enumeration import closure, scenarios
from temporacle.relation import EVERYTHING, Relation


def number_of_scenarios(size):
    """By recurrence on the number of different times: a new interval takes old times and gaps between them."""
    by_times = {0: 1}
    for _ in range(size):
        longer: dict[int, int] = {}
        for times, count in by_times.items():
            for new, ways in ((0, comb(times, 2)), (1, times * (times + 1)), (2, comb(times + 2, 2))):
                longer[times + new] = longer.get(times + new, 0) + count * ways
        by_times = longer
    return sum(by_times.values())


def as_dict(table):
    if table is None:
        return None
    names = table.entities
    return {(a, b): table.relation(a, b) for a, b in product(names, repeat=2) if a != b}


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 1), (2, 13), (3, 409), (4, 23917)])
def test_the_scenarios_of_nothing_stated(size, count):
    found = list(scenarios(network_of([], "abcd"[:size]), Budget()))
    assert len(found) == len(set(found)) == number_of_scenarios(size) == count
    assert set(found) == set(all_scenarios(size))


@pytest.mark.parametrize("kind", KINDS)
def test_scenarios_are_exactly_those_that_satisfy_every_link(kind):
    rng = Random(f"scenarios {kind}")
    for _ in range(40):
        triples = random_network(rng, "abc", kind, density=0.6)
        expected = {
            scenario
            for scenario in all_scenarios(3)
            if all(
                atom_between(scenario["abc".index(source)], scenario["abc".index(target)]) in relation.atoms
                for source, relation, target in triples
            )
        }
        found = list(scenarios(network_of(triples, "abc"), Budget()))
        assert len(found) == len(expected)
        assert set(found) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("names", "cases"), [("ab", 40), ("abc", 60), ("abcd", 6)])
def test_closure_is_the_truth(kind, names, cases):
    rng = Random(f"closure {kind} {names}")
    for _ in range(cases):
        triples = random_network(rng, names, kind, density=rng.choice((0.4, 0.7, 1)))
        assert as_dict(closure(network_of(triples, names), Budget())) == brute_force(triples, names), triples


def test_closure_of_five_is_the_union_of_all_its_scenarios():
    rng = Random("five")
    chain = [(x, random_network(rng, "xy", "atomic", 1)[0][1], y) for x, y in zip("abcd", "bcde", strict=True)]
    network = network_of([*chain, ("a", Relation.of("b", "d", "o"), "e")])
    union: dict[tuple[str, str], Relation] = {}
    for scenario in scenarios(network, Budget()):
        for (a, x), (b, y) in product(zip(network.entities, scenario, strict=True), repeat=2):
            union[a, b] = union.get((a, b), Relation(0)) | Relation.of(atom_between(x, y))
    assert union
    assert as_dict(closure(network, Budget())) == {pair: union[pair] for pair in union if pair[0] != pair[1]}


def test_six_entities_without_links_are_all_open():
    table = closure(network_of([], "abcdef"), Budget())
    assert set(as_dict(table).values()) == {EVERYTHING}
    assert all(table.relation(name, name) == Relation.of("=") for name in "abcdef")


def test_self_links():
    assert closure(network_of([("a", Relation.of("b"), "a")]), Budget()) is None
    assert list(scenarios(network_of([("a", Relation.of("b", "="), "a")]), Budget())) == [((0, 1),)]


def test_an_empty_relation_has_no_scenario():
    assert list(scenarios(network_of([("a", Relation(0), "b")]), Budget())) == []


class Steps(Budget):
    """Ends after some looks at the clock, of which every step of the search takes one."""

    def __init__(self, steps):
        super().__init__()
        self.left = steps

    def check(self):
        self.left -= 1
        if self.left < 0:
            raise BudgetExceeded("too many steps")


@pytest.mark.parametrize(
    "impossible",
    [
        [("e", Relation.of("b"), "e")],
        [("e", Relation(0), "f")],
        [("e", Relation.of("b"), "f"), ("e", Relation.of("m"), "f")],
        [("e", Relation.of("b"), "f"), ("f", Relation.of("b"), "e")],
        [("f", Relation.of("b"), "e"), ("e", Relation.of("b"), "f")],
    ],
)
def test_links_of_one_pair_that_clash_are_seen_before_the_others_are_placed(impossible):
    others = [(x, Relation.of("b", "m", "o"), y) for x, y in combinations("abcd", 2)]
    assert closure(network_of([*others, *impossible], "abcdef"), Steps(100)) is None


def test_too_many_entities_name_the_limit_and_the_cure():
    network = network_of([], [f"e{k}" for k in range(LARGEST + 1)])
    for question in (closure, scenarios):
        with pytest.raises(UsageError, match=r"up to 6 entities, but there are 7: use the engine exact or cpsat"):
            question(network, Budget())


def test_an_exhausted_budget_is_no_answer():
    with pytest.raises(BudgetExceeded):
        closure(network_of([], "abcdef"), Budget(0))
