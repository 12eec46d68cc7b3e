"""Searching for single pairs of a large graph against its naive twin, the closure."""

from random import Random

import pytest
from naive import network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner import judged as judged_module
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points import large as large_graphs
from temporacle.reasoner.points.graph import Contradiction, PointGraph
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.large import LargeGraph

CHAIN = Network.of([("a", "b", "b"), ("b", "b", "c")])


@pytest.mark.parametrize("kind", ["atomic", "convex"])
@pytest.mark.parametrize("many", [1000, 5, 1])
def test_pairs_are_answered_as_by_the_closure(kind, many, monkeypatch):
    monkeypatch.setattr(large_graphs, "MANY_QUESTIONS", many)
    rng = Random(f"{kind}{many}")
    consistent = 0
    for _ in range(250):
        entities = [f"e{k}" for k in range(rng.choice((2, 4, 8)))]
        network = network_of(random_network(rng, entities, kind, density=rng.choice((0.2, 0.4, 0.7))))
        size = len(network.entities)
        try:
            closure = graph_of(size, network.constraints).close()
        except Contradiction:
            with pytest.raises(Contradiction):
                LargeGraph.of_all(network, Budget())
            continue
        consistent += 1
        searched = LargeGraph.of_all(network, Budget())
        for source in range(size):
            for target in range(size):
                assert searched.relation(source, target) == closure.relation(source, target)
                assert searched.possible(source, target, 0x155) == closure.possible(source, target, 0x155)
        assert searched.model() == closure.model()
        assert [list(map(int, row)) for row in searched.table()] == [list(map(int, row)) for row in closure.table()]
    assert consistent > 50


def test_an_oracle_answers_the_same_about_large_documents(monkeypatch):
    rng = Random(4)
    for _ in range(100):
        entities = [f"e{k}" for k in range(6)]
        network = network_of(random_network(rng, entities, "convex", density=0.4))
        usual = Oracle(network)
        monkeypatch.setattr(judged_module, "_MOST_ROWS", 0)
        large = Oracle(network)
        for source in network.entities:
            for target in network.entities:
                assert large.strongest(source, target) == usual.strongest(source, target)
                assert large.entails(source, "b|m", target) is usual.entails(source, "b|m", target)
        found, expected = large.minimal_network(), usual.minimal_network()
        assert (found is None) is (expected is None)
        if found is not None and expected is not None:
            assert list(map(list, found.rows)) == list(map(list, expected.rows))
        monkeypatch.undo()


def test_a_graph_that_is_too_large_to_close_is_searched_on(monkeypatch):
    monkeypatch.setattr(large_graphs, "MANY_QUESTIONS", 2)

    def too_large(*_):
        raise BudgetExceeded("too large")

    monkeypatch.setattr(PointGraph, "close", too_large)
    searched = LargeGraph.of_all(CHAIN, Budget())
    assert [searched.relation(0, 2) for _ in range(4)] == [1] * 4
    with pytest.raises(BudgetExceeded):
        searched.table()


def test_the_budget_counts():
    budget = Budget(60)
    searched = LargeGraph.of_all(CHAIN, budget)
    with budget.at_most(0), pytest.raises(BudgetExceeded):
        searched.relation(0, 2)
