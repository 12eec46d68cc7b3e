"""The tests that an audit prints run as pasted: they fail for the audited function and pass for a right one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shares import few

from temporacle.audit.pasted_tests import Implementation
from temporacle.cli import run
from temporacle.tasks.audit import audit

TESTS = Path(__file__).parents[1]
WITH_LABELS = """
from broken_closures import right
NAMES = {"b": "BEFORE", "bi": "AFTER", "m": "IBEFORE", "mi": "IAFTER", "=": "SIMULTANEOUS"}

class Contradiction(Exception):
    pass

def correct(links):
    found = right(links)
    if found is None:
        raise Contradiction
    return [(s, NAMES.get(r, r), t) for s, r, t in found]

def forgets(links):
    return [(s, "AFTER" if r == "AFTER" else r, t) for s, r, t in correct(links) if r != "SIMULTANEOUS"]
"""
CLOSURES = """
def nothing(links):
    return []

def everything(links):
    names = sorted({name for link in links for name in (link[0], link[2])})
    return [(one, "b", other) for one in names for other in names if one < other]

def rejects(links):
    return None

def odd(links):
    return [(s, "PERHAPS", t) for s, r, t in links]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "closures.py").write_text(CLOSURES)
    (tmp_path / "tools" / "labelled.py").write_text(f"import sys\nsys.path.insert(0, {str(TESTS)!r})\n{WITH_LABELS}")
    return tmp_path


def outcomes(folder, text):
    """How many pasted tests pass and fail, in a fresh process."""
    (folder / "test_pasted.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", "test_pasted.py"]
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert done.returncode in (0, 1), done.stdout
    assert "NameError" not in done.stdout
    assert "ImportError" not in done.stdout
    summary = done.stdout.splitlines()[-1]
    return tuple(
        int(summary.partition(f" {word}")[0].split()[-1]) if word in summary else 0 for word in ("passed", "failed")
    )


@pytest.mark.parametrize("name", few(["nothing", "everything", "rejects", "odd"]))
def test_printed_tests_run_as_pasted(folder, name, capsys):
    arguments = ["--implementation", f"tools/closures.py:{name}", "--cases", "12", "--no-vary", "--output", "json"]
    assert run(["audit", *arguments]) == 1
    *findings, _ = map(json.loads, capsys.readouterr().out.splitlines())
    tests = [finding["test"] for finding in findings]
    assert len({test.splitlines()[0] for test in tests}) == len(tests)
    assert outcomes(folder, "\n\n".join(tests)) == (0, len(tests))


@pytest.mark.slow
def test_labels_and_exceptions_are_understood(folder):
    found = audit("tools/labelled.py:forgets", cases=25, vary=False, inconsistent="Contradiction")
    tests = "\n\n".join(finding.test for finding in found.findings)
    assert "SIMULTANEOUS" in tests
    assert outcomes(folder, tests) == (0, len(found.findings))
    assert outcomes(folder, tests.replace("import forgets", "import correct")) == (len(found.findings), 0)


def test_entities_have_names_that_are_no_atoms(folder):
    for finding in audit("tools/closures.py:nothing", cases=25, vary=False).findings:
        assert {name for link in finding.graph for name in (link[0], link[2])} <= set("xyzuvw")


def test_ways_to_name_a_function():
    def inner(links):
        return links

    assert Implementation.named("pack.mod:close").lines == ("from pack.mod import close as closure",)
    assert Implementation.named("pack.mod:Solver.close").lines == (
        "from pack.mod import Solver",
        "closure = Solver.close",
    )
    assert Implementation.named("my-tools/close-it.py:close").lines[0] == "import runpy"
    assert Implementation.named(outcomes).lines == (f"from {__name__} import outcomes as closure",)
    assert Implementation.named(inner).lines[0].startswith("# closure:")
