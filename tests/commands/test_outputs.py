"""No output takes the place of an input, and options without effect are refused."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from runs import environment

import temporacle as tp
from temporacle.cli import run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


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
        ("verify d --no-reread", "--no-reread: works only with a document to compare"),
        ("report d d --as comparison --all-details -o x.html", "--all-details: works only for a report about a corpus"),
        ("entails d/ferry.tml ei1 BEFORE 1998-02-09", "To ask about a date, add --calendar=within"),
        ("entails d/ferry.tml ei1 BEFORE 1998-13-09 --calendar", "There is no such date"),
        ("apply d --drop l1 -o x.tml", "not a regular file"),
        ("apply d/none.tml --drop l1 -o x.tml", "no such file"),
        ("apply odd.tml --drop l1 -o x.tml", "odd.tml"),
        ("apply odd.tml --document odd --drop l1 -o x.tml", "odd.tml"),
    ],
)
def test_wrong_usage_is_refused_with_a_reason(command, reason, corpus, capsys):
    (corpus.parent / "odd.tml").write_text("<TimeML><TLINK")
    assert run(command.split()) == 2
    assert reason in capsys.readouterr().err
    assert not list(corpus.parent.glob("x.*"))


CAT = """<?xml version="1.0"?>
<Document doc_name="harbour"><token t_id="1" sentence="0" number="0">left</token>
<token t_id="2" sentence="0" number="1">docked</token>
<Markables><EVENT m_id="1"><token_anchor t_id="1"/></EVENT><EVENT m_id="2"><token_anchor t_id="2"/></EVENT></Markables>
<Relations><TLINK r_id="8" relType="BEFORE"><source m_id="1"/><target m_id="2"/></TLINK>
<TLINK r_id="9" relType="AFTER"><source m_id="1"/><target m_id="2"/></TLINK></Relations></Document>
"""


def test_notes_on_a_file_that_cannot_be_changed_stand_in_a_table(corpus):
    cat = corpus.parent / "harbour.xml"
    cat.write_text(CAT)
    assert run(["check", "harbour.xml", "--annotate", "notes"]) == 1
    rows = (corpus.parent / "notes" / "harbour.xml.notes.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows] == [["document", "link"], ["harbour", "8"], ["harbour", "9"]]
    assert cat.read_text() == CAT


def test_notes_on_several_documents_of_one_file_stand_in_one_table(corpus):
    rows = [f"{name}\tx\ty\t{a}\t{b}\tBEFORE\n" for name in "de" for a, b in ((1, 2), (2, 1))]
    (corpus.parent / "pairs.txt").write_text("".join(rows))
    assert run(["check", "pairs.txt", "--format", "matres", "--annotate", "notes"]) == 1
    table = (corpus.parent / "notes" / "pairs.txt.notes.csv").read_text().splitlines()
    assert [row[0] for row in table[1:]] == ["d", "d", "e", "e"]


def test_notes_on_standard_input_stand_in_a_table(corpus):
    links = b"a\tBEFORE\tb\nb\tBEFORE\ta\n"
    command = [sys.executable, "-m", "temporacle", "check", "-", "--annotate", "notes"]
    assert subprocess.run(command, input=links, capture_output=True, check=False, env=environment()).returncode == 1
    assert (corpus.parent / "notes" / "stdin.notes.csv").read_text().count("cannot be true together") == 2


def test_a_repaired_file_does_not_replace_another_document(corpus, capsys):
    (corpus / "sub").mkdir()
    (corpus / "sub" / "council.tml").write_bytes((corpus / "ferry.tml").read_bytes())
    assert run(["check", "d", "--write", "d/sub"]) == 1
    assert "sub/council.tml is one of the files that are read" in capsys.readouterr().err
    assert (corpus / "sub" / "council.tml").read_bytes() == (corpus / "ferry.tml").read_bytes()
    assert (corpus / "sub" / "puzzle.tsv").exists()  # the other one is written


@pytest.mark.parametrize("command", ["bounds d/shift.tsv", "closure d/shift.tsv", "entails d/shift.tsv anna b berta"])
def test_a_document_without_values_is_reported(command, corpus, capsys):
    calendar = ["--calendar"]
    assert run([*command.split(), *calendar]) == 0
    assert capsys.readouterr().err.count("warning[no-values]: shift: no time expression has a value") == 1
    assert run([*command.replace("shift.tsv", "ferry.tml").replace("anna b berta", "ei1 b t0").split(), *calendar]) == 0
    assert "no-values" not in capsys.readouterr().err


def test_a_certificate_does_not_replace_its_document(corpus, capsys):
    document = corpus.parent / "d.json"
    document.write_text('{"document": "d", "links": [{"source": "a", "relation": "b", "target": "c"}]}\n')
    before = document.read_bytes()
    assert run(["check", "d.json", "--certificates", "."]) == 2
    assert "d.json is one of the files that are read" in capsys.readouterr().err
    assert document.read_bytes() == before
    assert run(["check", "d.json", "--certificates", "certificates"]) == 0


def test_many_rows_are_printed_in_several_tables(tmp_path, capsys, monkeypatch):
    """A large corpus must not be kept in memory until the end: every table holds whole documents."""
    lines = [{"document": f"d{k}", "links": [{"source": "a", "relation": "b", "target": "c"}]} for k in range(5)]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(["closure", str(path)]) == 0
    whole = capsys.readouterr().out.splitlines()
    monkeypatch.setattr("temporacle.commands.terminal.MANY_ROWS", 2)
    assert run(["closure", str(path)]) == 0
    parts = capsys.readouterr().out.splitlines()
    assert [line.split() for line in parts if "document" not in line] == [line.split() for line in whole[1:]]
    assert sum("document" in line for line in parts) == 3
