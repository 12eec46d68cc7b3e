"""The reference against golden cases, and against two other ways to decide: an integer program and z3."""

import json
from random import Random

import pytest
from calendar_documents import random_document, random_options
from calendar_twins import by_z3, scaled
from naive_calendar import (
    LOCAL,
    POLICIES,
    UTC,
    calendar_of,
    expected_bounds,
    has_cycle,
    is_consistent,
    smallest_conflicts,
    strongest,
)
from shared_data import shared


def golden_cases():
    return [json.loads(line) for line in (shared("golden", "calendar") / "cases.jsonl").read_text().splitlines()]


@pytest.mark.corpora
def test_golden_cases():
    for case in golden_cases():
        expected = case["expect"]
        plain = calendar_of(case["document"], None)
        assert is_consistent(plain) == (expected["plain"] == "consistent"), case["id"]
        for policy in POLICIES:
            calendar = calendar_of(case["document"], policy, **case["options"])
            assert calendar.remarks == expected["remarks"], case["id"]
            found = answers(calendar, case["ask"])
            wanted = dict(expected[policy])
            listed = {frozenset(conflict) for conflict in wanted.pop("conflicts", ())}
            assert listed <= set(found.pop("conflicts")), (case["id"], policy)
            assert found == wanted | {"facts": sorted(wanted["facts"])}, (case["id"], policy)


def answers(calendar, ask):
    if not is_consistent(calendar):
        conflicts = smallest_conflicts(calendar)
        return {
            "verdict": "inconsistent",
            "facts": sorted(calendar.values),
            "conflicts": conflicts,
            "conflict_size": len(conflicts[0]),
            "conflict_count": len(conflicts),
        }
    return {
        "verdict": "consistent",
        "facts": sorted(calendar.values),
        "conflicts": [],
        "clock": {LOCAL: "local", UTC: "UTC"}[calendar.origin],
        "bounds": {entity: expected_bounds(calendar, entity) for entity in ask["bounds"]},
        "strongest": [[source, strongest(calendar, source, target), target] for source, target in ask["strongest"]],
    }


def random_calendars(seed, count, **shape):
    rng = Random(seed)
    for _ in range(count):
        document, options = random_document(rng, **shape), random_options(rng)
        for policy in POLICIES:
            yield calendar_of(document, policy, **options)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_integer_program_agrees(seed):
    verdicts = []
    for calendar in random_calendars(seed, 150 if seed else 25):
        found = scaled(calendar, 2)
        assert found in (None, is_consistent(calendar))
        verdicts.append(found)
    assert verdicts.count(True) > len(verdicts) / 8
    assert verdicts.count(False) > len(verdicts) / 8


@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_z3_agrees(seed):
    pytest.importorskip("z3", reason="needs z3-solver: pip install temporacle[twins]")
    for calendar in random_calendars(seed, 700 if seed == 3 else 100):
        assert by_z3(calendar) == is_consistent(calendar)


def test_paths_from_one_point_agree_with_all_paths():
    for calendar in random_calendars(4, 300, kinds=("convex", "atom")):
        assert has_cycle(calendar) == (not is_consistent(calendar))
