"""What the README shows is what happens."""

import re
import shlex
from pathlib import Path

import pytest

from temporacle.cli import run

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/certify.md", "docs/metrics.md"]


def console_examples(page):
    """Commands and what they print, from the console blocks of a page."""
    for block in re.findall(r"```console\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield pytest.param(shlex.split(command), output, id=command)


def pattern_of(output):
    """Dots stand for anything; blanks at the end of a line do not matter, nor does the version."""
    lines = [re.escape(line.rstrip()) for line in output.rstrip().splitlines()]
    text = "\n".join(lines).replace(re.escape("..."), "[\\s\\S]*?")
    return re.sub(r"version:[0-9.\\]+\|ortools:[0-9.\\]+", r"version:.*", text.replace(r"\|", "|")).replace("|", r"\|")


@pytest.mark.parametrize(("command", "output"), [example for page in PAGES for example in console_examples(page)])
def test_console_examples_print_what_they_show(command, output, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    program, *arguments = command
    assert program == "temporacle"
    assert run(arguments) in (0, 1)
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines())
    assert re.fullmatch(pattern_of(output), printed), printed


def test_the_python_example_gives_what_it_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    block = re.search(r"```python\n(.*?)```", Path("README.md").read_text("utf-8"), re.DOTALL)
    assert block
    names: dict[str, object] = {}
    answers = {}
    for line in block[1].splitlines():
        code, _, said = line.partition("  # ")
        if said:
            answers[said.strip()] = repr(eval(code, names))
        else:
            exec(code, names)
    shown = {said: answer for said, answer in answers.items() if said.startswith(("Relation(", "Checks(", "Score("))}
    assert len(shown) == 3
    assert all(said == answer for said, answer in shown.items())
    assert any(said.startswith("Verdict.ENTAILED") and "ENTAILED" in answer for said, answer in answers.items())
