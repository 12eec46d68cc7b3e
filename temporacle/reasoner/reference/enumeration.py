"""Every scenario of a small graph: the engine that has nothing to be wrong about.

A *scenario* is a weak order of all endpoints: what is left of a model when only the order of its times counts. It is
written as times 0, 1, 2, ... without gaps, so that each scenario has exactly one form; n intervals need at most 2n
times. There are 1, 13, 409, 23,917, 2,244,361, ... scenarios of 1, 2, 3, 4, 5, ... intervals.

The search is a constraint problem for python-constraint: one variable for each entity, whose values are all intervals
within 0..2n-1; one constraint for each link; and, to list each scenario once, one over all of them that leaves no
gaps. Links are tested on the intervals themselves. No composition table and no graph of endpoints is used, so errors in
those cannot hide here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from constraint import BacktrackingSolver, Constraint, Problem

from temporacle.reasoner.reference.engines import require_size
from temporacle.reasoner.reference.models import ByModels
from temporacle.relation import EVERYTHING, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.reasoner.network import Budget, Network, PairTable

Interval: TypeAlias = tuple[int, int]
Scenario: TypeAlias = tuple[Interval, ...]
"""The interval of each entity, in the order of ``network.entities``."""


def scenarios(network: Network, budget: Budget) -> Iterator[Scenario]:
    """Return all scenarios in which every link is true, each once. There can be exponentially many.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> list(scenarios(Network.of([("a", "m", "b")]), Budget()))
    [((0, 1), (1, 2))]
    """
    require_size("enumeration", len(network.entities))
    return _search(network.constraints, len(network.entities), budget)


def decider(network: Network, budget: Budget) -> ByModels:
    """Return what answers all questions about a small network, each by a search unless one found before shows it.

    A question is about the entities that links connect with it. All others keep the intervals of the first scenario:
    nothing connects the two parts. Gaps do not matter here, because one scenario is enough.
    """
    require_size("enumeration", len(network.entities))
    size = len(network.entities)
    links = network.constraints

    @cache
    def whole() -> dict[int, Interval] | None:
        found: dict[int, Interval] = {}
        for entity in range(size):
            if entity not in found:
                part = _part(links, entity, budget)
                if part is None:
                    return None
                found |= part
        return found

    def find(question: tuple[int, int, int] | None) -> list[int] | None:
        first = whole()
        part = first if question is None or first is None else _part([*links, question], question[0], budget)
        if first is None or part is None:
            return None
        return [time for entity in range(size) for time in part.get(entity, first[entity])]

    return ByModels(network, find)


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the strongest relation of every pair: the atoms that hold in some scenario.

    Six entities have some 300 million scenarios, so they are not all listed. For each pair one scenario after another
    is searched for, each with an atom that none has shown yet. It shows an atom of every other pair as well.
    """
    return decider(network, budget).closure()


@cache
def _atom_bit(x: Interval, y: Interval) -> int:
    return int(Relation.of(atom_holding(x, y)))


def _search(links: Sequence[tuple[int, int, int]], size: int, budget: Budget) -> Iterator[Scenario]:
    if size == 0:
        yield ()
        return
    problem = _problem(links, range(size), _WithoutGaps(budget))
    for solution in () if problem is None else problem.getSolutionIter():
        yield tuple(solution[entity] for entity in range(size))


def _part(links: Sequence[tuple[int, int, int]], entity: int, budget: Budget) -> dict[int, Interval] | None:
    """Return intervals of all entities that links connect with one of them; None if there are none."""
    members = {entity}
    while (
        more := {end for source, _, target in links if {source, target} & members for end in (source, target)} - members
    ):
        members |= more
    among = [link for link in links if link[0] in members]
    problem = _problem(among, sorted(members), _InTime(budget))
    solution: dict[int, Interval] | None = None if problem is None else problem.getSolution()
    return solution


def _problem(links: Sequence[tuple[int, int, int]], entities: Sequence[int], together: Constraint) -> Problem | None:
    """Return the constraint problem of some links; None if one of them allows nothing."""
    allowed = _allowed(links)
    if not all(allowed.values()):
        return None
    problem = Problem(BacktrackingSolver())
    times = range(2 * len(entities))
    problem.addVariables(entities, [(start, end) for start in times for end in times[start + 1 :]])
    problem.addConstraint(together, entities)
    for (source, target), mask in allowed.items():
        if source == target:
            problem.addConstraint(_self_test(mask), (source,))
        else:
            problem.addConstraint(_test(mask), (source, target))
    return problem


def _allowed(links: Sequence[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    """Return all links on a pair, in either direction, as one; links that allow every relation are left out.

    The search would see only late that two links clash, and it begins with the variables in most constraints.
    """
    allowed: dict[tuple[int, int], int] = {}
    for source, mask, target in links:
        relation = Relation(mask)
        pair, seen = ((source, target), relation) if source <= target else ((target, source), relation.converse())
        if not relation.is_universal:
            allowed[pair] = allowed.get(pair, EVERYTHING) & seen
    return allowed


def _test(mask: int) -> Callable[[Interval, Interval], bool]:
    return lambda x, y: bool(_atom_bit(x, y) & mask)


def _self_test(mask: int) -> Callable[[Interval], bool]:
    return lambda x: bool(_atom_bit(x, x) & mask)


class _InTime(Constraint):  # type: ignore[misc]  # python-constraint is not typed
    """Looks at the clock after every step of the search."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def __call__(self, _variables: Sequence[int], _domains: Any, _assignments: dict[int, Interval], *_: Any) -> bool:
        self._budget.check()
        return True


class _WithoutGaps(Constraint):  # type: ignore[misc]
    """Every time up to the latest is used by some endpoint.

    While k intervals are still to be placed, up to 2k times may be missing. It is asked after every step of the
    search, and so it also looks at the clock.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def __call__(self, variables: Sequence[int], _domains: Any, assignments: dict[int, Interval], *_: Any) -> bool:
        self._budget.check()
        used = {time for interval in assignments.values() for time in interval}
        return max(used) + 1 - len(used) <= 2 * (len(variables) - len(assignments))
