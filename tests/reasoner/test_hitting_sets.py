"""Hitting sets: the reductions, branch and bound and CP-SAT, each against all choices there are."""

from itertools import combinations
from random import Random

import pytest

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.reasoner.optimise import choices, solver
from temporacle.reasoner.optimise.choices import Tie, TooHard, cheapest, minimum_hitting_set
from temporacle.reasoner.optimise.solver import cheapest_by_cpsat


def all_hitting(sets):
    """Every choice of elements that meets every set."""
    elements = sorted(frozenset().union(*sets))
    chosen = (list(some) for size in range(len(elements) + 1) for some in combinations(elements, size))
    return [some for some in chosen if all(members.intersection(some) for members in sets)]


def order(weights):
    """Weight first, then number, then the order of the elements."""
    return lambda chosen: (sum(weights[element] for element in chosen), len(chosen), chosen)


def random_sets(rng, most=6):
    elements = range(rng.randint(1, 7))
    return [frozenset(rng.sample(elements, rng.randint(1, min(4, len(elements))))) for _ in range(rng.randint(1, most))]


def problem(sets, weights):
    elements = {element for members in sets for element in members}
    costs = {element: (0, weights[element]) for element in elements}
    return costs, [dict.fromkeys(members, 1) for members in sets]


def chosen_of(ranks):
    return sorted(element for element, rank in ranks.items() if rank)


def test_two_thousand_families_against_all_subsets(monkeypatch):
    """Reductions and branch and bound: the same elements, not only the same weight. The solver is never reached."""
    monkeypatch.setattr(choices, "cheapest_by_cpsat", None)
    rng = Random("families")
    reduced = 0
    for _ in range(2000):
        sets = random_sets(rng, 8)
        weights = {element: rng.choice((0, 1, 1, 2, 3)) for element in range(7)}
        every = all_hitting(sets)
        best = min(every, key=order(weights))
        assert minimum_hitting_set(sets, weights, Budget()) == best
        some = minimum_hitting_set([*sets, *sets], weights, Budget(), any_will_do=True)
        assert some in every
        assert order(weights)(some)[:2] == order(weights)(best)[:2]
        reduced += choices._reduced(set(sets), weights) != choices._smallest(set(sets))
    assert reduced > 500


def test_reductions_keep_the_first_answer():
    """What is left is solved by trying all, so only the reductions are judged."""
    rng = Random("reductions")
    for _ in range(500):
        sets = random_sets(rng, 8)
        weights = {element: rng.choice((0, 1, 1, 2)) for element in range(7)}
        left = choices._reduced(set(sets), weights)
        assert min(all_hitting(left), key=order(weights)) == min(all_hitting(sets), key=order(weights))


@pytest.mark.parametrize("tie", [Tie.HIGHEST, Tie.ANY])
def test_search_by_exhaustion(tie):
    rng = Random("search")
    for _ in range(250):
        sets = random_sets(rng)
        weights = {element: rng.choice((1, 1, 2, 3)) for element in range(7)}

        def cost(chosen, weights=weights):
            return sum(weights[element] for element in chosen), chosen

        best = min(all_hitting(sets), key=cost)
        found = cheapest(*problem(sets, weights), 10_000, tie=tie)
        assert found.cost == cost(best)[0]
        if tie is Tie.ANY:
            assert chosen_of(found.ranks) in all_hitting(sets)
        else:
            assert chosen_of(found.ranks) == best


def test_the_bound_keeps_the_search_short():
    """Eight pairs without a common element: every way costs the same, and the first is kept."""
    pairs = [frozenset({2 * k, 2 * k + 1}) for k in range(8)]
    found = cheapest(*problem(pairs, dict.fromkeys(range(16), 1)), 72, tie=Tie.ANY)
    assert chosen_of(found.ranks) == list(range(0, 16, 2))
    with pytest.raises(TooHard):
        cheapest(*problem(pairs, dict.fromkeys(range(16), 1)), 30, tie=Tie.ANY)


