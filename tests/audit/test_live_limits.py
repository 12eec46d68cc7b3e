"""A live audit over chosen cases: what is counted, what becomes a finding, what is left out, and where it stops."""

from __future__ import annotations

import pytest

from temporacle.audit.answers import (
    Closed,
    Declined,
    Failed,
    Failure,
    FaultKind,
    Manner,
    NoticedBy,
    SaidInconsistent,
    entities_of,
)
from temporacle.audit.engines import InProcessSubject, engine_subject
from temporacle.audit.generate import AuditCase
from temporacle.audit.live import LiveAudit, occurs_in
from temporacle.audit.pasted_tests import python_test
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.judged import closure
from temporacle.relation import ATOMS, Relation

RIGHT = engine_subject("right", closure)
CRASHED = Failed(Failure.EXCEPTION, "so")
DIED = Failed(Failure.DIED, "so")


def graph(text):
    """Links written as ``x b y, y m z``."""
    links = (part.split() for part in text.split(", ") if part)
    return tuple((source, Relation(relation), target) for source, relation, target in links)


def cases(*graphs):
    given = (graph(each) if isinstance(each, str) else each for each in graphs)
    return [AuditCase(number, f"family{number}", links) for number, links in enumerate(given, 1)]


def right(links):
    return RIGHT.ask(links)[0]


def failing_on(is_bad, answer=CRASHED):
    """A closure that is right except on some graphs."""
    return lambda links: answer if is_bad(links) else right(links)


def subject(function):
    return InProcessSubject("mine", lambda: function)


def audited(function, *graphs, **options):
    return LiveAudit(subject(function), **{"vary": False, **options}).run(cases(*graphs))


def has(text):
    """Whether a graph contains another one, whatever the names."""
    return lambda links: occurs_in(graph(text), links)


# --- what is counted -------------------------------------------------------------------------------------------------


def test_a_right_closure_is_counted_and_progress_is_told():
    done = []
    audit = LiveAudit(subject(right), vary=False)
    tally = audit.run(cases("x b y, y b z", "x b y, y b x", ""), lambda: done.append(audit.tally.cases))
    assert (tally.cases, tally.consistent, tally.inconsistent, tally.pairs) == (3, 2, 1, 3)
    assert tally.clean
    assert (tally.findings, tally.varied, tally.undecided, tally.declined) == ([], 0, 0, 0)
    assert done == [1, 2, 3]


def test_a_declined_case_is_neither_judged_nor_varied():
    tally = audited(lambda _: Declined("no"), "x b y, y b x", "x b y", vary=True)
    assert (tally.cases, tally.declined, tally.varied) == (2, 2, 0)
    assert tally.consistent == tally.inconsistent == 0
    assert tally.clean


def test_a_case_without_an_exact_answer_is_undecided_and_never_wrong():
    def out_of_time(network, budget):
        if len(network.links) == 2:
            raise BudgetExceeded("no time")
        return closure(network, budget)

    tally = audited(lambda _: SaidInconsistent(), "x b y, y b z", "x b y", exact=out_of_time)
    assert (tally.cases, tally.undecided, tally.consistent, tally.kinds) == (
        2,
        1,
        1,
        {FaultKind.FALSE_INCONSISTENCY: 1},
    )
    (finding,) = tally.findings
    assert finding.case == 2


def test_the_budget_is_for_the_exact_answer():
    hard = ", ".join(f"e{i} b|bi e{j}" for i in range(3) for j in range(i))
    assert audited(right, hard, budget=1e-9).undecided == 1
    assert audited(right, hard, budget=60).undecided == 0
    seen = []
    audited(
        right, "x b y", budget=7, exact=lambda network, budget: seen.append(budget.seconds) or closure(network, budget)
    )
    assert set(seen) == {7}


