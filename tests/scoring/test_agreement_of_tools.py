"""The page on agreement: the same annotation from four tools gives the same figures, and ids alone give a warning."""

import json
import re
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.io.formats import FORMATS
from temporacle.scoring.alignment import OF_TOOLS

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "agreement"


def people(tool, tmp_path, monkeypatch):
    if tool != "label-studio":
        return FILES / tool / "anna", FILES / tool / "ben"
    page = (ROOT / "docs" / "agreement.md").read_text("utf-8")
    (script,) = [each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "completed_by" in each]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(script, {})  # what the page tells readers to run
    return tmp_path / "person-1", tmp_path / "person-2"


@pytest.mark.parametrize("tool", ["brat", "inception", "doccano", "label-studio"])
def test_the_tool_does_not_matter(tool, tmp_path, monkeypatch):
    anna, ben = people(tool, tmp_path, monkeypatch)
    found = tp.agree(anna, ben, align="spans")
    assert [str(each) for each in (found.stated.krippendorff, found.stated.kappa)] == ["12/19", "3/5"]
    assert round(float(found.closed.krippendorff), 4) == 0.7965
    assert not tp.score(anna, ben, align="spans").documents[0].warnings


@pytest.mark.filterwarnings("ignore")
def test_ids_that_stand_elsewhere_are_warned_about():
    anna, ben = FILES / "brat" / "anna", FILES / "brat" / "ben"
    assert [each.code for each in tp.score(anna, ben).documents[0].warnings] == ["ids-not-aligned"]
    assert not tp.score(anna, anna).documents[0].warnings


def test_the_list_of_tools_is_that_of_the_formats():
    assert {name for name, entry in FORMATS.items() if (entry.location or "").startswith("tools.")} == OF_TOOLS


def test_the_samples_say_the_same():
    def said(path, **options):
        document = tp.read(path, **options)
        words = {each.id: each.text for each in document.entities}
        return [(words[link.source], link.label, words[link.target]) for link in document.links]

    for person in ("anna", "ben"):
        brat = said(FILES / "brat" / person / "ferry.ann")
        assert said(FILES / "inception" / person / "ferry.xmi") == brat
        assert said(FILES / "doccano" / person / "all.jsonl") == brat
    assert len(json.loads((FILES / "label-studio.json").read_text())[0]["annotations"]) == 2
