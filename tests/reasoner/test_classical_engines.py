"""The engines path-consistency and ord-horn against propagation, brute force and the oracle."""

from random import Random

import pytest
from naive import KINDS, TRAP, brute_force, hard_network, network_of, random_network

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.published.ord_horn import closure as by_backtracking
from temporacle.reasoner.published.ord_horn import is_consistent, is_ord_horn, ord_horn_pieces
from temporacle.reasoner.published.path_consistency import closure as by_sweeps
from temporacle.reasoner.published.propagation import closure as by_queue
from temporacle.reasoner.reference.engines import ENGINES, engine_named
from temporacle.relation import union

NAMES = "abcd"


def rows(table):
    return None if table is None else [list(map(int, row)) for row in table.rows]


def test_they_are_engines():
    assert not engine_named("path-consistency").complete
    assert engine_named("ord-horn").complete
    network = Network.of(TRAP)
    assert engine_named("path-consistency").closure(network, Budget()) is not None
    assert engine_named("ord-horn").closure(network, Budget()) is None


@pytest.mark.parametrize("kind", KINDS)
def test_sweeps_and_queue_come_to_the_same(kind):
    rng = Random(f"sweeps {kind}")
    for _ in range(60):
        network = network_of(random_network(rng, "abcdef", kind, 0.6), "abcdef")
        assert rows(by_sweeps(network, Budget())) == rows(by_queue(network, Budget()))


@pytest.mark.parametrize("links", [[], [("a", "b", "a")], [("a", "b|=", "a")], [("a", "=", "a"), ("a", "m", "b")]])
def test_odd_links(links):
    network = Network.of(links)
    assert rows(by_sweeps(network, Budget())) == rows(by_queue(network, Budget()))
    exact = Oracle(network).minimal_network()
    assert rows(by_backtracking(network, Budget())) == rows(exact)
    assert is_consistent(network, Budget()) == (exact is not None)


def test_pieces_are_ord_horn_and_cover():
    rng = Random("pieces")
    for mask in (ALL, 1, *(rng.randrange(1, ALL) for _ in range(200))):
        pieces = ord_horn_pieces(mask)
        assert int(union(pieces)) == mask
        assert all(map(is_ord_horn, pieces))
        assert len(pieces) == 1 or not is_ord_horn(mask)


@pytest.mark.parametrize("kind", KINDS)
def test_backtracking_agrees_with_brute_force(kind):
    rng = Random(f"backtracking {kind}")
    for _ in range(40):
        triples = random_network(rng, NAMES, kind, 0.8)
        truth = brute_force(triples, NAMES)
        table = by_backtracking(network_of(triples, NAMES), Budget())
        assert (table is None) == (truth is None)
        if table is not None:
            assert all(table.relation(*pair) == relation for pair, relation in truth.items())


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("count", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_backtracking_agrees_with_the_oracle(hard, count):
    rng = Random(f"oracle {hard} {count}")
    verdicts = set()
    for _ in range(count):
        size = rng.randint(5, 14)
        network = hard_network(rng, size, *((5.5, 4) if hard else (min(9.5, size - 1), 6.5)), hard=hard)
        verdict = is_consistent(network, Budget())
        assert verdict == Oracle(network).is_consistent()
        verdicts.add(verdict)
        if verdict and size < 9:
            assert rows(by_backtracking(network, Budget())) == rows(Oracle(network).minimal_network())
    assert verdicts == {True, False}


def test_they_look_at_the_budget():
    network = hard_network(Random(3), 12, 9)
    for engine in ("path-consistency", "ord-horn"):
        with pytest.raises(BudgetExceeded):
            engine_named(engine).closure(network, Budget(-1))


def test_an_unknown_engine_is_an_error_with_the_known_names():
    with pytest.raises(UsageError, match=r"engine='guess': choose exact, .* or timegraph"):
        engine_named("guess")
    assert all(engine_named(name) is ENGINES[name] for name in ENGINES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_three_entities_by_brute_force(kind, seed):
    """For so few, path consistency is complete as well."""
    rng = Random(f"three {kind} {seed}")
    for _ in range(3):
        triples = random_network(rng, "abc", kind, 1.0)
        if rng.random() < 0.2:
            triples.append(("a", union([1, 64]), "a"))
        network = network_of(triples, "abc")
        truth = brute_force(triples, "abc")
        assert is_consistent(network, Budget()) is (truth is not None)
        for closure in (by_backtracking, by_sweeps, by_queue):
            table = closure(network, Budget())
            assert (table is None) is (truth is None)
            if table is not None:
                assert {pair: table.relation(*pair) for pair in truth} == truth
                assert {table.relation(name, name) for name in "abc"} == {union([64])}


@pytest.mark.parametrize("closure", [by_backtracking, by_sweeps, by_queue])
def test_an_entity_that_is_not_itself(closure):
    network = Network.of([("a", "m", "b"), ("b", "b", "b")])
    assert closure(network, Budget()) is None
    assert is_consistent(network, Budget()) is False


def test_large_tables_are_refused(monkeypatch):
    monkeypatch.setattr("temporacle.reasoner.network._MOST_MEMORY", 64 * 4**3 // 6)
    assert by_sweeps(Network.of(TRAP), Budget()) is not None
    monkeypatch.setattr("temporacle.reasoner.network._MOST_MEMORY", 64 * 4**3 // 6 - 1)
    for closure in (by_sweeps, by_backtracking):
        with pytest.raises(BudgetExceeded, match="all triangles of 4 entities"):
            closure(Network.of(TRAP), Budget())
