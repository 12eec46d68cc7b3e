"""Intervals, p-values and families of golden/statistics.json, to the last digit."""

import json
from fractions import Fraction
from itertools import combinations

import pytest
from shared_data import shared

from temporacle.results import MatchCounts, Score, harmonic_mean
from temporacle.scoring.metric import Average
from temporacle.scoring.significance import compare, estimates, holm

CASES = {each["case"]: each for each in json.loads(shared("golden", "statistics.json").read_text())["cases"]}


def scores(run, empty):
    for number, (*counts,) in enumerate(run):
        found = MatchCounts(*(Fraction(str(each)) for each in counts))
        precision, recall = found.precision(empty), found.recall(empty)
        yield Score("m", found, precision, recall, harmonic_mean(precision, recall), document=f"d{number}")


def assert_interval(found, expected):
    if expected["interval"] is None:
        assert found.interval is None
        assert found.reason.startswith(expected["reason"])
        return
    shown = {"low": found.low, "high": found.high, "df": found.df, "se": found.error}
    assert {name: round(value, 6) for name, value in shown.items()} == expected["interval"]


@pytest.mark.parametrize("name", CASES)
def test_golden(name):
    case = CASES[name]
    options = {"average": Average(case["options"]["average"]), "empty": case["options"]["empty"]}
    systems = {
        system: [list(scores(run, options["empty"])) for run in runs] for system, runs in case["systems"].items()
    }
    expected = case["expected"]
    for system, runs in systems.items():
        for each in estimates(runs, **options):
            wanted = expected["systems"][system][each.measure]
            assert str(each.observed) == wanted["value"]
            assert_interval(each, wanted)
    pairs = {pair: compare(*(systems[each] for each in pair), **options) for pair in combinations(systems, 2)}
    assert [(row["first"], row["second"]) for row in expected["pairs"]] == list(pairs)
    adjusted = dict(zip(pairs, holm([each.of("f1").p_value for each in pairs.values()]), strict=True))
    baseline = case["options"].get("baseline")
    family = [pair for pair in pairs if baseline in pair]
    by_baseline = dict(zip(family, holm([pairs[pair].of("f1").p_value for pair in family]), strict=True))
    for row in expected["pairs"]:
        pair = row["first"], row["second"]
        found = pairs[pair]
        assert (found.differing, found.method == "swap-exact") == (row["differing_documents"], row["exact"])
        for each in found.differences:
            wanted = row[each.measure]
            assert str(each.observed) == wanted["difference"]
            assert str(each.p_value) == wanted["p"]
            assert_interval(each, wanted)
        assert str(adjusted[pair]) == row["f1"]["p_holm_all_pairs"]
        if pair in by_baseline and "p_holm_baseline" in row["f1"]:
            assert str(by_baseline[pair]) == row["f1"]["p_holm_baseline"]
