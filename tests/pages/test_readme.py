"""The Python example of the README gives what it shows."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_python_example_gives_what_it_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    block = re.search(r"```python\n(.*?)```", Path("README.md").read_text("utf-8"), re.DOTALL)
    assert block
    names: dict[str, object] = {}
    answers = {}
    for line in block[1].splitlines():
        code, _, said = line.partition("  # ")
        if said:
            answers[said.strip()] = repr(eval(code, names))
        else:
            exec(code, names)
    shown = {said: answer for said, answer in answers.items() if said.startswith(("Relation(", "Checks(", "Score("))}
    assert len(shown) == 3
    assert all(said == answer for said, answer in shown.items())
    assert any(said.startswith("Verdict.ENTAILED") and "ENTAILED" in answer for said, answer in answers.items())


def test_the_readme_is_short_and_in_the_order_of_its_readers():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 130
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    wanted = "Install, One minute, Certify a corpus, Score systems, Verify, Python, How it compares, Links"
    assert ", ".join(headings) == wanted


def test_figures_of_other_programs_are_those_of_their_audits():
    text = (ROOT / "README.md").read_text("utf-8")
    audit = (ROOT / "docs" / "audits" / "tieval.md").read_text("utf-8")
    [share] = re.findall(r"does not notice (\d+) % of contradictions", text)
    missed = re.search(r"inconsistencies missed \| \d+ \(([\d.]+) %\)", audit)[1]
    assert share == f"{float(missed):.0f}"
    [command] = re.findall(r"^    (temporacle audit .*)$", audit, re.MULTILINE)[:1]
    assert f"`{command.replace(' --cases 1000', '')}`" in text, "1000 cases are the default"
    notes = (ROOT / "bench" / "NOTES.md").read_text("utf-8")
    assert re.search(r"anaforatools; tieval \|[^|]*\| 344 ", notes)
    assert "21 to 344 times as fast (measured with 0.2.0)" in text
