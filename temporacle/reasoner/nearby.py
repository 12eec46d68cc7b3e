"""A model near another one: what is left to do when a model breaks only a few links.

Every disjunction that holds at the given times is narrowed to a convex relation around them, and one that does not to
one of its convex parts. The links are then convex, and one pass over the endpoint graph finds a model of them, if there
is one. A model that is found is a model of the links; finding none says nothing about them.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import RelationClass, classify, convex_pieces, subrelations_of_class
from temporacle.reasoner.pointgraph import Contradiction, model_of
from temporacle.reasoner.tighten import graph_of
from temporacle.relation import ATOMS, atom_holding

if TYPE_CHECKING:
    from collections.abc import Sequence

    Constraint = tuple[int, int, int]  # source, mask, target

_ATTEMPTS = 4  # choices of parts


def nearby_model(entities: int, constraints: Sequence[Constraint], times: Sequence[int]) -> list[int] | None:
    """Return times of all points with which all links are true; None if none were found.

    >>> nearby_model(3, [(0, 1, 1), (1, 1, 2), (0, 1 | 1 << 12, 2)], [0, 1, 4, 5, 2, 3])
    [0, 1, 2, 3, 4, 5]
    """
    case: list[Constraint] = []
    broken: list[Constraint] = []
    for constraint in constraints:
        narrowed = narrowed_to(constraint, times)
        (broken if narrowed is None else case).append(narrowed or constraint)
    choices = product(*(convex_pieces(mask) for _, mask, _ in broken))
    for chosen in islice(choices, _ATTEMPTS):
        parts = [(source, part, target) for (source, _, target), part in zip(broken, chosen, strict=True)]
        try:
            return model_of(graph_of(entities, [*case, *parts]).condense())
        except Contradiction:
            continue
    return None


def narrowed_to(constraint: Constraint, times: Sequence[int]) -> Constraint | None:
    """Return a link narrowed to a convex relation around given times; None if it is not convex and does not hold."""
    source, mask, target = constraint
    if source == target or classify(mask) is RelationClass.CONVEX:
        return constraint
    first, second = ((times[2 * entity], times[2 * entity + 1]) for entity in (source, target))
    atom = ATOMS.index(atom_holding(first, second))
    return (source, subrelations_of_class(mask, atom, pointisable=False)[0], target) if mask >> atom & 1 else None
