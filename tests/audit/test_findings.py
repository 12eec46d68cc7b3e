"""Findings and counts as rows, as text and as shares: what programs and people are shown."""

from __future__ import annotations

from collections import Counter

import pytest

from temporacle.audit.answers import Closed, Fault, FaultKind, Manner, NoticedBy
from temporacle.audit.findings import RATES, Audit, AuditTally, Crosscheck, EngineAudit, Finding, rates
from temporacle.audit.judge import FaultEvidence, JudgedAnswer, evidence_for, network_of
from temporacle.model import Action, Remark
from temporacle.reasoner.network import Budget
from temporacle.relation import EVERYTHING, Relation

B = Relation("b")
CHAIN = (("x", B, "y"), ("y", B, "z"))
MISSED = Fault(FaultKind.INCOMPLETE, Manner.MISSED_ATOM, ("x", "z"), EVERYTHING, B)
WRONG = Fault(FaultKind.UNSOUND, Manner.WRONG, ("x", "z"), B.converse(), B)
CRASH = Fault(FaultKind.CRASH, Manner.DIED, reason="killed")
ALARM = Fault(FaultKind.FALSE_INCONSISTENCY, Manner.FALSE_ALARM)
GOES_ON = Fault(FaultKind.MISSED_INCONSISTENCY, Manner.GOES_ON)


def test_a_finding_says_in_one_line_where_it_is_and_what_is_wrong():
    assert repr(Finding(WRONG, document="d")) == "Finding(unsound, document 'd', x bi z, exact: b)"
    assert repr(Finding(CRASH, case=7)) == "Finding(crash, case 7)"
    assert Finding(WRONG).kind is FaultKind.UNSOUND
    assert (Finding(WRONG).pair, Finding(WRONG).claimed, Finding(WRONG).exact) == (("x", "z"), B.converse(), B)


def test_a_finding_about_a_document_is_a_row_without_graphs():
    row = Finding(WRONG, document="d", graph=CHAIN).to_dict()
    assert row == {
        "kind": "unsound",
        "document": "d",
        "pair": ["x", "z"],
        "claimed": ["bi"],
        "exact": ["b"],
        "evidence": {},
        "manner": WRONG.manner.value,
    }


def test_a_finding_about_an_implementation_has_its_graph_and_its_test():
    row = Finding(ALARM, case=3, family="chain", graph=CHAIN, count=2, test="def test(): ...").to_dict()
    assert row == {
        "kind": "false_inconsistency",
        "case": 3,
        "pair": None,
        "claimed": None,
        "exact": None,
        "evidence": {},
        "manner": ALARM.manner.value,
        "links": [["x", "b", "y"], ["y", "b", "z"]],
        "check": "exact",
        "family": "chain",
        "count": 2,
        "test": "def test(): ...",
    }


def test_history_and_variant_are_shown_where_they_matter():
    leak = Finding(ALARM, case=1, noticed_by=NoticedBy.STATE, history=CHAIN[:1]).to_dict()
    assert (leak["check"], leak["after"], "variant" in leak) == ("state", [["x", "b", "y"]], False)
    turned = Finding(ALARM, case=1, noticed_by=NoticedBy.REVERSAL, variant=CHAIN[1:]).to_dict()
    assert (turned["check"], turned["variant"], "after" in turned) == ("reversal", [["y", "b", "z"]], False)
    assert Finding(ALARM, case=1, history=()).to_dict()["after"] == []
    assert Finding(ALARM, case=1).to_dict()["count"] == 1


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        (WRONG, {"countermodel"}),
        (MISSED, {"links", "certificate"}),
        (GOES_ON, {"conflict", "certificate"}),
        (ALARM, {"witness"}),
        (CRASH, {"reason"}),
    ],
)
def test_evidence_is_called_by_what_it_is(fault, names):
    graph = (*CHAIN, ("z", B, "x")) if fault is GOES_ON else CHAIN
    evidence = evidence_for(network_of(graph), fault, Budget())
    finding = Finding(fault, evidence, document="d")
    assert finding.to_dict()["evidence"].keys() == names
    written = Finding(fault, evidence, document="d", certificate_path="proofs/1.json").to_dict()["evidence"]
    assert written.keys() == names | {"certificate_path"}
    assert written["certificate_path"] == "proofs/1.json"


def test_models_and_links_are_plain_values():
    shown = Finding(MISSED, evidence_for(network_of(CHAIN), MISSED, Budget()), document="d").to_dict()["evidence"]
    assert shown["links"] == [
        {"id": "l1", "source": "x", "relation": ["b"], "label": "b", "target": "y", "line": None},
        {"id": "l2", "source": "y", "relation": ["b"], "label": "b", "target": "z", "line": None},
    ]
    model = Finding(ALARM, FaultEvidence(model={"x": (0, 1)}), document="d").to_dict()["evidence"]
    assert model == {"witness": {"x": [0, 1]}}


