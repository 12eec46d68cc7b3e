"""``temporacle stats``: its tables and its exit code."""

import csv
import io
import json

import pytest

from temporacle.cli import run


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "one.tsv").write_text("a\tBEFORE\tb\nb\tBEFORE\tc\na\tBEFORE\tc\n")
    (tmp_path / "c" / "two.tsv").write_text("a\tBEFORE\tb\nb\tIBEFORE\ta\n")
    return tmp_path


def test_json_has_documents_and_a_total(corpus, capsys):
    assert run(["stats", "c", "--output", "json"]) == 0
    one, two, total = map(json.loads, capsys.readouterr().out.splitlines())
    assert (one["verdict"], one["redundant"], one["decided_share"]) == ("consistent", 1, 1.0)
    assert (two["verdict"], two["pairs"], two["conflict_labels"]) == ("inconsistent", 0, {"BEFORE": 1, "IBEFORE": 1})
    assert total["total"]["labels"] == {"BEFORE": 4, "IBEFORE": 1}


def test_csv_has_one_table(corpus, capsys):
    assert run(["stats", "c", "--output", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["document"] for row in rows] == ["one", "two", "TOTAL"]
    assert rows[1]["pairs"] == ""
    assert run(["stats", "c", "--output", "csv", "--by", "label"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["label,links,share,in conflicts", "BEFORE,4,0.8000,1"]


def test_tables_for_people_and_papers(corpus, capsys):
    assert run(["stats", "c"]) == 0
    out = capsys.readouterr().out
    assert "Links by label" in out
    assert "Links by kind" in out
    assert "(left out: 1 inconsistent)" in out
    assert run(["stats", "c", "--by", "kind", "--output", "latex"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == r"kind & links & share \\"


def test_what_cannot_be_read(corpus, capsys):
    (corpus / "c" / "one.tsv").write_text("a\tBEFOR\tb\nb\tBEFORE\tc\n")
    assert run(["stats", "c"]) == 3
    capsys.readouterr()
    assert run(["stats", "nosuch"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "nosuch" in captured.err
