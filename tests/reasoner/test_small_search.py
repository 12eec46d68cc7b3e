"""The search on disjunctions and what is built on it, against brute force on tiny networks."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from random import Random

import pytest
from naive import TRAP
from tiny_networks import AFTER, BEFORE, holds_at, needs_solver, searched, tiny

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.disjunctions import search
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.disjunctions.search import Search
from temporacle.reasoner.network import Budget, Network, TooLarge
from temporacle.reasoner.proofs.clausal import proof_lines
from temporacle.relation import Relation

# --- the search -------------------------------------------------------------------------------------------------------


@needs_solver
@pytest.mark.parametrize("tight", [0, 25, 39])
@pytest.mark.parametrize("seed", range(5))
def test_models_are_found_where_there_are_some(seed, tight, monkeypatch):
    monkeypatch.setattr(search, "TIGHT", tight)
    rng = Random(f"models {seed}")
    for _ in range(3):
        network, truth = tiny(rng, density=0.7)
        found = searched(network)
        times = found.find()
        assert (times is None) is (truth is None)
        assert times is None or holds_at(times, network.constraints)
        for source, target in permutations(range(4), 2):
            mask = rng.randrange(1, ALL)
            possible = 0 if truth is None else truth[source, target] & mask
            times = found.find((source, mask, target))
            assert (times is None) is (not possible)
            assert times is None or holds_at(times, [*network.constraints, (source, mask, target)])
            if truth is not None:
                assert truth[source, target] & ~found.bound(source, target) == 0
                assert found.bound(target, source) == converse(found.bound(source, target))
        found.close()


@needs_solver
def test_what_was_refused_is_not_asked_again(monkeypatch):
    """The relation of the pair is narrowed for good: the same question needs no solver."""
    network, truth = next(
        each
        for each in (tiny(Random(f"refused {number}")) for number in range(100))
        if each[1] is not None and searched(each[0]).bound(0, 1) & ~each[1][0, 1]
    )
    found = searched(network)
    impossible = found.bound(0, 1) & ~truth[0, 1]
    assert found.find((0, impossible, 1)) is None
    assert not found.bound(0, 1) & impossible
    monkeypatch.setattr(Cdcl, "solve_at_once", None)  # calling it would be an error
    assert found.find((0, impossible, 1)) is None
    assert found.find((1, converse(impossible), 0)) is None
    found.extend(5, {(3, 4): BEFORE})
    assert not found.bound(0, 1) & impossible, "also after more entities came"


@needs_solver
def test_a_network_without_a_model_is_not_searched_again(monkeypatch):
    network = Network.of(TRAP)
    assert not searched(network).propagation_refutes
    found = searched(network)
    assert found.find() is None
    monkeypatch.setattr(Cdcl, "solve_at_once", None)
    assert found.find() is None
    assert found.find((0, ALL, 1)) is None


@needs_solver
def test_propagation_refutes_before_anything_is_asked(monkeypatch):
    monkeypatch.setattr(Cdcl, "solve_at_once", None)
    found = Search(3, {(0, 1): BEFORE, (1, 2): BEFORE, (0, 2): AFTER}, Budget())
    assert found.propagation_refutes
    assert found.find() is None
    assert found.find((0, ALL, 1)) is None
    found.extend(4, {(2, 3): BEFORE})
    assert found.propagation_refutes
    grown = Search(2, {(0, 1): BEFORE | AFTER}, Budget())
    assert not grown.propagation_refutes
    grown.extend(2, {(1, 0): int(Relation.of("m"))})
    assert grown.propagation_refutes


@needs_solver
@pytest.mark.parametrize("seed", range(5))
def test_what_comes_later_counts_like_what_came_first(seed):
    rng = Random(f"later {seed}")
    for _ in range(3):
        network, truth = tiny(rng)
        early, late = {}, {}
        for source, mask, target in network.constraints:
            stated = early if max(source, target) < 3 else late
            stated[source, target] = stated.get((source, target), ALL) & mask
        grown = Search(3, early, Budget())
        grown.find((0, rng.randrange(1, ALL), 1))
        grown.extend(4, late)
        times = grown.find()
        assert (times is None) is (truth is None)
        assert times is None or holds_at(times, network.constraints)
        for source, target in combinations(range(4), 2):
            mask = rng.randrange(1, ALL)
            found = grown.find((source, mask, target))
            assert (found is None) is (truth is None or not truth[source, target] & mask)


@needs_solver
@pytest.mark.parametrize("seed", range(4))
def test_hard_questions_get_more_rows_and_the_same_answers(seed, monkeypatch):
    rng = Random(f"hard {seed}")
    network, truth = tiny(rng)
    found = searched(network)
    if found.propagation_refutes:
        return
    written = []
    honest = found._rows.write
    monkeypatch.setattr(
        found._rows, "write", lambda chosen, rows: written.append(chosen.copy()) or honest(chosen, rows)
    )
    asked = []
    at_once = Cdcl.solve_at_once  # gives up on the first question
    monkeypatch.setattr(
        Cdcl,
        "solve_at_once",
        lambda self, question=(): asked.append(question) or (at_once(self, question) if asked[1:] else None),
    )
    times = found.find()
    assert (times is None) is (truth is None)
    assert times is None or holds_at(times, network.constraints)
    between = (found._atoms > search.TIGHT) & (found._atoms <= search._TIGHT_IF_HARD)
    assert written[0].tolist() == between.tolist()
    found.find((0, BEFORE, 1))
    assert all(each.tolist() != between.tolist() or not between.any() for each in written[1:])


@needs_solver
def test_the_number_of_triangles_is_limited(monkeypatch):
    pairs = dict.fromkeys(combinations(range(4), 2), BEFORE)
    monkeypatch.setattr(search, "MOST_TRIANGLES", 4)
    assert Search(4, pairs, Budget()).find() is not None
    monkeypatch.setattr(search, "MOST_TRIANGLES", 3)
    with pytest.raises(TooLarge, match="4 triangles"):
        Search(4, pairs, Budget())


@needs_solver
def test_the_memory_of_the_solver_is_given_back():
    found = Search(2, {(0, 1): BEFORE}, Budget())
    found.close()
    assert found._solver._solver is None


@needs_solver
def test_values_that_are_no_atom_are_noticed(monkeypatch):
    found = Search(2, {(0, 1): BEFORE | AFTER}, Budget())
    monkeypatch.setattr(Cdcl, "values", lambda _self, variables: [True] * variables)
    with pytest.raises(InternalError, match="not an atom"):
        found.find()


# --- proofs as lines --------------------------------------------------------------------------------------------------


def test_a_clause_is_written_before_it_is_needed_and_given_up_after_the_last_use():
    proof = {
        "variables": [["a.start", "b.start"], ["a.end", "b.end"]],
        "clauses": [[[1, 2], None], [[-1, 2], 0], [[9], 9], [[-2], 1]],
        "lemmas": [[2], [1], []],
        "hints": [[0, 1], [0, 4], [5, 3, 4]],
    }
    assert [json.loads(line) for line in proof_lines(proof)] == [
        ["v", "a.start", "b.start"],
        ["v", "a.end", "b.end"],
        ["c", [1, 2], None],
        ["c", [-1, 2], 0],
        ["l", [2], [0, 1]],
        ["d", [1]],
        ["l", [1], [0, 2]],
        ["d", [0]],
        ["c", [-2], 1],
        ["l", [], [3, 4, 2]],
    ]
    assert all(line.endswith("]\n") and " " not in line for line in proof_lines(proof))


def test_nothing_is_given_up_that_is_needed_again():
    """Every clause is needed for the last lemma, so that no line gives one up."""
    proof = {"variables": [], "clauses": [[[1], 0], [[-1], 1]], "lemmas": [[2], []], "hints": [[0, 1], [2, 1, 0]]}
    assert [json.loads(line)[0] for line in proof_lines(proof)] == ["c", "c", "l", "l"]
