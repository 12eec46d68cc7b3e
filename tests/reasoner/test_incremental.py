"""The growing graph against its naive twin: an Oracle over the links so far, asked anew for every link."""

from collections import Counter
from random import Random

import pytest
from naive import KINDS, network_of, random_network

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import converse, convex_hull
from temporacle.reasoner.linkgraph import GrowingGraph
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points import growing
from temporacle.reasoner.points.growing import IncrementalClosure
from temporacle.relation import Relation
from temporacle.results import Verdict


def naive_verdict(kept, network, link):
    """Straight from the definition: every model, no model, or some."""
    oracle = Oracle(Network(kept, network.entities))
    return oracle.entails(link.source, link.relation, link.target)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(40))
def test_every_link_is_judged_as_by_an_oracle_over_the_links_before_it(kind, seed):
    rng = Random(f"{kind}-{seed}")
    entities = [f"e{k}" for k in range(rng.choice((3, 5, 9)))]
    network = network_of(random_network(rng, entities, kind, density=rng.choice((0.3, 0.6, 1.0))))
    graph = GrowingGraph(network)
    kept = []
    for position, link in enumerate(network.links):
        verdict = graph.verdict(network.constraints[position])
        assert verdict is naive_verdict(kept, network, link)
        if verdict is not Verdict.REFUTED:
            graph.add(position)
            kept.append(link)
    if len(entities) < 9:
        exact = Oracle(Network(kept, network.entities))
        for source, first in enumerate(network.entities):
            for target, second in enumerate(network.entities):
                if source != target:
                    strongest = exact.strongest(first, second)
                    assert graph.strongest(source, target) == strongest
                    for mask in {int(strongest), int(strongest) & (int(strongest) - 1), rng.randrange(1, 1 << 13)}:
                        assert graph.entails((source, mask, target)) is (not strongest & ~mask)


@pytest.mark.parametrize("steps", [0, 2, 1000])
@pytest.mark.parametrize("seed", range(15))
def test_closing_at_once_and_growing_agree(monkeypatch, seed, steps):
    """Links that take many steps are closed together, others are put in one by one: asking often changes nothing."""
    monkeypatch.setattr(growing, "_STEPS", steps)
    rng = Random(seed)
    size = 30
    times = [sorted(rng.sample(range(25), 2)) for _ in range(size)]
    links = []
    for _ in range(90):
        source, target = rng.sample(range(size), 2)
        signs = [(p > q) - (p < q) for p in times[source] for q in times[target]]
        wide = rng.random() < 0.3
        links.append((source, _convex_around(signs, wide=wide), target))
    often, late, halfway = (IncrementalClosure(size) for _ in range(3))
    closed_at_once = Counter()
    monkeypatch.setattr(IncrementalClosure, "_close", counted(IncrementalClosure._close, closed_at_once))
    for position, link in enumerate(links):
        for closure in (often, late, halfway):
            closure.add(*link)
        often.relation(link[0], link[2])
        if position == 30:
            halfway.relation(link[0], link[2])
    exact = Oracle([(f"e{s}", Relation(mask), f"e{t}") for s, mask, t in links])
    for source in range(size):
        for target in range(size):
            assert often.relation(source, target) == late.relation(source, target) == halfway.relation(source, target)
            if {f"e{source}", f"e{target}"} <= set(exact.network.entities):
                assert often.relation(source, target) == exact.strongest(f"e{source}", f"e{target}")
    if steps == 1000:
        assert not closed_at_once
    else:
        assert closed_at_once[id(late)] == 1
    if steps == 0:
        assert closed_at_once[id(halfway)] == 2


def counted(method, calls):
    def counting(self):
        calls[id(self)] += 1
        return method(self)

    return counting


def _convex_around(signs, *, wide):
    from temporacle.reasoner.algebra import EQ, GT, LT, convex_hull, mask_of

    exact = {-1: LT, 0: EQ, 1: GT}
    loose = {-1: LT | EQ, 0: LT | EQ, 1: GT | EQ}
    return convex_hull(mask_of(tuple((loose if wide else exact)[sign] for sign in signs)))


def test_layered_graphs_do_not_blow_up():
    """Every event before every event of the next layer: paths are exponentially many, points are not."""
    layers, width = 60, 3
    closure = IncrementalClosure(layers * width)
    before = int(Relation.of("b"))
    for layer in range(layers - 1):
        for a in range(width):
            for b in range(width):
                source, target = layer * width + a, (layer + 1) * width + b
                closure.relation(source, target)
                closure.add(source, before, target)
    assert closure.relation(0, layers * width - 1) == before
    assert closure.relation(0, 1) == int(~Relation(0))


