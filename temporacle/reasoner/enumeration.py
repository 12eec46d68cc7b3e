"""Every scenario of a small graph: the engine that has nothing to be wrong about.

A *scenario* is a weak order of all endpoints: what is left of a model when only the order of its times counts. It is
written as times 0, 1, 2, ... without gaps, so that each scenario has exactly one form; n intervals need at most 2n
times. There are 1, 13, 409, 23,917, 2,244,361, ... scenarios of 1, 2, 3, 4, 5, ... intervals.

The search is a constraint problem for python-constraint: one variable for each entity, whose values are all intervals
within 0..2n-1; one constraint for each link; and one over all of them that leaves no gaps. Links are tested on the
intervals themselves. No composition table and no graph of endpoints is used, so errors in those cannot hide here.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from constraint import BacktrackingSolver, Constraint, Problem

from temporacle.errors import UsageError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.network import Budget, Network, PairTable, blank_table
from temporacle.relation import ATOMS, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Interval: TypeAlias = tuple[int, int]
Scenario: TypeAlias = tuple[Interval, ...]
"""The interval of each entity, in the order of ``network.entities``."""

LARGEST = 6


def scenarios(network: Network, budget: Budget) -> Iterator[Scenario]:
    """Return all scenarios in which every link is true, each once. There can be exponentially many.

    >>> list(scenarios(Network.of([("a", "m", "b")]), Budget()))
    [((0, 1), (1, 2))]
    """
    _check_size(network)
    return _search(network.constraints, len(network.entities), budget)


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the strongest relation of every pair: the atoms that hold in some scenario.

    Six entities have some 300 million scenarios, so they are not all listed. For each pair and each atom that
    none has shown yet, one scenario with this atom is searched for; it shows an atom of every other pair, too.
    """
    _check_size(network)
    size = len(network.entities)
    links = network.constraints
    if next(_search(links, size, budget), None) is None:
        return None
    rows = blank_table(network)
    for i, j in combinations(range(size), 2):
        rows[i][j] = 0
    for i, j in combinations(range(size), 2):
        for atom in range(len(ATOMS)):
            if not rows[i][j] >> atom & 1:
                _show_atoms(rows, next(_search([*links, (i, 1 << atom, j)], size, budget), ()))
        rows[j][i] = converse(rows[i][j])
    return PairTable(network.entities, rows)


def _check_size(network: Network) -> None:
    if len(network.entities) > LARGEST:
        raise UsageError(
            f"enumeration lists every scenario and goes up to {LARGEST} entities, but there are "
            f"{len(network.entities)}: use the engine exact or cpsat"
        )


def _show_atoms(rows: list[list[int]], scenario: Scenario) -> None:
    for i, j in combinations(range(len(scenario)), 2):
        rows[i][j] |= _atom_bit(scenario[i], scenario[j])


@cache
def _atom_bit(x: Interval, y: Interval) -> int:
    return int(Relation.of(atom_holding(x, y)))


def _search(links: Sequence[tuple[int, int, int]], size: int, budget: Budget) -> Iterator[Scenario]:
    if size == 0:
        yield ()
        return
    allowed = _allowed(links)
    if not all(allowed.values()):
        return
    problem = Problem(BacktrackingSolver())
    times = range(2 * size)
    problem.addVariables(range(size), [(start, end) for start in times for end in times[start + 1 :]])
    problem.addConstraint(_WithoutGaps(budget), range(size))
    for (source, target), mask in allowed.items():
        if source == target:
            problem.addConstraint(_self_test(mask), (source,))
        else:
            problem.addConstraint(_test(mask), (source, target))
    for solution in problem.getSolutionIter():
        yield tuple(solution[entity] for entity in range(size))


def _allowed(links: Sequence[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    """Return all links on a pair, in either direction, as one; links that allow every relation are left out.

    The search would see only late that two links clash, and it begins with the variables in most constraints.
    """
    allowed: dict[tuple[int, int], int] = {}
    for source, mask, target in links:
        pair, seen = ((source, target), mask) if source <= target else ((target, source), converse(mask))
        if mask != ALL:
            allowed[pair] = allowed.get(pair, ALL) & seen
    return allowed


def _test(mask: int) -> Callable[[Interval, Interval], bool]:
    return lambda x, y: bool(_atom_bit(x, y) & mask)


def _self_test(mask: int) -> Callable[[Interval], bool]:
    return lambda x: bool(_atom_bit(x, x) & mask)


class _WithoutGaps(Constraint):  # type: ignore[misc]  # python-constraint is not typed
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
