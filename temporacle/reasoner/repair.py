"""The lightest links to drop so that the rest can be true: an optimal repair by implicit hitting sets.

Every repair must drop at least one link of every conflict, so the lightest set of links that hits the conflicts known
so far weighs no more than an optimal repair; if what it leaves is consistent, it is one.

    conflicts = {}
    repeat  dropped = minimum hitting set of conflicts
            repeat  new = conflicts that share no link, among the links that are not dropped
                    conflicts += new; drop one more link of each, whichever occurs in most conflicts
            until   there are none
            if nothing had to be added to the minimum: return it

The inner loop is only there to collect many conflicts for each hitting set that has to be solved exactly. Each round
forbids the last choice, so this ends. Among repairs of equal weight one with the fewest links is returned, and among
those the one whose links come first in the document: it is the first among all sets that hit the known conflicts, hence
the first among the repairs, whichever conflicts were found. Conflicts are cycles among the hulls as long as there are
any; the others are found by the oracle.

Reference: Davies and Bacchus (2011), "Solving MAXSAT by solving a sequence of simpler SAT instances".
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from math import isfinite, lcm
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.model import Link
from temporacle.readings import canonical
from temporacle.reasoner.conflicts import (
    check_core,
    conflict_numbers,
    impossible_links,
    is_consistent,
    is_matter_for_search,
    smallest_within,
    subnetwork,
)
from temporacle.reasoner.cycles import disjoint_cycles, links_on_cycles
from temporacle.reasoner.hittingset import minimum_hitting_set
from temporacle.reasoner.network import Network, TooLarge
from temporacle.reasoner.tighten import is_convex
from temporacle.results import Relabelling, Repair, Unrepairable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from temporacle.readings import Reading
    from temporacle.reasoner.cores import SelectedLinks
    from temporacle.reasoner.network import Budget
    from temporacle.relation import Relation
    from temporacle.results import Fact


VALUES, LINKS = "values", "links"  # names that protect all facts of a kind, where values are facts


class GroundedRepair(NamedTuple):
    """An optimal repair and what its optimality rests on, as positions of facts."""

    dropped: tuple[int, ...]
    conflicts: tuple[tuple[int, ...], ...]  # any set that hits all of them weighs at least as much
    protected: frozenset[int]


def repair(
    network: Network, budget: Budget, protect: Callable[[Link], bool] = lambda _link: False
) -> Repair | Unrepairable:
    """Return the lightest links to drop, never a protected one; the conflict among protected links if that is
    impossible.

    Raises BudgetExceeded when the time is over before the answer is known to be optimal.
    """
    found = grounded_repair(network, budget, protect)
    return found if isinstance(found, Unrepairable) else repair_of(found, network.links)


def repair_of(grounds: GroundedRepair, facts: Sequence[Fact]) -> Repair:
    """Return the dropped facts and their weight."""
    weights, unit = whole_weights(facts)
    dropped = tuple(facts[number] for number in grounds.dropped)
    return Repair(dropped, sum(weights[number] for number in grounds.dropped) * unit)


def grounded_repair(
    network: Network, budget: Budget, protect: Callable[[Link], bool] = lambda _link: False
) -> GroundedRepair | Unrepairable:
    """Return the repair with the conflicts that show that no lighter one exists."""
    weights, _ = whole_weights(network.links)
    protected = frozenset(number for number, link in enumerate(network.links) if protect(link))
    if not is_convex(network.constraints):
        return _grounds(network, weights, protected, budget)
    # A few components usually hold all contradictions: the rest need not be looked at.
    suspects = links_on_cycles(len(network.entities), network.constraints)
    place = {suspect: number for number, suspect in enumerate(suspects)}
    found = _grounds(
        subnetwork(network, suspects),
        {number: weights[suspect] for number, suspect in enumerate(suspects)},
        frozenset(place[number] for number in protected if number in place),
        budget,
    )
    if isinstance(found, Unrepairable):
        return found
    conflicts = tuple(tuple(suspects[number] for number in conflict) for conflict in found.conflicts)
    return GroundedRepair(tuple(suspects[number] for number in found.dropped), conflicts, protected)


def _grounds(
    network: Network, weights: dict[int, int], protected: frozenset[int], budget: Budget
) -> GroundedRepair | Unrepairable:
    links = network.links
    find_conflicts = conflict_finder(network, budget)
    conflicts: list[list[int]] = []
    cores: list[list[int]] = []  # the same without protected links
    occurrences: Counter[int] = Counter()
    dropped: list[int] = []
    any_will_do = True
    while True:
        trial = set(dropped)
        while found := find_conflicts(trial):
            for conflict in found:
                core = [number for number in conflict if number not in protected]
                if not core:
                    return Unrepairable(tuple(links[number] for number in conflict))
                conflicts.append(conflict)
                cores.append(core)
                occurrences.update(core)
                trial.add(min(core, key=lambda number: (Fraction(weights[number], occurrences[number]), number)))
        if len(trial) == len(dropped):
            if not any_will_do:
                return GroundedRepair(tuple(dropped), tuple(map(tuple, conflicts)), protected)
            any_will_do = False  # of least weight: now the first of them
        dropped = minimum_hitting_set(cores, weights, budget, any_will_do=any_will_do)


def named_in(names: Collection[str]) -> Callable[[Link], bool]:
    """Return the links that are named by id or by label."""
    labels = {canonical(name) for name in names}
    return lambda link: link.id in names or canonical(link.label) in labels


def relabellings(network: Network, repaired: Repair, reading: Reading, budget: Budget) -> tuple[Relabelling, ...]:
    """Return, for each dropped link, the labels that would be consistent with the repaired document, one link at a
    time.

    Proposed are the labels of the reading's own scheme, and others that the document uses.
    """
    from temporacle.reasoner.oracle import Oracle

    gone = set(map(id, repaired.dropped))
    oracle = Oracle(Network((link for link in network.links if id(link) not in gone), network.entities), budget=budget)
    return relabellings_by(oracle.strongest, repaired, reading, network.links)


def relabellings_by(
    strongest: Callable[[str, str], Relation], repaired: Repair, reading: Reading, links: Sequence[Link]
) -> tuple[Relabelling, ...]:
    """Return the same, if the possible relations between two entities of the repaired document are known."""
    foreign = reading.foreign - {canonical(link.label) for link in links}
    found = []
    for link in repaired.dropped:
        if isinstance(link, Link):
            possible = strongest(link.source, link.target)
            labels = tuple(
                label
                for label, meaning in reading.labels.items()
                if meaning & possible and not meaning.is_universal and label not in foreign
            )
            found.append(Relabelling(link, possible, labels))
    return tuple(found)


def whole_weights(links: Sequence[Fact]) -> tuple[dict[int, int], Fraction]:
    """Return weights as integers of a common unit, exactly as written in decimal."""
    exact: dict[float, Fraction] = {}
    for weight in {link.weight for link in links}:
        if not isfinite(weight) or weight < 0:
            link = next(link for link in links if not isfinite(link.weight) or link.weight < 0)
            raise UsageError(f"link {link.id} weighs {link.weight}: a weight is a number that is not negative")
        exact[weight] = Fraction(str(weight))
    parts = lcm(*(weight.denominator for weight in exact.values()))
    return {number: int(exact[link.weight] * parts) for number, link in enumerate(links)}, Fraction(1, parts)


def conflict_finder(network: Network, budget: Budget) -> Callable[[set[int]], list[list[int]]]:
    """Return a function that finds conflicts among the kept links; none only if these are consistent."""
    if is_matter_for_search(network):
        from temporacle.reasoner.cores import SelectedLinks

        with suppress(TooLarge):
            selected = SelectedLinks(len(network.entities), network.constraints, budget)
            return lambda dropped: _conflicts_by_search(network, selected, dropped, budget)
    return lambda dropped: conflicts_without(network, dropped, budget)


def _conflicts_by_search(
    network: Network, selected: SelectedLinks, dropped: set[int], budget: Budget
) -> list[list[int]]:
    """Return minimal conflicts that share no link, on one solver for all rounds."""
    from temporacle.reasoner.cores import shrink_core

    impossible = next((n for n in impossible_links(network) if n not in dropped), None)
    if impossible is not None:
        return [[impossible]]
    left = [number for number in range(len(network.links)) if number not in dropped]
    found = []
    while (core := selected.core(left)) is not None:
        conflict = shrink_core(selected, network, core)
        check_core(network, conflict, budget)
        found.append(conflict)
        left = sorted(set(left).difference(conflict))
    return found


def conflicts_without(network: Network, dropped: set[int], budget: Budget) -> list[list[int]]:
    """Return some conflicts that share no link among the kept links; none only if these are consistent."""
    budget.check()
    left = [number for number in range(len(network.links)) if number not in dropped]
    rest = subnetwork(network, left)
    cycles = disjoint_cycles(len(rest.entities), rest.constraints, budget)
    if cycles or is_convex(rest.constraints):
        return [
            [left[number] for number in smallest_within(rest, [edge.link for edge in cycle if edge.link is not None])]
            for cycle in cycles
        ]
    found = []
    while not is_consistent(rest, budget):
        conflict = [left[number] for number in conflict_numbers(rest, budget)]
        found.append(conflict)
        left = sorted(set(left).difference(conflict))
        rest = subnetwork(network, left)
    return found
