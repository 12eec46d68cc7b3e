"""Scores that another engine than exact decides: the same counts, the engine in the signature, and its limits."""

import json
import random

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.model import Document, Link
from temporacle.reasoner.reference.engines import DECIDING
from temporacle.relation import Relation
from temporacle.scoring.metric import Contradictions, Deciding, metric_named

CHAIN = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]
METRICS = ("awareness", "closure", "core", "reduction", "timeline")


def test_the_choices_are_the_engines_that_decide():
    assert tuple(Deciding) == DECIDING


def some_document(dice, size):
    names = "abcde"[:size]
    masks = [1 << dice.randrange(13) if dice.random() < 0.5 else dice.randrange(1, 1 << 13) for _ in range(size + 2)]
    links = [Link(f"l{n}", dice.choice(names), Relation(mask), dice.choice(names)) for n, mask in enumerate(masks)]
    return Document("d", links)


@pytest.mark.parametrize(("engine", "cases", "size"), [("cpsat", 8, 4), ("enumeration", 15, 3)])
@pytest.mark.parametrize("metric", METRICS)
def test_all_engines_give_the_same_score(metric, engine, cases, size):
    made = metric_named(metric)
    for seed in range(cases):
        dice = random.Random(f"{metric}{engine}{seed}")
        gold, system = some_document(dice, size), some_document(dice, size)
        judged = [
            made.judge(gold, system, made.options(details=True, rows=True, engine=Deciding(each)))
            for each in ("exact", engine)
        ]
        assert judged[0] == judged[1], seed


@pytest.mark.parametrize("engine", ["cpsat", "enumeration"])
@pytest.mark.parametrize("metric", METRICS)
def test_another_engine_decides_alone(metric, engine, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("the graph of the engine exact was asked")

    made = metric_named(metric)
    gold, system = Document("d", CHAIN), Document("d", [CHAIN[0], ("b", "b|m", "d"), ("d", "BEFORE", "a")])
    for place in ("linkgraph.IncrementalClosure", "judged.tighten", "judged.graph_of"):
        monkeypatch.setattr(f"temporacle.reasoner.{place}", fail)
    with pytest.raises(AssertionError, match="exact was asked"):
        made.judge(gold, system, made.options())
    assert made.judge(gold, system, made.options(engine=Deciding(engine))).counts


def test_the_signature_names_the_engine():
    exact, other = tp.score(CHAIN, CHAIN[:2]), tp.score(CHAIN, CHAIN[:2], engine="cpsat")
    assert other.signature == exact.signature.replace("engine:exact", "engine:cpsat")
    assert exact.signature != other.signature
    assert (other.f1, other.counts) == (exact.f1, exact.counts)


@pytest.mark.parametrize(
    "options",
    [
        {"calendar": "within"},
        {"contradictions": Contradictions.REPAIR.value},
        {"certificate": "proof.json"},
        {"certificates": "proofs"},
        {"metric": "closure", "contradictions": "repair"},
        {"metric": "tempeval1"},
    ],
)
def test_what_only_exact_does_is_refused(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    for engine in ("cpsat", "enumeration", "propagation"):
        with pytest.raises(tp.UsageError, match="engine"):
            tp.score(CHAIN, CHAIN, engine=engine, **options)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "small.tsv").write_text("a\tBEFORE\tb\n")
        (tmp_path / side / "large.tsv").write_text("".join(f"e{n}\tBEFORE\te{n + 1}\n" for n in range(6)))
    return tmp_path


def test_a_document_that_is_too_large_is_undecided_in_a_corpus(corpora, capsys):
    asked = ["--engine", "enumeration", "--allow", "same-input", "--output", "json"]
    assert run(["score", "gold", "system", *asked]) == 3
    total = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [each["document"] for each in total["skipped"]] == ["large"]
    assert "up to 6 entities, but there are 7" in total["skipped"][0]["reason"]
    assert "engine:enumeration" in total["signature"]
    assert "undecided:1@" in total["signature"]


def test_an_only_document_that_is_too_large_is_refused(corpora, capsys):
    assert run(["score", "gold/large.tsv", "system/large.tsv", "--engine", "enumeration"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "up to 6 entities, but there are 7" in told.err
    assert run(["score", "gold/small.tsv", "system/small.tsv", "--engine", "enumeration"]) == 0
    with pytest.raises(tp.UsageError, match="up to 6 entities"):
        tp.score("gold/large.tsv", "system/large.tsv", engine="enumeration")


def test_agreement_is_decided_by_the_engine(corpora):
    first, second = [*CHAIN, ("d", "b|m", "e")], CHAIN[:2]
    exact, other = tp.agree(first, second), tp.agree(first, second, engine="cpsat")
    assert other.closed == exact.closed
    assert "engine:cpsat" in other.between[0].forward.signature
