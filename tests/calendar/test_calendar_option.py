"""``--calendar`` on the command line and in Python: its words, what is refused, and what stays as it is without it."""

import json
import subprocess
import sys

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.commands.options import with_policies

HARBOUR, RESULTS = "examples/calendar/harbour.tml", "examples/calendar/results.tml"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["check", "--calendar", HARBOUR], ["check", "--calendar=within", HARBOUR]),
        (["check", HARBOUR, "--calendar"], ["check", HARBOUR, "--calendar=within"]),
        (["check", "--calendar", "exact", HARBOUR], ["check", "--calendar=exact", HARBOUR]),
        (["check", "--calendar=document", HARBOUR], ["check", "--calendar=document", HARBOUR]),
        (["check", "--", "--calendar", "exact"], ["check", "--", "--calendar", "exact"]),
    ],
)
def test_only_a_policy_is_taken_for_one(given, meant):
    assert with_policies(given) == meant


def test_a_path_behind_the_option_is_a_path(capsys):
    assert run(["check", "--calendar", RESULTS, "--output", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {fact["id"] for fact in found["conflict"]} == {"l2", "t1", "t2"}
    assert [fact["attribute"] for fact in found["conflict"] if "entity" in fact] == ["value", "value"]
    assert found["calendar"] == {
        "policy": "within",
        "hemisphere": "unknown",
        "zone": None,
        "values": 3,
        "constraining": 3,
    }


def test_without_the_option_nothing_of_it_is_loaded_and_nothing_changes(capsys):
    program = (
        "import sys; from temporacle.cli import run; code = run(sys.argv[1:]);"
        "rooms = ('temporacle.calendar', 'temporacle.reasoner.clock');"
        "assert not [name for name in sys.modules if name.startswith(rooms)];"
        "sys.exit(code)"
    )
    for arguments in (["check", RESULTS, "--output", "json"], ["closure", HARBOUR], ["score", HARBOUR, HARBOUR]):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert run(["check", RESULTS, "--output", "json"]) == 0
    assert "calendar" not in json.loads(capsys.readouterr().out)
    assert "calendar" not in tp.score(HARBOUR, HARBOUR).signature


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", HARBOUR, "--hemisphere", "north"],
        ["check", HARBOUR, "--calendar", "--zone", "CET"],
        ["check", HARBOUR, "--calendar=weekly"],
        ["check", HARBOUR, "--zone", "CET"],
        ["reduce", HARBOUR, "--calendar"],
        ["closure", HARBOUR, "--calendar", "--engine", "propagation"],
        ["score", HARBOUR, HARBOUR, "--calendar", "--metric", "closure"],
        ["report", HARBOUR, HARBOUR, "--calendar", "--as", "comparison"],
        ["bounds", HARBOUR, "e99"],
        ["entails", HARBOUR, "ei1", "BEFORE", "2019-03-12"],
    ],
)
def test_what_makes_no_sense_is_refused(arguments, capsys):
    assert run(arguments) == 2
    assert capsys.readouterr().err


def test_repairs_keep_what_is_protected():
    def dropped(*protect):
        return [fact.id for fact in tp.check(RESULTS, calendar=True, repair=True, protect=protect)[0].to_drop]

    assert dropped("values") == ["l1", "l2"]
    assert dropped("links") == ["t1"]
    assert dropped("links", "t1") == ["t2"]
    assert tp.check(RESULTS, calendar=True, repair=True, protect=["values", "links"])[0].to_dict()["repair"] is None


def test_strict_labels_are_mentioned_once(capsys):
    assert run(["check", HARBOUR, RESULTS, "--calendar", "exact"]) == 1
    assert capsys.readouterr().err.count("timeml-loose") == 1


def test_a_format_without_values_is_answered_without(tmp_path, capsys):
    path = tmp_path / "links.tsv"
    path.write_text("a\tBEFORE\tb\n")
    assert run(["check", str(path), "--calendar", "--output", "json"]) == 0
    assert [each["code"] for each in json.loads(capsys.readouterr().out)["warnings"]] == ["no-values"]


@pytest.mark.slow
def test_cpsat_agrees_on_the_examples():
    for path in (HARBOUR, RESULTS):
        for policy in ("within", "exact"):
            exact, other = (tp.closure(path, calendar=policy, engine=each).to_dict() for each in ("exact", "cpsat"))
            assert exact == [{name: value for name, value in row.items() if name != "decided_by"} for row in other]
            assert {row["decided_by"] for row in other} == {"cpsat"}


def test_an_oracle_with_a_calendar_repairs_and_explains():
    oracle = tp.Oracle(RESULTS, calendar=True)
    assert [fact.id for fact in oracle.repair(protect="links").dropped] == ["t1"]
    assert [fact.id for fact in oracle.repair(protect=["values", "l2"]).conflict] == ["t1", "l2", "t2"]
    with pytest.raises(tp.UsageError, match="t77"):
        oracle.repair(protect="t77")
    with pytest.raises(tp.ContradictionError, match="links and values"):
        oracle.strongest("ei1", "ei2")
    assert "2019-Q2" in oracle._repr_html_()


def test_bounds_of_an_unknown_entity_print_only_the_error(capsys):
    assert run(["bounds", "examples/corpus/ferry.tml", "nope"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "nope" in printed.err
