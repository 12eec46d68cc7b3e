"""Temporacle's own engines under audit, the parts of the exact one, and the certificates with their checker.

Small graphs: all are judged by the enumeration of all scenarios, which is judged by CP-SAT. Medium graphs, of 8 to 30
entities, reach what small ones do not: they are judged by CP-SAT, and CP-SAT by the exact engine. All pairs of a medium
graph would take CP-SAT minutes, so it is the verdict that is compared, and what follows for three of the entities.

An error inside an engine is a finding, wherever it happens.
"""

from __future__ import annotations

import json
from functools import partial
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from temporacle.audit.answers import Closed, Declined, Failed, Failure, Fault, FaultKind, Manner, SaidInconsistent
from temporacle.audit.findings import Finding
from temporacle.audit.judge import NO_EVIDENCE, evidence_for, network_of
from temporacle.audit.live import ASKS, LiveAudit
from temporacle.audit.subjects.foreign import closure_of
from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.errors import FAILURES, BudgetExceeded, TemporacleError, UsageError
from temporacle.model import Link
from temporacle.plugins import Group, plugin_named
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network, PairTable
from temporacle.reasoner.proofs.certificate import certify, certify_entailment, to_json
from temporacle.reasoner.reference.engines import ENGINES, LANES
from temporacle.relation import ATOMS, EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.audit.answers import ClosureAnswer, Graph
    from temporacle.audit.findings import AuditTally
    from temporacle.audit.generate import AuditCase
    from temporacle.audit.judge import FaultEvidence
    from temporacle.audit.live import ClosureFunction
    from temporacle.plugins import Plugin
    from temporacle.results import Certificate

_CERTIFICATES = "certificates"
_ASKED = 3  # entities of a medium graph whose pairs are asked about
_ASKS_ABOUT_MEDIUM = 40  # each takes CP-SAT a good part of a second

CHECKED = {
    **{name: engine.complete for name, engine in {**ENGINES, **LANES}.items()},
    _CERTIFICATES: True,
}
"""Everything that can be checked, and whether it promises completeness."""
CHECKED_ON_MEDIUM = ("exact", "cdcl", "cpsat", "ord-horn")
"""What is also checked on medium graphs."""


class InProcessSubject:
    """A closure that runs in this process: our own engines, and test doubles. ``make`` returns it in a fresh state."""

    def __init__(self, name: str, make: Callable[[], Callable[[Graph], ClosureAnswer]]) -> None:
        self.name = name
        self._make = make

    def ask(self, *graphs: Graph) -> tuple[ClosureAnswer, ...]:
        """Answer each graph in turn, in one fresh state."""
        function = self._make()
        return tuple(function(graph) for graph in graphs)


def engine_function(name: str) -> Callable[[Iterable[tuple[str, str, str]]], list[tuple[str, str, str]] | None]:
    """Return an engine as a function from links to their closure, or to None if they contradict each other.

    >>> engine_function("exact")([("x", "m", "y"), ("y", "b", "z")])
    [('x', 'm', 'y'), ('x', 'b', 'z'), ('y', 'b', 'z')]
    """
    subject = _subject(name)

    def closure(links: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]] | None:
        (answer,) = subject.ask(tuple((source, Relation(relation), target) for source, relation, target in links))
        if isinstance(answer, Failed | Declined):
            raise TemporacleError(answer.reason)
        if isinstance(answer, SaidInconsistent):
            return None
        return [(source, str(relation), target) for source, relation, target in answer.claims]

    return closure


class EngineJudge:
    """An engine that others are judged by. It answers about a graph once, however many of them are asked about it."""

    def __init__(self, name: str, closure: ClosureFunction) -> None:
        self.name = name
        self._closure = closure
        self._known: dict[object, PairTable | None] = {}

    def __call__(self, network: Network, budget: Budget) -> PairTable | None:
        key = (network.entities, tuple(network.constraints))
        if key not in self._known:
            self._known[key] = self._closure(network, budget)
        return self._known[key]


def judges(*, medium: bool = False) -> tuple[EngineJudge, EngineJudge]:
    """Return who judges all engines, and who judges that one."""
    names = ("cpsat", "exact") if medium else ("enumeration", "cpsat")
    first, second = (EngineJudge(name, _three_entities(name) if medium else _closure(name)) for name in names)
    return first, second


def check_engine(
    name: str,
    cases: Iterable[AuditCase],
    progress: Callable[[], None] = lambda: None,
    *,
    by: tuple[EngineJudge, EngineJudge] | None = None,
    medium: bool = False,
) -> AuditTally:
    """Audit one engine on generated graphs. Equivalent questions are left out: an exact answer is judged anyway.

    ``by``: the judges, if they are shared with other engines.
    """
    first, second = by or judges(medium=medium)
    judge = second if name == first.name else first
    subject = _subject(name, medium=medium)
    asks = _ASKS_ABOUT_MEDIUM if medium else ASKS
    audit = LiveAudit(subject, exact=judge, vary=False, evidence=_evidence, asks=asks)
    for case in cases:
        try:
            audit.try_case(case)
        except Exception as error:  # noqa: BLE001 - every engine is on trial, the judge as well
            reason = f"while {judge.name} judged: {type(error).__name__}: {error}"
            fault = Fault(FaultKind.CRASH, Manner.EXCEPTION, reason=reason)
            audit.tally.kinds[FaultKind.CRASH] += 1
            audit.tally.findings.append(Finding(fault, case=case.number, family=case.family, graph=case.links))
        progress()
    return audit.tally


