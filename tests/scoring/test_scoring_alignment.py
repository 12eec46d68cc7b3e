"""Alignment by spans: own ids, moved text, overlaps, creation times."""

import pytest

from temporacle.corpus import ids_look_aligned, score
from temporacle.errors import InputError
from temporacle.model import Body, Document, Entity, Kind, Link
from temporacle.relation import Relation
from temporacle.scoring.alignment import align_by_spans

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
    with pytest.raises(InputError, match="--align ids"):
        align_by_spans(GOLD, bare)


def test_ids_that_do_not_look_aligned_are_warned_about():
    stranger = document([entity("x", "left"), entity("y", "docked")], [("x", "b", "y")])
    assert not ids_look_aligned(GOLD, stranger)
    assert ids_look_aligned(GOLD, GOLD)
    warnings = score(GOLD, stranger).documents[0].warnings
    assert "ids do not look aligned" in warnings[0]
