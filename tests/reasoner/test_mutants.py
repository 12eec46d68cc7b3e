"""Small, sharp tests: each of them kills mutants of the reasoner that the other tests let live.

Everything is compared with brute force over all subsets or all scenarios, so that a change of any comparison, bound or
order in the code shows.
"""

from itertools import chain, combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.model import Link
from temporacle.reasoner.algebra import ATOM_SIGNS, EQ, RelationClass, classify, dimension
from temporacle.reasoner.conflicts.conflicts import minimal_conflict, smallest_within
from temporacle.reasoner.conflicts.repair import repair, whole_weights
from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Budget, Network, PairTable, intersect_links
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.cycles import disjoint_cycles, shortest_strict_cycle
from temporacle.reasoner.points.graph import Closure, Contradiction, PointGraph
from temporacle.relation import Relation
from temporacle.results import Repair, Unrepairable

NAMES = ("a", "b", "c", "d")


def subsets(things):
    """All of them, the small ones first."""
    return chain.from_iterable(combinations(things, size) for size in range(len(things) + 1))


def consistent(links):
    triples = [(link.source, link.relation, link.target) for link in links]
    return brute_force(triples, NAMES) is not None


# --- repairs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_repairs_are_the_best_of_all(kind):
    rng = Random(f"repair {kind}")
    seen = 0
    while seen < 12:
        triples = random_network(rng, NAMES, kind, 0.8)[:6]
        links = [Link(f"l{k}", *triple, weight=rng.choice((0.5, 1, 2))) for k, triple in enumerate(triples)]
        if consistent(links):
            continue
        seen += 1
        best = min(
            (chosen for chosen in subsets(range(len(links))) if consistent(_without(links, chosen))),
            key=lambda chosen: (sum(links[k].weight for k in chosen), len(chosen), chosen),
        )
        found = repair(Network(links), Budget())
        assert isinstance(found, Repair)
        assert [links.index(link) for link in found.dropped] == list(best), triples
        assert float(found.weight) == sum(links[k].weight for k in best)
        protected = {links[k].id for k in best}
        other = repair(Network(links), Budget(), lambda link, ids=protected: link.id in ids)
        if isinstance(other, Unrepairable):
            assert not consistent(other.conflict)
            assert {link.id for link in other.conflict} <= protected
        else:
            assert not protected & {link.id for link in other.dropped}
            assert consistent([link for link in links if link not in other.dropped])


def _without(links, chosen):
    return [link for k, link in enumerate(links) if k not in chosen]


def test_weights_become_whole_numbers():
    links = [Link("1", "a", Relation.of("b"), "b", weight=0.1), Link("2", "a", Relation.of("b"), "b", weight=0.25)]
    weights, unit = whole_weights(links)
    assert weights == {0: 2, 1: 5}
    assert unit * 20 == 1
    assert whole_weights([Link("0", "a", Relation.of("b"), "b", weight=0)])[0] == {0: 0}
    for bad in (-1, float("inf"), float("nan")):
        with pytest.raises(UsageError, match=f"link 3 weighs {bad}"):
            whole_weights([*links, Link("3", "a", Relation.of("b"), "b", weight=bad)])


# --- cycles and conflicts --------------------------------------------------------------------------------------------


def test_cycles_are_closed_strict_and_shortest():
    rng = Random("cycles")
    found = 0
    while found < 25:
        triples = random_network(rng, NAMES, "convex", 0.9)
        network = network_of(triples, NAMES)
        if consistent(network.links):
            assert shortest_strict_cycle(4, network.constraints) is None
            assert disjoint_cycles(4, network.constraints) == []
            continue
        found += 1
        smallest = next(len(chosen) for chosen in subsets(network.links) if not consistent(chosen))
        cycle = shortest_strict_cycle(4, network.constraints, Budget())
        assert sum(edge.link is not None for edge in cycle) == smallest
        assert len(minimal_conflict(network, Budget())) == smallest
        used = set()
        cycles = disjoint_cycles(4, network.constraints, Budget())
        for each in (cycle, *cycles):
            assert any(edge.strict is True for edge in each)
            for edge, following in zip(each, each[1:] + each[:1], strict=True):
                assert edge.to_point == following.from_point
                if edge.link is None:
                    assert (edge.from_point % 2, edge.to_point, edge.strict) == (0, edge.from_point + 1, True)
            assert not consistent([network.links[edge.link] for edge in each if edge.link is not None])
        for each in cycles:
            numbers = {edge.link for edge in each if edge.link is not None}
            assert not numbers & used
            used |= numbers
            inside = smallest_within(network, sorted(numbers))
            assert set(inside) <= numbers
            assert not consistent([network.links[number] for number in inside])
        assert consistent([link for number, link in enumerate(network.links) if number not in used])


def test_cycles_in_separate_parts_are_all_found():
    parts = [(f"{x}{k}", Relation.of("b"), f"{y}{k}") for k in range(4) for x, y in ("ab", "bc", "ca")]
    network = network_of(parts)
    cycles = disjoint_cycles(len(network.entities), network.constraints)
    assert sorted(sorted(edge.link for edge in cycle if edge.link is not None) for cycle in cycles) == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [9, 10, 11],
    ]


