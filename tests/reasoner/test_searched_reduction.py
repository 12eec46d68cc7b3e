"""The minimal graph of a sparse document, found by searches, against the one made of its closure."""

from random import Random

import pytest
from naive import network_of, random_network

from temporacle.cli import run
from temporacle.errors import BudgetExceeded
from temporacle.reasoner import judged as judged_module
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.points import large
from temporacle.reasoner.points.graph import Contradiction
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.large_reduction import SearchedReduction
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.reasoner.points.searched_rows import SearchedRows


def drawn(rng, kind):
    """Draw a consistent graph and its entities; None if the graph contradicts itself."""
    entities = [f"e{k}" for k in range(rng.choice((1, 3, 6, 9)))]
    network = network_of(random_network(rng, entities, kind, density=rng.choice((0.1, 0.3, 0.6))))
    graph = graph_of(len(network.entities), network.constraints)
    try:
        return network.entities, graph, graph.close()
    except Contradiction:
        return None


@pytest.mark.parametrize("kind", ["atomic", "convex"])
def test_equals_the_reduction_of_the_closure(kind):
    rng = Random(f"reduced {kind}")
    found = [each for _ in range(400) if (each := drawn(rng, kind)) is not None]
    assert len(found) > 60
    for entities, graph, closed in found:
        reduced = SearchedReduction(entities, SearchedRows(graph, graph.condense(), Budget()), Budget())
        twin = reduction_of(PairTable(entities, closed.table_by_pairs()))
        assert reduced.nodes == twin.nodes
        assert reduced.node_of == twin.node_of
        assert reduced.major == twin.major
        assert reduced.trivial == twin.trivial
        assert list(reduced.minor()) == list(twin.minor())
        assert list(reduced.minor_rows()) == list(twin.minor_rows())
        assert reduced.count_minor() == twin.count_minor()
        assert reduced.different == twin.different == 0


@pytest.mark.parametrize("output", [["--output", "json"], ["--output", "csv"], ["--all"], []])
def test_the_command_prints_the_same(output, tmp_path, capsys, monkeypatch):
    rng = Random(5)
    rows = [
        f"d{rng.randrange(6)}\te{rng.randrange(7)}\t{rng.choice('bmods')}\te{rng.randrange(7, 14)}" for _ in range(40)
    ]
    path = tmp_path / "links.tsv"
    path.write_text("document\tsource\trelation\ttarget\n" + "\n".join(sorted(rows)) + "\n")
    code = run(["reduce", str(path), *output])
    expected = capsys.readouterr()
    monkeypatch.setattr(judged_module, "_MOST_ROWS", 0)
    monkeypatch.setattr(large, "is_sparse", lambda _graph: True)
    made = []
    monkeypatch.setattr(
        "temporacle.reasoner.points.large_reduction.SearchedReduction",
        lambda *arguments: made.append(SearchedReduction(*arguments)) or made[-1],
    )
    assert run(["reduce", str(path), *output]) == code
    assert capsys.readouterr() == expected
    assert made


def test_the_time_that_is_allowed_counts():
    graph = graph_of(2, [(0, 1, 1)])
    rows = SearchedRows(graph, graph.condense(), Budget())
    with pytest.raises(BudgetExceeded):
        SearchedReduction(("a", "b"), rows, Budget(0.0))
