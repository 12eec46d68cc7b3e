"""Peers from PyPI under audit: the faults they are known to have are found again. Needs ``temporacle[peers]``."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from temporacle.audit.findings import Check, Closed, Kind, Manner, entities_of
from temporacle.audit.generate import Plan
from temporacle.audit.run import Audit
from temporacle.audit.subjects.python import PythonSubject
from temporacle.relation import EXAMPLES, Relation, endpoint_signs

AUDITED = {"tieval": "0.1.11", "anaforatools": "1.2.0", "timegraph": "0.0.7"}


def require(package):
    """Skip unless the audited version of a peer is installed."""
    try:
        found = version(package)
    except PackageNotFoundError:
        pytest.skip(f"needs {package}: pip install temporacle[peers]")
    if found != AUDITED[package]:
        pytest.skip(f"the audits were recorded with {package} {AUDITED[package]}, not {found}")


def audited(name, package, cases, **options):
    require(package)
    with PythonSubject(name, seconds=5) as subject:
        return Audit(subject, disjunctions=False, **options).run(Plan(cases, seed=1, entities=5, large=0))


def causes(report, kind, manner=None, check=Check.EXACT):
    found = [c for c in report.causes if c.fault.kind is kind and c.check is check and manner in (None, c.fault.manner)]
    assert all(len(entities_of(cause.graph)) <= 4 for cause in found)
    return found


def test_tieval_misses_most_inconsistencies_and_nothing_else():
    report = audited("tieval", "tieval", 400, vary=False)
    assert report.kinds.keys() == {Kind.MISSED_INCONSISTENCY}
    assert report.kinds[Kind.MISSED_INCONSISTENCY] > report.inconsistent / 2
    found = causes(report, Kind.MISSED_INCONSISTENCY)
    assert {len(cause.graph) for cause in found} >= {1, 2}


def test_tieval_empties_the_closure_of_a_document_with_a_long_cycle():
    report = audited("tieval-result", "tieval", 120, vary=False)
    found = causes(report, Kind.MISSED_INCONSISTENCY, Manner.EMPTIES)
    long_cycles = [cause for cause in found if len(entities_of(cause.graph)) == 4 and len(cause.graph) == 4]
    assert long_cycles
    assert all(cause.answer == Closed(()) for cause in long_cycles)


def test_anaforatools_lets_everything_follow_from_a_cycle():
    report = audited("anaforatools", "anaforatools", 120, vary=False)
    assert report.kinds.keys() == {Kind.MISSED_INCONSISTENCY}
    assert report.kinds[Kind.MISSED_INCONSISTENCY] == report.inconsistent
    assert causes(report, Kind.MISSED_INCONSISTENCY, Manner.EXPLODES)


def test_timegraph_equates_unrelated_points_and_leaks_state():
    report = audited("timegraph", "timegraph", 40)
    assert report.checks[Check.STATE]
    assert causes(report, Kind.UNSOUND, check=Check.STATE)
    unsound = causes(report, Kind.UNSOUND)
    assert unsound
    same_time = [cause for cause in unsound if any(_equates(claim) for claim in cause.answer.claims)]
    assert same_time
    assert report.kinds[Kind.MISSED_INCONSISTENCY]


def _equates(claim):
    """Whether a claim puts two endpoints at the same time: all its atoms have one equal sign in common."""
    _, relation, _ = claim
    signs = [endpoint_signs(*EXAMPLES[atom]) for atom in Relation(relation).atoms]
    return any(all(sign[position] == 0 for sign in signs) for position in range(4))
