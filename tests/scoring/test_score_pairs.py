"""Rows of pairs add up to the counts of the score, and tables by label, kind and distance come from them."""

import csv
import json
from random import Random

import pandas as pd
import pytest
from shared_data import shared

import temporacle as tp
from temporacle.cli import run

LABELS = ["BEFORE", "AFTER", "INCLUDES", "SIMULTANEOUS"]
METRICS = {
    "awareness": {},
    "closure": {},
    "core": {},
    "tempeval1": {},
    "pairs": {"convention": ["tbdense", "end-to-end", "tieval", "maven-ere"]},
}
FERRY = "examples/corpus/ferry.tml"


def random_links(random, names="abcdef"):
    links = {}
    for _ in range(random.randint(1, 7)):
        source, target = random.sample(names, 2)
        links.setdefault(frozenset((source, target)), (source, random.choice(LABELS), target))
    return list(links.values())


@pytest.mark.parametrize("metric", METRICS)
def test_rows_add_up_to_the_counts(metric):
    random = Random(metric)
    for _ in range(30):
        gold = [tp.Document(f"d{k}", random_links(random)) for k in range(2)]
        system = [tp.Document(f"d{k}", random_links(random)) for k in range(2)]
        for convention in METRICS[metric].get("convention", [None]):
            more = {} if convention is None else {"convention": convention}
            more |= {"label_set": "tbdense"} if convention == "end-to-end" else {}
            if convention == "maven-ere":  # it has other labels
                gold, system = (
                    [tp.Document(each.id, [(x.source, "BEFORE", x.target) for x in each.links]) for each in side]
                    for side in (gold, system)
                )
            found = tp.score(gold, system, metric=metric, details=True, **more)
            frame = found.pairs()
            assert {"document", "source", "target", "gold", "system", "correct"} <= set(frame.columns)
            said = [row.follows_in_gold for each in found.documents for row in each.rows]
            asked = [row.follows_in_system for each in found.documents for row in each.rows]
            if metric == "pairs":
                assert len(frame) == found.counts.examples + (convention == "tieval") * found.counts.extra
                assert frame["correct"].sum() == found.counts.agreed
            else:
                counts = found.counts
                assert (said.count(True), len(said) - said.count(None)) == (
                    counts.precision_matched,
                    counts.system_total,
                )
                assert (asked.count(True), len(asked) - asked.count(None)) == (counts.recall_matched, counts.gold_total)
            if {True, False} & {*said, *asked}:
                by_label = found.by_label()
                assert by_label["system_total"].sum() == len(said) - said.count(None)
                assert by_label["recall_matched"].sum() == asked.count(True)
                assert found.confusion().drop(columns="gold").to_numpy().sum() >= len(frame) - found.counts.gold_size()


@pytest.mark.parametrize(
    "convention", ["matres", "matres-econet", "matres-gold-nonvague", "tbdense-no-vague", "end-to-end", "tieval"]
)
def test_pairs_add_up_to_precision_and_recall_by_every_convention(convention):
    random = Random(convention)
    labels = ["BEFORE", "AFTER", "EQUAL", "VAGUE"]
    for _ in range(40):
        gold, system = (
            {
                f"d{number}": [
                    (pair[0], random.choice(labels), pair[1])
                    for pair in ("ab", "bc", "cd", "ad", "ae")
                    if random.random() < 0.8
                ]
                for number in range(3)
            }
            for _ in range(2)
        )
        if not all(map(all, (gold.values(), system.values()))):
            continue
        found = tp.score(gold, system, metric="pairs", convention=convention, details=True)
        table, counts = found.pairs(), found.counts
        for side, right, total in (("gold", "correct", "predicted"), ("system", "correct", "gold")):
            judged = table[f"follows_in_{side}"].dropna()
            assert (judged.sum(), len(judged)) == (getattr(counts, right), getattr(counts, total))
        assert (len(table), table["correct"].sum()) == (counts.examples + extra(found, convention), counts.agreed)
        kinds = found.by_kind() if counts.gold + counts.predicted else None
        if kinds is not None:
            totals = kinds[["precision_matched", "system_total", "recall_matched", "gold_total"]].sum().tolist()
            assert totals == [counts.correct, counts.predicted, counts.correct, counts.gold]
            assert found.by_distance()["system_total"].sum() == counts.predicted
        alone = tp.score(gold, system, metric="pairs", convention=convention)
        assert alone.by_label().equals(found.by_label())


def extra(found, convention):
    """The pairs that only the system of tieval has: no examples of its accuracy."""
    return (convention == "tieval") * found.counts.extra


