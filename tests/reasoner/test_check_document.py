"""What ``check`` finds out about one document: every part where it is asked for, and none where it is not."""

from itertools import product
from random import Random

import pytest

from temporacle.calendar.policy import Calendar
from temporacle.errors import BudgetExceeded, InputError, InternalError, UsageError
from temporacle.model import Body, Document, Entity, HowRead, Kind, Link, PlainGraph, Remark, Unreadable
from temporacle.readings import load_reading
from temporacle.reasoner import check
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.inquiry import LinkInquiry
from temporacle.reasoner.network import Budget, NotMinimal
from temporacle.relation import Relation
from temporacle.results import DocumentVerdict, Repair, Unrepairable


def document(*triples, **more):
    links = (Link(f"l{k}", s, Relation.of(*r.split("|")), t, label) for k, (s, r, t, label) in enumerate(triples))
    return Document("d", tuple(links), **more)


RINGS = document(
    *((f"{ring}{k}", "b", f"{ring}{(k + 1) % 3}", "BEFORE") for ring in "xyz" for k in range(3)),
    path="d.tml",
    remarks=(Remark("odd", "a remark"),),
    entity_ids=("x0", "lonely"),
    body=Body((Entity("x0", Kind.EVENT, "rang"), Entity("lonely", Kind.EVENT, "alone"), Entity("x1", Kind.EVENT))),
)


def test_only_what_is_asked_for():
    for explain, repair, relabel, certificate in product((False, True), repeat=4):
        found = check_document(
            RINGS, CheckOptions(explain=explain, repair=repair, relabel=relabel, certificate=certificate)
        )
        assert (found.document, found.path, found.verdict) == ("d", "d.tml", DocumentVerdict.INCONSISTENT)
        assert (found.entities, found.links, found.decided_by, found.error) == (10, 9, "graph", None)
        assert found.remarks == RINGS.remarks
        assert 0 < found.seconds < 600
        assert len(found.conflicts) == len(found.chains) == (0 if not explain else 3 if repair else 1)
        assert isinstance(found.repair, Repair) == repair
        assert found.relabellings is None or relabel
        assert len(found.relabellings or ()) == (3 if repair and relabel else 0)
        assert (found.certificate is not None) == certificate
        if certificate:
            assert found.certificate.claim == "inconsistent"
        if certificate and explain:  # it is about the conflict that is shown
            assert {RINGS.links[number] for number in found.certificate.conflict} == set(found.conflict)


@pytest.mark.parametrize(("wanted", "got"), [(1, 1), (2, 2), (3, 3), (9, 3), (None, 3)])
def test_so_many_of_all_conflicts(wanted, got):
    found = check_document(RINGS, CheckOptions(all_conflicts=wanted))
    assert len(found.all_conflicts) == len(set(found.all_conflicts)) == got
    assert set(found.all_conflicts) <= {RINGS.links[:3], RINGS.links[3:6], RINGS.links[6:]}
    assert check_document(RINGS).all_conflicts is None


def test_by_default_a_repair_is_found_with_a_conflict_for_each_dropped_link():
    found = check_document(RINGS)
    assert (len(found.to_drop), found.repair_status, found.alternatives) == (
        3,
        "optimal",
        {"l0": ["l1", "l2"], "l3": ["l4", "l5"], "l6": ["l7", "l8"]},
    )
    assert set(found.conflicts) == {RINGS.links[:3], RINGS.links[3:6], RINGS.links[6:]}
    assert found.conflict in found.conflicts
    assert found.chain in found.chains
    bare = check_document(RINGS, CheckOptions(explain=False))
    assert (bare.conflict, bare.conflicts, bare.repair, bare.repair_status) == ((), (), None, "not-asked")


def test_the_status_of_a_repair(monkeypatch):
    fine = document(("a", "b", "b", ""))
    assert check_document(fine).repair_status == "optimal"
    assert check_document(fine, CheckOptions(repair=False)).repair_status == "not-asked"
    impossible = check_document(RINGS, CheckOptions(protect=("BEFORE",)))
    assert (impossible.repair_status, impossible.to_dict()["repair"]) == ("impossible", None)
    assert impossible.conflicts == (impossible.conflict,)

    def late(*_):
        raise BudgetExceeded("too late")

    monkeypatch.setattr("temporacle.reasoner.conflicts.repair._grounded", late)
    undecided = check_document(RINGS)
    assert (undecided.verdict, undecided.repair_status) == ("inconsistent", "undecided")
    assert (undecided.conflicts, undecided.remarks) == ((undecided.conflict,), RINGS.remarks)
    assert (undecided.to_dict()["repair"], undecided.to_dict()["alternatives"]) == (None, None)


