"""The notebook in ``examples``: every cell runs, and each result has a table that says what it is about."""

import ast
import json

import pytest
from documentation import ROOT

pytest.importorskip("matplotlib")
NOTEBOOK = ROOT / "examples" / "notebook.ipynb"


def shown_by(cells):
    """Run the cells one after the other. Yield the value of the expression that a cell ends with, if it does."""
    names = {}
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        *body, last = ast.parse("".join(cell["source"])).body
        if not isinstance(last, ast.Expr):
            body, last = [*body, last], None
        exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
        if last is not None:
            yield eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)


def test_every_cell_of_the_notebook_runs_and_shows_its_result(monkeypatch):
    monkeypatch.chdir(ROOT)
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])  # nothing that could grow old
    score, text, ranking, plot, checks, check, agreement, closure = shown_by(notebook["cells"])
    assert text == f"F1 is {float(score.f1):.3f}"
    assert plot.axes
    for result, words in (
        (score, "TOTAL"),
        (ranking, "second"),
        (checks, "inconsistent"),
        (check, "contradict"),
        (agreement, "Krippendorff&#x27;s alpha"),
        (closure, "IS_INCLUDED"),
    ):
        html = result._repr_html_()
        assert words in html
        assert html.count("<th>") <= 14
