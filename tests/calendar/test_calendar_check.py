"""What ``check`` finds out about links and values together: each part where it is asked for."""

from dataclasses import replace
from itertools import combinations

import pytest
from library import read

from temporacle.calendar.policy import Calendar, Policy
from temporacle.checks import STRICT_LABELS
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import HowRead
from temporacle.readings import load_reading
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.clock.check import SILENT_VALUES, CalendarInquiry
from temporacle.reasoner.network import Budget
from temporacle.relation import Relation
from temporacle.results import DocumentVerdict, Repair, Unrepairable

DAYS = {"t1": "1998-02-04", "t2": "1998-02-06", "t3": "1998-03-01"}


def document(*links, values=DAYS):
    """Events and times with these values; links such as ("e1", "b", "t1")."""
    names = dict.fromkeys(end for source, _, target in links for end in (source, target))
    entities = [
        {"id": name, "kind": "time", "type": "DATE", "value": values[name]} if name in values else {"id": name}
        for name in [*names, *(name for name in values if name not in names)]
    ]
    listed = [
        {"id": f"l{number}", "source": source, "relation": relation, "target": target}
        for number, (source, relation, target) in enumerate(links)
    ]
    return read({"document": "d", "entities": entities, "links": listed})


def checked(found, **options):
    return check_document(found, CheckOptions(calendar=Calendar(), **options))


FITTING = document(("e1", "d", "t1"), ("t1", "b", "t2"), ("e1", "b", "e2"))
# Each of two events lies in an earlier time and after a later one.
WRONG = document(("e1", "d", "t1"), ("t2", "b", "e1"), ("e2", "d", "t1"), ("t3", "b", "e2"))


def test_values_that_fit():
    found = checked(FITTING)
    assert (found.verdict, found.entities, found.links) == (DocumentVerdict.CONSISTENT, 5, 3)
    assert found.decided_by
    assert (found.conflicts, found.repair, found.certificate) == ((), None, None)
    assert (found.calendar["values"], found.calendar["constraining"]) == (3, 3)
    assert found.calendar["policy"] == "within"
    proof = checked(FITTING, certificate=True).certificate
    assert proof is not None


def test_values_that_do_not_fit_the_links():
    assert check_document(WRONG).verdict is DocumentVerdict.CONSISTENT  # without the calendar
    found = checked(WRONG)
    assert (found.verdict, found.entities, found.links) == (DocumentVerdict.INCONSISTENT, 5, 4)
    assert len(found.conflicts) == len(found.chains) == len(found.to_drop)


def test_all_conflicts_are_those_of_the_subsets():
    """The twin: every set of facts is judged by itself."""
    facts = CalendarInquiry(WRONG, Calendar(), Budget()).problem.facts
    ids = sorted(fact.id for fact in facts)
    found = {frozenset(fact.id for fact in conflict) for conflict in checked(WRONG, all_conflicts=None).all_conflicts}
    wrong = [set(some) for size in range(len(ids) + 1) for some in combinations(ids, size) if not fits(set(some))]
    assert found == {frozenset(some) for some in wrong if not any(other < some for other in wrong)}
    assert len(found) == 2
    assert len(checked(WRONG, all_conflicts=1).all_conflicts) == 1


def fits(ids):
    links = [(s, r, t) for k, (s, r, t) in enumerate(LINKS) if f"l{k}" in ids]
    return checked(document(*links, values={k: v for k, v in DAYS.items() if k in ids})).verdict == "consistent"


def test_what_could_be_dropped_instead():
    found = checked(document(*LINKS[:2]))
    assert [fact.id for fact in found.to_drop] == ["l0"]
    assert found.alternatives == {"l0": ["l1", "t1", "t2"]}


