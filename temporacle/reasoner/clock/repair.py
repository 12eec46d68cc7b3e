"""The lightest facts to drop so that the rest can be true: the repair of links (``reasoner.repair``), values included.

Implicit hitting sets: every repair drops a fact of every conflict. Links weigh what they weigh, a value weighs 1. Among
repairs of equal weight the one with the fewest facts, and among those the first in the order of the facts, is returned.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from temporacle.model import Link
from temporacle.readings import canonical
from temporacle.reasoner.clock.conflicts import conflict_among
from temporacle.reasoner.conflicts.repair import LINKS, VALUES, GroundedRepair, repair_of, whole_weights
from temporacle.reasoner.optimise.choices import minimum_hitting_set
from temporacle.results import Repair, Unrepairable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from temporacle.reasoner.clock.problem import Fact, Problem
    from temporacle.reasoner.network import Budget


def repair_facts(
    problem: Problem, budget: Budget, protect: Callable[[Fact], bool] = lambda _fact: False
) -> Repair | Unrepairable:
    """Return the facts to drop, never a protected one; the conflict among protected facts if that is impossible."""
    found = grounded_repair_of_facts(problem, budget, protect)
    return found if isinstance(found, Unrepairable) else repair_of(found, problem.facts[: problem.droppable])


def grounded_repair_of_facts(
    problem: Problem, budget: Budget, protect: Callable[[Fact], bool] = lambda _fact: False
) -> GroundedRepair | Unrepairable:
    """Return the repair with the conflicts that show that no lighter one exists."""
    facts = problem.facts[: problem.droppable]
    weights, _ = whole_weights(facts)
    protected = frozenset(number for number, fact in enumerate(facts) if protect(fact))
    conflicts: list[list[int]] = []
    cores: list[list[int]] = []  # the same without protected facts
    occurrences: Counter[int] = Counter()
    dropped: list[int] = []
    enough: set[int] | None = None  # the last set of dropped facts without which the rest is consistent
    any_will_do = True
    while True:
        trial = set(dropped)
        while trial != enough and (conflict := _conflict_without(problem, trial, budget)) is not None:
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
            any_will_do = False
        dropped = minimum_hitting_set(cores, weights, budget, any_will_do=any_will_do)


def _conflict_without(problem: Problem, dropped: Collection[int], budget: Budget) -> list[int] | None:
    return conflict_among(problem, [number for number in problem.every if number not in dropped], budget)


def named_among(names: Collection[str]) -> Callable[[Fact], bool]:
    """Return the facts that are named by id or kind (values, links), or the links that are named by label."""
    labels = {canonical(name) for name in names}

    def is_named(fact: Fact) -> bool:
        if fact.id in names:
            return True
        if isinstance(fact, Link):
            return LINKS in names or canonical(fact.label) in labels
        return VALUES in names

    return is_named
