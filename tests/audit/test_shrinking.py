"""Shrinking: which graph is the smallest that shows a fault, how many questions that takes, which graphs are alike."""

from __future__ import annotations

import pytest

from temporacle.audit.answers import entities_of, plain, with_names
from temporacle.audit.live import occurs_in, renamed, shrink
from temporacle.relation import ATOMS, Relation


def graph(text):
    """Links written as ``x b y, y m z``."""
    links = (part.split() for part in text.split(", ") if part)
    return tuple((source, Relation(relation), target) for source, relation, target in links)


def text(links):
    return ", ".join(" ".join(link) for link in plain(links))


def shrunk(links, shows, **options):
    return text(renamed(shrink(graph(links) if isinstance(links, str) else links, shows, **options)))


def relations(links):
    return [relation for _, relation, _ in links]


# --- what is smallest ------------------------------------------------------------------------------------------------

CHAIN = "a m b, b o c, c d e, e f g"


@pytest.mark.parametrize(
    ("links", "shows", "smallest"),
    [
        (CHAIN, lambda _: True, ""),
        (CHAIN, bool, "x b y"),
        (CHAIN, lambda links: "e" in entities_of(links), "x b y"),
        (CHAIN, lambda links: len(links) > 1, "x b y, y b x"),  # entities are merged
        (CHAIN, lambda links: len(entities_of(links)) > 2, "x b y, y b z"),
        (CHAIN, lambda links: Relation("o") in relations(links), "x o y"),
        ("a = a, a m b", lambda links: any(x == y for x, _, y in links), "x b x"),
        ("a m|o|d b", lambda links: any(len(r.atoms) > 1 for r in relations(links)), "x o|d y"),
        ("a m|o b", lambda links: any("o" in r.atoms for r in relations(links)), "x o y"),
        ("a bi b", lambda links: bool({"m", "bi"} & {str(r) for r in relations(links)}), "x m y"),
        ("a fi b", lambda links: bool({"f", "fi"} & {str(r) for r in relations(links)}), "x f y"),
        # Two relations that must change together, in the same direction or in opposite ones.
        ("a m b, b m c", lambda links: len(links) > 1 and len(set(relations(links))) == 1, "x b y, y b x"),
        (
            "a m|o|d b, c m|o|d d",
            lambda links: len(links) > 1 and len(set(relations(links))) == 1 and len(links[0][1].atoms) > 1,
            "x o|d y, x o|d y",
        ),
        # One that must change alone.
        ("a m b, c m d", lambda links: len(links) > 1 and Relation("m") in relations(links), "x b y, x m y"),
        (
            "a m b, c mi d",
            lambda links: len(links) > 1 and relations(links)[0] == relations(links)[1].converse(),
            "x = y, x = y",
        ),
    ],
)
def test_the_smallest_graph(links, shows, smallest):
    assert shrunk(links, shows) == smallest


def test_a_subset_is_found_that_no_single_step_leads_to_and_few_entities_count_more_than_few_links():
    links = graph("a m b, c m d, e m f, e m f, e m f, g m h, i m j")
    two, three = graph("a m b, c m d"), graph("e m f, e m f, e m f")
    assert shrink(links, lambda candidate: candidate in (links, two, three)) == three
    assert shrink(links, lambda candidate: candidate in (links, two)) == two


def test_plainer_relations_are_preferred_in_a_fixed_order():
    order = ["b", "=", "m", "d", "o", "s", "f", "bi", "mi", "di", "oi", "si", "fi"]
    assert sorted(order) == sorted(ATOMS)
    for place, atom in enumerate(order):
        allowed = set(order[place:])
        for start in allowed:
            found = shrunk(f"a {start} b", lambda links, allowed=allowed: bool(links) and str(links[0][1]) in allowed)
            assert found == f"x {atom} y"


def test_what_shows_the_fault_and_cannot_be_made_smaller_stays_as_it_is():
    links = graph("a fi b, c m d")
    assert shrink(links, lambda candidate: candidate == links) is links


def test_relations_that_only_change_places_are_left_alone():
    def shows(links):
        return len(links) == 2 and {str(relation) for relation in relations(links)} == {"b", "bi"}

    assert shrunk("a bi b, c b d", shows) == "x bi y, x b y"
    assert shrunk("a b b, c bi d", shows) == "x b y, x bi y"


