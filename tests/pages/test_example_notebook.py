"""The notebooks in ``examples/notebooks``: every cell runs, and each result has a table that says what it is about."""

import json

import pytest
from documentation import ROOT

from bench.site import NOTEBOOKS, executed

pytest.importorskip("matplotlib")
WORDS = {
    "maintainer": ["inconsistent", "contradict", "consistent", "removed", "valid", "decided"],
    "researcher": ["TOTAL", "second", "inconsistent", "contradict", "Krippendorff&#x27;s alpha", "IS_INCLUDED"],
    "closure_author": ["incomplete", "wrong"],
}


def test_there_is_a_notebook_for_each_reader():
    assert {path.stem for path in NOTEBOOKS} == set(WORDS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_its_result(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert all(cell.get("outputs", []) == [] for cell in cells)  # nothing that could grow old
    shown = [value for _, values in executed(path) for value in values or ()]
    tables = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_") and not hasattr(value, "savefig")]
    assert len(shown) > 5
    for word in WORDS[path.stem]:
        assert any(word in html for html in tables), word
    assert all(html.count("<th>") <= 14 for html in tables)
