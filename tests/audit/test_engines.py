"""Our own engines under audit, on 50,000 graphs in all: nothing is found, except what propagation is known to miss."""

from __future__ import annotations

import pytest

from temporacle.audit.answers import FaultKind, Vocabulary, entities_of
from temporacle.audit.engines import EngineJudge, check_engine
from temporacle.audit.generate import CasePlan
from temporacle.reasoner.reference.engines import ENGINES

ATOMIC, CONVEX, ANY = Vocabulary.ATOMIC, Vocabulary.CONVEX, Vocabulary.ANY

# How many graphs an engine gets, and of how many entities, follows from what one closure costs it.
SHARES = [
    ("exact", CONVEX, 3, 3500),
    ("exact", ANY, 3, 2500),
    ("timegraph", ATOMIC, 6, 14000),
    ("timegraph", CONVEX, 6, 22000),
    ("enumeration", CONVEX, 3, 1500),
    ("enumeration", ANY, 3, 1500),
    ("cpsat", ATOMIC, 4, 1500),
    ("cpsat", CONVEX, 2, 1000),
    ("cpsat", ANY, 3, 600),
    ("cdcl", CONVEX, 3, 700),
    ("cdcl", ANY, 4, 700),
    ("splitting", ANY, 4, 500),
]

ENUMERATED = 4  # entities: to enumerate all scenarios of six takes a good part of a second
BY_EXACT = (EngineJudge("exact", ENGINES["exact"].closure), EngineJudge("enumeration", ENGINES["enumeration"].closure))


def test_the_shares_make_up_fifty_thousand():
    assert sum(cases for *_, cases in SHARES) == 50_000


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("engine", "vocabulary", "entities", "cases"), SHARES)
def test_nothing_is_found(engine, vocabulary, entities, cases):
    plan = CasePlan(cases, seed=2026, vocabulary=vocabulary, entities=entities, large=0)
    report = check_engine(engine, plan, by=BY_EXACT if entities > ENUMERATED else None)
    assert report.clean, report.findings
    assert report.cases == cases
    assert not report.declined
    assert report.consistent > cases / 3
    assert report.inconsistent > cases / 20


@pytest.mark.slow
@pytest.mark.long
def test_propagation_misses_but_never_errs():
    report = check_engine("propagation", CasePlan(1000, seed=2026, vocabulary=ANY, entities=4, large=0))
    assert report.kinds.keys() <= {FaultKind.INCOMPLETE, FaultKind.MISSED_INCONSISTENCY}
    assert report.kinds[FaultKind.INCOMPLETE]
    assert all(len(entities_of(finding.graph)) == 4 for finding in report.findings)  # for three it is exact


@pytest.mark.slow
def test_certificates_pass_the_checker():
    report = check_engine("certificates", CasePlan(400, seed=2026, vocabulary=ANY, entities=3, large=0))
    assert report.clean, report.findings


def test_certificates_of_a_few_graphs_pass_the_checker():
    for vocabulary in Vocabulary:
        assert check_engine("certificates", CasePlan(25, seed=1, vocabulary=vocabulary, entities=4, large=0)).clean
