"""Alignment by spans: own ids, moved text, overlaps, creation times."""

import pytest

from temporacle.errors import InputError, UsageError
from temporacle.model import Body, Document, Entity, Kind, Link
from temporacle.relation import Relation
from temporacle.results import Unmatched
from temporacle.scoring.alignment import align_by_spans, ids_look_aligned
from temporacle.tasks.score import score

TEXT = "The ferry left at noon and the old ferry docked late on Monday ."


def entity(name, words, kind=Kind.EVENT, text=TEXT, **more):
    start = text.index(words)
    return Entity(name, kind, words, ((start, start + len(words)),), **more)


def document(entities, links=(), text=TEXT, name="d"):
    made = tuple(Link(f"l{k}", s, Relation.of(atom), t, label=atom) for k, (s, atom, t) in enumerate(links))
    return Document(name, made, tuple(each.id for each in entities), body=Body(tuple(entities), text))


GOLD = document(
    [
        entity("e1", "left"),
        entity("e2", "docked"),
        entity("t1", "late on Monday", Kind.TIME),
        Entity("t0", Kind.TIME, value="2020-01-01", is_dct=True),
    ],
    [("e1", "b", "e2"), ("e2", "d", "t1"), ("e2", "b", "t0")],
)


def test_equal_spans_overlaps_and_creation_times_are_matched():
    system = document(
        [
            entity("x7", "left"),
            entity("x8", "docked late"),
            entity("x9", "Monday", Kind.TIME),
            Entity("x0", Kind.TIME, is_dct=True),
        ],
        [("x7", "b", "x8"), ("x8", "d", "x9"), ("x8", "b", "x0")],
    )
    aligned = align_by_spans(GOLD, system)
    assert [(link.source, link.target) for link in aligned.system.links] == [("e1", "e2"), ("e2", "t1"), ("e2", "t0")]
    assert aligned.unmatched.gold == aligned.unmatched.system == ()
    assert score(GOLD, system, align="spans").f1 == 1


def test_blanks_do_not_matter_and_changed_words_cost_only_their_entities():
    moved = "\n  " + TEXT.replace(" ", " \r\n ")
    system = document([entity("a", "left", text=moved), entity("b", "docked", text=moved)], text=moved)
    assert not align_by_spans(GOLD, system).texts_differ
    assert align_by_spans(GOLD, system).unmatched.system == ()
    other = TEXT.replace("docked", "arrived")
    system = document([entity("a", "left", text=other), entity("b", "arrived", text=other)], text=other)
    aligned = align_by_spans(GOLD, system)
    assert (aligned.texts_differ, aligned.unmatched.system) == (True, ("b",))
    assert aligned.unmatched.gold == ("e2", "t1", "t0")


def test_kinds_are_never_mixed():
    system = document([entity("a", "left", Kind.TIME)], [("a", "b", "a")])
    aligned = align_by_spans(GOLD, system)
    assert aligned.unmatched.system == ("a",)


def test_unmatched_entities_get_names_that_gold_does_not_have():
    """The system's e2 is another event than gold's e2: it must not be taken for it."""
    system = document([entity("e2", "left"), entity("e1", "ferry")], [("e2", "b", "e1")])
    aligned = align_by_spans(GOLD, system)
    assert aligned.system.links[0].source == "e1"
    assert aligned.system.links[0].target not in {"e1", "e2", "t0", "t1"}


def test_the_larger_overlap_wins_and_nothing_is_matched_twice():
    larger = document([entity("part", "dock"), entity("wide", "ferry docked late")])
    assert align_by_spans(GOLD, larger).unmatched.system == ("part",)
    equal = document([entity("wide", "ferry docked late"), entity("near", "docked l")])
    assert align_by_spans(GOLD, equal).unmatched.system == ("wide",)
    exact = document([entity("wide", "ferry docked late"), entity("same", "docked")])
    assert align_by_spans(GOLD, exact).unmatched.system == ("wide",)


def test_several_instances_of_one_event_are_matched_in_order():
    twice = document([entity("ei1", "left"), entity("ei2", "left")])
    system = document([entity("p", "left"), entity("q", "left")], [("q", "b", "p")])
    link = align_by_spans(twice, system).system.links[0]
    assert (link.source, link.target) == ("ei2", "ei1")


def test_documents_without_spans_cannot_be_aligned():
    bare = Document("d", (), ("a",), body=Body((Entity("a", Kind.EVENT),)))
    with pytest.raises(InputError, match="align='ids'"):
        align_by_spans(GOLD, bare)


def test_ids_that_do_not_look_aligned_are_warned_about():
    stranger = document([entity("x", "left"), entity("y", "docked")], [("x", "b", "y")])
    assert not ids_look_aligned(GOLD, stranger)
    assert ids_look_aligned(GOLD, GOLD)
    with pytest.raises(UsageError, match=r"no entity id in common.*align='spans'"):
        score(GOLD, stranger)


def test_what_has_no_span_is_not_matched_and_does_not_matter():
    """Neither a document without entities, nor one that has only a creation time, nor some entities without spans."""
    bare = [Entity("z", Kind.EVENT), entity("l", "left")]
    aligned = align_by_spans(document([*bare, Entity("y", Kind.EVENT)]), document(bare))
    assert aligned.unmatched == Unmatched(("z", "y"), ("z",))
    assert align_by_spans(document([]), document([])).unmatched == Unmatched((), ())
    creation = document([Entity("t0", Kind.TIME, is_dct=True)])
    assert align_by_spans(creation, creation).unmatched == Unmatched((), ())


