"""No output takes the place of an input, and options without effect are refused."""

import shutil
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES / "corpus", tmp_path / "d")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "d"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "command",
    [
        "check d -o d/ferry.tml",
        "check d/ferry.tml -o d/../d/ferry.tml",
        "check d --write-baseline d/ferry.tml",
        "closure d -o d/shift.tsv",
        "reduce d/ferry.tml -o d/ferry.tml",
        "bounds d -o d/ferry.tml",
        "score d d --output json -o d/ferry.tml",
        "entails d/ferry.tml ei1 BEFORE ei2 -o d/ferry.tml",
        "entails d/ferry.tml ei1 BEFORE ei2 --certificate d/ferry.tml",
        "convert d/ferry.tml d/ferry.tml",
        "convert d d/ferry.tml --to jsonl",
        "convert d d --to timeml",
        "convert d/ferry.tml d --to timeml",
        "report d -o d/ferry.tml",
    ],
)
def test_no_input_is_overwritten(command, corpus, capsys):
    before = contents(corpus)
    assert run(command.split()) == 2
    assert "is one of the files that are read: choose another name" in capsys.readouterr().err
    assert contents(corpus) == before


def test_links_lead_to_inputs_and_texts_are_parts_of_them(corpus):
    (corpus.parent / "link.tml").symlink_to(corpus / "ferry.tml")
    shutil.copytree(EXAMPLES / "tools", corpus.parent / "tools")
    assert run(["check", "d", "-o", "link.tml"]) == 2
    assert run(["check", "tools", "-o", "tools/ferry.txt"]) == 2


def test_other_files_of_a_folder_may_be_written_again_and_again(corpus, capsys):
    for _ in range(2):
        assert run(["report", "d", "-o", "d/page.html"]) == 0
        assert run(["check", "d", "-o", "d/table.txt"]) == 1
        assert run(["check", "d", "--write-baseline", "d/known.json"]) == 0
        assert run(["check", "d", "--baseline", "d/known.json"]) == 0
        assert run(["check", "d", "--certificates", "d"]) == 1
    assert ".part" not in capsys.readouterr().err  # the file that is being written is not worth a remark
    assert run(["convert", "d", "d", "--to", "csv"]) == 0
    assert run(["convert", "d/ferry.tml", "d/council.tml"]) == 0  # not an input


def test_a_baseline_and_a_certificate_are_not_documents(corpus, capsys):
    run(["check", "d", "--write-baseline", "known.json", "--certificates", "certificates"])
    assert run(["check", "known.json", "certificates/ferry.json"]) == 2
    said = capsys.readouterr().out
    assert "a baseline of Temporacle, not a document" in said
    assert "a certificate of Temporacle, not a document" in said


def test_python_refuses_too(corpus):
    with pytest.raises(tp.UsageError, match="is one of the files that are read"):
        tp.convert("d/ferry.tml", "d/ferry.tml")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("check d -q -v", "--quiet and --verbose cannot be combined"),
        ("check d -q --select self-link", "--quiet and --select cannot be combined"),
        ("verify d --no-reread", "--no-reread works only with --document"),
        ("report d d --as comparison --all-details -o x.html", "--all-details works only for a report about a corpus"),
        ("entails d/ferry.tml ei1 BEFORE 1998-02-09", "t0; to ask about a date, add --calendar within"),
        ("entails d/ferry.tml ei1 BEFORE 1998-13-09 --calendar", "t0; and there is no such date"),
        ("apply d --drop l1 -o x.tml", "Is a directory"),
        ("apply d/none.tml --drop l1 -o x.tml", "No such file"),
        ("apply odd.tml --drop l1 -o x.tml", "odd.tml"),
        ("apply odd.tml --document odd --drop l1 -o x.tml", "odd.tml"),
    ],
)
def test_wrong_usage_is_refused_with_a_reason(command, reason, corpus, capsys):
    (corpus.parent / "odd.tml").write_text("<TimeML><TLINK")
    assert run(command.split()) == 2
    assert reason in capsys.readouterr().err
    assert not list(corpus.parent.glob("x.*"))
