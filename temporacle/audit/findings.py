"""Findings, and the one place where they are counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from temporacle.audit.evidence import NO_EVIDENCE, FaultEvidence
from temporacle.audit.faults import Fault, FaultKind, Manner, NoticedBy
from temporacle.audit.graphs import entities_of, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.audit.answers import ClosureAnswer
    from temporacle.audit.graphs import Graph
    from temporacle.audit.judge import JudgedAnswer
    from temporacle.model import Link
    from temporacle.relation import Relation

_EVIDENCE_NAMES = {
    FaultKind.UNSOUND: "countermodel",
    FaultKind.INCOMPLETE: "links",
    FaultKind.MISSED_INCONSISTENCY: "conflict",
    FaultKind.FALSE_INCONSISTENCY: "witness",
}


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Something wrong: in the claims about a document, or with a live implementation.

    A finding about claims has a ``document``. One about an implementation has a ``case``, and as ``graph`` the smallest
    graph found that shows the same fault.
    """

    fault: Fault
    evidence: FaultEvidence = NO_EVIDENCE
    certificate: Mapping[str, Any] | None = None  # that the fault is one, about all links; only where asked for
    certificate_path: str | None = None  # where it was written
    document: str | None = None
    case: int | None = None  # the first case that showed it
    family: str = ""  # of that case
    graph: Graph = ()
    answer: ClosureAnswer | None = None  # to the graph
    noticed_by: NoticedBy = NoticedBy.EXACT
    history: Graph | None = None  # what was asked before, where that matters
    variant: Graph | None = None  # the same graph put otherwise, which is answered differently
    count: int = 1  # cases that showed it
    test: str = ""  # to paste: fails as long as the fault is there

    @property
    def kind(self) -> FaultKind:
        return self.fault.kind

    @property
    def pair(self) -> tuple[str, str] | None:
        return self.fault.pair

    @property
    def claimed(self) -> Relation | None:
        return self.fault.claimed

    @property
    def exact(self) -> Relation | None:
        return self.fault.exact

    def __repr__(self) -> str:
        where = f"case {self.case}" if self.document is None else f"document {self.document!r}"
        said = "" if self.pair is None else f", {self.pair[0]} {self.claimed} {self.pair[1]}, exact: {self.exact}"
        return f"Finding({self.kind.value}, {where}{said})"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as ``--output json`` prints it."""
        fault = self.fault
        place = {"case": self.case} if self.document is None else {"document": self.document}
        row: dict[str, Any] = {
            "kind": fault.kind.value,
            **place,
            "pair": None if fault.pair is None else list(fault.pair),
            "claimed": _atoms(fault.claimed),
            "exact": _atoms(fault.exact),
            "evidence": self._evidence(),
            "manner": fault.manner.value,
        }
        if self.document is not None:
            return row
        row |= {"links": plain(self.graph), "check": self.noticed_by.value, "family": self.family, "count": self.count}
        if self.history is not None:
            row["after"] = plain(self.history)
        if self.variant is not None:
            row["variant"] = plain(self.variant)
        return {**row, "test": self.test}

    def _evidence(self) -> dict[str, Any]:
        written = {} if self.certificate_path is None else {"certificate_path": self.certificate_path}
        return self._shown() | written

    def _shown(self) -> dict[str, Any]:
        if self.kind is FaultKind.CRASH:
            return {"reason": self.fault.reason}
        name, evidence = _EVIDENCE_NAMES[self.kind], self.evidence
        if evidence.model is not None:
            return {name: {entity: list(times) for entity, times in evidence.model.items()}}
        if evidence.certificate is None:
            return {}
        return {name: [_link_row(link) for link in evidence.links], "certificate": evidence.certificate}


def _atoms(relation: Relation | None) -> list[str] | None:
    return None if relation is None else list(relation.atoms)


def _link_row(link: Link) -> dict[str, Any]:
    """Return a link as the LINK object of the JSON output."""
    return {
        "id": link.id,
        "source": link.source,
        "relation": list(link.relation.atoms),
        "label": link.label,
        "target": link.target,
        "line": link.line,
    }


# --- counts ----------------------------------------------------------------------------------------------------------

RATES = {
    "missed": "pairs",
    "wrong": "pairs",
    "over_claimed": "pairs",
    "missed_inconsistencies": "inconsistent",
    "false_inconsistencies": "consistent",
    "crashes": "cases",
    "order_dependent": "varied",
    "name_dependent": "varied",
    "direction_dependent": "varied",
    "redundancy_dependent": "varied",
    "state_leaks": "varied",
}
"""Counts that are shares of another count."""


@dataclass(slots=True)
class AuditTally:
    """The counts and findings of an audit so far. A case is a generated graph or a document."""

    cases: int = 0
    consistent: int = 0
    inconsistent: int = 0
    declined: int = 0
    undecided: int = 0  # by us: no verdict was drawn
    pairs: int = 0  # of consistent cases that got an answer
    manners: Counter[Manner] = field(default_factory=Counter)  # pairs or cases with such a fault
    kinds: Counter[FaultKind] = field(default_factory=Counter)  # cases with such a fault
    checks: Counter[NoticedBy] = field(default_factory=Counter)  # cases in which an equivalent question differed
    varied: int = 0  # cases that were also asked otherwise
    findings: list[Finding] = field(default_factory=list)
    unshrunk: int = 0  # faulty cases beyond the number of findings that are kept for a sort

    @property
    def clean(self) -> bool:
        return not self.kinds and not any(self.checks.values())

    @property
    def is_sound(self) -> bool:
        """Return whether all claims are right, however much is missing."""
        wrong = (FaultKind.UNSOUND, FaultKind.FALSE_INCONSISTENCY, FaultKind.CRASH)
        return not any(self.kinds[kind] for kind in wrong)

    def count(self, judged: JudgedAnswer) -> None:
        """Take the judgement of one answer in."""
        if judged.consistent:
            self.consistent += 1
        else:
            self.inconsistent += 1
        self.pairs += judged.pairs
        self.kinds.update({fault.kind for fault in judged.faults})
        self.manners.update(fault.manner for fault in judged.faults)

    def grouped(self) -> list[Finding]:
        """Return the findings grouped by kind, in the order in which the kinds first occur; the smallest graph comes
        first, and of equal ones the first that was found.
        """
        sorts = list(dict.fromkeys((finding.noticed_by, *finding.fault.sort) for finding in self.findings))
        return sorted(
            self.findings,
            key=lambda finding: (
                sorts.index((finding.noticed_by, *finding.fault.sort)),
                len(entities_of(finding.graph)),
                len(finding.graph),
            ),
        )

    def to_dict(self) -> dict[str, int]:
        """Return the counts of a summary line."""
        manners, kinds, checks = self.manners, self.kinds, self.checks
        return {
            "cases": self.cases,
            "consistent": self.consistent,
            "inconsistent": self.inconsistent,
            "declined": self.declined,
            "undecided": self.undecided,
            "pairs": self.pairs,
            "missed": manners[Manner.MISSED_ATOM] + manners[Manner.MISSED_DISJUNCTION],
            "missed_atoms": manners[Manner.MISSED_ATOM],
            "wrong": manners[Manner.WRONG],
            "over_claimed": manners[Manner.OVER_CLAIMED],
            "missed_inconsistencies": kinds[FaultKind.MISSED_INCONSISTENCY],
            "false_inconsistencies": kinds[FaultKind.FALSE_INCONSISTENCY],
            "crashes": kinds[FaultKind.CRASH],
            "varied": self.varied,
            "order_dependent": checks[NoticedBy.ORDER],
            "name_dependent": checks[NoticedBy.RENAMING],
            "direction_dependent": checks[NoticedBy.REVERSAL],
            "redundancy_dependent": checks[NoticedBy.REDUNDANCY],
            "state_leaks": checks[NoticedBy.STATE],
            "findings": len(self.findings),
            "unshrunk": self.unshrunk,
        }


def rates(counts: Mapping[str, int]) -> dict[str, float]:
    """Return each count with the count that it is a share of, if that is not zero."""
    return {name: counts[name] / counts[whole] for name, whole in RATES.items() if counts.get(whole)}
