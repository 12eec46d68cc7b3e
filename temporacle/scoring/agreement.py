"""How far two annotators agree: chance-corrected, where both labelled the same pairs.

Cohen's kappa = (observed - expected) / (1 - expected): *observed* is the share of pairs with equal labels, *expected*
what two annotators with these label frequencies would agree on by chance. It is undefined (None) where no pair has two
labels, or where only one label is used at all. Pairs are compared without inference, in either direction; a pair that
one annotator labels twice has the label given last. Precision, recall and F1 of any metric, both ways, say what kappa
cannot: who links more, and what follows from the links.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from temporacle.scoring.tempeval1 import answers

if TYPE_CHECKING:
    from temporacle.model import Document


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement on pairs that both sides labelled."""

    pairs: int
    observed: Fraction | None
    expected: Fraction | None
    kappa: Fraction | None


def paired_labels(first: Document, second: Document) -> Counter[tuple[int, int]]:
    """How often each pair of relations was given to a pair of entities. Counters of documents add up."""
    own, other = answers(first), answers(second)
    return Counter((own[pair].mask, other[pair].mask) for pair in own if pair in other)


def kappa(labels: Counter[tuple[int, int]]) -> Kappa:
    """Cohen's kappa of paired labels.

    >>> kappa(Counter({(1, 1): 20, (1, 2): 5, (2, 1): 10, (2, 2): 15}))
    Kappa(pairs=50, observed=Fraction(7, 10), expected=Fraction(1, 2), kappa=Fraction(2, 5))
    """
    pairs = labels.total()
    if not pairs:
        return Kappa(0, None, None, None)
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (own, other), number in labels.items():
        first[own] += number
        second[other] += number
    observed = Fraction(sum(number for (own, other), number in labels.items() if own == other), pairs)
    expected = Fraction(sum(number * second[label] for label, number in first.items()), pairs**2)
    return Kappa(pairs, observed, expected, None if expected == 1 else (observed - expected) / (1 - expected))
