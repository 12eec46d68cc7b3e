"""The lightest links to drop from a network of disjunctions: core-guided search on a selector for each link.

To keep a link is a wish that costs the link's weight (``core_guided``). Weights are scaled so that among repairs of
equal weight one with fewer links costs less. The solver then knows which wishes are true in the optimal repairs and in
no others, and the first of these repairs is found with a few more questions:

    d = the next dropped link of the last model
    is there an optimal repair that drops an earlier one as well, the links before being settled?
    yes: take that model;  no: d is dropped, what stands before it is kept; go on behind it
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.disjunctions.cores import SelectedLinks
from temporacle.reasoner.optimise.core_guided import least_cost

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from temporacle.reasoner.network import Budget


def lightest_to_drop(
    entities: int,
    constraints: Sequence[tuple[int, int, int]],
    weights: Mapping[int, int],
    protected: Collection[int],
    budget: Budget,
) -> list[int] | None:
    """Return the numbers of the links to drop, the first of the optimal choices; None if the protected links contradict
    each other.

    No link may be a contradiction by itself. Raises TooLarge where there would be too many clauses.
    """
    links = SelectedLinks(entities, constraints, budget)
    try:
        for number in protected:
            links.keep(number)
        free = [
            number
            for number, (source, _, target) in enumerate(constraints)
            if source != target and number not in protected
        ]
        costs = {number: weights[number] * (len(free) + 1) + 1 for number in free}
        unit = gcd(*costs.values()) or 1
        found = least_cost(links, {links.selector(number): cost // unit for number, cost in costs.items()})
        if found is None:
            return None
        dropped = _first(links, free, found.wishes)
        if sum(costs[number] for number in dropped) != found.cost * unit:
            raise InternalError("the links that the search drops do not weigh what it says")
        return dropped
    finally:
        links.close()


def _first(links: SelectedLinks, free: Sequence[int], wishes: Sequence[int]) -> list[int]:
    """Return the first optimal choice, in which all these wishes are true. The last model is one of them."""
    settled: list[int] = list(wishes)
    if not links.solve(settled):
        raise InternalError("what the search calls optimal is impossible")
    dropped: list[int] = []
    start = 0
    while True:
        place = next((place for place in range(start, len(free)) if not links.is_on(free[place])), None)
        if place is None:
            return dropped
        before = [links.selector(number) for number in free[start:place]]
        if before:
            switch = links.new_variable()
            links.add_clauses([[-switch, *(-selector for selector in before)]])
            if links.solve([*settled, switch]):
                continue
        settled += [*before, -links.selector(free[place])]
        if not links.solve(settled):
            raise InternalError("a repair that was found is impossible")
        dropped.append(free[place])
        start = place + 1
