"""``narrativetime``: agreement of two annotators of complete graphs, the diagonal included.

Each annotator states every pair of the n entities of a document in both directions. The notebook compares all n*n
cells, among them n of an entity with itself, which always agree. ``diagonal=False`` leaves these out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from temporacle.scoring.official.pairs import OriginalStopsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.scoring.pairs.examples import Row

_ITSELF = "(itself)"


def cells(first: Sequence[Row], second: Sequence[Row], *, diagonal: bool = True) -> Counter[tuple[str, str]]:
    """Return how often each pair of labels was given to a cell. Raise OriginalStopsError if a graph is not complete."""
    entities = {end for row in (*first, *second) for end in (row.source, row.target)}
    tables = []
    for side in (first, second):
        table = {(row.source, row.target): row.label for row in side}
        if len(side) != len(entities) * (len(entities) - 1):
            raise OriginalStopsError(f"a graph of {len(entities)} entities has {len(side)} links")
        if len(table) < len(side) or any(source == target for source, target in table):
            raise OriginalStopsError("a pair is stated twice, or an entity is related to itself")
        tables.append(table)
    found = Counter((label, tables[1][pair]) for pair, label in tables[0].items())
    if diagonal:
        found[_ITSELF, _ITSELF] += len(entities)
    return found


def agreement_figures(found: Counter[tuple[str, str]]) -> dict[str, float]:
    """Return accuracy, Cohen's kappa and Krippendorff's alpha (nominal, two coders)."""
    total = found.total()
    if not total:
        raise OriginalStopsError("there is no cell")
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (own, other), number in found.items():
        first[own] += number
        second[other] += number
    observed = sum(number for (own, other), number in found.items() if own == other) / total
    expected = sum(number * second[label] for label, number in first.items()) / total**2
    values = 2 * total
    alike = values * values - sum(number * number for number in (first + second).values())
    nothing = float("nan")
    return {
        "accuracy": observed,
        "kappa": 1 - (1 - observed) / (1 - expected) if expected != 1 else nothing,
        "krippendorff": 1 - (1 - observed) * values * (values - 1) / alike if alike else nothing,
    }
