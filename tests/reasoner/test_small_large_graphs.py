"""The parts of judging large documents, each against its definition on a few tiny graphs at a time."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from convex_links import AFTER, CONVEX, NOT_LATER, true_links

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.linkgraph import GrowingGraph
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points import growing as refused
from temporacle.reasoner.points import large as pathquestions
from temporacle.reasoner.points.graph import Contradiction, hull_edges, model_of
from temporacle.reasoner.points.growing import refused_links
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.large import (
    EqualPoints,
    LargeGraph,
    PathQuestion,
    PathQuestions,
    PointEdges,
)
from temporacle.reasoner.points.large_reduction import SparseReduction
from temporacle.relation import EQUAL, Relation
from temporacle.results import Verdict


def edges_of(entities, links):
    """(source, target, strict, age) of the points, one by one."""
    yield from ((2 * entity, 2 * entity + 1, 1, -1) for entity in range(entities))
    for age, (source, mask, target) in enumerate(links):
        if source != target:
            points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
            yield from ((points[x], points[y], int(strict), age) for x, y, strict in hull_edges(mask))


def has_path(edges, question):
    """The definition: all walks, with whether they were strict."""
    source, target, strict, before, indirect = question
    usable = [
        (x, y, edge_strict)
        for x, y, edge_strict, age in edges
        if age < before and not (indirect and (x, y) == (source, target))
    ]
    reached = {(source, 0)}
    while True:
        new = {(y, s | edge_strict) for point, s in reached for x, y, edge_strict in usable if x == point} - reached
        if not new:
            break
        reached |= new
    return (target, 1) in reached or (not strict and (target, 0) in reached)


def test_edges_are_those_of_single_links():
    rng = Random("edges")
    for _ in range(20):
        entities = rng.randint(1, 4)
        links = true_links(rng, entities, rng.randint(0, 6))
        columns = PointEdges.of(entities, links)
        assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == sorted(edges_of(entities, links))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("searched", "batch"), [(96, 2048), (0, 2048), (2, 3), (5, 1)])
def test_paths_are_those_of_the_definition(seed, searched, batch, monkeypatch):
    monkeypatch.setattr(pathquestions, "SEARCHED", searched)
    monkeypatch.setattr(pathquestions, "BATCH", batch)
    rng = Random(f"paths {seed}")
    for _ in range(4):
        entities = rng.randint(2, 5)
        links = true_links(rng, entities, rng.randint(1, 9))
        edges = list(edges_of(entities, links))
        ranks = model_of(graph_of(entities, links).condense())
        paths = PathQuestions(PointEdges.of(entities, links), ranks, Budget())
        ends = [*product(range(2 * entities), repeat=2)]
        questions = [PathQuestion(x, y, rng.random() < 0.5, rng.randint(0, len(links))) for x, y in ends]
        expected = [has_path(edges, question) for question in questions]
        assert paths.answers(questions) == expected, links
        groups = [rng.sample(range(len(questions)), rng.randint(0, 3)) for _ in range(9)]
        found = paths.all_of((questions[number] for number in group) for group in groups)
        assert found == [all(expected[number] for number in group) for group in groups]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("searched", "batch"), [(96, 2048), (0, 2048), (2, 3)])
def test_ways_round_an_edge_are_those_of_the_definition(seed, searched, batch, monkeypatch):
    """For graphs without cycles: the edges between the two points do not count."""
    monkeypatch.setattr(pathquestions, "SEARCHED", searched)
    monkeypatch.setattr(pathquestions, "BATCH", batch)
    rng = Random(f"indirect {seed}")
    for _ in range(6):
        size = rng.randint(2, 7)
        pairs = [tuple(sorted(rng.sample(range(size), 2))) for _ in range(rng.randint(1, 12))]
        edges = [(x, y, rng.randrange(2), 0) for x, y in dict.fromkeys(pairs)]
        columns = PointEdges(*(pathquestions.np.array(column) for column in zip(*edges, strict=True)))
        paths = PathQuestions(columns, range(size))
        questions = [
            PathQuestion(x, y, strict, 1, indirect)
            for (x, y), strict, indirect in product(pairs, (False, True), (False, True))
        ]
        assert paths.answers(questions) == [has_path(edges, question) for question in questions], edges


def swept(entities, links, questions, monkeypatch):
    """The answers without any search."""
    monkeypatch.setattr(pathquestions, "SEARCHED", 0)
    ranks = model_of(graph_of(entities, links).condense())
    return PathQuestions(PointEdges.of(entities, links), ranks).answers(questions)


def test_a_question_that_is_answered_does_not_stop_others(monkeypatch):
    """The first one passes by the points of the second one after it has its answer."""
    links = [(0, 1, 2), (1, int(EQUAL), 2)]  # 0 before 2, and 1 = 2: the points of 1 and 2 are visited together
    assert swept(3, links, [PathQuestion(0, 1, True, 2), PathQuestion(2, 3, True, 0)], monkeypatch) == [True, True]


@pytest.mark.parametrize("seed", range(4))
def test_short_searches_need_no_sweep(seed, monkeypatch):
    monkeypatch.setattr(PathQuestions, "_sweep", None)  # calling it would be an error
    rng = Random(f"no sweep {seed}")
    for _ in range(4):
        links = true_links(rng, 3, rng.randint(1, 6))
        edges = list(edges_of(3, links))
        paths = PathQuestions(PointEdges.of(3, links), model_of(graph_of(3, links).condense()))
        questions = [
            PathQuestion(x, y, strict, rng.randint(0, len(links)))
            for x, y, strict in product(range(6), range(6), (False, True))
        ]
        assert paths.answers(questions) == [has_path(edges, question) for question in questions]


@pytest.mark.parametrize(
    ("mask", "strict", "target", "searched"), [(1, True, 11, 9), (1, False, 11, 9), (NOT_LATER, False, 10, 4)]
)
def test_two_searches_meet_in_the_middle(mask, strict, target, searched, monkeypatch):
    """Neither comes to the end of the chain alone."""
    monkeypatch.setattr(PathQuestions, "_sweep", None)
    links = [(entity, mask, entity + 1) for entity in range(5)]
    paths = PathQuestions(PointEdges.of(6, links), model_of(graph_of(6, links).condense()))
    question = PathQuestion(0, target, strict, 5)
    monkeypatch.setattr(pathquestions, "SEARCHED", searched)
    assert not isinstance(paths._after.search(question, pathquestions.SEARCHED), bool)
    assert not isinstance(
        paths._before.search(question._replace(source=target, target=0), pathquestions.SEARCHED), bool
    )
    assert paths.answers([question]) == [True]


@pytest.mark.parametrize("searched", [0, 96])
def test_points_that_several_links_make_equal(searched, monkeypatch):
    monkeypatch.setattr(pathquestions, "SEARCHED", searched)
    links = [(0, NOT_LATER, 1), (1, NOT_LATER, 0)]
    ranks = model_of(graph_of(2, links).condense())
    assert ranks[0] == ranks[2]
    paths = PathQuestions(PointEdges.of(2, links), ranks)
    asked = [PathQuestion(x, y, False, before) for before in (1, 2) for x, y in ((0, 2), (2, 0))]
    assert paths.answers(asked) == [True, False, True, True]


@pytest.mark.parametrize("seed", range(6))
def test_equal_points_are_found_in_few_steps(seed):
    """However links come, a point of n is at most log2(n) steps below its root."""
    rng = Random(f"depth {seed}")
    size = 64
    pairs = [(number, number + 1) for number in range(size - 1)]
    if seed > 2:
        rng.shuffle(pairs)
    if seed % 3:
        pairs = [pair[::-1] for pair in pairs]
    equal = EqualPoints(size, [(*pair, age) for age, pair in enumerate(pairs)])
    above = list(range(size))
    for _ in range(6):
        above = [equal._parent[point] for point in above]
    assert above == [equal._root(point) for point in range(size)]


class _Counted(list):
    """A list that counts how often it is looked at."""

    looks = 0

    def __getitem__(self, place):
        self.looks += 1
        return super().__getitem__(place)


@pytest.mark.parametrize("searched", [0, 1, 5, 17])
def test_a_search_looks_at_few_edges(searched, monkeypatch):
    """Of a point with many neighbours, only as many are looked at as a search may."""
    monkeypatch.setattr(pathquestions, "SEARCHED", searched)
    size = 40
    links = [(0, 1, entity) for entity in range(1, size)]
    paths = PathQuestions(PointEdges.of(size, links), model_of(graph_of(size, links).condense()))
    counted = _Counted(paths._after.ages)
    found = paths._after._replace(ages=counted).search(
        PathQuestion(0, 2 * size - 1, True, len(links)), pathquestions.SEARCHED
    )
    assert counted.looks <= searched
    assert isinstance(found, set), "a search that was cut knows no answer"


def test_time_limits_questions_and_sweeps(monkeypatch):
    links = [(0, 1, 1), (1, 1, 2)]
    for searched in (0, 96):
        monkeypatch.setattr(pathquestions, "SEARCHED", searched)
        paths = PathQuestions(PointEdges.of(3, links), range(6), Budget(-1))
        with pytest.raises(BudgetExceeded):
            paths.answers([PathQuestion(0, 5, True, 2)])
    with pytest.raises(BudgetExceeded):
        paths._sweep([PathQuestion(0, 5, True, 2)])
    with pytest.raises(BudgetExceeded):
        refused_links(links, [0, 1], Budget(-1))
    with pytest.raises(BudgetExceeded):
        SparseReduction(Network.of([("a", "b", "b")]), Budget(-1))


def random_links(rng, entities, count):
    """True links, a few of which are exchanged for others, which often contradict the rest."""
    links = true_links(rng, entities, count)
    return [
        (rng.randrange(entities), rng.choice([0, *CONVEX]), rng.randrange(entities)) if rng.random() < 0.3 else each
        for each in links
    ]


def contradicted(entities, links, order):
    """The definition: close the links that were kept so far together with each link."""
    kept, refused = [], set()
    for number in order:
        source, mask, target = links[number]
        fits = mask and (source != target or mask & EQUAL)
        if fits and source != target:
            try:
                graph_of(entities, [*kept, links[number]]).condense()
            except Contradiction:
                fits = False
        if fits:
            kept.append(links[number])
        else:
            refused.add(number)
    return refused


@pytest.mark.parametrize("seed", range(8))
def test_links_are_refused_if_they_contradict_those_before_them(seed):
    rng = Random(f"refused {seed}")
    for _ in range(8):
        entities = rng.randint(2, 6)
        links = random_links(rng, entities, rng.randint(1, 12))
        order = rng.sample(range(len(links)), rng.randint(1, len(links)))
        expected = contradicted(entities, links, order)
        for few in (0, 3, 300):
            assert refused_links(links, order, Budget(), few=few) == expected, (links, order)


@pytest.mark.parametrize("few", [0, 300])
def test_what_does_not_matter_is_looked_at_once(few, monkeypatch):
    """Of a long document, only the few links around a contradiction are looked at again.

    A chain that begins there, and entities that are equal, do not matter.
    """
    ring = [(100, 1, 101), (101, 1, 102), (102, 1, 100)]
    others = [(100, 1, 0), (101, 1, 5), *((entity, 1, entity + 1) for entity in range(40))]
    others += [(entity, int(EQUAL), entity + 1) for entity in range(200, 240)]
    looked = []
    honest = refused._entangled
    monkeypatch.setattr(
        refused, "_entangled", lambda fixed, links: looked.append(len(fixed) + len(links)) or honest(fixed, links)
    )
    links = [*others, *ring]
    assert refused_links(links, range(len(links)), Budget(), few=few) == {len(links) - 1}
    assert looked[0] == len(links)
    assert sum(looked[1:]) <= (10 if few == 0 else 0)
    looked.clear()
    assert refused_links(others, range(len(others)), Budget(), few=few) == set()
    assert looked == [len(others)]


@pytest.mark.parametrize("seed", range(8))
def test_large_and_small_graphs_agree(seed):
    rng = Random(f"agree {seed}")
    for _ in range(5):
        entities = rng.randint(2, 5)
        names = [f"e{number}" for number in range(entities)]
        links = [each for each in random_links(rng, entities, rng.randint(1, 9)) if each[1]]
        network = Network.of([(names[s], Relation(mask), names[t]) for s, mask, t in links])
        size = len(network.entities)
        small, large = GrowingGraph(network), LargeGraph(network, Budget())
        verdicts = list(small.walk(range(len(links))))
        assert large.walk(range(len(links))) == verdicts
        pairs = [*product(range(size), repeat=2)]
        strongest = [small.strongest(*pair) for pair in pairs]
        assert large.strongest_each(pairs) == small.strongest_each(pairs) == strongest
        asked = [
            (x, rng.choice([0, ALL, known, known & ~EQUAL, known | AFTER, rng.choice(CONVEX), rng.randint(1, ALL)]), y)
            for (x, y), known in zip(pairs, strongest, strict=True)
        ]
        expected = [not known & ~mask for known, (_, mask, _) in zip(strongest, asked, strict=True)]
        assert large.entails_each(asked) == small.entails_each(asked) == expected, (links, asked)
        assert verdicts.count(Verdict.REFUTED) == len(contradicted(entities, links, range(len(links))))
