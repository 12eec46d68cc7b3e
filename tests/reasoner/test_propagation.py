"""Propagation: sound always, exact on small tractable classes, and wrong exactly where it is known to be."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ALL, compose, converse
from temporacle.reasoner.network import Budget
from temporacle.reasoner.published.propagation import _composed_with, closure
from temporacle.reasoner.reference import enumeration
from temporacle.relation import Relation


def network(text):
    """Links written as ``0-1 s,f  0-2 m``."""
    words = text.split()
    return network_of(
        [
            (source, Relation.of(*atoms.split(",")), target)
            for (source, _, target), atoms in zip(words[::2], words[1::2], strict=True)
        ]
    )


def propagated(triples, names):
    table = closure(network_of(triples, names), Budget())
    if table is None:
        return None
    return {(a, b): table.relation(a, b) for a, b in product(names, repeat=2) if a != b}


def algorithm_1(triples, names):
    """Sweeps over all pairs and all nodes between them until nothing changes, as the algorithm is printed."""
    edges = {}
    for source, relation, target in triples:
        for pair, mask in (((source, target), int(relation)), ((target, source), converse(int(relation)))):
            edges[pair] = edges.get(pair, ALL) & mask
    changed = True
    while changed:
        changed = False
        for i, j in product(names, repeat=2):
            for k in names:
                if i == j or (i, k) not in edges or (k, j) not in edges:
                    continue
                before = edges.get((i, j), ALL)
                after = before & compose(edges[i, k], edges[k, j])
                if after != before:
                    edges[i, j], edges[j, i] = after, converse(after)
                    changed = True
        if not all(edges.values()):
            return None
    if not all(edges.values()):
        return None
    return {(a, b): Relation(edges.get((a, b), ALL)) for a, b in product(names, repeat=2) if a != b}


@pytest.mark.parametrize("kind", KINDS)
def test_sound_and_exact_where_it_should_be(kind):
    rng = Random(f"propagation {kind}")
    for _ in range(2000):
        names = "abcd"[: rng.randint(2, 4)]
        triples = random_network(rng, names, kind, density=rng.choice((0.5, 0.8, 1)))
        truth, found = brute_force(triples, names), propagated(triples, names)
        if kind in ("atomic", "convex", "pointisable") or len(names) < 4:
            assert found == truth, triples
        elif found is None or kind == "ord-horn":
            assert (found is None) == (truth is None), triples
        if found is not None and truth is not None:
            assert all(truth[pair] <= found[pair] for pair in truth), triples


@pytest.mark.parametrize("kind", KINDS)
def test_the_queue_finds_what_plain_sweeps_find(kind):
    rng = Random(f"sweeps {kind}")
    verdicts = set()
    for _ in range(60):
        names = "abcdefghij"[: rng.randint(2, 10)]
        triples = random_network(rng, names, kind, density=rng.choice((0.1, 0.2, 0.5)))
        found = propagated(triples, names)
        verdicts.add(found is None)
        assert found == algorithm_1(triples, names), triples
    assert verdicts == {True, False}


def test_accepts_four_entities_that_are_inconsistent():
    net = network("0-1 s,f  0-2 m,s  0-3 m,s  1-2 o  1-3 o  2-3 f,fi")
    table = closure(net, Budget())
    assert [table.relation(link.source, link.target) for link in net.links] == [link.relation for link in net.links]
    assert enumeration.closure(net, Budget()) is None


@pytest.mark.parametrize(
    ("links", "pair", "left", "exact"),
    [
        ("0-1 m,s,di  0-2 o,bi  0-3 di  1-2 b,m,di  2-3 oi", "13", "b,m,o,s,d,oi,si,di", "b,m,o,s,d,di"),
        ("0-2 oi  0-3 f,o  1-2 m,si  1-3 fi,s  2-3 b,d", "01", "bi,d,f,oi", "bi,d"),
    ],
)
def test_leaves_atoms_that_no_model_has(links, pair, left, exact):
    net = network(links)
    assert closure(net, Budget()).relation(*pair) == Relation.of(*left.split(","))
    assert enumeration.closure(net, Budget()).relation(*pair) == Relation.of(*exact.split(","))


def test_self_links_and_empty_relations():
    before, equal = Relation.of("b"), Relation.of("=", "b")
    assert propagated([("a", before, "a")], "ab") is None
    assert propagated([("a", equal, "a"), ("a", before, "b")], "ab") == {
        ("a", "b"): before,
        ("b", "a"): before.converse(),
    }
    assert propagated([("a", Relation(0), "b")], "ab") is None


def test_nothing_to_do():
    assert len(closure(network_of([]), Budget()).rows) == 0
    assert propagated([], "ab") == {("a", "b"): Relation(ALL), ("b", "a"): Relation(ALL)}


def test_a_long_chain_is_closed():
    names = [f"e{k}" for k in range(150)]
    before = Relation.of("b")
    table = closure(network_of([(a, before, b) for a, b in pairwise(names)]), Budget())
    assert all(relation == before for _, relation, _ in table.pairs(universal=True))


def test_the_composition_table_is_that_of_the_algebra():
    rng = Random("table")
    for _ in range(2000):
        first, second = rng.randint(0, ALL), rng.randint(0, ALL)
        assert _composed_with(first)[second] == compose(first, second)


def test_an_exhausted_budget_is_no_answer():
    with pytest.raises(BudgetExceeded):
        closure(network("0-1 b 1-2 b"), Budget(0))
