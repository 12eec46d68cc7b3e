"""Every example of docs/python.md gives what the page says, in order."""

import doctest
import re
from pathlib import Path

import pandas as pd

import temporacle as tp

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"


def blocks():
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_every_example_gives_what_the_page_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    for number, block in enumerate(blocks(), 1):
        test = doctest.DocTestParser().get_doctest(block, names, f"block {number}", str(PAGE), 0)
        assert test.examples, f"block {number} has no example"
        with pd.option_context("display.width", 200):
            runner.run(test, out=said.append, clear_globs=False)
        names |= test.globs
    assert not runner.failures, "".join(said)
    assert runner.tries > 40


def test_every_public_name_is_on_the_page():
    text = PAGE.read_text("utf-8")
    left_out = {"Budget", "Entity", "Kind", "Link", "Remark"}  # parts of others, described with their classes
    assert {name for name in dir(tp) if not re.search(rf"\b{name}\b", text)} <= left_out


def test_every_question_to_an_oracle_is_on_the_page():
    text = PAGE.read_text("utf-8")
    internal = {"network", "relation", "entities"}
    for name in vars(tp.Oracle):
        assert name.startswith("_") or name in internal or f"{name}" in text, name