def test_parts_without_a_common_element_are_searched_apart(monkeypatch):
    """Forty of them take a few steps each; together they would take more than there is patience for."""
    monkeypatch.setattr(choices, "cheapest_by_cpsat", None)
    monkeypatch.setattr(choices, "_PATIENCE", 30)
    chains = [{10 * part + k, 10 * part + k + 1} for part in range(40) for k in range(4)]
    weights = dict.fromkeys(range(400), 1)
    found = minimum_hitting_set(chains[::-1], weights, Budget())
    assert found == [10 * part + k for part in range(40) for k in (1, 3)]
    assert len(list(choices.connected([frozenset(pair) for pair in chains]))) == 40


def test_groups_share_elements():
    assert list(choices.connected([{1}, {2, 3}, {4, 5}, {3, 4}, {1, 6}])) == [[0, 4], [1, 2, 3]]


def test_a_set_that_contains_another_is_dropped():
    sets = [frozenset(members) for members in ({1, 2, 3}, {3, 4}, {1, 2}, {4, 3, 9}, {2, 1})]
    assert choices._smallest(set(sets)) == [frozenset({1, 2}), frozenset({3, 4})]


def test_an_element_that_another_one_is_better_than_is_left_out():
    sets = [frozenset({1, 2, 3}), frozenset({2, 3, 4})]
    assert choices._useful(sets, dict.fromkeys(range(5), 1)) == {1, 2}  # 3 hits what 2 hits, 4 less; 1 comes before 2
    assert choices._useful(sets, {1: 2, 2: 2, 3: 1, 4: 1}) == {3}  # it weighs less than 1 and 2, and comes before 4
    assert choices._useful(sets, {1: 1, 2: 2, 3: 2, 4: 1}) == {1, 2, 4}  # 1 and 4 are lighter than 2


def test_a_long_ring_leaves_one_element(monkeypatch):
    monkeypatch.setattr(choices, "cheapest_by_cpsat", None)
    ring = range(100_000)
    assert minimum_hitting_set([ring], dict.fromkeys(ring, 1), Budget()) == [0]
    assert minimum_hitting_set([ring, range(7, 50)], dict.fromkeys(ring, 1), Budget()) == [7]
    assert minimum_hitting_set([ring], dict.fromkeys(ring, 1) | {99: 0}, Budget()) == [99]


def test_weight_comes_first_then_number_then_order():
    assert minimum_hitting_set([{1, 2}, {1, 3}], {1: 2, 2: 1, 3: 1}, Budget()) == [1]
    many = [{1, k} for k in range(2, 6)]
    assert minimum_hitting_set(many, {1: 5, **dict.fromkeys(range(2, 6), 1)}, Budget()) == [2, 3, 4, 5]
    assert minimum_hitting_set(many, {1: 4, **dict.fromkeys(range(2, 6), 1)}, Budget()) == [1]
    assert minimum_hitting_set([{1, 2}, {3, 4}, {2, 3}], dict.fromkeys(range(5), 0), Budget()) == [1, 3]
    assert minimum_hitting_set([], {}, Budget()) == []


def test_the_first_among_equals_is_searched_only_if_it_matters(monkeypatch):
    asked = []

    def noted(costs, conflicts, patience, *, tie):
        asked.append(tie)
        raise TooHard

    def solve(costs, conflicts, budget, tie):
        asked.append(tie)
        return {1: 1}

    monkeypatch.setattr(choices, "cheapest", noted)
    monkeypatch.setattr(choices, "cheapest_by_cpsat", solve)
    assert minimum_hitting_set([{1}], {1: 1}, Budget(), any_will_do=True) == [1]
    assert minimum_hitting_set([{1}], {1: 1}, Budget()) == [1]
    assert asked == [Tie.ANY, Tie.ANY, Tie.HIGHEST, Tie.HIGHEST]


