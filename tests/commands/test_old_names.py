"""Every old name of an option gives what the new one gives, with one line of warning."""

import inspect
import re
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.old_names import OLD_OPTIONS

# (command, old name) -> a command line with the old name
LINES = {
    ("", "--budget"): ["closure", "d.tsv", "--budget", "30"],
    ("", "--reading"): ["closure", "d.tsv", "--reading=allen"],
    ("check", "--accept"): ["check", "typo.tsv", "--accept", "unknown-label", "--output", "json"],
    ("decode", "--with"): ["decode", "scores.jsonl", "--with", "d.tsv", "--output", "json"],
    ("check", "--samples"): ["check", "d.tsv", "other/d.tsv", "--samples", "--output", "json"],
    ("score", "--samples"): ["score", "d.tsv", "other/d.tsv", "--compare", "d.tsv", "--samples", "99"],
    ("audit", "--limit"): [
        "audit",
        "--command",
        "cat",
        "--cases",
        "1",
        "--large",
        "0",
        "--entities",
        "2",
        "--limit",
        "9",
        "--no-vary",
        "--output",
        "json",
    ],
    ("audit", "--answer-limit"): [
        "audit",
        "--command",
        "cat",
        "--cases",
        "1",
        "--large",
        "0",
        "--entities",
        "2",
        "--answer-limit",
        "9",
        "--no-vary",
        "--output",
        "json",
    ],
    ("report", "--certificates"): ["report", "d.tsv", "--certificates", "proofs", "-o", "page.html"],
    ("convert", "--from"): ["convert", "d.tsv", "-", "--from", "tsv", "--to", "jsonl"],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.tsv").write_text("a\tb\tb\nb\td\tc\n")
    pairs = '[{"source": "a", "target": "b", "scores": {"BEFORE": 1}}]'
    (tmp_path / "scores.jsonl").write_text(f'{{"document": "d", "pairs": {pairs}}}')
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "d.tsv").write_text("a\tb\tb\n")
    (tmp_path / "typo.tsv").write_text("a\tBEFORE\tb\nb\tBEFOR\tc\n")
    run(["check", "d.tsv", "--certificates", "proofs", "-q"])


def test_every_old_name_is_tried():
    known = {(command, old) for command, names in OLD_OPTIONS.items() for old in names}
    assert set(LINES) == known - {("compare", "--samples")}  # it is not a command


def outcome(capsys, line):
    code = run(line)
    captured = capsys.readouterr()
    errors = re.sub(r"[0-9.]+ s$", "... s", captured.err, flags=re.MULTILINE)
    return code, captured.out.partition('"seconds"')[0], errors.splitlines()


@pytest.mark.parametrize("place", LINES, ids=" ".join)
def test_an_old_name_gives_what_the_new_one_gives(files, capsys, place):
    command, old = place
    new = OLD_OPTIONS[command][old]
    line = [argument.replace(old, new) for argument in LINES[place]]
    code, out, errors = outcome(capsys, line)
    assert code == 0
    assert outcome(capsys, LINES[place]) == (code, out, [f"warning: {old} is now {new}", *errors])
    assert not any("is now" in message for message in outcome(capsys, [*LINES[place], "-q"])[2])


def test_one_line_for_a_run(files, capsys):
    assert run(["closure", "d.tsv", "--budget", "30", "--reading", "allen", "--budget", "20"]) == 0
    errors = capsys.readouterr().err.splitlines()
    assert errors == ["warning: --budget is now --time-limit, --reading is now --labels"]


@pytest.mark.parametrize("command", ["closure", "check"])
def test_an_old_name_of_another_command_is_unknown(files, capsys, command):
    assert run([command, "d.tsv", "--from", "tsv"]) == 2
    assert "--from" in capsys.readouterr().err


@pytest.mark.parametrize("time", ["30", "0.5m", "1h", "30s", "1e2"])
def test_time_limits_have_units(files, capsys, time):
    assert run(["closure", "d.tsv", "--time-limit", time]) == 0


@pytest.mark.parametrize("time", ["-1", "1x", "m", "nan", "soon"])
def test_what_is_not_a_time_is_refused(files, capsys, time):
    assert run(["closure", "d.tsv", "--time-limit", time]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--time-limit" in captured.err
    assert "1m" in captured.err


# A command line whose grammar is old -> the new one
GRAMMAR = {
    "score d.tsv other/d.tsv --official": "official awareness d.tsv other/d.tsv",
    "score --official --method acl11 d.tsv other/d.tsv --output json": (
        "official awareness --method acl11 d.tsv other/d.tsv --output json"
    ),
    "score d.tsv other/d.tsv --metric=tempeval1 --official": "official tempeval1 d.tsv other/d.tsv",
    "score d.tsv other/d.tsv --metric tempeval1 --official --relaxed": (
        "official tempeval1 d.tsv other/d.tsv --relaxed"
    ),
    "score d.tsv other/d.tsv --agreement": "agree d.tsv other/d.tsv",
    "score --agreement --metric closure d.tsv other/d.tsv d.tsv": "agree --metric closure d.tsv other/d.tsv d.tsv",
    "mcp --help": "serve mcp --help",
}


@pytest.mark.parametrize("line", GRAMMAR)
def test_an_old_grammar_gives_what_the_new_one_gives(files, capsys, line):
    code, out, errors = outcome(capsys, GRAMMAR[line].split())
    assert outcome(capsys, line.split()) == (code, out, [errors_of(line), *errors])


def errors_of(line):
    new = GRAMMAR[line].split()
    if line.startswith("mcp"):
        return "warning: mcp is now serve mcp"
    return (
        "warning: score --agreement is now agree"
        if new[0] == "agree"
        else (f"warning: score --official is now official {new[1]}")
    )


def test_an_old_name_after_a_project_file(files, capsys):
    Path("p.toml").write_text("")
    assert run(["--config", "p.toml", "check", "typo.tsv", "--accept", "unknown-label"]) == 0
    assert "warning: --accept is now --allow" in capsys.readouterr().err


def test_the_old_keyword_of_read(files):
    with pytest.warns(DeprecationWarning, match="the keyword path is now source"):
        assert tp.read(path="d.tsv").id == "d"


def test_what_is_given_by_place_is_no_keyword(files):
    """It would have no effect: there are any number of them."""
    for call in (tp.read_corpus, tp.agree):
        name = next(iter(inspect.signature(call).parameters))
        with pytest.raises(UsageError, match=f"no keyword {name}"):
            call(**{name: "d.tsv"})
