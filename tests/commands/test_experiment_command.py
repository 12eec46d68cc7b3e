"""``temporacle experiment`` and ``experiments``: what they refuse, and the files that they write."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.experiments.run import EXPERIMENTS, experiments
from temporacle.model import Document

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = {"entities": 4, "graphs": 1, "samples": 1}


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_every_experiment_runs_on_a_corpus_and_writes_its_files(tmp_path, capsys, name):
    pytest.importorskip("matplotlib", reason="figures need the extra: pip install -e '.[figures]'")
    code = run(["experiment", name, "-o", str(tmp_path), "--corpus", str(EXAMPLES / "gold"), "--graphs", "2"])
    assert code == 0
    printed = capsys.readouterr().out
    assert "olds: " in printed or "oes not hold: " in printed
    with (tmp_path / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(None not in row.values() for row in rows)
    assert (tmp_path / f"{name}.txt").read_text().count("old") >= 1
    assert list(tmp_path.glob("*.svg"))
    assert len(list(tmp_path.glob("*.svg"))) == len(list(tmp_path.glob("*.png")))


def test_figures_of_one_outcome_are_the_same_files(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra: pip install -e '.[figures]'")
    for folder in ("a", "b"):
        options = ["--entities", "4", "--graphs", "1", "--samples", "1"]
        assert run(["experiment", "recall-decay", "-o", str(tmp_path / folder), *options]) == 0
    assert (tmp_path / "a/recall-decay.svg").read_bytes() == (tmp_path / "b/recall-decay.svg").read_bytes()


def test_without_matplotlib_there_are_tables_and_a_hint(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "temporacle.experiments.plotting", raising=False)
    options = ["--entities", "4", "--graphs", "1", "--samples", "1"]
    assert run(["experiment", "recall-decay", "-o", str(tmp_path), *options]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recall-decay.csv", "recall-decay.txt"]
    assert "temporacle[figures]" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "experiment"])
def test_help_loads_nothing_heavy(command):
    script = "import sys; from temporacle.cli import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, command, "--help"], capture_output=True, text=True, check=True)
    heavy = {"jinja2", "matplotlib", "numpy", "ortools", "lxml", "markupsafe", "pandas"}
    assert not heavy & set(done.stderr.split())
    assert "For example" in done.stdout


def test_wrong_use_is_refused(tmp_path, capsys):
    assert run(["experiment", "recal-decay", "-o", str(tmp_path)]) == 2
    assert "choose recall-decay" in capsys.readouterr().err
    assert run(["experiment", "recall-decay", "-o", str(tmp_path), "--corpus", str(tmp_path / "none")]) == 2
    inconsistent = tmp_path / "bad.tsv"
    inconsistent.write_text("a\tBEFORE\tb\nb\tBEFORE\ta\n")
    assert run(["experiment", "recall-decay", "-o", str(tmp_path), "--corpus", str(inconsistent)]) == 2
    assert "must be consistent" in capsys.readouterr().err


def test_names_of_documents_are_no_formulas_in_a_spreadsheet(tmp_path):
    (tmp_path / "c.jsonl").write_text(
        '{"document": "=1+1", "links": [{"source": "a", "relation": "b", "target": "b"},'
        ' {"source": "b", "relation": "b", "target": "c"}]}\n'
    )
    assert run(["experiment", "minimal-growth", "-o", str(tmp_path), "--corpus", str(tmp_path / "c.jsonl")]) == 0
    assert "\n'=1+1," in (tmp_path / "minimal-growth.csv").read_text()


@pytest.mark.parametrize(
    "option",
    [
        ["--format", "tsv"],
        ["--labels", "allen"],
        ["--during", "is_included"],
        ["--encoding", "latin-1"],
        ["--keep-unknown"],
        ["--doctimerel"],
    ],
    ids=lambda option: option[0],
)
def test_options_about_reading_need_a_corpus(tmp_path, capsys, option):
    target = tmp_path / "results"
    assert run(["experiment", "recall-decay", "-o", str(target), *option]) == 2
    assert option[0].strip("-") in capsys.readouterr().err
    assert not target.exists()


def test_options_about_reading_are_taken_with_a_corpus(tmp_path):
    (tmp_path / "c.tsv").write_text("a\tb\tb\nb\tb\tc\n")
    arguments = ["experiment", "minimal-growth", "-o", str(tmp_path), "--corpus", str(tmp_path / "c.tsv")]
    assert run([*arguments, "--labels", "allen"]) == 0


def test_python_gets_what_the_command_writes(tmp_path):
    found = list(experiments("recall-decay", output=tmp_path / "a", **SMALL))
    options = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
    assert run(["experiment", "recall-decay", "-o", str(tmp_path / "b"), *options]) == 0
    assert [each.outcome.name for each in found] == ["recall-decay"]
    assert sorted(found[0].written) == sorted(map(str, (tmp_path / "a").iterdir()))
    for path in (tmp_path / "a").glob("*.[ct]*"):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert json.loads(json.dumps(found[0].to_dict()))["experiment"] == "recall-decay"
    assert "\n" not in repr(found[0])


def test_a_corpus_may_be_documents(tmp_path):
    document = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    found = next(experiments("minimal-growth", output=tmp_path, corpus=[document]))
    assert [row[0] for row in found.outcome.rows] == ["d"]


def test_what_is_refused_in_python(tmp_path):
    for chosen in ({"name": "nosuch"}, {"reading": "allen"}, {"corpus": tmp_path / "none"}):
        with pytest.raises(UsageError):
            experiments(**{"name": "recall-decay", "output": tmp_path / "results", **chosen})
    assert not (tmp_path / "results").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")
def test_nothing_is_written_through_a_planted_link(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra: pip install -e '.[figures]'")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    target = tmp_path / "results"
    target.mkdir()
    names = [f"recall-decay.{kind}" for kind in ("csv", "txt", "svg", "png")]
    for name in names:
        (target / name).symlink_to(victim)
    list(experiments("recall-decay", output=target, **SMALL))
    assert victim.read_text() == "precious"
    assert not any((target / name).is_symlink() for name in names)
    assert sorted(path.name for path in target.iterdir()) == sorted(names)
