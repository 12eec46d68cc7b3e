"""Temporacle's own engines under audit, and the certificates with their checker.

The endpoint graph with CP-SAT behind it (``exact``) is judged by the enumeration of all scenarios; every other engine
is judged by ``exact``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from temporacle.audit.answers import Closed, Declined, Failed, Failure, SaidInconsistent
from temporacle.audit.evidence import network_of
from temporacle.audit.live import LiveAudit
from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.errors import TemporacleError, UsageError
from temporacle.reasoner.certificates import certify, certify_entailment, to_json
from temporacle.reasoner.engines import ENGINES, engine_named
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.audit.answers import ClosureAnswer
    from temporacle.audit.findings import AuditTally
    from temporacle.audit.generate import CasePlan
    from temporacle.audit.graphs import Graph
    from temporacle.audit.live import ClosureFunction
    from temporacle.results import Certificate

_CERTIFICATES = "certificates"
_BOOLEANS = "cpsat-booleans"

CHECKED = {**{name: engine.complete for name, engine in ENGINES.items()}, _BOOLEANS: True, _CERTIFICATES: True}
"""Everything that can be checked, and whether it promises completeness."""


class InProcessSubject:
    """A closure that runs in this process: our own engines, and test doubles. ``make`` returns it in a fresh state."""

    def __init__(self, name: str, make: Callable[[], Callable[[Graph], ClosureAnswer]]) -> None:
        self.name = name
        self._make = make

    def ask(self, *graphs: Graph) -> tuple[ClosureAnswer, ...]:
        """Return implement AuditSubject."""
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


def check_engine(name: str, plan: CasePlan, progress: Callable[[], None] = lambda: None) -> AuditTally:
    """Audit one engine on the graphs of a plan. Equivalent questions are left out: an exact answer is judged anyway."""
    exact = _closure("enumeration" if name == "exact" else "exact")
    return LiveAudit(_subject(name), exact=exact, vary=False).run(plan, progress)


def _subject(name: str) -> InProcessSubject:
    if name == _CERTIFICATES:
        return InProcessSubject(name, lambda: certified)
    return engine_subject(name, _closure(name))


def engine_subject(name: str, closure: ClosureFunction) -> InProcessSubject:
    """Return one of Temporacle's engines as a subject.

    Links that it does not support (UsageError) count as declined; other errors are crashes.
    """

    def answer(graph: Graph) -> ClosureAnswer:
        try:
            table = closure(network_of(graph), Budget())
        except UsageError as error:
            return Declined(str(error))
        except Exception as error:  # noqa: BLE001 - the engine is on trial
            return Failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}")
        return SaidInconsistent() if table is None else Closed(tuple(table.pairs()))

    return InProcessSubject(name, lambda: answer)


def _closure(name: str) -> ClosureFunction:
    if name != _BOOLEANS:
        return engine_named(name).closure
    from temporacle.reasoner.cpsat import Encoding
    from temporacle.reasoner.fullmodel import closure

    return lambda network, budget: closure(network, budget, Encoding.BOOLEANS)


def certified(graph: Graph) -> ClosureAnswer:
    """Return the closure that certificates prove, as far as the independent checker accepts them."""
    network = network_of(graph)
    try:
        if _checked(certify(network, Budget())) == "inconsistent":
            return SaidInconsistent()
        table = Oracle(network).minimal_network()
        claims = [
            (source, relation, target)
            for source, relation, target in (() if table is None else table.pairs())
            if _checked(certify_entailment(network, source, relation, target, Budget())) == "entailed"
        ]
        return Closed(tuple(claims))
    except Rejected as refusal:
        return Failed(Failure.MALFORMED, f"the checker rejects a certificate: {refusal}")


def _checked(certificate: Certificate) -> str:
    about = {**dict.fromkeys(DOCUMENT), "id": "case"}
    return str(verify(json.dumps(to_json(certificate, about)))["claim"])
