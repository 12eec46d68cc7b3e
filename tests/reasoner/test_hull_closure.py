"""Hull closure, the residual it leaves, and the cases that settle it: each by its own promise, against brute force."""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, TRAP, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner import network as limits
from temporacle.reasoner.algebra import (
    ALL,
    RelationClass,
    classify,
    compose,
    converse,
    convex_hull,
    point_hull,
    subrelations_of_class,
)
from temporacle.reasoner.disjunctions import residual
from temporacle.reasoner.disjunctions.residual import Residual
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points import graph as pointgraph
from temporacle.reasoner.points.graph import Contradiction, PointGraph
from temporacle.reasoner.points.hulls import tighten
from temporacle.relation import EQUAL, Relation

NAMES = ("a", "b", "c", "d")
PAIRS = list(combinations(range(4), 2))


def networks(kind, count):
    """Networks, the truth about them, and what hull closure makes of them (None: a contradiction)."""
    rng = Random(f"hull {kind}")
    for _ in range(count):
        triples = random_network(rng, NAMES, kind, rng.choice((0.5, 0.8, 1.0)))
        if rng.random() < 0.3:
            name = rng.choice(NAMES)
            triples.insert(rng.randrange(len(triples) + 1), (name, Relation(rng.randrange(1, ALL)) | EQUAL, name))
        network = network_of(triples, NAMES)
        try:
            tightened = tighten(4, network.constraints, Budget())
        except Contradiction:
            tightened = None
        yield network, brute_force(triples, NAMES), tightened


@pytest.mark.parametrize("kind", KINDS)
def test_hull_closure_is_sound_and_a_fixpoint(kind):
    closed = left = 0
    for network, truth, tightened in networks(kind, 150):
        if tightened is None:
            assert truth is None
            continue
        _, closure, open_pairs = tightened
        closed += 1
        left += bool(open_pairs)
        for i, j in PAIRS:
            found = closure.relation(i, j)
            assert closure.relation(j, i) == converse(found)
            if truth is not None:
                assert truth[NAMES[i], NAMES[j]] & ~found == 0
            stated = ALL
            for source, mask, target in network.constraints:
                if (source, target) == (i, j):
                    stated &= mask
                elif (source, target) == (j, i):
                    stated &= converse(mask)
            if (i, j) in open_pairs:
                mask = open_pairs[i, j]
                assert mask == stated & found  # whatever the graph rules out is gone,
                assert classify(mask) is not RelationClass.CONVEX
                assert found & ~convex_hull(mask) == 0  # and the graph knows the hull of what is left
            elif not open_pairs:
                assert found & ~stated == 0
        if not open_pairs:
            assert truth is not None
            assert all(closure.relation(i, j) == truth[NAMES[i], NAMES[j]] for i, j in PAIRS)
        else:
            assert not all(classify(mask) is RelationClass.POINTISABLE for mask in open_pairs.values())
            assert all(i < j for i, j in open_pairs)
    assert closed > 10
    assert bool(left) == (kind in ("ord-horn", "arbitrary"))


@pytest.mark.parametrize("room", [None, 0])
def test_the_residual_is_settled_exactly(monkeypatch, room):
    """Also where there is no room to keep cases: then it is asked more often."""
    if room is not None:
        monkeypatch.setattr(residual, "_MEMORY_FOR_CASES", room)
    settled = 0
    for network, truth, tightened in networks("arbitrary", 16):
        if truth is None or not tightened.residual:
            continue
        decider = Residual(tightened, Budget())
        settled += 1
        exact = {pair: int(truth[NAMES[pair[0]], NAMES[pair[1]]]) for pair in PAIRS}
        for (i, j), mask in exact.items():
            some = decider.possible(i, j, mask)
            assert some
            assert some & ~mask == 0
            assert decider.possible(i, j, ALL & ~mask) == 0
            assert decider.relation(j, i) == converse(mask)
            assert decider.relation(i, j) == mask
            if room is not None:
                assert len(decider.cases) <= 2
        assert decider.possible(2, 2, ALL) == decider.relation(2, 2) == EQUAL
        assert decider.possible(2, 2, ALL & ~EQUAL) == 0
        table = Residual(tightened, Budget()).table()
        assert all(table[i][j] == mask and table[j][i] == converse(mask) for (i, j), mask in exact.items())
        times = decider.model()
        assert times == decider.cases[0].times
        assert all(times[2 * k] < times[2 * k + 1] for k in range(4))
        assert sorted(network.index.values()) == [0, 1, 2, 3]
    assert settled > 6


