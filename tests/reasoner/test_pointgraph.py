"""The endpoint graph against its naive twins."""

from itertools import combinations
from random import Random

import pytest
from naive import brute_force, network_of, random_network

from temporacle.reasoner.algebra import ALL, RelationClass, classify, signs_of
from temporacle.reasoner.points.graph import Contradiction, PointGraph, hull_edges, model_of, strong_components
from temporacle.reasoner.points.graph import _implied as implied
from temporacle.reasoner.points.hulls import graph_of

NAMES = ("a", "b", "c", "d")


def naive_components(successors):
    """Points that reach each other, by Warshall."""
    size = len(successors)
    reach = [[x == y for y in range(size)] for x in range(size)]
    for x, targets in enumerate(successors):
        for target in targets:
            reach[x][target >> 1] = True
    for y in range(size):
        for x in range(size):
            if reach[x][y]:
                for z in range(size):
                    reach[x][z] = reach[x][z] or reach[y][z]
    return reach


def test_strong_components_against_warshall_and_their_numbers_never_rise_along_an_edge():
    rng = Random(1)
    for _ in range(1500):
        size = rng.randint(1, 9)
        successors = [
            [2 * rng.randrange(size) + rng.randrange(2) for _ in range(rng.randrange(4))] for _ in range(size)
        ]
        components = strong_components(successors)
        reach = naive_components(successors)
        for x in range(size):
            for y in range(size):
                assert (components[x] == components[y]) == (reach[x][y] and reach[y][x])
            assert all(components[target >> 1] <= components[x] for target in successors[x])
        assert sorted(set(components)) == list(range(max(components) + 1))


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_points_needs_no_recursion():
    size = 100_000
    successors = [[2 * (point + 1)] if point + 1 < size else [] for point in range(size)]
    assert model_of(strong_components(successors)) == list(range(size))
    successors[-1] = [0]
    assert set(strong_components(successors)) == {0}


def test_hull_edges_say_all_four_cross_pairs_and_no_edge_is_superfluous():
    for mask in range(1, ALL + 1):
        if classify(mask) is not RelationClass.CONVEX:
            continue
        edges = hull_edges(mask)
        full = []
        for (x, y), signs in zip(((0, 2), (0, 3), (1, 2), (1, 3)), signs_of(mask), strict=True):
            if not signs & 4:
                full.append((x, y, not signs & 2))
            if not signs & 1:
                full.append((y, x, not signs & 2))
        for x, y, strict in full:
            assert implied(type(edges[0])(x, y, strict), edges)
        for edge in edges:
            assert not implied(edge, [other for other in edges if other is not edge])


@pytest.mark.parametrize("kind", ["atomic", "convex", "pointisable"])
def test_closure_with_differences_against_brute_force(kind):
    rng = Random(kind)
    consistent = 0
    for _ in range(1500):
        names = NAMES[: rng.randint(2, 4)]
        triples = random_network(rng, names, kind, rng.choice((0.5, 0.8, 1.0)))
        truth = brute_force(triples, names)
        network = network_of(triples, names)
        graph = PointGraph(len(names))
        try:
            for source, mask, target in network.constraints:
                graph.add(source, mask, target, differences=True)
            closure = graph.close()
        except Contradiction:
            assert truth is None
            continue
        assert truth is not None
        consistent += 1
        for (i, first), (j, second) in combinations(enumerate(names), 2):
            assert closure.relation(i, j) == truth[first, second]
            assert closure.relation(j, i) == truth[second, first]
        assert closure.table_by_arrays().tolist() == closure.table_by_pairs()
    assert consistent > 300


def test_tables_by_arrays_and_by_pairs_agree_on_documents():
    rng = Random(3)
    for size in (1, 2, 23, 24, 40):
        links = [(rng.randrange(size), rng.choice((1, 3, 16, 64, 7)), rng.randrange(size)) for _ in range(size)]
        links = [(min(s, t), m, max(s, t)) for s, m, t in links if s != t]
        try:
            closure = graph_of(size, links).close()
        except Contradiction:
            continue
        assert closure.table_by_arrays().tolist() == closure.table_by_pairs()
        assert [list(map(int, row)) for row in closure.table()] == closure.table_by_pairs()


def test_the_between_rule():
    """P <= x, x != y, y <= q with p <= y and x <= q too: p and q must differ although no strict edge says so."""
    graph = PointGraph(4)
    p, x, y, q = 0, 2, 4, 6  # the starts of four entities
    for lower, upper in ((p, x), (p, y), (x, q), (y, q)):
        graph.successors[lower].append(2 * upper)
    graph.differences.append((x, y))
    closure = graph.close()
    assert closure.signs(p, q) == 1  # <
    assert closure.signs(x, y) == 5  # !=
    assert closure.signs(p, x) == 3  # <=


@pytest.mark.parametrize("mask", [1, 1 << 4, 3, 1 << 12 | 1])
def test_impossible_self_links(mask):
    graph = PointGraph(1)
    with pytest.raises(Contradiction):
        graph.add(0, mask, 0)


def test_an_empty_relation_is_a_contradiction():
    with pytest.raises(Contradiction):
        PointGraph(2).add(0, 0, 1)


def test_an_empty_graph_closes():
    assert PointGraph(0).close().table_by_pairs() == []
    assert PointGraph(0).close().table_by_arrays().tolist() == []
