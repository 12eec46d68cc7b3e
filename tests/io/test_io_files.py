"""File names that cannot escape, and files that are whole or not there."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporacle.errors import UsageError
from temporacle.io.files import atomic, safe_name


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_a_name_is_one_harmless_component(document):
    name = safe_name(document)
    assert name
    assert Path(name).name == name
    assert name not in {".", ".."}
    assert not name.startswith((".", "-", " "))
    assert not set(name) & set('/\\:*?"<>|\0\n\r')
    assert len(name.encode()) <= 180


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_documents_have_different_names(one, other):
    assert (safe_name(one) == safe_name(other)) == (one == other)


def test_usual_names_stay():
    for name in ("wsj_0011", "AP_20130322", "a b & c", "überfahrt", "ABC19980108.1830.0711"):
        assert safe_name(name) == name
    assert safe_name("nul.x") != "nul.x"


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "deep" / "x.tsv"
    with atomic(path) as file:
        file.write("old\r\n")
    with pytest.raises(ValueError), atomic(path) as file:
        file.write(f"new{int('kite')}")
    assert path.read_bytes() == b"old\r\n"
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"), atomic(tmp_path / "file" / "x"):
        pass


def test_a_planted_link_is_replaced_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "x.tsv").symlink_to(victim)
    with atomic(tmp_path / "x.tsv") as file:
        file.write("new")
    assert victim.read_text() == "mine"
    assert not (tmp_path / "x.tsv").is_symlink()
    assert (tmp_path / "x.tsv").read_text() == "new"


def test_names_that_are_taken_are_tried_again(tmp_path, monkeypatch):
    names = iter(["taken", "linked", "free"])
    monkeypatch.setattr("secrets.token_hex", lambda _size: next(names))
    (tmp_path / ".x.tsv.taken.part").write_text("left behind")
    (tmp_path / ".x.tsv.linked.part").symlink_to(tmp_path / "victim")
    with atomic(tmp_path / "x.tsv") as file:
        file.write("new")
    assert (tmp_path / "x.tsv").read_text() == "new"
    assert (tmp_path / ".x.tsv.taken.part").read_text() == "left behind"
    assert not (tmp_path / "victim").exists()


def test_no_free_name_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda _size: "same")
    (tmp_path / ".x.tsv.same.part").write_text("left behind")
    with pytest.raises(UsageError, match="no free name"), atomic(tmp_path / "x.tsv"):
        pass
    assert (tmp_path / ".x.tsv.same.part").read_text() == "left behind"


def test_a_name_of_many_bytes_leaves_room_for_the_temporary_one(tmp_path):
    with atomic(tmp_path / ("é" * 120)) as file:
        file.write("new")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_new_file_has_the_usual_permissions(tmp_path):
    usual = tmp_path / "usual"
    usual.write_text("")
    with atomic(tmp_path / "x") as file:
        file.write("")
    assert (tmp_path / "x").stat().st_mode == usual.stat().st_mode
