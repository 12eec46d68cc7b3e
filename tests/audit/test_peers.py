"""Peers from PyPI under audit: the faults they are known to have are found again. Needs ``temporacle[peers]``."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from temporacle.audit.answers import Closed, FaultKind, Manner, NoticedBy, entities_of
from temporacle.audit.generate import CasePlan
from temporacle.audit.live import LiveAudit
from temporacle.audit.subjects.foreign import PythonSubject
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
        return LiveAudit(subject, disjunctions=False, **options).run(CasePlan(cases, seed=1, entities=5, large=0))


def findings(report, kind, manner=None, noticed_by=NoticedBy.EXACT):
    found = [
        c
        for c in report.findings
        if c.fault.kind is kind and c.noticed_by is noticed_by and manner in (None, c.fault.manner)
    ]
    assert all(len(entities_of(finding.graph)) <= 4 for finding in found)
    return found


def test_tieval_misses_most_inconsistencies_and_nothing_else():
    report = audited("tieval", "tieval", 400, vary=False)
    assert report.kinds.keys() == {FaultKind.MISSED_INCONSISTENCY}
    assert report.kinds[FaultKind.MISSED_INCONSISTENCY] > report.inconsistent / 2
    found = findings(report, FaultKind.MISSED_INCONSISTENCY)
    assert {len(finding.graph) for finding in found} >= {1, 2}


def test_tieval_empties_the_closure_of_a_document_with_a_long_cycle():
    report = audited("tieval-result", "tieval", 120, vary=False)
    found = findings(report, FaultKind.MISSED_INCONSISTENCY, Manner.EMPTIES)
    long_cycles = [finding for finding in found if len(entities_of(finding.graph)) == 4 and len(finding.graph) == 4]
    assert long_cycles
    assert all(finding.answer == Closed(()) for finding in long_cycles)


def test_anaforatools_lets_everything_follow_from_a_cycle():
    report = audited("anaforatools", "anaforatools", 120, vary=False)
    assert report.kinds.keys() == {FaultKind.MISSED_INCONSISTENCY}
    assert report.kinds[FaultKind.MISSED_INCONSISTENCY] == report.inconsistent
    assert findings(report, FaultKind.MISSED_INCONSISTENCY, Manner.EXPLODES)


def test_timegraph_equates_unrelated_points_and_leaks_state():
    report = audited("timegraph", "timegraph", 40)
    assert report.checks[NoticedBy.STATE]
    assert findings(report, FaultKind.UNSOUND, noticed_by=NoticedBy.STATE)
    unsound = findings(report, FaultKind.UNSOUND)
    assert unsound
    same_time = [finding for finding in unsound if any(_equates(claim) for claim in finding.answer.claims)]
    assert same_time
    assert report.kinds[FaultKind.MISSED_INCONSISTENCY]


def _equates(claim):
    """Whether a claim puts two endpoints at the same time: all its atoms have one equal sign in common."""
    _, relation, _ = claim
    signs = [endpoint_signs(*EXAMPLES[atom]) for atom in Relation(relation).atoms]
    return any(all(sign[position] == 0 for sign in signs) for position in range(4))