@pytest.mark.parametrize(
    ("repair", "budget", "seconds"),
    [(None, None, 10), (None, 3, 1), (None, 0.1, 1), (None, 60, 6), (True, 60, None), (True, None, None)],
)
def test_the_time_of_a_repair_that_nobody_asked_for(repair, budget, seconds):
    assert CheckOptions(repair=repair, budget=budget).seconds_for_repair == seconds


def test_a_part_of_the_work_never_gets_more_time_than_is_left():
    for whole, part, least in ((None, 5, 5), (3, 5, 3), (9, 5, 5), (9, None, 9)):
        budget = Budget(whole)
        with budget.at_most(part):
            assert budget.seconds == least
        assert budget.seconds == whole


def test_conflicts_are_told_in_the_words_of_the_document():
    (chain,) = check_document(RINGS, CheckOptions(repair=False)).chains
    assert any("rang" in line for line in chain)
    assert not any("alone" in line for line in chain)


def test_consistent_documents():
    """Decided at sight or not, the answer has the same parts. Entities without links count, as do those of links."""
    plain = document(("a", "b", "b", ""), ("c", "m", "a", ""), entity_ids=("z", "a"), path="p", remarks=RINGS.remarks)
    hard = document(("a", "o|d", "b", ""), ("c", "m", "a", ""), entity_ids=("z", "a"), path="p", remarks=RINGS.remarks)
    for each, certificate in product((plain, hard), (False, True)):
        found = check_document(each, CheckOptions(certificate=certificate, repair=True, relabel=True))
        assert (found.document, found.path, found.verdict) == ("d", "p", DocumentVerdict.CONSISTENT)
        assert (found.entities, found.links, found.decided_by) == (4, 2, "graph")
        assert found.remarks == RINGS.remarks
        assert (found.conflicts, found.chains, found.repair, found.relabellings) == ((), (), None, ())
        assert (found.certificate is not None) == certificate
        assert 0 < found.seconds < 600


def test_a_consistent_document_that_is_not_decided_at_sight():
    links = [("0", "s|f", "1"), ("0", "m|s", "2"), ("0", "m|s", "3"), ("1", "o", "2"), ("1", "o", "3")]
    for certificate in (False, True):
        found = check_document(document(*((*link, "") for link in links)), CheckOptions(certificate=certificate))
        assert (found.verdict, found.decided_by) == (DocumentVerdict.CONSISTENT, "cases")
        assert (found.entities, found.links) == (4, 5)
        assert (found.certificate is not None) == certificate
        assert 0 < found.seconds < 600


def test_a_document_that_cannot_be_read():
    found = check_document(Unreadable("d", "p.tml", InputError("broken", path="p.tml")))
    assert (found.document, found.path, found.verdict) == ("d", "p.tml", DocumentVerdict.UNREADABLE)
    assert "broken" in found.error


def test_what_is_protected_is_never_dropped():
    ring = document(("a", "b", "b", "BEFORE"), ("b", "b", "c", "BEFORE"), ("c", "b", "a", "LATER"))
    free = check_document(ring, CheckOptions(repair=True, protect=("before",), relabel=True))
    assert [link.id for link in free.repair.dropped] == ["l2"]
    bound = check_document(ring, CheckOptions(repair=True, protect=("before", "l2"), relabel=True))
    assert isinstance(bound.repair, Unrepairable)
    assert bound.relabellings == ()


@pytest.mark.parametrize("name", [None, "allen", "tempeval", "dense"])
def test_labels_are_proposed_in_the_reading_of_the_document(name):
    how = None if name is None else HowRead("tsv", load_reading(name))
    ring = document(("a", "b", "b", ""), ("b", "b", "c", ""), ("c", "b", "a", ""), how_read=how)
    (found,) = check_document(ring, CheckOptions(repair=True, relabel=True, protect=("l0", "l1"))).relabellings
    assert found.possible == Relation.of("bi")  # c after a
    reading = load_reading(name or "links")
    assert list(found.labels) == [
        label
        for label, meaning in reading.labels.items()
        if "bi" in meaning.atoms and len(meaning.atoms) < 13 and label not in reading.foreign
    ]


