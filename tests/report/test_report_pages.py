"""Pages as HTML: everything from a document is escaped, and only our script may run."""

import base64
import hashlib
import os
import re
import sys
from pathlib import Path

import pytest
from report.hostile import ATTACK, write_hostile_corpus
from report.seen import assert_inert, seen

from temporacle.cli import run
from temporacle.report.document.page import document_article
from temporacle.report.document.values import (
    DocumentPage,
    DrawnArrow,
    EntityRow,
    FactRow,
    GraphEdge,
    GraphNode,
    LinkRow,
    MinimalGraph,
    Piece,
    RemarkRow,
    ShownConflict,
    TimelineBar,
    TimelineBars,
)
from temporacle.report.layout import DrawnPlace
from temporacle.results import DocumentVerdict

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def hostile_page(verdict):
    entity = EntityRow(0, f"e{ATTACK}", "event", ATTACK, ATTACK, in_text=True)
    link = LinkRow(f"l{ATTACK}", f"e{ATTACK}", ATTACK, "b", ATTACK, 3)
    fact = FactRow(link, entity, entity, ATTACK, ATTACK)
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
        timeline=TimelineBars((TimelineBar(entity, DrawnPlace(0, None, 0, 4, 5)),)),
        timeline_note=ATTACK,
        graph=MinimalGraph((GraphNode(0, (ATTACK,)), GraphNode(1, (ATTACK, "b"))), (GraphEdge(0, "<=", 1),)),
        conflicts=(
            ShownConflict(
                (link,),
                (DrawnArrow(ATTACK, "<", "y.end", link), DrawnArrow("y.end", "<", ATTACK, None)),
                is_cycle=True,
                headline=ATTACK,
                facts=(fact,),
                sentences=((Piece(ATTACK), Piece(ATTACK, (entity,))),),
                derivation=(ATTACK,),
            ),
        ),
        conflict_note=ATTACK,
        repair=(fact,),
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


def test_documents_of_one_name_are_all_shown_and_said_to_be_twins(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.tsv").write_text("x\tBEFORE\ty\n")
    assert (
        run(["report", str(tmp_path / "a"), str(tmp_path / "b"), "--as", "corpus", "-o", str(tmp_path / "r.html")]) == 0
    )
    page = seen(tmp_path / "r.html")
    assert {"d1", "d2"} <= {attrs.get("id") for _, attrs in page.elements}
    assert "Another document of this name was read from a/same.tsv." in page.texts
    assert str(tmp_path) not in (tmp_path / "r.html").read_text()


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


@pytest.mark.parametrize("arguments", [["corpus"], ["corpus", "--layout", "linked"], ["gold", "system"]])
def test_every_page_has_a_policy_that_loads_nothing(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(EXAMPLES)
    run(["report", *arguments, "-o", str(tmp_path / "r.html")])
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) == (5 if "linked" in arguments else 1)
    for path in pages:
        policies = [attrs for tag, attrs in seen(path).elements if "http-equiv" in attrs]
        assert [policy["http-equiv"] for policy in policies] == ["Content-Security-Policy"]
        assert policies[0]["content"].startswith("default-src 'none';")
        scripts = re.search(r"script-src ([^;]*);", policies[0]["content"]).group(1)
        assert scripts == "'none'" or scripts.startswith("'sha256-")
