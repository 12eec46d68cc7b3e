"""Pages as files: one or many, never through a symbolic link, never half."""

import os
import sys
from pathlib import Path

import pytest
from report.seen import seen

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.report.document import values
from temporacle.report.writing import PageWriter

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")


def test_many_documents_go_to_linked_pages_and_old_ones_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(values, "DOCUMENTS", 2)
    target, folder = tmp_path / "my report#1.html", tmp_path / "my report#1_files"
    folder.mkdir()
    (folder / "d77.html").write_text("old")
    (folder / "mine.html").write_text("kept")
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(target), "--all-details"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["d1.html", "d2.html", "d3.html", "d4.html", "mine.html"]
    page = seen(target)
    links = [attrs["href"] for tag, attrs in page.elements if tag == "a" and "_files" in attrs["href"]]
    assert links == [f"my%20report%231_files/d{number}.html" for number in (1, 3, 2, 4)]  # inconsistent ones first
    assert not [tag for tag, _ in page.elements if tag == "article"]
    back = [attrs["href"] for tag, attrs in seen(folder / "d1.html").elements if tag == "a"]
    assert "../my%20report%231.html" in back
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(target), "--layout", "single"]) == 0
    assert [path.name for path in folder.iterdir()] == ["mine.html"]


@pytest.mark.parametrize("layout", ["auto", "linked", "single"])
@pytest.mark.parametrize("in_one_file", [False, True])
def test_plain_documents_of_a_large_corpus_are_listed_without_details(tmp_path, monkeypatch, layout, in_one_file):
    """However the documents come, and wherever they are drawn."""
    monkeypatch.setattr(values, "DOCUMENTS", 4)
    documents = {f"n{number}": [("a", "BEFORE", "b")] for number in range(6)}
    documents["n3"] = [("a", "BEFORE", "b"), ("b", "BEFORE", "a")]
    documents["n5"] = [("a", "BEFORE", "b"), ("c", "SIMULTANEOUS", "c")]  # a remark
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    if in_one_file:
        tp.write([tp.Document(name, links) for name, links in documents.items()], corpus / "all.jsonl")
    else:
        for name, links in documents.items():
            (corpus / f"{name}.tsv").write_text("".join("\t".join(link) + "\n" for link in links))
    target = tmp_path / "r.html"
    assert run(["report", str(corpus), "-o", str(target), "--layout", layout, "--jobs", "1"]) == 0
    page = seen(target)
    assert any("4 documents are consistent and without warnings" in text for text in page.texts)
    linked = [attrs["href"] for tag, attrs in page.elements if tag == "a" and "d" in attrs["href"][-7:-4]]
    shown = ["d4", "d6"]
    if layout == "single":
        assert [attrs["id"] for tag, attrs in page.elements if tag == "article"] == shown
    else:
        assert linked == [f"r_files/{key}.html" for key in shown]
        assert sorted(path.name for path in (tmp_path / "r_files").iterdir()) == [f"{key}.html" for key in shown]
    rows = [attrs for tag, attrs in page.elements if tag == "tr" and "data-group" in attrs]
    assert [row["data-group"] for row in rows] == ["inconsistent"] + ["consistent"] * 5
    details = target.read_text() if layout == "single" else (tmp_path / "r_files" / "d6.html").read_text()
    assert "Consistent documents of a large corpus are not drawn." in details
    assert "self-link" in details
    assert run(["report", str(corpus), "-o", str(target), "--layout", layout, "--jobs", "1", "--all-details"]) == 0
    assert not any("without warnings, and only listed" in text for text in seen(target).texts)
    details = target.read_text() if layout == "single" else (tmp_path / "r_files" / "d6.html").read_text()
    assert "not drawn." not in details


def test_a_target_that_cannot_be_written_is_refused_before_work(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path / "file" / "r.html")]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path)]) == 2


@needs_links
@pytest.mark.parametrize("layout", ["single", "linked"])
@pytest.mark.parametrize("planted", ["r.html", "r_files"])
def test_a_page_is_not_written_through_a_planted_link(tmp_path, planted, layout):
    victim = tmp_path / "victim"
    if planted == "r.html":
        victim.write_text("precious")
    else:
        victim.mkdir()
        (victim / "d1.html").write_text("precious")
    (tmp_path / planted).symlink_to(victim)
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path / "r.html"), "--layout", layout]) == 2
    assert (victim if planted == "r.html" else victim / "d1.html").read_text() == "precious"
    assert (tmp_path / planted).is_symlink()
    assert len(list(tmp_path.rglob("*"))) == (2 if planted == "r.html" else 3)


@needs_links
def test_a_dangling_link_is_refused_and_its_target_not_made(tmp_path):
    (tmp_path / "r.html").symlink_to(tmp_path / "elsewhere.html")
    with pytest.raises(UsageError):
        PageWriter(tmp_path / "r.html")
    assert not (tmp_path / "elsewhere.html").exists()


@needs_links
def test_a_link_among_linked_pages_is_replaced_and_what_it_points_to_stays(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "r_files").mkdir()
    for name in ("d1.html", "d77.html"):
        (tmp_path / "r_files" / name).symlink_to(victim)
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path / "r.html"), "--layout", "linked"]) == 0
    assert victim.read_text() == "precious"
    assert not (tmp_path / "r_files" / "d1.html").is_symlink()
    assert not (tmp_path / "r_files" / "d77.html").is_symlink()


@needs_links
def test_a_link_that_is_planted_while_the_report_is_made_is_refused(tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    writer = PageWriter(tmp_path / "r.html", linked=True)
    writer.folder.symlink_to(victim)
    with pytest.raises(UsageError):
        writer.add("d1", "one", "<p>one</p>")
    assert list(victim.iterdir()) == []
    writer = PageWriter(tmp_path / "s.html")
    writer.target.symlink_to(tmp_path / "elsewhere.html")
    with pytest.raises(UsageError):
        writer.finish("<p>page</p>")
    assert not (tmp_path / "elsewhere.html").exists()


@needs_links
def test_a_pipe_or_device_is_no_place_for_a_page(tmp_path):
    os.mkfifo(tmp_path / "pipe.html")
    for target in (tmp_path / "pipe.html", Path(os.devnull)):
        with pytest.raises(UsageError):
            PageWriter(target)


def test_the_writer_says_what_it_wrote_and_leaves_nothing_else(tmp_path):
    for linked in (False, True):
        folder = tmp_path / str(linked)
        folder.mkdir()
        writer = PageWriter(folder / "r.html", linked=linked)
        for number in (1, 2):
            writer.add(f"d{number}", "title", "<p>article</p>")
        assert len(writer.articles) == (0 if linked else 2)
        writer.finish("<p>page</p>")
        assert sorted(writer.written) == sorted(path for path in folder.rglob("*") if path.is_file())
        assert all(path.stat().st_mode & 0o444 == 0o444 for path in writer.written)
