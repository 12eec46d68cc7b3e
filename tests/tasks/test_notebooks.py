"""What results look like in a notebook: nothing wider than a page, and each row says what it is about."""

import re
import sys
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.errors import UsageError

ROOT = Path(__file__).parents[2]
GOLD = {f"d{k}": [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")] for k in range(8)}
SYSTEM = {name: [("a", "AFTER" if name in {"d1", "d5"} else "BEFORE", "b"), *links[1:]] for name, links in GOLD.items()}


def header(html):
    return re.findall("<th>(.*?)</th>", html)


def test_a_score_shows_no_column_of_zeros():
    html = tp.score(GOLD, SYSTEM)._repr_html_()
    shown = header(html)
    assert shown[:4] == ["document", "precision", "recall", "f1"]
    assert len(shown) <= 9
    assert "precision_matched" in tp.score(GOLD, SYSTEM).to_frame()
    columns = zip(*(re.findall("<td>(.*?)</td>", row) for row in re.findall("<tr>(<td>.*?)</tr>", html)), strict=True)
    assert all(set(column) != {"0"} for column in columns)
    assert "overflow-wrap:anywhere" in html  # a signature has no blanks


def test_an_agreement_says_which_pair_a_row_is_about_and_how_far_people_agree():
    found = tp.agree(GOLD, SYSTEM, GOLD, name=["Ann", "Bo", "Cy"])
    html = found._repr_html_()
    rows = [re.findall("<td>(.*?)</td>", row)[:2] for row in re.findall("<tr>(<td>.*?)</tr>", html)]
    names = ["Ann", "Bo", "Cy"]
    assert [row for row in rows if row[0] in names] == [
        *(["Ann", "Bo"], ["Bo", "Ann"], ["Ann", "Cy"], ["Cy", "Ann"], ["Bo", "Cy"], ["Cy", "Bo"])
    ]
    for value in (found.stated.kappa, found.stated.krippendorff, found.closed.krippendorff):
        assert f"<td>{float(value):.4f}</td>" in html
    assert list(found.to_frame().columns) == ["key", "answer", "precision", "recall", "f1"]


def test_a_closure_shows_its_head_a_count_and_labels():
    found = tp.closure([(f"e{k:02}", "BEFORE", f"e{k + 1:02}") for k in range(11)])
    html = found._repr_html_()
    assert html.count("<td>BEFORE</td>") == 20
    assert "and 46 more rows" in html
    assert "66 rows of 1 document" in html
    assert set(found.to_frame()["relation"]) == {"b"}
    assert "b|m" in tp.closure([("a", "b|m", "b")])._repr_html_()


def test_a_comparison_leaves_out_empty_columns():
    two = {name: GOLD[name] for name in ("d0", "d1")}
    html = tp.compare(two, {"ours": two, "other": {name: SYSTEM[name] for name in two}})._repr_html_()
    assert "f1 low" not in header(html)
    assert "f1 low" in header(tp.compare(GOLD, {"ours": GOLD, "other": SYSTEM})._repr_html_())


def test_a_plot_has_every_system_with_its_interval():
    pytest.importorskip("matplotlib")
    ranking = tp.compare(GOLD, {"ours": GOLD, "other": SYSTEM})
    (axes,) = ranking.plot("recall").axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["other", "ours"]
    points = [line.get_xdata() for line in axes.lines]
    assert [float(ranking.of("other").score.recall)] in [list(each) for each in points]
    assert list(map(float, ranking.of("other").of("recall").interval)) in [list(each) for each in points]
    with pytest.raises(UsageError, match="choose precision, recall or f1"):
        ranking.plot("accuracy")


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r"temporacle\[figures\]"):
        tp.compare(GOLD, {"other": SYSTEM}).plot()


def test_the_results_table_of_the_page_is_the_one_that_the_script_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    from results_table import RAW, main

    assert main(tmp_path) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1] == "40 of 40 certificates accepted"
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    assert "\n".join(printed[:5]) in page
    direct = tp.score(RAW / "gold", tmp_path / "decoded", metric="pairs")
    assert f"| pairwise, decoded | {direct.precision:.3f} | {direct.recall:.3f} | {direct.f1:.3f} |" in printed[2]
