"""The claims about documents, judged one document after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.audit.answers import Closed, Manner
from temporacle.audit.findings import Finding
from temporacle.audit.judge import NO_EVIDENCE, JudgedAnswer, certificate_for, evidence_for, judge
from temporacle.errors import BudgetExceeded
from temporacle.model import Document, Link
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.paths import LinksBetween

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from temporacle.audit.answers import ClosureAnswer, Fault


class ClaimedDocument(NamedTuple):
    """The parts of a document that are needed to judge the claims about it. It is small, since there may be many."""

    name: str
    entities: tuple[str, ...]
    links: tuple[Link, ...]
    answer: ClosureAnswer

    @property
    def digest(self) -> str:
        """Return a digest of everything that is judged: links and claims."""
        from hashlib import sha256

        answer = self.answer
        said = (answer.claims, sorted(answer.unread), answer.torn) if isinstance(answer, Closed) else answer
        return sha256(repr((self.entities, self.links, said)).encode("utf-8", "surrogatepass")).hexdigest()


class JudgedDocument(NamedTuple):
    """The findings in the claims about a document. ``undecided`` says why there are none."""

    name: str
    consistent: bool = True
    pairs: int = 0
    findings: tuple[Finding, ...] = ()
    undecided: str | None = None

    @property
    def judged(self) -> JudgedAnswer:
        """Return the judgement in the form in which it is counted."""
        return JudgedAnswer(tuple(finding.fault for finding in self.findings), self.consistent, self.pairs)


class ClaimsJob(NamedTuple):
    """A job for ``runner.work`` that judges claims."""

    budget: float | None = None
    evidence: int = 1000  # findings of a document that get any
    determined_only: bool = False
    certify: bool = False  # findings with evidence get a certificate, too

    def results(
        self, item: ClaimedDocument, skip: int = 0, tell: Callable[[str], None] = lambda _: None
    ) -> Iterator[JudgedDocument]:
        """Yield the only result of a document."""
        if not skip:
            tell(item.name)
            yield self.judged(item)

    def failed(self, item: ClaimedDocument, _name: str | None, reason: str) -> JudgedDocument:
        """Return the entry that stands for a result that is missing."""
        return JudgedDocument(item.name, undecided=reason)

    def judged(self, item: ClaimedDocument) -> JudgedDocument:
        """Judge the claims about one document."""
        network = Network.of(Document(item.name, item.links, item.entities))
        allowed = Budget(self.budget)
        try:
            judgement = judge(network, item.answer, Oracle(network, budget=allowed).minimal_network())
        except BudgetExceeded as limit:
            return JudgedDocument(item.name, undecided=str(limit))
        faults = [
            fault
            for fault in judgement.faults
            if not (self.determined_only and fault.manner is Manner.MISSED_DISJUNCTION)
        ]
        between = LinksBetween(network) if faults else None
        findings = tuple(
            Finding(
                fault,
                evidence_for(network, fault, allowed, between) if number < self.evidence else NO_EVIDENCE,
                self._certificate(network, fault, allowed) if number < self.evidence else None,
                document=item.name,
            )
            for number, fault in enumerate(faults)
        )
        return JudgedDocument(item.name, judgement.consistent, judgement.pairs, findings)

    def _certificate(self, network: Network, fault: Fault, allowed: Budget) -> Mapping[str, Any] | None:
        return certificate_for(network, fault, allowed) if self.certify else None
