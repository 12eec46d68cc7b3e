"""Consistency by splitting disjunctions: the same answers as the oracle that closes the graph; large graphs."""

from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner import judged as judged_module
from temporacle.reasoner.judged import checked_witness
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points import hulls
from temporacle.reasoner.points.hulls import model_by_splitting
from temporacle.relation import Relation
from temporacle.results import Consistent, Inconsistent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("density", [0.3, 0.6])
def test_agrees_with_the_closed_graph(kind, density):
    rng = Random(f"{kind}{density}")
    entities = [f"e{k}" for k in range(7)]
    answers = set()
    for _ in range(100):
        network = network_of(random_network(rng, entities, kind, density), entities)
        times = model_by_splitting(len(network.entities), network.constraints, Budget())
        assert (times is not None) == Oracle(network).is_consistent()
        answers.add(times is not None)
        if times is not None:
            checked_witness(network, times)  # raises if a link is broken
    assert answers == {True, False}


def test_too_many_cases_are_no_answer(monkeypatch):
    monkeypatch.setattr(hulls, "MOST_CASES", 1)
    with pytest.raises(BudgetExceeded, match="1 cases"):
        model_by_splitting(3, [(0, 2 | 1 << 11, 1), (1, 2 | 1 << 11, 2), (0, 1 | 1 << 12, 2)], Budget())


def test_the_oracle_splits_what_is_too_large_to_close(monkeypatch):
    monkeypatch.setattr(judged_module, "_MOST_CLOSED", 2)
    triangle = [("a", "b", "b"), ("b", "b", "c")]
    possible = Oracle([*triangle, ("a", "b|bi", "c")])
    assert isinstance(possible.consistency(), Consistent)
    assert possible.decided_by == "graph"
    impossible = Oracle([*triangle, ("a", "m|bi", "c")]).consistency()
    assert isinstance(impossible, Inconsistent)
    assert len(impossible.conflict) == 3


@pytest.mark.slow
def test_a_long_chain_with_disjunctions_is_decided():
    chain = [(f"x{k}", "b", f"x{k + 1}") for k in range(25_000)]
    jumps = [(f"x{k}", "b|bi", f"x{k + 5}") for k in range(0, 20_000, 500)]
    assert isinstance(Oracle([*chain, *jumps]).consistency(), Consistent)
    assert not Oracle([*chain, *jumps, ("x7", "m|bi", "x9")]).is_consistent()


# --- which way the oracle takes, and that each gives the truth -------------------------------------------------------


def never(*_arguments):
    raise AssertionError("this way is not to be taken")


def shut(monkeypatch, *ways):
    for way in ways:
        monkeypatch.setattr(judged_module, way, never)


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_without_closing_anything(monkeypatch, kind):
    monkeypatch.setattr(judged_module, "_MOST_CLOSED", 2)
    shut(monkeypatch, "tighten")
    rng = Random(f"without closing {kind}")
    answers = set()
    for _ in range(60):
        triples = random_network(rng, "abcd", kind, 0.7)
        oracle = Oracle(network_of(triples, "abcd"))
        truth = brute_force(triples, "abcd")
        answer = oracle.consistency(explain=False)
        assert isinstance(answer, Inconsistent if truth is None else Consistent)
        assert answer.decided_by == "graph"
        answers.add(truth is None)
    assert answers == {True, False}


def test_the_largest_graph_that_is_closed(monkeypatch):
    monkeypatch.setattr(judged_module, "_MOST_CLOSED", 3)
    shut(monkeypatch, "model_by_splitting")
    assert Oracle([("a", "b|bi", "b"), ("b", "b", "c")]).is_consistent()
    with pytest.raises(AssertionError):
        Oracle([("a", "b|bi", "b"), ("b", "b", "c"), ("c", "b", "d")]).is_consistent()


def test_convex_links_are_neither_closed_nor_split(monkeypatch):
    shut(monkeypatch, "tighten", "model_by_splitting")
    oracle = Oracle([("a", "b", "b"), ("b", "o|s|d", "c")])
    assert oracle.is_convex is True
    assert isinstance(oracle.consistency(), Consistent)
    assert not Oracle([("a", "b", "b"), ("b", "b", "a")]).is_consistent()
    assert Oracle([("a", "b|bi", "b")]).is_convex is False


def test_what_has_been_closed_is_not_ordered_once_more(monkeypatch):
    shut(monkeypatch, "model_of")
    oracle = Oracle([("a", "b", "b"), ("b", "b", "c")])
    assert oracle.strongest("a", "c") == Relation.of("b")
    assert isinstance(oracle.consistency(), Consistent)


@pytest.mark.parametrize("kind", ["convex", "arbitrary"])
def test_cpsat_alone_asks_no_graph(monkeypatch, kind):
    shut(monkeypatch, "tighten", "model_of", "model_by_splitting")
    rng = Random(f"cpsat alone {kind}")
    answers = set()
    for _ in range(12):
        triples = random_network(rng, "abcd", kind, 0.8)
        oracle = Oracle(network_of(triples, "abcd"), engine="cpsat")
        truth = brute_force(triples, "abcd")
        assert oracle.is_consistent() == (truth is not None)
        answers.add(truth is None)
        if truth is not None:
            assert oracle.strongest("a", "d") == truth["a", "d"]
    assert answers == {True, False}
