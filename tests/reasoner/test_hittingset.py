"""Branch and bound for hitting sets: the best of all, in few steps, or nothing."""

from itertools import combinations
from random import Random

import pytest

from temporacle.reasoner import hittingset
from temporacle.reasoner.hittingset import minimum_hitting_set, search
from temporacle.reasoner.network import Budget


def all_hitting(sets):
    """Every choice of elements that meets every set."""
    elements = sorted(frozenset().union(*sets))
    chosen = (list(some) for size in range(len(elements) + 1) for some in combinations(elements, size))
    return [some for some in chosen if all(members.intersection(some) for members in sets)]


def random_sets(rng):
    elements = range(rng.randint(1, 7))
    return [frozenset(rng.sample(elements, rng.randint(1, min(4, len(elements))))) for _ in range(rng.randint(1, 6))]


@pytest.mark.parametrize("any_will_do", [False, True])
def test_search_by_exhaustion(any_will_do):
    rng = Random("search")
    for _ in range(250):
        sets = random_sets(rng)
        weights = {element: rng.choice((1, 1, 2, 3)) for element in range(7)}

        def order(chosen, weights=weights):
            return sum(weights[element] for element in chosen), chosen

        best = min(all_hitting(sets), key=order)
        found = search(sets, weights, 10_000, any_will_do=any_will_do)
        assert found == sorted(found)
        if any_will_do:
            assert order(found)[0] == order(best)[0]
            assert found in all_hitting(sets)
        else:
            assert found == best


def test_easy_problems_never_reach_the_solver(monkeypatch):
    """What is left to it would be right as well, but dear."""
    monkeypatch.setattr("temporacle.reasoner.hittingcpsat.minimum_hitting_set", None)
    rng = Random("easy")
    for _ in range(150):
        sets = random_sets(rng)
        weights = {element: rng.choice((0, 1, 1, 2)) for element in range(7)}
        best = min(all_hitting(sets), key=lambda chosen: (sum(weights[e] for e in chosen), len(chosen), chosen))
        assert minimum_hitting_set(sets, weights, Budget()) == best
        assert minimum_hitting_set([*sets, *sets], weights, Budget()) == best


def test_patience_counts_steps():
    """One step to look at the set, one to see that nothing is left."""
    alone = [frozenset({7})]
    assert [search(alone, {7: 1}, patience) for patience in (0, 1, 2)] == [None, None, [7]]
    assert search([], {}, 1) == []


def test_the_bound_keeps_the_search_short():
    """Eight pairs without a common element: whichever way it is taken, none is lighter than the first."""
    pairs = [frozenset({2 * k, 2 * k + 1}) for k in range(8)]
    weights = dict.fromkeys(range(16), 1)
    assert search(pairs, weights, 17, any_will_do=True) == list(range(0, 16, 2))
    heavier = {element: 1 + element % 2 for element in range(16)}
    assert search(pairs, heavier, 17) == list(range(0, 16, 2))


def test_parts_without_a_common_element_are_searched_apart(monkeypatch):
    """Forty of them take a few steps each; together they would take more than there is patience for."""
    monkeypatch.setattr("temporacle.reasoner.hittingcpsat.minimum_hitting_set", None)
    chains = [{10 * part + k, 10 * part + k + 1} for part in range(40) for k in range(4)]
    weights = dict.fromkeys(range(400), 1)
    found = minimum_hitting_set(chains[::-1], weights, Budget())
    assert found == [10 * part + k for part in range(40) for k in (1, 3)]
    assert len(list(hittingset._groups([frozenset(pair) for pair in chains]))) == 40


def test_a_set_that_contains_another_is_dropped():
    sets = [frozenset(members) for members in ({1, 2, 3}, {3, 4}, {1, 2}, {4, 3, 9}, {2, 1})]
    assert hittingset._smallest(set(sets)) == [frozenset({1, 2}), frozenset({3, 4})]


@pytest.mark.parametrize("any_will_do", [False, True])
@pytest.mark.parametrize("kind", ["random", "few", "near", "tiny and huge"])
def test_weights_of_any_length_by_exhaustion(monkeypatch, kind, any_will_do):
    """The solver's way for weights that it cannot add up exactly, against all choices there are."""
    monkeypatch.setattr(hittingset, "_PATIENCE", 0)
    rng = Random(f"long {kind}")
    long = 10**18
    choices = {
        "random": lambda: rng.randrange(long),
        "few": lambda: rng.choice((long // 3, long // 7, 2 * long)),  # many choices of one weight
        "near": lambda: long + rng.randrange(3),  # the solver takes them for equal
        "tiny and huge": lambda: rng.choice((0, 1, 2, long)),
    }
    for _ in range(15):
        sets = random_sets(rng)
        weights = {element: choices[kind]() for element in range(7)}

        def order(chosen, weights=weights):
            return sum(weights[element] for element in chosen), len(chosen), chosen

        best = min(all_hitting(sets), key=order)
        found = minimum_hitting_set(sets, weights, Budget(), any_will_do=any_will_do)
        assert order(found)[: 2 if any_will_do else 3] == order(best)[: 2 if any_will_do else 3]
