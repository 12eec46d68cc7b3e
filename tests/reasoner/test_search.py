"""The search on networks of disjunctions against brute force, CP-SAT, propagation, and itself."""

import subprocess
import sys
from itertools import combinations
from random import Random

import numpy as np
import pytest
from naive import TRAP, brute_force, hard_network, network_of, random_network
from shares import few

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Document, Link
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.check import OUT_OF_TIME, CheckOptions, check_document
from temporacle.reasoner.conflicts.conflicts import conflict_numbers, subnetwork
from temporacle.reasoner.conflicts.repair import repair
from temporacle.reasoner.disjunctions import cores, residual, sat, search
from temporacle.reasoner.disjunctions.completion import Triangles, complete, make_path_consistent
from temporacle.reasoner.disjunctions.cores import SelectedLinks, minimal_core
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.disjunctions.search import Search
from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Budget, Network, NotMinimal, TooLarge
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.published.propagation import closure as propagate
from temporacle.reasoner.reference import cpsat
from temporacle.relation import Relation, atom_holding
from temporacle.results import Consistent, DocumentVerdict, Inconsistent, Undecided, Verdict

NAMES = "abcd"


def relations_of(network):
    found = {}
    for source, mask, target in network.constraints:
        pair, stated = ((source, target), mask) if source < target else ((target, source), converse(mask))
        found[pair] = found.get(pair, ALL) & stated
    return found


def atom_at(times, source, target):
    return Relation.of(
        atom_holding(tuple(times[2 * source : 2 * source + 2]), tuple(times[2 * target : 2 * target + 2]))
    )


def fits(times, relations):
    return all(atom_at(times, *pair) <= Relation(mask) for pair, mask in relations.items())


# --- path consistency ---------------------------------------------------------------------------------------------


def test_path_consistency_on_all_pairs_is_propagation():
    rng = Random("path consistency")
    refuted = 0
    for _ in range(150):
        network = hard_network(rng, rng.randint(3, 9), 6, rng.choice((2, 4, 6)))
        size = len(network.entities)
        triangles = Triangles(complete(size, combinations(range(size), 2), range(size)))
        labels = np.full(triangles.pairs, ALL, np.uint16)
        for (x, y), mask in relations_of(network).items():
            labels[triangles.number[x, y]] = mask
        table = propagate(network, Budget())
        assert make_path_consistent(labels, triangles, Budget()) == (table is not None)
        refuted += table is None
        if table is not None:
            expected = [
                int(table.rows[x][y]) for x, y in zip(triangles.first.tolist(), triangles.second.tolist(), strict=True)
            ]
            assert labels.tolist() == expected
    assert 20 < refuted < 130


def test_path_consistency_looks_at_the_budget():
    triangles = Triangles(complete(3, combinations(range(3), 2)))
    with pytest.raises(BudgetExceeded):
        make_path_consistent(np.array([1, 1, ALL], np.uint16), triangles, Budget(-1))
    assert not make_path_consistent(np.array([1, 0, ALL], np.uint16), triangles, Budget(-1))


# --- the search ---------------------------------------------------------------------------------------------------


def test_the_search_agrees_with_brute_force(monkeypatch):
    """Also where no row is written at once, so that every row has to be found broken."""
    rng = Random("search")
    verdicts = set()
    for number in range(250):
        monkeypatch.setattr(search, "TIGHT", 0 if number % 2 else 27)
        network = network_of(random_network(rng, NAMES, "arbitrary", 0.9), NAMES)
        truth = brute_force([(each.source, each.relation, each.target) for each in network.links], NAMES)
        relations = relations_of(network)
        found = Search(4, relations, Budget())
        times = found.find()
        verdicts.add(times is not None)
        assert (times is not None) == (truth is not None)
        if truth is None:
            assert found.find((0, ALL, 1)) is None
            continue
        assert fits(times, relations)
        for x, y in combinations(range(4), 2):
            possible = int(truth[NAMES[x], NAMES[y]])
            assert found.find((x, ALL & ~possible, y)) is None
            assert found.find((y, converse(ALL & ~possible), x)) is None
            for atom in (possible & -possible, 1 << possible.bit_length() - 1):
                times = found.find((x, atom, y))
                assert fits(times, relations | {(x, y): atom})
        assert fits(found.find(), relations)
        found.close()
    assert verdicts == {True, False}


