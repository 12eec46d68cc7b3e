"""Several answers about one document: consistency, agreement and consensus."""

import json
from fractions import Fraction
from random import Random

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.model import Document
from temporacle.tasks.check import agreement_of, check


@pytest.fixture
def answers(tmp_path):
    texts = [
        "a(1) before b(2)\nb(2) before c(3)",
        "b(2) after a(1)\nb(2) before c(3)",
        "a(1) after b(2)\nc(3) before b(2)",
    ]
    circle = "a(1) before b(2)\nb(2) before c(3)\nc(3) before a(1)"
    lines = [json.dumps({"document": "d", "labels": "matres", "text": text}) for text in [*texts, circle]]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def test_answers_are_compared(answers, capfd):
    assert run(["check", answers, "--answers", "--output", "json"]) == 1
    (row,) = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert (row["samples"], row["consistent"], row["rate"]) == (4, 3, 0.75)
    assert row["verdicts"] == ["consistent"] * 3 + ["inconsistent"]
    assert "contradict" in row["feedback"][3]
    labels = {(link["source"], link["label"], link["target"]) for link in row["consensus"]}
    assert {("1", "BEFORE", "2"), ("2", "BEFORE", "3")} <= labels


def test_the_table_fits_and_conflicts_are_sentences(answers, capfd):
    assert run(["check", answers, "--answers"]) == 1
    out, err = capfd.readouterr()
    assert "4 answers about 1 document: 3 consistent" in out
    assert "answer 4" in err


def test_samples_need_two_answers(tmp_path, capfd):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    assert run(["check", str(tmp_path / "d.tsv"), "--answers"]) == 2
    assert "two answers" in capfd.readouterr().err


def test_agreement_does_not_depend_on_directions_and_order():
    rng = Random(3)
    for _ in range(50):
        documents = []
        for _ in range(3):
            links = [(*rng.sample("abcd", 2), rng.choice(["b", "bi", "="])) for _ in range(3)]
            documents.append(Document("d", [(source, relation, target) for source, target, relation in links]))
        turned = [
            Document("d", [(link.target, link.relation.converse(), link.source) for link in reversed(each.links)])
            for each in documents
        ]
        assert agreement_of(documents) == agreement_of(turned) == agreement_of(documents[::-1])
        assert agreement_of([documents[0], turned[0]]) == 1


def test_the_consensus_is_consistent():
    circle = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]
    found = check([Document("d", circle), Document("d", circle)], answers=True).documents[0]
    links = [(link["source"], link["label"], link["target"]) for link in found.to_dict()["consensus"]]
    assert isinstance(tp.Oracle(links).consistency(), tp.Consistent)
    assert found.agreement == Fraction(1)
