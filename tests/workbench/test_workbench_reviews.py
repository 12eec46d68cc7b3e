"""Documents that a person has reviewed, with a note: kept beside the corpus, and exported."""

import json

import pytest
from workbench_runs import of, running

from temporacle.cli import run
from temporacle.workbench.reviews import NAME


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "one.tsv").write_text("a\tBEFORE\tb\nb\tBEFORE\ta\n")
    (folder / "two.tsv").write_text("a\tBEFORE\tb\nb\tODD\tc\n")
    return folder


def test_reviews_are_kept_beside_the_corpus(corpus):
    with running(corpus) as bench:
        rows = {row["id"]: row for row in bench.get("/api/documents")}
        assert [(row["reviewed"], row["note"]) for row in rows.values()] == [(False, "")] * 2
        assert (rows["one"]["sizes"], rows["one"]["labels"]) == ([2], ["BEFORE"])
        assert rows["two"]["codes"] == ["unknown-label"]
        for body in ({}, {"reviewed": 1}, {"note": 2}, {"other": True}, {"note": "x" * 10_001}):
            assert bench.refused("POST", of("one", "review"), body)[0] == 400
        assert bench.refused("POST", of("three", "review"), {"reviewed": True})[0] == 404
        assert bench.post(of("one", "review"), {"note": "see\tl2"}) == {"reviewed": False, "note": "see\tl2"}
        assert bench.post(of("one", "review"), {"reviewed": True}) == {"reviewed": True, "note": "see\tl2"}
        bench.post(of("two", "review"), {"reviewed": True})
        bench.post(of("two", "review"), {"reviewed": False})
        assert bench.get(of("one"))["reviewed"] is True
    assert list(json.loads((corpus / NAME).read_bytes())) == ["one"]
    with running(corpus, "--read-only") as bench:
        (row,) = (row for row in bench.get("/api/documents") if row["reviewed"])
        assert (row["id"], row["note"]) == ("one", "see\tl2")
        head, line = bench.ask("GET", "/api/reviews")[2].decode().splitlines()
        assert head.split("\t") == ["document", "reviewed", "note", "who", "when"]
        assert line.split("\t")[:3] == ["one", "True", r"see\tl2"]
        assert bench.refused("POST", of("one", "review"), {"reviewed": False})[0] == 403


def test_a_file_that_is_not_one_of_reviews_is_left_alone(corpus, capsys):
    (corpus / NAME).write_text("[1]")
    assert run(["workbench", str(corpus), "--no-browser"]) == 3
    assert "is not a file of reviews" in capsys.readouterr().err
    assert (corpus / NAME).read_text() == "[1]"


def test_figures_of_a_corpus_and_of_a_comparison(tmp_path):
    for side, label in (("anna", "BEFORE"), ("ben", "AFTER")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "d.tsv").write_text(f"a\tBEFORE\tb\nb\tBEFORE\tc\nc\t{label}\ta\n")
    with running("anna", "--port", "0", cwd=tmp_path) as server:
        server.get("/api/documents")
        found = server.get("/api/statistics")
    assert (found["documents"], found["links"], found["entities"], found["conflicts"]) == (1, 3, 3, 1)
    assert found["verdicts"] == {"inconsistent": 1}
    assert (found["labels"], found["sizes_of_conflicts"], found["skipped_links"]) == ({"BEFORE": 3}, {"3": 1}, {})
    with running("--compare", "anna", "ben", "--port", "0", cwd=tmp_path) as server:
        assert server.get("/api/documents")[0]["path"] == "adjudicated/d.tsv"
        found = server.get("/api/statistics")
        own = server.get("/api/documents/d/agreement")
    assert found["names"] == ["anna", "ben"]
    assert found["agreement"] == {"kappa": own["kappa"], "alpha": own["alpha"]}