def test_entities_of_no_width_are_matched_by_their_place():
    """TimeML has times without words, between two words."""

    def at(name, place, kind=Kind.TIME):
        return Entity(name, kind, "", ((place, place),))

    gold = document([at("g1", 3), at("g2", 9), at("g3", 15)])
    system = document([at("s1", 9), at("s2", 3), at("s3", 5), at("s4", 15, Kind.EVENT)], [("s1", "b", "s2")])
    aligned = align_by_spans(gold, system)
    assert aligned.unmatched == Unmatched(("g3",), ("s3", "s4"))
    assert (aligned.system.links[0].source, aligned.system.links[0].target) == ("g2", "g1")


def test_everything_in_the_document_is_renamed():
    system = document([entity("x", "left"), entity("ghost", "ferry")], [("x", "b", "ghost")])
    aligned = align_by_spans(GOLD, system).system
    assert [each.id for each in aligned.entities] == list(aligned.entity_ids) == ["e1", "system:ghost"]
    assert [each.spans for each in aligned.entities] == [each.spans for each in system.entities]
    assert aligned.text == TEXT
    assert (aligned.id, aligned.links[0].relation) == ("d", Relation.of("b"))


@pytest.mark.parametrize("declared", [True, False])
def test_new_names_avoid_all_names_of_gold(declared):
    """Whether gold only declares the name, or has an entity by it."""
    taken = ["system:ghost"]
    body = Body((entity("e1", "left"),) if declared else (entity("e1", "left"), entity(*taken, "docked")), TEXT)
    gold = Document("d", (), ("e1", *(taken if declared else ())), body=body)
    system = document([entity("ghost", "ferry"), entity("x", "left")])
    assert align_by_spans(gold, system).system.entity_ids == ("system:system:ghost", "e1")


def test_one_entity_that_overlaps_two_is_taken_once():
    gold = document([entity("g1", "old ferry docked"), entity("g2", "docked late")])
    system = document([entity("s", "ferry docked late")])
    assert align_by_spans(gold, system).unmatched == Unmatched(("g2",), ())  # it shares more with the first
    same = document([entity("g1", "late on"), entity("g2", "docked late")])
    assert align_by_spans(same, document([entity("s", "late")])).unmatched == Unmatched(("g2",), ())  # which is shorter


def test_positions_without_texts():
    """Some formats give offsets and no text: they are compared as they are."""
    gold = document([entity("g", "left")], text=None)
    system = document([entity("s", "left"), entity("other", "noon")], text=None)
    assert align_by_spans(gold, system).unmatched == Unmatched((), ("other",))
    for one, two in ((gold, GOLD), (GOLD, gold)):  # nothing can be said about the difference of the texts
        assert not align_by_spans(one, two).texts_differ


def test_the_first_character_counts():
    gold, moved = "A b", "   A b"
    system = document([entity("s", "A", text=moved)], text=moved)
    assert align_by_spans(document([entity("g", "A", text=gold)], text=gold), system).unmatched == Unmatched((), ())


def test_only_words_that_both_texts_share_have_a_place():
    gold_text, system_text = "one two three four five six", "zero one two XX four five YY six"
    gold = document([entity(f"g {word}", word, text=gold_text) for word in gold_text.split()], text=gold_text)

    def partners(*words):
        system = document([entity(word, word, text=system_text) for word in words], text=system_text)
        aligned = align_by_spans(gold, system)
        assert aligned.texts_differ
        return aligned.system.entity_ids

    shared = ["one", "two", "four", "five", "six"]
    assert partners(*shared) == tuple(f"g {word}" for word in shared)
    for word in shared:
        assert partners(word) == (f"g {word}",)
    odd = ["zero", "XX", "YY", "two XX", "XX four", "zero one", "five YY six"]
    for words in odd:
        aligned = align_by_spans(gold, document([entity("s", words, text=system_text)], text=system_text))
        assert aligned.unmatched.system == ("s",), words
    both = document([entity("s", "four five", text=system_text)], text=system_text)
    assert align_by_spans(gold, both).unmatched.system == ()


def test_the_first_word_of_a_changed_text_has_a_place():
    system = document([entity("s", "A", text="x A b")], text="x A b")
    assert align_by_spans(document([entity("g", "A", text="A b c")], text="A b c"), system).unmatched == Unmatched()
    system = document([entity("s", "A", text="A b c")], text="A b c")
    assert align_by_spans(document([entity("g", "A", text="x A b")], text="x A b"), system).unmatched == Unmatched()


def test_words_that_occur_very_often_have_a_place_too():
    gold_text, system_text = "ferry " + "la " * 250, "boats " + "la " * 250
    gold = document([Entity("g", Kind.EVENT, "la", ((30, 32),))], text=gold_text)
    system = document([Entity("s", Kind.EVENT, "la", ((30, 32),))], text=system_text)
    assert align_by_spans(gold, system).unmatched == Unmatched()


def test_entities_without_counterpart_stay_apart_whatever_they_are_called():
    gold = document([entity("system:x", "left")])
    system = document([entity("x", "docked"), entity("system:x", "late", Kind.TIME)], [("x", "b", "system:x")])
    link = align_by_spans(gold, system).system.links[0]
    assert len({link.source, link.target, "system:x"}) == 3