def test_rows_are_there_without_details():
    gold, system = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")], [("b", "AFTER", "a"), ("b", "AFTER", "c")]
    frame = tp.score(gold, system, metric="pairs").pairs()
    assert list(frame[["document", "source", "gold", "system"]].iloc[1]) == ["document", "b", "BEFORE", "AFTER"]
    assert list(frame["correct"]) == [True, False]
    rows = tp.score(gold, system).pair_rows()
    assert [(row["gold"], row["system"], row["correct"]) for row in rows] == [
        ("BEFORE", "BEFORE", True),
        ("BEFORE", "AFTER", False),
    ]
    assert tp.score(gold, [("a", "BEFORE", "c")]).pair_rows()[-1]["follows_in_gold"] is True
    with pytest.raises(tp.UsageError, match="details=True"):
        tp.score(gold, system).by_kind()
    with pytest.raises(tp.UsageError, match="details=True"):
        tp.score(gold, system, metric="reduction").pairs()


def test_details_have_words_sentences_and_distances():
    found = tp.score(FERRY, FERRY, details=True)
    frame = found.pairs()
    first = frame.iloc[0]
    assert first["source_text"]
    assert first["source_text"] in first["sentence"]
    for table in (found.by_kind(), found.by_distance(), found.by_sentence_distance()):
        assert table["gold_total"].sum() <= found.counts.gold_total
        assert set(table["f1"]) == {1.0}
    assert found.by_kind()["gold_total"].sum() == found.counts.gold_total
    html = found._repr_html_()
    assert html.count("<table>") == 6
    assert "by sentence distance" in html


def test_pairs_without_a_place_are_a_group():
    chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
    found = tp.score(chain, chain[:1], details=True)
    assert found.by_distance()["distance"].tolist() == ["unknown"]
    assert found.by_distance()["gold_total"].tolist() == [2]
    assert "by label" in found._repr_html_()
    assert "by distance" not in found._repr_html_()
    assert "by label" not in tp.score(chain, chain[:1])._repr_html_()


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.tsv", "pairs.jsonl"])
def test_the_command_writes_them(tmp_path, capsys, name):
    path = tmp_path / name
    assert run(["score", FERRY, FERRY, "--pairs", str(path)]) == 0
    capsys.readouterr()
    with path.open() as file:
        rows = (
            [json.loads(line) for line in file]
            if name.endswith("jsonl")
            else list(csv.DictReader(file, delimiter="\t" if name.endswith("tsv") else ","))
        )
    expected = tp.score(FERRY, FERRY, details=True).pair_rows()
    assert [(row["source"], row["gold"]) for row in rows] == [(row["source"], row["gold"]) for row in expected]
    assert list(rows[0]) == list(expected[0])
    assert run(["score", FERRY, FERRY, "--metric", "awareness", "--metric", "core", "--pairs", str(path)]) == 2


@pytest.mark.corpora
@pytest.mark.parametrize("metric", ["pairs", "awareness"])
def test_rows_of_matres_platinum_add_up(metric):
    gold = shared("corpora", "matres", "platinum.txt")
    scored = shared("corpora", "scores", "seed102.matres.jsonl").read_text("utf-8").splitlines()
    rows = [
        (
            document["document"],
            f"ei{pair['source'][1:]}",
            max(pair["scores"], key=pair["scores"].get),
            f"ei{pair['target'][1:]}",
        )
        for document in map(json.loads, scored)
        for pair in document["pairs"]
    ]
    system = pd.DataFrame(rows, columns=["document", "source", "relation", "target"])
    found = tp.score(gold, system, metric=metric, details=True)
    table, counts = found.pairs(), found.counts
    labels = found.by_label().set_index("label")
    if metric == "awareness":
        for column, matched, total in (
            ("follows_in_gold", counts.precision_matched, counts.system_total),
            ("follows_in_system", counts.recall_matched, counts.gold_total),
        ):
            judged = table[column].dropna()
            assert (judged.sum(), len(judged)) == (matched, total)
        return
    assert (len(table), table["correct"].sum()) == (counts.examples, counts.agreed) == (837, 581)
    real = table[["gold", "system"]] != "VAGUE"
    assert (real["gold"].sum(), real["system"].sum()) == (counts.gold, counts.predicted)
    assert (table["correct"] & real["gold"]).sum() == counts.correct
    assert found.confusion().set_index("gold").to_numpy().sum() == 837
    assert labels.drop("VAGUE")["precision_matched"].sum() == counts.correct
    assert labels["gold_total"].sum() == 837
    assert (table.groupby("document").size() == [each.counts.examples for each in sorted_by_name(found)]).all()


def sorted_by_name(score):
    return sorted(score.documents, key=lambda each: each.document)
