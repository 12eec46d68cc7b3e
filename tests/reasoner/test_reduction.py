"""The minimal graph against its definition carried out literally, and against what it must preserve."""

from itertools import product
from random import Random

import pytest
from naive import KINDS, network_of, random_network

from temporacle.reasoner.network import Network, PairTable, point_labels
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.minimal_graph import reduction_of


def literal_reduction(table):
    """Sections 1 to 4 of the definition, on names of endpoints, with every pair and every middle tried."""
    label = {}
    for left, sign, right in point_labels(table):
        label[left, right] = sign
        label[right, left] = sign.translate(str.maketrans("<>", "><"))
    points = [f"{name}.{end}" for name in table.entities for end in ("start", "end")]
    node = {p: frozenset([p, *(q for q in points if label.get((p, q)) == "=")]) for p in points}
    nodes = set(node.values())
    edges = {}
    for (p, q), sign in label.items():
        if sign in ("<", "<="):
            edges[node[p], node[q]] = sign

    def composed(x, y, z):
        first, second = edges.get((x, y)), edges.get((y, z))
        if first is None or second is None:
            return None
        return "<" if "<" in (first, second) else "<="

    kept = {
        (x, z): sign
        for (x, z), sign in edges.items()
        if not any(composed(x, y, z) == sign for y in nodes if y not in (x, z))
    }
    trivial = {(node[f"{e}.start"], node[f"{e}.end"]) for e in table.entities}
    as_set = lambda chosen: {(x, sign, z) for (x, z), sign in chosen.items()}  # noqa: E731
    return (
        nodes,
        as_set({pair: sign for pair, sign in kept.items() if pair not in trivial}),
        as_set({pair: sign for pair, sign in kept.items() if pair in trivial}),
        as_set({pair: sign for pair, sign in edges.items() if pair not in trivial and pair not in kept}),
        sum(sign == "!=" for sign in label.values()) // 2,
    )


def named(reduced, edges):
    return {(frozenset(reduced.nodes[x]), sign, frozenset(reduced.nodes[y])) for x, sign, y in edges}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2, 4, 7])
def test_equals_the_definition(kind, size):
    rng = Random(f"{kind}{size}")
    entities = [f"e{k}" for k in range(size)]
    compared = 0
    for _ in range(40):
        table = Oracle(network_of(random_network(rng, entities, kind, 2 / size), entities)).minimal_network()
        if table is None:
            continue
        compared += 1
        reduced = reduction_of(table)
        nodes, major, trivial, minor, different = literal_reduction(table)
        assert {frozenset(members) for members in reduced.nodes} == nodes
        assert named(reduced, reduced.major) == major
        assert named(reduced, reduced.trivial) == trivial
        assert named(reduced, reduced.minor()) == minor
        assert reduced.different == different
        for point, node in reduced.node_of.items():
            assert point in reduced.nodes[node]
    assert compared > 5


@pytest.mark.parametrize("kind", ["atomic", "convex"])
def test_reduction_implies_the_whole_closure(kind):
    """Closing the kept edges again, by relaxation, gives every label back."""
    rng = Random(kind)
    entities = [f"e{k}" for k in range(9)]
    for _ in range(30):
        table = Oracle(network_of(random_network(rng, entities, kind, 0.3), entities)).minimal_network()
        if table is None:
            continue
        reduced = reduction_of(table)
        size = len(reduced.nodes)
        known = {(edge.source, edge.target): edge.label for edge in (*reduced.major, *reduced.trivial)}
        for middle, x, z in product(range(size), repeat=3):
            if (x, middle) in known and (middle, z) in known:
                sign = "<" if "<" in (known[x, middle], known[middle, z]) else "<="
                known[x, z] = "<" if known.get((x, z)) == "<" else sign
        assert known == {(edge.source, edge.target): edge.label for edge in reduced.edges()}


def test_labels_count_in_the_reduction():
    """X <= y <= z with x < z: the strict edge is kept, because the weak ones do not compose to it."""
    links = [("a", "b|m", "b"), ("b", "b|m", "c"), ("x", "b|m", "y"), ("a", "b", "y")]
    table = Oracle(links).minimal_network()
    reduced = reduction_of(table)
    ends = reduced.node_of
    majors = {(edge.source, edge.label, edge.target) for edge in reduced.major}
    assert (ends["a.end"], "<", ends["y.start"]) in majors
    assert (ends["a.end"], "<=", ends["b.start"]) in majors


def test_empty_and_single_documents():
    assert reduction_of(Oracle(Network(())).minimal_network()).nodes == ()
    alone = reduction_of(Oracle(Network((), ["a"])).minimal_network())
    assert alone.nodes == (("a.start",), ("a.end",))
    assert [tuple(edge) for edge in alone.trivial] == [(0, "<", 1)]
    assert not alone.major
    assert not list(alone.minor())


def test_labels_both_ways():
    reduced = reduction_of(Oracle([("a", "b|m", "b"), ("c", "b", "d")]).minimal_network())
    node = reduced.node_of
    assert reduced.label(node["a.end"], node["b.start"]) == "<="
    assert reduced.label(node["b.start"], node["a.end"]) == ">="
    assert reduced.label(node["d.end"], node["c.start"]) == ">"
    assert reduced.label(node["a.end"], node["c.end"]) is None
    assert reduced.label(node["a.end"], node["a.end"]) == "="


def test_same_for_lists_and_arrays():
    rng = Random(5)
    entities = [f"e{k}" for k in range(30)]
    network = network_of(random_network(rng, entities, "convex", 0.02), entities)
    closure = graph_of(len(network.entities), network.constraints).close()
    lists, arrays = (
        reduction_of(PairTable(network.entities, rows))
        for rows in (closure.table_by_pairs(), closure.table_by_arrays())
    )
    assert arrays == lists
    assert arrays.major


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_of_blocks_changes_nothing(kind, monkeypatch):
    rng = Random(f"blocks {kind}")
    for _ in range(20):
        oracle = Oracle(random_network(rng, [f"e{k}" for k in range(6)], kind, 0.4))
        if not oracle.is_consistent():
            continue
        table = oracle.minimal_network()
        whole = reduction_of(table)
        for size in (1, 4):
            monkeypatch.setattr("temporacle.reasoner.points.minimal_graph._BLOCK", size)
            assert reduction_of(table) == whole
        monkeypatch.undo()