def test_out_of_time_before_and_after_the_verdict(monkeypatch):
    def late(*_):
        raise BudgetExceeded("too late")

    hard = document(("a", "b|bi", "b", ""), ("b", "b|bi", "a", ""), remarks=RINGS.remarks)
    found = check_document(hard, CheckOptions(budget=-1))
    assert (found.verdict, found.decided_by) == (DocumentVerdict.UNDECIDED, None)
    assert "not decided within" in found.error
    assert found.remarks == RINGS.remarks
    monkeypatch.setattr(check, "_explain", late)
    found = check_document(RINGS)
    assert (found.verdict, found.error, found.decided_by) == (DocumentVerdict.INCONSISTENT, None, "graph")
    assert [remark.code for remark in found.remarks] == ["odd", "out-of-time"]
    assert "too late" in found.remarks[1].message


def test_a_fault_of_ours_is_no_verdict(monkeypatch):
    def broken(*_):
        raise InternalError("broken")

    monkeypatch.setattr(check, "_explain", broken)
    found = check_document(RINGS)
    assert (found.verdict, found.error) == (DocumentVerdict.UNDECIDED, "broken")


# --- the verdict does not depend on the repair ----------------------------------------------------------------------


@pytest.mark.parametrize("error", [InternalError("broken"), UsageError("wrong"), KeyError("lost"), MemoryError()])
@pytest.mark.parametrize("certificate", [False, True])
def test_a_repair_that_fails_is_missing_and_the_verdict_stays(monkeypatch, error, certificate):
    def broken(*_):
        raise error

    monkeypatch.setattr("temporacle.reasoner.conflicts.repair._grounded", broken)
    found = check_document(RINGS, CheckOptions(repair=True, relabel=True, certificate=certificate))
    assert (found.verdict, found.error, found.repair) == (DocumentVerdict.INCONSISTENT, None, None)
    assert [remark.code for remark in found.remarks] == ["odd", "repair-missing"]
    assert len(found.conflicts) == 1
    assert (found.certificate is not None) == certificate
    assert not found.is_complete
    assert found.to_dict()["repair"] is None


def test_other_labels_that_cannot_be_found_leave_the_repair(monkeypatch):
    def broken(*_):
        raise InternalError("broken")

    monkeypatch.setattr("temporacle.reasoner.inquiry.relabellings", broken)
    found = check_document(RINGS, CheckOptions(repair=True, relabel=True))
    assert len(found.to_drop) == 3
    assert [remark.code for remark in found.remarks] == ["odd", "relabel-missing"]


def test_a_repair_that_time_does_not_allow_is_missing(monkeypatch):
    def late(*_):
        raise BudgetExceeded("too late")

    monkeypatch.setattr("temporacle.reasoner.conflicts.repair._grounded", late)
    found = check_document(RINGS, CheckOptions(repair=True))
    assert found.verdict is DocumentVerdict.INCONSISTENT
    assert [remark.code for remark in found.remarks] == ["odd", "out-of-time", "repair-missing"]


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1.0])
def test_weights_that_mean_nothing_cost_the_repair_only(weight):
    links = tuple(link._replace(weight=weight) for link in RINGS.links)
    found = check_document(Document("d", links), CheckOptions(repair=True))
    assert found.verdict is DocumentVerdict.INCONSISTENT
    assert [remark.code for remark in found.remarks] == ["repair-missing"]


def test_an_exception_that_was_not_foreseen_is_not_a_verdict(monkeypatch):
    def broken(*_):
        raise KeyError("lost")

    monkeypatch.setattr(check, "_explain", broken)
    with pytest.raises(KeyError):
        check_document(RINGS)


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_many_digits_change_no_verdict(seed):
    """The documents of the attack: 6 entities, 18 links, weights from random()."""
    rng = Random(seed)
    links = []
    for number in range(18):
        source, target = rng.sample(range(6), 2)
        relation = Relation.of(rng.choice(("b", "bi", "m", "d", "di", "=")))
        links.append(Link(f"l{number}", f"e{source}", relation, f"e{target}", weight=rng.random()))
    plain = check_document(Document("d", tuple(link._replace(weight=1) for link in links)))
    found = check_document(Document("d", tuple(links)), CheckOptions(repair=True))
    assert found.verdict is plain.verdict
    assert found.is_complete
    if found.verdict is DocumentVerdict.INCONSISTENT:
        kept = tuple(link for link in links if link not in found.to_drop)
        assert check_document(Document("d", kept)).verdict is DocumentVerdict.CONSISTENT


# --- documents of which only the graph was read ----------------------------------------------------------------------


def plain_graph(*triples, complete=None):
    sources, relations, targets = zip(*triples, strict=True) if triples else ((), (), ())
    return PlainGraph(
        "g", "g.tml", 7, sources, [Relation.of(each) for each in relations], targets, RINGS.remarks, "timeml", dict,
        complete or (lambda: pytest.fail("the graph is enough")),
    )  # fmt: skip


