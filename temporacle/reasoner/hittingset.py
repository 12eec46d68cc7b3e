"""Minimum hitting sets: the lightest choice of elements that meets every given set.

Among choices of equal weight the fewest elements win, and among those the choice that comes first in the order of its
sorted elements. So the answer depends on the sets alone, not on the way it was found.

    1  a set that contains another is redundant: dropped; sets that share no element do not influence each other
    2  each group is searched by branch and bound: take a smallest set that is not hit, try its elements in order, each
       time without those tried before. Sets that share no element give the lower bound.
    3  a group that proves too hard for that goes to CP-SAT
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.reasoner.network import Budget

_PATIENCE = 150  # steps of branch and bound before CP-SAT takes over


def minimum_hitting_set(
    sets: Iterable[Iterable[int]], weights: Mapping[int, int], budget: Budget, *, any_will_do: bool = False
) -> list[int]:
    """Return the chosen elements, sorted. No set may be empty; weights are integers and not negative.

    ``any_will_do`` saves the search for the first among equals.

    >>> from temporacle.reasoner.network import Budget
    >>> minimum_hitting_set([{1, 2}, {2, 3}, {3, 4}], {1: 1, 2: 1, 3: 1, 4: 1}, Budget())
    [1, 3]
    """
    chosen: list[int] = []
    for group in _groups(_smallest({frozenset(members) for members in sets})):
        elements = {element for members in group for element in members}
        # Two choices differ by fewer elements than there are, so the number never outweighs the weight.
        costs = {element: weights[element] * len(elements) + 1 for element in elements}
        found = search(group, costs, _PATIENCE, any_will_do=any_will_do)
        if found is None:
            from temporacle.reasoner.hittingcpsat import minimum_hitting_set as solve

            found = solve(group, costs, budget, any_will_do=any_will_do)
        chosen += found
    return sorted(chosen)


def _smallest(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets that contain no other set."""
    kept: list[frozenset[int]] = []
    for members in sorted(sets, key=lambda members: (len(members), sorted(members))):
        if not any(smaller <= members for smaller in kept):
            kept.append(members)
    return kept


def _groups(sets: Sequence[frozenset[int]]) -> Iterator[list[frozenset[int]]]:
    """Yield groups of sets that are connected by shared elements."""
    holding: dict[int, list[int]] = {}
    for number, members in enumerate(sets):
        for element in members:
            holding.setdefault(element, []).append(number)
    seen: set[int] = set()
    for first in range(len(sets)):
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for number in group:  # grows while it is read
            for other in (other for element in sets[number] for other in holding[element]):
                if other not in seen:
                    seen.add(other)
                    group.append(other)
        yield [sets[number] for number in sorted(group)]


def search(
    sets: Sequence[frozenset[int]], weights: Mapping[int, int], patience: int, *, any_will_do: bool = False
) -> list[int] | None:
    """Return the result of branch and bound; None if it takes more steps than ``patience``. Weights are positive."""
    best: tuple[int, list[int]] | None = None
    pending: list[tuple[int, tuple[int, ...], frozenset[int], Sequence[frozenset[int]]]] = [
        (0, (), frozenset(), sets)  # weight, chosen, forbidden, sets not hit yet
    ]
    while pending:
        patience -= 1
        if patience < 0:
            return None
        weight, chosen, forbidden, left = pending.pop()
        if not left:
            candidate = weight, sorted(chosen)
            best = candidate if best is None else min(best, candidate)
            continue
        open_sets = sorted((members - forbidden for members in left), key=lambda members: (len(members), min(members)))
        if best is not None and weight + _lower_bound(open_sets, weights) + any_will_do > best[0]:
            continue
        tried: set[int] = set()
        branches = []
        for element in sorted(open_sets[0]):
            without = forbidden | tried
            rest = [members for members in left if element not in members]
            if all(members - without for members in rest):
                branches.append((weight + weights[element], (*chosen, element), without, rest))
            tried.add(element)
        pending += reversed(branches)
    return None if best is None else best[1]


def _lower_bound(sets: Iterable[frozenset[int]], weights: Mapping[int, int]) -> int:
    """Return a lower bound: sets that share no element each cost at least their lightest one."""
    taken: set[int] = set()
    bound = 0
    for members in sets:
        if taken.isdisjoint(members):
            taken |= members
            bound += min(weights[element] for element in members)
    return bound
