"""A model near another one: what is left to do when a model breaks only a few links.

Every disjunction that holds at the given times is narrowed to a convex relation around them, and one that does not to
one of its convex parts. The links are then convex, and one pass over the endpoint graph finds a model of them, if there
is one. A model that is found is a model of the links; finding none says nothing about them.
"""

from __future__ import annotations

from functools import cache
from itertools import islice, product
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import RelationClass, atoms_in, classify, convex_pieces, subrelations_of_class
from temporacle.reasoner.pointgraph import Contradiction, model_of
from temporacle.reasoner.tighten import graph_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Constraint = tuple[int, int, int]  # source, mask, target

_ATTEMPTS = 3  # choices of parts


def nearby_model(entities: int, constraints: Sequence[Constraint], atoms: Sequence[int]) -> list[int] | None:
    """Return times of all points with which all links are true; None if none were found.

    ``atoms``: the atom that holds between the ends of each link at known times, as a mask.

    >>> nearby_model(3, [(0, 1, 1), (1, 1, 2), (0, 1 | 1 << 12, 2)], [1, 1 << 12, 1])
    [0, 1, 2, 3, 4, 5]
    """
    case = narrowed(constraints, atoms)
    broken = [number for number, (_, part, _) in enumerate(case) if not part]
    choices = product(*(convex_pieces(constraints[number][1]) for number in broken))
    for chosen in islice(choices, _ATTEMPTS):
        for number, part in zip(broken, chosen, strict=True):
            source, _, target = constraints[number]
            case[number] = source, part, target
        try:
            return model_of(graph_of(entities, case).condense())
        except Contradiction:
            continue
    return None


def narrowed(constraints: Sequence[Constraint], atoms: Sequence[int]) -> list[Constraint]:
    """Return the links narrowed to convex relations around the atoms that hold; empty where one does not hold.

    Links that are convex stay as they are.
    """
    return [
        (source, _part_around(mask, atom), target)
        for (source, mask, target), atom in zip(constraints, atoms, strict=True)
    ]


@cache
def _part_around(mask: int, atom: int) -> int:
    if classify(mask) is RelationClass.CONVEX:
        return mask
    return subrelations_of_class(mask, atoms_in(atom)[0], pointisable=False)[0] if mask & atom else 0
