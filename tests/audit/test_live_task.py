"""``tasks.audit.audit`` and ``tasks.audit.crosscheck``: what a notebook gets, and what the command line prints."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import broken_closures
import pytest

from temporacle.audit.answers import FaultKind
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.tasks.audit import audit, crosscheck

DOUBLES = Path(__file__).parents[1] / "broken_closures.py"
FEW = {"cases": 12, "large": 0, "vary": False}


def kinds(found):
    return {finding.kind for finding in found.findings}


@pytest.mark.slow
def test_a_function_its_name_and_a_command_get_the_same_questions(tmp_path):
    program = tmp_path / "empties.py"
    program.write_text(
        f"import sys; sys.path.insert(0, {str(DOUBLES.parent)!r})\n"
        "from broken_closures import empties\n"
        "links = [tuple(line.split('\\t')) for line in sys.stdin.read().splitlines()]\n"
        "for claim in empties(links): print(*claim, sep='\\t')\n",
        encoding="utf-8",
    )
    by_object = audit(broken_closures.empties, **FEW)
    by_name = audit(f"{DOUBLES}:empties", **FEW)
    by_command = audit(command=f"'{sys.executable}' '{program}'", **FEW)
    assert by_object.counts == by_name.counts == by_command.counts
    assert [each.graph for each in by_object.findings] == [each.graph for each in by_name.findings]
    assert kinds(by_object) == {FaultKind.MISSED_INCONSISTENCY}
    assert by_object.subject == "broken_closures:empties"


@pytest.mark.parametrize(
    "function",
    [
        lambda links: broken_closures.right(links),  # noqa: PLW0108 - a function without a name is the point
        partial(broken_closures.right),
    ],
)
def test_any_callable_will_do(function):
    assert audit(function, **FEW).clean


def test_a_function_is_asked_in_another_process():
    asked = []

    def remembers(links):
        asked.append(links)
        return broken_closures.right(links)

    assert audit(remembers, **FEW | {"vary": True}).clean
    assert asked == []


@pytest.mark.slow
def test_exceptions_may_say_inconsistent():
    for named in (broken_closures.ContradictoryError, "ContradictoryError", ["ContradictoryError"]):
        assert audit(broken_closures.raising, inconsistent=named, **FEW).clean
    assert kinds(audit(broken_closures.raising, **FEW)) == {FaultKind.CRASH}


def test_rows_are_what_the_command_prints(capsys):
    found = audit(f"{DOUBLES}:greedy", seed=3, **FEW)
    arguments = ["--implementation", f"{DOUBLES}:greedy", "--seed", "3", "--cases", "12", "--large", "0", "--no-vary"]
    assert run(["audit", *arguments, "--output", "json"]) == 1
    assert list(map(json.loads, capsys.readouterr().out.splitlines())) == json.loads(json.dumps(found.rows()))
    assert found.summary()["relations"] == "atomic"
    assert repr(found).count("\n") == 0


def test_frame_and_html():
    pytest.importorskip("pandas")
    found = audit(broken_closures.greedy, **FEW)
    frame = found.to_frame()
    assert len(frame) == len(found.findings)
    assert list(frame["case"]) == [finding.case for finding in found.findings]
    assert frame["test"].str.startswith("def test_").all()
    assert "missed_inconsistency" in found._repr_html_()


def test_documents_instead_of_generated_graphs():
    found = audit(broken_closures.empties, source=[("a", "BEFORE", "b"), ("b", "BEFORE", "a")], vary=False)
    assert (found.counts["cases"], kinds(found)) == (1, {FaultKind.MISSED_INCONSISTENCY})
    assert not found.settings


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"implementation": broken_closures.right, "command": "cat"},
        {"implementation": 5},
        {"implementation": broken_closures.right, "relations": "some"},
        {"implementation": broken_closures.right, "cases": 0},
        {"implementation": broken_closures.right, "entities": 1},
        {"implementation": broken_closures.right, "time_limit": 0},
    ],
)
def test_wrong_arguments(wrong):
    with pytest.raises(UsageError):
        audit(**wrong)


# --- the empty graph -------------------------------------------------------------------------------------------------


def test_an_implementation_that_rejects_no_links_is_caught(capsys):
    arguments = ["audit", "--implementation", f"{DOUBLES}:rejects_nothing", "--cases", "20", "--large", "0"]
    assert run([*arguments, "--no-vary", "--output", "json"]) == 1
    finding, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert (finding["kind"], finding["links"], finding["family"]) == ("false_inconsistency", [], "empty")
    assert summary["false_inconsistencies"] == 1


@pytest.mark.slow
def test_the_empty_graph_hides_no_other_cause():
    found = audit(broken_closures.rejects_nothing_and_repetition, **FEW | {"cases": 60})
    assert {len(finding.graph) for finding in found.findings if finding.kind is FaultKind.FALSE_INCONSISTENCY} == {0, 2}


# --- pages -----------------------------------------------------------------------------------------------------------


def policy(path):
    text = path.read_text("utf-8")
    assert "<script" not in text
    head = text[: text.index("<body>")]
    return head[head.index("Content-Security-Policy") :].split('"')[2]


def test_pages_may_load_and_run_nothing(tmp_path):
    page = tmp_path / "audit.html"
    run(["audit", "--implementation", f"{DOUBLES}:greedy", "--cases", "6", "--no-vary", "-o", str(page)])
    assert "default-src 'none'" in policy(page)
    assert "script-src" not in policy(page)
    other = tmp_path / "crosscheck.html"
    assert run(["crosscheck", "--cases", "2", "--entities", "2", "--engine", "exact", "-o", str(other)]) == 0
    assert policy(other) == policy(page)


# --- our own engines -------------------------------------------------------------------------------------------------


def test_crosscheck_returns_what_the_command_prints(capsys):
    found = crosscheck(cases=6, seed=3, entities=3, relations="convex", engine=["exact", "propagation"])
    assert found.clean
    arguments = ["--cases", "6", "--seed", "3", "--entities", "3", "--relations", "convex", "--output", "json"]
    assert run(["crosscheck", *arguments, "--engine", "exact", "--engine", "propagation"]) == 0
    assert list(map(json.loads, capsys.readouterr().out.splitlines())) == json.loads(json.dumps(found.rows()))
    assert [engine.complete for engine in found.engines] == [True, False]
    assert repr(found).count("\n") == 0
    pytest.importorskip("pandas")
    assert list(found.to_frame()["engine"]) == ["exact", "propagation"]
    assert "propagation" in found._repr_html_()


@pytest.mark.parametrize(
    "wrong", [{"engine": "nonsense"}, {"relations": "some"}, {"cases": 0}, {"entities": 7}, {"medium": -1}]
)
def test_crosscheck_refuses(wrong):
    with pytest.raises(UsageError):
        crosscheck(**wrong)
