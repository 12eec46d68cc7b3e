"""Why a finding is right: something a person can check.

unsound                a model of the links in which the claim is false
incomplete             the links from which the missing relation follows (as few as can be)
missed inconsistency   links that cannot all be true, each of them needed
false inconsistency    a model of the links
crash                  what was seen
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporacle.audit.findings import Fault, Graph, Kind
from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.reasoner.certificates import certify, certify_entailment
from temporacle.reasoner.conflicts import minimal_conflict
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle

if TYPE_CHECKING:
    from temporacle.relation import Relation
    from temporacle.results import Certificate, Witness


@dataclass(frozen=True, slots=True)
class Evidence:
    """A model, or links with a proof from them, by the kind of the fault; neither for a crash or where time ran out."""

    model: Witness | None = None
    links: tuple[Link, ...] = ()
    certificate: Certificate | None = None  # of what the links say, for anyone to check


def network_of(graph: Graph) -> Network:
    """The links of a graph, numbered."""
    return Network(Link(f"l{k}", *triple, label=str(triple[1])) for k, triple in enumerate(graph, 1))


def evidence_for(network: Network, fault: Fault, budget: Budget) -> Evidence:
    """Computed from the links alone: the implementation is not asked again."""
    try:
        match fault.kind:
            case Kind.UNSOUND:
                return Evidence(model=_countermodel(network, *_statement(fault, fault.claimed), budget))
            case Kind.INCOMPLETE:
                statement = _statement(fault, fault.exact)
                grounds = _grounds(network, *statement, budget)
                return Evidence(links=grounds, certificate=certify_entailment(Network(grounds), *statement, budget))
            case Kind.MISSED_INCONSISTENCY:
                conflict = minimal_conflict(network, budget)
                return Evidence(links=conflict, certificate=certify(Network(conflict), budget))
            case Kind.FALSE_INCONSISTENCY:
                return Evidence(model=Oracle(network, budget=budget).witness())
            case Kind.CRASH:
                return Evidence()
    except BudgetExceeded:
        return Evidence()


def _statement(fault: Fault, relation: Relation | None) -> tuple[str, Relation, str]:
    assert fault.pair is not None  # noqa: S101 - narrows the type only
    assert relation is not None  # noqa: S101 - narrows the type only
    return fault.pair[0], relation, fault.pair[1]


def _with(network: Network, source: str, relation: Relation, target: str) -> Network:
    """The network with one more link, which may mention new entities."""
    return Network((*network.links, Link("negation", source, relation, target)), network.entities)


def _countermodel(network: Network, source: str, claimed: Relation, target: str, budget: Budget) -> Witness:
    if source == target:  # no proper interval differs from itself: every model will do
        return Oracle(Network(network.links, (*network.entities, source)), budget=budget).witness()
    return Oracle(_with(network, source, ~claimed, target), budget=budget).witness()


def _grounds(network: Network, source: str, exact: Relation, target: str, budget: Budget) -> tuple[Link, ...]:
    """A minimal set of links that entails the relation: what it takes to contradict its negation."""
    negated = _with(network, source, ~exact, target)
    return tuple(link for link in minimal_conflict(negated, budget) if link is not negated.links[-1])
