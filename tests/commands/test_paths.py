"""A path that cannot be read or written is refused before work begins, by every command in the same words."""

import shlex
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.declared import parameters_of
from temporacle.tasks import TASKS, task_named

# What stands on the line besides the value of a parameter.
LINES = {
    "agree": "ok.tsv ok.tsv",
    "apply": "ok.tsv --drop 1",
    "ask": "ok.tsv 'IS a BEFORE b'",
    "audit": "ok.tsv ok.tsv",
    "convert": "ok.tsv --to jsonl",
    "crosscheck": "",
    "decode": "scores.jsonl --to tsv",
    "diff": "ok.tsv ok.tsv",
    "entails": "ok.tsv a BEFORE b",
    "official": "awareness ok.tsv ok.tsv",
    "score": "ok.tsv ok.tsv",
    "verify": "ok.json",
}
# What reads or writes files in the declaration of printing.
PRINTED = {"audit": ["out"], "crosscheck": ["out"], "score": ["pairs"]}
NOT_PRINTED = {"apply", "convert", "decode", "fix", "report", "audit", "crosscheck"}
COMMANDS = sorted(TASKS.keys() - {"audit_claims", "compare", "report_comparison"})


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ok.tsv").write_text("a\tBEFORE\tb\nb\tBEFORE\tc\n")
    Path("scores.jsonl").write_text('{"document": "d", "pairs": [["a", "b", {"BEFORE": 1}]]}\n')
    Path("ok.json").write_text("{}")
    Path("folder").mkdir()
    Path("file").touch()


def refusal(capsys, line):
    before = sorted(map(str, Path().rglob("*")))
    assert run(shlex.split(line)) == 2, line
    said = capsys.readouterr()
    assert said.out == ""
    assert sorted(map(str, Path().rglob("*"))) == before
    return said.err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_path_is_refused_in_the_same_words(name, capsys):
    words = f"{name} {LINES.get(name, 'ok.tsv')}"
    for place, word in enumerate(arguments := shlex.split(words)):
        if word in {"ok.tsv", "ok.json", "scores.jsonl"} and place:
            line = shlex.join([*arguments[:place], "nosuch", *arguments[place + 1 :]])
            assert refusal(capsys, line) == "temporacle: no such file or folder: nosuch\n"
    for each in parameters_of(task_named(name)).values():
        if each.about.path == "read" and not each.is_positional:
            assert refusal(capsys, f"{words} {each.option} nosuch") == "temporacle: no such file or folder: nosuch\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_place_that_cannot_be_written_is_refused_in_the_same_words(name, capsys):
    words = f"{name} {LINES.get(name, 'ok.tsv')}"
    kinds = {
        each.option: each.about.path
        for each in parameters_of(task_named(name)).values()
        if each.about.path not in {"", "read"} and not each.is_positional
    }
    kinds |= {f"--{each}": "file" for each in PRINTED.get(name, [])} | ({} if name in NOT_PRINTED else {"-o": "file"})
    for option, kind in kinds.items():
        under = "file/x.html"
        assert refusal(capsys, f"{words} {option} {under}").endswith(f"cannot write {under}: Not a directory\n"), option
        if kind == "file":
            said = refusal(capsys, f"{words} {option} folder")
            assert said.endswith("cannot write folder: Is a directory\n") or ".html, .md, .json" in said
        said = refusal(capsys, f"{words} {option} /dev/null")
        assert said.startswith("temporacle: cannot write /dev/null: ")