def test_a_residual_without_solution():
    """The hulls of these links can all be true, the links cannot."""
    network = Network.of(TRAP)
    assert brute_force([(link.source, link.relation, link.target) for link in network.links], "0123") is None
    tightened = tighten(4, network.constraints, Budget())
    decider = Residual(tightened, Budget())
    assert decider.model() is None
    assert decider.possible(0, 0, ALL) == decider.relation(1, 1) == 0
    assert all(decider.possible(i, j, ALL) == decider.relation(i, j) == 0 for i, j in PAIRS)
    with pytest.raises(Contradiction):
        Residual(tightened, Budget()).table()


def test_budgets_end_the_work():
    constraints = [(0, 1 | 1 << 12, 1), (1, 1 | 1 << 12, 2), (0, 1 | 1 << 12, 2)]
    with pytest.raises(BudgetExceeded):
        tighten(3, constraints, Budget(-1))
    with pytest.raises(BudgetExceeded):
        Residual(tighten(3, constraints, Budget()), Budget(-1)).model()


# --- tables -----------------------------------------------------------------------------------------------------------


def random_closure(rng, size):
    """Weak and strict edges upwards along a random order, and differences: always consistent."""
    graph = PointGraph(size)
    times = [time for k in range(size) for time in sorted(rng.sample(range(2 * size + 1), 2))]
    for _ in range(3 * size):
        x, y = rng.randrange(2 * size), rng.randrange(2 * size)
        if times[x] <= times[y]:
            graph.successors[x].append(2 * y + (times[x] < times[y] and rng.random() < 0.5))
        if times[x] != times[y] and rng.random() < 0.2:
            graph.differences.append((x, y))
    return graph.close()


@pytest.mark.parametrize("cells", [1, 60, 1 << 16])
def test_tables_by_arrays_are_those_by_pairs(monkeypatch, cells):
    """However many rows are worked out at a time."""
    monkeypatch.setattr(pointgraph, "_CELLS_AT_A_TIME", cells)
    rng = Random(cells)
    for size in (0, 1, 2, 3, 4, 5, 8, 9, 13):
        for _ in range(6):
            closure = random_closure(rng, size)
            table = closure.table_by_pairs()
            assert closure.table_by_arrays().tolist() == table
            assert closure.table_by_arrays().dtype == "uint16"  # two bytes a pair, as the memory is counted
            assert [list(map(int, row)) for row in closure.table()] == table
    strict = PointGraph(6)  # all edges strict, as in most documents
    for k in range(5):
        strict.add(k, 1, k + 1)
    assert strict.close().table_by_arrays().tolist() == strict.close().table_by_pairs()


def test_large_tables_are_refused_before_they_are_made(monkeypatch):
    closure = PointGraph(100).close()
    monkeypatch.setattr(limits, "_MOST_MEMORY", 2 * 100 * 100 + 2 * 200 * 25)  # the table, and two sets of bits
    closure.table_by_arrays()
    monkeypatch.setattr(limits, "_MOST_MEMORY", 2 * 100 * 100 + 2 * 200 * 25 - 1)
    with pytest.raises(BudgetExceeded, match="100 entities"):
        closure.table_by_arrays()
    monkeypatch.setattr(limits, "_MOST_MEMORY", 200 * 200 // 8 - 1)
    with pytest.raises(BudgetExceeded, match="100 entities"):
        PointGraph(100).close()


# --- algebra ----------------------------------------------------------------------------------------------------------


def test_largest_subrelations_by_exhaustion():
    """All relations of a class that lie inside a mask around an atom, largest first."""
    classes = {True: [m for m in range(1, ALL + 1) if point_hull(m) == m]}
    classes[False] = [m for m in classes[True] if convex_hull(m) == m]
    assert (len(classes[False]), len(classes[True])) == (82, 187)
    rng = Random(5)
    for _ in range(120):
        mask = rng.randrange(1, ALL + 1) | rng.randrange(1, ALL + 1)
        atom = rng.choice([position for position in range(13) if mask >> position & 1])
        for pointisable, members in classes.items():
            inside = [member for member in members if member & ~mask == 0 and member >> atom & 1]
            inside.sort(key=lambda member: (-member.bit_count(), member))
            assert list(subrelations_of_class(mask, atom, pointisable)) == inside


def test_composition_by_brute_force():
    """Of all atoms, and of unions of them."""
    rng = Random(6)
    atoms = [Relation(1 << position) for position in range(13)]
    pairs = [(first, second) for first in atoms for second in atoms]
    pairs += [(Relation(rng.randrange(1, ALL + 1)), Relation(rng.randrange(1, ALL + 1))) for _ in range(60)]
    for first, second in pairs:
        truth = brute_force([("a", first, "b"), ("b", second, "c")], ("a", "b", "c"))
        assert compose(first, second) == truth["a", "c"]
    assert compose(0, ALL) == compose(ALL, 0) == 0
