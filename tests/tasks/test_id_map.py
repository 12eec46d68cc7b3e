"""Ids of a system as ids of gold: what a map renames, and what is refused."""

import json

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError

GOLD = (
    '{"document": "d1", "links": [{"source": "e1", "relation": "BEFORE", "target": "e2"}]}\n'
    '{"document": "d2", "links": [{"source": "e1", "relation": "AFTER", "target": "t0"}]}\n'
)
SYSTEM = GOLD.replace(': "d', ': "run_d').replace("e1", "left").replace("e2", "docked").replace("t0", "dct")
MAP = """document,id,gold_document,gold_id
run_d1,,d1,
run_d2,,d2,
run_d1,left,,e1
run_d2,left,,e1
run_d1,docked,d1,e2
,dct,,t0
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text=MAP, system=SYSTEM):
        for name, content in (("gold.jsonl", GOLD), ("run.jsonl", system), ("map.csv", text)):
            (tmp_path / name).write_text(content)

    return write


@pytest.mark.parametrize("tab", [",", "\t"])
def test_a_map_makes_the_two_sides_alike(files, tab):
    files(MAP.replace(",", tab))
    found = tp.score("gold.jsonl", "run.jsonl", id_map="map.csv")
    assert found.f1 == 1
    assert found.scored == 2
    assert not found.warnings
    assert "id-map@" in found.signature


def test_without_the_map_nothing_fits(files):
    files()
    with pytest.raises(UsageError):
        tp.score("gold.jsonl", "run.jsonl")


def test_the_command_line_says_the_same(files, capsys):
    files()
    assert run(["score", "gold.jsonl", "run.jsonl", "--id-map", "map.csv", "--output", "json", "--jobs", "2"]) == 0
    total = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert total["f1"] == 1
    assert total["signature"] == tp.score("gold.jsonl", "run.jsonl", id_map="map.csv").signature


def test_documents_and_frames_can_be_mapped(files):
    files("id,gold_id\nx,a\n")
    assert tp.score([("a", "BEFORE", "b")], [("x", "BEFORE", "b")], id_map="map.csv").f1 == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (MAP + "run_d9,,d9,\n", "the system has no document 'run_d9'"),
        (MAP + "run_d9,x,,y\n", "the system has no document 'run_d9'"),
        (MAP + "run_d1,nobody,,e9\n", "document 'run_d1' has no entity 'nobody'"),
        (MAP + ",nobody,,e9\n", "no document of the system has an entity 'nobody'"),
        (MAP + "run_d1,,d1,\n", "map.csv:8: document 'run_d1' is renamed twice"),
        (MAP + "run_d1,docked,d5,e2\n", "map.csv:8: document 'run_d1' is renamed twice"),
        (MAP + ",dct,,t0\n", "map.csv:8: entity 'dct' is renamed twice"),
        (MAP + ",other,,t0\n", "map.csv:8: two entities become 't0'"),
        (MAP + "run_d3,,d1,\n", "map.csv:8: two documents become 'd1'"),
        (MAP + "run_d1,x,,\n", "map.csv:8: an entity needs both id and gold_id"),
        (MAP + ",,d1,\n", "map.csv:8: gold_document needs document"),
        (MAP + "run_d1,,,\n", "map.csv:8: the row renames nothing"),
        (MAP + "run_d1\n", "map.csv:8: 1 columns where 4 are expected"),
        ("document,id,gold\n", "map.csv:1: the columns are document, id, gold_document, gold_id"),
        ("document,gold_id\nrun_d1,x\n", "map.csv:1: nothing to rename"),
        ("", "map.csv:1: nothing to rename"),
        ('id,gold_id\n"x,y\n', "map.csv:2: not well-formed"),
        (MAP.replace(",docked,d1,e2", ",docked,d1,left").replace("run_d1,left,,e1\n", ""), "become 'left'"),
    ],
)
def test_what_is_wrong_with_a_map_is_said(files, text, reason):
    files(text)
    with pytest.raises(UsageError) as refused:
        tp.score("gold.jsonl", "run.jsonl", id_map="map.csv")
    assert reason in str(refused.value)


@pytest.mark.parametrize("more", [["gold.jsonl"], ["--compare", "run.jsonl"], ["--agreement"], ["--official"]])
def test_a_map_belongs_to_one_system(files, more, capsys):
    files()
    assert run(["score", "gold.jsonl", "run.jsonl", *more, "--id-map", "map.csv"]) == 2
    assert "--id-map" in capsys.readouterr().err


def test_a_missing_map_is_refused(files, capsys):
    files()
    assert run(["score", "gold.jsonl", "run.jsonl", "--id-map", "nowhere.csv"]) == 2
    assert "no such file or folder: nowhere.csv" in capsys.readouterr().err
