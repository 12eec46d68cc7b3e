"""The cheapest labelling that meets conflicts: branch and bound and CP-SAT against trying all."""

from itertools import product
from random import Random

import pytest

from temporacle.errors import InternalError
from temporacle.reasoner.decode import decode as parts
from temporacle.reasoner.network import Budget
from temporacle.reasoner.optimise.choices import Cheapest, TooHard, cheapest
from temporacle.reasoner.optimise.solver import Relaxed, first_of_equals, relaxed_by_cpsat


def random_problem(rng):
    pairs = rng.randint(1, 5)
    costs = {
        pair: [0, *sorted(rng.choice((0, 1, 2, 3, rng.randint(0, 20))) for _ in range(rng.randint(0, 3)))]
        for pair in range(pairs)
    }
    conflicts = [
        {pair: rng.randrange(1, 1 << len(costs[pair])) for pair in rng.sample(range(pairs), rng.randint(1, pairs))}
        for _ in range(rng.randint(0, 7))
    ]
    return costs, conflicts


def by_trying_all(costs, conflicts):
    pairs = sorted({pair for blocked in conflicts for pair in blocked})
    best = None
    for ranks in product(*(range(len(costs[pair])) for pair in pairs)):
        chosen = dict(zip(pairs, ranks, strict=True))
        if all(any(not bits >> chosen[pair] & 1 for pair, bits in blocked.items()) for blocked in conflicts):
            candidate = sum(costs[pair][chosen[pair]] for pair in pairs), ranks
            best = candidate if best is None else min(best, candidate)
    return None if best is None else Cheapest(best[0], dict(zip(pairs, best[1], strict=True)))


def test_branch_and_bound_finds_the_first_of_the_cheapest():
    rng = Random(1)
    for _ in range(2000):
        costs, conflicts = random_problem(rng)
        expected = by_trying_all(costs, conflicts)
        assert cheapest(costs, conflicts, 10**6) == expected
        if expected is not None:
            assert cheapest(costs, conflicts, 10**6, at_most=expected.cost) == expected
            assert cheapest(costs, conflicts, 10**6, at_most=expected.cost - 1) is None


@pytest.mark.parametrize("factor", [1, 10**12, 10**30])
def test_cpsat_finds_the_first_of_the_cheapest(factor):
    """Also where the costs are too long for the solver: then the bound is below, never above."""
    rng = Random(2)
    for _ in range(30):
        costs, conflicts = random_problem(rng)
        costs = {pair: [factor * cost for cost in own] for pair, own in costs.items()}
        expected = by_trying_all(costs, conflicts)
        found = relaxed_by_cpsat(costs, conflicts, Budget())
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.is_cheapest
            assert found.cost == expected.cost
            assert first_of_equals(costs, conflicts, found, Budget()) == expected.ranks


def test_costs_that_are_too_long_give_a_bound_from_below():
    costs = {0: [0, 10**30 + 1], 1: [0, 10**30]}
    found = relaxed_by_cpsat(costs, [{0: 1, 1: 1}], Budget())
    assert found.lower <= 10**30 <= found.cost


def test_patience_ends():
    with pytest.raises(TooHard):
        cheapest({0: [0, 1], 1: [0, 1]}, [{0: 1, 1: 1}], 0)


def test_a_wrong_bound_of_cpsat_is_noticed(monkeypatch):
    """CP-SAT is not believed: branch and bound looks for a cheaper labelling."""
    from decode_twin import document_of

    from temporacle.reasoner.decode.decode import decode_document
    from temporacle.scored import Objective

    circle = [("a", "b", 0.9), ("b", "c", 0.8), ("c", "a", 0.7)]
    pairs = [{"source": x, "target": y, "scores": {"BEFORE": p, "AFTER": 1 - p}} for x, y, p in circle]
    monkeypatch.setattr(parts, "_PATIENCE", 0)
    monkeypatch.setattr(parts, "_LESS_PATIENCE", 0)
    document = document_of({"document": "d", "pairs": pairs}, "matres")

    def lying(costs, conflicts, budget):
        ranks = {pair: len(costs[pair]) - 1 if pair == 0 else 0 for blocked in conflicts for pair in blocked}
        cost = sum(costs[pair][rank] for pair, rank in ranks.items())
        return Relaxed(cost, cost, ranks)

    monkeypatch.setattr(parts, "relaxed_by_cpsat", lying)
    with pytest.raises(InternalError, match="cheaper"):
        decode_document(document, Objective.PROB, Budget(), alternatives=0)
