"""``temporacle diff``: what it prints, and its exit code."""

import json

import pytest

from temporacle.cli import run

OLD = "a\tBEFORE\tb\nb\tBEFORE\tc\n"


@pytest.fixture
def versions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "d.tsv").write_text(OLD)
    return tmp_path


def test_the_same_meaning_is_exit_0(versions, capsys):
    (versions / "new" / "d.tsv").write_text("c\tAFTER\tb\na\tBEFORE\tb\n")
    assert run(["diff", "old", "new"]) == 0
    out = capsys.readouterr().out
    assert "reworded" in out
    assert "1 document: 1 same" in out


def test_another_meaning_is_exit_1(versions, capsys):
    (versions / "new" / "d.tsv").write_text("a\tBEFORE\tb\n")
    assert run(["diff", "old", "new", "--output", "json"]) == 1
    row = json.loads(capsys.readouterr().out)
    assert [link["id"] for link in row["removed"]] == ["2"]
    assert {(each["source"], each["target"]): each["old_because"] for each in row["pairs"]} == {
        ("a", "c"): ["1", "2"],
        ("b", "c"): ["2"],
    }


def test_a_contradiction_has_no_closure(versions, capsys):
    (versions / "new" / "d.tsv").write_text(OLD + "c\tBEFORE\ta\n")
    assert run(["diff", "old", "new"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["d", "verdict", "consistent", "inconsistent", "conflict", "in", "new:", "1", "2", "3"] in lines
    assert ["d", "pairs", "no", "closure"] in lines


def test_documents_of_one_side(versions, capsys):
    (versions / "new" / "extra.tsv").write_text(OLD)
    assert run(["diff", "old", "new"]) == 1
    assert ["extra", "document", "added", "2", "links"] in map(str.split, capsys.readouterr().out.splitlines())
    assert run(["diff", "new", "old"]) == 1
    assert "document removed" in capsys.readouterr().out


def test_a_skipped_link_is_exit_3(versions, capsys):
    for side in ("old", "new"):
        (versions / side / "d.tsv").write_text(OLD + "a\tBEFOR\tc\n")
    assert run(["diff", "old", "new"]) == 3
    assert "unknown-label" in capsys.readouterr().err


def test_a_path_that_is_not_there_is_exit_2(versions, capsys):
    assert run(["diff", "old", "nosuch"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no such file or folder: nosuch" in captured.err


def test_two_documents_of_one_name_are_refused_in_the_words_of_versions(versions, capsys):
    (versions / "old" / "sub").mkdir()
    (versions / "old" / "sub" / "d.tsv").write_text(OLD)
    assert run(["diff", "old", "new"]) == 2
    error = capsys.readouterr().err
    assert "the old side has 2 documents called 'd'" in error
    assert "gold" not in error
    assert "system" not in error


def test_the_table_shows_as_many_pairs_as_asked(versions, capsys):
    (versions / "new" / "d.tsv").write_text("a\tAFTER\tb\nb\tAFTER\tc\n")
    assert run(["diff", "old", "new", "--pairs", "1"]) == 1
    assert "and 2 more pairs" in capsys.readouterr().out
    assert run(["diff", "old", "new", "--no-why", "--output", "json"]) == 1
    assert "old_because" not in capsys.readouterr().out


def test_the_output_goes_to_a_file(versions, capsys):
    assert run(["diff", "old", "new", "-o", "changes.txt"]) == 0
    assert "1 same" in (versions / "changes.txt").read_text()
    assert run(["diff", "old/d.tsv", "new", "-o", "old/d.tsv"]) == 2
    assert (versions / "old" / "d.tsv").read_text() == OLD