def test_an_entity_and_itself():
    closure = IncrementalClosure(2)
    assert closure.relation(1, 1) == int(Relation.of("="))
    closure.add(0, int(Relation.of("=", "b")), 0)
    closure.add(0, int(Relation.of("b")), 1)
    assert closure.relation(0, 0) == int(Relation.of("="))
    assert closure.relation(0, 1) == int(Relation.of("b"))
    network = Network.of([("a", "b|bi", "b"), ("a", "=|b", "a"), ("b", "b|bi", "c"), ("c", "b|bi", "a")])
    graph = GrowingGraph(network)
    for position in range(4):
        graph.add(position)
    assert graph.verdict((0, int(Relation.of("b", "bi")), 1)) is Verdict.ENTAILED
    assert graph.verdict((0, int(Relation.of("b")), 1)) is Verdict.OPEN


def test_no_time_no_verdict():
    network = Network.of([("a", "b|bi", "b"), ("b", "b|bi", "c"), ("c", "b|bi", "a"), ("a", "b", "c")])
    graph = GrowingGraph(network, Budget(-1))
    for position in range(3):
        graph.add(position)
    with pytest.raises(BudgetExceeded):
        graph.verdict(network.constraints[3])


def test_a_verdict_that_is_not_known_is_not_given(monkeypatch):
    """The pieces that are known to be possible do not answer, and the oracle has no time."""
    links = [("a", "d|bi", "b"), ("a", "s|f", "c"), ("b", "m|s", "c")]  # a is after b, by cases only
    network = Network.of(links)
    graph = GrowingGraph(network, Budget(9))
    for position in range(3):
        graph.add(position)
    after = (0, int(Relation.of("bi")), 1)
    assert graph.verdict(after) is Verdict.ENTAILED
    assert graph.entails(after)
    assert graph.strongest(0, 1) == after[1]
    monkeypatch.setattr(Oracle, "entails", lambda *_: Verdict.UNKNOWN)
    with pytest.raises(BudgetExceeded, match="not decided within 9 s"):
        graph.verdict(after)
    with pytest.raises(BudgetExceeded):
        graph.entails(after)
    late = GrowingGraph(network, Budget(-1))
    for position in range(3):
        late.add(position)
    with pytest.raises(BudgetExceeded):
        late.strongest(0, 1)


def test_a_link_that_the_known_case_does_not_allow_starts_a_new_one():
    """The whole is contradictory, so the case is made from what was added; the next link goes another way."""
    network = Network.of([("a", "b|bi", "b"), ("b", "b|bi", "c"), ("a", "b", "c"), ("a", "bi", "c"), ("x", "=|b", "x")])
    for chosen in (2, 3):
        graph = GrowingGraph(network)
        for position in (0, 1, 4):
            graph.add(position)
        assert graph.verdict((0, 1, 2)) is Verdict.OPEN
        graph.add(chosen)
        assert graph.strongest(0, 1) == int(Relation.of("b", "bi"))
        assert graph.verdict(network.constraints[5 - chosen]) is Verdict.REFUTED
        assert graph.verdict(network.constraints[0]) is Verdict.ENTAILED


@pytest.mark.parametrize("seed", range(30))
def test_a_forest_says_of_two_linked_entities_what_their_link_says(seed):
    """Linked pairs are answered without the closure as long as no link closes a cycle; then by the closure."""
    rng = Random(seed)
    size = rng.choice((3, 6, 12))
    links = []
    for target in range(1, size):
        if rng.random() < 0.85:
            pair = rng.sample((rng.randrange(target), target), 2)
            links.append((pair[0], convex_hull(rng.randrange(1, 1 << 13)), pair[1]))
    rng.shuffle(links)
    asked, closed = IncrementalClosure(size), IncrementalClosure(size)
    for number, link in enumerate(links):
        for closure in (asked, closed):
            closure.add(*link)
        for source, mask, target in rng.sample(links[: number + 1], min(number + 1, 2)):
            assert asked.relation(source, target) == mask
            assert asked.relation(target, source) == converse(mask)
        if number == size // 2 and seed % 2:
            asked.relation(*rng.sample(range(size), 2))
    closed.orders()  # puts all links in
    everyone = range(size)
    assert [[asked.relation(s, t) for t in everyone] for s in everyone] == [
        [closed.relation(s, t) for t in everyone] for s in everyone
    ]
