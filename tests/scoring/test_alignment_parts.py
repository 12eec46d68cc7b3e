"""The steps of an alignment by spans, one by one: weights, groups, positions, creation times."""

from itertools import product
from random import Random

import pytest

from temporacle.model import Body, Document, Entity, Kind
from temporacle.scoring import alignment
from temporacle.scoring.alignment import align_by_spans, best_matching, matched_entities
from temporacle.scoring.official.tempeval3.scores import harmonic_mean, percent, ratio, round6, text

TEXT = "the ferry left at noon and docked late"


def entity(name, start, end, kind=Kind.EVENT, **more):
    return Entity(name, kind, spans=((start, end),), **more)


def document(*entities, words=TEXT):
    return Document("d", (), body=Body(entities, words))


def pairs(first, second):
    """The matched entities, the same both ways."""
    found = matched_entities(first, second).pairs
    assert sorted((b, a) for a, b in matched_entities(second, first).pairs) == sorted(found)
    return sorted(found)


# --- creation times ---------------------------------------------------------------------------------------------------


def test_creation_times_are_the_same_wherever_they_stand():
    first = document(entity("t0", 0, 3, Kind.TIME, is_dct=True), entity("e1", 4, 9))
    second = document(entity("dct", 18, 22, Kind.TIME, is_dct=True), entity("x", 4, 9))
    assert pairs(first, second) == [("e1", "x"), ("t0", "dct")]


def test_a_matched_creation_time_is_not_matched_again():
    first = document(entity("t0", 18, 22, Kind.TIME, is_dct=True), entity("t1", 18, 22, Kind.TIME))
    second = document(entity("dct", 18, 22, Kind.TIME, is_dct=True), entity("x", 18, 22, Kind.TIME))
    assert pairs(first, second) == [("t0", "dct"), ("t1", "x")]
    alone = document(entity("dct", 18, 22, Kind.TIME, is_dct=True))
    assert pairs(first, alone) == [("t0", "dct")]


def test_a_creation_time_without_a_counterpart_is_matched_by_its_place():
    first = document(entity("t0", 18, 22, Kind.TIME, is_dct=True))
    second = document(entity("x", 18, 22, Kind.TIME))
    assert pairs(first, second) == [("t0", "x")]


def test_values_of_times_are_those_of_the_renamed_entities():
    first = document(entity("t1", 18, 22, Kind.TIME))
    known = Document("d", (), body=Body((entity("x", 18, 22, Kind.TIME),), TEXT), known_times=(entity("x", 18, 22),))
    assert align_by_spans(first, known).system.known_times is None


# --- weights ----------------------------------------------------------------------------------------------------------


def matchings(candidates):
    """Every choice of pairs without a common entity."""
    found = [[]]
    for pair in candidates:
        found += [[*chosen, pair] for chosen in found if all(pair[0] != a and pair[1] != b for a, b in chosen)]
    return found


def test_sums_of_weights_compare_level_by_level():
    rng = Random("levels")
    for _ in range(25):
        levels = {
            pair: tuple(rng.randint(0, 3) for _ in range(3))
            for pair in product(range(3), range(3))
            if rng.random() < 0.7
        }
        weights = alignment._combined(levels, 3)
        assert weights.keys() == levels.keys()
        ranked = [
            (
                tuple(map(sum, zip(*(levels[pair] for pair in chosen), strict=True))),
                sum(weights[pair] for pair in chosen),
            )
            for chosen in matchings(levels)
            if chosen
        ]
        order = sorted(ranked)
        assert [total for _, total in order] == sorted(total for _, total in ranked)
        assert all((one[0] == other[0]) == (one[1] == other[1]) for one in ranked for other in ranked)


def sides(first, second):
    positions, _ = alignment._positions(first.text, second.text)
    return [alignment._Side(each, position) for each, position in zip((first, second), positions, strict=True)]


def test_weights_are_the_same_with_the_sides_exchanged():
    first = document(entity("a", 4, 9), entity("b", 4, 14, Kind.UNKNOWN))
    second = document(entity("x", 4, 9), entity("y", 5, 9), entity("z", 0, 9))
    one, other = sides(first, second)
    there = alignment._weights(one, other, (set(), set()))
    back = alignment._weights(other, one, (set(), set()))
    assert there == {(a, b): weight for (b, a), weight in back.items()}
    assert len(there) == 6


def test_equal_entities_are_matched_in_their_order():
    first = document(*(entity(name, 4, 9) for name in "abc"))
    second = document(*(entity(name, 4, 9) for name in "xyz"))
    assert pairs(first, second) == [("a", "x"), ("b", "y"), ("c", "z")]
    weights = alignment._weights(*sides(first, second), (set(), set()))
    assert weights[0, 0] + weights[1, 1] > weights[0, 1] + weights[1, 0]


@pytest.mark.parametrize(
    ("others", "chosen"),
    [
        ([entity("x", 4, 9), entity("y", 4, 14)], "x"),  # the same span
        ([entity("x", 4, 6), entity("y", 5, 9)], "y"),  # more characters shared
        ([entity("x", 4, 8, Kind.UNKNOWN), entity("y", 5, 9)], "y"),  # the same kind
        ([entity("x", 0, 8), entity("y", 5, 9)], "y"),  # the shorter one
        ([entity("x", 5, 9), entity("y", 4, 8)], "x"),  # the first
        ([entity("x", 4, 9, Kind.TIME), entity("y", 8, 14)], "y"),  # kinds that differ are never matched
    ],
    ids=["span", "characters", "kind", "length", "order", "other kind"],
)
def test_which_of_two_candidates_is_taken(others, chosen):
    assert pairs(document(entity("e", 4, 9)), document(*others)) == [("e", chosen)]


