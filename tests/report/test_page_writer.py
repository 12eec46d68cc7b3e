"""The writer of pages alone: when pages are linked, what they are called, and what is never overwritten."""

import os

import pytest

from temporacle.errors import UsageError
from temporacle.report.document import values
from temporacle.report.writing import PageWriter


@pytest.fixture(autouse=True)
def few_documents(monkeypatch):
    monkeypatch.setattr(values, "DOCUMENTS", 2)


def filled(target, count, *, linked=None, without=()):
    writer = PageWriter(target, linked=linked)
    for number in range(1, count + 1):
        writer.add(f"d{number}", f"title {number}", None if number in without else f"<p>article {number}</p>")
    return writer


def names(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else None


def test_few_documents_stay_on_the_page(tmp_path):
    writer = filled(tmp_path / "r.html", 2)
    assert not writer.linked
    assert (writer.href("d1"), writer.href("d3")) == ("#d1", None)
    assert writer.articles == {"d1": "<p>article 1</p>", "d2": "<p>article 2</p>"}
    writer.finish("the page")
    assert writer.written == (tmp_path / "r.html",)
    assert (tmp_path / "r.html").read_text() == "the page"
    assert names(tmp_path) == ["r.html"]


def test_many_documents_get_pages_of_their_own(tmp_path):
    writer = filled(tmp_path / "a b.html", 5)
    assert writer.linked
    assert writer.articles == {}
    assert writer.href("d2") == "a%20b_files/d2.html"
    writer.finish("the page")
    assert names(tmp_path / "a b_files") == [f"d{number}.html" for number in range(1, 6)]
    page = (tmp_path / "a b_files" / "d2.html").read_text()
    assert "title 2" in page
    assert "<p>article 2</p>" in page
    assert "../a%20b.html" in page
    assert writer.written == (
        tmp_path / "a b.html",
        *(tmp_path / "a b_files" / f"d{number}.html" for number in range(1, 6)),
    )


@pytest.mark.parametrize(("linked", "is_linked"), [(True, True), (False, False)])
def test_the_layout_can_be_chosen(tmp_path, linked, is_linked):
    writer = filled(tmp_path / "r.html", 1 if linked else 5, linked=linked)
    assert writer.linked is is_linked
    assert len(writer.articles) == (0 if linked else 5)
    writer.finish("page")  # the last page waits for the one after it
    assert names(tmp_path / "r_files") == (["d1.html"] if linked else None)


def test_documents_without_details_have_no_page(tmp_path):
    writer = filled(tmp_path / "r.html", 4, without={1, 2, 4})
    assert writer.linked  # all documents count
    assert list(writer.keys) == ["d3"]
    assert (writer.href("d4"), writer.href("d3")) == (None, "r_files/d3.html")
    writer.finish("page")
    assert names(tmp_path / "r_files") == ["d3.html"]
    writer = filled(tmp_path / "s.html", 3, without={1, 2, 3})
    assert names(tmp_path / "s_files") == []  # made once, for what may come
    assert writer.written == (tmp_path / "s.html",)


def test_pages_of_earlier_reports_are_removed_and_nothing_else(tmp_path):
    filled(tmp_path / "r.html", 5).finish("five")
    kept = ["d.html", "d1-.html", "d1.htm", "d1.html.bak", "notes.txt", "xd1.html"]
    for name in [*kept, "d7-2.html"]:
        (tmp_path / "r_files" / name).write_text("mine")
    filled(tmp_path / "r.html", 3).finish("three")
    assert names(tmp_path / "r_files") == sorted([*kept, "d1.html", "d2.html", "d3.html"])
    filled(tmp_path / "r.html", 1).finish("one")
    assert names(tmp_path / "r_files") == kept


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        (lambda here: (here / "r.html").mkdir(), "cannot write .*r.html: Is a directory"),
        (lambda here: os.mkfifo(here / "r.html"), "it is a device or a pipe; give the name of a file"),
        (lambda here: (here / "r.html").symlink_to(here / "x"), "r.html: it is a symbolic link"),
        (lambda here: (here / "r_files").symlink_to(here), "r_files: it is a symbolic link"),
    ],
    ids=["folder", "pipe", "link", "link of the folder"],
)
def test_places_that_are_not_for_a_page_are_refused_at_once(tmp_path, plant, said):
    plant(tmp_path)
    before = names(tmp_path)
    with pytest.raises(UsageError, match=said):
        PageWriter(tmp_path / "r.html")
    assert names(tmp_path) == before


def test_missing_folders_of_a_page_are_made_as_for_all_other_files(tmp_path):
    filled(tmp_path / "missing" / "r.html", 3).finish("three")
    assert (tmp_path / "missing" / "r.html").read_text() == "three"


def test_links_that_are_planted_later_are_refused(tmp_path):
    writer = PageWriter(tmp_path / "r.html", linked=True)
    (tmp_path / "r_files").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="r_files: it is a symbolic link"):
        writer.add("d1", "title", "article")
    (tmp_path / "r_files").unlink()
    (tmp_path / "r.html").symlink_to(tmp_path / "x")
    with pytest.raises(UsageError, match=r"r\.html: it is a symbolic link"):
        writer.finish("page")
    assert not (tmp_path / "x").exists()


def test_a_link_in_the_place_of_the_folder_is_not_emptied(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "d1.html").write_text("mine")
    writer = PageWriter(tmp_path / "r.html")
    (tmp_path / "r_files").symlink_to(tmp_path / "far")
    writer.finish("page")
    assert names(tmp_path / "far") == ["d1.html"]


def test_a_file_in_the_place_of_the_folder_is_reported(tmp_path):
    writer = PageWriter(tmp_path / "r.html", linked=True)
    (tmp_path / "r_files").write_text("mine")
    with pytest.raises(UsageError, match=r"cannot write .*r_files: File exists"):
        writer.add("d1", "title", "article")


def test_half_a_character_is_shown_as_an_escape(tmp_path):
    PageWriter(tmp_path / "r.html").finish("caf\udce9")
    assert (tmp_path / "r.html").read_bytes() == b"caf\\udce9"
