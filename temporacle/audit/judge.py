"""One answer against the exact closure of the same links.

For each pair let *claimed* be the intersection of all claims on it (everything, if there is none) and *exact* the
strongest relation that follows:

    unsound      exact is not inside claimed: some model of the links breaks a claim
                 - wrong         claimed and exact exclude each other: no model satisfies the claim
                 - over-claimed  otherwise
    incomplete   claimed is sound and larger than exact: something follows that the claims do not imply
                 - missed atom         exact is one atom: what most closures promise to find
                 - missed disjunction  exact has several

A pair is reported once: an unsound claim says more about the cause than what is also missing there. A pair with a
claim that could not be read is not called incomplete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporacle.audit.answers import Closed, Declined, Failed, Failure, SaidInconsistent
from temporacle.audit.faults import Fault, FaultKind, Manner
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.audit.answers import ClosureAnswer
    from temporacle.audit.graphs import Graph
    from temporacle.model import Link
    from temporacle.reasoner.network import Network, PairTable

_OF_FAILURE = {
    Failure.EXCEPTION: Manner.EXCEPTION,
    Failure.DIED: Manner.DIED,
    Failure.TIMEOUT: Manner.TIMEOUT,
    Failure.MALFORMED: Manner.MALFORMED,
}


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The result of a comparison, and what was wrong."""

    faults: tuple[Fault, ...]
    consistent: bool  # what is true of the links
    pairs: int = 0  # pairs of entities compared


