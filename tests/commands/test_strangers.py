"""What a first user meets: options that do not fit are refused with the cure, and results have their whole outside."""

import csv
import io
import json
from pathlib import Path

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
    assert "metric i2b2 reads a format of its own" in said
    with pytest.raises(tp.UsageError, match="no file has tags of i2b2 2012"):
        tp.score(*files[:2], metric="i2b2")
    assert "qa-tempeval" in refused(capsys, "score", *files[:2], "--metric", "nonsense")
    assert "chemotimelines" in refused(capsys, "score", *files[:2], "--metric", "core", "--official")


def test_options_of_a_live_audit_are_not_ignored(files, capsys):
    source, claimed = files[:2]
    assert "--cases, --large: only for a live audit" in refused(
        capsys, "audit", source, claimed, "--cases", "5", "--large", "0"
    )
    assert "leave out SOURCE" in refused(capsys, "audit", source, "--command", "cat", "--seed", "5")
    assert "--evidence" in refused(capsys, "audit", "--command", "cat", "--evidence", "5")


def test_a_document_that_is_not_there_answers_nothing(tmp_path, capsys):
    assert "no such file or folder" in refused(capsys, "ask", str(tmp_path / "none.tml"), "IS a BEFORE b")


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
    assert found.to_dict() == {"answers": [found[0].to_dict()], "total": None, "skipped_links": {}}
    assert "<td>yes</td>" in found._repr_html_()
    assert repr(tp.ask(LINKS, ["IS a BEFORE c"] * 7)).endswith("yes, ...)")


@pytest.fixture
def scores(tmp_path):
    pairs = [
        {"source": "a", "target": "b", "scores": {"BEFORE": 0.9, "AFTER": 0.1}},
        {"source": "b", "target": "c", "scores": {"BEFORE": 1}},
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps({"document": "d", "reading": "matres", "pairs": pairs}) + "\n")
    return str(path)


def test_margins_and_alternatives_are_shown_to_people(scores, capsys):
    assert run(["decode", scores, "--margins", "--alternatives", "2"]) == 0
    shown = capsys.readouterr().out
    assert "d: a BEFORE b, margin 2.1972" in shown
    assert "d: b BEFORE c, no other label is possible" in shown
    assert run(["decode", scores, "--margins", "--output", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["margin"][:6] for row in rows] == ["2.1972", ""]
    assert run(["decode", scores, "--output", "csv"]) == 0
    assert "margin" not in capsys.readouterr().out


def test_alternatives_are_listed_with_their_labels(tmp_path, capsys):
    pairs = [{"source": "a", "target": "b", "scores": {"BEFORE": 0.6, "AFTER": 0.3, "EQUAL": 0.1}}]
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"document": "d", "reading": "matres", "pairs": pairs}) + "\n")
    assert run(["decode", str(path), "--alternatives", "2", "--objective", "prob"]) == 0
    shown = capsys.readouterr().out
    assert "d: alternative 1, objective 0.3000: a AFTER b" in shown
    assert "d: alternative 2, objective 0.1000: a EQUAL b" in shown


def test_a_dropped_hard_link_is_found_in_its_own_file(scores, tmp_path, capsys):
    hard = tmp_path / "hard" / "d.tsv"
    hard.parent.mkdir()
    hard.write_text("a\tBEFORE\tb\na\tNONSENSE\tc\n")
    assert run(["decode", scores, "--hard", str(hard)]) == 3
    said = capsys.readouterr().err
    assert f"(hard link, {hard}:2)" in said
    assert f"{scores}:2" not in said


def test_labels_without_meaning_have_no_agreement(files, capsys):
    assert "narrativetime" in refused(capsys, "score", *files[:2], "--metric", "pairs", "--agreement")
    with pytest.raises(tp.UsageError, match="metric awareness"):
        tp.agreement(*files[:2], metric="pairs")


def test_a_list_of_ids_that_is_not_there(tmp_path, capsys):
    path = tmp_path / "g.json"
    path.write_text('{"p": []}')
    missing = str(tmp_path / "ids.txt")
    said = refused(capsys, "score", str(path), str(path), "--metric", "chemotimelines", "--ids", missing)
    assert "no such file of ids" in said


def test_decode_and_audit_replace_no_input(scores, files, tmp_path, capsys):
    before = Path(scores).read_text()
    assert "files that are read" in refused(capsys, "decode", scores, "-o", scores)
    assert Path(scores).read_text() == before
    hard = tmp_path / "d.tsv"
    hard.write_text("a\tBEFORE\tb\n")
    assert "files that are read" in refused(capsys, "decode", scores, "--hard", str(hard), "-o", str(hard))
    claimed = tmp_path / "claims.json"
    claimed.write_text("{}")
    assert "files that are read" in refused(capsys, "audit", files[0], str(claimed), "-o", str(claimed))
    assert "also give -o" in refused(capsys, "decode", scores, "--to", "tsv")


def test_counts_of_clinical_programs(files, tmp_path, capsys):
    path = tmp_path / "g.json"
    path.write_text('{"p": [["taxol", "begins-on", "2013-02-01"]]}')
    (tmp_path / "ids.txt").write_text("p")
    options = ["--metric", "chemotimelines", "--ids", str(tmp_path / "ids.txt"), "--counts"]
    assert run(["score", str(path), str(path), *options]) == 0
    header, *_, total = capsys.readouterr().out.splitlines()
    assert header.split()[-3:] == ["right", "wrong", "missed"]
    assert total.split()[-3:] == ["1", "0", "0"]
    assert "--counts" in refused(capsys, "score", *files[:2], "--official", "--counts")


def test_questions_are_shown_to_people(tmp_path, capsys):
    (tmp_path / "d.tsv").write_text("e1\tBEFORE\te2\n")
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "question-set.txt").write_text("1|d.tsv|IS e1 BEFORE e2|Was it so?|yes\n")
    assert run(["score", str(tmp_path / "q"), str(tmp_path / "d.tsv"), "--metric", "qa-tempeval"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split() == ["1", "d", "IS", "e1", "BEFORE", "e2", "yes", "yes"]
    assert shown[-1].split() == ["TOTAL", "1.0000", "1.0000", "1.0000"]