def test_pairs_and_entities_that_come_later():
    rng = Random("later")
    for _ in range(60):
        network = hard_network(rng, 7, 5, 4)
        relations = relations_of(network)
        whole = Search(7, relations, Budget())
        early = {pair: mask for pair, mask in relations.items() if max(pair) < 5}
        grown = Search(5, early, Budget())
        assert (grown.find() is None) == (Search(5, early, Budget()).find() is None)
        grown.extend(7, {pair: mask for pair, mask in relations.items() if pair not in early})
        times = grown.find()
        assert (times is None) == (whole.find() is None)
        if times is None:
            continue
        assert fits(times, relations)
        for x, y in combinations(range(7), 2):
            mask = rng.randrange(1, ALL)
            assert (grown.find((x, mask, y)) is None) == (whole.find((x, mask, y)) is None)
            assert not grown.bound(x, y) & ~relations.get((x, y), ALL)


def test_a_network_too_large_for_memory(monkeypatch):
    monkeypatch.setattr(search, "MOST_TRIANGLES", 3)
    with pytest.raises(TooLarge, match="4 triangles of entities, more than the 3"):
        Search(4, dict.fromkeys(combinations(range(4), 2), 1), Budget())
    network = Network.of(TRAP)
    monkeypatch.setattr(residual, "MOST_CHOICES", 0)
    found = Oracle(network).consistency()
    assert isinstance(found, Undecided)
    assert "triangles of entities" in found.reason


class Liar(Cdcl):
    """Denies nothing, and makes values up."""

    def solve_at_once(self, assumptions=()):
        return True

    def values(self, variables):
        return [True] * variables


def test_made_up_values_are_found_out(monkeypatch):
    monkeypatch.setattr(search, "Cdcl", Liar)
    with pytest.raises(InternalError):
        Search(3, {(0, 1): 1 | 1 << 12, (1, 2): 1 | 1 << 12}, Budget()).find()


# --- the oracle over it -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_who_decides(monkeypatch):
    rng = Random("who")
    decided = {"path-consistency": 0, "cdcl": 0, "graph": 0}
    for _ in range(40):
        network = hard_network(rng, 14, 9.5)
        oracle = Oracle(network)
        answer = oracle.consistency(explain=False)
        decided[answer.decided_by] += 1
        assert answer.decided_by == oracle.decided_by
        with monkeypatch.context() as patch:
            patch.setattr(sat, "is_available", lambda: False)
            other = Oracle(network).consistency(explain=False)
            assert "python-sat" in other.reason if isinstance(other, Undecided) else other.decided_by == "graph"
        if isinstance(answer, Consistent):
            assert all(holds_in(answer.witness, link) for link in network.links)
    assert all(decided.values())


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("count", few([20, 40, 500], long=[500]))
def test_verdicts_against_cpsat(hard, count):
    rng = Random(f"verdicts {hard} {count}")
    verdicts = set()
    for _ in range(count):
        size = rng.randint(4, 18)
        network = hard_network(rng, size, *((5.5, 4) if hard else (min(9.5, size - 1), 6.5)), hard=hard)
        ours = Oracle(network).consistency(explain=False)
        alone = cpsat.decider(network, Budget()).model()
        assert isinstance(ours, Consistent) == (alone is not None)
        verdicts.add(type(ours))
    assert verdicts == {Consistent, Inconsistent}


@pytest.mark.parametrize("count", few([1, 4, 40], long=[4, 40]))
def test_minimal_networks_against_one_question_per_atom(count):
    rng = Random(f"minimal {count}")
    compared = 0
    while compared < count:
        network = hard_network(rng, rng.randint(7, 10), 6)
        oracle = Oracle(network)
        table = oracle.minimal_network()
        if table is None:
            continue
        compared += 1
        naive = cpsat.closure(network, Budget())
        assert [list(map(int, row)) for row in table.rows] == [list(map(int, row)) for row in naive.rows]
        fresh = Oracle(network)
        for source, target in combinations(network.entities, 2):
            mask = table.relation(source, target)
            assert fresh.strongest(source, target) == mask
            assert fresh.entails(source, mask, target) is Verdict.ENTAILED
            if mask.bit_count() > 1:
                part = Relation(mask & -mask)
                assert fresh.entails(source, part, target) is Verdict.OPEN
                assert not holds_in(fresh.countermodel(source, part, target), Link("", source, part, target))
            if not mask.is_universal:
                assert fresh.entails(source, ~mask, target) is Verdict.REFUTED
        assert fresh.countermodel(source, mask, target) is None


