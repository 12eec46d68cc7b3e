"""Intervals of one system: against a naive twin, and what must hold of every interval."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from temporacle.results import MatchCounts, Score, harmonic_mean
from temporacle.scoring.intervals import f1_interval


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
