"""The short pages of results: about 300 words with a chart, and figures that are those of the whole tables in bench."""

import re

import pytest
from documentation import ROOT, prose, text_of
from test_lists import rows

from bench.charts import audits, corpora, tempeval3

SHORT = ["corpora", "tempeval3", "audits/README", "experiments", "performance"]


@pytest.mark.parametrize("name", SHORT)
def test_a_page_of_results_is_short_and_has_a_chart(name):
    text = text_of(f"docs/{name}.md")
    assert re.search(r"^!\[.+\]\((?:\.\./)?figures/", text, re.MULTILINE)
    assert len(prose(re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)).split()) <= 300


def test_corpora_are_those_of_the_whole_table():
    whole = {row[0]: row for row in rows((ROOT / "bench/results/corpora.md").read_text("utf-8"), "corpus")}
    for name, *cells in rows(text_of("docs/corpora.md"), "corpus"):
        assert cells == [whole[name][place] for place in (1, 2, 4, 7, 9)]
    assert max(corpora().values()) == corpora()["TimeBank-Dense as TimeML"]


def test_runs_are_those_of_the_whole_table():
    shown = [tuple(map(float, row[1:3])) for row in rows(text_of("docs/tempeval3.md"), "run")]
    assert shown == [tuple(round(each, 2) for each in pair) for pair in tempeval3().values()]


def test_the_chart_has_every_audit_of_another_program():
    assert set(audits()) == {path.stem for path in (ROOT / "docs/audits").glob("*.md")} - {"README", "engines"}
