"""Published digits of a neural system before decoding, and what decoding makes of them."""

import json

import pytest
from shared_data import shared

import temporacle as tp
from bench.tables.cogcomptime import argmax_of

pytestmark = pytest.mark.corpora
KEYS = ("accuracy", "precision", "recall", "f1")


def digits(gold, system):
    found = tp.score(gold, system, metric="pairs", convention="matres").to_dict()
    return [f"{found[key]:.4f}" for key in KEYS]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("seed102.matres", ["0.6989", "0.7042", "0.7981", "0.7482"]),
        ("seed102.tcr", ["0.7850", "0.7973", "0.7850", "0.7911"]),
    ],
)
def test_digits_before_and_after(name, printed):
    folder = shared("corpora", "scores")
    known = json.loads((folder / "expected.json").read_text("utf-8"))[name]["matres_scores"]
    gold = list(tp.read_corpus(folder / f"gold-{name.partition('.')[2]}.tsv", labels="matres"))
    for objective, key in (("logprob", "map_log"), ("prob", "map_sum")):
        found = tp.decode(folder / f"{name}.jsonl", objective=objective, labels="matres", alternatives=0)
        assert digits(gold, [argmax_of(each) for each in found]) == printed
        assert digits(gold, found.documents()) == [known[key][each] for each in KEYS]
