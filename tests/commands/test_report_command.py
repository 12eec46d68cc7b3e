"""``temporacle report``: what it prints, and its exit codes."""

from pathlib import Path

import pytest

from temporacle.cli import run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_nothing_readable_writes_nothing(tmp_path, capsys):
    (tmp_path / "broken.tml").write_text("<TimeML>")
    assert run(["report", str(tmp_path / "broken.tml"), "-o", str(tmp_path / "r.html")]) == 2
    assert not (tmp_path / "r.html").exists()
    assert "broken.tml" in capsys.readouterr().err


def test_several_paths_are_one_corpus_unless_they_answer_each_other(tmp_path, capsys):
    run(["report", str(EXAMPLES / "corpus"), str(EXAMPLES / "gold"), "-o", str(tmp_path / "r.html")])
    assert "6 documents" in capsys.readouterr().out
    run(["report", str(EXAMPLES / "gold"), str(EXAMPLES / "system"), "-o", str(tmp_path / "r.html")])
    assert "gold documents: 2, systems: 1" in capsys.readouterr().out
    run(["report", str(EXAMPLES / "gold"), str(EXAMPLES / "system"), "--as", "corpus", "-o", str(tmp_path / "r.html")])
    assert "4 documents" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["a"], ["a", "b"]], ids=["corpus", "comparison"])
def test_dropped_links_are_reported_and_give_exit_code_3(tmp_path, monkeypatch, capsys, arguments):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tsv").write_text("x\tBEFORE\ty\ny\tNOSUCH\tz\n")
    monkeypatch.chdir(tmp_path)
    assert run(["report", *arguments, "-o", "r.html"]) == 3
    assert "a/d.tsv:2: skipped[unknown-label]: 2: unknown label 'NOSUCH'" in capsys.readouterr().err


def test_what_is_unreadable_is_named_beside_the_page(tmp_path, monkeypatch, capsys):
    (tmp_path / "d.tsv").write_text("x\tBEFORE\ty\n")
    (tmp_path / "torn.tsv").write_text("x\tBEFORE\n")
    monkeypatch.chdir(tmp_path)
    assert run(["report", "d.tsv", "torn.tsv", "--as", "corpus", "-o", "r.html"]) == 3
    assert "torn.tsv:1: error[unreadable]: " in capsys.readouterr().err
    assert run(["report", "d.tsv", "nosuch", "--as", "comparison", "-o", "none.html"]) == 2
    assert "no such file or folder: nosuch" in capsys.readouterr().err
    assert not (tmp_path / "none.html").exists()


def test_options_of_a_comparison_are_refused_for_a_corpus(tmp_path):
    for option in (["--align", "spans"], ["--seed", "3"]):
        assert run(["report", str(EXAMPLES / "corpus"), *option, "-o", str(tmp_path / "r.html")]) == 2


def test_the_title_takes_the_place_of_the_paths(tmp_path):
    for paths in (["corpus"], ["gold", "system"]):
        target = tmp_path / "r.html"
        assert run(["report", *(str(EXAMPLES / path) for path in paths), "--title", "<My> run", "-o", str(target)]) == 0
        text = target.read_text("utf-8")
        assert "<title>Temporacle report: &lt;My&gt; run</title>" in text
        assert str(EXAMPLES / "corpus") not in text.split("</header>")[0]
