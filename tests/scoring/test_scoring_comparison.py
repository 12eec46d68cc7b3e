"""Comparing systems: exact swaps against all swaps in fractions, families, runs, and what is refused."""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from temporacle.errors import UsageError
from temporacle.results import MatchCounts, Score, harmonic_mean
from temporacle.scoring import significance
from temporacle.scoring.metric import Average
from temporacle.scoring.pairs import PairCounts
from temporacle.scoring.reduction import ReductionCounts
from temporacle.scoring.significance import MEASURES, compare, estimates, figure_of, holm, tail


def scored(*counts, empty=0):
    """Scores of documents, from their counts."""
    found = []
    for number, each in enumerate(counts):
        one = each if isinstance(each, MatchCounts | PairCounts | ReductionCounts) else MatchCounts(*each)
        precision, recall = one.precision(empty), one.recall(empty)
        found.append(Score("m", one, precision, recall, harmonic_mean(precision, recall), document=f"d{number}"))
    return found


def random_counts(random, size, *, kind="match", share=Fraction(1)):
    for _ in range(size):
        said, asked = random.randint(0, 6), random.randint(0, 6)
        if kind == "pairs":
            yield PairCounts(random.randint(0, min(said, asked)), said, asked, missing=random.randint(0, 3))
        elif kind == "reduction":
            misses = random.randint(0, asked)
            splits = random.randint(0, asked - misses)
            minor = random.randint(0, 4)
            yield ReductionCounts(
                asked, said, random.randint(0, said), misses, 1, splits, 2, random.randint(0, minor), minor
            )
        else:
            yield MatchCounts(share * random.randint(0, said), said, share * random.randint(0, asked), asked)


def figure(scores, measure, average, empty):
    """The figure of documents, in the simplest way."""
    if average is Average.MACRO:
        return sum(getattr(each, measure) for each in scores) / Fraction(len(scores))
    counts = scores[0].counts
    for each in scores[1:]:
        counts += each.counts
    return figure_of(counts, measure, empty)


def naive_p(first, second, measure, average, empty):
    """All swaps of all documents, one by one, in fractions."""
    seen = abs(figure(first, measure, average, empty) - figure(second, measure, average, empty))
    hits = 0
    for swaps in product((False, True), repeat=len(first)):
        chosen = ((b, a) if swap else (a, b) for swap, a, b in zip(swaps, first, second, strict=True))
        sides = list(zip(*chosen, strict=True))
        hits += abs(figure(sides[0], measure, average, empty) - figure(sides[1], measure, average, empty)) >= seen
    return Fraction(hits, 2 ** len(first))


