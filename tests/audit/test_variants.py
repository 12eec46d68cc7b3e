"""Equivalent questions: what an answer means, in which ways a graph is put otherwise, and when answers differ."""

from __future__ import annotations

import pytest

from temporacle.audit.answers import Closed, Declined, Failed, Failure, NoticedBy, SaidInconsistent, entities_of
from temporacle.audit.engines import InProcessSubject
from temporacle.audit.generate import (
    STATELESS_CHECKS,
    answer_after,
    differing_variant,
    meaning,
    other_names,
    reordered,
    repeated,
    reversed_links,
)
from temporacle.relation import EVERYTHING, Relation


def graph(text):
    """Links written as ``x b y, y m z``."""
    links = (part.split() for part in text.split(", ") if part)
    return tuple((source, Relation(relation), target) for source, relation, target in links)


def closed(text):
    return Closed(graph(text))


CHAIN = graph("x b y, y m z")


# --- meaning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (closed("x b y, y m z"), closed("y m z, x b y")),
        (closed("x b y"), closed("y bi x")),
        (closed("x b y"), closed("x b y, y bi x")),
        (closed("x b y"), closed("x b|m y, x b|o y")),
        (closed("x b y"), closed("x b y, z = z")),
        (closed("x b y"), Closed((*graph("x b y"), ("x", EVERYTHING, "z")))),
        (Failed(Failure.DIED, "one reason"), Failed(Failure.DIED, "another")),
        (Declined("one reason"), Declined("another")),
    ],
)
def test_answers_that_say_the_same_have_the_same_meaning(one, other):
    assert meaning(one) == meaning(other)


def test_answers_that_differ_have_different_meanings():
    answers = [
        closed(""),
        closed("x b y"),
        closed("y b x"),
        closed("x b|m y"),
        closed("x b z"),
        SaidInconsistent(),
        Declined("no"),
        *(Failed(how, "so") for how in Failure),
    ]
    assert len(set(map(meaning, answers))) == len(answers)


def test_an_answer_about_other_names_is_translated_back():
    assert meaning(closed("p b q"), {"p": "x", "q": "y"}) == meaning(closed("x b y"))
    assert meaning(closed("p b q"), {"p": "y", "q": "x"}) != meaning(closed("x b y"))


# --- the same question put otherwise ---------------------------------------------------------------------------------


def test_other_orders_are_different_orders_of_the_same_links():
    links = graph("c b d, a b b, b m c, d o e, a b c")
    orders = reordered(links)
    assert len(orders) == len(set(orders)) == 3
    assert all(len(order) == 5 and set(order) == set(links) for order in orders)
    assert links not in orders
    assert links[::-1] in orders
    assert graph("a b b, a b c, b m c, c b d, d o e") in orders  # by the names
    assert reordered(links) == orders
    assert reordered(links[:1]) == reordered(()) == []
    assert reordered(graph("a b b, b b c")) == [graph("b b c, a b b")]


def test_links_of_a_pair_are_sorted_by_their_relations():
    assert graph("a b b, a m b, a bi b") in reordered(graph("a m b, a bi b, a b b"))


def test_links_reversed_and_said_twice():
    assert reversed_links(CHAIN) == graph("y bi x, z mi y")
    assert repeated(CHAIN) == graph("x b y, y m z, y bi x, z mi y")


def test_every_entity_gets_a_name_of_its_own_however_many_there_are():
    links = tuple((f"e{number:02}", Relation("b"), f"e{number + 1:02}") for number in range(40))
    names = other_names(links)
    assert names.keys() == set(entities_of(links))
    assert len(set(names.values())) == 41
    new = [names[name] for name in sorted(names)]
    assert new == sorted(new, reverse=True)
    assert names["e40"] == "X11"
    assert names["e34"] == "x20000"


# --- answers that differ ---------------------------------------------------------------------------------------------


def subject(function):
    return InProcessSubject("mine", lambda: function)


DEPENDENT = {
    NoticedBy.ORDER: lambda links: Closed(links[:1]),
    NoticedBy.RENAMING: lambda links: Closed(tuple(link for link in links if "x" in link)),
    NoticedBy.REVERSAL: lambda links: Closed(tuple(link for link in links if link[1] == Relation("b"))),
    NoticedBy.REDUNDANCY: lambda links: Closed(links) if len(links) < 3 else SaidInconsistent(),
}


def test_all_checks_but_that_of_the_state_need_one_question_at_a_time():
    assert set(STATELESS_CHECKS) == set(NoticedBy) - {NoticedBy.EXACT, NoticedBy.STATE} == set(DEPENDENT)


@pytest.mark.parametrize("check", STATELESS_CHECKS)
def test_an_answer_that_depends_on_how_it_is_asked_is_noticed(check):
    asked = subject(DEPENDENT[check])
    variant = differing_variant(asked, check, CHAIN)
    assert variant is not None
    assert variant != CHAIN
    assert differing_variant(asked, check, CHAIN, asked.ask(CHAIN)[0]) == variant


@pytest.mark.parametrize("check", STATELESS_CHECKS)
@pytest.mark.parametrize("function", [Closed, lambda _: SaidInconsistent(), lambda _: Failed(Failure.DIED, "so")])
def test_an_implementation_that_does_not_depend_on_it_is_not_blamed(check, function):
    assert differing_variant(subject(function), check, CHAIN) is None


@pytest.mark.parametrize("check", STATELESS_CHECKS)
def test_the_names_of_variants_may_occur_in_the_question(check):
    assert differing_variant(subject(Closed), check, graph("X11 b x11, x11 m x111, x b X11")) is None


@pytest.mark.parametrize("check", STATELESS_CHECKS)
def test_declining_is_no_difference(check):
    picky = subject(lambda links: Closed(links) if links == CHAIN else Declined("no"))
    assert differing_variant(picky, check, CHAIN) is None
    assert (
        differing_variant(subject(lambda links: Declined("no") if links == CHAIN else Closed(links)), check, CHAIN)
        is None
    )


def test_the_given_answer_is_not_asked_for_again():
    asked = []

    def listening(links):
        asked.append(links)
        return Closed(links)

    differing_variant(subject(listening), NoticedBy.REVERSAL, CHAIN, Closed(CHAIN))
    assert asked == [reversed_links(CHAIN)]
    assert differing_variant(subject(listening), NoticedBy.REVERSAL, CHAIN, Closed(())) == reversed_links(CHAIN)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (Closed(()), "after"),
        (SaidInconsistent(), "after"),
        (Declined("no"), "after"),
        (Failed(Failure.EXCEPTION, "so"), "after"),
        (Failed(Failure.MALFORMED, "so"), "after"),
        (Failed(Failure.DIED, "so"), None),
        (Failed(Failure.TIMEOUT, "so"), None),
    ],
)
def test_an_answer_after_another_question_counts_if_the_process_still_lives(before, expected):
    both = subject(lambda links: before if links == CHAIN else Closed(graph("a b b")))
    answer = answer_after(both, CHAIN, ())
    assert answer == (closed("a b b") if expected else None)
