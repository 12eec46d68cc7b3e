"""One table of exit codes: in help, on the page, and for every command."""

import json
import re
import shlex
import warnings
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import COMMANDS, run
from temporacle.commands.common import ExitCode

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exit-codes.md"
# Command lines of the same outcome, by exit code. The files are made below.
OUTCOMES = {
    0: [
        "agree ok.tsv ok.tsv",
        "apply ok.tsv --drop 1 -o out.tsv",
        "ask ok.tsv 'IS a BEFORE c?'",
        "ask ok.tsv questions.txt",
        "audit ok.tsv closed.tsv",
        "bounds ok.tsv",
        "check ok.tsv",
        "closure ok.tsv",
        "convert ok.tsv -o out.jsonl",
        "crosscheck --cases 1 --engine exact",
        "decode scores.jsonl",
        "diff ok.tsv ok.tsv",
        "docs --print",
        "entails ok.tsv a BEFORE c",
        "experiment --help",
        "explain self-link",
        "fix ok.tsv --dry-run",
        "fix contra.tsv -o fixed.tsv",
        "formats tsv",
        "serve mcp --help",
        "official awareness ok.tsv ok.tsv",
        "official --list",
        "init --dry-run",
        "reduce ok.tsv",
        "report contra.tsv -o page.html",  # it describes
        "score contra.tsv ok.tsv",
        "stats contra.tsv",
        "verify ok.json",
        "workbench --help",
    ],
    1: [
        "ask ok.tsv 'Is c before a?'",
        "ask ok.tsv 'is a before d'",
        "audit ok.tsv wrong.tsv",
        "bounds contra.tsv",
        "check contra.tsv",
        "check contra.tsv part.tsv",
        "closure contra.tsv",
        "diff ok.tsv wrong.tsv",
        "entails ok.tsv a BEFORE d",
        "fix contra.tsv --dry-run",
        "fix contra.tsv --dry-run --protect b",
        "entails ok.tsv c BEFORE a",
        "entails part.tsv c BEFORE b",
        "reduce contra.tsv",
        "verify false.json",
    ],
    2: [
        "agree ok.tsv",
        "agree ok.tsv nosuch",
        "apply nosuch --drop 1 -o out.tsv",
        "ask ok.tsv 'IS a BEFORE z?'",
        "ask ok.tsv 'IS a BEFOR c'",
        "ask ok.tsv 'IS a'",
        "ask nosuch 'IS a BEFORE b'",
        "audit nosuch ok.tsv",
        "bounds ok.tsv z",
        "check nosuch",
        "check ok.tsv nosuch",
        "closure nosuch",
        "convert nosuch -o out.jsonl",
        "crosscheck --engine magic",
        "decode nosuch",
        "diff nosuch ok.tsv",
        "docs index other",
        "entails ok.tsv a BEFORE z",
        "experiment nosuch",
        "explain nosuch",
        "fix nosuch --dry-run",
        "fix contra.tsv",
        "formats nosuch",
        "serve nosuch",
        "official nosuch ok.tsv ok.tsv",
        "official awareness ok.tsv nosuch",
        "init nosuch",
        "reduce nosuch",
        "report nosuch -o page.html",
        "score nosuch ok.tsv",
        "stats nosuch",
        "verify nosuch",
        "verify ok.json nosuch",
        "verify ok.tsv",
        "verify ok.json ok.tsv",
        "verify questions.txt",
        "workbench nosuch --no-browser",
    ],
    3: [
        "agree ok.tsv part.tsv",
        "ask contra.tsv 'IS a BEFORE b'",
        "ask part.tsv 'IS b BEFORE c'",
        "ask ok.tsv odd.txt",
        "bounds part.tsv",
        "check part.tsv",
        "check typo.tsv",
        "closure part.tsv",
        "convert part.tsv -o out.jsonl",
        "diff part.tsv part.tsv",
        "entails contra.tsv a BEFORE b",
        "entails part.tsv b BEFORE c",
        "official awareness part.tsv ok.tsv",
        "fix part.tsv --dry-run",
        "reduce part.tsv",
        "report part.tsv -o page.html",
        "score part.tsv ok.tsv",
        "stats part.tsv",
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("codes")
    links = {
        "ok": "a\tb\tb\nb\tb\tc\nd\tb\tc\n",
        "contra": "a\tb\tb\nb\tb\ta\n",
        "part": "a\tBEFOR\tb\nb\tb\tc\n",
        "typo": "a\tBEFOR\tb\n",
        "wrong": "a\tbi\tb\nb\tb\tc\n",
        "closed": "a\tb\tb\nb\tb\tc\nd\tb\tc\na\tb\tc\n",
    }
    for name, text in links.items():
        (here / f"{name}.tsv").write_text(text)
    pair = {"source": "a", "target": "b", "scores": {"BEFORE": 0.9, "AFTER": 0.1}}
    (here / "scores.jsonl").write_text(json.dumps({"document": "d", "pairs": [pair]}))
    (here / "questions.txt").write_text("1|ok.tsv|IS c BEFORE a|?|no\n2|ok.tsv|IS a BEFORE z|?|unknown\n")
    (here / "odd.txt").write_text("1|ok.tsv|IS c BEFORE a|?|no\n2|ok.tsv|who\n")
    tp.Oracle(here / "ok.tsv").certificate().write(here / "ok.json")
    false = json.loads((here / "ok.json").read_text())
    (here / "false.json").write_text(json.dumps(false | {"witness": {name: [0, 1] for name in false["witness"]}}))
    return here


@pytest.mark.parametrize(("code", "line"), [(code, line) for code, lines in OUTCOMES.items() for line in lines])
def test_outcomes(folder, monkeypatch, capsys, code, line):
    monkeypatch.chdir(folder)
    for extra in {"serve": ["mcp"], "workbench": ["starlette"]}.get(line.split()[0], []):
        pytest.importorskip(extra)
    try:
        found = run(shlex.split(line))
    except SystemExit as leaving:
        found = leaving.code
    printed = capsys.readouterr()
    assert found == code, printed.err
    if code == 2:
        assert printed.out == ""
        assert printed.err


ALLOWED = [line for line in OUTCOMES[3] if "part.tsv" in line]


@pytest.mark.parametrize("line", [*ALLOWED, "score part.tsv part.tsv", "check part.tsv part.tsv --answers"])
def test_skipped_links_can_be_allowed(folder, monkeypatch, capsys, line):
    monkeypatch.chdir(folder)
    shown = []
    for code, words in ((3, line), (0, f"{line} --allow unknown-label"), (3, f"{line} --allow dangling-id")):
        assert run(shlex.split(words)) == code, words
        shown.append(capsys.readouterr().err.count("unknown-label"))
    assert shown[0]
    assert len(set(shown)) == 1  # it is shown and counted all the same


@pytest.mark.parametrize(
    "command", ["agree", "check", "closure", "convert", "diff", "fix", "reduce", "report", "score", "stats"]
)
def test_a_document_without_usable_links_cannot_be_allowed(folder, monkeypatch, capsys, command):
    monkeypatch.chdir(folder)
    given = {"convert": "-o out.jsonl", "fix": "--dry-run", "report": "-o page.html"}.get(command, "")
    given = "typo.tsv" if command in {"agree", "diff", "score"} else given
    assert run([command, "typo.tsv", *given.split(), "--allow", "unknown-label,same-input"]) == 3
    assert run([command, "typo.tsv", *given.split(), "--allow", "unchecked"]) == 2
    assert "unchecked cannot be allowed" in capsys.readouterr().err


def test_allowed_links_need_no_warning_in_python(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tp.closure(folder / "part.tsv", allow="unknown-label")
    assert found.skipped_links == {"unknown-label": 1}
    with pytest.raises(tp.UsageError, match="unchecked cannot be allowed"):
        tp.closure(folder / "part.tsv", allow=["unchecked"])
    with pytest.warns(tp.InputWarning):
        tp.closure(folder / "part.tsv", allow=["dangling-id"])


def test_every_command_is_tried():
    for code in (0, 2):
        assert {line.split()[0] for line in OUTCOMES[code]} == set(COMMANDS)


def test_help_and_page_have_the_table(capsys):
    run(["--help"])
    printed = " ".join(capsys.readouterr().out.split())
    rows = {
        row[0]: row[1:] for row in re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    }
    assert {int(code) for code in rows} == set(ExitCode)
    for code in ExitCode:
        assert f"{int(code)} {code.meaning}: {code.examples}" in printed
        assert [cell.replace("`", "") for cell in rows[str(int(code))]] == [code.meaning, code.examples]
