"""Minimal conflicts: links that cannot all be true, each of them needed.

Convex links: the globally shortest strict cycle, which is a conflict of the least possible size (``cycles``).
Networks of many disjunctions: a core of the search, made smaller on the same solver (``cores``).
Otherwise a first inconsistent set (a cycle among the hulls, else the links that a short proof rests on, else a core of
a solver, else everything), then *deletion*: take each link out in turn and leave it out if the rest is still
inconsistent. Every set is judged by the oracle, so a wrong core costs time, never correctness.

Of another engine than exact only consistency is asked: its conflicts are found by halving the links.

When the time is over before each link is known to be needed, ``NotMinimal`` is raised. It carries a conflict.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.disjunctions.cases import refute
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.judged import Judged, is_consistent
from temporacle.reasoner.network import Budget, Network, NotMinimal, TooLarge
from temporacle.reasoner.points.cycles import shortest_strict_cycle
from temporacle.reasoner.points.hulls import is_convex
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.model import Link

_MANY_DISJUNCTIONS = 12  # links; a longer list is a matter for the search
_SHORT_PROOF = 8  # branchings; a longer search on a whole document costs more than a core


def conflict_of(judged: Judged) -> tuple[int, ...]:
    """Return the conflict of a document, searched for once, as positions of its links."""
    return judged.once(_conflict)


def _conflict(judged: Judged) -> tuple[int, ...]:
    if judged.engine is not None:
        return tuple(_by_engine(judged))
    return tuple(conflict_numbers(judged.network, judged.budget))


def _by_engine(judged: Judged) -> list[int]:
    """Return a minimal conflict found by asking an engine about consistency, and nothing else.

    The links are halved again and again (Junker's QuickXplain): a conflict of k links among n takes some k log n
    questions, not n.
    """
    links = judged.network.links

    def contradict(numbers: Sequence[int]) -> bool:
        judged.budget.check()
        return not judged.of(links[number] for number in numbers).is_consistent()

    def needed(given: list[int], numbers: list[int], *, grown: bool) -> list[int]:
        """Return the links of ``numbers`` that are needed for a contradiction beside the given ones."""
        if grown and contradict(given):
            return []
        if len(numbers) == 1:
            return numbers
        first, second = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
        behind = needed([*given, *first], second, grown=True)
        return [*needed([*given, *behind], first, grown=bool(behind)), *behind]

    try:
        return needed([], list(range(len(links))), grown=False)
    except BudgetExceeded as limit:
        raise NotMinimal(str(limit), links, range(len(links))) from None


def minimal_conflict(network: Network, budget: Budget) -> tuple[Link, ...]:
    """Return a minimal inconsistent set of links of an inconsistent network, in the order of a cycle if any."""
    return tuple(network.links[number] for number in conflict_numbers(network, budget))


def conflict_numbers(network: Network, budget: Budget) -> list[int]:
    """Return a minimal conflict as positions in ``network.links``."""
    impossible = next(impossible_links(network), None)
    if impossible is not None:
        return [impossible]
    cycle = shortest_strict_cycle(len(network.entities), network.constraints, budget)
    if cycle is not None:
        numbers = [edge.link for edge in cycle if edge.link is not None]
        return numbers if is_convex(network.constraints) else shrink(network, numbers, budget)
    if is_matter_for_search(network):
        with suppress(TooLarge):
            return _by_search(network, budget)
    return shrink(network, _suspects(network, budget), budget)


def count_disjunctive(network: Network) -> int:
    """Return how many links are not convex."""
    return sum(classify(mask) is not RelationClass.CONVEX for _, mask, _ in network.constraints)


def is_matter_for_search(network: Network) -> bool:
    """Return whether the links have many disjunctions and python-sat is available to search them."""
    return count_disjunctive(network) > _MANY_DISJUNCTIONS and is_available()


def _by_search(network: Network, budget: Budget) -> list[int]:
    """Return a minimal conflict found with one incremental solver and confirmed by the oracle."""
    from temporacle.reasoner.disjunctions.cores import minimal_core

    core = minimal_core(network, budget)
    if core is None:
        raise InternalError("a conflict was asked for although the links are consistent")
    check_core(network, core, budget)
    return core


def check_core(network: Network, core: Sequence[int], budget: Budget) -> None:
    """Check with the oracle that a solver's core is a conflict. Unlike the solver, it narrows relations first."""
    if is_consistent(subnetwork(network, core), budget):
        raise InternalError("links that the search blames are consistent")


def impossible_links(network: Network) -> Iterator[int]:
    """Return links that are a conflict by themselves: a relation without atoms, or a self-link without "equal"."""
    for number, (source, mask, target) in enumerate(network.constraints):
        if not mask or (source == target and not mask & EQUAL):
            yield number


def _suspects(network: Network, budget: Budget) -> Sequence[int]:
    """Return an inconsistent set of links: those of a short proof, else a confirmed core of the solver, else all."""
    refutation = refute(network, budget, most_branchings=_SHORT_PROOF)
    if refutation is not None:
        return refutation.used
    core = None
    if is_available():
        from temporacle.reasoner.disjunctions.cores import first_core  # loads numpy

        with suppress(TooLarge):
            core = first_core(network, budget)
    if core and not is_consistent(subnetwork(network, core), budget):
        return core
    if is_consistent(network, budget):
        raise InternalError("a conflict was asked for although the links are consistent")
    return range(len(network.links))


def shrink(network: Network, numbers: Sequence[int], budget: Budget) -> list[int]:
    """Return a minimal inconsistent subset of an inconsistent set, by deletion.

    It takes one consistency check per link.
    """
    kept = list(numbers)
    try:
        for number in numbers:
            budget.check()
            fewer = [other for other in kept if other != number]
            if not is_consistent(subnetwork(network, fewer), budget):
                kept = fewer
    except BudgetExceeded as limit:
        raise NotMinimal(str(limit), network.links, kept) from None
    return kept


def subnetwork(network: Network, numbers: Sequence[int]) -> Network:
    """Return a network of some of the links, with only the entities they mention."""
    return Network(network.links[number] for number in numbers)


def smallest_within(network: Network, numbers: Sequence[int]) -> list[int]:
    """Return the smallest conflict among the hulls of some links. The hulls must contradict each other."""
    part = subnetwork(network, numbers)
    cycle = shortest_strict_cycle(len(part.entities), part.constraints)
    if cycle is None:
        raise InternalError("links that should contradict each other are consistent")
    return [numbers[edge.link] for edge in cycle if edge.link is not None]
