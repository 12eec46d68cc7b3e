"""The Python and JSON examples of ``docs/audit.md``."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import SimpleNamespace

import pytest

from temporacle.cli import run
from temporacle.tasks.audit import audit, audit_claims

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


@pytest.mark.slow
def test_the_python_examples():
    text = PAGE.read_text(encoding="utf-8").replace("    >>> import temporacle as tp\n", "")
    names = {"tp": SimpleNamespace(audit=audit, audit_claims=audit_claims)}
    examples = doctest.DocTestParser().get_doctest(text, names, "audit.md", str(PAGE), 0)
    assert len(examples.examples) > 5
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_the_json_of_the_first_command(monkeypatch, capsys):
    monkeypatch.chdir(PAGE.parents[1])
    assert run(["audit", "examples/audit/links.tsv", "examples/audit/closure.tsv", "--output", "json"]) == 1
    assert f"    {capsys.readouterr().out.splitlines()[0]}\n" in PAGE.read_text(encoding="utf-8")
