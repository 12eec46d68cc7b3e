"""Messages spell options as their reader writes them: ``--encoding`` on the command line, ``encoding=`` in Python."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.commands.spelling import as_option
from temporacle.errors import InputError, as_keyword, current_spelling, spelling
from temporacle.runner.copies import Worker

PACKAGE = Path(tp.__file__).parent
COMMAND_LINE = ("commands", "cli.py", "__main__.py", "old_names.py", "overview.py")
STARTED_FROM_IT = ("workbench", "servers", "web.py")  # they speak to whoever started them, on the command line
OPTION = re.compile(r"(?<![\w-])--[a-z]")
WHOLE = {
    "all labels: temporacle explain --labels ": "a command to type, for readers of Python, too",
    "To see the official score, please run with the --strict flag": "what the original program prints",
    "To see the official score, please run without --strict flag, and set 'relaxed to month' setting"
    " by --relaxed_to=month ": "what the original program prints",
}


def texts_with_options(tree):
    """Return the texts of a module that spell an option of the command line, without docstrings and help texts."""
    apart = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            apart.add(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "About":  # the help of the command line
            apart.update(ast.walk(node))
    found = (each for each in ast.walk(tree) if isinstance(each, ast.Constant) and each not in apart)
    return [each.value for each in found if isinstance(each.value, str) and OPTION.search(each.value)]


def test_no_message_below_the_commands_spells_an_option_of_the_command_line():
    found = {}
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        if place.parts[0] not in COMMAND_LINE + STARTED_FROM_IT:
            found |= dict.fromkeys(texts_with_options(ast.parse(path.read_text())), place)
    assert found.keys() == WHOLE.keys()


def test_the_law_finds_options_in_messages_alone():
    assert texts_with_options(ast.parse('"""--a"""\nX = About("--b")\nraise E(f"give --c {x}", cure="5 --d")')) == [
        "give --c ",
        "5 --d",
    ]


MISTAKES = {  # a file, what the command line says, what Python says
    "an encoding": ("a.tsv", b"a\tBEFORE\tcaf\xe9\n", "give --encoding, or", "give encoding=, or"),
    "UTF-16": ("a.tsv", "a\tBEFORE\tb\n".encode("utf-16"), "give --encoding utf-16", "give encoding='utf-16'"),
    "a format": ("a.txt", b"a\tb\ts\n", "name it with --format", "name it with format="),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("output", ["table", "json", "csv"])
def test_an_error_is_spelled_for_its_reader(tmp_path, capsys, name, output):
    file, data, command, python = MISTAKES[name]
    path = tmp_path / file
    path.write_bytes(data)
    assert run(["check", str(path), "--output", output]) != 0
    printed = "".join(capsys.readouterr())
    assert command in printed
    assert python not in printed
    with pytest.raises(InputError) as refused:
        tp.read(path)
    assert python in str(refused.value)
    assert "--" not in str(refused.value)


def test_a_warning_is_spelled_for_its_reader(tmp_path, capsys):
    path = tmp_path / "a.tsv"
    path.write_text("a\tDURING\tb\n")
    assert run(["check", str(path), "--output", "json"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[0])["warnings"][0]["message"]
    assert "(see --during); with --labels allen it is" in said
    [remark] = tp.read(path).remarks
    assert "(see during=); with labels='allen' it is" in remark.message


def _spelled_by_a_worker(spell):
    with spelling(spell):
        worker = Worker()
    try:
        assert worker.next() is True  # it is ready
        return worker.ask((current_spelling,))
    finally:
        worker.end()


@pytest.mark.parametrize("spell", [as_option, as_keyword])
def test_a_new_worker_process_spells_as_the_process_that_started_it(spell):
    assert _spelled_by_a_worker(spell) == (True, spell)


def test_a_run_leaves_the_spelling_as_it_was(tmp_path):
    run(["check", str(tmp_path / "gone.tsv")])
    assert current_spelling() is as_keyword
