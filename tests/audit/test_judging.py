"""The judge on single answers: what is held against an implementation, and what is not."""

from __future__ import annotations

import pytest

from temporacle.audit.answers import Closed, Declined, Failed, Failure, Fault, FaultKind, Manner, SaidInconsistent
from temporacle.audit.judge import JudgedAnswer, _innocent, combined, judge, network_of
from temporacle.model import Document, Link
from temporacle.reasoner.judged import closure
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import EQUAL, EVERYTHING, Relation

NOTHING = Relation(0)


def graph(text):
    """Links written as ``x b y, y m z``."""
    links = (part.split() for part in text.split(", ") if part)
    return tuple((source, Relation(relation), target) for source, relation, target in links)


def judged(links, answer):
    network = network_of(graph(links))
    return judge(network, answer, closure(network, Budget()))


def faults(links, claims, **options):
    found = judged(links, Closed(graph(claims), **options)).faults
    return {fault.pair: fault.manner for fault in found}


# --- verdicts --------------------------------------------------------------------------------------------------------

ALARM = Fault(FaultKind.FALSE_INCONSISTENCY, Manner.FALSE_ALARM)
GOES_ON = Fault(FaultKind.MISSED_INCONSISTENCY, Manner.GOES_ON)


@pytest.mark.parametrize(
    ("answer", "of_consistent", "of_contradictory"),
    [
        (Declined("no"), (), ()),
        (SaidInconsistent(), (ALARM,), ()),
        (Closed(graph("x b y, y b x")), None, (GOES_ON,)),
    ],
)
def test_verdicts(answer, of_consistent, of_contradictory):
    if of_consistent is not None:
        assert judged("x b y", answer) == JudgedAnswer(of_consistent, consistent=True)
    assert judged("x b y, y b x", answer) == JudgedAnswer(of_contradictory, consistent=False)


@pytest.mark.parametrize("links", ["x b y", "x b y, y b x"])
@pytest.mark.parametrize("how", Failure)
def test_no_answer_is_a_crash_whatever_is_true_of_the_links(links, how):
    found = judged(links, Failed(how, "so it was"))
    (fault,) = found.faults
    assert (fault.kind, fault.manner.name, fault.reason, fault.pair) == (FaultKind.CRASH, how.name, "so it was", None)
    assert found.consistent == (links == "x b y")


@pytest.mark.parametrize(
    ("links", "pairs"), [("", 0), ("x = x", 0), ("x b y", 1), ("x b y, y b z", 3), ("x b y, z b w", 6)]
)
def test_every_pair_is_compared(links, pairs):
    assert judged(links, Closed(())).pairs == pairs


# --- claims ----------------------------------------------------------------------------------------------------------

CHAIN = "x b y, y b z"
MISSED, OPEN, OVER, WRONG = Manner.MISSED_ATOM, Manner.MISSED_DISJUNCTION, Manner.OVER_CLAIMED, Manner.WRONG


@pytest.mark.parametrize(
    ("links", "claims", "expected"),
    [
        (CHAIN, "x b y, y b z, x b z", {}),
        (CHAIN, "y bi x, z bi y, z bi x", {}),
        (CHAIN, "x b|m y, x b|o y, y b z, x b z", {}),  # claims on a pair hold together
        (CHAIN, "x b y, y b z", {("x", "z"): MISSED}),
        (CHAIN, "x b y, y b z, x b|m z", {("x", "z"): MISSED}),
        (CHAIN, "x b y, y b z, z b x", {("x", "z"): WRONG}),
        (CHAIN, "x b y, y b z, x b z, x bi z", {("x", "z"): WRONG}),  # nothing is left
        (CHAIN, "x b y, y b z, x m|o z", {("x", "z"): WRONG}),
        ("x b|m y", "", {("x", "y"): OPEN}),
        ("x b|m y", "x b|m|o y", {("x", "y"): OPEN}),
        ("x b|m y", "x b y", {("x", "y"): OVER}),
        ("x b|m y", "x b|o y", {("x", "y"): OVER}),  # unsound says more than incomplete
        (CHAIN, "x b y, y b z, x b z, x = x, y b|=|m y", {}),
        (CHAIN, "x b y, y b z, x b z, y b y", {("y", "y"): WRONG}),
    ],
)
def test_claims_about_pairs(links, claims, expected):
    assert faults(links, claims) == expected


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ("new b x", {("new", "x"): OVER}),
        ("x b new", {("new", "x"): OVER}),
        ("zoo b x", {("x", "zoo"): OVER}),
        ("new b zoo", {("new", "zoo"): OVER}),
        ("new b x, new bi x", {("new", "x"): WRONG}),
        ("new = new", {}),
        ("new =|b new", {}),
        ("new b new", {("new", "new"): WRONG}),
    ],
)
def test_nothing_follows_about_entities_that_no_link_mentions(claims, expected):
    assert faults("x b y", f"x b y, {claims}") == expected


def test_a_claim_of_everything_says_nothing_about_a_stranger():
    answer = Closed((*graph("x b y"), ("new", EVERYTHING, "x")))
    assert judged("x b y", answer).faults == ()


