"""Answers of language models scored by every metric: what cannot be used is counted, and nothing is refused."""

import json
from random import Random

import pandas as pd
import pytest
from shared_data import shared

import temporacle as tp
from temporacle.scoring.metric import METRICS

ASKED = [["1", "2"], ["2", "3"]]
ANSWERS = [
    {
        "document": "d1",
        "labels": "matres",
        "asked": ASKED,
        "text": "left(1) before docked(2)\ndocked(2) after sailed(3)",
    },
    {"document": "d2", "labels": "matres", "text": "I am sorry, I cannot tell."},
    {"document": "d3", "labels": "matres", "text": ""},
    {"document": "d4", "labels": "matres", "text": "left(1) during docked(2)\nghost(9) before docked(2)"},
    {"document": "d5", "labels": "matres", "text": 12},
    {"document": "d6", "labels": "matres", "text": "ghost(8) before ghost(9)"},
]
GOLD = [("d1", "1", "BEFORE", "2"), ("d1", "2", "AFTER", "3")]
GOLD += [(f"d{number}", "1", "BEFORE", "2") for number in range(2, 7)]


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in ANSWERS))
    return path


def gold_frame(rows=GOLD):
    return pd.DataFrame(rows, columns=["document", "source", "relation", "target"])


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "timeline"])
def test_every_metric_scores_them(answers, metric):
    found = tp.score(gold_frame(), answers, metric=metric)
    assert found.scored == 6
    assert found.skipped == ()
    assert found.skipped_links["system"] == {"no-answer": 3, "unknown-id": 2}
    assert found.documents[0].f1 == 1
    assert [each.f1 for each in found.documents if each.document != "d4"][1:] == [0] * 4
    assert "skipped:0/5" in found.signature


def test_pairs_without_an_answer_are_missing(answers):
    found = tp.score(gold_frame(), answers, metric="pairs")
    assert found.counts.coverage() == {"asked": 7, "answered": 2, "answered_twice": 0}
    assert any("'DURING'" in remark.message for remark in found.warnings)
    assert tp.official("matres", gold_frame(), answers).total["answered"] == 2


def test_labels_are_those_of_gold(answers):
    rows = [
        (document, source, "b" if relation == "BEFORE" else "bi", target) for document, source, relation, target in GOLD
    ]
    assert tp.score(gold_frame(rows), answers).f1 == tp.score(gold_frame(), answers).f1 > 0


@pytest.mark.corpora
def test_mutated_answers_never_raise(tmp_path):
    random = Random(37)
    lines = [json.loads(line) for line in shared("corpora", "llm", "outputs.jsonl").read_text("utf-8").splitlines()]
    gold = [(each["document"], *pair[:1], "BEFORE", *pair[1:]) for each in lines for pair in each["asked"]]
    for _ in range(60):
        for each in lines:
            text = list(each["text"])
            for _ in range(random.randint(0, 6)):
                place = random.randrange(len(text) + 1)
                text[place : place + random.randint(0, 9)] = random.choice(
                    ["", "(", "before", "}", "{", '"', "\n", "9"]
                )
            each["text"] = "".join(text)
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
        for metric in ("pairs", "awareness"):
            assert tp.score(gold_frame(gold), path, metric=metric).scored == len({row[0] for row in gold})
