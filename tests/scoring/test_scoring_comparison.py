"""Comparing systems: seeded, paired, and right where the answer is known."""

from fractions import Fraction

import pytest

from temporacle.corpus import score
from temporacle.errors import UsageError
from temporacle.model import Document, Link
from temporacle.relation import Relation
from temporacle.scoring.comparison import compare
from temporacle.scoring.options import Average

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