def judge(network: Network, answer: ClosureAnswer, exact: PairTable | None) -> JudgedAnswer:
    """Compare. ``exact`` is the minimal network, None if the links are inconsistent."""
    consistent = exact is not None
    match answer:
        case Declined():
            return JudgedAnswer((), consistent)
        case Failed():
            return JudgedAnswer((Fault(FaultKind.CRASH, _OF_FAILURE[answer.how], reason=answer.reason),), consistent)
        case SaidInconsistent():
            alarm = Fault(FaultKind.FALSE_INCONSISTENCY, Manner.FALSE_ALARM)
            return JudgedAnswer((alarm,) if consistent else (), consistent)
        case Closed():
            if exact is None:
                fault = Fault(FaultKind.MISSED_INCONSISTENCY, _manner_of_going_on(network, answer))
                return JudgedAnswer((fault,), consistent)
            size = len(exact.entities)
            faults = tuple(fault for fault in _pair_faults(answer.claims, exact) if _is_fair(fault, answer))
            return JudgedAnswer(faults, consistent, size * (size - 1) // 2)


def _is_fair(fault: Fault, answer: Closed) -> bool:
    """Return whether a fault may be reported.

    A missing relation may not be reported if a claim that could not be read may have stated it.
    """
    if fault.kind is not FaultKind.INCOMPLETE:
        return True
    assert fault.pair is not None  # noqa: S101 - narrows the type only
    return not answer.torn and fault.pair not in answer.unread and fault.pair[::-1] not in answer.unread


def combined(claims: Graph) -> dict[tuple[str, str], int]:
    """Return the relation that all claims about a pair give together, for each pair, in both directions."""
    together: dict[tuple[str, str], int] = {}
    for source, relation, target in claims:
        mask = int(relation)
        together[source, target] = together.get((source, target), ALL) & mask
        together[target, source] = together.get((target, source), ALL) & converse(mask)
    return together


def _pair_faults(claims: Graph, exact: PairTable) -> Iterator[Fault]:
    """Yield the faults of all pairs. A pair about which nothing is claimed and nothing follows has none."""
    claimed = combined(claims)
    names = exact.entities
    number = {name: i for i, name in enumerate(names)}
    partners: dict[str, set[int]] = {}  # the numbers of entities that something is claimed about
    for source, target in claimed:
        if target in number:
            partners.setdefault(source, set()).add(number[target])
    for i, source in enumerate(names):
        itself = claimed.get((source, source), ALL)
        if not itself & EQUAL:
            yield Fault(FaultKind.UNSOUND, Manner.WRONG, (source, source), Relation(itself), EQUAL)
        row = exact.rows[i]
        for j in sorted({*_related(row), *partners.get(source, ())}):
            if j <= i:
                continue
            mask, truth = claimed.get((source, names[j]), ALL), int(row[j])
            if mask != truth:
                yield _pair_fault((source, names[j]), mask, truth)
    yield from _about_strangers(claimed, set(names))


def _related(row: Sequence[int]) -> list[int]:
    """Return the numbers of the entities to which not every relation is possible."""
    import numpy as np

    related: list[int] = np.flatnonzero(np.asarray(row) != ALL).tolist()
    return related


def _pair_fault(pair: tuple[str, str], claimed: int, exact: int) -> Fault:
    both = Relation(claimed), Relation(exact)
    if not exact & ~claimed:
        manner = Manner.MISSED_ATOM if exact.bit_count() == 1 else Manner.MISSED_DISJUNCTION
        return Fault(FaultKind.INCOMPLETE, manner, pair, *both)
    return Fault(FaultKind.UNSOUND, Manner.OVER_CLAIMED if claimed & exact else Manner.WRONG, pair, *both)


def _about_strangers(claimed: dict[tuple[str, str], int], known: set[str]) -> Iterator[Fault]:
    """Yield claims about entities that no link mentions. Nothing follows about them."""
    for (source, target), mask in claimed.items():
        if (source in known and target in known) or source > target:
            continue
        truth = int(EQUAL) if source == target else ALL
        if truth & ~mask:
            yield _pair_fault((source, target), mask, truth)


def _manner_of_going_on(network: Network, answer: Closed) -> Manner:
    """Return the faults of an answer to links that contradict each other."""
    claimed = combined(answer.claims)
    stated = combined(tuple((link.source, link.relation, link.target) for link in network.links))
    for source, mask, target in _innocent(network):
        if claimed.get((source, target), ALL) & ~mask:
            return Manner.LOSES_LINKS if claimed else Manner.EMPTIES
    disputed = {pair for pair, mask in stated.items() if not mask}
    for (source, target), mask in claimed.items():
        if not mask and source != target and (source, target) not in disputed:
            return Manner.EXPLODES
    return Manner.GOES_ON


def _innocent(network: Network) -> Iterable[tuple[str, int, str]]:
    """Yield links that are certainly not part of a contradiction.

    The only link of an entity has none: wherever the other end lies, there is room for an entity in that relation. So
    such links are peeled off again and again; and so have the links of a connected part that is consistent by itself
    (convex parts only: there that costs next to nothing).
    """
    links = [link for link in network.links if link.relation]
    at: dict[str, set[int]] = {}
    for number, link in enumerate(links):
        at.setdefault(link.source, set()).add(number)
        at.setdefault(link.target, set()).add(number)
    left = set(range(len(links)))
    leaves = [name for name, numbers in at.items() if len(numbers) == 1]
    while leaves:
        name = leaves.pop()
        for number in tuple(at[name]):
            link = links[number]
            if link.source == link.target:
                continue
            yield link.source, int(link.relation), link.target
            left.discard(number)
            other = link.target if link.source == name else link.source
            at[name].discard(number)
            at[other].discard(number)
            if len(at[other]) == 1:
                leaves.append(other)
    rest = [links[number] for number in sorted(left)]
    part = _parts((link.source, link.target) for link in rest)
    together: dict[str, list[Link]] = {}
    for link in rest:
        together.setdefault(part[link.source], []).append(link)
    for members in together.values():
        oracle = Oracle(members)
        if oracle.is_convex and oracle.is_consistent():
            yield from ((link.source, int(link.relation), link.target) for link in members)


def _parts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return one representative of its connected component for each entity."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        leader.setdefault(name, name)
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for first, second in pairs:
        leader[find(first)] = find(second)
    return {name: find(name) for name in list(leader)}