def test_a_graph_that_is_surely_consistent_is_not_read_further():
    for relabel in (False, True):
        found = check_document(plain_graph(("a", "b", "b"), ("b", "b", "c")), CheckOptions(relabel=relabel))
        assert (found.document, found.path, found.verdict) == ("g", "g.tml", DocumentVerdict.CONSISTENT)
        assert (found.entities, found.links, found.decided_by) == (7, 2, "graph")
        assert found.remarks == RINGS.remarks
        assert found.relabellings == (() if relabel else None)
        assert 0 <= found.seconds < 60


def test_a_graph_that_is_not_enough_is_read():
    contradictory = plain_graph(("a", "b", "b"), ("b", "b", "a"), complete=lambda: RINGS)
    assert check.check_graph(contradictory) is None
    assert check_document(contradictory).verdict is DocumentVerdict.INCONSISTENT
    fine = document(("a", "b", "b", ""))
    for options in (CheckOptions(certificate=True), CheckOptions(calendar=Calendar())):
        graph = plain_graph(("a", "b", "b"), complete=lambda: fine)
        assert check.check_graph(graph, options) is None
        assert check_document(graph, options).document == "d"
    lost = plain_graph(("a", "b", "b"), ("b", "b", "a"), complete=lambda: Unreadable("g", "g.tml", InputError("lost")))
    assert check_document(lost).verdict is DocumentVerdict.UNREADABLE


# --- what belongs to a finding ----------------------------------------------------------------------------------------


def test_nothing_is_said_about_labels_that_were_not_asked_for():
    plain, hard = document(("a", "b", "b", "")), document(("a", "o|d", "b", ""), ("a", "b|bi", "c", ""))
    for each in (plain, hard, RINGS):
        assert check_document(each).relabellings is None
    assert check_document(plain).quoted is None
    assert check_document(document(("a", "b", "b", ""), ("b", "b", "a", ""))).quoted is None


def test_out_of_time_after_the_verdict_says_what_is_missing(monkeypatch):
    def late(*_):
        raise BudgetExceeded("too late")

    hard = document(("a", "o|d", "b", ""), ("a", "b|bi", "c", ""))
    monkeypatch.setattr(LinkInquiry, "certificate", late)
    found = check_document(hard, CheckOptions(certificate=True, repair=True))
    assert (found.verdict, [remark.code for remark in found.remarks]) == (DocumentVerdict.CONSISTENT, ["out-of-time"])
    assert "something else could not be found: too late" in found.remarks[0].message


def test_a_conflict_that_may_be_too_large_is_marked(monkeypatch):
    def unfinished(_inquiry):
        raise NotMinimal("too late", RINGS.links, [0, 1, 2, 3])

    monkeypatch.setattr(LinkInquiry, "conflict", unfinished)
    found = check_document(RINGS)
    assert found.not_minimal
    assert set(found.conflicts[0]) == set(RINGS.links[:4])
    assert "links that are not needed" in found.remarks[-1].message
    assert not check_document(document(("a", "b", "b", ""))).not_minimal


def test_the_certificate_of_a_repair_belongs_to_the_check():
    found = check_document(RINGS, CheckOptions(repair=True, certificate=True))
    assert found.repair_certificate is not None
    protected = LinkInquiry(RINGS, Budget())
    assert isinstance(protected.repair(["BEFORE"]), Unrepairable)
    with pytest.raises(InternalError, match="there is no repair"):
        protected.repair_certificate()


@pytest.mark.parametrize("protect", [(), ("BEFORE",)])
def test_words_of_a_repair_are_quoted_without_its_conflicts(protect):
    found = check_document(RINGS, CheckOptions(explain=False, repair=True, protect=protect))
    facts = found.repair.conflict if protect else found.repair.dropped
    wanted = {end for link in facts for end in (link.source, link.target)}
    quoted = set() if found.quoted is None else {mention.entity for mention in found.quoted.mentions}
    assert quoted <= wanted
    assert ("x0" in quoted) is ("x0" in wanted)


@pytest.mark.parametrize(
    ("error", "words"), [(UsageError("wrong"), "no repair: wrong"), (KeyError("lost"), "KeyError")]
)
def test_a_missing_repair_says_why(monkeypatch, error, words):
    def broken(*_):
        raise error

    monkeypatch.setattr("temporacle.reasoner.conflicts.repair._grounded", broken)
    message = check_document(RINGS, CheckOptions(repair=True)).remarks[-1].message
    assert words in message
    assert ("internal error" in message) is isinstance(error, KeyError)
