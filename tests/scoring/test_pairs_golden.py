"""Pairwise scores against what the original programs printed: every golden case, through the command line."""

import json
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName

GOLDEN = Path(__file__).parents[1] / "golden" / "pairwise"
CASES = {path.parent.name: json.loads(path.read_text("utf-8")) for path in sorted(GOLDEN.glob("*/expected.json"))}
# The same number, wherever the original has no fault: convention -> what its print calls precision, recall and F1.
PAIRS = {
    (name, policy, convention): expected
    for name, case in CASES.items()
    for policy, conventions in case.get("policies", {}).items()
    for convention, expected in conventions.items()
}
END_TO_END = {name: case["end-to-end"] for name, case in CASES.items() if "end-to-end" in case}


def official(capsys, convention, *arguments, output="json", code=0):
    """What the command prints for a convention."""
    options = ["--official", "--metric", "pairs", "--convention", convention, "--output", output]
    assert run(["score", *map(str, arguments), *options]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def check(capsys, convention, expected, *arguments):
    """The lines byte for byte, numbers to 1e-12, and no lines where the original stops."""
    if "error" in expected:
        assert official(capsys, convention, *arguments, output="table", code=3) == ""
        total = json.loads(official(capsys, convention, *arguments, code=3).splitlines()[-1])
        assert total["stops"]
        return
    text = official(capsys, convention, *arguments, output="table")
    total = json.loads(official(capsys, convention, *arguments).splitlines()[-1])
    lines = expected.get("lines") or ([expected["line"]] if "line" in expected else None)
    if lines:
        assert text == "".join(f"{line}\n" for line in lines)
        assert total["official"] == expected
    else:
        same(json.loads(text), expected)


def same(found, expected):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            same(found[name], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-12)
    else:
        assert found == expected


def sides(name):
    return [GOLDEN / name / "gold.tsv", GOLDEN / name / "system.tsv"]


def of_kind(kind):
    return pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["kind"] == kind])


def test_every_case_is_there():
    assert len(CASES) == 102
    assert {convention for _, _, convention in PAIRS} | {"end-to-end"} >= {
        name.value for name, rules in CONVENTIONS.items() if rules.pairing.value == "rows" and not rules.votes
    }


@pytest.mark.parametrize(("name", "policy", "convention"), PAIRS, ids="-".join)
def test_pairs(capsys, name, policy, convention):
    missing = ["--missing", policy, *label_set(name, convention)]
    check(capsys, convention, PAIRS[name, policy, convention], *sides(name), *missing)


@pytest.mark.parametrize("name", END_TO_END)
def test_end_to_end(capsys, name):
    check(capsys, "end-to-end", END_TO_END[name], *sides(name), *label_set(name, "end-to-end"))


def label_set(name, convention):
    several = len(CONVENTIONS[ConventionName(convention)].label_sets) > 1
    return ["--label-set", CASES[name]["label_set"]] if several else []


@of_kind("pairs")
def test_counts(capsys, name):
    if "error" in CASES[name]:
        for flags in (["--official"], []):
            assert run(["score", *map(str, sides(name)), "--metric", "pairs", *flags]) == 2
            assert capsys.readouterr().out == ""
        return
    convention = CASES[name]["label_set"]
    total = json.loads(official(capsys, convention, *sides(name)).splitlines()[-1])
    assert {key: total["counts"][key] for key in CASES[name]["pairs"]} == CASES[name]["pairs"]


@of_kind("maven-ere")
def test_maven(capsys, name):
    files = [GOLDEN / name / "test.jsonl", GOLDEN / name / "test_prediction.jsonl"]
    case = CASES[name]
    expected = {key: case[key] for key in ("lines", "error") if key in case}
    check(capsys, "maven-ere", expected, *files)


@of_kind("global-zero-shot")
def test_graphs(capsys, name):
    case = CASES[name]
    runs = sorted((GOLDEN / name).glob("system-*.json"))
    convention = "global-zero-shot-voted" if case["voted"] else "global-zero-shot"
    labels = {"matres": "matres", "omni": "matres", "tbd": "tbdense", "nt": "tbdense"}[case["dataset"]]
    expected = {key: case[key] for key in ("line", "nas", "error") if key in case}
    check(capsys, convention, expected, GOLDEN / name / "gold", *runs, "--label-set", labels)


def temporal(precision, recall, awareness):
    return {"temporal_precision": precision, "temporal_recall": recall, "temporal_awareness": awareness}


# What tieval 0.1.11 gives for the golden cases besides the figures that their files have.
TEMPORAL = {
    "t01_plain": {"micro": temporal(1.0, 2 / 3, 0.8), "macro": temporal(1.0, 2 / 3, 0.8)},
    "t02_macro_recall": {"micro": temporal(0.4, 0.5, 4 / 9), "macro": temporal(5 / 12, 2 / 3, 20 / 39)},
    "t03_aliases": {"micro": temporal(0.75, 0.75, 0.75), "macro": temporal(0.75, 0.75, 0.75)},
    "t04_two_labels_for_a_pair": {"micro": temporal(0.0, 0.5, 0.0), "macro": temporal(0.0, 0.5, 0.0)},
    "t31_random": {"micro": temporal(0.0, 0.0, 0.0), "macro": temporal(0.0, 0.0, 0.0)},
    "t32_random": {"micro": temporal(1 / 7, 1 / 9, 1 / 8), "macro": temporal(0.5, 0.5, 0.5)},
}


@of_kind("tieval")
def test_sets(capsys, name):
    expected = {key: {**CASES[name][key], **TEMPORAL[name][key]} for key in ("micro", "macro") if name in TEMPORAL}
    check(capsys, "tieval", expected or {"error": CASES[name]["error"]}, *sides(name))


@of_kind("narrativetime")
def test_complete_graphs(capsys, name):
    expected = {key: CASES[name][key] for key in ("documents", "total", "error") if key in CASES[name]}
    files = [GOLDEN / name / f"annotator{number}.tsv" for number in (1, 2)]
    check(capsys, "narrativetime", expected, *files)
