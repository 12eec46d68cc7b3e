"""Real runs with published scores: third-party data, read from the shared folder."""

import json

import pytest
from official_runs import score_documents
from shared_data import SHARED, shared

from temporacle.scoring.official.tempeval3.scores import METHODS

pytestmark = pytest.mark.corpora
RUNS = sorted(path.name for path in SHARED.glob("golden/te3_runs/*") if path.is_dir())


def documents(gold, system):
    paths = sorted(path for path in gold.iterdir() if (system / path.name).exists())
    return [(path.read_bytes(), (system / path.name).read_bytes()) for path in paths]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", RUNS or ["none"])
def test_participants_of_tempeval3(name, method):
    run = shared("golden", "te3_runs", name)
    expected = json.loads((run / "expected.json").read_text())["awareness"][method]
    score = score_documents(documents(run / "gold", run / "system"), method)
    counts = score.total
    found = counts.precision_matched, counts.system_total, counts.recall_matched, counts.gold_total
    assert found == tuple(expected[key] for key in ("prec_matched", "sys_total", "rec_matched", "gold_total"))
    text = "expected.txt" if method == "default" else f"expected.{method}.txt"
    assert score.printed() == (run / text).read_bytes()


def test_scores_in_published_logs():
    folder = shared("corpora", "structtemprel-output")
    rows = [line.split("\t") for line in (folder / "reference_scores.tsv").read_text().splitlines()]
    compared = 0
    for gold, system, f1, precision, recall, *_ in rows[3:]:
        if gold == "te3-platinum":
            gold_folder = shared("corpora", "te3-platinum-normalized")
        else:
            gold_folder = folder / f"{gold}-normalized"
        score = score_documents(documents(gold_folder, folder / f"{system}-normalized"))
        assert score.total.digits() == (f1, precision, recall)
        compared += 1
    assert compared >= 4