# --- how it is found -------------------------------------------------------------------------------------------------


def long_chain(size):
    return tuple((f"e{number}", Relation("o"), f"e{number + 1}") for number in range(size))


class Question:
    """Remembers what was asked."""

    def __init__(self, shows):
        self.asked = []
        self._shows = shows

    def __call__(self, links):
        self.asked.append(links)
        return self._shows(links)


@pytest.mark.parametrize("place", [0, 17, 40, 79])
def test_a_single_link_of_a_large_graph_is_found_with_few_questions(place):
    question = Question(lambda links: f"e{place}" in entities_of(links) and f"e{place + 1}" in entities_of(links))
    assert shrunk(long_chain(80), question) == "x b y"
    assert len(question.asked) < 50
    assert len(set(question.asked)) == len(question.asked)


@pytest.mark.parametrize(
    ("links", "shows", "questions"),
    [
        (long_chain(80), lambda links: {"e5", "e40", "e70"} <= set(entities_of(links)), 120),
        (
            tuple((f"e{number}", Relation("o"), f"e{number * 7 % 30}") for number in range(1, 30)) + long_chain(29),
            lambda links: len(entities_of(links)) > 16,
            500,
        ),
    ],
)
def test_a_large_graph_is_thinned_before_everything_is_tried(links, shows, questions):
    question = Question(shows)
    small = shrink(links, question, most=5000)
    assert len(question.asked) < questions
    assert not any(shows(small[:place] + small[place + 1 :]) for place in range(len(small)))


def asked_in_vain(links, **options):
    """What is asked, in order, if no other graph shows the fault."""
    question = Question(lambda _: False)
    assert shrink(links, question, **options) is links
    return question.asked


def without(links, *names):
    return tuple(link for link in links if not {link[0], link[2]} & set(names))


def test_a_large_graph_is_tried_by_halves_then_by_entities_then_by_links():
    links = tuple((f"e{number}", Relation("o"), f"e{number + 2}") for number in range(9))  # two chains
    names = entities_of(links)
    assert len(names) == 11
    steps = [
        without(links, *names[:5]),
        without(links, *names[5:]),
        *(without(links, name) for name in names),
        *(links[:place] + links[place + 1 :] for place in reversed(range(9))),
    ]
    steps = list(dict.fromkeys(steps))
    assert asked_in_vain(links)[: len(steps)] == steps


AROUND = tuple((f"e{number}", Relation("o"), f"e{(number + 1) % 8}") for number in range(8))


def test_what_can_be_left_out_stays_out_while_the_rest_is_tried():
    large = (*AROUND, ("e0", Relation("m"), "e4"))
    question = Question(lambda links: large[-1] in links)
    shrink(large, question)
    assert question.asked[:4] == [
        without(large, "e0"),
        without(large, "e1"),
        without(large, "e1", "e2"),
        without(large, "e1", "e2", "e3"),
    ]


def test_a_graph_of_eight_links_is_small_enough_to_merge_entities_at_once():
    asked = asked_in_vain(AROUND)
    assert asked[:8] == [without(AROUND, name) for name in entities_of(AROUND)]
    assert ("e0", Relation("o"), "e2") in asked[8]


def test_only_a_graph_of_more_than_eight_entities_is_halved():
    large = (*AROUND, ("e0", Relation("m"), "e4"), ("e1", Relation("m"), "e5"))
    names = entities_of(large)
    assert without(large, *names[:4]) not in asked_in_vain(large)
    assert asked_in_vain(large)[0] == without(large, names[0])
    larger = (*large, ("e0", Relation("d"), "e8"))
    names = entities_of(larger)
    assert asked_in_vain(larger)[:2] == [without(larger, *names[:4]), without(larger, *names[4:])]


