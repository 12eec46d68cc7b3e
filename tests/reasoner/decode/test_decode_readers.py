"""Scored pairs in all forms they come in, and scores that cannot be used."""

import gzip
import json

import pandas as pd
import polars as pl
import pytest
from shared_data import shared

import temporacle as tp
from temporacle.errors import UsageError
from temporacle.io.scores import read_scores, scored_documents
from temporacle.io.source import Options
from temporacle.model import Unreadable
from temporacle.relation import Relation

WIDE = "doc,e1,e2,label,BEFORE,AFTER,EQUAL,VAGUE\nd,a,b,0,0.7,0.1,0.1,0.1\nd,b,c,1,0.2,0.6,,0.2\n"
LONG = (
    "document\tsource\ttarget\trelation\tscore\n"
    "d\ta\tb\tBEFORE\t0.7\nd\tb\tc\tAFTER\t0.6\nd\ta\tb\tAFTER\t0.1\nd\tb\tc\tVAGUE\t0.2\n"
)


def read(tmp_path, text, name="scores.csv", **options):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return list(read_scores([path], Options(**options)))


def scores(document):
    return [(pair.source, pair.target, {each.label: each.score for each in pair.labels}) for pair in document.pairs]


def problem(tmp_path, text, name="scores.csv", **options):
    (found,) = read(tmp_path, text, name, **options)
    assert isinstance(found, Unreadable)
    return str(found.error)


def test_a_wide_table(tmp_path):
    (document,) = read(tmp_path, WIDE)
    assert scores(document) == [
        ("a", "b", {"BEFORE": 0.7, "AFTER": 0.1, "EQUAL": 0.1, "VAGUE": 0.1}),
        ("b", "c", {"BEFORE": 0.2, "AFTER": 0.6, "VAGUE": 0.2}),
    ]
    assert [pair.line for pair in document.pairs] == [2, 3]
    assert document.reading.name == "matres"


def test_a_long_table_may_list_its_rows_in_any_order(tmp_path):
    (document,) = read(tmp_path, LONG, "scores.tsv")
    assert scores(document) == [("a", "b", {"BEFORE": 0.7, "AFTER": 0.1}), ("b", "c", {"AFTER": 0.6, "VAGUE": 0.2})]


def test_a_table_without_names_of_columns(tmp_path):
    (document,) = read(tmp_path, "d,E5,E6,1,0.01,0.88,0.03,0.08\n", "run.output")
    assert scores(document) == [("E5", "E6", {"BEFORE": 0.01, "AFTER": 0.88, "EQUAL": 0.03, "VAGUE": 0.08})]
    assert document.pairs[0].labels[0].relation == Relation("b|m|o|fi|di")


def test_json_lines_with_hard_links_and_a_reading(tmp_path):
    record = {
        "document": "d",
        "reading": "allen",
        "pairs": [{"source": "a", "target": "b", "scores": {"b|m": 1, "d": None}}],
        "links": [{"source": "a", "relation": ["o", "d"], "target": "b"}],
    }
    (document,) = read(tmp_path, json.dumps(record), "scores.jsonl")
    assert scores(document) == [("a", "b", {"b|m": 1})]
    assert document.links[0].relation == Relation("o|d")
    (chosen,) = read(tmp_path, json.dumps({**record, "reading": "nonsense"}), "scores.jsonl", reading="allen")
    assert chosen.reading.name == "allen"


def test_the_same_pair_may_occur_several_times(tmp_path):
    (document,) = read(tmp_path, "e1,e2,BEFORE,AFTER\na,b,1,0\na,b,0,1\nb,a,1,1\n")
    assert len(document.pairs) == 3
    (document,) = read(tmp_path, "id,e1,e2,label,score\n1,a,b,BEFORE,1\n2,a,b,BEFORE,1\n")
    assert len(document.pairs) == 2


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_frames(make):
    columns = {"doc_id": [7, 7], "e1": ["a", "b"], "e2": ["b", "c"], "BEFORE": [0.5, None], "AFTER": [0.25, 1.0]}
    (document,) = scored_documents(make(columns), Options())
    assert document.id == "7"
    assert scores(document) == [("a", "b", {"BEFORE": 0.5, "AFTER": 0.25}), ("b", "c", {"AFTER": 1.0})]


