"""The normaliser against what the official program wrote for small hand-made documents."""

import json
from pathlib import Path

import pytest
from official_runs import normalize_folders, score_documents

from temporacle.scoring.official.normalizer import WhichSide, normalize_pair

CASES = Path(__file__).resolve().parents[1] / "golden" / "normalizer"
PAIRS = sorted(CASES.glob("p*"))
RUNS = sorted(CASES.glob("m*"))


def expected(case):
    return json.loads((case / "expected.json").read_text("utf-8"))


def documents(case):
    return tuple((case / f"{side.value}.tml").read_bytes() for side in WhichSide)


def test_cases_are_found():
    assert len(PAIRS) == 57
    assert len(RUNS) == 4


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case.name)
def test_links_of_a_pair(case):
    gold, system = documents(case)
    run = normalize_folders({"d": gold}, {"d": system})
    written = run.officially_written()
    for side in WhichSide:
        links = expected(case)[side.value]
        assert (("d", side) in written) == (links is not None)
        if links is not None:
            document = run.pairs[0].gold if side is WhichSide.GOLD else run.pairs[0].system
            assert [list(link) for link in document.links] == links


@pytest.mark.parametrize("case", [case for case in PAIRS if expected(case)["awareness"]], ids=lambda case: case.name)
def test_score_of_a_pair(case):
    pair = normalize_pair(*documents(case))
    score = score_documents([(pair.gold.content, pair.system.content)])
    assert list(score.total.digits()) == expected(case)["awareness"]


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_files_of_a_run(case):
    listing = expected(case)["order"]
    gold = {name: (case / "gold" / name).read_bytes() for name in listing}
    system = {path.name: path.read_bytes() for path in sorted((case / "system").iterdir())}
    run = normalize_folders(gold, system)
    assert [[name, side.value] for name, side in run.officially_written()] == expected(case)["written"]


@pytest.mark.parametrize(("bad", "written"), [("b", ""), ("c", "b"), ("a", "bc")])
def test_a_mismatch_stops_the_run_but_not_the_other_pairs(bad, written):
    case = CASES / "m01_token_mismatch_in_second_of_three"
    good, other = (case / "gold" / "a.tml").read_bytes(), (case / "system" / "b.tml").read_bytes()
    run = normalize_folders(dict.fromkeys("bca", good), {name: other if name == bad else good for name in "bca"})
    assert run.officially_written() == tuple((name, side) for name in written for side in WhichSide)
    assert {pair.name for pair in run.pairs if pair.gold is None} == {bad}


@pytest.mark.parametrize("name", ["p27_entity_refs", "p27c_lt_gt_only", "p27d_quot_apos_charref", "p60_pipe_character"])
def test_harmless_characters_are_aligned_all_the_same(name):
    """The official program fails on these texts; the links are none the less beyond doubt."""
    pair = normalize_pair(*documents(CASES / name))
    assert pair.gold.links == pair.system.links == (("ei1", "BEFORE", "ei2"),)
    assert {objection.remark.code for objection in pair.objections} == {"unsupported-character"}
