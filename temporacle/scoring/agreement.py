"""Agreement of annotators about pairs, corrected for chance: Cohen, Fleiss and Krippendorff.

A pair of entities is an item; its rating by an annotator is the relation that the annotator states last (``stated``),
or the strongest relation that follows from all links (``closed``). Pairs that an annotator does not relate are missing.

    Cohen's kappa          two annotators, over the pairs that both rated: (observed - expected) / (1 - expected), where
                           chance has each annotator's own frequencies of relations
    Fleiss' kappa          any number of annotators, over the pairs that all rated; chance has the common frequencies
    Krippendorff's alpha   any number, over the pairs that at least two rated: 1 - disagreement observed / expected,
                           nominal, with the correction for small samples

Each is undefined (None) where nothing was rated, or where only one relation occurs: then there is no chance to correct.

*Direction.* The same judgement is BEFORE one way round and AFTER the other, so what agreement chance would give
depends on how pairs are turned. A pair is taken in the order of the text: the entity that is mentioned first comes
first. The creation time, if it has no place in the text, comes before everything. Where a format has no positions, a
pair counts one half in each direction. So neither names nor the direction in which a link is written change a figure.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from temporacle.reasoner.algebra import converse
from temporacle.reasoner.network import Budget
from temporacle.scoring.side import Side
from temporacle.scoring.tempeval1 import answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.model import Document
    from temporacle.relation import Relation

Ratings: TypeAlias = "Counter[tuple[int | None, ...]]"
"""How many half pairs have these relations, one for each annotator (None: not related). Documents add up."""

_WHOLE, _HALF = 2, 1
_LOOKS = 1000  # pairs between two looks at the clock
_BEFORE_THE_TEXT = (-1, -1)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa of two annotators."""

    pairs: int
    observed: Fraction | None
    expected: Fraction | None
    kappa: Fraction | None


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Agreement of all annotators. ``kappas`` is Cohen's for every two of them, in order."""

    pairs: int  # rated by at least two annotators
    by_all: int  # rated by all of them
    kappas: tuple[Kappa, ...]
    fleiss: Fraction | None
    krippendorff: Fraction | None

    @property
    def kappa(self) -> Fraction | None:
        """Return the mean of Cohen's kappas; None if one of them is undefined."""
        found = [each.kappa for each in self.kappas if each.kappa is not None]
        return sum(found, Fraction(0)) / len(found) if found and len(found) == len(self.kappas) else None


# --- ratings ----------------------------------------------------------------------------------------------------------


def stated_ratings(documents: Sequence[Document]) -> Ratings:
    """Return the last label of each annotator for each pair. The documents have common names for entities."""
    return _ratings([{pair: said.mask for pair, said in answers(each).items()} for each in documents], documents)


def closed_ratings(documents: Sequence[Document], seconds: float | None = None, engine: str = "exact") -> Ratings:
    """Return what follows from each annotation about each pair, in O(n^2) for n entities.

    Raise BudgetExceeded if time runs out, and TooLarge if the engine is not made for so many entities.
    """
    budget = Budget.of_document(seconds)
    tables = []
    for document in documents:
        related = Side(document, budget, engine=engine).closed().pairs()
        tables.append(dict(_by_names(*each) for each in _in_time(related, budget)))
        budget.check()
    return _ratings(tables, documents)


def _in_time(related: Iterable[tuple[str, Relation, str]], budget: Budget) -> Iterator[tuple[str, int, str]]:
    for number, (source, relation, target) in enumerate(related):
        if not number % _LOOKS:
            budget.check()
        yield source, int(relation), target


def _by_names(source: str, mask: int, target: str) -> tuple[tuple[str, str], int]:
    """Return a pair in the order of names, and its relation."""
    return ((source, target), mask) if source <= target else ((target, source), converse(mask))


def _ratings(tables: Sequence[Mapping[tuple[str, str], int]], documents: Sequence[Document]) -> Ratings:
    """Return ratings in the order of the text, from relations by pairs in the order of names."""
    places = _places(documents)
    found: Ratings = Counter()
    for pair in {pair: None for table in tables for pair in table if pair[0] != pair[1]}:
        rated = tuple(table.get(pair) for table in tables)
        turned = tuple(None if mask is None else converse(mask) for mask in rated)
        first, second = (places.get(name) for name in pair)
        if first is None or second is None or first == second:
            found[rated] += _HALF
            found[turned] += _HALF
        else:
            found[rated if first < second else turned] += _WHOLE
    return found


