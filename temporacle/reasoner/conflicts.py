"""Minimal conflicts: links that cannot all be true, each of them needed.

Convex links: the globally shortest strict cycle, which is a conflict of the least possible size (``cycles``).
Otherwise a first inconsistent set (a cycle among the hulls, else the links that a short proof rests on, else a CP-SAT
core, else everything), then *deletion*: take each link out in turn and leave it out if the rest is still inconsistent.
Every set is judged by the oracle, so a wrong core costs time, never correctness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.cycles import shortest_strict_cycle
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.tighten import is_convex
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.model import Link


_SHORT_PROOF = 8  # branchings; a longer search on a whole document costs more than CP-SAT


def minimal_conflict(network: Network, budget: Budget) -> tuple[Link, ...]:
    """A minimal inconsistent set of links of an inconsistent network, in the order of a cycle where there is one."""
    return tuple(network.links[number] for number in conflict_numbers(network, budget))


def conflict_numbers(network: Network, budget: Budget) -> list[int]:
    """The same as positions in ``network.links``."""
    impossible = _impossible_link(network)
    if impossible is not None:
        return [impossible]
    cycle = shortest_strict_cycle(len(network.entities), network.constraints, budget)
    if cycle is not None:
        numbers = [edge.link for edge in cycle if edge.link is not None]
        return numbers if is_convex(network.constraints) else shrink(network, numbers, budget)
    return shrink(network, _suspects(network, budget), budget)


def disjoint_conflicts(network: Network, budget: Budget, most: int) -> Iterator[tuple[Link, ...]]:
    """Up to ``most`` minimal conflicts that share no link, so that several can be mended at once."""
    links = list(network.links)
    for _ in range(most):
        rest = Network(links, network.entities)
        if is_consistent(rest, budget):
            return
        conflict = minimal_conflict(rest, budget)
        yield conflict
        blamed = {id(link) for link in conflict}
        links = [link for link in links if id(link) not in blamed]


def _impossible_link(network: Network) -> int | None:
    """A link that is a conflict by itself: no atom at all, or a self-link without "equal"."""
    for number, (source, mask, target) in enumerate(network.constraints):
        if not mask or (source == target and not mask & EQUAL):
            return number
    return None


def _suspects(network: Network, budget: Budget) -> Sequence[int]:
    """An inconsistent set of links: those of a short proof, else a CP-SAT core, or all if that does not hold up."""
    from temporacle.reasoner.cpsat import infeasible_core
    from temporacle.reasoner.proofs import refute

    refutation = refute(network, budget, most_branchings=_SHORT_PROOF)
    if refutation is not None:
        return refutation.used
    core = infeasible_core(network, budget)
    if core and not is_consistent(subnetwork(network, core), budget):
        return core
    if is_consistent(network, budget):
        raise InternalError("a conflict was asked for although the links are consistent")
    return range(len(network.links))


def shrink(network: Network, numbers: Sequence[int], budget: Budget) -> list[int]:
    """Deletion: a minimal inconsistent subset of an inconsistent set. One consistency check per link."""
    kept = list(numbers)
    for number in numbers:
        budget.check()
        fewer = [other for other in kept if other != number]
        if not is_consistent(subnetwork(network, fewer), budget):
            kept = fewer
    return kept


def subnetwork(network: Network, numbers: Sequence[int]) -> Network:
    """Some of the links, and only the entities they mention."""
    return Network(network.links[number] for number in numbers)


def smallest_within(network: Network, numbers: Sequence[int]) -> list[int]:
    """The fewest links that are a conflict among the hulls of some links, which must be one."""
    part = subnetwork(network, numbers)
    cycle = shortest_strict_cycle(len(part.entities), part.constraints)
    if cycle is None:
        raise InternalError("links that were thought to be a conflict are none")
    return [numbers[edge.link] for edge in cycle if edge.link is not None]


def is_consistent(network: Network, budget: Budget) -> bool:
    """Asks the oracle."""
    from temporacle.reasoner.oracle import Oracle

    return Oracle(network, budget=budget).is_consistent()