def test_a_repair_with_its_conflicts_labels_and_proof():
    found = checked(WRONG, repair=True, relabel=True, certificate=True, protect=("values",))
    assert isinstance(found.repair, Repair)
    dropped = [link.id for link in found.repair.dropped]
    assert len(dropped) == 2
    assert [len({link.id for link in conflict if link.id in dropped}) for conflict in found.conflicts] == [1, 1]
    assert {each.link.id for each in found.relabellings} == set(dropped)
    for each in found.relabellings:
        assert not each.possible & each.link.relation
    assert found.certificate.claim == "inconsistent"
    assert found.repair_certificate is not None
    rest = document(*((s, r, t) for k, (s, r, t) in enumerate(LINKS) if f"l{k}" not in dropped))
    assert checked(rest).verdict is DocumentVerdict.CONSISTENT
    without = checked(WRONG, explain=False, certificate=True)
    assert (without.conflicts, without.certificate.claim) == ((), "inconsistent")


LINKS = [("e1", "d", "t1"), ("t2", "b", "e1"), ("e2", "d", "t1"), ("t3", "b", "e2")]


def test_what_is_protected_is_never_dropped():
    assert isinstance(checked(WRONG, repair=True, protect=("values", "links")).repair, Unrepairable)


def test_labels_that_fit_the_dates():
    """With the other links kept, e1 lies within the fourth of February, so that it is before the sixth."""
    found = checked(document(*LINKS[:2]), repair=True, relabel=True, protect=("values", "l0"))
    (proposal,) = found.relabellings
    assert (proposal.link.id, proposal.possible) == ("l1", Relation.of("bi"))


def test_labels_are_proposed_without_the_values_that_a_repair_drops():
    """A value is dropped for the protected links, and one of two links that contradict each other."""
    found = checked(
        document(("t2", "b", "t1"), ("e1", "b", "e2"), ("e2", "b", "e1")),
        repair=True,
        relabel=True,
        protect=("l0", "l1"),
    )
    dropped = {fact.id for fact in found.repair.dropped}
    assert len(dropped & {"t1", "t2"}) == 1
    (proposal,) = found.relabellings
    assert (proposal.link.id, proposal.possible) == ("l2", Relation.of("bi"))


def test_a_certificate_of_a_repair_needs_the_repair():
    with pytest.raises(InternalError, match="before the repair"):
        CalendarInquiry(WRONG, Calendar(), Budget()).repair_certificate()


def test_time_is_a_limit():
    found = checked(WRONG, budget=-1)
    assert found.conflicts == ()
    assert found.verdict is DocumentVerdict.UNDECIDED or "out-of-time" in [remark.code for remark in found.remarks]
    inquiry = CalendarInquiry(WRONG, Calendar(), Budget())
    repaired = inquiry.repair(("values",))
    inquiry.budget = Budget(-1)
    with pytest.raises(BudgetExceeded):
        list(inquiry.resolved(repaired))


def test_each_dropped_fact_is_explained_once():
    inquiry = CalendarInquiry(WRONG, Calendar(), Budget())
    repaired = inquiry.repair(("values",))
    every = list(inquiry.resolved(repaired))
    assert len(every) == len(repaired.dropped) == 2
    for dropped, conflict in zip(repaired.dropped, every, strict=True):
        assert [fact for fact in conflict if fact in repaired.dropped] == [dropped]


def test_remarks_on_values():
    silent = document(("e1", "b", "e2"), values={})
    assert [(remark.code, remark.message) for remark in checked(silent).remarks] == [("no-values", SILENT_VALUES)]
    unread = read({"document": "d", "entities": [{"id": "e1"}, {"id": "t1", "kind": "time"}], "links": []})
    codes = [remark.code for remark in checked(unread).remarks]
    assert codes[0] == "no-values"
    assert len(codes) == 2
    table = replace(unread, how_read=HowRead("tsv", load_reading("allen")))
    assert [remark.code for remark in checked(table).remarks] == ["no-values"]


@pytest.mark.parametrize(
    ("reading", "policy", "warned"),
    [("timeml", Policy.EXACT, True), ("timeml", Policy.WITHIN, False), ("timeml-loose", Policy.EXACT, False)],
)
def test_strict_labels_are_remarked_on(reading, policy, warned):
    read_so = replace(FITTING, how_read=HowRead("timeml", load_reading(reading)))
    found = check_document(read_so, CheckOptions(calendar=Calendar(policy)))
    assert (STRICT_LABELS in [remark.code for remark in found.remarks]) is warned