def test_missed_disjunctions_can_be_left_out():
    def atoms_only(links):
        answer = right(links)
        if isinstance(answer, SaidInconsistent):
            return answer
        return Closed(tuple(claim for claim in answer.claims if len(claim[1].atoms) == 1))

    strict = audited(atoms_only, "x o y, y o z")
    assert [finding.fault.manner for finding in strict.findings] == [Manner.MISSED_DISJUNCTION]
    lenient = audited(atoms_only, "x o y, y o z", disjunctions=False)
    assert lenient.clean
    assert (lenient.cases, lenient.pairs) == (1, 3)


# --- findings --------------------------------------------------------------------------------------------------------


def test_a_fault_is_shrunk_once_and_counted_again_where_it_occurs_again():
    asked = []

    def listening(links):
        asked.append(links)
        return failing_on(has("x m y"))(links)

    tally = audited(listening, "p o q, q m r, r o s", "t m u, t b w", "k mi i", "x b y")
    (finding,) = tally.findings
    assert finding.graph == graph("x m y")
    assert (finding.count, finding.case, finding.family) == (3, 1, "family1")
    assert finding.answer == Failed(Failure.EXCEPTION, "so")
    assert tally.kinds == {FaultKind.CRASH: 3}
    shrinking = len(asked)
    asked.clear()
    audited(listening, "p o q, q m r, r o s")
    assert shrinking == len(asked) + 3 + 2 * 4  # a question for each of the others, and all twice more in a row


def test_two_causes_of_one_sort_are_two_findings():
    bad = failing_on(lambda links: has("x m y")(links) or any(source == target for source, _, target in links))
    tally = audited(bad, "a m b, b o c", "a s a, a o c")
    assert {finding.graph: finding.count for finding in tally.findings} == {graph("x m y"): 1, graph("x b x"): 1}


def test_what_shrinks_to_a_known_graph_is_counted_there():
    """The second case does not contain the first finding, but shrinks to it."""
    bad = failing_on(lambda links: has("x m y")(links) or (len(links) == 3 and has("x s y")(links)))
    tally = audited(bad, "a m b", "a s b, c s d, e s f")
    assert [(finding.graph, finding.count) for finding in tally.findings] == [(graph("x m y"), 2)]


def test_a_graph_that_contains_a_known_one_only_after_shrinking_is_another_finding():
    def bad(links):
        alone = len(links) == 1 and links[0][:2] == ("storm", Relation("b"))
        return alone or (len(links) == 2 and {source == target for source, _, target in links} == {True, False})

    tally = audited(failing_on(bad), "storm b y", "p m q, q s q")
    assert [(finding.graph, finding.count) for finding in tally.findings] == [
        (graph("storm b y"), 1),
        (graph("x b y, y b y"), 1),
    ]


def test_faults_of_different_sorts_are_traced_separately():
    def wrong(links):
        answer = right(links)
        if len(entities_of(links)) < 3:
            return answer
        return Closed(tuple(claim for claim in answer.claims if claim in links) + graph("new b x"))

    tally = audited(wrong, "x b y, y b z", "x b y")
    assert {finding.fault.manner for finding in tally.findings} == {Manner.MISSED_ATOM, Manner.OVER_CLAIMED}
    assert all(finding.noticed_by is NoticedBy.EXACT for finding in tally.findings)


def test_findings_carry_evidence():
    (finding,) = audited(failing_on(bool, SaidInconsistent()), "a b b, b b c").findings
    assert finding.evidence.model.keys() == {"x", "y"}
    (finding,) = audited(Closed, "a b b, b b c").findings
    assert {link.id for link in finding.evidence.links} == {"l1", "l2"}


# No change of one relation makes one of these another one, and none is another one reversed.
UNLIKE = [graph(f"x {ATOMS[place]} y, y {ATOMS[2 * place % 13]} z") for place in range(13)]


