"""How sure is a score, and is one system better than another?

Documents are the units, because links of one document depend on each other.

    intervals   each document is left out once, and the variance of the figure follows from that (jackknife; Efron &
                Stein 1981); Student's t with degrees of freedom from the sizes of documents (Bell & McCaffrey 2002)
    p-values    the answers of two systems to a document are swapped or not: p is the share of all choices with a
                difference at least as large as the one seen (Noreen 1989); exact up to 20 documents that differ
    runs        of one system vary, too: their variance is added to that of documents (Satterthwaite 1946)
    families    of comparisons: p-values are adjusted for their number (Holm 1979)

Nothing is drawn except the swaps of more than 20 documents; there the seed decides. docs/statistics.md has the
formulas, how often the intervals hold the true value, and where they fail.

The degrees of freedom of Student's t are any real number. Its tail is an incomplete beta function, computed as a
continued fraction; the quantile is found by bisection. Both are right to about twelve digits, compared in the tests
with a table and with scipy.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import exp, fsum, lcm, lgamma, log, log1p, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import UsageError
from temporacle.results import harmonic_mean
from temporacle.scoring.metric import Average

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.results import Counts, Exact, Score

    RunScores: TypeAlias = Sequence[Sequence[Score]]
    """The scores of documents in each run of a system: the same documents in the same order."""


MEASURES = ("precision", "recall", "f1")
RESAMPLES, SEED = 9_999, 0  # for more documents than can be swapped in every way
INTERVALS = "jackknife-t-h2"  # what signatures call them
RUNS = "documents+runs"
LEVEL = 95
_FEWEST = 5  # documents with an interval
_FEW = 10  # documents from which on nothing is said about their number
_LOW_DF = 3
_MOST_SWAPPED = 20  # documents
_NEAR = 1e-9  # differences that are compared as fractions
_ERROR = Fraction(1, 20)


class ScoreInterval(NamedTuple):
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of one system, or a difference of two (first minus second), and how sure it is."""

    measure: str
    observed: Fraction
    interval: ScoreInterval | None
    error: float | None  # standard error
    df: float | None  # degrees of freedom
    reason: str = ""  # why there is no interval, or why to be careful with it
    p_value: Fraction | float | None = None  # of a difference; a fraction if all swaps were tried
    p_adjusted: Fraction | float | None = None  # of the family of comparisons; for F1 only

    @property
    def low(self) -> float | None:
        return None if self.interval is None else self.interval.low

    @property
    def high(self) -> float | None:
        return None if self.interval is None else self.interval.high

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        row: dict[str, Any] = {
            "observed": float(self.observed),
            "interval": None if self.interval is None else list(self.interval),
            "low": self.low,
            "high": self.high,
            "standard_error": self.error,
            "df": self.df,
        }
        if self.reason:
            row["reason"] = self.reason
        for name, value in (("p", self.p_value), ("p_adjusted", self.p_adjusted)):
            if value is not None:
                row[name] = str(value) if isinstance(value, Fraction) else value
        if self.p_value is not None:
            row["p_value"] = float(self.p_value)
        return row


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """Differences of two systems over the documents that both have a score for."""

    documents: int
    differing: int  # documents in which the counts of the two differ
    method: str  # of p: "swap-exact", "swap-9999-seed0" or "documents+runs"
    smallest_p: Fraction | None  # that can occur; None with runs
    differences: tuple[Estimate, ...]
    family: str = ""  # "baseline=NAME/holm" or "all-pairs/holm"
    comparisons: int = 1  # in the family

    def of(self, measure: str) -> Estimate:
        """Return the difference in precision, recall or f1."""
        return next(each for each in self.differences if each.measure == measure)

    def notes(self) -> list[str]:
        """Return what must be known about p."""
        smallest = self.smallest_p
        if smallest is None or not self.differing:
            return []
        found = f"{self.differing} document{' differs' if self.differing == 1 else 's differ'}"
        if smallest > _ERROR:
            return [f"{found}: p cannot be below {float(smallest):g}"]
        if self.comparisons * smallest > _ERROR:
            least = float(min(Fraction(1), self.comparisons * smallest))
            return [f"{found}, {self.comparisons} comparisons: the adjusted p cannot be below {least:g}"]
        return []

    def in_family(self, family: str, comparisons: int, adjusted: Fraction | float) -> SystemComparison:
        """Return this comparison as one of several, with the adjusted p of F1."""
        differences = tuple(
            replace(each, p_adjusted=adjusted) if each.measure == "f1" and each.p_value is not None else each
            for each in self.differences
        )
        return replace(self, differences=differences, family=family, comparisons=comparisons)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        row: dict[str, Any] = {
            "documents": self.documents,
            "differing_documents": self.differing,
            "method": self.method,
            "smallest_p": None if self.smallest_p is None else float(self.smallest_p),
        }
        if self.family:
            row |= {"family": self.family, "comparisons": self.comparisons}
        if notes := self.notes():
            row["notes"] = notes
        return {**row, "differences": {each.measure: each.to_dict() for each in self.differences}}


