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
from typing import TYPE_CHECKING, Any

from temporacle.audit.answers import Closed, Declined, Failed, Failure, Fault, FaultKind, Manner, SaidInconsistent
from temporacle.checker import DOCUMENT
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.graph import strong_components
from temporacle.reasoner.points.paths import LinksBetween
from temporacle.reasoner.proofs.certificate import certify, certify_entailment, to_json
from temporacle.relation import EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.audit.answers import ClosureAnswer, Graph
    from temporacle.reasoner.network import PairTable
    from temporacle.results import Certificate, Witness

_OF_FAILURE = {failure: Manner[failure.name] for failure in Failure}


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The result of a comparison, and what was wrong."""

    faults: tuple[Fault, ...]
    consistent: bool  # what is true of the links
    pairs: int = 0  # pairs of entities compared


def judge(
    network: Network, answer: ClosureAnswer, exact: PairTable | None, budget: Budget | None = None
) -> JudgedAnswer:
    """Compare. ``exact`` is the minimal network, None if the links are inconsistent."""
    budget = budget or Budget()
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
                fault = Fault(FaultKind.MISSED_INCONSISTENCY, _manner_of_going_on(network, answer, budget))
                return JudgedAnswer((fault,), consistent)
            size = len(exact.entities)
            faults = tuple(fault for fault in _pair_faults(answer.claims, exact, budget) if _is_fair(fault, answer))
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


def _pair_faults(claims: Graph, exact: PairTable, budget: Budget) -> Iterator[Fault]:
    """Yield the faults of all pairs. A pair about which nothing is claimed and nothing follows has none."""
    claimed = combined(claims)
    names = exact.entities
    number = {name: i for i, name in enumerate(names)}
    partners: dict[str, set[int]] = {}  # the numbers of entities that something is claimed about
    for source, target in claimed:
        if target in number:
            partners.setdefault(source, set()).add(number[target])
    for i, source in enumerate(names):
        budget.check()
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


def _manner_of_going_on(network: Network, answer: Closed, budget: Budget) -> Manner:
    """Return the faults of an answer to links that contradict each other."""
    claimed = combined(answer.claims)
    stated = combined(tuple((link.source, link.relation, link.target) for link in network.links))
    for source, mask, target in _innocent(network, budget):
        budget.check()
        if claimed.get((source, target), ALL) & ~mask:
            return Manner.LOSES_LINKS if claimed else Manner.EMPTIES
    disputed = {pair for pair, mask in stated.items() if not mask}
    for (source, target), mask in claimed.items():
        if not mask and source != target and (source, target) not in disputed:
            return Manner.EXPLODES
    return Manner.GOES_ON


def _innocent(network: Network, budget: Budget) -> Iterable[tuple[str, int, str]]:
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
        budget.check()
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
    near: dict[str, list[str]] = {}
    for link in rest:
        near.setdefault(link.source, []).append(link.target)
        near.setdefault(link.target, []).append(link.source)
    place = {name: number for number, name in enumerate(near)}
    part = strong_components([[2 * place[other] for other in others] for others in near.values()])
    together: dict[int, list[Link]] = {}
    for link in rest:
        together.setdefault(part[place[link.source]], []).append(link)
    for members in together.values():
        budget.check()
        oracle = Oracle(members, budget=budget)
        if oracle.is_convex and oracle.is_consistent():
            yield from ((link.source, int(link.relation), link.target) for link in members)


# ----------------------------------------------------------------------------------------------------
# Why a finding is right: something a person can check.
#
#     unsound                 a model of the links in which the claim is false
#     incomplete              the links from which the missing relation follows (as few as can be)
#     missed inconsistency    links that cannot all be true, each of them needed
#     false inconsistency     a model of the links
#     crash                   what was seen

CLAIMS = {
    FaultKind.UNSOUND: {"open", "refuted"},  # a model in which the claim does not hold
    FaultKind.INCOMPLETE: {"entailed"},  # what was not claimed
    FaultKind.MISSED_INCONSISTENCY: {"inconsistent"},
    FaultKind.FALSE_INCONSISTENCY: {"consistent"},
}
"""What the certificate of a finding claims, by the kind of the finding."""
# What certificates of findings are about: the links they list, not a file.
_ABOUT_LINKS = {**dict.fromkeys(sorted(DOCUMENT)), "id": "finding"}


@dataclass(frozen=True, slots=True)
class FaultEvidence:
    """A model, or links with a proof from them, by the kind of the fault; neither for a crash or where time ran out."""

    model: Witness | None = None
    links: tuple[Link, ...] = ()
    certificate: Mapping[str, Any] | None = None  # of what the links say, as JSON: ``verify`` accepts it


NO_EVIDENCE = FaultEvidence()


def network_of(graph: Graph) -> Network:
    """Return the links of a graph, numbered."""
    return Network(Link(f"l{k}", *triple, label=str(triple[1])) for k, triple in enumerate(graph, 1))


def evidence_for(network: Network, fault: Fault, budget: Budget, between: LinksBetween | None = None) -> FaultEvidence:
    """Return the evidence for a fault. It is computed from the links alone; the implementation is not asked again.

    ``between`` is of the same network. It spares the search of the whole network for each of many faults.
    """
    try:
        budget.check()
        match fault.kind:
            case FaultKind.UNSOUND:
                return FaultEvidence(model=_countermodel(network, *_statement(fault, fault.claimed), budget))
            case FaultKind.INCOMPLETE:
                statement = _statement(fault, fault.exact)
                grounds = _grounds(between or LinksBetween(network), *statement, budget)
                proof = certify_entailment(Judged(Network(grounds), budget), *statement)
                return FaultEvidence(links=grounds, certificate=_written(proof, fault))
            case FaultKind.MISSED_INCONSISTENCY:
                conflict = minimal_conflict(network, budget)
                return FaultEvidence(
                    links=conflict, certificate=_written(certify(Judged(Network(conflict), budget)), fault)
                )
            case FaultKind.FALSE_INCONSISTENCY:
                return FaultEvidence(model=Oracle(network, budget=budget).witness())
            case FaultKind.CRASH:
                return NO_EVIDENCE
    except BudgetExceeded:
        return NO_EVIDENCE


def certificate_for(network: Network, fault: Fault, budget: Budget) -> Mapping[str, Any] | None:
    """Return a certificate, about all links, that a fault is one; None for a crash or where time ran out.

    Its claim is one of ``CLAIMS``. InternalError if something else was proven: then the finding is wrong.
    """
    if fault.kind is FaultKind.CRASH:
        return None
    relation = {FaultKind.UNSOUND: fault.claimed, FaultKind.INCOMPLETE: fault.exact}.get(fault.kind)
    try:
        budget.check()
        judged = Judged(network, budget)
        proof = certify(judged) if relation is None else certify_entailment(judged, *_statement(fault, relation))
        return _written(proof, fault)
    except BudgetExceeded:
        return None


def _written(certificate: Certificate, fault: Fault) -> Mapping[str, Any]:
    form = to_json(certificate, _ABOUT_LINKS)
    if form["claim"] not in CLAIMS[fault.kind]:
        raise InternalError(f"a finding is called {fault.kind.value}, and the proof says {form['claim']}")
    return form


def _statement(fault: Fault, relation: Relation | None) -> tuple[str, Relation, str]:
    assert fault.pair is not None  # noqa: S101 - narrows the type only
    assert relation is not None  # noqa: S101 - narrows the type only
    return fault.pair[0], relation, fault.pair[1]


def _with(network: Network, source: str, relation: Relation, target: str) -> Network:
    """Return the network with one more link, which may have new entities."""
    return Network((*network.links, Link("negation", source, relation, target)), network.entities)


def _countermodel(network: Network, source: str, claimed: Relation, target: str, budget: Budget) -> Witness:
    return Oracle(_with(network, source, ~claimed, target), budget=budget).witness()


def _grounds(between: LinksBetween, source: str, exact: Relation, target: str, budget: Budget) -> tuple[Link, ...]:
    """Return a minimal set of links that entails the relation: the links that contradict its negation."""
    negation = Link("negation", source, ~exact, target)
    negated = Network((*between.of(source, target), negation))
    return tuple(link for link in minimal_conflict(negated, budget) if link is not negation)
