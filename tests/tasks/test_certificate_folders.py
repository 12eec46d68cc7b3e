"""Files of certificates: their names, one file or a folder, and documents without a record."""

import json
import os

import pytest

import temporacle as tp
from temporacle.errors import InternalError, UsageError
from temporacle.tasks.certificates import CertificateFiles, DocumentFiles, FileNames

GOOD = "a\tBEFORE\tb\nb\tBEFORE\tc\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.tsv").write_text(GOOD)
    return tmp_path


def test_equal_names_are_numbered():
    names = FileNames()
    assert [names.next(name) for name in ("d", "D", "e", "d", "a/b")] == ["d", "D~2", "e", "d~3", "a%2Fb"]


def test_a_folder_has_a_file_for_each_document(here):
    files = CertificateFiles("proofs", reserved=["total"])
    assert files.write("d", {"claim": 1}).name == "d.json"
    assert files.write("total", {"claim": 2}).name == "total~2.json"
    assert files.write_reserved("total", {"claim": 3}).name == "total.json"
    assert {path.name: json.loads(path.read_text())["claim"] for path in (here / "proofs").iterdir()} == {
        "d.json": 1, "total~2.json": 2, "total.json": 3,
    }  # fmt: skip


def test_one_file_is_for_one_document(here):
    files = CertificateFiles(file="c.json")
    assert str(files.write("d", {})) == "c.json"
    with pytest.raises(UsageError, match=r"there are several documents \(d, e, ...\)"):
        files.write("e", {})
    assert not (here / "c.json").exists()
    with pytest.raises(UsageError, match="several documents"):
        files.write("f", {})  # though its file has gone
    with pytest.raises(UsageError, match="give one of them"):
        CertificateFiles("proofs", file="c.json")
    with pytest.raises(UsageError, match="several documents"):
        CertificateFiles().write("d", {})
    with pytest.raises(InternalError, match="without a folder"):
        CertificateFiles().write_reserved("total", {})


def test_no_certificate_takes_the_place_of_what_was_read(here):
    with pytest.raises(UsageError):
        CertificateFiles(file="good.tsv").write("good", {}, read=["good.tsv"])
    assert (here / "good.tsv").read_text() == GOOD


def test_a_file_that_changed_since_the_start_has_no_record(here):
    files = DocumentFiles()
    document = tp.read("good.tsv")
    os.utime("good.tsv", ns=(1, 1))
    assert DocumentFiles().record("good", None, None, ())["sha256"] is None
    files._began = 0  # before the file was last changed
    assert files.record("good", "good.tsv", document.how_read, ()) is None
