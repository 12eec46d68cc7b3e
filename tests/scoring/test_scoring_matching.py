"""Matchings of largest weight against all matchings, and alignment that is the same both ways."""

from itertools import permutations
from random import Random

import pytest

from temporacle.model import Body, Document, Entity, Kind
from temporacle.results import Unmatched
from temporacle.scoring import alignment
from temporacle.scoring.alignment import align_by_spans, best_matching, matched_entities

WORDS = ["the", "ferry", "left", "at", "noon", "and", "docked", "late", "on", "monday", "while", "it", "rained"]
KINDS = [Kind.EVENT, Kind.TIME, Kind.UNKNOWN]


def naive_best(weights):
    """The largest weight of all matchings."""
    rows, columns = sorted({row for row, _ in weights}), sorted({column for _, column in weights})
    best = 0
    padded = [*columns, *([None] * len(rows))]
    for chosen in set(permutations(padded, len(rows))):
        best = max(best, sum(weights.get(pair, 0) for pair in zip(rows, chosen, strict=True)))
    return best


def test_the_best_matching_is_as_good_as_the_best_of_all():
    rng = Random(5)
    for _ in range(300):
        size = rng.randint(1, 4)
        weights = {
            (row, column): rng.choice([1, 2, 3, 10**30])
            for row in range(size)
            for column in range(rng.randint(1, 4))
            if rng.random() < 0.7
        }
        found = best_matching(weights)
        assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)
        assert set(found) <= set(weights)
        assert sum(weights[pair] for pair in found) == naive_best(weights)


def random_side(rng, words, most=6):
    text = " ".join(words)
    entities = []
    for number in range(rng.randint(0, most)):
        start = rng.randrange(len(text))
        spans = ((start, min(len(text), start + rng.randint(0, 9))),) if rng.random() < 0.95 else ()
        entities.append(Entity(f"e{number}", rng.choice(KINDS), spans=spans, is_dct=rng.random() < 0.05))
    return Document("d", (), body=Body(tuple(entities), text))


def changed(rng, words):
    kept = [word for word in words if rng.random() < 0.95] or words
    return [rng.choice(["now", "then", word]) if rng.random() < 0.2 else word for word in kept]


@pytest.mark.parametrize("same_text", [True, False])
def test_alignment_is_the_same_both_ways(same_text):
    rng = Random(11)
    matched = 0
    for _ in range(2000):
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 12))]
        first, second = random_side(rng, words), random_side(rng, words if same_text else changed(rng, words))
        there, back = matched_entities(first, second), matched_entities(second, first)
        assert sorted(there.pairs) == sorted((a, b) for b, a in back.pairs)
        assert there.texts_differ == back.texts_differ
        matched += len(there.pairs)
    assert matched > 1000


def test_a_document_is_aligned_with_itself():
    rng = Random(3)
    for _ in range(500):
        side = random_side(rng, [rng.choice(WORDS) for _ in range(8)])
        placed = {entity.id for entity in side.entities if entity.is_dct or entity.spans}
        assert set(matched_entities(side, side).pairs) == {(name, name) for name in placed}


def test_large_groups_are_matched_pair_by_pair_and_the_same_both_ways(monkeypatch):
    monkeypatch.setattr(alignment, "_LARGEST_GROUP", 0)
    rng = Random(4)
    for _ in range(300):
        words = [rng.choice(WORDS) for _ in range(6)]
        first, second = random_side(rng, words), random_side(rng, words)
        there, back = matched_entities(first, second), matched_entities(second, first)
        assert sorted(there.pairs) == sorted((a, b) for b, a in back.pairs)


def test_equal_spans_match_though_one_side_does_not_state_the_kind():
    text = "It rose and fell"
    known = Document("d", (), body=Body((Entity("e1", Kind.EVENT, spans=((3, 7),)),), text))
    unknown = Document("d", (), body=Body((Entity("x", Kind.UNKNOWN, spans=((3, 7),)),), text))
    other = Document("d", (), body=Body((Entity("t", Kind.TIME, spans=((3, 7),)),), text))
    assert matched_entities(known, unknown).pairs == (("e1", "x"),)
    assert matched_entities(known, other).pairs == ()
    assert align_by_spans(known, unknown).unmatched == Unmatched()


def test_overlaps_are_matched_so_that_nothing_is_left_over():
    """Largest overlap first would leave two entities alone."""
    text = "abcdefghij"
    gold = Document(
        "d",
        (),
        body=Body((Entity("long", Kind.EVENT, spans=((0, 6),)), Entity("late", Kind.EVENT, spans=((4, 9),))), text),
    )
    system = Document(
        "d",
        (),
        body=Body((Entity("mid", Kind.EVENT, spans=((2, 9),)), Entity("early", Kind.EVENT, spans=((0, 3),))), text),
    )
    assert set(matched_entities(gold, system).pairs) == {("long", "early"), ("late", "mid")}
