"""Experiments: graphs as the papers describe them, statistics, and what the measurements must be."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from temporacle.experiments import awareness_decay, precision_noise, recall_decay
from temporacle.experiments.graphs import closed, independent_links, links_of, text_like_graph, uncertain_graph
from temporacle.experiments.outcome import Key, Settings, exponent, line_through, quiet
from temporacle.experiments.run import EXPERIMENTS, run_experiment
from temporacle.model import Document
from temporacle.reasoner.algebra import ALL, RelationClass, classify
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.results import Verdict
from temporacle.scoring.closed import CLOSURE
from temporacle.scoring.metric import PairOptions
from temporacle.scoring.reduction import METRIC as REDUCTION

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = Settings(seed=4, entities=5, graphs=2, samples=2)


# --- graphs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_an_uncertain_graph_is_convex_closed_and_relates_every_pair(seed):
    table = uncertain_graph(Random(seed), 10)
    links = links_of(table)
    assert len(links) == 45
    assert all(classify(link.relation) is RelationClass.CONVEX and link.relation != ALL for link in links)
    assert np.array_equal(closed(Network(links, table.entities)).rows, table.rows)


def test_uncertain_graphs_know_all_kinds_of_relations():
    found = {relation for seed in range(60) for _, relation, _ in uncertain_graph(Random(seed), 10).pairs()}
    assert sum(relation.bit_count() == 1 for relation in found) >= 9
    assert sum(relation.bit_count() > 1 for relation in found) >= 20


@pytest.mark.parametrize("seed", range(10))
def test_a_text_like_graph_is_consistent_connected_and_sparse(seed):
    document = text_like_graph(Random(seed), 30)
    assert Oracle(document).is_consistent()
    assert all(link.relation.bit_count() == 1 for link in document.links)
    assert 29 <= len(document.links) <= 60
    pairs = [frozenset((link.source, link.target)) for link in document.links]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize("seed", range(8))
def test_independent_links_say_all_and_none_follows_from_the_others(seed):
    table = uncertain_graph(Random(seed), 6)
    links = independent_links(links_of(table), table.entities, Random(seed))
    assert np.array_equal(closed(Network(links, table.entities)).rows, table.rows)
    for link in links:
        rest = Oracle(Network([other for other in links if other is not link], table.entities))
        assert rest.entails(link.source, link.relation, link.target) is not Verdict.ENTAILED


@pytest.mark.parametrize("seed", range(8))
def test_scores_of_closed_graphs_are_those_of_the_metrics(seed):
    random = Random(seed)
    table = uncertain_graph(random, 6)
    links = links_of(table)
    kept = random.sample(links, 9)
    answer = closed(Network(kept, table.entities))
    key = Key(table)
    gold, system = Document("d", tuple(links)), Document("d", tuple(links_of(answer)))
    if {end for link in system.links for end in (link.source, link.target)} != set(table.entities):
        pytest.skip("the metrics see only entities that links mention")
    for position, (metric, relaxed) in enumerate(((CLOSURE, False), (CLOSURE, True), (REDUCTION, False))):
        counts = metric.judge(gold, system, PairOptions(relaxed=relaxed)).counts
        assert key.recall(answer)[position] == pytest.approx(float(counts.recall(0)))
        assert key.precision(answer)[position] == pytest.approx(float(counts.precision(0)))


# --- statistics ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_lines_agree_with_numpy(seed):
    random = np.random.default_rng(seed)
    xs, ys = random.random(20), random.random(20)
    weights = random.integers(1, 5, 20)
    line = line_through(list(zip(xs, ys, strict=True)), list(weights))
    repeated_x, repeated_y = np.repeat(xs, weights), np.repeat(ys, weights)
    slope, intercept = np.polyfit(repeated_x, repeated_y, 1)
    assert (line.slope, line.intercept) == pytest.approx((slope, intercept))
    assert line.r_squared == pytest.approx(np.corrcoef(repeated_x, repeated_y)[0, 1] ** 2)


def test_a_parabola_is_no_line_and_constants_are():
    points = [(x / 20, 2 * x / 20 - (x / 20) ** 2) for x in range(21)]
    assert not line_through(points).is_straight
    assert line_through([(x, 0.5) for x in range(5)]).is_straight
    assert exponent([(x, 7.0 * x**1.5) for x in range(1, 9)]) == pytest.approx(1.5)
    assert line_through([]).r_squared == 0


# --- experiments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in {"timegraph-growth", "phase-transition"}])
def test_the_seed_decides_everything(name):
    assert run_experiment(name, SMALL, quiet) == run_experiment(name, SMALL, quiet)
    other = Settings(seed=5, entities=5, graphs=2, samples=2)
    assert run_experiment(name, SMALL, quiet).rows != run_experiment(name, other, quiet).rows


@pytest.mark.slow
def test_ten_graphs_of_ten_events_give_the_papers_number_of_incomplete_graphs():
    outcome = recall_decay.run(Settings())
    assert len(outcome.rows) == 2160
    assert {row[1] for row in outcome.rows} == {45}
    assert all(claim.holds for claim in outcome.claims)


def test_each_full_graph_gives_the_papers_number_of_incomplete_graphs():
    assert len(recall_decay.removals(45, Settings())) == 216


def test_recall_of_an_incomplete_graph_never_grows_above_one_and_ends_at_nothing():
    outcome = recall_decay.run(SMALL)
    for _, relations, removed, _, strict, relaxed, point in outcome.rows:
        assert 0 <= strict <= 1
        assert 0 <= relaxed <= 1
        assert 0 <= point <= 1
        if removed == relations:
            assert strict == point == 0


def test_disturbed_graphs_stay_consistent_and_differ_link_by_link():
    random = Random(2)
    table = uncertain_graph(random, 6)
    links = independent_links(links_of(table), table.entities, random)
    before = links
    steps = list(precision_noise.disturbances(links, table.entities, random))
    assert steps
    for after in steps:
        assert Oracle(Network(after, table.entities)).is_consistent()
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old.relation != new.relation]
        assert len(changed) == 1
        position = after.index(changed[0][1])
        assert not int(links[position].relation) & int(after[position].relation)
        before = after


def test_noise_is_never_entailed_and_changes_are_never_compatible():
    random = Random(3)
    document = text_like_graph(random, 12)
    oracle = Oracle(document)
    noise = awareness_decay.noise(oracle, 30, random)
    assert len({frozenset((link.source, link.target)) for link in noise}) == 30
    assert all(oracle.entails(link.source, link.relation, link.target) is not Verdict.ENTAILED for link in noise)
    changed = awareness_decay.changed(document.links, 5, random)
    differing = [pair for pair in zip(document.links, changed, strict=True) if pair[0] != pair[1]]
    assert len(differing) == 5
    assert all(not int(old.relation) & int(new.relation) for old, new in differing)
