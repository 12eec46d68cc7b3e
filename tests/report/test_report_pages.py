"""Pages as files: escaping, layout on disk, and what the command says."""

import base64
import hashlib
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report.hostile import ATTACK, write_hostile_corpus

from temporacle.cli import run
from temporacle.report.pages.document import document_article
from temporacle.report.values import limits
from temporacle.report.values.document import (
    Arrow,
    Conflict,
    DocumentPage,
    EntityKind,
    EntityRow,
    GraphEdge,
    GraphNode,
    LinkRow,
    MinimalGraph,
    Piece,
    RemarkRow,
    TimelineBar,
    TimelineBars,
)
from temporacle.results import DocumentVerdict

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Seen(HTMLParser):
    """Elements, attributes and texts of a page, as a browser would see them."""

    def __init__(self):
        super().__init__()
        self.elements = []
        self.texts = []
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "input", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        self.texts.append(data)


def seen(path_or_text):
    parser = Seen()
    parser.feed(path_or_text if isinstance(path_or_text, str) else path_or_text.read_text("utf-8"))
    parser.close()
    assert not parser.open
    return parser


def assert_inert(page):
    """One script, ours; no element or attribute that could run another or load anything."""
    scripts = [attrs for tag, attrs in page.elements if tag == "script"]
    assert len(scripts) <= 1
    for tag, attrs in page.elements:
        assert tag not in {
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "foreignobject",
            "image",
            "use",
            "audio",
            "video",
        }
        assert not [name for name in attrs if name.startswith("on")]
        for name in ("href", "src", "xlink:href", "action"):
            target = attrs.get(name, "")
            assert target == "data:," or not re.match(r"\s*[a-z][a-z0-9+.-]*:", target, re.IGNORECASE), target
            assert not target.startswith("//")


def hostile_page(verdict):
    entity = EntityRow(0, f"e{ATTACK}", EntityKind.EVENT, ATTACK, ATTACK)
    link = LinkRow(f"l{ATTACK}", f"e{ATTACK}", ATTACK, "b", ATTACK, 3)
    return DocumentPage(
        id=ATTACK,
        verdict=verdict,
        path=ATTACK,
        format="tsv",
        reading=ATTACK,
        reason=ATTACK,
        entities=(entity,),
        links=(link,),
        pieces=(Piece(ATTACK), Piece(ATTACK, (entity,))),
        timeline=TimelineBars((TimelineBar(entity, 0, 1),)),
        timeline_note=ATTACK,
        graph=MinimalGraph((GraphNode(0, (ATTACK,)), GraphNode(1, (ATTACK, "b"))), (GraphEdge(0, "<=", 1),)),
        conflict=Conflict(
            (link,), (Arrow(ATTACK, "<", "y.end", link), Arrow("y.end", "<", ATTACK, None)), is_cycle=True
        ),
        repair=(link,),
        repair_note=ATTACK,
        remarks=(RemarkRow(ATTACK, ATTACK, 1, ATTACK, dropped=True),),
    )


@pytest.mark.parametrize("verdict", list(DocumentVerdict))
def test_every_string_of_a_document_is_escaped(verdict):
    page = seen(document_article(hostile_page(verdict), "d1"))
    assert_inert(page)
    assert not [tag for tag, _ in page.elements if tag == "script"]
    assert sum(ATTACK in text for text in page.texts) >= 5


@pytest.mark.parametrize("layout", ["single", "linked"])
def test_a_hostile_corpus_is_inert(tmp_path, layout):
    corpus = write_hostile_corpus(tmp_path / "corpus")
    assert run(["report", str(corpus), "-o", str(tmp_path / "r.html"), "--layout", layout]) == 3
    pages = [tmp_path / "r.html", *(tmp_path / "r_files").glob("*.html")]
    assert len(pages) == (1 if layout == "single" else 4)
    for path in pages:
        assert_inert(seen(path))


def test_a_hostile_comparison_is_inert(tmp_path):
    corpus = write_hostile_corpus(tmp_path / "corpus")
    run(["report", str(corpus), str(corpus), "-o", str(tmp_path / "r.html")])
    page = seen(tmp_path / "r.html")
    assert_inert(page)
    assert any("awareness" in text for text in page.texts)


def test_only_our_script_is_allowed_to_run(tmp_path):
    run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path / "r.html")])
    text = (tmp_path / "r.html").read_text("utf-8")
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")


