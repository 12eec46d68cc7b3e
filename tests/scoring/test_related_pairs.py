"""Closed graphs compared entity by entity, by related pairs alone, against their naive twins: tables of all pairs."""

from random import Random

import numpy as np
import pytest
from naive import network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.model import Document, Entity, Kind
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.points import large
from temporacle.reasoner.points.graph import Contradiction
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.searched_rows import SearchedRows
from temporacle.scoring import closed
from temporacle.scoring.closed import PairCase, core_of, count_by_arrays, count_cases, count_related
from temporacle.scoring.metric import PairOptions
from temporacle.scoring.tally import PairKinds


def both_tables(rng, names):
    """Return the closure of some random convex links, as rows that are searched for and as an array."""
    while True:
        network = network_of(random_network(rng, names, "convex", density=rng.choice((0.1, 0.3, 0.6))))
        graph = graph_of(len(network.entities), network.constraints)
        if not network.links:
            continue
        try:
            array = graph.close().table_by_arrays()
        except Contradiction:
            continue
        rows = SearchedRows(graph, graph.condense(), Budget())
        return PairTable(network.entities, rows), PairTable(network.entities, array)


def naive_cases(key, answer, kinds):
    """Straight from the definition: every pair of the entities of either side."""
    names = list(dict.fromkeys((*key.entities, *answer.entities)))
    found = {}
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            known = [first in table.entities and second in table.entities for table in (key, answer)]
            masks = [
                int(table.relation(first, second)) if is_known else ALL
                for table, is_known in zip((key, answer), known, strict=True)
            ]
            if masks != [ALL, ALL]:
                case = PairCase(*masks, *known, "other" if kinds is None else kinds.of(first, second))
                found[case] = found.get(case, 0) + 1
    return found


@pytest.mark.parametrize("seed", range(60))
def test_cases_are_counted_as_by_the_definition(seed, monkeypatch):
    rng = Random(seed)
    monkeypatch.setattr(closed, "_CELLS_AT_A_TIME", rng.choice((1, 7, 30, 1 << 18)))
    everyone = [f"e{k}" for k in range(9)]
    (rows, array), (other_rows, other_array) = (
        both_tables(rng, rng.sample(everyone, rng.choice((2, 5, 8)))) for _ in range(2)
    )
    entities = tuple(Entity(name, rng.choice(list(Kind)), is_dct=name == "e0") for name in everyone)
    for kinds in (None, PairKinds([Document("d", body=lambda: Document("d").body._replace(entities=entities))])):
        expected = naive_cases(array, other_array, kinds)
        assert count_by_arrays(array, other_array, kinds) == expected
        for key in (rows, array):
            for answer in (other_rows, other_array):
                assert count_related(key, answer, kinds) == expected
                assert count_cases(key, answer, kinds) == expected


@pytest.mark.parametrize("seed", range(60))
def test_core_relations_of_related_pairs_are_those_of_the_table(seed):
    rng = Random(seed)
    rows, array = both_tables(rng, [f"e{k}" for k in range(rng.choice((2, 5, 9, 14)))])
    searched, table = core_of(rows, Budget()), core_of(array, Budget())
    assert isinstance(searched.rows, closed.CoreRows)
    expected = np.asarray(table.rows).tolist()
    for _ in range(2):  # a row does not depend on those asked for before
        assert [row.tolist() for row in searched.rows] == expected
    assert list(searched.pairs()) == list(table.pairs())
    with pytest.raises(BudgetExceeded):
        core_of(rows, Budget(-1))


@pytest.mark.parametrize("metric", [closed.CLOSURE, closed.CORE], ids=lambda metric: metric.name)
def test_a_large_sparse_document_is_scored_without_a_table(metric, monkeypatch):
    rng = Random(f"temporacle.scoring.{metric.name}")
    size = 1_100
    labels = ("BEFORE", "INCLUDES", "SIMULTANEOUS", "b|m")
    links = [(f"e{k}", rng.choice(labels), f"e{k + rng.randint(1, 3)}") for k in range(0, size, 2) for _ in range(2)]
    gold = Document("d", links)
    system = Document("d", [each for each in links if rng.random() < 0.8] + [("e3", "BEFORE", "new")])
    options = PairOptions(details=True)
    found = metric.judge(gold, system, options)
    with monkeypatch.context() as patch:
        patch.setattr(SearchedRows, "__array__", lambda *_: pytest.fail("a table of all pairs was made"))
        assert metric.judge(gold, system, options) == found
    monkeypatch.setattr(large, "is_sparse", lambda _graph: False)
    assert metric.judge(gold, system, options) == found
    assert found.counts.gold_total > 400