def test_findings_of_a_sort_are_limited_and_the_rest_is_counted():
    tally = audited(failing_on(lambda links: links in UNLIKE), *UNLIKE)
    assert (len(tally.findings), tally.unshrunk) == (12, 1)
    assert tally.kinds == {FaultKind.CRASH: 13}
    assert [(finding.case, finding.graph) for finding in tally.findings] == list(enumerate(UNLIKE[:12], 1))


def test_the_empty_graph_is_a_case_of_its_own():
    tally = audited(failing_on(lambda _: True, SaidInconsistent()), "x b y", "", "p m q", "")
    assert [(finding.graph, finding.count) for finding in tally.findings] == [(graph("x b y"), 2), ((), 2)]


def test_names_become_plain_unless_the_fault_depends_on_them():
    named = failing_on(lambda links: "storm" in entities_of(links))
    (finding,) = audited(named, "storm m flood, flood b rain").findings
    assert finding.graph == graph("storm b flood")
    (finding,) = audited(failing_on(bool), "storm m flood").findings
    assert finding.graph == graph("x b y")


def test_an_answer_that_changes_when_asked_again_is_a_leak_of_state_not_a_finding():
    answers = iter([Failed(Failure.EXCEPTION, "once")])
    tally = audited(lambda links: next(answers, None) or right(links), "x b y")
    assert tally.findings == []
    assert tally.checks == {NoticedBy.STATE: 1}
    assert tally.kinds == {FaultKind.CRASH: 1}
    assert not tally.clean


def test_an_implementation_that_hangs_is_asked_seldom_and_not_put_otherwise():
    chain = ", ".join(f"e{number} m e{number + 1}" for number in range(10))
    for how, varied in ((Failure.TIMEOUT, 0), (Failure.DIED, 1)):
        asked = []

        def large_fails(links, asked=asked, how=how):
            asked.append(links)
            return Failed(how, "no answer") if len(links) > 8 else right(links)

        tally = audited(large_fails, chain, vary=True)
        assert tally.varied == varied
        assert (len(asked) < 20) == (how is Failure.TIMEOUT)
        assert tally.findings[0].fault.manner.name == how.name


def test_a_graph_without_an_exact_answer_is_not_shrunk_to():
    def out_of_time(network, budget):
        if len(network.links) == 1:
            raise BudgetExceeded("no time")
        return closure(network, budget)

    (finding,) = audited(failing_on(bool, SaidInconsistent()), "x b y, y m z", exact=out_of_time).findings
    assert len(finding.graph) == 2


# --- equivalent questions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("links", "varied"), [(15, 1), (16, 0)])
def test_only_small_graphs_are_put_otherwise(links, varied):
    chain = ", ".join(f"e{number} m e{number + 1}" for number in range(links))
    assert audited(right, chain, vary=True).varied == varied


def test_a_right_closure_is_right_however_it_is_asked():
    tally = audited(right, "x b y, y m z, z o x", "x b y, y m z", "", vary=True)
    assert (tally.varied, tally.clean, tally.findings) == (3, True, [])


def first_link_only(links):
    return right(links[:1])


def test_dependence_on_the_order_names_a_graph_and_its_variant():
    tally = audited(first_link_only, "a b b, c m d", "a b b", vary=True)
    assert tally.checks[NoticedBy.ORDER] == 1
    found = [finding for finding in tally.findings if finding.noticed_by is NoticedBy.ORDER]
    (finding,) = found
    assert set(finding.graph) == set(finding.variant)
    assert finding.graph != finding.variant
    assert (finding.case, finding.family, finding.history) == (1, "family1", None)
    assert finding.fault.kind is FaultKind.MISSED_INCONSISTENCY
    assert finding.answer == first_link_only(finding.graph)
    assert finding.evidence.links


def test_findings_of_a_check_are_limited_and_none_is_repeated():
    tally = audited(failing_on(lambda links: links[::-1] in UNLIKE), *UNLIKE[:5], vary=True)
    assert tally.checks[NoticedBy.ORDER] == 5
    assert [finding.graph[::-1] for finding in tally.findings if finding.noticed_by is NoticedBy.ORDER] == UNLIKE[:3]
    again = audited(first_link_only, "a b b, c m d", "e b f, g m h", vary=True)
    assert again.checks[NoticedBy.ORDER] == 2
    assert len([finding for finding in again.findings if finding.noticed_by is NoticedBy.ORDER]) == 1


