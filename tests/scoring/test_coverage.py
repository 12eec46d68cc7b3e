"""Intervals and p-values hold what they promise, by simulation with tp.compare. ``bench.tables.coverage`` has more."""

import pytest

from bench.tables.coverage import KINDS, SIZES, covered, some_difference, truth


@pytest.mark.slow
@pytest.mark.parametrize("documents", SIZES)
def test_intervals_hold_the_true_value(documents):
    for share in covered(KINDS[1], documents, 80):
        assert share >= 0.87  # 95 % and three standard errors; the bootstrap of 0.2.0 held 69 to 85 %


@pytest.mark.slow
def test_equal_systems_seldom_seem_to_differ():
    plain, adjusted = some_difference(KINDS[0], 10, 120, baseline=True)
    assert adjusted <= 0.11  # 5 % and three standard errors
    assert plain > adjusted


def test_the_truth_is_that_of_a_large_corpus():
    for kind in KINDS:
        assert truth(kind, 2_000) == pytest.approx(truth(kind, 20_000), abs=0.03)
