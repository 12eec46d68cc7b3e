"""The steps of the search for conflicts, each on its own: whatever one of them says, the conflict is a minimal one."""

from itertools import combinations
from random import Random

import pytest
from naive import TRAP, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.reasoner.conflicts import conflicts
from temporacle.reasoner.conflicts.all_conflicts import all_conflicts_and_repairs, conflict_through
from temporacle.reasoner.conflicts.conflicts import conflict_numbers, minimal_conflict, shrink
from temporacle.reasoner.disjunctions import cores
from temporacle.reasoner.disjunctions.cases import decide, refute
from temporacle.reasoner.disjunctions.residual import MOST_BRANCHINGS
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.cycles import links_on_cycles, shortest_strict_cycle
from temporacle.reasoner.proofs.certificate import certify_conflict
from temporacle.relation import EVERYTHING, Relation
from temporacle.results import Consistent, Inconsistent

MORE = [("x", "b", "0"), ("2", "b|bi", "y"), ("x", "b", "y")]  # no part of any conflict
NETWORK = Network.of([*MORE[:2], *TRAP, MORE[2]])
BLAMED = [2, 3, 4, 5, 6, 7]


def test_deletion_leaves_what_is_needed():
    assert sorted(shrink(NETWORK, range(9), Budget())) == BLAMED
    with pytest.raises(BudgetExceeded):
        shrink(NETWORK, range(9), Budget(-1))


@pytest.mark.parametrize("core", [None, [], [0, 1, 8], [0, 2, 3], BLAMED, list(range(9))])
def test_whatever_the_solver_blames_the_conflict_is_right(monkeypatch, core):
    """No short proof; the core is missing, beside the point, too small, exact, or everything."""
    monkeypatch.setattr(conflicts, "refute", lambda *_, **__: None)
    monkeypatch.setattr(cores, "first_core", lambda *_: core)
    assert sorted(conflict_numbers(NETWORK, Budget())) == BLAMED


def test_a_core_that_is_right_saves_work(monkeypatch):
    monkeypatch.setattr(conflicts, "refute", lambda *_, **__: None)
    monkeypatch.setattr(cores, "first_core", lambda *_: BLAMED)
    assert conflicts._suspects(NETWORK, Budget()) == BLAMED
    monkeypatch.setattr(cores, "first_core", lambda *_: [0, 1])
    assert list(conflicts._suspects(NETWORK, Budget())) == list(range(9))


def test_the_shortest_cycle_is_found_before_anything_is_deleted():
    """Deletion in the order of the document would leave the ring of four."""
    pair, ring = [("x", "b", "y"), ("y", "b", "x")], [(k, "b", f"{(int(k) + 1) % 4}") for k in "0123"]
    assert sorted(conflict_numbers(Network.of([*pair, *ring]), Budget())) == [0, 1]


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_a_conflict_through_a_link_exists_if_and_only_if_one_is_listed(kind):
    rng = Random(f"through {kind}")
    met = {True: 0, False: 0}
    for _ in range(60):
        names = [f"e{number}" for number in range(rng.randint(3, 5))]
        links = random_network(rng, names, kind, 0.9)
        source, target = rng.sample(names, 2)
        links.append((source, rng.choice((Relation("b|m|o"), Relation("d"), EVERYTHING)), target))
        judged = Judged(Network.of(links))
        listed = [set(numbers) for numbers, is_conflict in all_conflicts_and_repairs(judged) if is_conflict]
        for number in range(len(links)):
            found = conflict_through(judged, number)
            expected = any(number in conflict for conflict in listed)
            assert (found is not None) is expected
            assert found is None or (number in found and set(found) in listed)
            met[expected] += bool(listed)
    assert min(met.values()) > 20


def test_the_links_of_a_short_proof_are_suspects():
    assert set(conflicts._suspects(NETWORK, Budget())) == set(BLAMED)


def test_a_proof_may_not_be_longer_than_allowed():
    whole = refute(NETWORK, Budget())
    assert set(whole.used) == set(BLAMED)
    allowed = [most for most in range(9) if refute(NETWORK, Budget(), most_branchings=most) is not None]
    assert 0 not in allowed
    assert allowed == list(range(min(allowed), 9))
    assert refute(Network.of(TRAP[:-1]), Budget()) is None


def test_links_without_conflict_have_none():
    for links in (MORE, TRAP[:-1]):
        with pytest.raises(InternalError, match="consistent"):
            minimal_conflict(Network.of(links), Budget())


def test_the_oracle_asks_for_a_conflict_only_to_explain():
    inconsistent = Oracle(NETWORK).consistency(explain=False)
    assert isinstance(inconsistent, Inconsistent)
    assert inconsistent.conflict == ()
    assert len(Oracle(NETWORK).consistency().conflict) == 6