def estimates(runs: RunScores, *, average: Average = Average.MICRO, empty: int = 0) -> tuple[Estimate, ...]:
    """Return precision, recall and F1 of one system with their intervals: of one run, or the mean of several."""
    figures = _Figures(runs, average, empty)
    return tuple(_estimate(measure, (figures,), scale="logit") for measure in MEASURES)


def f1_interval(
    documents: Sequence[Score], *, average: Average = Average.MICRO, empty: int = 0
) -> ScoreInterval | None:
    """Return the interval of F1 of one run; None where there is none."""
    return _estimate("f1", (_Figures([documents], average, empty),), scale="logit").interval


def compare(
    first: RunScores,
    second: RunScores,
    *,
    average: Average,
    empty: int,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    measures: Sequence[str] = MEASURES,
) -> SystemComparison:
    """Compare two systems by the scores of documents in each of their runs, on the documents that both have."""
    first, second = _shared(first, second)
    figures = tuple(_Figures(runs, average, empty) for runs in (first, second))
    differing = sum(_differ(own, other) for own, other in _documents(first, second))
    found = [_estimate(measure, figures, scale="plain") for measure in measures]
    if max(len(first), len(second)) > 1:
        method, smallest = RUNS, None
        found = [replace(each, p_value=_p_of_runs(each)) for each in found]
    else:
        swaps = _Swaps(first[0], second[0], average=average, empty=empty, resamples=resamples, seed=seed)
        method, smallest = swaps.method, swaps.smallest
        found = [replace(each, p_value=swaps.p_value(each)) for each in found]
    return SystemComparison(len(first[0]), differing, method, smallest, tuple(found))


def holm(p_values: Sequence[Fraction | float]) -> list[Fraction | float]:
    """Return the p-values of a family of comparisons, adjusted for their number (Holm 1979).

    >>> [str(each) for each in holm([Fraction(1, 2), Fraction(1, 64), Fraction(1, 32)])]
    ['1/2', '3/64', '1/16']
    """
    adjusted: list[Fraction | float] = [Fraction(1)] * len(p_values)
    before: Fraction | float = Fraction(0)
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        grown: Fraction | float = (len(p_values) - rank) * p_values[place]
        before = grown if 1 > grown > before else Fraction(1) if grown >= 1 else before
        adjusted[place] = before
    return adjusted


def _shared(first: RunScores, second: RunScores) -> tuple[RunScores, RunScores]:
    """Return the scores of the documents that are in all runs of both, in one order."""
    named = [{score.document: score for score in run} for run in (*first, *second)]
    names = [score.document for score in first[0] if all(score.document in run for run in named)]
    if not names:
        raise UsageError("the two systems have no scored document in common")
    runs = [[run[name] for name in names] for run in named]
    return runs[: len(first)], runs[len(first) :]


def _documents(first: RunScores, second: RunScores) -> Iterator[tuple[list[Counts], list[Counts]]]:
    """Yield the counts of each document in the runs of both systems."""
    for place in range(len(first[0])):
        yield [run[place].counts for run in first], [run[place].counts for run in second]


def _differ(first: list[Counts], second: list[Counts]) -> bool:
    return [each.basis() for each in first] != [each.basis() for each in second]


