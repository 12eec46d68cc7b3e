"""The examples of ``docs/audit.md``."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import SimpleNamespace

import pytest

from temporacle.cli import run
from temporacle.tasks.audit import audit, audit_claims

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


def test_the_python_examples():
    text = PAGE.read_text(encoding="utf-8").replace("    >>> import temporacle as tp\n", "")
    names = {"tp": SimpleNamespace(audit=audit, audit_claims=audit_claims)}
    examples = doctest.DocTestParser().get_doctest(text, names, "audit.md", str(PAGE), 0)
    assert len(examples.examples) > 5
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.fixture
def first(tmp_path, monkeypatch):
    """The files of the first command, and what the page shows of its output."""
    monkeypatch.chdir(tmp_path)
    links = "left\tBEFORE\tdocked\ndocked\tBEFORE\tunloaded\n"
    Path("links.tsv").write_text(links, encoding="utf-8")
    Path("closure.tsv").write_text(links + "left\tAFTER\tunloaded\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    shown = page[page.index("    $ temporacle audit") :].split("\n\n`temporacle audit`")[0]
    return [line[4:] for line in shown.splitlines()[1:]]


def test_the_first_command(first, capsys):
    assert run(["audit", "links.tsv", "closure.tsv"]) == 1
    assert [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()] == first


@pytest.mark.usefixtures("first")
def test_the_json_of_the_first_command(capsys):
    assert run(["audit", "links.tsv", "closure.tsv", "--output", "json"]) == 1
    assert f"    {capsys.readouterr().out.splitlines()[0]}\n" in PAGE.read_text(encoding="utf-8")
