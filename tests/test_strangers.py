"""What a first user meets: options that do not fit are refused with the cure, and results have their whole outside."""

import csv
import io

import pytest

import temporacle as tp
from temporacle.cli import run

LINKS = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]


@pytest.fixture
def files(tmp_path):
    gold, system, other = (tmp_path / name for name in ("gold.tsv", "system.tsv", "other.tsv"))
    gold.write_text("a\tBEFORE\tb\nb\tBEFORE\tc\n")
    system.write_text("a\tBEFORE\tb\n")
    other.write_text("a\tBEFORE\tc\n")
    for side in ("gold", "system", "other"):
        (tmp_path / side).mkdir()
        (tmp_path / f"{side}.tsv").rename(tmp_path / side / "d.tsv")
    return [str(tmp_path / side) for side in ("gold", "system", "other")]


@pytest.mark.parametrize("systems", [1, 2])
def test_counts_of_several_metrics_are_shown(files, capsys, systems):
    paths = files[: 1 + systems]
    code = run(["score", *paths, "--metric", "awareness", "--metric", "reduction", "--counts", "--output", "csv"])
    assert code == 0
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    for row in found:
        awareness = row["metric"] == "awareness"
        assert (row["gold_total"] != "") == awareness
        assert (row["v_key"] != "") == (not awareness)
    assert run(["score", *paths, "--metric", "awareness", "--metric", "reduction", "--counts"]) == 0
    table = capsys.readouterr().out
    assert "gold_total" in table
    assert "v_key" in table


def refused(capsys, *arguments):
    assert run(list(arguments)) == 2
    return capsys.readouterr().err


def test_a_program_is_not_called_unknown(files, capsys):
    said = refused(capsys, "score", *files[:2], "--metric", "awareness", "--metric", "i2b2")
    assert "program of its own" in said
    with pytest.raises(tp.UsageError, match=r"command line, with temporacle score GOLD SYSTEM --metric i2b2"):
        tp.score(*files[:2], metric="i2b2")
    assert "qa-tempeval" in refused(capsys, "score", *files[:2], "--metric", "nonsense")
    assert "chemotimelines" in refused(capsys, "score", *files[:2], "--metric", "core", "--official")


def test_options_of_a_live_audit_are_not_ignored(files, capsys):
    source, claimed = files[:2]
    assert "--cases, --large: only for a live audit" in refused(
        capsys, "audit", source, claimed, "--cases", "5", "--large", "0"
    )
    assert "--limit" in refused(capsys, "audit", source, claimed, "--limit", "1")
    assert "leave out SOURCE" in refused(capsys, "audit", source, "--command", "cat", "--seed", "5")
    assert "--evidence" in refused(capsys, "audit", "--command", "cat", "--evidence", "5")


def test_a_document_that_is_not_there_answers_nothing(tmp_path, capsys):
    assert "no readable document" in refused(capsys, "ask", str(tmp_path / "none.tml"), "IS a BEFORE b")


def test_the_cure_for_a_contradiction_is_an_option(tmp_path, capsys):
    path = tmp_path / "d.tsv"
    path.write_text("a\tBEFORE\tb\nb\tBEFORE\ta\n")
    assert run(["ask", str(path), "IS a BEFORE b"]) == 3
    assert "--contradictions set-aside" in capsys.readouterr().err
    assert run(["ask", str(path), "IS a BEFORE b", "--contradictions", "set-aside"]) == 0


def test_answers_have_the_outside_of_results():
    found = tp.ask(LINKS, ["IS a BEFORE c"])
    assert repr(found) == "Answers(1 question: yes)"
    assert found[0].answer == "yes"
    assert found.to_dict() == {"answers": [found[0].to_dict()], "total": None}
    assert "<td>yes</td>" in found._repr_html_()
    assert repr(tp.ask(LINKS, ["IS a BEFORE c"] * 7)).endswith("yes, ...)")
