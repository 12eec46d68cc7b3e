"""Documents fed to sessions link by link, with every step compared with fresh oracles (``fuzz.replay``).

``python -m fuzz.replay PATH... --random 200`` runs whole corpora.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from shared_data import shared
from shares import few

import temporacle as tp
from fuzz.replay import Replay, WrongAnswerError, random_network
from temporacle.reasoner.conflicts.reasons import PairReasons
from temporacle.reasoner.editor import Moment, RedundancyFinder

CORPORA = ("te3-platinum", "timebank-dense", "caevo-annotators")


def replay(document, seed, *, links=None, checks=0.3):
    run = Replay(replace(document, links=document.links[:links]), Random(seed), checks=checks)
    run.run()
    return run.figures


def corpus(name):
    return [each for each in tp.read_corpus(shared("corpora", name)) if isinstance(each, tp.Document)]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CORPORA)
def test_documents_of_corpora(name):
    document = max(corpus(name)[:5], key=lambda each: len(each.links))
    figures = replay(document, name, links=25)
    assert figures["add"] >= 25
    assert figures["pairs"]


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_more_documents_of_corpora(name):
    documents = corpus(name)
    for document in Random(name).sample(documents, 5):
        assert replay(document, document.id, links=70, checks=0.1)["steps"]


@pytest.mark.parametrize("seed", few(range(6)))
def test_random_disjunctions(seed):
    replay(random_network(Random(f"quick {seed}")), seed, links=25)


@pytest.mark.slow
def test_more_random_disjunctions():
    met = Counter()
    for seed in range(30):
        met += replay(random_network(Random(f"slow {seed}")), seed, links=30)
    assert min(met[kind] for kind in ("consistent", "inconsistent", "remove", "relabel", "undo", "redo", "why_not")) > 3


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [
        (Moment, "is_consistent", property(lambda moment: len(moment.links) < 8)),
        (Moment, "strongest", lambda *_: tp.Relation("b")),
        (RedundancyFinder, "find", lambda _finder, network, *_: [False] * len(network.links)),
        (PairReasons, "behind", lambda reasons, _relation: reasons._network.links),
    ],
)
def test_wrong_answers_are_noticed(monkeypatch, kind, name, wrong):
    monkeypatch.setattr(kind, name, wrong)
    with pytest.raises((WrongAnswerError, tp.InternalError)):
        replay_all(20)


def replay_all(count):
    for seed in range(count):
        replay(random_network(Random(f"quick {seed}")), seed, checks=1)