# ----------------------------------------------------------------------------------------------------
# Intervals: the figure of all documents, and without each of them.


class _Figures:
    """Precision, recall and F1 of the runs of a system: of all documents, and without each of them."""

    def __init__(self, runs: RunScores, average: Average, empty: int) -> None:
        self.size = len(runs[0])
        self.runs = len(runs)
        self._average, self._empty = average, empty
        self._scores = runs
        self._whole = [self._sum(run) for run in runs]

    def of(self, measure: str) -> list[Fraction]:
        """Return the figure of each run."""
        return [self._value(whole, self.size, measure) for whole in self._whole]

    def without_each(self, measure: str) -> Iterator[Fraction]:
        """Yield the mean of the runs without the first document, without the second, and so on."""
        for place in range(self.size):
            values = [
                self._value(
                    tuple(all_ - own for all_, own in zip(whole, self._row(run[place]), strict=True)),
                    self.size - 1,
                    measure,
                )
                for whole, run in zip(self._whole, self._scores, strict=True)
            ]
            yield _mean(values)

    def weights(self, measure: str) -> list[Fraction]:
        """Return how much each document counts: what is said, what is asked for, or both; the mean of the runs."""
        if self._average is Average.MACRO:
            return [Fraction(1)] * self.size
        return [
            _mean([Fraction(_weight(run[place].counts, measure)) for run in self._scores]) for place in range(self.size)
        ]

    def variance_of_mean(self, measure: str) -> Fraction:
        """Return the variance of the mean of the runs, of which there are at least two."""
        values = self.of(measure)
        mean = _mean(values)
        return sum(((each - mean) ** 2 for each in values), Fraction()) / (self.runs - 1) / self.runs

    def _row(self, score: Score) -> tuple[Exact, ...]:
        if self._average is Average.MACRO:
            return score.precision, score.recall, score.f1
        return tuple(value for _, value in score.counts.items())

    def _sum(self, run: Sequence[Score]) -> tuple[Exact, ...]:
        return tuple(map(sum, zip(*map(self._row, run), strict=True)))

    def _value(self, sums: Sequence[Exact], size: int, measure: str) -> Fraction:
        if self._average is Average.MACRO:
            return Fraction(sums[MEASURES.index(measure)]) / size if size else Fraction()
        return figure_of(type(self._scores[0][0].counts)(*sums), measure, self._empty)


def figure_of(counts: Counts, measure: str, empty: int) -> Fraction:
    """Return precision, recall or F1 of some counts."""
    if measure == "precision":
        return counts.precision(empty)
    if measure == "recall":
        return counts.recall(empty)
    return harmonic_mean(counts.precision(empty), counts.recall(empty))


def _weight(counts: Counts, measure: str) -> Exact:
    return (counts.system_size() if measure != "recall" else 0) + (counts.gold_size() if measure != "precision" else 0)


def _mean(values: Sequence[Fraction]) -> Fraction:
    return values[0] if len(values) == 1 else sum(values, Fraction()) / len(values)


def _estimate(measure: str, systems: Sequence[_Figures], *, scale: str) -> Estimate:
    """Return a figure of one system, or the difference of two, with its interval."""
    signs = (1, -1)
    means = [_mean(each.of(measure)) for each in systems]
    observed = sum((sign * mean for sign, mean in zip(signs, means, strict=False)), Fraction())
    weights = list(map(sum, zip(*(each.weights(measure) for each in systems), strict=True)))
    size, used = len(weights), sum(each > 0 for each in weights)
    if used < _FEWEST:
        return Estimate(measure, observed, None, None, None, f"too few documents ({used}) for an interval")
    moved = [
        sum((sign * value for sign, value in zip(signs, values, strict=False)), Fraction()) - observed
        for values in zip(*(each.without_each(measure) for each in systems), strict=True)
    ]
    between = [(float(each.variance_of_mean(measure)), each.runs) for each in systems if each.runs > 1]
    bounded = scale == "logit" and observed in (0, 1)
    if bounded or not (any(moved) or any(variance for variance, _ in between)):
        unlike = 100 * (1 - 0.05 ** (1 / size))
        reason = f"no variation in {size} documents; up to {unlike:.1f} % of documents can still be unlike them"
        return Estimate(measure, observed, None, None, None, reason)
    variance = (size - 1) / size * fsum(float(each) ** 2 for each in moved)
    of_documents = degrees_of_freedom(weights)
    total, df = _with_runs(variance, of_documents, between)
    reasons = ["one or few documents carry most of the weight"] if of_documents < _LOW_DF else []
    reasons += ["few runs"] if df < _LOW_DF <= of_documents else []
    reasons += ["few documents"] if used < _FEW else []
    half = quantile(df) * sqrt(total)
    interval = _on_logit_scale(float(observed), half) if scale == "logit" else _plain(float(observed), half)
    return Estimate(measure, observed, interval, sqrt(total), df, "; ".join(reasons))