def test_out_of_time():
    network = hard_network(Random(5), 30, 9.5)
    oracle = Oracle(network, budget=0)
    assert isinstance(oracle.consistency(), Undecided)
    assert oracle.entails("e0", "b", "e1") is Verdict.UNKNOWN
    with pytest.raises(BudgetExceeded):
        oracle.minimal_network()
    with pytest.raises(BudgetExceeded):
        oracle.repair()


# --- conflicts and repairs ----------------------------------------------------------------------------------------


def inconsistent_networks(seed, count, size=12):
    rng = Random(seed)
    while count:
        network = hard_network(rng, size, 9.5)
        if not Oracle(network).is_consistent():
            count -= 1
            yield network


def test_subsets_of_links():
    rng = Random("subsets")
    for network in inconsistent_networks("subsets", 3):
        links = SelectedLinks(len(network.entities), network.constraints, Budget())
        for _ in range(25):
            some = rng.sample(range(len(network.links)), rng.randint(1, len(network.links)))
            core = links.core(some)
            assert (core is None) == Oracle(subnetwork(network, some)).is_consistent()
            if core is not None:
                assert core == [number for number in some if number in core]
                assert not Oracle(subnetwork(network, core)).is_consistent()
        links.close()


def test_conflicts_are_minimal():
    for network in inconsistent_networks("minimal", 8):
        numbers = conflict_numbers(network, Budget())
        assert not Oracle(subnetwork(network, numbers)).is_consistent()
        for number in numbers:
            assert Oracle(subnetwork(network, [other for other in numbers if other != number])).is_consistent()
    assert minimal_core(subnetwork(network, numbers[1:]), Budget()) is None


def test_an_interrupted_shrink_leaves_a_conflict(monkeypatch):
    network = next(inconsistent_networks("interrupted", 1))
    first = []
    honest = SelectedLinks.core

    def once(self, numbers):
        if first:
            raise BudgetExceeded("over")
        first.append(honest(self, numbers))
        return first[0]

    monkeypatch.setattr(SelectedLinks, "core", once)
    with pytest.raises(NotMinimal, match="over") as unfinished:
        conflict_numbers(network, Budget())
    assert list(unfinished.value.numbers) == first[0]
    first.clear()
    answer = Oracle(network).consistency()
    assert isinstance(answer, Inconsistent)
    assert not answer.minimal
    monkeypatch.undo()
    assert not Oracle(answer.conflict).is_consistent()
    assert Oracle(network).consistency().minimal


def test_a_core_that_is_none_is_found_out(monkeypatch):
    network = next(inconsistent_networks("liar", 1))
    monkeypatch.setattr(cores, "minimal_core", lambda _network, _budget: [0, 1])
    with pytest.raises(InternalError, match="blames"):
        conflict_numbers(network, Budget())


@pytest.mark.slow
def test_repairs_are_those_without_the_search(monkeypatch):
    for network in inconsistent_networks("repairs", 4, size=9):
        ours = repair(network, Budget())
        with monkeypatch.context() as patch:
            patch.setattr("temporacle.reasoner.conflicts.conflicts.is_available", lambda: False)
            naive = repair(network, Budget())
        assert ours == naive


def test_check_marks_a_conflict_that_may_be_too_large(monkeypatch):
    network = next(inconsistent_networks("check", 1))
    document = Document("d", network.links, network.entities)
    honest = SelectedLinks.core
    asked = []

    def once(self, numbers):
        asked.append(numbers)
        if len(asked) > 1:
            raise BudgetExceeded("over")
        return honest(self, numbers)

    monkeypatch.setattr(SelectedLinks, "core", once)
    found = check_document(document, CheckOptions(budget=60))
    assert (found.verdict, found.not_minimal, len(found.conflicts)) == (DocumentVerdict.INCONSISTENT, True, 1)
    assert [(remark.code, "links that are not needed" in remark.message) for remark in found.remarks] == [
        (OUT_OF_TIME, True)
    ]
    monkeypatch.undo()
    assert not Oracle(found.conflicts[0]).is_consistent()
    whole = check_document(document, CheckOptions(budget=60))
    assert not whole.not_minimal
    assert whole.remarks == ()


@pytest.mark.parametrize("links", [TRAP, TRAP[:-1]])
def test_few_disjunctions_load_nothing_heavy(links):
    """A document with few disjunctions is decided and explained before any solver, or numpy, is loaded."""
    code = (
        "import sys\nfrom temporacle.reasoner.oracle import Oracle\n"
        f"answer = Oracle({links!r}).consistency()\nassert answer.decided_by == 'cases'\n"
        "print({'numpy', 'ortools', 'pysolvers', 'pysat'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