def leaking(is_left):
    """A closure that calls links contradictory after another question of a certain kind."""

    def fresh():
        before = []

        def function(links):
            left = any(map(is_left, before))
            before.append(links)
            return SaidInconsistent() if left and links else right(links)

        return function

    return InProcessSubject("leaking", fresh)


def test_a_leak_of_state_names_the_smallest_question_before():
    tally = LiveAudit(leaking(has("x m y"))).run(cases("p o q, q m r", "a o b, b o c", "a o b"))
    assert tally.checks == {NoticedBy.STATE: 1}
    (finding,) = tally.findings
    assert finding.noticed_by is NoticedBy.STATE
    assert (finding.graph, finding.history, finding.variant) == (graph("x b y"), graph("x m y"), None)
    assert finding.answer == SaidInconsistent()
    assert finding.fault.kind is FaultKind.FALSE_INCONSISTENCY
    assert (finding.case, finding.family) == (2, "family2")


def failing_after(number, kind=lambda _links: True):
    """A closure that calls links contradictory after some questions of a kind."""

    def fresh():
        before = []

        def function(links):
            left = sum(map(kind, before)) >= number
            before.append(links)
            return SaidInconsistent() if left and links else right(links)

        return function

    return InProcessSubject("failing", fresh)


@pytest.mark.parametrize("vary", [True, False])
def test_a_closure_that_is_wrong_from_its_fourth_call_on(vary):
    """No two questions in a row show it. The history is made as short and as small as can be."""
    tally = LiveAudit(failing_after(3), vary=vary).run(cases(*UNLIKE[:6]))
    assert tally.checks == {NoticedBy.STATE: 1}
    (finding,) = tally.findings
    assert (finding.noticed_by, finding.fault.kind) == (NoticedBy.STATE, FaultKind.FALSE_INCONSISTENCY)
    assert (len(finding.earlier), len(finding.graph)) == (2, 1)
    assert all(len(each) <= 1 for each in (finding.history, *finding.earlier))
    assert [len(each) <= 1 for each in finding.to_dict()["earlier"]] == [True, True]
    assert python_test(finding).count("closure(") == 4
    assert failing_after(3).ask(*finding.earlier, finding.history, finding.graph)[-1] == finding.answer


def test_a_long_history_takes_a_limited_number_of_questions():
    asked = []

    def fresh():
        calls = [0]

        def function(links):
            asked.append(links)
            calls[0] += 1
            return SaidInconsistent() if calls[0] > 200 and links else Closed(links)

        return function

    tally = LiveAudit(InProcessSubject("late", fresh), vary=False).run(cases(*["x b y"] * 120))
    (finding,) = tally.findings
    assert (len(finding.earlier), set(finding.earlier), finding.history) == (199, {()}, ())
    assert finding.graph == graph("x b y")
    assert len(asked) < 100_000


def test_only_the_questions_that_matter_are_in_a_history():
    some = ["a o b"] * 5
    asked = cases(*some, "p m q", *some, "p m q, q m r", *some)
    tally = LiveAudit(failing_after(2, has("x m y")), vary=False).run(asked)
    (finding,) = tally.findings
    assert (finding.earlier, finding.history, finding.graph) == ((graph("x m y"),), graph("x m y"), graph("x b y"))