def test_objects_and_triples():
    record = {"document": "x", "pairs": [{"source": "a", "target": "b", "scores": {"BEFORE": 1}}]}
    assert [found.id for found in scored_documents([record, {**record, "document": "y"}], Options())] == ["x", "y"]
    (document,) = scored_documents([("a", "b", {"BEFORE": 1})], Options())
    assert scores(document) == [("a", "b", {"BEFORE": 1})]
    with pytest.raises(UsageError, match="cannot read scores from a int"):
        list(scored_documents(3, Options()))
    with pytest.raises(UsageError, match="item 2"):
        list(scored_documents([("a", "b", {"BEFORE": 1}), ("a", "b")], Options()))


def test_the_same_scores_in_every_form_give_the_same_labels(tmp_path):
    (wide,) = tp.decode(pd.DataFrame({"e1": ["a", "b"], "e2": ["b", "a"], "BEFORE": [0.6, 0.7], "AFTER": [0.4, 0.3]}))
    (long,) = tp.decode(
        {
            "source": ["a", "a", "b", "b"],
            "target": ["b", "b", "a", "a"],
            "relation": ["BEFORE", "AFTER"] * 2,
            "score": [0.6, 0.4, 0.7, 0.3],
        }
    )
    assert wide.labels == long.labels == ["AFTER", "BEFORE"]
    assert wide.objective == long.objective


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("e1,e2,BEFORE\na,b,nan\n", "s.csv", ":2: p1: the score of BEFORE is nan"),
        ("e1,e2,BEFORE\na,b,inf\n", "s.csv", ":2: p1: the score of BEFORE is inf"),
        ("e1,e2,BEFORE,AFTER\na,b,1,1\nb,c,1,high\n", "s.csv", ":3: the score of 'AFTER' is 'high', not a number"),
        ("e1,e2,BEFORE\na,b,\n", "s.csv", ":2: p1: the pair a, b has no score"),
        ("e1,e2,BEFOER\na,b,1\n", "s.csv", ":2: p1: unknown label 'BEFOER'"),
        ("e1,e2,BEFORE\na,,1\n", "s.csv", ":2: source or target is empty"),
        ("e1,e2,BEFORE\na,b\n", "s.csv", ":2: 2 columns where 3 are expected"),
        ("e1,BEFORE\na,1\n", "s.csv", ":2: no column target"),
        ("e1,e2,note\na,b,hello\n", "s.csv", ":2: no column of scores"),
        ("e1,e2,label,score\na,b,BEFORE,1\na,b,before,1\n", "s.csv", ":3: a, b has a second score for 'before'"),
        ("a,b,c\n", "s.csv", ":1: the first line does not name the columns"),
        ("doc,e1,e2,BEFORE\n,a,b,1\n", "s.csv", ":2: the document column is empty"),
        ("", "s.csv", "file is empty"),
        ('{"document": "d", "links": []}', "s.jsonl", ':1: the object has no list "pairs"'),
        ('{"document": "d", "pairs": [{"source": "a"}]}', "s.jsonl", ':1: pair 1 has no object "scores"'),
        ('{"document": "d", "pairs": [{"source": "a", "scores": {}}]}', "s.jsonl", ':1: pair 1 has no "target"'),
        ('{"document": "d", "reading": "/etc/x.toml", "pairs": []}', "s.jsonl", ":1: unknown label set"),
        ('{"document": "d", "pairs": [], "links": [{"source": "a"}]}', "s.jsonl", ":1: link 1 has no source"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(tmp_path, text, name, said):
    assert said in problem(tmp_path, text, name)


def test_one_bad_document_does_not_spoil_the_others(tmp_path):
    found = read(tmp_path, "doc,e1,e2,BEFORE\nx,a,b,nan\ny,a,b,1\n")
    assert [isinstance(each, Unreadable) for each in found] == [True, False]
    lines = '{"document": "x", "pairs": 3}\n{"document": "y", "pairs": []}\n{"document": "y", "pairs": []}\n'
    found = read(tmp_path, lines, "s.jsonl")
    assert [isinstance(each, Unreadable) for each in found] == [True, False, True]


def test_a_folder_is_searched(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "s.csv").write_text(WIDE, "utf-8")
    (tmp_path / "README.md").write_text("no scores", "utf-8")
    assert [found.id for found in read_scores([tmp_path], Options())] == ["d"]
    (missing,) = read_scores([tmp_path / "nothing"], Options())
    assert isinstance(missing, Unreadable)


@pytest.mark.corpora
def test_the_files_of_a_neural_system_are_read_as_they_are(tmp_path):
    """Written here in the form that the system prints: no names of columns, the label as a number."""
    source = shared("corpora", "scores", "seed102.matres.jsonl")
    rows = []
    for line in source.read_text("utf-8").splitlines():
        record = json.loads(line)
        for pair in record["pairs"]:
            values = list(pair["scores"].values())
            label = values.index(max(values))
            rows.append(",".join(map(str, (record["document"], pair["source"], pair["target"], label, *values))))
    (tmp_path / "seed102.output").write_text("\n".join(rows), "utf-8")
    ours = tp.decode(tmp_path / "seed102.output", alternatives=0)
    theirs = tp.decode(source, alternatives=0)
    assert [each.labels for each in ours] == [each.labels for each in theirs]
    assert sum(map(len, (each.labels for each in ours))) == 837


def test_scores_are_not_taken_for_a_document_without_links(tmp_path):
    (tmp_path / "s.jsonl").write_text('{"document": "d", "pairs": []}', "utf-8")
    (found,) = tp.read_corpus(tmp_path / "s.jsonl")
    assert "scored pairs, not links; choose the labels with temporacle decode first" in str(found.error)


def test_numbers_of_numpy_and_ids_that_are_numbers():
    import numpy as np

    pair = {"source": 1, "target": 2, "scores": {"BEFORE": np.float32(0.5), "AFTER": np.float64(0.25), "VAGUE": 0}}
    (found,) = tp.decode({"document": "d", "pairs": [pair]}, objective="prob")
    assert (found.objective, found.labels) == (0.5, ["BEFORE"])
    assert found.decoded.pairs[0].pair.source == "1"
    with pytest.raises(tp.InputError, match="a label is 3, not text"):
        tp.decode({"pairs": [{"source": "a", "target": "b", "scores": {3: 1}}]})


def test_semicolons(tmp_path):
    (document,) = read(tmp_path, "e1;e2;BEFORE\na;b;0.5\n")
    assert scores(document) == [("a", "b", {"BEFORE": 0.5})]


def test_large_files_are_read_in_slices(tmp_path):
    """Lines keep their numbers, and a document that occurs again is noticed across slices."""
    pair = {"source": "a", "target": "b", "scores": {"BEFORE": 0.5, "AFTER": 0.25}}
    records = [{"document": f"d{number}", "pairs": [pair] * 20} for number in range(300)]
    text = "".join(json.dumps(record) + "\n" for record in [*records, records[0]])
    found = read(tmp_path, text, "large.jsonl")
    assert len(text) > 1 << 18
    assert [each.pairs[0].line for each in found[:-1]] == list(range(1, 301))
    assert "large.jsonl:301: document 'd0' occurs a second time" in str(found[-1].error)
    with gzip.open(tmp_path / "large.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    assert len(list(read_scores([tmp_path / "large.jsonl.gz"], Options()))) == 301
