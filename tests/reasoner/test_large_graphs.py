"""Links of large documents are judged without a closure: the same answers as with one, on many random documents."""

from __future__ import annotations

from random import Random

import pytest
from shares import few

from temporacle.model import Link
from temporacle.reasoner import judged
from temporacle.reasoner.algebra import ALL, RelationClass, classify
from temporacle.reasoner.linkgraph import GrowingGraph, graph_for
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points import large as pathquestions
from temporacle.reasoner.points.growing import refused_links
from temporacle.reasoner.points.large import (
    EqualPoints,
    LargeGraph,
    PathQuestion,
    PathQuestions,
    PointEdges,
)
from temporacle.relation import ATOMS, Relation, atom_holding

CONVEX = [mask for mask in range(1, ALL) if classify(mask) is RelationClass.CONVEX]
WEAK = [int(Relation.of(*names)) for names in (("b", "m"), ("bi", "mi"), ("=",), ("s", "=", "si"), ("f", "=", "fi"))]


def random_network(rng: Random) -> Network:
    """Convex links of one of several kinds: true of a model, of any kind, mostly equalities, or impossible."""
    entities = rng.randint(2, 14)
    kind = rng.choice(("model", "any", "weak", "equal"))
    starts = [rng.randint(0, 2 * entities) for _ in range(entities)]
    times = [(start, start + rng.randint(1, 4)) for start in starts]
    links = []
    for number in range(rng.randint(1, 3 * entities)):
        source, target = rng.randrange(entities), rng.randrange(entities)
        true = int(Relation.of(atom_holding(times[source], times[target])))
        if kind == "model":
            mask = rng.choice([each for each in CONVEX if each & true]) if rng.random() < 0.4 else true
        elif kind == "any":
            mask = true if rng.random() < 0.8 else rng.choice(CONVEX)
        elif kind == "weak":
            mask = rng.choice(WEAK)
        else:
            mask = int(Relation.of("=")) if rng.random() < 0.7 else rng.choice(CONVEX)
        links.append(Link(f"l{number}", f"e{source}", Relation(mask), f"e{target}"))
    return Network(links, [f"e{number}" for number in range(entities)])


def asked(rng: Random, network: Network) -> list[tuple[int, int, int]]:
    size = len(network.entities)
    masks = [rng.choice((rng.choice(CONVEX), rng.randint(1, ALL - 1), 1 << rng.randrange(13))) for _ in range(25)]
    return [(rng.randrange(size), mask, rng.randrange(size)) for mask in masks]


@pytest.mark.parametrize(("searched", "batch"), few([(96, 2048), (0, 2048), (0, 1), (3, 5), (1, 64)], 2))
def test_the_same_answers_as_with_a_closure(searched: int, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pathquestions, "SEARCHED", searched)
    monkeypatch.setattr(pathquestions, "BATCH", batch)
    rng = Random(searched * 10_000 + batch)
    for _ in range(300):
        network = random_network(rng)
        order = rng.sample(range(len(network.links)), len(network.links))
        naive, clever = GrowingGraph(network), LargeGraph(network, Budget())
        assert clever.walk(order) == list(naive.walk(order)), network.links
        questions = asked(rng, network)
        assert clever.entails_each(questions) == naive.entails_each(questions), network.links
        pairs = [(source, target) for source, _, target in questions]
        assert clever.strongest_each(pairs) == naive.strongest_each(pairs), network.links


def test_refused_links_are_those_of_a_walk_one_by_one() -> None:
    rng = Random(11)
    met = 0
    for _ in range(400):
        network = random_network(rng)
        masks = [each if rng.random() < 0.97 else 0 for _, each, _ in network.constraints]
        constraints = [(s, mask, t) for (s, _, t), mask in zip(network.constraints, masks, strict=True)]
        order = rng.sample(range(len(constraints)), len(constraints))
        naive = refused_links(constraints, order, Budget(), few=1000)
        assert refused_links(constraints, order, Budget(), few=0) == naive
        assert refused_links(constraints, order, Budget(), few=4) == naive
        met += len(naive) > 1
    assert met > 100


def test_questions_about_ages_are_those_of_the_graph_of_older_links() -> None:
    """A question about the links before one is the question about a graph that has only these links."""
    rng = Random(3)
    for _ in range(200):
        network = random_network(rng)
        whole = LargeGraph(network, Budget())
        verdicts = whole.walk(range(len(network.links)))
        kept = [each for each, verdict in zip(network.constraints, verdicts, strict=True) if verdict.value != "refuted"]
        size = len(network.entities)
        age = rng.randint(0, len(kept))
        young = PathQuestions(PointEdges.of(size, kept[:age]), whole.paths.ranks)
        questions = [
            PathQuestion(rng.randrange(2 * size), rng.randrange(2 * size), rng.random() < 0.5, len(kept))
            for _ in range(30)
        ]
        limited = [question._replace(before=age) for question in questions]
        assert whole.paths.answers(limited) == young.answers(questions)


def test_points_are_equal_since_the_link_that_joins_them() -> None:
    rng = Random(8)
    for _ in range(200):
        size = rng.randint(2, 30)
        pairs = [(rng.randrange(size), rng.randrange(size), age) for age in range(rng.randint(0, 2 * size))]
        equal = EqualPoints(size, pairs)
        parts = {point: {point} for point in range(size)}
        since: dict[tuple[int, int], int] = {}
        for left, right, age in pairs:
            whole = parts[left] | parts[right]
            if parts[left] is not parts[right]:
                since.update({(x, y): age for x in parts[left] for y in parts[right]})
                since.update({(y, x): age for x in parts[left] for y in parts[right]})
                parts.update(dict.fromkeys(whole, whole))
        for x in range(size):
            for y in range(size):
                assert equal.since(x, y) == (-1 if x == y else since.get((x, y)))


def test_large_documents_without_disjunctions_need_no_closure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "_MOST_ROWS", 3)
    large = Network.of([(f"e{number}", "b", f"e{number + 1}") for number in range(3)])
    disjunctive = Network.of([*large.links, ("e0", "b|bi", "e1")])
    assert isinstance(graph_for(large, Budget()), LargeGraph)
    assert isinstance(graph_for(disjunctive, Budget()), GrowingGraph)
    assert isinstance(graph_for(Network.of([("a", "b", "b")]), Budget()), GrowingGraph)


def test_every_atom_is_asked_about_both_ways() -> None:
    for atom in ATOMS:
        graph = LargeGraph(Network.of([("a", atom, "b")]), Budget())
        graph.walk([0])
        both = [int(Relation.of(atom)), int(Relation.of(atom).converse())]
        assert graph.strongest_each([(0, 1), (1, 0), (0, 0)]) == [*both, int(Relation.of("="))]