def _evidence(network: Network, fault: Fault, budget: Budget) -> FaultEvidence:
    """Return evidence, which the exact engine finds: none if it fails, because it is on trial."""
    try:
        return evidence_for(network, fault, budget)
    except Exception:  # noqa: BLE001
        return NO_EVIDENCE


def promises_completeness(name: str) -> bool | None:
    """Return whether an engine promises to find everything; None if there is no engine of that name."""
    if name in CHECKED:
        return CHECKED[name]
    plugin = plugin_named(Group.ENGINES, name)
    return None if plugin is None else bool(plugin.implementation.complete)


def _subject(name: str, *, medium: bool = False) -> InProcessSubject:
    if name == _CERTIFICATES:
        return InProcessSubject(name, lambda: certified)
    if name not in CHECKED and (plugin := plugin_named(Group.ENGINES, name)) is not None:
        return InProcessSubject(name, lambda: partial(_closed_by_plugin, plugin))
    return engine_subject(name, _three_entities(name) if medium else _closure(name))


def _closed_by_plugin(plugin: Plugin, graph: Graph) -> ClosureAnswer:
    """Return what an engine of another package says follows from a graph."""
    try:
        claims = plugin.implementation.close([(source, str(relation), target) for source, relation, target in graph])
        return SaidInconsistent() if claims is None else closure_of([tuple(each) for each in claims])
    except FAILURES as error:
        return Failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}")


def engine_subject(name: str, closure: ClosureFunction) -> InProcessSubject:
    """Return one of Temporacle's engines as a subject.

    Links that it does not support (UsageError) or gives up on (BudgetExceeded) count as declined; other errors are
    crashes.
    """

    def answer(graph: Graph) -> ClosureAnswer:
        try:
            table = closure(network_of(graph), Budget())
        except (UsageError, BudgetExceeded) as error:
            return Declined(str(error))
        except Exception as error:  # noqa: BLE001 - the engine is on trial
            return Failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}")
        return SaidInconsistent() if table is None else Closed(tuple(table.pairs()))

    return InProcessSubject(name, lambda: answer)


def _closure(name: str) -> ClosureFunction:
    return {**ENGINES, **LANES}[name].closure


def _three_entities(name: str) -> ClosureFunction:
    """Return a closure that is about three entities only. They follow from the links: all engines get the same ones."""

    def closure(network: Network, budget: Budget) -> PairTable | None:
        relation = _questions(name, network, budget)
        if relation is None:
            return None
        size = len(network.entities)
        asked = sorted(Random(repr(network.constraints)).sample(range(size), min(_ASKED, size)))
        rows = [[int(EQUAL)] * len(asked) for _ in asked]
        for (own, source), (other, target) in combinations(enumerate(asked), 2):
            found = Relation(relation(source, target))
            rows[own][other], rows[other][own] = int(found), int(found.converse())
        return PairTable(tuple(network.entities[number] for number in asked), rows)

    return closure


def _questions(name: str, network: Network, budget: Budget) -> Callable[[int, int], int] | None:
    """Return a function for the strongest relation of a pair; None if the links contradict each other."""
    engine = {**ENGINES, **LANES}[name]
    if name == "exact" or engine.decides:
        judged = Judged(network, budget, engine if engine.decides else None)
        return judged.decider.relation if judged.is_consistent() and judged.decider is not None else None
    from temporacle.reasoner.published.ord_horn import is_consistent  # loads numpy

    def relation(source: int, target: int) -> int:
        """Return the atoms that the links can be true with, by a verdict for each."""
        ends = network.entities[source], network.entities[target]
        asked = {atom: Link("asked", ends[0], Relation.of(atom), ends[1]) for atom in ATOMS}
        return int(
            Relation.of(
                *(
                    atom
                    for atom, link in asked.items()
                    if is_consistent(Network((*network.links, link), network.entities), budget)
                )
            )
        )

    return relation if is_consistent(network, budget) else None


def certified(graph: Graph) -> ClosureAnswer:
    """Return the closure that certificates prove, as far as the independent checker accepts them."""
    try:
        judged = Judged(network_of(graph))
        if _checked(certify(judged)) == "inconsistent":
            return SaidInconsistent()
        table = judged.table()
        claims = [
            (source, relation, target)
            for source, relation, target in (() if table is None else table.pairs())
            if _checked(certify_entailment(judged, source, relation, target)) == "entailed"
        ]
        return Closed(tuple(claims))
    except Rejected as refusal:
        return Failed(Failure.MALFORMED, f"the checker rejects a certificate: {refusal}")
    except Exception as error:  # noqa: BLE001 - the certificates are on trial
        return Failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}")


def _checked(certificate: Certificate) -> str:
    about = {**dict.fromkeys(sorted(DOCUMENT)), "id": "case"}
    return str(verify(json.dumps(to_json(certificate, about)))["claim"])
