"""Intervals of one system: against a naive twin, and what must hold of every interval."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from temporacle.results import MatchCounts, Score, harmonic_mean
from temporacle.scoring.comparison import compare
from temporacle.scoring.intervals import SAMPLES, DocumentFigures, f1_interval
from temporacle.scoring.options import Average


def score_of(counts, name="d"):
    precision, recall = counts.precision(0), counts.recall(0)
    return Score("awareness", counts, precision, recall, harmonic_mean(precision, recall), "", document=name)


def random_scores(random, number):
    for _ in range(number):
        said, asked = random.randint(0, 9), random.randint(0, 9)
        parts = (Fraction(random.randint(0, 3 * whole), 3) for whole in (said, asked))
        matched, found = parts
        yield score_of(MatchCounts(matched, said, found, asked))


def naive(scores, samples, seed):
    """Documents are drawn one by one and their counts added up."""
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(samples):
        counts = MatchCounts()
        for position in random.integers(0, len(scores), len(scores)):
            counts += scores[position].counts
        drawn.append(score_of(counts).f1)
    drawn.sort()
    outside = samples // 40
    return drawn[outside], drawn[-1 - outside]


@pytest.mark.parametrize("seed", range(10))
def test_intervals_are_those_of_documents_drawn_one_by_one(seed):
    scores = list(random_scores(Random(seed), 2 + 3 * seed))
    assert f1_interval(scores, samples=200, seed=seed) == naive(scores, 200, seed)


def test_counts_beyond_64_bits_are_added_up_exactly():
    huge = 10**30
    scores = [score_of(MatchCounts(huge, huge + 1, huge, huge)), score_of(MatchCounts(0, huge, 1, huge))]
    assert f1_interval(scores, samples=40, seed=1) == naive(scores, 40, 1)


@pytest.mark.parametrize("seed", range(10))
def test_equal_documents_have_an_interval_without_width(seed):
    score = next(random_scores(Random(seed), 1))
    assert f1_interval([score] * 5, seed=seed) == (score.f1, score.f1)


def test_fewer_than_two_documents_have_no_interval():
    assert f1_interval([]) is None
    assert f1_interval(list(random_scores(Random(0), 1))) is None


@pytest.mark.parametrize(("largest", "documents", "fits"), [
    ((1 << 62) - 1, 1, True),
    (1 << 62, 1, False),
    ((1 << 60) - 1, 4, True),
    (1 << 60, 4, False),
    (5, 4, True),
])  # fmt: skip
def test_sums_use_machine_numbers_only_if_they_fit(largest, documents, fits):
    scores = [score_of(MatchCounts(1, 2, 1, largest))] * documents
    figures = DocumentFigures((scores, scores), Average.MICRO, 0)
    assert (figures.first.dtype == np.int64) is fits
    assert figures.first.tolist() == figures.second.tolist() == [[1, 2, 1, largest]] * documents


def test_a_common_denominator_counts_too():
    scores = [score_of(MatchCounts(Fraction(1, 1 << 31), 1 << 31, 1, 1))]
    figures = DocumentFigures((scores, scores), Average.MICRO, 0)
    assert figures.first.dtype == np.int64  # of each column on its own
    scores = [score_of(MatchCounts(Fraction((1 << 62) + 1, 1 << 31), 1 << 32, 1, 1))]
    assert DocumentFigures((scores, scores), Average.MICRO, 0).first.dtype == object


@pytest.mark.parametrize("empty", [0, 1])
def test_measures_of_nothing_are_what_was_chosen(empty):
    nothing = [score_of(MatchCounts())]
    figures = DocumentFigures((nothing, nothing), Average.MICRO, empty)
    assert figures.measures(figures.first[0]) == [empty] * 3
    assert f1_interval(nothing * 2, empty=empty, samples=5) == (empty, empty)


def test_macro_averages_are_means_of_documents():
    scores = [score_of(MatchCounts(1, 2, 1, 4)), score_of(MatchCounts(1, 1, 1, 1))]
    figures = DocumentFigures((scores, scores[::-1]), Average.MACRO, 0)
    assert figures.measures(figures.first.sum(axis=0)) == [Fraction(3, 4), Fraction(5, 8), Fraction(2, 3)]
    assert figures.differences(figures.first[0], figures.second[0]) == [
        (one - other) / 2
        for one, other in zip((Fraction(1, 2), Fraction(1, 4), Fraction(1, 3)), (1, 1, 1), strict=True)
    ]


def test_a_thousand_samples_are_drawn_unless_another_number_is_given():
    scores = [score_of(MatchCounts(k % 3, 3, k % 4, 5), f"d{k}") for k in range(7)]
    assert f1_interval(scores) == f1_interval(scores, samples=1000, seed=0) != f1_interval(scores, samples=3, seed=1)
    found = compare(scores[:2], scores[:2], average=Average.MICRO, empty=0)
    assert (found.samples, found.seed) == (1000, 0)
    assert found.samples == SAMPLES


def test_a_comparison_as_json():
    scores = [score_of(MatchCounts(1, 2, 1, 4), "a"), score_of(MatchCounts(1, 1, 1, 1), "b")]
    found = compare(scores, scores, average=Average.MICRO, empty=0, samples=3, seed=5)
    same = {"observed": 0.0, "low": 0.0, "high": 0.0, "p_value": 1.0}
    assert found.to_dict() == {
        "documents": 2,
        "samples": 3,
        "seed": 5,
        "differences": {"precision": same, "recall": same, "f1": same},
    }