def test_what_is_left_out_merged_and_made_plainer_of_a_small_graph():
    """No graph is asked about twice: two merges give what was asked before."""
    assert [text(links) for links in asked_in_vain(graph("a = b, b m c, d = a"))] == [
        # without an entity
        "b m c",
        "d = a",
        "a = b, d = a",
        "a = b, b m c",
        # two entities made one
        "a m c, d = a",
        "a = b, b m a, d = a",
        "a = b, b m c, b = a",
        "a = b, b m c, c = a",
        # without a link
        "b m c, d = a",
        # every other choice of links, few entities first
        "",
        "a = b",
        # plainer relations everywhere, then in one place
        "a b b, b m c, d b a",
        "a = b, b b c, d = a",
        "a = b, b = c, d = a",
        "a b b, b m c, d = a",
        "a = b, b m c, d b a",
    ]


def test_all_choices_of_up_to_eight_links_are_tried():
    def choices_of(size):
        links = tuple((f"e{number}", Relation("b"), f"e{number + 1}") for number in range(size))
        return sum(set(asked) <= set(links) for asked in asked_in_vain(links, most=5000))

    assert choices_of(8) == 2**8 - 1
    assert choices_of(9) < 50


def test_six_hundred_questions_are_asked_at_most():
    assert len(asked_in_vain(long_chain(40))) == 600


def test_few_questions_are_spent_on_the_largest_parts():
    """With a limit as low as for an implementation that hangs, most of the graph is gone."""
    small = shrink(long_chain(80), lambda links: "e17" in entities_of(links), most=12)
    assert len(small) < 12


@pytest.mark.parametrize("most", [0, 1, 5])
def test_the_limit_is_kept_and_the_answer_shows_the_fault(most):
    question = Question(lambda links: "e17" in entities_of(links))
    small = shrink(long_chain(40), question, most=most)
    assert len(question.asked) == most
    assert "e17" in entities_of(small)
    assert set(small) <= set(long_chain(40))


def test_every_candidate_is_smaller_or_plainer_than_the_graph():
    question = Question(lambda links: len(links) >= 3)
    links = graph("a o b, b o c, c o d, d o e")
    shrink(links, question)
    for asked in question.asked:
        assert len(asked) <= 4
        assert len(entities_of(asked)) <= 5
        assert asked != links


# --- names -----------------------------------------------------------------------------------------------------------


def test_new_names_are_short_and_never_atoms():
    new = entities_of(renamed(long_chain(8)))
    assert new == ("x", "y", "z", "u", "v", "w", "x6", "x7", "x8")
    assert not set(new) & set(ATOMS)


@pytest.mark.parametrize(
    ("small", "large", "expected"),
    [
        ("", "", True),
        ("", "a b b", True),
        ("a b b", "", False),
        ("p b q", "a b b", True),
        ("p b q", "b bi a", True),
        ("p bi q", "a b b", True),
        ("p b q", "a m b", False),
        ("p b p", "a b a", True),
        ("p b p", "a bi a", True),
        ("p = p, p = p", "a = a", False),
        ("p b p", "a b b", False),
        ("p b p", "a b b, c b c", True),  # the first place does not fit
        ("p b q, q m r", "a b b, c m d, b m e", True),
        ("p b q", "a b a", False),
        ("p b q, p b q", "a b b, a b b", True),
        ("p b q, p b q", "a b b", False),
        ("p b q, p b q", "a b b, c b d", False),
        ("p b q, r b s", "a b b, a b b", False),  # different entities stay different
        ("p b q, q b r", "a b b, b b c", True),
        ("p b q, q b r", "b b c, a b b", True),
        ("p b q, q b r", "a b b, c b b", False),
        ("p b q, p b r", "a b b, c b d, c b e", True),  # the first place that fits is a dead end
        ("p b q, q b p", "a b b, b b a", True),
        ("p b q, q b p", "a b b, b b c", False),
        ("p = q, q m r", "a = b, a m c", True),
        ("p b q, q m r, r o p", "x m y, z b x, y o z", True),
        ("p b q, q m r, r o p", "x m y, z b x, y o w", False),
    ],
)
def test_where_a_graph_occurs_in_another_one(small, large, expected):
    assert occurs_in(graph(small), graph(large)) is expected


def test_a_graph_occurs_in_itself_under_any_names_in_any_order():
    links = graph("a b b, b m c, c o a, d d d, a b d")
    other = with_names(links[::-1], {"a": "d", "d": "a", "b": "new"})
    assert occurs_in(links, other)
    assert occurs_in(other, links)
    assert not occurs_in((*links, links[0]), other)