def test_the_page_of_the_examples(tmp_path, capsys):
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path / "r.html")]) == 0
    assert "4 documents (2 consistent, 2 inconsistent)" in capsys.readouterr().out
    page = seen(tmp_path / "r.html")
    anchors = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    targets = [attrs["href"][1:] for tag, attrs in page.elements if tag == "a" and attrs["href"].startswith("#")]
    assert {"d1", "d2", "d3", "d4"} <= anchors
    assert {target for target in targets if re.fullmatch(r"d\d|main|documents-title", target)} <= anchors
    assert sum(tag == "svg" for tag, _ in page.elements) >= 8
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_many_documents_go_to_linked_pages_and_old_ones_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "DOCUMENTS", 2)
    target, folder = tmp_path / "my report#1.html", tmp_path / "my report#1_files"
    folder.mkdir()
    (folder / "d77.html").write_text("old")
    (folder / "mine.html").write_text("kept")
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(target)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["d1.html", "d2.html", "d3.html", "d4.html", "mine.html"]
    page = seen(target)
    links = [attrs["href"] for tag, attrs in page.elements if tag == "a" and "_files" in attrs["href"]]
    assert links == [f"my%20report%231_files/d{number}.html" for number in range(1, 5)]
    assert not [tag for tag, _ in page.elements if tag == "article"]
    back = [attrs["href"] for tag, attrs in seen(folder / "d1.html").elements if tag == "a"]
    assert "../my%20report%231.html" in back
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(target), "--layout", "single"]) == 0
    assert [path.name for path in folder.iterdir()] == ["mine.html"]


def test_documents_of_one_name_are_all_shown_and_said_to_be_twins(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.tsv").write_text("x\tBEFORE\ty\n")
    assert (
        run(["report", str(tmp_path / "a"), str(tmp_path / "b"), "--as", "corpus", "-o", str(tmp_path / "r.html")]) == 0
    )
    page = seen(tmp_path / "r.html")
    assert {"d1", "d2"} <= {attrs.get("id") for _, attrs in page.elements}
    assert any("also read from" in text for text in page.texts)


def test_a_text_cannot_pose_as_the_place_of_a_document(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"document": "\\ue000key\\ue000", "links": []}\n')
    assert run(["report", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "r.html")]) == 0
    assert_inert(seen(tmp_path / "r.html"))


def test_two_processes_write_the_same_page(tmp_path):
    for jobs in ("1", "2"):
        assert run(["report", str(EXAMPLES / "corpus"), "--jobs", jobs, "-o", str(tmp_path / f"{jobs}.html")]) == 0
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes exist on Linux")
def test_a_file_name_that_is_no_text_is_shown_as_an_escape(tmp_path):
    (tmp_path / "corpus").mkdir()
    name = os.fsencode(tmp_path / "corpus") + b"/a\xff.tsv"
    Path(os.fsdecode(name)).write_bytes(b"a\tBEFORE\tb\n")
    assert run(["report", str(tmp_path / "corpus"), "-o", str(tmp_path / "r.html")]) == 0
    assert "a\\udcff" in (tmp_path / "r.html").read_text("utf-8")


def test_nothing_readable_writes_nothing(tmp_path, capsys):
    (tmp_path / "broken.tml").write_text("<TimeML>")
    assert run(["report", str(tmp_path / "broken.tml"), "-o", str(tmp_path / "r.html")]) == 2
    assert not (tmp_path / "r.html").exists()
    assert "broken.tml" in capsys.readouterr().err


def test_a_target_that_cannot_be_written_is_refused_before_work(tmp_path, capsys):
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path / "no" / "r.html")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert run(["report", str(EXAMPLES / "corpus"), "-o", str(tmp_path)]) == 2


def test_several_paths_are_one_corpus_unless_they_answer_each_other(tmp_path, capsys):
    run(["report", str(EXAMPLES / "corpus"), str(EXAMPLES / "gold"), "-o", str(tmp_path / "r.html")])
    assert "6 documents" in capsys.readouterr().out
    run(["report", str(EXAMPLES / "gold"), str(EXAMPLES / "system"), "-o", str(tmp_path / "r.html")])
    assert "gold documents: 2, systems: 1" in capsys.readouterr().out
    run(["report", str(EXAMPLES / "gold"), str(EXAMPLES / "system"), "--as", "corpus", "-o", str(tmp_path / "r.html")])
    assert "4 documents" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["a"], ["a", "b"]], ids=["corpus", "comparison"])
def test_links_that_were_dropped_are_told_and_not_all_is_well(tmp_path, monkeypatch, capsys, arguments):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tsv").write_text("x\tBEFORE\ty\ny\tNOSUCH\tz\n")
    monkeypatch.chdir(tmp_path)
    assert run(["report", *arguments, "-o", "r.html"]) == 3
    assert "a/d.tsv:2: dropped 2: unknown label 'NOSUCH'" in capsys.readouterr().err


def test_what_is_unreadable_is_named_beside_the_page(tmp_path, monkeypatch, capsys):
    (tmp_path / "d.tsv").write_text("x\tBEFORE\ty\n")
    (tmp_path / "torn.tsv").write_text("x\tBEFORE\n")
    monkeypatch.chdir(tmp_path)
    assert run(["report", "d.tsv", "torn.tsv", "--as", "corpus", "-o", "r.html"]) == 3
    assert "unreadable: torn.tsv:1: " in capsys.readouterr().err
    assert run(["report", "d.tsv", "nosuch", "--as", "comparison", "-o", "none.html"]) == 2
    assert "nosuch: no readable document" in capsys.readouterr().err
    assert not (tmp_path / "none.html").exists()


def test_options_of_a_comparison_are_refused_for_a_corpus(tmp_path):
    for option in (["--align", "spans"], ["--seed", "3"]):
        assert run(["report", str(EXAMPLES / "corpus"), *option, "-o", str(tmp_path / "r.html")]) == 2
