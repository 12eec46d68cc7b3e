"""Input that was not used is part of the answer: its number is in every result that is made from documents."""

from __future__ import annotations

import json

import pytest

import temporacle as tp
from temporacle.cli import run

LINKS = "a\tBEFORE\tb\nb\tBEFOR\tc\nc\tBEFORE\td\nd\t\te\n"
SKIPPED = {"missing-label": 1, "unknown-label": 1}


@pytest.fixture
def damaged(tmp_path):
    file = tmp_path / "damaged.tsv"
    file.write_text(LINKS)
    return str(file)


@pytest.fixture
def whole(tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    file = folder / "damaged.tsv"
    file.write_text("a\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\td\n")
    return str(file)


def test_a_document_carries_its_skipped_links(damaged):
    document = tp.read(damaged)
    assert document.skipped_links == SKIPPED
    assert [(each.code, each.line) for each in document.dropped] == [("unknown-label", 2), ("missing-label", 4)]
    assert "2 skipped" in repr(document)


def test_checks_show_them(damaged):
    found = tp.check(damaged)
    assert found.skipped_links == found[0].skipped_links == SKIPPED
    for shown in (repr(found), repr(found[0]), found[0]._repr_html_()):
        assert "1 unknown-label" in shown
    assert json.loads(json.dumps(found.to_dict()))[0]["skipped_links"] == SKIPPED
    assert found.to_frame()["skipped_links"].tolist() == [2]


@pytest.mark.parametrize("ask", [tp.closure, tp.bounds, tp.reduce])
def test_answers_about_documents_show_them(damaged, ask):
    found = ask(damaged)
    assert found.skipped_links == SKIPPED
    assert "1 unknown-label" in repr(found)
    assert "1 unknown-label" in found._repr_html_()
    assert [row["skipped_links"] for row in found.to_dict() if "skipped_links" in row] == [SKIPPED]


def test_an_oracle_shows_them(damaged):
    assert "2 skipped" in repr(tp.Oracle(damaged))


def test_scores_count_them_for_each_side(damaged, whole):
    found = tp.score(whole, damaged)
    assert found.skipped_links == {"gold": {}, "system": SKIPPED}
    assert found.to_dict()["skipped_links"] == {"gold": {}, "system": SKIPPED}
    assert "|skipped:0/2|" in found.signature
    assert "links of system 2 skipped" in repr(found)
    exchanged = tp.score(damaged, whole)
    assert "|skipped:2/0|" in exchanged.signature


def test_nothing_is_said_where_nothing_was_skipped(whole):
    found = tp.score(whole, whole)
    assert found.to_dict()["skipped_links"] == {"gold": {}, "system": {}}
    assert "skipped" not in found.signature
    assert "skipped" not in repr(found)
    assert tp.check(whole)[0].to_dict()["skipped_links"] == {}


# --- a document with links of which none could be used ---------------------------------------------------------------


@pytest.fixture
def typo(tmp_path):
    file = tmp_path / "typo.tsv"
    file.write_text("left\tBEFOR\tdocked\n")
    return str(file)


def test_a_document_without_a_usable_link_is_unchecked(typo):
    found = tp.check(typo)
    assert [each.verdict for each in found] == ["unchecked"]
    assert "did you mean BEFORE" in found[0].error
    assert "0 consistent" in repr(found)
    assert "1 unchecked" in repr(found)
    assert found[0].decided_by is None
    assert isinstance(tp.Oracle(typo).consistency(), tp.Undecided)
    assert tp.Session(typo).verdict == "unchecked"


@pytest.mark.parametrize("ask", [tp.closure, tp.bounds, tp.reduce])
def test_nothing_is_derived_from_it(typo, ask):
    assert [row["verdict"] for row in ask(typo).to_dict()] == ["unchecked"]


def test_no_certificate_calls_it_consistent(typo, tmp_path):
    found = tp.check(typo, certificates=str(tmp_path / "certificates"))
    assert found[0].certificate is None
    assert found[0].certificate_path is None


def test_a_document_without_links_is_consistent():
    assert tp.check([])[0].verdict == "consistent"


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("check", ()),
        ("check", ("--accept", "unknown-label")),
        ("closure", ()),
        ("reduce", ()),
        ("bounds", ()),
    ],
)
def test_the_exit_code_is_3(typo, capsys, command, more):
    assert run([command, typo, *more]) == 3
    shown = capsys.readouterr()
    assert "unchecked" in shown.out or "not checked" in shown.err
    assert "1 consistent" not in shown.out + shown.err