@pytest.mark.parametrize("first", ["x m y", "x s y"])
def test_a_leak_between_two_graphs_is_found_in_whichever_order_they_are_cases(first):
    """Only one of the two orders shows it, and other questions stand between them."""
    second = {"x m y": "x s y", "x s y": "x m y"}[first]

    def fresh():
        before = set()

        def function(links):
            left = links == graph("x s y") and graph("x m y") in before
            before.add(links)
            return SaidInconsistent() if left else right(links)

        return function

    asked = cases(first, "x b y", "x o y", second, "x f y")
    (finding,) = LiveAudit(InProcessSubject("leaking", fresh)).run(asked).findings
    assert (finding.earlier, finding.history, finding.graph) == ((), graph("x m y"), graph("x s y"))


def test_a_process_that_dies_after_many_questions_is_a_finding():
    """Each question alone is answered, so only the questions in a row show it."""

    def fresh():
        before = []

        def function(links):
            before.append(links)
            return DIED if len(before) > 5 else right(links)

        return function

    tally = LiveAudit(InProcessSubject("dying", fresh), vary=False).run(cases(*UNLIKE[:6]))
    (finding,) = tally.findings
    assert (finding.noticed_by, finding.fault.manner) == (NoticedBy.STATE, Manner.DIED)
    assert len(finding.earlier) == 4


def test_a_closure_without_state_is_asked_in_a_row_and_not_blamed():
    tally = LiveAudit(failing_after(10**6)).run(cases(*UNLIKE[:6]))
    assert (tally.checks, tally.findings) == ({}, [])


def test_findings_about_the_state_are_limited():
    def fresh():
        before = []

        def function(links):
            before.append(links)
            return SaidInconsistent() if len(before) > 1 and links in UNLIKE else right(links)

        return function

    tally = LiveAudit(InProcessSubject("leaking", fresh)).run(cases(*UNLIKE[:6]))
    assert tally.checks[NoticedBy.STATE] == 5  # nothing was asked before the first
    assert [finding.graph for finding in tally.findings if finding.noticed_by is NoticedBy.STATE] == UNLIKE[1:4]


def test_an_answer_that_differs_once_is_no_finding_about_the_state():
    """It is wrong each time, but not because of the question before."""

    class Once:
        name = "once"
        left = 1

        def ask(self, *graphs):
            answers = [SaidInconsistent()] * len(graphs)
            if len(graphs) == 2 and self.left:
                self.left, answers[1] = 0, CRASHED
            return tuple(answers)

    tally = LiveAudit(Once()).run(cases("x b y", "x m y"))
    assert tally.checks == {NoticedBy.STATE: 1}
    assert {finding.noticed_by for finding in tally.findings} == {NoticedBy.EXACT}


def test_the_first_case_has_none_before_it_and_each_other_the_one_before():
    assert LiveAudit(leaking(bool)).run(cases("x b y")).clean
    assert LiveAudit(leaking(bool)).run(cases("x b y", "x b y", "", "x b y")).checks[NoticedBy.STATE] == 1


def test_declining_after_another_question_is_no_leak():
    def fresh():
        before = []

        def function(links):
            before.append(links)
            return Declined("busy") if len(before) > 1 else right(links)

        return function

    assert LiveAudit(InProcessSubject("busy", fresh)).run(cases("x b y", "x m y")).clean


def test_differing_answers_are_not_blamed_without_an_exact_answer():
    def out_of_time(_network, _budget):
        raise BudgetExceeded("no time")

    tally = audited(first_link_only, "a b b, c m d", vary=True, exact=out_of_time)
    assert tally.checks[NoticedBy.ORDER] == 1
    assert (tally.findings, tally.undecided, tally.clean) == ([], 1, False)


def is_sorted(links):
    return list(links) == sorted(links, key=str)


def test_the_second_answer_is_blamed_if_the_first_is_right():
    def unsorted_fails(links):
        return right(links) if is_sorted(links) else CRASHED

    tally = audited(unsorted_fails, "a b b, c b d", vary=True)
    (finding,) = (each for each in tally.findings if each.noticed_by is NoticedBy.ORDER)
    assert not is_sorted(finding.graph)
    assert is_sorted(finding.variant)
    assert finding.fault.kind is FaultKind.CRASH
