"""The Python example of docs/reports.md, run and compared."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def in_the_repository(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_the_repository")
def test_the_python_example_of_the_page_about_reports_runs():
    page = (ROOT / "docs" / "reports.md").read_text("utf-8")
    example = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    names = {}
    exec(example, names)
    for expression, value in re.findall(r"(?m)^(written\.\w+) +# ([({].*)$", example):
        assert eval(expression, names) == eval(value)
    assert sorted(path.name for path in Path().glob("*.html")) == ["report.html", "scores.html"]
