"""The page of corpora: figures of a corpus on the spot, and the page that is there still holds."""

from pathlib import Path

import pytest
from shared_data import shared

from bench.corpora import CORPORA, Corpus, digest, page, row_of
from temporacle.io.formats import example_of

PAGE = Path(__file__).parents[2] / "bench" / "results" / "corpora.md"


def test_a_row_counts_what_is_there(tmp_path):
    example = example_of("umr")
    (tmp_path / "good.umr").write_text(example)
    circle = example.replace("(s1d :contained s1l)", "(s1l :overlap s1d2) (s1l :soon s1d)")
    (tmp_path / "odd.umr").write_text(circle)
    paths = sorted(tmp_path.glob("*"))
    row = row_of(Corpus("Ferries", (), "umr", dated=True), paths)
    assert (row.documents, row.links, row.skipped) == (2, 6, 1)
    assert (row.inconsistent, row.loose, row.dated, row.to_remove) == (1, 1, 1, 1)
    assert (row.redundant, row.judged_links, row.pairs) == (0, 3, 6)
    assert row.conflicts == [("odd", 's1d2 "docked" overlap s1l "left"; s1d2 "docked" after s1l "left"')]
    text = "\n".join(page([row]))
    assert "| Ferries | 2 | 6 | 1 | 1 | 1 | 1 | 1 | 0.0 % |" in text
    assert "| `odd` | s1d2" in text
    before = digest(paths)
    (tmp_path / "good.umr").write_text(example + "\n")
    assert digest(paths) != before == row.digest


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", [each for each in CORPORA if not each.whole and "silver" not in each.name], ids=str)
def test_the_page_holds(corpus):
    found = [path for pattern in corpus.patterns for path in sorted(shared("corpora").glob(pattern))]
    row = row_of(corpus, found)
    text = PAGE.read_text("utf-8")
    assert f"| {' | '.join(row.cells()[:-1])} |" in text
    assert all(f"| `{name}` | {words} |" in text for name, words in row.conflicts)
