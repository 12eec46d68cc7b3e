"""The lightest links to drop so that the rest can be true.

Networks of many disjunctions: core-guided search (``disjunctions.cores``). What shows that no lighter repair exists
is searched for again for a certificate (``proofs.cheapest``).

Other networks: implicit hitting sets. Every repair must drop at least one link of every conflict, so the lightest set
of links that hits the conflicts known so far weighs no more than an optimal repair; if what it leaves is consistent, it
is one.

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

``grounds_of`` is this loop. With the values of time expressions it is the same loop over links and values
(``clock.conflicts``).

Reference: Davies and Bacchus (2011), "Solving MAXSAT by solving a sequence of simpler SAT instances".
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import isfinite, lcm
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.model import Link
from temporacle.readings import canonical
from temporacle.reasoner.conflicts.canonical import alternatives
from temporacle.reasoner.conflicts.conflicts import (
    conflict_numbers,
    impossible_links,
    is_matter_for_search,
    smallest_within,
    subnetwork,
)
from temporacle.reasoner.judged import Judged, is_consistent
from temporacle.reasoner.network import Network, TooLarge
from temporacle.reasoner.optimise.choices import minimum_hitting_set
from temporacle.reasoner.points.cycles import disjoint_cycles, links_on_cycles
from temporacle.reasoner.points.hulls import is_convex
from temporacle.relation import Relation
from temporacle.results import Relabelling, Repair, Unrepairable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from temporacle.readings import Reading
    from temporacle.reasoner.network import Budget
    from temporacle.results import Fact

VALUES, LINKS = "values", "links"  # names that protect all facts of a kind, where values are facts


class GroundedRepair(NamedTuple):
    """An optimal repair and what its optimality rests on, as positions of facts."""

    dropped: tuple[int, ...]
    conflicts: tuple[tuple[int, ...], ...] | None  # any set that hits all weighs at least as much; None: by cores
    protected: frozenset[int]

    def at(self, places: Sequence[int]) -> GroundedRepair:
        """Return the repair where the facts are at other positions."""
        conflicts = self.conflicts
        return GroundedRepair(
            tuple(sorted(places[number] for number in self.dropped)),
            None if conflicts is None else tuple(tuple(sorted(places[n] for n in each)) for each in conflicts),
            frozenset(places[number] for number in self.protected),
        )


def repair_grounds(judged: Judged, protect: Collection[str] = ()) -> GroundedRepair | Unrepairable:
    """Return the repair of a document with its grounds, searched for once. ``protect``: ids and labels to keep."""
    return judged.once(_repair_grounds, frozenset(protect))


def _repair_grounds(judged: Judged, protect: frozenset[str]) -> GroundedRepair | Unrepairable:
    return _grounded(judged, named_in(protect))


def repaired(judged: Judged, protect: Collection[str] = ()) -> Repair | Unrepairable:
    """Return the repair of a document, with what could be dropped instead as far as that is known in time."""
    return judged.once(_repaired, frozenset(protect))


def _repaired(judged: Judged, protect: frozenset[str]) -> Repair | Unrepairable:
    grounds = repair_grounds(judged, protect)
    return grounds if isinstance(grounds, Unrepairable) else with_alternatives(judged, grounds)


def with_alternatives(judged: Judged, grounds: GroundedRepair) -> Repair:
    """Return a repair in links, with what could be dropped instead as far as that is known in time."""
    network = judged.network
    found = repair_of(grounds, network.links)
    weights, _ = whole_weights(network.links)
    with suppress(BudgetExceeded):
        instead = alternatives(network, grounds.dropped, weights, grounds.protected, judged.budget)
        return replace(found, alternatives=tuple(tuple(network.links[n] for n in each) for each in instead))
    return found


def repair(
    network: Network, budget: Budget, protect: Callable[[Link], bool] = lambda _link: False
) -> Repair | Unrepairable:
    """Return the lightest links to drop, never a protected one; the conflict among protected links if that is
    impossible.

    Raises BudgetExceeded when the time is over before the answer is known to be optimal.
    """
    found = _grounded(Judged(network, budget), protect)
    return found if isinstance(found, Unrepairable) else repair_of(found, network.links)


def repair_of(grounds: GroundedRepair, facts: Sequence[Fact]) -> Repair:
    """Return the dropped facts and their weight."""
    weights, unit = whole_weights(facts)
    dropped = tuple(facts[number] for number in grounds.dropped)
    return Repair(dropped, sum(weights[number] for number in grounds.dropped) * unit)


def _grounded(judged: Judged, protect: Callable[[Link], bool]) -> GroundedRepair | Unrepairable:
    network, budget = judged.network, judged.budget
    weights, _ = whole_weights(network.links)
    protected = frozenset(number for number, link in enumerate(network.links) if protect(link))
    if not judged.is_convex:
        if is_matter_for_search(network):
            with suppress(TooLarge):
                return _by_search(judged, weights, protected)
        return grounds_of(
            network.links, weights, protected, lambda dropped: conflicts_without(network, dropped, budget), budget
        )
    # A few components usually hold all contradictions: the rest need not be looked at.
    suspects = links_on_cycles(len(network.entities), network.constraints)
    place = {suspect: number for number, suspect in enumerate(suspects)}
    rest = subnetwork(network, suspects)
    found = grounds_of(
        rest.links,
        {number: weights[suspect] for number, suspect in enumerate(suspects)},
        frozenset(place[number] for number in protected if number in place),
        lambda dropped: conflicts_without(rest, dropped, budget),
        budget,
    )
    if isinstance(found, Unrepairable):
        return found
    conflicts = tuple(tuple(suspects[number] for number in conflict) for conflict in found.conflicts or ())
    return GroundedRepair(tuple(suspects[number] for number in found.dropped), conflicts, protected)


def _by_search(judged: Judged, weights: dict[int, int], protected: frozenset[int]) -> GroundedRepair | Unrepairable:
    """Return the repair of many disjunctions. What is kept is judged again, without the solver's selectors."""
    from temporacle.reasoner.disjunctions.cores import lightest_to_drop  # loads numpy

    network, budget = judged.network, judged.budget
    if judged.is_consistent():
        return GroundedRepair((), (), protected)
    impossible = set(impossible_links(network))
    if impossible & protected:
        return Unrepairable((network.links[min(impossible & protected)],))
    left = [number for number in range(len(network.links)) if number not in impossible]
    found = lightest_to_drop(
        len(network.entities),
        [network.constraints[number] for number in left],
        {place: weights[number] for place, number in enumerate(left)},
        {place for place, number in enumerate(left) if number in protected},
        budget,
    )
    if found is None:
        kept = sorted(protected)
        conflict = conflict_numbers(subnetwork(network, kept), budget)
        return Unrepairable(tuple(network.links[kept[number]] for number in conflict))
    dropped = sorted({*impossible, *(left[place] for place in found)})
    gone = set(dropped)
    if not is_consistent(subnetwork(network, [number for number in left if number not in gone]), budget):
        raise InternalError("links that the search keeps are inconsistent")
    return GroundedRepair(tuple(dropped), None, protected)


