"""The examples of docs/reports.md and docs/experiments.md, run and compared."""

import re
import shutil
from pathlib import Path

import pytest

from temporacle.cli import run

ROOT = Path(__file__).resolve().parents[2]


def sessions(page):
    """Commands of a page that are shown with their output."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    for block in re.findall(r"(?m)^    \$ temporacle (.*)\n((?:    .*\n)*)", text):
        yield block[0], re.sub(r"(?m)^    ", "", block[1])


@pytest.fixture
def in_the_repository(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        *sessions("reports.md"),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in sessions("experiments.md")),
    ],
    ids=lambda value: value.split()[0],
)
@pytest.mark.usefixtures("in_the_repository")
def test_the_page_shows_what_the_command_prints(capsys, command, output):
    if command.startswith("experiment"):
        pytest.importorskip("matplotlib", reason="figures need the extra: pip install -e '.[figures]'")
    assert run(command.split()) == 0
    assert capsys.readouterr().out == output


@pytest.mark.usefixtures("in_the_repository")
def test_the_python_example_of_the_page_about_reports_runs():
    page = (ROOT / "docs" / "reports.md").read_text("utf-8")
    example = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    names = {}
    exec(example, names)
    for expression, value in re.findall(r"(?m)^(written\.\w+) +# ([({].*)$", example):
        assert eval(expression, names) == eval(value)
    assert sorted(path.name for path in Path().glob("*.html")) == ["report.html", "scores.html"]