@pytest.mark.parametrize("patience", [0, 3])
def test_the_solver_gives_the_same_answers(monkeypatch, patience):
    """With no patience, CP-SAT does it all."""
    monkeypatch.setattr(choices, "_PATIENCE", patience)
    rng = Random(patience)
    for _ in range(40):
        sets = random_sets(rng)
        weights = {element: rng.choice((0, 1, 1, 2, 3)) for element in range(7)}
        best = min(all_hitting(sets), key=order(weights))
        assert minimum_hitting_set(sets, weights, Budget()) == best, (sets, weights)
        some = minimum_hitting_set(sets, weights, Budget(), any_will_do=True)
        assert order(weights)(some)[:2] == order(weights)(best)[:2]
        positive = {element: 8 * weight + 1 for element, weight in weights.items()}
        assert chosen_of(cheapest_by_cpsat(*problem(sets, positive), Budget(), Tie.HIGHEST)) == best


@pytest.mark.parametrize("any_will_do", [False, True])
@pytest.mark.parametrize("kind", ["random", "few", "near", "tiny and huge"])
def test_weights_of_any_length_by_exhaustion(monkeypatch, kind, any_will_do):
    """The solver's way for weights that it cannot add up exactly, against all choices there are."""
    monkeypatch.setattr(choices, "_PATIENCE", 0)
    rng = Random(f"long {kind}")
    long = 10**18
    draw = {
        "random": lambda: rng.randrange(long),
        "few": lambda: rng.choice((long // 3, long // 7, 2 * long)),  # many choices of one weight
        "near": lambda: long + rng.randrange(3),  # the solver takes them for equal
        "tiny and huge": lambda: rng.choice((0, 1, 2, long)),
    }
    for _ in range(15):
        sets = random_sets(rng)
        weights = {element: draw[kind]() for element in range(7)}
        best = min(all_hitting(sets), key=order(weights))
        found = minimum_hitting_set(sets, weights, Budget(), any_will_do=any_will_do)
        assert order(weights)(found)[: 2 if any_will_do else 3] == order(weights)(best)[: 2 if any_will_do else 3]
        # the same without the reductions, which leave little to the solver
        positive = {element: 8 * weight + 1 for element, weight in weights.items()}
        assert chosen_of(cheapest_by_cpsat(*problem(sets, positive), Budget(), Tie.HIGHEST)) == best


def test_hard_hitting_sets_go_to_the_solver():
    rng = Random(12)
    sets = [frozenset(rng.sample(range(120), 4)) for _ in range(70)]
    weights = dict.fromkeys(range(120), 1)
    with pytest.raises(TooHard):
        cheapest(*problem(sets, weights), 5000, tie=Tie.HIGHEST)
    chosen = minimum_hitting_set(sets, weights, Budget())
    assert all(members & set(chosen) for members in sets)
    assert len(chosen) == len(minimum_hitting_set(sets, weights, Budget(), any_will_do=True))


def test_chains_by_the_solver():
    sets = [frozenset({k, k + 1}) for k in range(60)]
    weights = dict.fromkeys(range(61), 1)

    def by_solver(weights):
        return chosen_of(cheapest_by_cpsat(*problem(sets, weights), Budget(), Tie.HIGHEST))

    assert by_solver(weights) == list(range(1, 61, 2))  # each hits two
    without_one = by_solver(weights | {1: 1000})
    assert 1 not in without_one
    for long in (1 << 53, 1 << 70):  # more than the solver can add up
        assert by_solver(weights | {1: long}) == without_one


def test_a_choice_that_is_not_proven_is_no_answer(monkeypatch):
    sets, weights = [frozenset({1, 2}), frozenset({2, 3})], dict.fromkeys(range(4), 1)
    honest = solver.relaxed_by_cpsat
    monkeypatch.setattr(solver, "relaxed_by_cpsat", lambda *each: honest(*each)._replace(lower=0))
    with pytest.raises(BudgetExceeded, match="did not prove"):
        cheapest_by_cpsat(*problem(sets, weights), Budget(), Tie.ANY)
