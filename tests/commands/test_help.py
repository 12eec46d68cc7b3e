"""Help for people: values by name, whole summaries, completion in the shell, and -o wherever something is printed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from temporacle.cli import COMMANDS, application, run
from temporacle.overview import OPTIONS
from temporacle.scoring.metric import WITH_EXACT_SCORE
from temporacle.tasks.score_request import metric_parameters, of_metrics, of_programs

OF_METRICS = metric_parameters()
GOLD = "a\tBEFORE\tb\nb\tBEFORE\tc\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "d.tsv").write_text(GOLD)
    return tmp_path


def complete(*words):
    """What the shell is told about a line that is not finished yet."""
    environment = os.environ | {
        "_TEMPORACLE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("temporacle", *words)),
        "COMP_CWORD": str(len(words)),
    }
    script = "import sys; from temporacle.cli import main; sys.argv = ['temporacle']; main()"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    return done.stdout.split()


@pytest.mark.parametrize("command", COMMANDS)
def test_values_are_called_by_what_they_are(files, capsys, command):
    assert run([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert not re.search(r"<(str|int|float|text|integer)\b[^|>]*>", out)
    assert max(map(len, out.splitlines())) <= 80


def test_the_list_of_commands_is_not_cut(files, capsys):
    assert run(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert all(" ".join(line.split()) in out for line in COMMANDS.values())
    groups = ["Certify:", "Score:", "Ask:", "Models:", "Validate:", "Files:", "Papers:", "Exit codes:"]
    assert [out.index(group) for group in groups] == sorted(out.index(group) for group in groups)
    assert "..." not in out.split("Certify:")[1]


def test_the_page_names_all_options_before_a_command():
    group = typer.main.get_command(application([]))
    names = {
        ", ".join(sorted(each.opts, key=len)) + (f" {each.metavar}" if each.metavar else ""): each.help
        for each in group.params
    }
    assert names | {"-h, --help": OPTIONS["-h, --help"]} == OPTIONS


@pytest.mark.parametrize("columns", ["20", "80", "133"])
def test_the_program_prints_the_page_as_its_command_line_does(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert run(["--help"]) == 0
    done = subprocess.run([sys.executable, "-m", "temporacle", "-h"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, capsys.readouterr().out)
    assert max(map(len, done.stdout.splitlines())) <= max(int(columns), 52)


def test_the_page_leaves_output_that_cannot_be_written_to_the_program():
    for target, code in (("/dev/full", 3), ("closed", 3)):
        closing = (lambda: os.close(1)) if target == "closed" else None
        with Path("/dev/null" if closing else target).open("w", encoding="utf-8") as out:
            command = [sys.executable, "-m", "temporacle", "--help"]
            assert subprocess.run(command, stdout=out, preexec_fn=closing, check=False).returncode == code


def test_options_stand_under_headings(files, capsys):
    for command in ("check", "score", "closure"):
        run([command, "--help"])
        out = capsys.readouterr().out
        headings = ["Arguments:", "Options:", "Reading files:", "Calendar:", "Output:", "Messages:", "Long runs:"]
        places = [out.index(f"\n{heading}\n") for heading in headings]
        assert places == sorted(places)
        assert places[2] < out.index("--mapping") < places[3] < out.index("--zone") < places[4]


@pytest.mark.parametrize("command", ["score", "check"])
def test_help_fits_on_two_screens_and_names_every_option_that_is_not_of_a_metric(files, capsys, command):
    run([command, "--help"])
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 110
    words = set(re.findall(r"--[a-z0-9-]+", out))
    context = typer.Context(typer.main.get_command(application([command])))
    options = context.command.commands[command].get_params(context)
    shown = [each for each in options if each.param_type_name == "option" and not each.hidden]
    missing = {max(each.opts, key=len)[2:] for each in shown if max(each.opts, key=len) not in words}
    everywhere = {"calendar", "hemisphere", "zone", "engine"}
    assert missing == ({name.replace("_", "-") for name in OF_METRICS} - everywhere if command == "score" else set())


@pytest.mark.parametrize("line", ["score --metric pairs --help", "score -h --metric=pairs", "agree --metric pairs -h"])
def test_options_of_a_metric_are_shown_when_it_is_named(files, capsys, line):
    assert run(line.split()) == 0
    out = capsys.readouterr().out
    assert set(re.findall(r"^  (--[a-z-]+)", out, re.MULTILINE)) == {"--convention", "--label-set", "--missing"}
    assert f"temporacle {line.split()[0]} --help" in out


def test_every_option_of_every_metric_is_shown(files, capsys):
    run(["score", "--help"])
    assert "--metric pairs --help" in " ".join(capsys.readouterr().out.split())
    for name, options in (of_metrics() | of_programs(WITH_EXACT_SCORE)).items():
        assert run(["score", "--metric", name, "--help"]) == 0
        out = capsys.readouterr().out
        expected = {f"--{each.name.replace('_', '-')}" for each in options.declared()}
        assert set(re.findall(r"^  (--[a-z0-9-]+)", out, re.MULTILINE)) == expected
    assert run(["score", "--metric", "nothing", "--help"]) == 2
    assert "awareness" in capsys.readouterr().err


def test_help_is_as_wide_as_the_terminal(files, capsys, monkeypatch):
    lengths = []
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        run(["check", "--help"])
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= width
        lengths.append(len(lines))
    assert lengths[0] > lengths[1] > lengths[2]


def test_choices_are_listed(files, capsys):
    run(["check", "--help"])
    out = capsys.readouterr().out
    assert "<table|json|csv|github|sarif|junit>" in out
    assert "--format FORMAT" in out
    assert "temporacle formats" in out


def test_the_shell_completes_commands_options_and_values():
    assert complete("ch") == ["check"]
    assert "--output" in complete("check", "--out")
    assert complete("check", "--output", "s") == ["sarif"]


def test_the_script_for_the_shell_is_printed():
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    script = "import sys; from temporacle.cli import main; main(['--show-completion', 'bash'])"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "_TEMPORACLE_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "d.tsv", "--output", "json"], 0),
        (["closure", "d.tsv", "--output", "json"], 0),
        (["reduce", "d.tsv", "--output", "json"], 0),
        (["score", "d.tsv", "d.tsv", "--output", "json"], 0),
        (["entails", "d.tsv", "c", "BEFORE", "a", "--output", "json"], 1),
    ],
)
def test_the_answer_goes_to_a_file(files, capsys, arguments, code):
    assert run(arguments) == code
    printed = capsys.readouterr().out
    assert run([*arguments, "-o", "answer.jsonl"]) == code
    assert capsys.readouterr().out == ""
    written = (files / "answer.jsonl").read_text()
    for line, expected in zip(written.splitlines(), printed.splitlines(), strict=True):
        assert json.loads(line) | {"seconds": 0} == json.loads(expected) | {"seconds": 0}


def test_a_failed_command_leaves_no_file(files, capsys):
    (files / "answer.txt").write_text("before")
    assert run(["closure", "d.tsv", "--format", "nothing", "-o", "answer.txt"]) == 2
    assert run(["entails", "d.tsv", "nobody", "BEFORE", "a", "-o", "answer.txt"]) == 2
    assert (files / "answer.txt").read_text() == "before"


def test_convert_takes_its_place_either_way(files, capsys):
    assert run(["convert", "d.tsv", "-o", "one.jsonl"]) == 0
    assert run(["convert", "d.tsv", "two.jsonl"]) == 0
    assert (files / "one.jsonl").read_text() == (files / "two.jsonl").read_text()
    assert run(["convert", "d.tsv"]) == 2
    assert run(["convert", "d.tsv", "two.jsonl", "-o", "one.jsonl"]) == 2
