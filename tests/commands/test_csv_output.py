"""CSV: for spreadsheets, and exact for programs all the same."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

import temporacle as tp
from temporacle.cli import run
from temporacle.printing import harmless, restored
from temporacle.relation import ATOMS


@given(st.text(alphabet="'=+-@\t\r\nab|", max_size=5))
def test_restored_gives_back_what_was_made_harmless(cell):
    assert restored(harmless(cell)) == cell


@given(st.sets(st.sampled_from(ATOMS), min_size=1))
def test_relations_stay_as_they_are(atoms):
    relation = str(tp.Relation.of(*atoms))
    assert harmless(relation) == relation


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@sum", "\tx", "=|si!x", "'=1", "=cmd|' /C calc'!A0"])
def test_whatever_might_be_a_formula_gets_an_apostrophe(cell):
    assert harmless(cell) == "'" + cell


def test_csv_comes_back_as_it_was(tmp_path):
    links = tmp_path / "d.tsv"
    links.write_text("=x\t=|si\t-y\n'+z\tb|m\t=x\n", encoding="utf-8")
    table = tmp_path / "d.csv"
    assert run(["convert", str(links), str(table)]) == 0
    before, after = tp.read(links), tp.read(table)
    assert [(x.source, x.relation, x.target) for x in after.links] == [
        (x.source, x.relation, x.target) for x in before.links
    ]


def test_closure_writes_relations_as_they_are(tmp_path, capsys):
    links = tmp_path / "d.tsv"
    links.write_text("a\t=|si\tb\n", encoding="utf-8")
    assert run(["closure", str(links), "--output", "csv"]) == 0
    assert list(csv.reader(capsys.readouterr().out.splitlines())) == [
        ["document", "source", "relation", "target"],
        ["d", "a", "=|si", "b"],
    ]


def test_a_table_without_rows_still_names_its_columns(tmp_path, capsys):
    links = tmp_path / "d.tsv"
    links.write_text("# none\n", encoding="utf-8")
    assert run(["closure", str(links), "--output", "csv"]) == 0
    assert capsys.readouterr().out == "document,source,relation,target\n"


def test_entails_answers_in_a_row(tmp_path, capsys):
    links = tmp_path / "d.tsv"
    links.write_text("a\tBEFORE\tb\nb\tm\tc\n", encoding="utf-8")
    assert run(["entails", str(links), "a", "=|b", "c", "--output", "csv"]) == 0
    assert capsys.readouterr().out == "source,relation,target,verdict,strongest\na,=|b,c,entailed,b\n"


@pytest.mark.parametrize("command", ["closure", "reduce"])
def test_a_folder_without_documents_is_nothing_readable(tmp_path, capsys, command):
    assert run([command, str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert "no document" in said.err


def test_a_document_that_a_tsv_file_cannot_hold_is_told(tmp_path, capsys):
    source = tmp_path / "d.jsonl"
    source.write_text('{"document": "quiet", "links": []}\n', encoding="utf-8")
    assert run(["convert", str(source), str(tmp_path / "out.tsv")]) == 0
    assert "quiet: the document has no links" in capsys.readouterr().err
