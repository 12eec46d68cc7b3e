"""Links TSV is recognised where its labels are strange: a reading of one's own, a slip, standard input."""

from __future__ import annotations

import json

import pytest

from temporacle.cli import run
from temporacle.io.recognise import recognise
from temporacle.io.source import STANDARD_INPUT, Options, Source

OWN = 'name = "mine"\nextends = "timeml"\n[labels]\nEARLIER = "b|m|o"\n'


def found(name, text, **options):
    return recognise(Source(name, text.encode(), Options(**options)))


@pytest.mark.parametrize("text", ["a\tBEGINS-ON\tb\n", "d\ta\tBEGINS-ON\tb\n", "x\tENDS-ON\ts\ny\tENDS-ON\ta\n"])
@pytest.mark.parametrize("name", ["links.tsv", "links.txt"])
def test_labels_of_the_chosen_reading_are_labels(name, text):
    assert found(name, text, reading="thyme") == "tsv"


def test_labels_of_a_reading_of_ones_own_are_labels(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(OWN, encoding="utf-8")
    assert found("links.tsv", "a\tEARLIER\tb\n", reading=str(own)) == "tsv"
    assert found("links.tsv", "d\ta\tEARLIER\tb\n", reading=str(own)) == "tsv"


@pytest.mark.parametrize("text", ["a\tBEFOR\tb\n", "d1\tx\tBEFOR\tb\n", "x\tBEFOR\tb\ny\tBEFOR\ta\n"])
def test_a_slip_in_a_tsv_file_does_not_make_it_another_format(text):
    assert found("links.tsv", text) == "tsv"
    assert found("links.tsv.gz", text) == "tsv"


@pytest.mark.parametrize("text", ["e1\te2\tb\n", "d1\te1\tt0\tb\n", "d1\te1\te7\tb\r\nd1\te1\te9\ti\tremark\r\n"])
def test_numbered_ids_still_make_a_dense_corpus_of_a_tsv_file(text):
    assert found("pairs.tsv", text) == "dense"
    assert found("pairs.tsv", text, reading="dense") == "dense"


@pytest.mark.parametrize("text", ["e1\te2\tb\n", "a\tBEFOR\tb\n", "d1\tleft\tdocked\t1\t2\tBEFORE\n"])
def test_tab_text_on_standard_input_is_links(text):
    assert found(STANDARD_INPUT, text) == "tsv"


def test_a_slip_is_reported_and_never_read_as_an_entity(capsys, tmp_path):
    path = tmp_path / "links.tsv"
    path.write_text("a\tBEFOR\tb\n", encoding="utf-8")
    assert run(["check", str(path), "--output", "json"]) == 3
    line = json.loads(capsys.readouterr().out)
    assert line["links"] == 0
    assert [(remark["code"], remark["line"]) for remark in line["warnings"]] == [("unknown-label", 1)]
