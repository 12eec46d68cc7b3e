"""Rows of a sparse graph, found by searches, against their naive twin, the table of the closure."""

from random import Random

import numpy as np
import pytest
from naive import network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.model import Document
from temporacle.reasoner import judged as judged_module
from temporacle.reasoner import network as network_module
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points import large
from temporacle.reasoner.points.graph import Contradiction, PointGraph
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.searched_rows import SearchedRows, is_sparse, reached
from temporacle.tasks.closure import closure

BEFORE = 1


@pytest.mark.parametrize("kind", ["atomic", "convex"])
def test_rows_are_those_of_the_closure(kind):
    rng = Random(kind)
    consistent = 0
    for _ in range(300):
        entities = [f"e{k}" for k in range(rng.choice((1, 3, 6, 9)))]
        network = network_of(random_network(rng, entities, kind, density=rng.choice((0.1, 0.3, 0.6))))
        size = len(network.entities)
        graph = graph_of(size, network.constraints)
        try:
            closed = graph.close()
        except Contradiction:
            continue
        consistent += 1
        rows = SearchedRows(graph, graph.condense(), Budget())
        expected = closed.table_by_pairs()
        assert len(rows) == size
        assert [row.tolist() for row in rows] == expected
        assert [row.tolist() for row in rows[1:]] == expected[1:]
        assert np.asarray(rows).tolist() == expected
        pairs = PairTable(network.entities, rows), PairTable(network.entities, expected)
        for universal in (False, True):
            found, twin = (list(table.pairs(universal=universal)) for table in pairs)
            assert found == twin
    assert consistent > 50


def chain(entities):
    graph = PointGraph(entities)
    for each in range(entities - 1):
        graph.add(each, BEFORE, each + 1)
    return graph


def couples(entities):
    graph = PointGraph(entities)
    for each in range(0, entities - 1, 2):
        graph.add(each, BEFORE, each + 1)
    return graph


def test_a_graph_is_sparse_if_searches_are_short():
    assert is_sparse(couples(2_000))
    assert not is_sparse(chain(2_000))
    assert not is_sparse(couples(20))  # the table is small


def test_a_search_for_the_sample_ends_early():
    successors = chain(50).successors
    assert len(reached(0, successors)) == 100
    assert 10 < len(reached(0, successors, most=10)) < 15


def test_closures_of_documents_are_the_same_by_searches(monkeypatch):
    rng = Random(11)
    documents = [
        Document(
            f"d{number}", network_of(random_network(rng, [f"e{k}" for k in range(8)], "convex", density=0.2)).links
        )
        for number in range(30)
    ]
    for points in (False, True):
        expected = [list(each.rows()) for each in closure(documents, points=points, all=points)]
        with monkeypatch.context() as patch:
            patch.setattr(judged_module, "_MOST_ROWS", 0)
            patch.setattr(large, "is_sparse", lambda _graph: True)
            found = closure(documents, points=points, all=points)
            kinds = {type(each.pair_table.rows) for each in found if each.pair_table is not None}
            assert kinds == {SearchedRows}
            assert [list(each.rows()) for each in found] == expected


def test_the_table_as_a_whole_is_refused_if_it_is_too_large(monkeypatch):
    monkeypatch.setattr(network_module, "_MOST_MEMORY", 1_000)
    rows = SearchedRows(couples(50), couples(50).condense(), Budget())
    assert sum(int((row != rows[0]).any()) for row in rows) == 49
    with pytest.raises(BudgetExceeded, match="would take"):
        np.asarray(rows)


def test_a_large_document_is_closed_row_by_row():
    links = [(f"e{each}", "BEFORE", f"e{each + 1}") for each in range(0, 1_200, 2)]
    table = Oracle(links).minimal_network()
    assert isinstance(table.rows, SearchedRows)
    assert [(source, str(relation), target) for source, relation, target in table.pairs()] == [
        (source, "b", target) for source, _, target in links
    ]