def test_out_of_time_is_said_in_every_search():
    ring = network_of([("a", Relation.of("b"), "b"), ("b", Relation.of("b"), "a")])
    for search in (
        lambda: shortest_strict_cycle(2, ring.constraints, Budget(-1)),
        lambda: disjoint_cycles(2, ring.constraints, Budget(-1)),
        lambda: repair(ring, Budget(-1)),
    ):
        with pytest.raises(BudgetExceeded):
            search()


def test_what_is_no_conflict_has_no_smallest():
    with pytest.raises(InternalError, match="are consistent"):
        smallest_within(network_of([("a", Relation.of("b"), "b")]), [0])


# --- the algebra, the graph, the oracle ------------------------------------------------------------------------------


def test_dimensions():
    assert [dimension(position) for position in range(13)] == [2, 1, 2, 1, 2, 1, 0, 1, 2, 1, 2, 1, 2]
    assert all(dimension(position) == 2 - signs.count(EQ) for position, signs in enumerate(ATOM_SIGNS))
    classify.cache_clear()  # so that dimensions are asked now
    counted = [classify(mask) for mask in range(1, 1 << 13)]
    assert [counted.count(each) for each in RelationClass] == [82, 105, 680, 7324]


@pytest.mark.parametrize("kind", KINDS)
def test_everything_about_small_networks(kind):
    rng = Random(f"mutants {kind}")
    seen = set()
    for _ in range(12):
        triples = random_network(rng, NAMES, kind, rng.choice((0.5, 0.9)))
        truth = brute_force(triples, NAMES)
        oracle = Oracle(network_of(triples, NAMES))
        seen.add(truth is None)
        assert oracle.is_consistent() is (truth is not None)
        if truth is None:
            assert oracle.minimal_network() is None
            assert oracle.strongest("a", "b") == 0
            continue
        for (source, target), strongest in truth.items():
            assert oracle.strongest(source, target) == strongest
            atom = Relation.of(rng.choice(strongest.atoms))
            verdict = oracle.entails(source, atom, target).value
            assert verdict == ("entailed" if strongest == atom else "open")
            assert oracle.entails(source, ~strongest, target).value == "refuted"
            world = oracle.countermodel(source, atom, target)
            assert (world is None) == (strongest == atom)
            if world is not None:
                assert set(world) == set(NAMES)
                assert not holds_in(world, Link("", source, atom, target))
                assert all(holds_in(world, link) for link in oracle.network.links)
        assert oracle.strongest("a", "a") == Relation.of("=")
        if isinstance(oracle.judged.decider, Closure):
            assert [
                list(map(int, row)) for row in oracle.judged.decider.table_by_arrays()
            ] == oracle.judged.decider.table_by_pairs()
    assert seen == {True, False}


def test_a_countermodel_keeps_to_the_budget():
    oracle = Oracle([("a", "b|bi", "b"), ("b", "b|bi", "c")], budget=-1)
    with pytest.raises(BudgetExceeded, match=r"not decided within -1 s"):
        oracle.countermodel("a", Relation.of("b"), "b")


def test_unknown_names_are_told_with_some_known_ones():
    with pytest.raises(UsageError, match=r"^unknown entity 'x': the document has no entities$"):
        Network(()).number("x")
    with pytest.raises(UsageError, match=r"^unknown entity 'x': known are a, b$"):
        Network((), "ab").number("x")
    with pytest.raises(UsageError, match=r"known are a, b, c, d, e, f, g, h$"):
        Network((), "abcdefgh").number("x")
    with pytest.raises(UsageError, match=r"known are a, b, c, d, e, f, g, h, \.\.\.$"):
        Network((), "abcdefghi").number("x")


def test_tables_and_rows():
    network = network_of([("a", Relation.of("b", "m"), "b"), ("b", Relation.of("bi", "o"), "a")])
    assert intersect_links(network) == [[1 << 6, 1], [1 << 12, 1 << 6]]
    table = PairTable(("a", "b", "c"), [[64, 1, 8191], [4096, 64, 8191], [8191, 8191, 64]])
    assert list(table.pairs()) == [("a", Relation.of("b"), "b")]
    assert [pair[::2] for pair in table.pairs(universal=True)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert table.relation("b", "a") == Relation.of("bi")
    budget = Budget(3)
    assert 2 < budget.remaining() <= 3
    assert Budget().remaining() is None


def test_a_difference_among_equals_is_a_contradiction_however_it_is_asked():
    for ask in (PointGraph.condense, PointGraph.close):
        graph = PointGraph(2)
        graph.add(0, int(Relation.of("=")), 1)
        ask(graph)
        graph.add(0, int(~Relation.of("s", "si", "=")), 1, differences=True)  # their starts differ
        with pytest.raises(Contradiction):
            ask(graph)