def test_a_fault_states_what_was_claimed_and_what_is_exact_from_the_same_end():
    (fault,) = judged("x b y", Closed(graph("y b x"))).faults
    assert (fault.pair, fault.claimed, fault.exact) == (("x", "y"), Relation("bi"), Relation("b"))
    (fault,) = judged("x b y", Closed(graph("x b y, zoo b x"))).faults
    assert (fault.pair, fault.claimed, fault.exact) == (("x", "zoo"), Relation("bi"), EVERYTHING)
    (fault,) = judged("x b y", Closed(graph("x b y, x b|m x"))).faults
    assert (fault.pair, fault.claimed, fault.exact) == (("x", "x"), NOTHING, EQUAL)


@pytest.mark.parametrize(
    ("unread", "torn", "left"),
    [
        ((), False, {("x", "z"), ("x", "y")}),
        ([("x", "z")], False, {("x", "y")}),
        ([("z", "x")], False, {("x", "y")}),
        ([("y", "z")], False, {("x", "z"), ("x", "y")}),
        ((), True, {("x", "y")}),
        ([("x", "y"), ("x", "z")], True, {("x", "y")}),
    ],
)
def test_what_could_not_be_read_may_have_said_what_is_missing_but_excuses_no_wrong_claim(unread, torn, left):
    assert faults(CHAIN, "x bi y, y b z", unread=frozenset(unread), torn=torn).keys() == left


def test_claims_are_combined_in_both_directions():
    together = combined(graph("x b|m y, y bi|oi x, z b z"))
    assert together == {
        ("x", "y"): int(Relation("b")),
        ("y", "x"): int(Relation("bi")),
        ("z", "z"): 0,
    }


# --- contradictory links ---------------------------------------------------------------------------------------------

CYCLE = "x b y, y b x"


@pytest.mark.parametrize(
    ("links", "claims", "manner"),
    [
        (CYCLE, "", Manner.GOES_ON),  # no link is without a part in the contradiction
        (CYCLE, CYCLE, Manner.GOES_ON),
        (CYCLE, "x b y, y b x, x bi x, x b x", Manner.GOES_ON),
        (f"{CYCLE}, x m p", "", Manner.EMPTIES),
        (f"{CYCLE}, x m p", CYCLE, Manner.LOSES_LINKS),
        (f"{CYCLE}, x m p", f"{CYCLE}, x m|b p", Manner.LOSES_LINKS),
        (f"{CYCLE}, x m p", f"{CYCLE}, p mi x", Manner.GOES_ON),
        (f"{CYCLE}, x m p", f"{CYCLE}, p mi x, y b p", Manner.GOES_ON),
        (f"{CYCLE}, x m p", f"{CYCLE}, p mi x, y b p, y bi p", Manner.EXPLODES),
        ("x b y, y b z, z b x", "x b y, y b z, z b x, x b z", Manner.EXPLODES),
        ("x b y, y b z, z b x", "x b y, y b z, z b x", Manner.GOES_ON),
    ],
)
def test_manners_of_going_on_after_a_contradiction(links, claims, manner):
    (fault,) = judged(links, Closed(graph(claims))).faults
    assert fault == Fault(FaultKind.MISSED_INCONSISTENCY, manner)


@pytest.mark.parametrize(
    ("links", "innocent"),
    [
        (CYCLE, ""),
        (f"{CYCLE}, x m p, p o q, r s q", "x m p, p o q, r s q"),  # one after the other from the outside
        (f"{CYCLE}, p m q", "p m q"),
        (f"{CYCLE}, p b q, q b r, p b r", "p b q, q b r, p b r"),  # a part that is consistent by itself
        (f"{CYCLE}, p b q, q b r, r b p", ""),
        (f"{CYCLE}, p b|bi q, q b|bi r, p b|bi r", ""),  # not looked into: that could take long
        (f"{CYCLE}, x m p, x m p", ""),  # two links on a pair could contradict each other
        (f"{CYCLE}, p = p", "p = p"),
        (f"{CYCLE}, p b p", ""),
        (f"{CYCLE}, x m p, p b p", ""),
        ("x b y, y b z, z b x, z m p", "z m p"),
    ],
)
def test_links_without_a_part_in_the_contradiction(links, innocent):
    found = {(source, Relation(mask), target) for source, mask, target in _innocent(network_of(graph(links)), Budget())}
    assert found == set(graph(innocent))


def test_a_link_without_any_relation_is_the_contradiction():
    links = [Link("l1", "x", NOTHING, "y"), Link("l2", "y", Relation("b"), "z"), Link("l3", "z", Relation("b"), "w")]
    assert [mask for _, mask, _ in _innocent(Network(links), Budget())] == [int(Relation("b"))] * 2
    assert list(_innocent(Network(links[:1]), Budget())) == []


def test_entities_without_links_are_compared_too():
    network = Network.of(Document("d", [("x", "b", "y")], ("x", "y", "lonely")))
    found = judge(network, Closed(graph("x b y, lonely b x")), closure(network, Budget()))
    assert found.pairs == 3
    assert [fault.manner for fault in found.faults] == [OVER]
