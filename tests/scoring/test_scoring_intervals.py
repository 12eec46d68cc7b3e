"""Intervals of one system: against a naive twin, where there is none, and Student's t."""

from fractions import Fraction
from math import exp, fsum, log, sqrt
from random import Random

import pytest
from scipy import stats

from temporacle.results import MatchCounts, Score, harmonic_mean
from temporacle.scoring.metric import Average
from temporacle.scoring.significance import degrees_of_freedom, estimates, f1_interval, quantile, tail


def score_of(counts, name="d"):
    precision, recall = counts.precision(0), counts.recall(0)
    return Score("awareness", counts, precision, recall, harmonic_mean(precision, recall), "", document=name)


def random_scores(random, number, largest=9):
    for _ in range(number):
        said, asked = random.randint(1, largest), random.randint(1, largest)
        yield score_of(
            MatchCounts(
                Fraction(random.randint(0, 3 * said), 3), said, Fraction(random.randint(0, 3 * asked), 3), asked
            )
        )


def naive_df(weights):
    """The matrix of the quadratic form, written down in fractions."""
    h = [Fraction(each) / sum(weights) for each in weights]
    v, c, size = [each**2 for each in h], [1 / (1 - each) for each in h], len(weights)
    matrix = [
        [c[i] * c[j] * ((i == j) * v[i] - h[i] * v[j] - v[i] * h[j] + sum(v) * h[i] * h[j]) for j in range(size)]
        for i in range(size)
    ]
    trace = float(sum(matrix[k][k] for k in range(size)))
    return min(size - 1, max(1, trace**2 / fsum(float(each) ** 2 for row in matrix for each in row)))


def naive(scores, average):
    """Every document is left out once; the interval is made on the scale of log odds."""

    def f1(kept):
        if average is Average.MACRO:
            return sum(each.f1 for each in kept) / Fraction(len(kept))
        counts = MatchCounts()
        for each in kept:
            counts += each.counts
        return score_of(counts).f1

    size, theta = len(scores), f1(scores)
    variance = Fraction(size - 1, size) * sum((f1(scores[:k] + scores[k + 1 :]) - theta) ** 2 for k in range(size))
    weights = [1 if average is Average.MACRO else s.counts.system_total + s.counts.gold_total for s in scores]
    half = stats.t.ppf(0.975, naive_df(weights)) * sqrt(variance) / float(theta * (1 - theta))
    odds = log(theta / (1 - theta))
    return 1 / (1 + exp(half - odds)), 1 / (1 + exp(-half - odds))


@pytest.mark.parametrize("average", list(Average))
@pytest.mark.parametrize("seed", range(10))
def test_intervals_are_those_of_documents_left_out_one_by_one(seed, average):
    scores = list(random_scores(Random(seed), 5 + 2 * seed))
    assert f1_interval(scores, average=average) == pytest.approx(naive(scores, average), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_degrees_of_freedom_are_those_of_the_matrix(seed):
    random = Random(seed)
    weights = [random.choice([0, 1, 3, 20, 10 ** random.randint(0, 4)]) for _ in range(random.randint(5, 30))] + [1, 2]
    assert degrees_of_freedom(weights) == pytest.approx(naive_df(weights), rel=1e-6)  # of floats; six digits
    assert degrees_of_freedom([7] * (seed + 2)) == pytest.approx(seed + 1)


def test_a_document_that_is_everything_leaves_one_degree_of_freedom():
    assert degrees_of_freedom([5, 0, 0]) == 1
    assert degrees_of_freedom([10**12, 1, 1, 1, 1]) == pytest.approx(1)


def test_where_there_is_no_interval_the_reason_is_said():
    scores = list(random_scores(Random(3), 4))
    assert {each.reason for each in estimates([scores])} == {"too few documents (4) for an interval"}
    nothing = [score_of(MatchCounts(0, 0, 1, 2)), score_of(MatchCounts(0, 0, 0, 2))] * 10
    precision, recall, _f1 = estimates([nothing])
    assert precision.reason == "too few documents (0) for an interval"
    assert recall.interval is not None
    same = [score_of(MatchCounts(2, 3, 1, 2))] * 20
    for each in estimates([same]):
        assert each.interval is None
        assert each.reason == "no variation in 20 documents; up to 13.9 % of documents can still be unlike them"


@pytest.mark.parametrize("counts", [(2, 2, 2, 2), (0, 2, 0, 2)])
def test_perfect_and_worthless_systems_have_no_interval(counts):
    assert f1_interval([score_of(MatchCounts(*counts)) for _ in range(8)]) is None


def test_what_makes_an_interval_doubtful_is_said():
    few = list(random_scores(Random(1), 9))
    assert all("few documents" in each.reason for each in estimates([few]))
    many = list(random_scores(Random(1), 30))
    assert all(not each.reason for each in estimates([many]))
    large = [*many, score_of(MatchCounts(3000, 5000, 3000, 6000))]
    assert {each.reason for each in estimates([large])} == {"one or few documents carry most of the weight"}


def test_intervals_stay_between_0_and_1():
    for seed in range(200):
        for each in estimates([list(random_scores(Random(seed), 5, largest=200))]):
            assert each.interval is None or 0 <= each.low <= each.observed <= each.high <= 1


def test_no_seed_decides():
    scores = list(random_scores(Random(1), 12))
    assert estimates([scores]) == estimates([scores])


# --- Student's t ------------------------------------------------------------------------------------------------------


def test_quantiles_of_a_printed_table():
    table = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 20: 2.086, 30: 2.042, 120: 1.980}
    assert {df: round(quantile(df), 3) for df in table} == table


def test_quantiles_and_tails_are_those_of_scipy():
    random = Random(1)
    for _ in range(200):
        df, t = 10 ** random.uniform(0, 6), 10 ** random.uniform(-3, 2)
        assert quantile(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-9)
        assert tail(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-8, abs=1e-300)
    assert tail(0, 3) == 0.5