# --- counts ----------------------------------------------------------------------------------------------------------


def test_an_answer_is_counted_once_for_each_kind_and_each_pair():
    tally = AuditTally()
    tally.count(JudgedAnswer((WRONG, WRONG, MISSED), consistent=True, pairs=6))
    tally.count(JudgedAnswer((GOES_ON,), consistent=False))
    tally.count(JudgedAnswer((), consistent=False))
    assert (tally.consistent, tally.inconsistent, tally.pairs) == (1, 2, 6)
    assert tally.kinds == {FaultKind.UNSOUND: 1, FaultKind.INCOMPLETE: 1, FaultKind.MISSED_INCONSISTENCY: 1}
    assert tally.manners == {Manner.WRONG: 2, Manner.MISSED_ATOM: 1, Manner.GOES_ON: 1}


@pytest.mark.parametrize(
    ("kind", "sound"),
    [
        (FaultKind.UNSOUND, False),
        (FaultKind.FALSE_INCONSISTENCY, False),
        (FaultKind.CRASH, False),
        (FaultKind.INCOMPLETE, True),
        (FaultKind.MISSED_INCONSISTENCY, True),
    ],
)
def test_missing_something_is_unclean_but_sound(kind, sound):
    tally = AuditTally(kinds=Counter({kind: 1}))
    assert (tally.clean, tally.is_sound) == (False, sound)


def test_answers_that_depend_on_how_a_question_is_put_are_unclean():
    assert AuditTally().clean
    assert AuditTally().is_sound
    assert set(AuditTally().to_dict().values()) == {0}
    assert AuditTally(checks=Counter({NoticedBy.ORDER: 0})).clean
    assert not AuditTally(checks=Counter({NoticedBy.ORDER: 1})).clean


def test_findings_are_grouped_by_kind_with_the_smallest_graph_first():
    pair, triple = CHAIN[:1], (*CHAIN, ("x", B, "z"))
    found = [
        Finding(ALARM, case=1, graph=triple),
        Finding(MISSED, case=2, graph=CHAIN),
        Finding(ALARM, case=3, graph=CHAIN),
        Finding(ALARM, case=4, graph=pair, noticed_by=NoticedBy.ORDER),
        Finding(MISSED, case=5, graph=pair),
        Finding(MISSED, case=6, graph=pair * 5),
        Finding(ALARM, case=7, graph=CHAIN),
    ]
    assert [each.case for each in AuditTally(findings=found).grouped()] == [3, 7, 1, 5, 6, 2, 4]


def test_the_counts_of_a_summary():
    tally = AuditTally(cases=9, declined=1, undecided=2, varied=5, unshrunk=3, findings=[Finding(ALARM)])
    tally.manners.update({Manner.MISSED_ATOM: 2, Manner.MISSED_DISJUNCTION: 3, Manner.WRONG: 4, Manner.OVER_CLAIMED: 5})
    tally.kinds.update({FaultKind.MISSED_INCONSISTENCY: 6, FaultKind.FALSE_INCONSISTENCY: 7, FaultKind.CRASH: 8})
    tally.checks.update({check: number for number, check in enumerate(NoticedBy)})
    assert tally.to_dict() == {
        "cases": 9, "consistent": 0, "inconsistent": 0, "declined": 1, "undecided": 2, "pairs": 0,
        "missed": 5, "missed_atoms": 2, "wrong": 4, "over_claimed": 5,
        "missed_inconsistencies": 6, "false_inconsistencies": 7, "crashes": 8,
        "varied": 5, "name_dependent": 1, "order_dependent": 2, "direction_dependent": 3,
        "redundancy_dependent": 4, "state_leaks": 5, "findings": 1, "unshrunk": 3,
    }  # fmt: skip


def test_rates_are_shares_and_there_is_none_of_nothing():
    counts = dict.fromkeys(AuditTally().to_dict(), 0) | {"pairs": 8, "wrong": 2, "cases": 4, "crashes": 1}
    assert rates(counts) == {"missed": 0, "wrong": 0.25, "over_claimed": 0, "crashes": 0.25}
    assert rates({}) == {}
    assert set(RATES) | set(RATES.values()) <= AuditTally().to_dict().keys()


# --- results ---------------------------------------------------------------------------------------------------------


def result(*findings, of_claims=False, remarks=(), **counts):
    tally = AuditTally(findings=list(findings), cases=3)
    return Audit("mine", findings, tally.to_dict() | counts, not findings, remarks, {"seed": 5}, of_claims=of_claims)