@pytest.mark.parametrize("kind", ["match", "pairs", "reduction"])
@pytest.mark.parametrize("average", list(Average))
@pytest.mark.parametrize("empty", [0, 1])
def test_p_is_the_share_of_all_swaps(kind, average, empty):
    random = Random(f"{kind} {average} {empty}")
    for case in range(8):
        share = Fraction(1, random.choice([1, 2, 3]))
        size = random.randint(1, 7)
        first, second = (scored(*random_counts(random, size, kind=kind, share=share), empty=empty) for _ in range(2))
        if case % 2:  # the same answers to some documents
            second[: size // 2] = first[: size // 2]
        found = compare([first], [second], average=average, empty=empty)
        assert found.method == "swap-exact"
        for each in found.differences:
            assert each.observed == figure(first, each.measure, average, empty) - figure(
                second, each.measure, average, empty
            )
            assert each.p_value == naive_p(first, second, each.measure, average, empty)
            assert each.p_value >= found.smallest_p


def test_counts_beside_the_figures_do_not_make_a_document_differ():
    first = scored(PairCounts(1, 2, 3, missing=1), PairCounts(2, 2, 2))
    second = scored(PairCounts(1, 2, 3, missing=2), PairCounts(1, 2, 2))
    assert compare([first], [second], average=Average.MICRO, empty=0).differing == 1


@pytest.mark.parametrize("average", list(Average))
def test_huge_counts_are_compared_exactly(average):
    huge = 10**30
    first = scored((huge - 1, huge, 1, 3), (huge, huge + 2, 1, 2), (1, huge, 1, 5))
    second = scored((1, huge, 1, 3), (1, huge + 2, 2, 2), (huge - 1, huge, 1, 5))
    found = compare([first], [second], average=average, empty=0)
    assert [each.p_value for each in found.differences] == [
        naive_p(first, second, measure, average, 0) for measure in MEASURES
    ]


@pytest.mark.parametrize("average", list(Average))
def test_drawn_swaps_are_those_of_the_seed(average):
    """More than 20 documents that differ: the same draws, added up one by one, and near the exact share."""
    random = Random(5)
    first, second = (scored(*random_counts(random, 24)) for _ in range(2))
    found = compare([first], [second], average=average, empty=0, resamples=99, seed=3)
    assert (found.method, found.smallest_p) == ("swap-99-seed3", Fraction(1, 100))
    assert found == compare([first], [second], average=average, empty=0, resamples=99, seed=3)
    places = [k for k in range(24) if first[k].counts != second[k].counts]
    assert len(places) == found.differing > 20
    draws = np.random.default_rng(3).integers(0, 2, (99, len(places)))
    for each in found.differences:
        hits = 0
        for row in draws:
            sides = [list(first), list(second)]
            for place, swap in zip(places, row, strict=True):
                if swap:
                    sides[0][place], sides[1][place] = second[place], first[place]
            one, two = (figure(side, each.measure, average, 0) for side in sides)
            hits += abs(one - two) >= abs(each.observed)
        assert each.p_value == Fraction(hits + 1, 100)


def test_drawn_p_is_near_the_exact_one(monkeypatch):
    random = Random(8)
    first, second = (scored(*random_counts(random, 16)) for _ in range(2))
    exact = compare([first], [second], average=Average.MICRO, empty=0)
    monkeypatch.setattr(significance, "_MOST_SWAPPED", 0)
    drawn = compare([first], [second], average=Average.MICRO, empty=0)
    assert drawn.method == "swap-9999-seed0"
    for one, two in zip(exact.differences, drawn.differences, strict=True):
        assert float(one.p_value) == pytest.approx(float(two.p_value), abs=0.025)  # five standard errors


def test_swapping_the_systems_changes_the_sign():
    random = Random(2)
    first, second = (scored(*random_counts(random, 9)) for _ in range(2))
    there, back = (
        compare([one], [two], average=Average.MICRO, empty=0) for one, two in ((first, second), (second, first))
    )
    for one, two in zip(there.differences, back.differences, strict=True):
        assert (one.observed, one.p_value, one.low) == (-two.observed, two.p_value, -two.high)


def test_a_system_does_not_differ_from_itself():
    scores = scored(*random_counts(Random(1), 8))
    found = compare([scores], [scores], average=Average.MICRO, empty=0)
    assert found.differing == 0
    assert not found.notes()
    for each in found.differences:
        assert (each.observed, each.p_value, each.interval) == (0, 1, None)
        assert each.reason.startswith("no variation in 8 documents")


def test_nothing_in_common_is_refused():
    with pytest.raises(UsageError, match="no scored document in common"):
        compare([scored((1, 1, 1, 1))], [[]], average=Average.MICRO, empty=0)


def test_what_p_cannot_reach_is_said():
    first, second = scored(*[(2, 2, 2, 2)] * 5), scored(*[(1, 2, 1, 2)] * 5)
    found = compare([first], [second], average=Average.MICRO, empty=0)
    assert found.of("f1").p_value == found.smallest_p == Fraction(1, 16)
    assert found.notes() == ["5 documents differ: p cannot be below 0.0625"]
    first, second = scored(*[(2, 2, 2, 2)] * 6), scored(*[(1, 2, 1, 2)] * 6)
    found = compare([first], [second], average=Average.MICRO, empty=0)
    assert not found.notes()
    assert found.in_family("all-pairs/holm", 3, Fraction(3, 32)).notes() == [
        "6 documents differ, 3 comparisons: the adjusted p cannot be below 0.09375"
    ]


def test_holm_keeps_fractions_and_order():
    assert holm([]) == []
    assert holm([Fraction(1, 100), Fraction(4, 100), Fraction(3, 100)]) == [
        Fraction(3, 100),
        Fraction(6, 100),
        Fraction(6, 100),
    ]
    assert holm([0.9, Fraction(1, 2)]) == [1, 1]
    random = Random(4)
    for _ in range(50):
        values = [Fraction(random.randint(1, 64), 64) for _ in range(random.randint(1, 6))]
        found = holm(values)
        for place, value in enumerate(values):  # the definition: the largest of all smaller ones, each times its number
            below = sorted(each for k, each in enumerate(values) if (each, k) <= (value, place))
            assert found[place] == max(min(1, (len(values) - rank) * each) for rank, each in enumerate(below))


# --- runs -------------------------------------------------------------------------------------------------------------


def test_documents_and_runs_together():
    """The formulas once more, in the simplest way."""
    random = Random(6)
    runs = [[scored(*random_counts(random, 8)) for _ in range(size)] for size in (3, 2)]
    found = compare(*runs, average=Average.MICRO, empty=0)
    assert (found.method, found.smallest_p) == ("documents+runs", None)

    def means(leave_out):
        return [
            sum(figure([s for k, s in enumerate(run) if k != leave_out], "f1", Average.MICRO, 0) for run in side)
            / Fraction(len(side))
            for side in runs
        ]

    theta = means(None)[0] - means(None)[1]
    variance = float(sum((means(k)[0] - means(k)[1] - theta) ** 2 for k in range(8)) * Fraction(7, 8))
    between = [
        np.var([float(figure(run, "f1", Average.MICRO, 0)) for run in side], ddof=1) / len(side) for side in runs
    ]
    weights = [
        sum(
            Fraction(run[k].counts.system_size() + run[k].counts.gold_size(), len(side))
            for side in runs
            for run in side
        )
        for k in range(8)
    ]
    total = variance + sum(between)
    df = total**2 / (variance**2 / significance.degrees_of_freedom(weights) + between[0] ** 2 / 2 + between[1] ** 2 / 1)
    f1 = found.of("f1")
    assert f1.observed == theta
    assert (f1.df, f1.error**2) == (pytest.approx(df), pytest.approx(total))
    assert f1.p_value == pytest.approx(2 * tail(abs(float(theta)) / total**0.5, df))


def test_runs_that_agree_add_nothing():
    scores = scored(*random_counts(Random(7), 8))
    one, two = estimates([scores]), estimates([scores, scores])
    assert one == two


def test_runs_on_few_documents_have_no_p():
    first, second = scored((2, 2, 2, 2)), scored((1, 2, 1, 2))
    f1 = compare([first, first], [second, second], average=Average.MICRO, empty=0).of("f1")
    assert (f1.p_value, f1.interval, f1.reason) == (None, None, "too few documents (1) for an interval")
    assert compare([first, first], [first], average=Average.MICRO, empty=0).of("f1").p_value == 1
