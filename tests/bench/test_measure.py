"""The figures of the tree, on trees small enough to count by hand."""

import subprocess
import sys

import pytest

from bench import measure
from bench.frozen import ROOT


def tree(tmp_path, monkeypatch, **files):
    monkeypatch.setattr(measure, "ROOT", tmp_path)
    for name, text in files.items():
        path = tmp_path / "temporacle" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return measure.tree_figures()


def test_code_lines_leave_out_comments_and_docstrings(tmp_path, monkeypatch):
    head = '"""Words.\n\nMore."""\n\n# a comment\nx = 1  # one\n\n\n'
    text = f'{head}def f():\n    """Words."""\n    return (\n        x\n    )\n'
    found = tree(tmp_path, monkeypatch, one=text)
    assert (found["files"], found["code lines"], found["total lines"]) == (1, 5, 13)


def test_imports_inside_functions_close_cycles_and_those_for_types_do_not(tmp_path, monkeypatch):
    found = tree(
        tmp_path,
        monkeypatch,
        reasoner__a="from temporacle.reasoner import b\nLIMIT = 2 * 3\n_FEW = 4\nlow = 1\nNAME = 'x'\n",
        reasoner__b="def f():\n    from temporacle.reasoner.a import LIMIT\n",
        reasoner__c="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .d import D\n",
        reasoner__d="from . import c\nfrom . import b\nclass D: pass\n",
        io__d="class D: pass\nclass _P: pass\n",
    )
    assert found["import cycles at the top level (sizes)"] == []
    assert found["import cycles with imports inside functions (sizes)"] == [2]
    assert found["imports of own modules inside functions"] == 1
    assert found["lists"]["one importer"] == ["temporacle.reasoner.a", "temporacle.reasoner.c"]
    assert found["numeric constants in the reasoner"] == 2
    assert found["module names used more than once"] == 1
    assert found["public class names used twice or more"] == 1


@pytest.mark.slow
def test_the_counted_names_exist_and_journeys_are_travelled():
    result = subprocess.run(
        [sys.executable, "-m", "bench.measure"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    journeys = result.stdout.partition("journey ")[2].splitlines()[1:5]
    assert all(int(count) > 0 for line in journeys for count in line.split()[-4:-1])
    assert [line.split()[-1] for line in journeys] == ["0", "1", "0", "0"]


def test_no_module_imports_one_that_imports_it():
    """Neither at the top nor inside functions: a cycle that hides in a function is a cycle."""
    known = measure.modules()
    imports = {name: (each.imports["top"] | each.imports["inside"]) & known.keys() for name, each in known.items()}
    assert measure.cycles(imports) == []


def test_few_classes_share_a_name():
    assert measure.tree_figures()["public class names used twice or more"] <= 10