def test_an_audit_is_whole_if_everything_was_read_answered_and_decided():
    assert result().whole
    assert result(declined=2).whole
    assert result(remarks=(Remark("odd", "odd"),)).whole
    assert not result(declined=3).whole
    assert not result(undecided=1).whole
    assert not result(remarks=(Remark("odd", "odd"), Remark("lost", "lost", action=Action.DROPPED))).whole


def test_results_say_in_one_line_how_they_ended():
    assert repr(result()) == "Audit('mine', cases: 3, clean)"
    assert repr(result(Finding(ALARM), undecided=1)) == "Audit('mine', cases: 3, findings: 1, not whole)"
    assert repr(result(of_claims=True)) == "Audit('mine', documents: 3, clean)"
    good, bad = engine("one"), engine("two", Finding(WRONG, case=1))
    assert repr(good) == "EngineAudit('one': agrees in 3 small cases)"
    assert repr(bad) == "EngineAudit('two': WRONG in 3 small cases)"
    assert repr(Crosscheck((good,), 3, 5)) == "Crosscheck(1 engines on 3 cases of seed 5: all agree)"
    assert repr(Crosscheck((good, bad, bad), 3, 5)).endswith("seed 5: WRONG: two)")


def engine(name, *findings):
    return EngineAudit(name, True, findings, {"cases": 3}, not findings)


def test_summaries_name_documents_only_for_claims():
    summary = result(Finding(ALARM), crashes=1).summary()
    assert "documents" not in summary
    assert (summary["summary"], summary["subject"], summary["seed"], summary["clean"]) == (True, "mine", 5, False)
    assert summary["rates"]["crashes"] == pytest.approx(1 / 3)
    assert result(of_claims=True).summary()["documents"] == 3


def test_rows_of_a_crosscheck_are_findings_then_engines_then_the_summary():
    checked = Crosscheck((engine("one", Finding(WRONG, case=1)), engine("two")), 3, 5)
    finding, one, two, summary = checked.rows()
    assert (finding["engine"], finding["kind"]) == ("one", "unsound")
    assert one == {"engine": "one", "graphs": "small", "cases": 3, "complete": True, "clean": False, "seed": 5}
    assert (two["engine"], two["clean"]) == ("two", True)
    assert summary == {"summary": True, "engines": 2, "cases": 3, "findings": 1, "clean": False}
    assert checked.to_dict() == {"summary": summary, "engines": [one, two], "findings": [finding]}
    assert not checked.clean
    assert Crosscheck((engine("two"),), 3, 5).clean


def test_rows_of_an_audit_are_findings_then_the_summary():
    found = result(Finding(WRONG, case=1), Finding(ALARM, case=2))
    assert [row.get("kind") for row in found.rows()] == ["unsound", "false_inconsistency", None]
    assert found.to_dict() == {"summary": found.summary(), "findings": found.rows()[:-1]}
    assert not Audit("mine", (), AuditTally(cases=1).to_dict(), clean=True).of_claims


def test_a_crosscheck_in_a_notebook_is_a_table_of_engines():
    counts = AuditTally(cases=3).to_dict()
    checked = Crosscheck((EngineAudit("one", True, (), counts, True),), 3, 5)
    assert "<td>one" in checked._repr_html_()
    pytest.importorskip("pandas")
    assert checked.to_frame()["cases"].tolist() == [3]


def test_a_frame_has_pairs_in_two_columns_and_relations_as_text():
    pytest.importorskip("pandas")
    frame = result(Finding(WRONG, document="d"), Finding(CRASH, document="d"), of_claims=True).to_frame()
    assert list(frame.columns) == ["document", "kind", "source", "target", "claimed", "exact", "manner"]
    assert list(frame.iloc[0]) == ["d", "unsound", "x", "z", "bi", "b", WRONG.manner.value]
    assert frame.iloc[1].isna().tolist() == [False, False, True, True, True, True, False]
    live = result(Finding(ALARM, case=4, graph=CHAIN, answer=Closed(()), test="def test(): ...")).to_frame()
    assert list(live["test"]) == ["def test(): ..."]


def test_a_cell_of_a_notebook_shows_links_as_text_and_at_most_fifty_findings():
    page = result(*(Finding(ALARM, case=number, graph=CHAIN) for number in range(60)))._repr_html_()
    assert page.count("false_inconsistency") == 50
    assert "x b y, y b z" in page
    assert "findings: 60" in page
    assert "None" not in page
    assert "<th>test" not in page  # too long for a cell
    assert result()._repr_html_().count("<table") == 1
    assert result(Finding(ALARM, document="d"), of_claims=True)._repr_html_().count("document") >= 1
