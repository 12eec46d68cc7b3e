"""The normaliser against the official program's output for real documents, tag by tag."""

import json
import re

import pytest
from official_runs import normalize_folders, score_documents
from shared_data import SHARED, shared

from temporacle.scoring.official.normalizer import WhichSide

pytestmark = pytest.mark.corpora
RUNS = {
    "cleartk-1": "cleartk/1-timebank",
    "cleartk-3": "cleartk/3-timebank-aquaint",
    "key": "TE3-test-key/key",
    "kul-abc": "KUL/TE3RunABC",
    "navytime-1": "chambers/NavyTime1",
    "tipsem": "TIPSem/key",
}
PREDICTIONS = ("pred_0.6_1.4_1", "pred_20_0.01_0.0", "pred_table3_SP+ILP")
PROBES = sorted(path.name for path in (SHARED / "golden" / "normalizer").glob("p*"))
TAG = re.compile(rb"<TLINK[^>]*>")


def folder(*parts):
    return {path.name: path.read_bytes() for path in sorted(shared(*parts).glob("*.tml"))}


def raw_run(path):
    return folder("corpora", "te3-systems", *path.split("/"), "test-TaskABC")


def key():
    return raw_run("TE3-test-key/key")


def assert_same_tags(run, gold, system):
    assert len(run.pairs) == len(gold) == len(system)
    for pair in run.pairs:
        assert pair.gold.content.split(b"\n<") == b"\n".join(TAG.findall(gold[pair.name])).split(b"\n<"), pair.name
        assert pair.system.content.split(b"\n<") == b"\n".join(TAG.findall(system[pair.name])).split(b"\n<"), pair.name


def score(run, method="default"):
    return score_documents([(pair.gold.content, pair.system.content) for pair in run.pairs], method)


@pytest.mark.parametrize("name", PROBES)
def test_probe(name):
    case = shared("golden", "normalizer", name)
    run = normalize_folders(*({"d": (case / f"{side.value}.tml").read_bytes()} for side in WhichSide))
    for side, document in zip(WhichSide, (run.pairs[0].gold, run.pairs[0].system), strict=True):
        output = case / f"expected-{side.value}.tml"
        assert (("d", side) in run.officially_written()) == output.exists()
        if output.exists():
            assert document.content == b"\n".join(TAG.findall(output.read_bytes()))


@pytest.mark.parametrize("name", RUNS)
def test_participant_run(name):
    run = normalize_folders(key(), raw_run(RUNS[name]))
    assert_same_tags(run, folder("golden", "te3_runs", name, "gold"), folder("golden", "te3_runs", name, "system"))
    links = json.loads(shared("golden", "te3_runs", name, "links.json").read_text("utf-8"))
    for pair in run.pairs:
        assert [list(link) for link in pair.gold.links] == links[pair.name]["gold"]
        assert [list(link) for link in pair.system.links] == links[pair.name]["system"]
    assert len(run.officially_written()) == 2 * len(run.pairs)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("method", ["default", "acl11", "implicit_in_recall"])
def test_participant_run_is_scored_end_to_end(name, method):
    suffix = "" if method == "default" else f".{method}"
    printed = shared("golden", "te3_runs", name, f"expected{suffix}.txt").read_bytes()
    assert score(normalize_folders(key(), raw_run(RUNS[name])), method).printed() == printed


def test_toolkit_data():
    toolkit = ("corpora", "te3-toolkit", "data")
    case = ("golden", "official", "r50_toolkit_data_normalized")
    run = normalize_folders(folder(*toolkit, "gold"), folder(*toolkit, "system"))
    assert_same_tags(run, folder(*case, "gold"), folder(*case, "system"))
    assert score(run).printed() == shared(*case, "expected.txt").read_bytes()


def test_platinum_with_itself():
    platinum, normalized = folder("corpora", "te3-platinum"), folder("corpora", "te3-platinum-normalized")
    assert_same_tags(normalize_folders(platinum, platinum), normalized, normalized)


@pytest.mark.parametrize("name", PREDICTIONS)
def test_published_prediction(name):
    output = ("corpora", "structtemprel-output")
    run = normalize_folders(folder("corpora", "te3-platinum"), folder(*output, name))
    assert_same_tags(run, folder("corpora", "te3-platinum-normalized"), folder(*output, f"{name}-normalized"))
    scores = shared(*output, "reference_scores.tsv").read_text("utf-8").splitlines()
    reference = next(row for row in (line.split("\t") for line in scores) if row[1:2] == [name])
    assert list(score(run).total.digits()) == reference[2:5]


def test_dense_gold():
    chambers = ("corpora", "structtemprel-output", "Chambers")
    gold = folder(*chambers, "gold")
    system = folder(*chambers, "codl", "TD-Test", "0.3_1.4_1")
    normalized = folder(*chambers, "codl", "TD-Test", "0.3_1.4_1-normalized")
    assert_same_tags(normalize_folders(gold, system), folder(*chambers, "gold-normalized"), normalized)


def test_every_participant_run_is_accepted():
    gold = key()
    for path in sorted(shared("corpora", "te3-systems").glob("*/*/test-TaskABC")):
        run = normalize_folders(gold, {file.name: file.read_bytes() for file in sorted(path.glob("*.tml"))})
        assert not any(pair.objections for pair in run.pairs), path