def _places(documents: Iterable[Document]) -> dict[str, tuple[int, int]]:
    """Return where entities are in the text, by the first annotator that says so."""
    places: dict[str, tuple[int, int]] = {}
    for document in documents:
        for entity in document.entities:
            if entity.spans:
                places.setdefault(entity.id, min(entity.spans))
            elif entity.is_dct:
                places.setdefault(entity.id, _BEFORE_THE_TEXT)
    return places


# --- coefficients -----------------------------------------------------------------------------------------------------


def coefficients(ratings: Ratings, annotators: int) -> Coefficients:
    """Return all coefficients of ratings by the given number of annotators."""
    kappas = tuple(kappa(_of_two(ratings, *two)) for two in combinations(range(annotators), 2))
    complete = {rated: number for rated, number in ratings.items() if None not in rated}
    several = {rated: number for rated, number in ratings.items() if len(rated) - rated.count(None) > 1}
    return Coefficients(
        sum(several.values()) // _WHOLE,
        sum(complete.values()) // _WHOLE,
        kappas,
        fleiss(complete),
        krippendorff(several),
    )


def _of_two(ratings: Ratings, first: int, second: int) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for rated, number in ratings.items():
        own, other = rated[first], rated[second]
        if own is not None and other is not None:
            found[own, other] += number
    return found


def kappa(labels: Mapping[tuple[int, int], int]) -> Kappa:
    """Return Cohen's kappa. The numbers are those of half pairs.

    >>> kappa(Counter({(1, 1): 40, (1, 2): 10, (2, 1): 20, (2, 2): 30}))
    Kappa(pairs=50, observed=Fraction(7, 10), expected=Fraction(1, 2), kappa=Fraction(2, 5))
    """
    total = sum(labels.values())
    if not total:
        return Kappa(0, None, None, None)
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (own, other), number in labels.items():
        first[own] += number
        second[other] += number
    observed = Fraction(sum(number for (own, other), number in labels.items() if own == other), total)
    expected = Fraction(sum(number * second[label] for label, number in first.items()), total**2)
    return Kappa(total // _WHOLE, observed, expected, corrected(observed, expected))


def corrected(observed: Fraction, expected: Fraction) -> Fraction | None:
    """Return the agreement beyond chance; None if chance alone would be perfect."""
    return None if expected == 1 else (observed - expected) / (1 - expected)


def fleiss(ratings: Mapping[tuple[int | None, ...], int]) -> Fraction | None:
    """Return Fleiss' kappa of ratings without gaps: the mean agreement of two ratings of a pair, beyond chance."""
    total = sum(ratings.values())
    if not total:
        return None
    raters = len(next(iter(ratings)))
    agreed = 0
    counts: Counter[int | None] = Counter()
    for rated, number in ratings.items():
        of_pair = Counter(rated)
        agreed += number * sum(times * (times - 1) for times in of_pair.values())
        for relation, times in of_pair.items():
            counts[relation] += number * times
    observed = Fraction(agreed, total * raters * (raters - 1))
    expected = sum((Fraction(times, total * raters) ** 2 for times in counts.values()), Fraction(0))
    return corrected(observed, expected)


def krippendorff(ratings: Mapping[tuple[int | None, ...], int]) -> Fraction | None:
    """Return Krippendorff's alpha (nominal) of pairs with at least two ratings each."""
    disagreed = Fraction(0)
    counts: Counter[int] = Counter()
    for rated, number in ratings.items():
        given = [relation for relation in rated if relation is not None]
        of_pair = Counter(given)
        differing = len(given) ** 2 - sum(times * times for times in of_pair.values())
        disagreed += Fraction(number * differing, len(given) - 1)
        for relation, times in of_pair.items():
            counts[relation] += number * times
    values = Fraction(counts.total(), _WHOLE)  # half pairs hold half a rating
    differing_values = values**2 - sum((Fraction(times, _WHOLE) ** 2 for times in counts.values()), Fraction(0))
    if not differing_values:
        return None
    return 1 - disagreed / _WHOLE * (values - 1) / differing_values
