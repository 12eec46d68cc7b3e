"""Oracle, enumeration of all scenarios, and CP-SAT alone agree on thousands of random networks.

A bounded share runs always; the rest carries the mark ``slow``. Together: 22,000 networks of 2 to 4 entities against
brute force, 2,100 of them also against CP-SAT on the full model, and networks of 6 to 12 entities against CP-SAT.
"""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reference import cpsat
from temporacle.relation import Relation

NAMES = ("a", "b", "c", "d")


def share(kind, number):
    """Networks of one kind, the same in every run."""
    rng = Random(f"{kind} {number}")
    for _ in range(400):
        names = NAMES[: rng.choice((2, 3, 4, 4, 4))]
        yield names, random_network(rng, names, kind, rng.choice((0.5, 0.8, 1.0)))


IN_CI = 1  # slow share of each comparison that continuous integration runs


def shares(always, slow):
    """Numbers of the shares of 400 networks: those behind the first are marked slow, and all but one of them long."""
    late = range(always, always + slow)
    return [*range(always), *(pytest.param(each, marks=late_marks(each - always)) for each in late)]


def late_marks(number):
    return [pytest.mark.slow, *([pytest.mark.long] if number >= IN_CI else [])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", shares(always=1, slow=10))
def test_oracle_equals_brute_force(kind, number):
    for names, triples in share(kind, number):
        truth = brute_force(triples, names)
        oracle = Oracle(network_of(triples, names))
        table = oracle.minimal_network()
        if truth is None:
            assert table is None, triples
            continue
        assert table is not None, triples
        witness = oracle.witness()
        assert all(holds_in(witness, link) for link in oracle.network.links)
        for pair, relation in truth.items():
            assert table.relation(*pair) == relation, triples
            assert oracle.strongest(*pair) == relation, triples


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", shares(always=0, slow=1))
def test_full_cpsat_equals_brute_force(kind, number):
    for names, triples in share(kind, number):
        truth = brute_force(triples, names)
        table = cpsat.closure(network_of(triples, names), Budget())
        assert (table is None) == (truth is None), triples
        if truth is not None:
            assert all(table.relation(*pair) == relation for pair, relation in truth.items()), triples


def planted(rng, size, density, atoms):
    """A network with a hidden model; a fifth of them is then made doubtful by one relation that ignores it."""
    model = [sorted(rng.sample(range(3 * size), 2)) for _ in range(size)]
    names = [f"x{i}" for i in range(size)]
    triples = []
    for i, j in combinations(range(size), 2):
        if rng.random() < density:
            from temporacle.relation import atom_holding

            others = rng.sample(Relation((1 << 13) - 1).atoms, rng.randrange(atoms))
            triples.append((names[i], Relation.of(atom_holding(model[i], model[j]), *others), names[j]))
    if triples and rng.random() < 0.2:
        k = rng.randrange(len(triples))
        triples[k] = (triples[k][0], ~triples[k][1], triples[k][2])
    return names, triples


@pytest.mark.parametrize("number", shares(always=1, slow=9))
def test_larger_networks_oracle_equals_full_cpsat(number):
    rng = Random(number)
    for _ in range(3):
        size = rng.randint(6, 12)
        names, triples = planted(rng, size, density=3 / size, atoms=rng.choice((1, 3, 6)))
        network = network_of(triples, names)
        mine = Oracle(network).minimal_network()
        theirs = cpsat.closure(network, Budget())
        assert (mine is None) == (theirs is None), triples
        if mine is not None:
            assert list(mine.pairs(universal=True)) == list(theirs.pairs(universal=True)), triples


@pytest.mark.parametrize("number", shares(always=2, slow=18))
def test_larger_networks_by_cpsat(number):
    rng = Random(1000 + number)
    for _ in range(10):
        size = rng.randint(6, 12)
        names, triples = planted(rng, size, density=rng.choice((0.3, 0.6, 1.0)), atoms=7)
        k = rng.randrange(len(triples))
        triples[k] = (triples[k][0], Relation(rng.randrange(1, 1 << 13)), triples[k][2])
        answer = cpsat.decider(network_of(triples, names), Budget()).model()
        assert Oracle(network_of(triples, names)).is_consistent() == (answer is not None), triples
