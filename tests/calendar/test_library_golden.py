"""The library and its commands on the golden cases of reasoning with dates and lengths."""

import json

import pytest
from library import command_line, options_of, oracle_of, read
from naive_calendar import POLICIES
from shared_data import shared

import temporacle as tp
from temporacle.cli import run

pytestmark = pytest.mark.corpora
FOLDER = shared("golden", "calendar")
CASES = [json.loads(line) for line in (FOLDER / "cases.jsonl").read_text("utf-8").splitlines()]
AS_TIMEML = [case for case in CASES if "timeml" in case]


def answered(capsys, *arguments):
    """Exit code and lines of JSON of a command."""
    code = run([*arguments, "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def renamed(entity):
    """Events are called by their instances in TimeML."""
    return f"ei{entity[1:]}" if entity.startswith("e") else entity


def same(entity):
    return entity


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_python(case):
    expected = case["expect"]
    plain = tp.check(read(case["document"]))[0]
    assert plain.verdict == expected["plain"]
    for policy in POLICIES:
        wanted = expected[policy]
        check = tp.check(read(case["document"]), calendar=policy, **options_of(**case["options"]))[0]
        assert check.verdict == wanted["verdict"]
        remarks = {each.element: each.code for each in check.remarks if each.code.startswith(("value-", "mod-"))}
        assert remarks == expected["remarks"]
        oracle = oracle_of(case["document"], policy, **case["options"])
        if wanted["verdict"] == "consistent":
            for entity, bounds in wanted["bounds"].items():
                found = oracle.bounds(entity).to_dict()
                assert (found["clock"], found["start"], found["end"]) == (
                    wanted["clock"],
                    bounds["start"],
                    bounds["end"],
                )
            for source, atoms, target in wanted["strongest"]:
                assert list(oracle.strongest(source, target).atoms) == atoms
        else:
            check_conflict([fact.id for fact in check.conflict], wanted)


def check_conflict(found, wanted):
    assert len(found) == wanted["conflict_size"]
    if wanted["conflict_count"] == len(wanted["conflicts"]):
        assert sorted(found) in [sorted(conflict) for conflict in wanted["conflicts"]]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["jsonl", "timeml"])
def test_check_and_bounds_commands(policy, form, tmp_path, capsys):
    """Every case in a file of its own, as JSON Lines or as TimeML."""
    name_of = renamed if form == "timeml" else same
    for case in AS_TIMEML if form == "timeml" else CASES:
        wanted = case["expect"][policy]
        if form == "timeml":
            path = [str(FOLDER / "tml" / case["timeml"].rpartition("/")[2]), "--labels", "timeml"]
        else:
            (tmp_path / "case.jsonl").write_text(json.dumps(case["document"]))
            path = [str(tmp_path / "case.jsonl")]
        options = command_line(policy, **case["options"])
        code, (row,) = answered(capsys, "check", *path, *options)
        assert (row["verdict"], code) == (wanted["verdict"], int(wanted["verdict"] == "inconsistent")), case["id"]
        assert row["calendar"]["policy"] == policy
        assert row["calendar"]["constraining"] == sum("." not in fact for fact in wanted["facts"])
        if wanted["verdict"] == "inconsistent":
            check_conflict([fact["id"] for fact in row["conflict"]], wanted)
            assert all(("source" in fact) != ("entity" in fact) for fact in row["conflict"])
            code, (row,) = answered(capsys, "bounds", *path, *options)
            assert (code, row["verdict"]) == (1, "inconsistent")
        elif wanted["bounds"]:
            asked = [name_of(entity) for entity in wanted["bounds"]]
            code, rows = answered(capsys, "bounds", *path, *asked, *options)
            assert code == 0
            found = {row["entity"]: {end: row[end] for end in ("start", "end")} for row in rows}
            assert found == {name_of(entity): bounds for entity, bounds in wanted["bounds"].items()}, case["id"]
            assert {row["clock"] for row in rows} <= {wanted["clock"]}


def test_certificates_of_all_cases(tmp_path, capsys):
    """Written by check, and accepted by verify together with their files."""
    (tmp_path / "cases").mkdir()
    for case in CASES:
        (tmp_path / "cases" / f"{case['id']}.jsonl").write_text(json.dumps(case["document"]))
    for policy in POLICIES:
        folder = tmp_path / policy
        answered(capsys, "check", str(tmp_path / "cases"), "--calendar", policy, "--certificates", str(folder))
        code, rows = answered(capsys, "verify", str(folder), "--document", str(tmp_path / "cases"))
        assert code == 0
        assert len(rows) == len(CASES)
        assert {row["calendar"] for row in rows} == {policy}
