"""What ``entails`` has found out stands, whatever the budget leaves undone."""

from __future__ import annotations

import json

import pytest

from temporacle.cli import run
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.oracle import Oracle


def out_of_time(*_arguments):
    raise BudgetExceeded("not decided within 1 s")


@pytest.mark.parametrize(
    ("relation", "verdict", "code"), [("b", "entailed", 0), ("bi", "refuted", 1), ("=", "refuted", 1)]
)
def test_the_verdict_stands_when_the_strongest_relation_is_not_found_in_time(
    tmp_path, capsys, monkeypatch, relation, verdict, code
):
    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\nb\tb\tc\n", encoding="utf-8")
    monkeypatch.setattr(Oracle, "strongest", out_of_time)
    assert run(["entails", str(path), "a", relation, "c", "--output", "json"]) == code
    said = capsys.readouterr()
    answer = json.loads(said.out)
    assert answer["verdict"] == verdict
    assert answer["strongest"] is None
    assert (answer["witness"] is None) == (verdict == "entailed")
    assert "not decided within 1 s" in said.err


def test_the_verdict_stands_when_no_countermodel_is_found_in_time(tmp_path, capsys, monkeypatch):
    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\n", encoding="utf-8")
    monkeypatch.setattr(Oracle, "countermodel", out_of_time)
    assert run(["entails", str(path), "a", "m", "b", "--output", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["strongest"], answer["witness"]) == ("refuted", ["b"], None)
    assert [link["id"] for link in answer["because"]] == ["1"]


def test_without_a_verdict_the_answer_is_undecided(tmp_path, capsys, monkeypatch):
    path = tmp_path / "d.tsv"
    path.write_text("a\tb\tb\n", encoding="utf-8")
    monkeypatch.setattr(Oracle, "is_consistent", out_of_time)
    assert run(["entails", str(path), "a", "m", "b", "--output", "json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    nothing = dict.fromkeys(("strongest", "witness", "because"))
    assert answer == {"verdict": "undecided", **nothing, "decided_by": "exact", "skipped_links": {}}
