"""Layers of one document in several files."""

import json

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.cli import run
from temporacle.reasoner.oracle import Oracle

AB = """<?xml version="1.0" ?>
<TempEval><TIMEX3 tid="t1" type="DATE" value="2007-03-01" functionInDocument="CREATION_TIME">today</TIMEX3>
<s>They <EVENT eid="e1" class="OCCURRENCE">met</EVENT> and <EVENT eid="e2" class="OCCURRENCE">spoke</EVENT>.</s>
<TLINK lid="l1" relType="BEFORE" eventID="e1" relatedToTime="t1" task="B"/></TempEval>"""
C = AB.replace(
    '<TLINK lid="l1" relType="BEFORE" eventID="e1" relatedToTime="t1" task="B"/>',
    '<TLINK lid="l1" relType="AFTER" eventID="e1" relatedToEvent="e2" task="C"/>',
)


def layers(folder):
    for name, text in (("taskAB", AB), ("taskC", C)):
        (folder / name).mkdir()
        (folder / name / "meeting.tml").write_text(text)
    (folder / "taskC" / "alone.tml").write_text(C)


def test_documents_of_one_name_become_one(tmp_path):
    layers(tmp_path)
    found = {document.id: document for document in tp.read_corpus(tmp_path, merge=True)}
    assert set(found) == {"meeting", "alone"}
    meeting = found["meeting"]
    assert [link.id for link in meeting.links] == ["B:l1", "C:l1"]
    assert meeting.entity_ids == ("e1", "e2", "t1")
    assert [entity.id for entity in meeting.entities] == [entity.id for entity in found["alone"].entities]
    assert "met" in meeting.text
    assert not meeting.remarks


def test_link_names_stay_different(tmp_path):
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tsv").write_text("a\tBEFORE\tb\n")
    (document,) = tp.read_corpus(tmp_path, merge=True)
    assert [link.id for link in document.links] == ["1", "three:1", "two:1"]


def test_what_cannot_be_read_is_still_told(tmp_path):
    layers(tmp_path)
    (tmp_path / "taskC" / "empty.tml").write_text("")
    assert [type(found).__name__ for found in tp.read_corpus(tmp_path, merge=True)] == [
        "Document",
        "Document",
        "Unreadable",
    ]


def test_convert_merges(tmp_path, capsys):
    layers(tmp_path)
    assert run(["convert", str(tmp_path), str(tmp_path / "all.jsonl"), "--merge"]) == 0
    documents = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {document["document"]: len(document["links"]) for document in documents} == {"meeting": 2, "alone": 1}


def test_words_of_ones_own_are_merged_too(tmp_path):
    """Keys that mean nothing here are kept; where two parts use one, the first counts."""
    for part, other in (("one", {"mine": 1}), ("two", {"mine": 2, "yours": 3})):
        (tmp_path / part).mkdir()
        link = {"id": "k", "source": "a", "relation": "b", "target": "c", **other}
        record = {"document": "d", "entities": [{"id": "a", **other}, "c"], "links": [link], **other}
        (tmp_path / part / "d.jsonl").write_text(json.dumps(record))
    assert run(["convert", str(tmp_path), str(tmp_path / "out.jsonl"), "--merge"]) == 0
    record = json.loads((tmp_path / "out.jsonl").read_text())
    assert (record["mine"], record["yours"]) == (1, 3)
    assert record["entities"] == [{"id": "a", "mine": 1, "yours": 3}, "c"]
    links = [(link["id"], link["mine"], link.get("yours")) for link in record["links"]]
    assert links == [("k", 1, None), ("two:k", 2, 3)]


def test_documents_of_one_name_in_one_file_are_told(tmp_path, capsys):
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "d.tsv").write_text("a\tb\tc\n")
    assert run(["convert", str(tmp_path), str(tmp_path / "out.tsv")]) == 0
    assert "document 'd' occurs again" in capsys.readouterr().err


@pytest.mark.corpora
def test_the_tasks_of_tempeval_1_together():
    expected = json.loads(shared("corpora", "expected.json").read_text())["gold"]["tempeval1-training-A+B+C"]
    folders = [shared("corpora", "tempeval1", "training", task) for task in ("taskAB", "taskC")]
    documents = list(tp.read_corpus(*folders, merge=True))
    assert len(documents) == expected["documents"]
    assert sum(len(document.links) for document in documents) == expected["links"]
    conflicts = {
        document.id + ".tml": len(Oracle(document).consistency().conflict)
        for document in documents
        if not Oracle(document).is_consistent()
    }
    assert conflicts == expected["readings"]["T"]["smallest_conflict"]


def test_check_merges_as_convert_does(tmp_path):
    """Two layers that are consistent each, and contradict each other."""
    for folder, relation in (("AB", "BEFORE"), ("C", "AFTER")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.tsv").write_text(f"x\t{relation}\ty\n")
    assert [check.verdict.value for check in tp.check(tmp_path)] == ["consistent", "consistent"]
    (merged,) = tp.check(tmp_path, merge=True)
    assert (merged.verdict.value, len(merged.conflict)) == ("inconsistent", 2)
    assert merged.remarks == ()


@pytest.mark.filterwarnings("ignore:the keyword (write|annotate) is now:DeprecationWarning")
@pytest.mark.parametrize("option", ["certificates", "write", "annotate", "resume"])
def test_merged_documents_have_no_file_of_their_own(tmp_path, option):
    (tmp_path / "d.tsv").write_text("x\tBEFORE\ty\n")
    with pytest.raises(tp.UsageError, match=option):
        tp.check(tmp_path, merge=True, **{option: str(tmp_path / "out")})
