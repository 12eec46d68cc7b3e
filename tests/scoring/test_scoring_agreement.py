"""Kappa of paired labels, and scores both ways."""

from collections import Counter
from fractions import Fraction

from scoring.sides import document

from temporacle.scoring.agreement import kappa, paired_labels
from temporacle.tasks.agreement import agreement


def test_pairs_are_compared_in_either_direction_and_only_where_both_labelled_them():
    first = document([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d")])
    second = document([("b", "bi", "a"), ("b", "=", "c"), ("x", "b", "y")])
    assert paired_labels(first, second).total() == 2
    assert kappa(paired_labels(first, second)).observed == Fraction(1, 2)


def test_kappa_is_one_for_equal_labels_and_undefined_without_choice():
    links = document([("a", "b", "b"), ("b", "bi", "c")])
    assert kappa(paired_labels(links, links)).kappa == 1
    one_label = document([("a", "b", "b"), ("b", "b", "c")])
    assert kappa(paired_labels(one_label, one_label)).kappa is None
    assert kappa(Counter()).pairs == 0


def test_scores_are_given_both_ways():
    first = document([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d")])
    second = document([("a", "b", "b")])
    found = agreement(first, second)
    assert (found.forward.precision, found.forward.recall) == (1, Fraction(1, 3))
    assert (found.backward.precision, found.backward.recall) == (Fraction(1, 3), 1)