def _with_runs(variance: float, df: float, between: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return the variance of documents and runs together, and its degrees of freedom."""
    total = variance + fsum(each for each, _ in between)
    if not any(each for each, _ in between):
        return total, df
    parts = fsum([variance**2 / df, *(each**2 / (runs - 1) for each, runs in between)])
    return total, total**2 / parts


def degrees_of_freedom(weights: Sequence[Exact]) -> float:
    """Return the degrees of freedom of the jackknife variance, from the sizes of documents: equal sizes give D - 1.

    The variance is a quadratic form; its matrix is diagonal but for two vectors, so that its trace and the sum of its
    squares are sums over documents. If one document has nearly all the weight, large terms cancel in them: hence the
    many digits.

    >>> round(degrees_of_freedom([3] * 8), 9), round(degrees_of_freedom([1000, 1, 1, 1, 1]), 6)
    (7.0, 1.000005)
    """
    whole = Fraction(sum(weights))
    if any(each == whole for each in weights):
        return 1.0
    with localcontext(prec=60):
        h = [_decimal(each / whole) for each in weights]
        x = [_decimal(each / (whole - each)) for each in weights]  # c h
        y = [p * q for p, q in zip(x, h, strict=True)]
        a = [p * p for p in x]  # the diagonal: (c h)^2
        s = sum(each * each for each in h)
        xx, xy, yy = (sum(p * q for p, q in zip(*pair, strict=True)) for pair in ((x, x), (x, y), (y, y)))
        trace = sum(d - 2 * p * q + s * p * p for d, p, q in zip(a, x, y, strict=True))
        squares: Decimal | int = sum(d * d + 2 * d * (s * p * p - 2 * p * q) for d, p, q in zip(a, x, y, strict=True))
        squares += 2 * (xx * yy + xy * xy) - 4 * s * xy * xx + (s * xx) ** 2
        return min(len(weights) - 1.0, max(1.0, float(trace * trace / squares)))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _plain(value: float, half: float) -> ScoreInterval:
    return ScoreInterval(max(-1.0, value - half), min(1.0, value + half))


def _on_logit_scale(value: float, half: float) -> ScoreInterval:
    middle, half = log(value / (1 - value)), half / (value * (1 - value))
    return ScoreInterval(_logistic(middle - half), _logistic(middle + half))


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value)) if value >= 0 else exp(value) / (1 + exp(value))


def _p_of_runs(difference: Estimate) -> Fraction | float | None:
    """Return p by Student's t. Where the variance is not known: 1 if nothing differs, otherwise None."""
    if difference.error is None or difference.df is None:
        return None if difference.observed else Fraction(1)
    return 2 * tail(abs(float(difference.observed)) / difference.error, difference.df)


# ----------------------------------------------------------------------------------------------------
# p-values: the two systems' answers to a document are swapped or not.


class _Swaps:
    """All swaps of the documents in which two runs differ, or many random ones."""

    def __init__(
        self,
        first: Sequence[Score],
        second: Sequence[Score],
        *,
        average: Average,
        empty: int,
        resamples: int,
        seed: int,
    ) -> None:
        self._sides = first, second
        self._average, self._empty = average, empty
        self._resamples, self._seed = resamples, seed
        pairs = list(zip(first, second, strict=True))
        self._differing = [pair for pair in pairs if pair[0].counts.basis() != pair[1].counts.basis()]
        self.exact = len(self._differing) <= _MOST_SWAPPED

    @property
    def method(self) -> str:
        return "swap-exact" if self.exact else f"swap-{self._resamples}-seed{self._seed}"

    @property
    def smallest(self) -> Fraction:
        """Return the smallest p that can occur."""
        if not self._differing:
            return Fraction(1)
        return Fraction(1, 1 << len(self._differing) - 1) if self.exact else Fraction(1, self._resamples + 1)

    def p_value(self, difference: Estimate) -> Fraction:
        """Return how often a difference at least as large occurs."""
        if not difference.observed:
            return Fraction(1)
        count = self._hits_of_means if self._average is Average.MACRO else self._hits_of_sums
        hits = count(difference.measure, abs(difference.observed))
        if self.exact:
            return Fraction(hits, 1 << len(self._differing) - 1)
        return Fraction(hits + 1, self._resamples + 1)

    def _draws(self) -> Any:
        import numpy as np

        return np.random.default_rng(self._seed).integers(0, 2, (self._resamples, len(self._differing)))

    def _hits_of_means(self, measure: str, seen: Fraction) -> int:
        """Return the number of swaps for means of documents: sums of differences with changed signs."""
        exact = [getattr(one, measure) - getattr(other, measure) for one, other in self._differing]
        scale = lcm(*(each.denominator for each in exact))
        whole = [int(each * scale) for each in exact]
        least = int(seen * len(self._sides[0]) * scale)
        if self.exact:
            return _signed_sums(whole, least)
        signs = 1 - 2 * self._draws()
        found = abs(signs @ [each / scale for each in whole])
        near = abs(found - least / scale) <= _NEAR * len(whole)
        hits = int((found > least / scale)[~near].sum())
        return hits + sum(abs(sum(map(int.__mul__, whole, map(int, row)))) >= least for row in signs[near])

    def _hits_of_sums(self, measure: str, seen: Fraction) -> int:
        """Return the number of swaps for figures of sums of counts."""
        import numpy as np

        kind = type(self._differing[0][0].counts)
        names = kind.names_for(measure)
        rows = [
            [self._counted(score, names) for score in side]
            for side in (*self._sides, *zip(*self._differing, strict=True))
        ]
        scales = [lcm(*(value.denominator for value in column)) for column in zip(*rows[0], *rows[1], strict=True)]
        own, other = (
            [int(sum(column) * scale) for column, scale in zip(zip(*side, strict=True), scales, strict=True)]
            for side in rows[:2]
        )
        change = [
            [int((there - here) * scale) for here, there, scale in zip(*pair, scales, strict=True)]
            for pair in zip(*rows[2:], strict=True)
        ]
        fits = sum(map(abs, (*own, *other))) < 1 << 60
        if self.exact:
            moved = np.zeros((1, len(names)), dtype=np.int64 if fits else object)
            for row in change[:-1]:  # the last document stays: the rest is the mirror image
                moved = np.concatenate([moved, moved + np.array(row, dtype=moved.dtype)])
        else:
            moved = self._draws() @ np.array(change, dtype=np.int64 if fits else object)
        own_sums, other_sums = np.array(own, dtype=moved.dtype), np.array(other, dtype=moved.dtype)
        floats = [
            _float_figure(kind, names, (sums / np.array(scales, dtype=float)).astype(float), measure, self._empty)
            for sums in (own_sums + moved, other_sums - moved)
        ]
        found = abs(floats[0] - floats[1])
        near = abs(found - float(seen)) <= _NEAR
        hits = int((found > float(seen))[~near].sum())
        for row, times in _distinct(moved[near]):
            sums = [
                kind(
                    **{
                        name: Fraction(start + sign * step, scale)
                        for name, start, step, scale in zip(names, side, row, scales, strict=True)
                    }
                )
                for side, sign in ((own, 1), (other, -1))
            ]
            one, two = (figure_of(each, measure, self._empty) for each in sums)
            hits += times * (abs(one - two) >= seen)
        return hits

    @staticmethod
    def _counted(score: Score, names: Sequence[str]) -> list[Fraction]:
        return [Fraction(getattr(score.counts, name)) for name in names]


def _signed_sums(values: Sequence[int], least: int) -> int:
    """Return how many sums of the values, with any signs but for the last, are at least so far from 0."""
    halves = []
    for part in (values[: len(values) // 2], values[len(values) // 2 : -1]):
        sums = [0]
        for each in part:
            sums = [total + sign * each for total in sums for sign in (1, -1)]
        halves.append(sums)
    ordered = sorted(total + values[-1] for total in halves[1])
    return sum(
        len(ordered) - bisect_left(ordered, least - total) + bisect_right(ordered, -least - total)
        for total in halves[0]
    )


def _float_figure(kind: type[Counts], names: Sequence[str], sums: Any, measure: str, empty: int) -> Any:
    """Return a figure of many sums at once."""
    import numpy as np

    counts = kind(**dict(zip(names, sums.T, strict=True)))
    if measure != "f1":
        return counts.precision(empty) if measure == "precision" else counts.recall(empty)
    precision: Any = counts.precision(empty)
    recall: Any = counts.recall(empty)
    whole = precision + recall
    return np.divide(2 * precision * recall, whole, out=np.zeros(len(whole)), where=whole > 0)


def _distinct(rows: Any) -> Iterator[tuple[list[int], int]]:
    """Yield the different rows of a table, each with how often it occurs."""
    import numpy as np

    if not len(rows):
        return
    if rows.dtype == object:
        from collections import Counter

        yield from ((list(row), times) for row, times in Counter(map(tuple, rows.tolist())).items())
        return
    ordered = rows[np.lexsort(rows.T)]
    starts = [0, *(np.flatnonzero((ordered[1:] != ordered[:-1]).any(axis=1)) + 1).tolist(), len(ordered)]
    for begin, end in pairwise(starts):
        yield ordered[begin].tolist(), end - begin


_STEPS = 10_000  # of the continued fraction; it needs about the root of the degrees of freedom
_SMALLEST = 1e-300
_CLOSE = 1e-16
_LARGE = 100


def tail(t: float, df: float) -> float:
    """Return the probability of a value above ``t``, which is not negative.

    >>> round(tail(1, 1), 12), round(tail(0, 5), 12)
    (0.25, 0.5)
    """
    square = t * t
    return _beta(df / 2, df / (df + square), square / (df + square)) / 2


@cache
def quantile(df: float, above: float = 0.025) -> float:
    """Return the value that is exceeded with probability ``above``.

    >>> round(quantile(1), 6), round(quantile(10), 6), round(quantile(1e6), 4)
    (12.706205, 2.228139, 1.96)
    """
    low, high = 0.0, 1.0
    while tail(high, df) > above:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if tail(middle, df) > above else (low, middle)
    return high


def _beta(a: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function of a and 1/2 at ``x``; ``rest`` is 1 - x."""
    if x <= 0 or rest <= 0:
        return float(rest <= 0)
    logs = (log(x), log1p(-x)) if x < rest else (log1p(-rest), log(rest))
    scale = exp(_log_ratio(a) - log(pi) / 2 + a * logs[0] + logs[1] / 2)
    if x < (a + 1) / (a + 2.5):
        return scale * _continued(a, 0.5, x) / a
    return 1 - scale * _continued(0.5, a, rest) / 0.5


def _log_ratio(a: float) -> float:
    """Return the logarithm of gamma(a + 1/2) / gamma(a). For a large ``a`` a difference would lose digits."""
    if a < _LARGE:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _continued(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the function, evaluated from the front (Lentz's method)."""
    upper, lower = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    found = lower
    for k in range(1, _STEPS):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        for term in (even, odd):
            lower, upper = 1 / _away(1 + term * lower), _away(1 + term / upper)
            factor = lower * upper
            found *= factor
        if abs(factor - 1) < _CLOSE:
            break
    return found


def _away(value: float) -> float:
    """Return a value that can be divided by."""
    return value if abs(value) > _SMALLEST else _SMALLEST
