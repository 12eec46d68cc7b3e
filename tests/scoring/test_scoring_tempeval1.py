"""TempEval-1: weights, totals, tasks."""

import json
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from scoring.sides import counts, document
from shared_data import shared

import temporacle as tp
from temporacle.readings import load_reading
from temporacle.scoring.tempeval1 import TempEval1Options, judge, weights

LABELS = ("BEFORE", "OVERLAP", "AFTER", "BEFORE-OR-OVERLAP", "OVERLAP-OR-AFTER", "VAGUE")


def links(*labels):
    """Links e0 -> t, e1 -> t, ... with these labels of the task."""
    reading = load_reading("tempeval")
    found = document([(f"e{k}", reading.relation(label), "t") for k, label in enumerate(labels)]).links
    return [link._replace(label=label) for link, label in zip(found, labels, strict=True)]


def test_the_three_labels_are_disjoint_and_cover_everything():
    before, overlap, after = (load_reading("tempeval").relation(label) for label in LABELS[:3])
    assert before | overlap | after == load_reading("tempeval").relation("VAGUE")
    assert not before & overlap
    assert not before & after
    assert not overlap & after


def test_weights_are_symmetric_and_whole_on_the_diagonal():
    table = weights()
    assert all(table[key, answer] == table[answer, key] for key, answer in table)
    assert all(weight == 1 for (key, answer), weight in table.items() if key == answer)


def test_all_36_pairs_of_labels():
    key = links(*(label for label in LABELS for _ in LABELS))
    answer = links(*(label for _ in LABELS for label in LABELS))
    assert counts("tempeval1", key, answer).precision_matched == 6
    assert counts("tempeval1", key, answer, relaxed=True).precision_matched == Fraction("15.66")


def test_answering_vague_everywhere_is_worth_a_third():
    key = links("BEFORE", "OVERLAP", "AFTER")
    assert counts("tempeval1", key, links(*["VAGUE"] * 3), relaxed=True).precision(0) == Fraction("0.33")
    assert counts("tempeval1", key, links(*["VAGUE"] * 3)).precision(0) == 0


def test_every_answer_is_in_the_denominator_and_unanswered_pairs_are_not():
    found = counts("tempeval1", links("BEFORE", "AFTER", "NONE"), links("BEFORE", "NONE", "AFTER", "OVERLAP"))
    assert (found.precision_matched, found.system_total, found.gold_total) == (1, 3, 2)


def test_no_inference_but_either_direction():
    chain = [("a", "b|m", "b"), ("b", "b|m", "c")]
    found = counts("tempeval1", chain, [("b", "bi|mi", "a"), ("a", "b|m", "c")])
    assert (found.precision_matched, found.recall_matched) == (1, 1)


def test_tasks_are_told_apart():
    gold = [link._replace(task=task) for link, task in zip(links("BEFORE", "AFTER"), "AB", strict=True)]
    system = [link._replace(task=task) for link, task in zip(links("BEFORE", "BEFORE"), "AB", strict=True)]
    by_task = judge(document(gold), document(system), TempEval1Options()).breakdown["task"]
    assert (by_task["A"].precision(0), by_task["B"].precision(0)) == (1, 0)


MEANS = {
    "BEFORE": "B",
    "OVERLAP": "O",
    "AFTER": "A",
    "BEFORE-OR-OVERLAP": "BO",
    "OVERLAP-OR-AFTER": "OA",
    "VAGUE": "BOA",
}
TURNED = {"BEFORE": "AFTER", "AFTER": "BEFORE", "BEFORE-OR-OVERLAP": "OVERLAP-OR-AFTER"}
TURNED["OVERLAP-OR-AFTER"] = "BEFORE-OR-OVERLAP"
CREDIT = {(1, 2): "0.5", (2, 2): "0.5", (1, 3): "0.33", (2, 3): "0.67"}  # by how many labels two different ones mean


def credit(key, answer, *, relaxed):
    """The weight of two labels as the task's description gives it."""
    if key == answer or not relaxed:
        return Fraction(key == answer)
    is_partial = set(MEANS[key]) & set(MEANS[answer])
    return Fraction(CREDIT[tuple(sorted((len(MEANS[key]), len(MEANS[answer]))))] if is_partial else 0)


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_random_sides_count_what_the_description_says(seed, relaxed):
    rng = Random(seed)
    reading = load_reading("tempeval")
    key, answer = (
        {pair: rng.choice(LABELS) for pair in combinations("abcde", 2) if rng.random() < 0.7} for _ in range(2)
    )

    def stated(side):
        ends = [(pair, label) if rng.random() < 0.5 else (pair[::-1], TURNED.get(label, label)) for pair, label in side]
        found = document([(x, reading.relation(label), y) for (x, y), label in ends]).links
        return [link._replace(label=label) for link, (_, label) in zip(found, ends, strict=True)]

    found = counts("tempeval1", stated(key.items()), stated(answer.items()), relaxed=relaxed)
    matched = sum(credit(key[pair], answer[pair], relaxed=relaxed) for pair in key.keys() & answer.keys())
    assert (found.precision_matched, found.recall_matched) == (matched, matched)
    assert (found.gold_total, found.system_total) == (len(key), len(answer))


@pytest.mark.corpora
@pytest.mark.parametrize("case", ["c1_all_36_pairs", "c2_all_36_single_files", "c9_all_vague_core_key"])
@pytest.mark.parametrize("mode", ["strict", "relaxed"])
def test_recall_is_the_official_one_where_nothing_is_odd(case, mode):
    """Precision is not: the official program divides by common pairs."""
    folder = shared("golden", "tempeval1", case)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[mode]
    sides = [str(folder / side) for side in ("key", "response")]
    total = tp.score(*sides, metric="tempeval1", relaxed=mode == "relaxed", keep_unknown=True)
    assert float(total.counts.recall_matched) == pytest.approx(expected["correct"])
    assert total.counts.gold_total == expected["reference"]