@pytest.mark.parametrize(
    ("links", "engine", "by"),
    [
        ([("a", "b", "b")], "exact", "graph"),
        ([("a", "b", "b"), ("b", "b", "a")], "exact", "graph"),
        ([("a", "o|d", "b")], "exact", "graph"),  # pointisable
        ([("a", "b|bi", "b")], "exact", "cases"),
        ([("a", "b|bi", "b"), ("a", "m|mi", "b")], "exact", "graph"),  # the graph shows the contradiction
        (TRAP, "exact", "cases"),
        (TRAP[:-1], "exact", "cases"),
        ([("a", "b", "b")], "cpsat", "cpsat"),
    ],
)
def test_who_decided(links, engine, by):
    oracle = Oracle(links, engine=engine)
    found = oracle.consistency()
    assert isinstance(found, Consistent | Inconsistent)
    assert oracle.decided_by == found.decided_by == by


def test_countermodels():
    oracle = Oracle([("a", "b|m", "b")])
    assert oracle.countermodel("a", Relation.of("b", "m"), "b") is None
    world = oracle.countermodel("a", Relation.of("b"), "b")
    assert world["a"][1] == world["b"][0]
    for pair in (("a", "z"), ("z", "b")):
        with pytest.raises(UsageError, match="unknown entity 'z'"):
            oracle.countermodel(pair[0], Relation.of("b"), pair[1])


# --- cycles and cases -------------------------------------------------------------------------------------------------


def test_links_that_can_be_part_of_a_conflict():
    ring = [("a", "b", "b"), ("z", "b", "a"), ("b", "b", "c"), ("c", "b", "d"), ("c", "b", "a"), ("d", "=", "e")]
    network = Network.of(ring)
    assert links_on_cycles(len(network.entities), network.constraints) == [0, 2, 4]


def test_links_on_cycles_hold_all_minimal_conflicts():
    rng = Random("on cycles")
    names = ("a", "b", "c", "d")
    for _ in range(20):
        network = network_of(random_network(rng, names, "convex", 0.7), names)
        triples = [(link.source, link.relation, link.target) for link in network.links]
        minimal = [
            chosen
            for size in range(1, len(triples) + 1)
            for chosen in combinations(range(len(triples)), size)
            if brute_force([triples[k] for k in chosen], names) is None
            and all(brute_force([triples[k] for k in chosen if k != gone], names) for gone in chosen)
        ]
        found = links_on_cycles(4, network.constraints)
        assert found == sorted(set(found))
        assert {number for chosen in minimal for number in chosen} <= set(found)
        assert bool(found) == bool(minimal)


def shortest_ring(edges):
    """The length of a shortest directed cycle, breadth first from every node; None if there is none."""
    lengths = []
    for start in {source for source, _ in edges}:
        reached, frontier, length = set(), {start}, 0
        while frontier and start not in reached:
            length += 1
            frontier = {target for source, target in edges if source in frontier} - reached
            reached |= frontier
        if start in reached:
            lengths.append(length)
    return min(lengths, default=None)


@pytest.mark.parametrize("lonely", [0, 60])
def test_cycles_are_shortest_wherever_they_lie(lonely):
    """Links that speak of starts alone, so that cycles may lie anywhere; with many entities beside them, or none."""
    starts_before = int(Relation.of("b", "m", "o", "fi", "di"))
    rng = Random("wherever")
    seen = set()
    for _ in range(150):
        edges = [tuple(rng.sample(range(9), 2)) for _ in range(rng.randint(6, 13))]
        constraints = [(source, starts_before, target) for source, target in edges]
        cycle = shortest_strict_cycle(9 + lonely, constraints)
        length = shortest_ring(edges)
        assert (None if cycle is None else len(cycle)) == length
        seen.add(length)
    assert seen >= {None, 2, 3, 4}


def test_an_entity_that_equals_itself_is_no_conflict():
    links = [("x", "=", "x"), ("a", "=|b", "a"), ("a", "b", "b"), ("b", "b", "a")]
    assert sorted(conflict_numbers(Network.of(links), Budget())) == [2, 3]


def test_branchings_are_counted():
    """One piece of a disjunction is a solution; where the graph alone decides, there is nothing to branch on."""
    either = (0, 1 | 1 << 12, 1)
    cases = [decide(2, [either], Budget(), most) for most in (0, 1)]
    assert [case and case.times is not None for case in cases] == [None, True]
    assert decide(2, [either, (0, 1, 1)], Budget(), 0).times is not None
    assert decide(2, [either, (0, 2, 1)], Budget(), 0).times is None


def test_search_by_cases_by_brute_force():
    """Also where the case that is looked at first has no solution, and another one has."""
    rng = Random("cases")
    names = ("a", "b", "c", "d")
    for _ in range(90):
        triples = random_network(rng, names, "arbitrary", 1.0)
        network = network_of(triples, names)
        found = decide(len(network.entities), network.constraints, Budget(), MOST_BRANCHINGS)
        assert (found.times is not None) is (brute_force(triples, names) is not None)


def test_a_conflict_that_is_not_minimal_gets_no_certificate():
    network = Network.of([("a", "b", "b"), ("b", "b", "a"), ("a", "b", "c")])
    assert certify_conflict(Judged(network, Budget()), [0, 1]).conflict == (0, 1)
    for numbers in combinations(range(3), 2):
        if numbers != (0, 1):
            with pytest.raises(InternalError):
                certify_conflict(Judged(network, Budget()), numbers)
