"""Timelines: own samples, and the counts of the golden cases, which the official program gets right."""

import json

import pytest
from shared_data import SHARED

import temporacle as tp
from temporacle.tasks.score import score

GOLD = """North Ferry Line
0\tXXXX-XX-XX\t812-9-hoped
1\t2018\t812-2-founded\t815-2-started
2\t2019-06\t812-4-bought
3\t2020\t812-5-sailed
"""


@pytest.fixture
def timeline(tmp_path):
    def write(text, name="ferry.txt"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return tp.read(path, format="timeline")

    return write


def test_a_perfect_copy_scores_one_also_where_mentions_repeat(timeline):
    repeated = "Pier\n1\t2001\t9-1-a\n2\t2002\t9-1-b\n3\t2003\t9-1-a\n4\t2004\t9-1-c\n5\t2005\t9-1-a\n"
    for text in (GOLD, repeated):
        for ordering_only in (False, True):
            document = timeline(text)
            assert score(document, document, metric="timeline", ordering_only=ordering_only).f1 == 1


def test_anchors_count_unless_only_the_order_is_asked_for(timeline):
    gold, wrong = timeline(GOLD), timeline(GOLD.replace("2020", "2021"), "other.txt")
    full = score(gold, wrong, metric="timeline").counts
    # Four mentions with anchors; three neighbours, one of them implied by a common anchor.
    assert (full.gold_total, full.recall_matched) == (6, 5)
    order = score(gold, wrong, metric="timeline", ordering_only=True).counts
    assert (order.gold_total, order.recall_matched) == (3, 3)


def test_a_skipped_event_loses_both_neighbouring_links(timeline):
    gold = timeline(GOLD)
    skipped = timeline("\n".join(row for row in GOLD.split("\n") if "bought" not in row), "other.txt")
    found = score(gold, skipped, metric="timeline", ordering_only=True)
    assert (found.counts.recall_matched, found.precision) == (1, 1)


GOLDEN = SHARED / "golden" / "official"
# A gold file without answer counts in recall here, and in nothing there.
OTHERWISE = {"t12_missing_answer_file"}


@pytest.mark.corpora
@pytest.mark.skipif(not GOLDEN.exists(), reason="needs ../shared/golden/official, which is not part of the project")
@pytest.mark.parametrize("mode", ["full", "ord"])
@pytest.mark.parametrize("folder", sorted(GOLDEN.glob("t*")), ids=lambda folder: folder.name)
def test_golden_counts(folder, mode):
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["modes"][mode]
    if folder.name in OTHERWISE:
        pytest.skip("defined otherwise")
    sides = [str(folder / side) for side in ("gold", "system")]
    total = score(*sides, metric="timeline", ordering_only=mode == "ord")
    for name in ("precision_matched", "system_total", "recall_matched", "gold_total"):
        assert getattr(total.counts, name) == sum(file[name] for file in expected["files"].values())
