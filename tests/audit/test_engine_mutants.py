"""Each part of the exact engine, broken in turn: crosscheck must find it on small graphs, and nothing else."""

from __future__ import annotations

import pytest

from temporacle.cli import run
from temporacle.errors import InternalError
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.disjunctions.search import Search
from temporacle.reasoner.points import hulls
from temporacle.reasoner.points.large import LargeGraph
from temporacle.reasoner.reference import cpsat, enumeration
from temporacle.reasoner.reference.engines import ENGINES, LANES
from temporacle.tasks.audit import crosscheck

FEW = {"cases": 12, "entities": 3, "medium": 0}

MUTANTS = {
    "the search finds nothing": (Search, "find", lambda *_: None, "cdcl"),
    "the solver refuses everything": (Cdcl, "solve", lambda *_: False, "cdcl"),
    "no case has a model": (hulls, "model_by_splitting", lambda *_: None, "splitting"),
    "large graphs know one answer": (LargeGraph, "relation", lambda *_: 1, "large"),
}


def raising(*_arguments):
    raise InternalError("broken on purpose")


def wrong(found):
    return {row.engine for row in found.engines if not row.clean}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_part_is_found(monkeypatch, mutant, capsys):
    place, name, broken, row = MUTANTS[mutant]
    monkeypatch.setattr(place, name, broken)
    assert row in wrong(crosscheck(**FEW))
    assert run(["crosscheck", "--cases", "12", "--entities", "3", "--medium", "0", "--engine", row]) == 1
    assert "WRONG" in capsys.readouterr().out


def test_nothing_is_found_otherwise():
    found = crosscheck(**FEW)
    assert not wrong(found)
    assert {row.engine for row in found.engines} == {*ENGINES, *LANES, "certificates"}
    assert all(row.counts["declined"] < row.counts["cases"] for row in found.engines)


@pytest.mark.parametrize(
    ("place", "name", "row"),
    [
        (Search, "find", "cdcl"),
        (LargeGraph, "relation", "large"),
        (hulls, "model_by_splitting", "splitting"),
        (cpsat, "decider", "cpsat"),
        (enumeration, "decider", "enumeration"),
    ],
)
def test_an_error_inside_an_engine_is_a_finding_and_not_the_end(monkeypatch, place, name, row):
    monkeypatch.setattr(place, name, raising)
    found = crosscheck(**FEW)
    assert row in wrong(found)
    (audit,) = [each for each in found.engines if each.engine == row]
    assert any("broken on purpose" in finding.fault.reason for finding in audit.findings)
    assert found.rows()


def test_a_judge_that_fails_makes_nobody_clean(monkeypatch):
    monkeypatch.setattr(enumeration, "decider", raising)
    found = crosscheck(**FEW, engine="timegraph")
    assert wrong(found) == {"timegraph"}
    assert "while enumeration judged" in found.engines[0].findings[0].fault.reason


def test_medium_graphs_reach_the_search(monkeypatch):
    asked = []
    honest = Search.find
    monkeypatch.setattr(Search, "find", lambda self, *question: asked.append(1) or honest(self, *question))
    found = crosscheck(cases=1, entities=2, medium=4, engine=["exact", "cpsat"])
    assert [(row.engine, row.graphs, row.counts["cases"]) for row in found.engines] == [
        ("exact", "small", 1), ("cpsat", "small", 1), ("exact", "medium", 4), ("cpsat", "medium", 4),
    ]  # fmt: skip
    assert found.clean
    assert asked
    assert {row.counts["pairs"] for row in found.engines[2:]} <= {6, 9, 12}
    monkeypatch.setattr(Search, "find", lambda *_: None)
    assert wrong(crosscheck(cases=1, entities=2, medium=1, engine="exact")) == {"exact"}


@pytest.mark.parametrize("seed", range(2))
def test_six_entities_are_never_exceeded(seed):
    found = crosscheck(cases=60, seed=seed, entities=6, medium=0, relations="atomic", engine=["exact", "timegraph"])
    assert found.clean
    assert not any(row.counts["declined"] for row in found.engines)
