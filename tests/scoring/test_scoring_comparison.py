"""Comparing systems: seeded, paired, and right where the answer is known."""

from fractions import Fraction

import pytest

from temporacle.errors import UsageError
from temporacle.model import Document, Link
from temporacle.relation import Relation
from temporacle.results import MatchCounts, Unmatched
from temporacle.scoring.aggregation import document_score
from temporacle.scoring.comparison import compare
from temporacle.scoring.intervals import middle
from temporacle.scoring.metric import Judgement
from temporacle.scoring.options import Average
from temporacle.tasks.score import score

BEFORE, AFTER = Relation.of("b"), Relation.of("bi")


def corpus(right, wrong):
    """Documents of ten pairs each: so many answered right, so many wrong."""
    documents = []
    for number, (good, bad) in enumerate(zip(right, wrong, strict=True)):
        relations = [BEFORE] * good + [AFTER] * bad
        links = (Link(f"l{k}", f"a{k}", relation, f"b{k}", label=str(relation)) for k, relation in enumerate(relations))
        documents.append(Document(f"d{number}", tuple(links)))
    return documents


GOLD = corpus([10] * 12, [0] * 12)
GOOD = score(GOLD, corpus([9, 8, 9, 10, 9, 8, 9, 9, 10, 9, 8, 9], [1, 2, 1, 0, 1, 2, 1, 1, 0, 1, 2, 1]))
POOR = score(GOLD, corpus([4, 5, 3, 4, 4, 5, 4, 3, 4, 4, 5, 4], [6, 5, 7, 6, 6, 5, 6, 7, 6, 6, 5, 6]))


@pytest.mark.parametrize("average", list(Average))
def test_a_clear_difference_is_significant_and_its_interval_holds_it(average):
    found = compare(GOOD.documents, POOR.documents, average=average, empty=0, samples=300)
    f1 = next(each for each in found.differences if each.measure == "f1")
    assert f1.observed == GOOD.f1 - POOR.f1  # all documents are of one size, so both averages agree
    assert 0 < f1.low <= f1.observed <= f1.high
    assert Fraction(1, 301) <= f1.p_value < Fraction(1, 50)
    assert found.documents == 12


def test_a_system_does_not_differ_from_itself():
    found = compare(GOOD.documents, GOOD.documents, average=Average.MICRO, empty=0, samples=50)
    assert all(each.observed == each.low == each.high == 0 and each.p_value == 1 for each in found.differences)


def test_the_seed_decides():
    once, again, other = (
        compare(GOOD.documents, POOR.documents, average=Average.MICRO, empty=0, samples=40, seed=seed)
        for seed in (7, 7, 8)
    )
    assert once == again
    assert once != other


def test_swapping_the_systems_changes_the_sign():
    there = compare(GOOD.documents, POOR.documents, average=Average.MICRO, empty=0, samples=60)
    back = compare(POOR.documents, GOOD.documents, average=Average.MICRO, empty=0, samples=60)
    for one, two in zip(there.differences, back.differences, strict=True):
        assert (one.observed, one.p_value) == (-two.observed, two.p_value)


def test_fractions_of_other_metrics_are_compared_exactly():
    gold, system = corpus([3, 2, 4], [0, 1, 0]), corpus([2, 2, 3], [1, 1, 1])
    scores = [score(gold, answer, metric="closure", relaxed=True).documents for answer in (gold, system)]
    found = compare(*scores, average=Average.MACRO, empty=0, samples=30)
    assert found.differences[0].observed == Fraction(1) - sum(each.precision for each in scores[1]) / 3


def test_nothing_in_common_is_refused():
    with pytest.raises(UsageError, match="no scored document in common"):
        compare(GOOD.documents, (), average=Average.MICRO, empty=0)


def scored(*counts):
    """Scores of documents, from what was matched and counted."""
    return [
        document_score(Judgement(MatchCounts(*each)), metric="m", empty=0, document=f"d{k}", unmatched=Unmatched())
        for k, each in enumerate(counts)
    ]


def test_the_interval_is_the_middle_95_per_cent():
    values = [Fraction(k) for k in range(1000)]
    assert middle(values[::-1]) == (25, 974)
    assert middle(values[:40]) == (1, 38)
    assert middle(values[:1]) == (0, 0)


def test_every_document_is_drawn():
    """One document in which the systems differ by 1, one in which they agree: the mean is anything from 0 to 1."""
    for first, second in (((1, 1, 1, 1), (0, 1, 0, 1)), ((0, 1, 0, 1), (1, 1, 1, 1))):
        for order in (1, -1):
            sides = [[first, (1, 1, 1, 1)][::order], [second, (1, 1, 1, 1)][::order]]
            found = compare(*(scored(*side) for side in sides), average=Average.MACRO, empty=0, samples=200)
            assert sorted((abs(found.differences[0].low), abs(found.differences[0].high))) == [0, 1]


def test_averages_of_documents_of_different_size():
    first, second = [(9, 10, 9, 30), (0, 1, 0, 2)], [(1, 10, 1, 30), (1, 1, 2, 2)]
    micro, macro = (
        compare(scored(*first), scored(*second), average=average, empty=0, samples=10)
        for average in (Average.MICRO, Average.MACRO)
    )
    observed = [[each.observed for each in found.differences[:2]] for found in (micro, macro)]
    assert observed[0] == [Fraction(9 - 2, 11), Fraction(9 - 3, 32)]
    assert observed[1] == [
        (Fraction(9, 10) + 0) / 2 - (Fraction(1, 10) + 1) / 2,
        (Fraction(9, 30) + 0) / 2 - (Fraction(1, 30) + 1) / 2,
    ]


def test_one_document_and_different_denominators():
    for average in Average:
        found = compare(scored((1, 3, 1, 5)), scored((1, 2, 1, 7)), average=average, empty=0, samples=3)
        assert [each.observed for each in found.differences] == [Fraction(-1, 6), Fraction(2, 35), Fraction(1, 36)]


@pytest.mark.parametrize("large", [2_500_000_001, 10**40 + 1])
def test_sums_beyond_64_bits_are_exact(large):
    """Over their common denominator one value fits, or does not; the sum of both does not."""
    first = [(large - 1, large) * 2, (large, large + 2) * 2]  # precision, recall and F1 are the same
    second = [(1, large) * 2, (1, large + 2) * 2]
    found = compare(scored(*first), scored(*second), average=Average.MACRO, empty=0, samples=5)
    exact = (Fraction(large - 2, large) + Fraction(large - 1, large + 2)) / 2
    assert found.differences[0].observed == exact