def grounds_of(
    facts: Sequence[Fact],
    weights: Mapping[int, int],
    protected: frozenset[int],
    find_conflicts: Callable[[set[int]], list[list[int]]],
    budget: Budget,
) -> GroundedRepair | Unrepairable:
    """Return the repair by implicit hitting sets.

    ``find_conflicts``: conflicts among the facts that are not dropped; none only if these are consistent.
    """
    conflicts: list[list[int]] = []
    cores: list[list[int]] = []  # the same without protected facts
    occurrences: Counter[int] = Counter()
    dropped: list[int] = []
    enough: set[int] | None = None  # the last set of dropped facts without which the rest is consistent
    any_will_do = True
    while True:
        trial = set(dropped)
        while trial != enough and (found := find_conflicts(trial)):
            for conflict in found:
                core = [number for number in conflict if number not in protected]
                if not core:
                    return Unrepairable(tuple(facts[number] for number in conflict))
                conflicts.append(conflict)
                cores.append(core)
                occurrences.update(core)
                trial.add(min(core, key=lambda number: (Fraction(weights[number], occurrences[number]), number)))
        enough = trial
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
    gone = set(map(id, repaired.dropped))
    kept = Network((link for link in network.links if id(link) not in gone), network.entities)
    decider = Judged(kept, budget).decider

    def strongest(source: str, target: str) -> Relation:
        if decider is None:
            raise InternalError("a repaired document is inconsistent")
        return Relation(decider.relation(kept.number(source), kept.number(target)))

    return relabellings_by(strongest, repaired, reading, network.links)


def relabellings_by(
    strongest: Callable[[str, str], Relation], repaired: Repair, reading: Reading, links: Sequence[Link]
) -> tuple[Relabelling, ...]:
    """Return other labels for dropped links, from the possible relations of the repaired document."""
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
    whole = {weight: int(each * parts) for weight, each in exact.items()}
    return {number: whole[link.weight] for number, link in enumerate(links)}, Fraction(1, parts)


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
