"""Subsets of links by one solver: each answer against brute force, and cores that hold only what is needed."""

from random import Random

import numpy as np
import pytest
from naive import TRAP, atom_between, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.disjunctions import cores
from temporacle.reasoner.disjunctions.cores import SelectedLinks, minimal_core, shrink_core
from temporacle.reasoner.network import Budget, Network, NotMinimal, TooLarge
from temporacle.relation import Relation

NAMES = ("a", "b", "c", "d")


def possible(network, numbers):
    links = [network.links[number] for number in numbers]
    return brute_force([(link.source, link.relation, link.target) for link in links], network.entities) is not None


def selected(network, budget=None):
    return SelectedLinks(len(network.entities), network.constraints, budget or Budget())


def is_between(network, times, number):
    """Whether a model makes a link true."""
    source, mask, target = network.constraints[number]
    starts, ends = times[::2], times[1::2]
    return atom_between((starts[source], ends[source]), (starts[target], ends[target])) in Relation(mask).atoms


@pytest.mark.parametrize("number", range(6))
def test_each_subset_is_possible_or_has_a_core(number):
    rng = Random(f"subset {number}")
    network = network_of(random_network(rng, NAMES, "arbitrary", 1.0), NAMES)
    links = selected(network)
    for _ in range(6):
        some = rng.sample(range(len(network.links)), rng.randint(1, len(network.links)))
        core = links.core(some)
        assert (core is None) is possible(network, some)
        if core is None:
            assert all(is_between(network, links.times, number) for number in some)
        else:
            assert core == [number for number in some if number in core]
            assert not possible(network, core)
    links.close()


@pytest.mark.parametrize("number", range(6))
def test_what_is_found_later_is_found_too(monkeypatch, number):
    """No rule of three entities is written down before it is broken."""
    monkeypatch.setattr(cores, "TIGHT", 0)
    test_each_subset_is_possible_or_has_a_core(number)


def test_a_core_leaves_out_what_is_not_blamed():
    network = Network.of([("a", "b", "b"), ("c", "b", "d"), ("b", "b", "a"), ("a", "b", "c")])
    links = selected(network)
    assert links.core(range(4)) == [0, 2]
    assert links.core([3, 2, 1, 0]) == [2, 0]
    assert links.core([0, 1, 3]) is None


def test_a_link_that_is_kept_holds_from_then_on():
    network = Network.of([("a", "b", "b"), ("b", "b", "a"), ("a", "b|m", "b")])
    links = selected(network)
    assert links.core([1]) is None
    links.keep(0)
    assert links.core([1]) == [1]
    assert links.core([0, 1]) == [0, 1]
    assert links.core([2]) is None


def test_further_links_get_the_next_numbers():
    network = Network.of([("a", "b|m", "b"), ("b", "b|m", "c"), ("a", "b|bi", "c")])
    links = selected(network)
    assert links.add((2, int(Relation.of("b")), 0)) == 3
    assert links.add((0, int(Relation.of("m")), 1)) == 4
    assert links.add((1, int(Relation.of("b")), 0)) == 5
    assert links.core([0, 1, 2]) is None
    assert set(links.core([0, 1, 3])) == {0, 1, 3}
    assert links.core([2, 3]) is None
    assert links.core([0, 1, 4]) is None
    assert links.core([4, 5]) == [4, 5]


def test_links_of_an_entity_to_itself_take_no_part():
    network = Network.of([("a", "=", "a"), ("a", "b", "b"), ("b", "b", "a"), ("b", "=", "b")])
    links = selected(network)
    assert links.core(range(4)) == [1, 2]
    assert links.core([0, 1, 3]) is None
    assert links.add((0, 1, 0)) == 4
    assert links.core([4, 2]) is None
    assert minimal_core(network, Budget()) == [1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_minimal_cores_by_brute_force(seed):
    rng = Random(f"minimal {seed}")
    while True:
        network = network_of(random_network(rng, NAMES, "arbitrary", 1.0), NAMES)
        if not possible(network, range(len(network.links))):
            break
    core = minimal_core(network, Budget())
    assert core == sorted(core)
    assert not possible(network, core)
    for number in core:
        assert possible(network, [other for other in core if other != number])
    assert minimal_core(network_of([], NAMES), Budget()) is None


def test_a_consistent_network_has_no_core():
    assert minimal_core(Network.of(TRAP[:-1]), Budget()) is None
    assert minimal_core(Network.of(TRAP), Budget()) == list(range(6))


def test_the_links_that_are_needed_are_named():
    network = Network.of([("x", "b", "y"), *TRAP, ("y", "b", "z")])
    named = []
    links = selected(network)
    assert shrink_core(links, network, list(range(8)), named.append) == list(range(1, 7))
    assert sorted(named) == list(range(1, 7))
    assert shrink_core(links, network, list(range(8))) == list(range(1, 7))


def test_too_late_is_not_minimal_and_too_many_triangles_are_too_large(monkeypatch):
    network = Network.of(TRAP)
    with pytest.raises(BudgetExceeded):
        minimal_core(network, Budget(-1))
    budget = Budget(60)
    links = selected(network, budget)
    budget.seconds = -1
    budget.restart()
    with pytest.raises(NotMinimal, match="not decided") as unfinished:
        shrink_core(links, network, [5, 4, 3, 2, 1, 0])
    assert unfinished.value.numbers == (5, 4, 3, 2, 1, 0)
    monkeypatch.setattr(cores, "MOST_TRIANGLES", 4)
    assert minimal_core(network, Budget()) == list(range(6))
    monkeypatch.setattr(cores, "MOST_TRIANGLES", 3)
    with pytest.raises(TooLarge, match="4 triangles of entities are too many to search"):
        minimal_core(network, Budget())


def test_values_that_break_a_link_are_noticed(monkeypatch):
    links = selected(Network.of([("a", "b|bi", "b")]))
    monkeypatch.setattr(cores, "atoms_of", lambda codes: np.full(len(codes), 5))  # not one of the two atoms
    with pytest.raises(InternalError, match="break a link"):
        links.core([0])


def test_a_closed_solver_has_no_memory():
    links = selected(Network.of([("a", "b", "b")]))
    links.close()
    assert links._solver._solver is None


def test_memory_is_given_back(monkeypatch):
    closed = []
    monkeypatch.setattr(SelectedLinks, "close", lambda self, close=SelectedLinks.close: closed.append(close(self)))
    minimal_core(Network.of(TRAP), Budget())
    assert len(closed) == 1
