"""The timegraph against brute force, against all paths, and on graphs that are long or dense."""

from __future__ import annotations

import re
from itertools import pairwise, product
from random import Random

import pytest
from naive import KINDS, atom_between, brute_force, network_of, random_network, random_relation, relations_of

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.reasoner import network as network_module
from temporacle.reasoner.network import Budget
from temporacle.reasoner.published.timegraph import ChainEdge, Chains, Timegraph, closure, merge_equal
from temporacle.relation import EQUAL, EVERYTHING, Relation

BEFORE = Relation.of("b")


def as_dict(table):
    if table is None:
        return None
    return {(a, b): table.relation(a, b) for a, b in product(table.entities, repeat=2) if a != b}


def planted(rng, size, links):
    """Convex links that hold in a hidden model, close to each other in it, so that many orders follow."""
    starts = [rng.randrange(size) for _ in range(size)]
    model = [(start, start + rng.randint(1, 4)) for start in starts]
    triples = []
    while len(triples) < links:
        i, j = rng.sample(range(size), 2)
        relation = random_relation(rng, "convex")
        if atom_between(model[i], model[j]) in relation.atoms:
            triples.append((f"e{i}", relation, f"e{j}"))
    return triples


def paths(size, edges):
    """Which points are not later, and which are earlier, than which: every path by Warshall's algorithm."""
    weak = [[x == y for y in range(size)] for x in range(size)]
    strict = [[False] * size for _ in range(size)]
    for left, right, is_strict in edges:
        weak[left][right] = True
        strict[left][right] |= is_strict
    for via, x, y in product(range(size), repeat=3):
        if weak[x][via] and weak[via][y]:
            weak[x][y] = True
            strict[x][y] |= strict[x][via] or strict[via][y]
    return weak, strict


def random_edges(rng, size, count):
    """Edges that go upwards in a random numbering of the points, half of them strict."""
    number = rng.sample(range(size), size)
    pairs = [sorted(rng.sample(range(size), 2)) for _ in range(count)]
    return [ChainEdge(number[low], number[high], strict=rng.random() < 0.5) for low, high in pairs]


@pytest.mark.parametrize("kind", ["atomic", "convex"])
def test_closure_and_single_questions_are_the_truth(kind):
    rng = Random(f"timegraph {kind}")
    consistent = 0
    for _ in range(3000):
        names = "abcd"[: rng.randint(1, 4)]
        triples = random_network(rng, names, kind, density=rng.choice((0.3, 0.5, 0.8)))
        network = network_of(triples, names)
        truth = brute_force(triples, names)
        assert as_dict(closure(network, Budget())) == truth, triples
        graph = Timegraph(network, Budget())
        assert graph.consistent == (truth is not None)
        if truth is not None:
            consistent += 1
            assert {pair: graph.relation(*pair) for pair in truth} == truth, triples
    assert 500 < consistent < 2900


@pytest.mark.parametrize("seed", range(30))
def test_single_questions_agree_with_the_closure_of_larger_networks(seed):
    rng = Random(seed)
    size = rng.randint(8, 20)
    network = network_of(planted(rng, size, rng.randint(size, 3 * size)))
    table, graph = closure(network, Budget()), Timegraph(network, Budget())
    for a, b in product(network.entities, repeat=2):
        assert graph.relation(a, b) == table.relation(a, b)


@pytest.mark.parametrize("seed", range(200))
def test_searches_find_exactly_the_paths(seed):
    rng = Random(seed)
    size = rng.randint(2, 14)
    edges = random_edges(rng, size, rng.randint(1, 3 * size))
    node = merge_equal(size, edges)
    assert sorted(node) == list(range(size))
    upward = [ChainEdge(node[left], node[right], strict) for left, right, strict in edges]
    assert all(left < right for left, right, _ in upward)
    chains = Chains(size, upward)
    assert sorted(point for members in chains.members for point in members) == list(range(size))
    weak, strict = paths(size, upward)
    for source, target in product(range(size), repeat=2):
        searches = [chains.reach(source)] + ([chains.reach(source, target)] if source < target else [])
        chain = chains.chain[target]
        for reach in searches:
            later = reach.strict.get(chain, size) <= target
            assert later == strict[source][target]
            assert (later or reach.weak.get(chain, size) <= target) == weak[source][target]


@pytest.mark.parametrize("seed", range(200))
def test_points_are_merged_and_contradictions_found_by_cycles(seed):
    rng = Random(seed)
    size = rng.randint(1, 10)
    edges = [
        ChainEdge(rng.randrange(size), rng.randrange(size), strict=rng.random() < 0.15)
        for _ in range(rng.randint(0, 12))
    ]
    weak, strict = paths(size, edges)
    node = merge_equal(size, edges)
    assert (node is None) == any(strict[point][point] for point in range(size))
    if node is not None:
        for x, y in product(range(size), repeat=2):
            assert (node[x] == node[y]) == (weak[x][y] and weak[y][x])
            assert not weak[x][y] or node[x] <= node[y]


def test_a_node_leaves_the_end_of_a_chain_to_those_that_have_no_other():
    # 0 could go on to 2 or 3, but 1 only to 2
    chains = Chains(4, [ChainEdge(0, 2, strict=True), ChainEdge(0, 3, strict=True), ChainEdge(1, 2, strict=False)])
    assert chains.members == [[0, 3], [1, 2]]
    assert chains.cross_links == 1


@pytest.mark.parametrize("pairs", ["03 13 14 24 25", "03 14 23 24 25"])
def test_only_those_that_are_still_to_come_are_left_an_end(pairs):
    # 3 goes behind 0, which has no other; 4 must go behind 1 and leave 2 to 5, whichever of them has lost 3
    chains = Chains(6, [ChainEdge(int(left), int(right), strict=True) for left, right in pairs.split()])
    assert len(chains.members) == 3


