"""The experiment phase-transition, with a program that stands in for GQR."""

import sys
from dataclasses import replace
from random import Random

import pytest

from temporacle.errors import InternalError, UsageError
from temporacle.experiments import phase_transition
from temporacle.experiments.graphs import hard_network
from temporacle.experiments.outcome import Settings
from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.oracle import Oracle

SMALL = Settings(seed=3, entities=8, graphs=2)


@pytest.fixture(autouse=True)
def _without_gqr(monkeypatch):
    monkeypatch.delenv("GQR", raising=False)


def stand_in(tmp_path, monkeypatch, body):
    """A program that is called as GQR is."""
    script = tmp_path / "gqr"
    script.write_text(f"#!{sys.executable}\nimport sys\nassert sys.argv[1:4] == ['c', '-C', 'allen']\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("GQR", str(script))


def settled(outcome):
    """What the seed fixes."""
    return [row[:6] for row in outcome.rows]


def test_networks_are_drawn_as_described():
    random = Random(1)
    networks = [hard_network(random, family, 30, 9.5, "d") for family in "AH" for _ in range(10)]
    for network in networks:
        assert network.entity_ids == tuple(map(str, range(30)))
        assert 90 < len(network.links) < 200  # 142 on average
        assert all(link.relation for link in network.links)
    labels = [[link.relation for network in part for link in network.links] for part in (networks[:10], networks[10:])]
    assert all(classify(label) is RelationClass.GENERAL for label in labels[1])
    assert 6 < sum(label.bit_count() for label in labels[0]) / len(labels[0]) < 7
    assert any(classify(label) is not RelationClass.GENERAL for label in labels[0])


def test_the_seed_fixes_all_but_the_seconds():
    first, second = phase_transition.run(SMALL), phase_transition.run(SMALL)
    assert settled(first) == settled(second)
    assert settled(first) != settled(phase_transition.run(replace(SMALL, seed=4)))
    assert first.columns[-3:] == ("exact_seconds", "ord-horn_seconds", "cpsat_seconds")
    assert {row[0] for row in first.rows} == {"A", "H"}
    assert len(first.figures) == 3
    assert all(row[4] <= row[5] for row in first.rows)  # what is consistent is not refuted


@pytest.mark.slow
def test_gqr_runs_beside_ours(tmp_path, monkeypatch):
    honest = """
from temporacle.io import read_corpus
from temporacle.reasoner.oracle import Oracle
for each in read_corpus(sys.argv[4]): print(f"#{each.id}: {int(Oracle(each).is_consistent())}")
"""
    stand_in(tmp_path, monkeypatch, honest)
    networks = [hard_network(Random(7), "A", 8, 7, "same") for _ in range(3)]
    answers = phase_transition.ask(phase_transition.program(), networks, 60)
    assert answers.consistent == tuple(Oracle(network).is_consistent() for network in networks)
    assert answers.seconds > 0
    outcome = phase_transition.run(replace(SMALL, graphs=1))
    assert outcome.columns[-1] == "gqr_seconds"


def test_a_program_that_disagrees_ends_the_experiment(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, "print('#0: 0')")
    with pytest.raises(InternalError, match="disagree"):
        phase_transition.run(SMALL)


def test_a_program_that_fails_or_hangs(tmp_path, monkeypatch):
    network = hard_network(Random(7), "A", 5, 3, "d")
    stand_in(tmp_path, monkeypatch, "sys.exit('no calculus')")
    with pytest.raises(UsageError, match="no calculus"):
        phase_transition.ask(phase_transition.program(), [network], 60)
    stand_in(tmp_path, monkeypatch, "import time; time.sleep(60)")
    assert phase_transition.ask(phase_transition.program(), [network], 0.5).consistent == (None,)
    with pytest.raises(UsageError, match="cannot be run"):
        phase_transition.ask(str(tmp_path / "none"), [network], 60)