def test_spans_of_no_width_match_their_like():
    assert pairs(document(entity("a", 4, 4)), document(entity("x", 4, 4), entity("y", 4, 9))) == [("a", "x")]
    assert pairs(document(Entity("a", Kind.EVENT)), document(Entity("x", Kind.EVENT))) == []


# --- groups -----------------------------------------------------------------------------------------------------------


def test_groups_are_connected_by_common_entities():
    weights = dict.fromkeys([(0, 0), (1, 1), (0, 2), (3, 2), (4, 1), (5, 5)], 1)
    found = sorted(sorted(group) for group in alignment._groups(weights))
    assert found == [[(0, 0), (0, 2), (3, 2)], [(1, 1), (4, 1)], [(5, 5)]]


def test_large_groups_are_matched_pair_by_pair():
    weights = {(0, 0): 5, (0, 1): 4, (1, 0): 4, (1, 1): 1, (2, 1): 1}
    assert sorted(alignment._greedy(weights)) == [(0, 0), (1, 1)]
    assert sorted(alignment._greedy({(0, 0): 1, (0, 1): 1, (1, 0): 2})) == [(0, 1), (1, 0)]
    assert best_matching({(0, 0): 5, (0, 1): 4, (1, 0): 4}) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(("largest", "methods"), [(1, ["greedy"]), (2, ["best"]), (3, ["best"])])
@pytest.mark.parametrize("start", [0, 4])  # which side is looked at first depends on it
def test_the_size_of_a_group_is_that_of_its_larger_side(monkeypatch, largest, methods, start):
    used = []
    monkeypatch.setattr(alignment, "_LARGEST_GROUP", largest)
    for name, function in (("best_matching", "best"), ("_greedy", "greedy")):
        monkeypatch.setattr(alignment, name, lambda weights, function=function: used.append(function) or [])
    first, second = document(entity("a", 4, 9)), document(entity("x", start, 9), entity("y", 5, 9))
    matched_entities(first, second)
    assert used == methods


@pytest.mark.parametrize(("number", "methods"), [(100, ["best"]), (101, ["greedy"])])
def test_groups_of_up_to_a_hundred_entities_are_matched_best(monkeypatch, number, methods):
    used = []
    for name, function in (("best_matching", "best"), ("_greedy", "greedy")):
        monkeypatch.setattr(alignment, name, lambda weights, function=function: used.append(function) or [])
    matched_entities(document(entity("a", 4, 9)), document(*(entity(f"x{k}", 4, 9) for k in range(number))))
    assert used == methods


# --- positions --------------------------------------------------------------------------------------------------------


def where(first, second, span, other_span):
    """Common positions of a span of the first text and of one of the second."""
    (one, other), differ = alignment._positions(first, second)
    return one(span), other(other_span), differ


def test_blanks_do_not_count():
    assert where("a bc", "a\n\n bc", (2, 4), (4, 6)) == ((1, 3), (1, 3), False)
    assert where("ab", "ab", (0, 99), (99, 99)) == ((0, 2), (2, 2), False)


def test_without_a_text_spans_are_taken_as_they_are():
    assert where(None, "a bc", (2, 4), (2, 4)) == ((2, 4), (1, 3), False)
    assert where("a bc", None, (2, 4), (2, 4)) == ((1, 3), (2, 4), False)


def test_equal_stretches_of_different_texts_have_the_same_positions():
    first, second = "the ferry left late", "well then the ferry left early"
    assert where(first, second, (4, 9), (14, 19)) == ((3, 8), (3, 8), True)
    assert where(second, first, (14, 19), (4, 9)) == ((11, 16), (11, 16), True)
    assert where(first, second, (10, 14), (20, 24)) == ((8, 12), (8, 12), True)
    # What only one of the texts has, and what goes beyond an equal stretch, has no position.
    assert where(first, second, (15, 19), (0, 4)) == (None, None, True)
    assert where(first, second, (10, 19), (5, 13)) == (None, None, True)


def test_entities_of_different_texts_are_matched_in_equal_stretches():
    first = document(entity("a", 4, 9), entity("b", 15, 19), words="the ferry left late")
    second = document(entity("x", 14, 19), entity("y", 0, 4), words="well then the ferry left early")
    assert pairs(first, second) == [("a", "x")]


def test_positions_behind_a_shorter_text():
    first, second = "oh well the ferry", "the ferry"
    assert where(first, second, (12, 17), (4, 9)) == ((9, 14), (9, 14), True)


def test_the_order_of_two_texts_decides_and_not_the_order_of_the_sides():
    """Equal stretches depend on which text comes first, so they are always looked for in one order."""
    rng = Random("texts")
    for _ in range(60):
        words = [[rng.choice(["a", "b", "c"]) for _ in range(rng.randint(2, 7))] for _ in range(2)]
        spans = [(2 * k, 2 * k + 1) for k in range(2)]
        first, second = (
            document(*(entity(f"{name}{k}", *span) for k, span in enumerate(spans)), words=" ".join(side))
            for name, side in zip("xy", words, strict=True)
        )
        pairs(first, second)


# --- numbers as the official programs print them ----------------------------------------------------------------------


def test_large_numbers_are_rounded_exactly():
    assert round6(1e25) == 1e25
    assert round6(-1 / 128) == -0.007813
    assert percent(1 / 3) == 100 * 0.333333


def test_ratios_and_means_of_nothing():
    assert (ratio(1, 4), ratio(3, 0)) == (0.25, 0.0)
    assert (harmonic_mean(0.5, 1), harmonic_mean(0, 0)) == (2 / 3, 0.0)
    assert (text(0.5), text(1e20), text(7)) == ("0.5", "1e+20", "7.0")