class Watched(list):
    """Counts how often one of its elements is looked at."""

    looks = 0

    def __getitem__(self, index):
        self.looks += 1
        return super().__getitem__(index)


def test_a_search_looks_at_few_links_and_at_no_more_than_the_goal_needs():
    width, layers = 3, 100
    edges = [
        ChainEdge(width * layer + i, width * (layer + 1) + j, strict=(layer + i + j) % 7 == 0)
        for layer in range(layers - 1)
        for i, j in product(range(width), repeat=2)
    ]
    chains = Chains(width * layers, edges)
    chains._exits = [Watched(exits) for exits in chains._exits]

    def looks(source, goal=None):
        before = sum(exits.looks for exits in chains._exits)
        chains.reach(source, goal)
        return sum(exits.looks for exits in chains._exits) - before

    assert chains.cross_links > 500
    assert looks(0) < 5 * chains.cross_links  # each once for <=, once for <, and where a search ends
    assert looks(0, 10 * width) < chains.cross_links // 4


def test_a_strict_way_round_beats_the_chain():
    # a.start <= b.start on the chain itself, but a.start < c.start <= b.start by another way
    not_later = Relation.of("b", "m", "o", "fi", "di", "s", "=", "si")
    earlier = Relation.of("b", "m", "o", "fi", "di")
    triples = [("a", not_later, "b"), ("a", earlier, "c"), ("c", not_later, "b")]
    graph = Timegraph(network_of(triples), Budget())
    assert graph.relation("a", "b") == earlier == brute_force(triples, "abc")["a", "b"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("atomic", "convex")])
def test_other_links_are_refused_with_the_link_and_the_cure(kind):
    for relation in set(relations_of(kind)) - set(relations_of("convex")):
        network = network_of([("a", BEFORE, "b"), ("b", relation, "c")])
        expected = re.escape(f"link l2 (b {relation} c) is not convex") + ".*use the engine exact or cpsat"
        with pytest.raises(UsageError, match=expected):
            closure(network, Budget())


def test_every_convex_relation_alone_is_closed_to_itself():
    for relation in relations_of("convex"):
        assert closure(network_of([("a", relation, "b")]), Budget()).relation("a", "b") == relation


def test_self_links_and_empty_relations():
    assert closure(network_of([("a", BEFORE, "a")]), Budget()) is None
    assert closure(network_of([("a", Relation(0), "b")]), Budget()) is None
    network = network_of([("a", EQUAL, "a"), ("a", Relation.of("s", "=", "si"), "a")])
    assert closure(network, Budget()).rows == [[EQUAL]]
    for relation in relations_of("convex"):
        assert (closure(network_of([("a", relation, "a")]), Budget()) is None) == ("=" not in relation.atoms)


def test_an_inconsistent_graph_leaves_no_atom_possible():
    graph = Timegraph(network_of([("a", BEFORE, "b"), ("b", BEFORE, "a")]), Budget())
    assert not graph.consistent
    assert graph.relation("a", "b") == Relation(0)
    with pytest.raises(UsageError, match="unknown entity 'z'"):
        graph.relation("a", "z")


def test_nothing_to_do():
    graph = Timegraph(network_of([]), Budget())
    assert (graph.consistent, graph.points, graph.chains, graph.cross_links) == (True, 0, 0, 0)
    assert closure(network_of([]), Budget()).rows == []
    assert closure(network_of([], "ab"), Budget()).relation("a", "b") == EVERYTHING


def test_ten_thousand_in_a_row_are_one_chain_whatever_the_order_of_links():
    names = [f"e{k}" for k in range(10_000)]
    triples = [(a, BEFORE, b) for a, b in pairwise(names)]
    Random(1).shuffle(triples)
    graph = Timegraph(network_of(triples), Budget())
    assert (graph.points, graph.chains, graph.cross_links) == (20_000, 1, 0)
    assert graph.relation("e3", "e9999") == BEFORE
    assert graph.relation("e9999", "e3") == BEFORE.converse()


@pytest.mark.slow
def test_ten_thousand_equal_points_become_one():
    names = [f"e{k}" for k in range(10_000)]
    graph = Timegraph(network_of([(a, EQUAL, b) for a, b in pairwise([*names, names[0]])]), Budget())
    assert (graph.points, graph.chains) == (2, 1)
    assert graph.relation("e0", "e5000") == EQUAL


def test_layers_have_exponentially_many_paths_and_are_searched_once():
    width, layers = 3, 300
    links = [
        (f"e{layer}.{i}", BEFORE, f"e{layer + 1}.{j}")
        for layer in range(layers - 1)
        for i, j in product(range(width), repeat=2)
    ]
    Random(2).shuffle(links)
    graph = Timegraph(network_of(links), Budget())
    assert graph.chains == width
    for i, j in product(range(width), repeat=2):
        assert graph.relation(f"e0.{i}", f"e{layers - 1}.{j}") == BEFORE
        assert graph.relation(f"e150.{i}", f"e150.{j}") == (EQUAL if i == j else EVERYTHING)


def test_an_exhausted_budget_is_no_answer():
    with pytest.raises(BudgetExceeded):
        closure(network_of([("a", BEFORE, "b")]), Budget(0))


def test_a_table_of_points_too_large_for_memory_is_no_answer(monkeypatch):
    monkeypatch.setattr(network_module, "_MOST_MEMORY", 15)
    with pytest.raises(BudgetExceeded, match="a table of all pairs of 4 points would take"):
        closure(network_of([("a", BEFORE, "b")]), Budget())
