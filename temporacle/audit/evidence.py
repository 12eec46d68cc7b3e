"""Why a finding is right: something a person can check.

unsound                a model of the links in which the claim is false
incomplete             the links from which the missing relation follows (as few as can be)
missed inconsistency   links that cannot all be true, each of them needed
false inconsistency    a model of the links
crash                  what was seen
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporacle.audit.faults import Fault, FaultKind
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.between import LinksBetween
from temporacle.reasoner.certificates import certify, certify_entailment, to_json
from temporacle.reasoner.conflicts import minimal_conflict
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.audit.graphs import Graph
    from temporacle.relation import Relation
    from temporacle.results import Certificate, Witness

CLAIMS = {
    FaultKind.UNSOUND: {"open", "refuted"},  # a model in which the claim does not hold
    FaultKind.INCOMPLETE: {"entailed"},  # what was not claimed
    FaultKind.MISSED_INCONSISTENCY: {"inconsistent"},
    FaultKind.FALSE_INCONSISTENCY: {"consistent"},
}
"""What the certificate of a finding claims, by the kind of the finding."""
# What certificates of findings are about: the links they list, not a file.
_ABOUT_LINKS = {
    "id": "finding",
    "path": None,
    "sha256": None,
    "format": None,
    "reading": None,
    "during": None,
    "encoding": None,
}


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
        match fault.kind:
            case FaultKind.UNSOUND:
                return FaultEvidence(model=_countermodel(network, *_statement(fault, fault.claimed), budget))
            case FaultKind.INCOMPLETE:
                statement = _statement(fault, fault.exact)
                grounds = _grounds(between or LinksBetween(network), *statement, budget)
                proof = certify_entailment(Network(grounds), *statement, budget)
                return FaultEvidence(links=grounds, certificate=_written(proof, fault))
            case FaultKind.MISSED_INCONSISTENCY:
                conflict = minimal_conflict(network, budget)
                return FaultEvidence(links=conflict, certificate=_written(certify(Network(conflict), budget), fault))
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
    try:
        match fault.kind:
            case FaultKind.UNSOUND:
                return _written(certify_entailment(network, *_statement(fault, fault.claimed), budget), fault)
            case FaultKind.INCOMPLETE:
                return _written(certify_entailment(network, *_statement(fault, fault.exact), budget), fault)
            case FaultKind.MISSED_INCONSISTENCY | FaultKind.FALSE_INCONSISTENCY:
                return _written(certify(network, budget), fault)
            case FaultKind.CRASH:
                return None
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
