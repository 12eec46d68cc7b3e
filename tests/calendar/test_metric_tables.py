"""The table of all pairs by arrays against its twin: distances one by one, and the atoms that fit them."""

from itertools import product
from random import Random

import pytest

from temporacle.errors import BudgetExceeded
from temporacle.reasoner import network
from temporacle.reasoner.clock import table
from temporacle.reasoner.clock.table import possible_atoms, table_by_arrays
from temporacle.reasoner.clock.weights import WeightedEdge
from temporacle.reasoner.network import Budget
from temporacle.relation import EQUAL, Relation

FAR = 1 << 400


def graph_of(entities, edges):
    """Edges by their first point; each start is before its end."""
    graph = [[] for _ in range(2 * entities)]
    for start in range(0, 2 * entities, 2):
        graph[start + 1].append(WeightedEdge(start + 1, start, -1, None))
    for left, right, weight in edges:
        graph[left].append(WeightedEdge(left, right, weight, 0))
    return graph


def random_graph(rng, entities, unit):
    """Bounds that some times of the points satisfy, many of them just so."""
    times = [time for _ in range(entities) for time in sorted(rng.sample(range(0, 9 * unit, unit), 2))]
    edges = []
    for _ in range(rng.randint(0, 3 * entities)):
        left, right = rng.sample(range(2 * entities), 2)
        edges.append((left, right, times[right] - times[left] + rng.choice((0, 0, unit, 5 * unit))))
    return graph_of(entities, edges)


def one_by_one(graph, entities):
    points = range(len(graph))
    distances = [[0 if left == right else FAR for right in points] for left in points]
    for edge in (edge for each in graph for edge in each):
        distances[edge.left][edge.right] = min(distances[edge.left][edge.right], edge.weight)
    for middle, left, right in product(points, repeat=3):
        distances[left][right] = min(distances[left][right], distances[left][middle] + distances[middle][right])
    rows = [[int(EQUAL)] * entities for _ in range(entities)]
    for source, target in product(range(entities), repeat=2):
        if source != target:
            ends = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
            rows[source][target] = possible_atoms([[distances[x][y] for y in ends] for x in ends])
    return rows


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("unit", [2, 86_400, 10**15])
def test_tables_by_arrays_are_those_of_single_pairs(seed, unit):
    rng = Random(f"tables {seed} {unit}")
    entities = rng.randint(1, 4)
    graph = random_graph(rng, entities, unit)
    assert table_by_arrays(graph, entities, Budget()) == one_by_one(graph, entities)


def test_lengths_exclude_what_signs_allow():
    """One day and three days: equal starts or equal ends, never both, and the first is never longer."""
    graph = graph_of(2, [(0, 1, 24), (1, 0, -24), (2, 3, 72), (3, 2, -72)])
    (_, between), (turned, _) = table_by_arrays(graph, 2, Budget())
    assert Relation(between) == Relation.of("b", "m", "o", "s", "d", "f", "oi", "mi", "bi")
    assert Relation(turned) == Relation(between).converse()


def test_the_rows_are_made_in_portions(monkeypatch):
    graph = random_graph(Random("portions"), 5, 3)
    whole = table_by_arrays(graph, 5, Budget())
    asked = []
    budget = Budget()
    honest = table._rows
    monkeypatch.setattr(
        table, "_rows", lambda distances, some, entities: asked.append(some) or honest(distances, some, entities)
    )
    monkeypatch.setattr(table, "_PAIRS_AT_ONCE", 6)
    assert table_by_arrays(graph, 5, budget) == whole
    assert [list(some) for some in asked] == [[0, 1], [2, 3], [4]]
    assert len(whole) == 5
    assert table_by_arrays([], 0, Budget()) == []


def test_what_is_too_large_for_arrays(monkeypatch):
    graph = graph_of(2, [(0, 2, (1 << 58) - 4)])  # with the two edges of the intervals, the sum is just allowed
    assert table_by_arrays(graph, 2, Budget()) == one_by_one(graph, 2)
    assert table_by_arrays(graph_of(2, [(0, 2, 1 << 58)]), 2, Budget()) is None
    assert table_by_arrays(graph_of(2, [(0, 2, -(1 << 58))]), 2, Budget()) is None
    monkeypatch.setattr(table, "_MOST_POINTS", 4)
    assert table_by_arrays(graph_of(2, []), 2, Budget()) is not None
    assert table_by_arrays(graph_of(3, []), 3, Budget()) is None


def test_time_and_memory_are_limits(monkeypatch):
    graph = graph_of(2, [])
    with pytest.raises(BudgetExceeded, match="not decided"):
        table_by_arrays(graph, 2, Budget(-1))
    assert table_by_arrays([[]] * 63, 0, Budget(-1)) == []
    with pytest.raises(BudgetExceeded, match="not decided"):
        table_by_arrays([[]] * 64, 0, Budget(-1))
    monkeypatch.setattr(network, "_MOST_MEMORY", 3 * 8 * 16)
    assert table_by_arrays(graph, 2, Budget()) is not None
    monkeypatch.setattr(network, "_MOST_MEMORY", 3 * 8 * 16 - 1)
    with pytest.raises(BudgetExceeded, match="the distances of 2 entities"):
        table_by_arrays(graph, 2, Budget())
