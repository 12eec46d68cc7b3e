"""Consistency by splitting disjunctions: the same answers as the oracle that closes the graph; large graphs."""

from random import Random

import pytest
from naive import KINDS, network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner import oracle as oracle_module
from temporacle.reasoner import splitting
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle, checked_witness
from temporacle.reasoner.splitting import model_by_splitting
from temporacle.results import Consistent, Inconsistent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("density", [0.3, 0.6])
def test_agrees_with_the_closed_graph(kind, density):
    rng = Random(f"{kind}{density}")
    entities = [f"e{k}" for k in range(7)]
    answers = set()
    for _ in range(100):
        network = network_of(random_network(rng, entities, kind, density), entities)
        times = model_by_splitting(len(network.entities), network.constraints, Budget())
        assert (times is not None) == Oracle(network).is_consistent()
        answers.add(times is not None)
        if times is not None:
            checked_witness(network, times)  # raises if a link is broken
    assert answers == {True, False}


def test_too_many_cases_are_no_answer(monkeypatch):
    monkeypatch.setattr(splitting, "MOST_CASES", 1)
    with pytest.raises(BudgetExceeded, match="1 cases"):
        model_by_splitting(3, [(0, 2 | 1 << 11, 1), (1, 2 | 1 << 11, 2), (0, 1 | 1 << 12, 2)], Budget())


def test_the_oracle_splits_what_is_too_large_to_close(monkeypatch):
    monkeypatch.setattr(oracle_module, "_MOST_CLOSED", 2)
    triangle = [("a", "b", "b"), ("b", "b", "c")]
    possible = Oracle([*triangle, ("a", "b|bi", "c")])
    assert isinstance(possible.consistency(), Consistent)
    assert possible.decided_by == "graph"
    impossible = Oracle([*triangle, ("a", "m|bi", "c")]).consistency()
    assert isinstance(impossible, Inconsistent)
    assert len(impossible.conflict) == 3


def test_a_long_chain_with_disjunctions_is_decided():
    chain = [(f"x{k}", "b", f"x{k + 1}") for k in range(25_000)]
    jumps = [(f"x{k}", "b|bi", f"x{k + 5}") for k in range(0, 20_000, 500)]
    assert isinstance(Oracle([*chain, *jumps]).consistency(), Consistent)
    assert not Oracle([*chain, *jumps, ("x7", "m|bi", "x9")]).is_consistent()
