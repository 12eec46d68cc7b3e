"""File names that cannot escape, and files that are whole or not there."""

import errno
import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporacle.errors import InputError, UsageError
from temporacle.io import files
from temporacle.io.files import atomic, is_temporary, keep_copy, original_name, safe_name


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


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("end.", "end%2E"),
        ("end ", "end%20"),
        ("..", "%2E%2E"),
        ("a. b", "a. b"),
        ("-rf", "%2Drf"),
        ("com1.x", "%63om1.x"),
        ("com10", "com10"),
        ("x" * 180, "x" * 180),
    ],
)
def test_ends_and_devices_are_encoded(document, name):
    assert safe_name(document) == name
    assert original_name(name) == document


def test_a_long_name_ends_with_a_digest():
    name = safe_name("x" * 181)
    start, mark, digest = name.partition("~")
    assert (len(name), start, mark, len(digest)) == (180, "x" * 163, "~", 16)
    assert len(safe_name("é" * 200).encode()) <= 180  # no half of a character


def test_a_name_that_no_document_has_stays():
    assert original_name("50%FF") == "50%FF"  # not UTF-8
    assert original_name("a%2Db") == "a%2Db"  # would have been written as a-b


# --- writing ----------------------------------------------------------------------------------------------------------


def test_a_temporary_file_is_known_by_its_name(tmp_path):
    with atomic(tmp_path / ("x" * 60)):
        (part,) = tmp_path.iterdir()
        assert re.fullmatch(r"\.x{40}\.[0-9a-f]{16}\.part", part.name)
        assert is_temporary(part.name) is True
    assert is_temporary(".x.part") is False


def test_a_hundred_names_are_tried(tmp_path, monkeypatch):
    tried = []
    monkeypatch.setattr("secrets.token_hex", lambda _size: tried.append(1) or "same")
    (tmp_path / ".x.tsv.same.part").write_text("left behind")
    with pytest.raises(UsageError, match="no free name"), atomic(tmp_path / "x.tsv"):
        pass
    assert len(tried) == 100


def test_what_is_written_arrives_as_it_is(tmp_path):
    with atomic(tmp_path / "deep" / "er" / "x.txt") as file:
        file.write("é\r\nb\n")
        assert file.encoding == "utf-8"  # whatever the language of the user
        assert file.buffer.tell() == 6  # a full disk is noticed at once, not when the file is closed
    assert (tmp_path / "deep" / "er" / "x.txt").read_bytes() == "é\r\nb\n".encode()


def test_a_folder_that_another_run_makes_meanwhile_is_used(tmp_path, monkeypatch):
    first = files._new_file_beside

    def beaten(_target):
        (tmp_path / "new").mkdir(exist_ok=True)
        monkeypatch.setattr(files, "_new_file_beside", first)
        raise FileNotFoundError

    monkeypatch.setattr(files, "_new_file_beside", beaten)
    with atomic(tmp_path / "new" / "x.txt") as file:
        file.write("here")
    assert (tmp_path / "new" / "x.txt").read_text() == "here"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "x.txt"
    path.write_text("old")
    path.chmod(mode)
    with atomic(path) as file:
        file.write("new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


def test_a_link_gives_no_permissions(tmp_path):
    (tmp_path / "far.txt").write_text("far")
    path = tmp_path / "x.txt"
    path.symlink_to(tmp_path / "far.txt")  # links are open to all
    with atomic(path) as file:
        file.write("new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()


def umask():
    before = os.umask(0o022)
    os.umask(before)
    return before


def test_an_error_of_the_system_while_writing_is_reported(tmp_path):
    path = tmp_path / "x.txt"
    with pytest.raises(UsageError, match=r"cannot write .*x\.txt: No space left"), atomic(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_file_that_has_gone_hides_no_error(tmp_path):
    def fail():
        for part in tmp_path.iterdir():
            part.unlink()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), atomic(tmp_path / "x.txt"):
        fail()


# --- copies -----------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["links", "no links"])
def file_system(request, monkeypatch):
    """One with hard links, and one without."""
    if request.param == "no links":

        def link(*_arguments, **_options):
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", link)


@pytest.mark.usefixtures("file_system")
def test_a_copy_is_complete_and_as_old_as_the_file(tmp_path):
    path, copy = tmp_path / "x.txt", tmp_path / "x.txt.orig"
    path.write_text("first")
    path.chmod(0o640)
    os.utime(path, ns=(10**18, 10**18))
    keep_copy(path, copy)
    assert copy.read_text() == "first"
    assert (stat.S_IMODE(copy.stat().st_mode), copy.stat().st_mtime_ns) == (0o640, 10**18)
    assert sorted(tmp_path.iterdir()) == [path, copy]


@pytest.mark.usefixtures("file_system")
def test_a_copy_never_takes_a_name_that_is_there(tmp_path):
    path, copy = tmp_path / "x.txt", tmp_path / "x.txt.orig"
    path.write_text("second")
    copy.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"cannot write .*\.orig: File exists"):
        keep_copy(path, copy)
    assert copy.is_symlink()
    assert sorted(tmp_path.iterdir()) == [path, copy]


def test_a_copy_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    path, copy = tmp_path / "x.txt", tmp_path / "x.txt.orig"
    path.write_text("first")
    seen = []

    def fsync(descriptor):
        seen.append((os.fstat(descriptor).st_size, copy.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    keep_copy(path, copy)
    assert seen == [(5, False)]


def test_no_copy_of_what_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="missing: cannot be opened"):
        keep_copy(tmp_path / "missing", tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
