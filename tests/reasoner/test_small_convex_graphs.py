"""Pairs, minimal graphs and links left out of documents without disjunctions, against closures of tiny ones."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from convex_links import WEAK, true_links
from naive import network_of

from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points import large, large_reduction
from temporacle.reasoner.points.graph import PointGraph
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.large import LargeGraph
from temporacle.reasoner.points.large_reduction import SparseReduction
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.relation import Relation


def numbered(entities, links):
    """The network of links between numbers."""
    stated = [Link(f"l{place}", f"e{s}", Relation(mask), f"e{t}") for place, (s, mask, t) in enumerate(links)]
    return Network(stated, [f"e{number}" for number in range(entities)])


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_searched_as_they_are_closed(seed, monkeypatch):
    rng = Random(f"searched {seed}")
    for _ in range(6):
        entities = rng.randint(2, 5)
        links = true_links(rng, entities, rng.randint(1, 8))
        closure = graph_of(entities, links).close()
        for many in (1, 4, 1000):
            monkeypatch.setattr(large, "MANY_QUESTIONS", many)
            searched = LargeGraph.of_all(numbered(entities, links), Budget())
            for pair in product(range(entities), repeat=2):
                assert searched.relation(*pair) == closure.relation(*pair), links
                assert searched.possible(*pair, WEAK[0]) == closure.relation(*pair) & WEAK[0]


def test_a_graph_is_closed_once_after_many_questions(monkeypatch):
    monkeypatch.setattr(large, "MANY_QUESTIONS", 3)
    network = numbered(3, [(0, 1, 1), (1, 1, 2)])
    closed = []
    honest = PointGraph.close
    monkeypatch.setattr(PointGraph, "close", lambda self, budget: closed.append(self) or honest(self, budget))
    searched = LargeGraph.of_all(network, Budget())
    for questions in range(1, 6):
        assert searched.relation(0, 2) == 1
        assert len(closed) == (questions >= 3)
    searched.table()
    assert len(closed) == 1
    fresh = LargeGraph.of_all(network, Budget())
    fresh.table()
    for _ in range(4):
        fresh.relation(0, 2)
    assert len(closed) == 2


@pytest.mark.parametrize("seed", range(6))
def test_minimal_graphs_are_those_of_the_closure(seed, monkeypatch):
    rng = Random(f"minimal {seed}")
    monkeypatch.setattr(large_reduction, "COUNTED", rng.choice((1, 2, 3, 4096)))
    for _ in range(5):
        entities = [f"e{number}" for number in range(rng.randint(1, 5))]
        links = true_links(rng, len(entities), rng.randint(0, 8))
        triples = [(entities[s], Relation(mask), entities[t]) for s, mask, t in links if s != t]
        network = Network(network_of(triples).links, entities)
        naive, sparse = reduction_of(Oracle(network).minimal_network()), SparseReduction(network, Budget())
        assert set(sparse.nodes) == set(naive.nodes)
        assert _named(sparse) == _named(naive)
        assert (sparse.count_edges(), sparse.different) == (naive.count_edges(), naive.different)
        sparse.ask(product(range(len(sparse.nodes)), repeat=2))
        for one, other in product(naive.node_of, repeat=2):
            label = naive.label(naive.node_of[one], naive.node_of[other])
            assert sparse.label(sparse.node_of[one], sparse.node_of[other]) == label


def _named(reduced):
    return {(reduced.nodes[edge.source], edge.label, reduced.nodes[edge.target]) for edge in reduced.major}


def test_a_document_without_entities_has_an_empty_graph():
    nothing = SparseReduction(Network((), ()), Budget())
    assert (nothing.nodes, nothing.major, nothing.node_of, nothing.count_edges()) == ((), (), {}, 0)


def test_counting_the_edges_of_a_closure_stays_within_time():
    reduced = SparseReduction(Network.of([("a", "b", "b")]), Budget())
    reduced._budget = Budget(-1)
    with pytest.raises(BudgetExceeded):
        reduced.count_edges()
