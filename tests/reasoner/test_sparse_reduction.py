"""The minimal graph without a closure against its naive twin, the one of the closed document."""

from itertools import product
from random import Random

import pytest
from naive import network_of, random_network

from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points import large, large_reduction
from temporacle.reasoner.points.large_reduction import SparseReduction
from temporacle.reasoner.points.minimal_graph import reduction_of


def named(reduced, edges):
    return {(reduced.nodes[source], label, reduced.nodes[target]) for source, label, target in edges}


@pytest.mark.parametrize(("searched", "batch", "counted"), [(96, 2048, 4096), (0, 3, 1), (2, 50, 5)])
def test_the_same_graph_as_from_the_closure(searched, batch, counted, monkeypatch):
    monkeypatch.setattr(large, "SEARCHED", searched)
    monkeypatch.setattr(large, "BATCH", batch)
    monkeypatch.setattr(large_reduction, "COUNTED", counted)
    rng = Random(searched)
    consistent = 0
    for _ in range(300):
        entities = [f"e{k}" for k in range(rng.choice((1, 3, 6, 9)))]
        kind = rng.choice(("atomic", "convex"))
        links = network_of(random_network(rng, entities, kind, density=rng.choice((0.2, 0.4, 0.7)))).links
        network = Network(links, entities)
        table = Oracle(network).minimal_network()
        if table is None:
            continue
        consistent += 1
        naive, sparse = reduction_of(table), SparseReduction(network, Budget())
        assert set(sparse.nodes) == set(naive.nodes)
        assert named(sparse, sparse.major) == named(naive, naive.major)
        assert sparse.count_edges() == naive.count_edges()
        assert len(sparse.trivial_pairs()) == len(naive.trivial_pairs())
        sparse.ask(product(range(len(sparse.nodes)), repeat=2))
        for first, second in product(naive.node_of, repeat=2):
            ends = [(graph.node_of[first], graph.node_of[second]) for graph in (sparse, naive)]
            assert sparse.label(*ends[0]) == naive.label(*ends[1])
    assert consistent > 60
