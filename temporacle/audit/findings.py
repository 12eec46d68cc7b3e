"""Findings, and the one place where they are counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from temporacle.audit.answers import Fault, FaultKind, Manner, NoticedBy, entities_of, plain
from temporacle.audit.judge import NO_EVIDENCE, FaultEvidence
from temporacle.frames import html_table, to_frame
from temporacle.model import Action, skipped_words
from temporacle.results import warned_words

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from temporacle.audit.answers import ClosureAnswer, Graph
    from temporacle.audit.judge import JudgedAnswer
    from temporacle.model import Link, Remark
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
    earlier: tuple[Graph, ...] = ()  # and before that
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
        if self.earlier:
            row["earlier"] = [plain(graph) for graph in self.earlier]
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

_COUNTED = ("cases", "consistent", "inconsistent", "declined", "undecided", "pairs")
_IN_PAIRS = ("missed", "wrong", "over_claimed")
_BY_VARIANTS = {
    NoticedBy.ORDER: "order_dependent",
    NoticedBy.RENAMING: "name_dependent",
    NoticedBy.REVERSAL: "direction_dependent",
    NoticedBy.REDUNDANCY: "redundancy_dependent",
    NoticedBy.STATE: "state_leaks",
}
RATES = {
    **dict.fromkeys(_IN_PAIRS, "pairs"),
    "missed_inconsistencies": "inconsistent",
    "false_inconsistencies": "consistent",
    "crashes": "cases",
    **dict.fromkeys(_BY_VARIANTS.values(), "varied"),
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
            **{name: getattr(self, name) for name in _COUNTED},
            "missed": manners[Manner.MISSED_ATOM] + manners[Manner.MISSED_DISJUNCTION],
            "missed_atoms": manners[Manner.MISSED_ATOM],
            "wrong": manners[Manner.WRONG],
            "over_claimed": manners[Manner.OVER_CLAIMED],
            "missed_inconsistencies": kinds[FaultKind.MISSED_INCONSISTENCY],
            "false_inconsistencies": kinds[FaultKind.FALSE_INCONSISTENCY],
            "crashes": kinds[FaultKind.CRASH],
            "varied": self.varied,
            **{name: checks[check] for check, name in _BY_VARIANTS.items()},
            "findings": len(self.findings),
            "unshrunk": self.unshrunk,
        }


def rates(counts: Mapping[str, int]) -> dict[str, float]:
    """Return each count with the count that it is a share of, if that is not zero."""
    return {name: counts[name] / counts[whole] for name, whole in RATES.items() if counts.get(whole)}


# ----------------------------------------------------------------------------------------------------
# The results of audits: findings and counts, as values, as rows, as frames.

_CLAIMS_COLUMNS = ("document", "kind", "source", "target", "claimed", "exact", "manner")
_LIVE_COLUMNS = ("case", "kind", "source", "target", "claimed", "exact", "manner", "check", "count", "links", "test")
_FAULTS = ("missed_inconsistencies", "false_inconsistencies", "crashes")
_BEFORE_FAULTS = ("engine", "graphs", "cases", "declined", "undecided", "pairs", *_IN_PAIRS, "inconsistent")
_ENGINE_COLUMNS = (*_BEFORE_FAULTS, *_FAULTS, "clean")
_SHOWN = 50  # findings in a notebook's cell


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """The findings of an audit.

    ``clean`` is True if nothing was found. ``whole`` is True if everything could be read, was answered and decided:
    only a clean and whole audit says that the closure is right.
    """

    subject: str
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    clean: bool
    remarks: tuple[Remark, ...] = ()  # what could not be read, and what else a person should know
    settings: Mapping[str, Any] = field(default_factory=dict)  # how the cases were generated
    of_claims: bool = False  # of claims about documents; otherwise of a live implementation
    skipped_links: Mapping[str, int] = field(default_factory=dict)  # of both sides, by code

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what could not be read, and what else there is to say."""
        return self.remarks

    @property
    def whole(self) -> bool:
        """Return whether everything was read, answered and decided."""
        return self.completes()

    def completes(self, allowed: Container[str] = ()) -> bool:
        """Return whether all cases were decided, where links may be skipped for these reasons."""
        return (
            not self.counts["undecided"]
            and self.counts["declined"] < self.counts["cases"]
            and not any(remark.action is Action.DROPPED and remark.code not in allowed for remark in self.remarks)
        )

    def __repr__(self) -> str:
        what = "documents" if self.of_claims else "cases"
        state = "clean" if self.clean else f"findings: {len(self.findings)}"
        state += ("" if self.whole else ", not whole") + skipped_words(self.skipped_links)
        return f"Audit({self.subject!r}, {what}: {self.counts['cases']}, {state}{warned_words(self.remarks)})"

    def summary(self) -> dict[str, Any]:
        """Return the last line that ``--output json`` prints."""
        documents = {"documents": self.counts["cases"]} if self.of_claims else {}
        row = {"summary": True, "subject": self.subject, **documents, **self.counts, **self.settings}
        return {**row, "rates": rates(self.counts), "clean": self.clean, "skipped_links": dict(self.skipped_links)}

    def rows(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: one row for each finding, then the summary."""
        return [*(finding.to_dict() for finding in self.findings), self.summary()]

    def to_dict(self) -> dict[str, Any]:
        """Return the rows of ``--output json`` as one object: the summary, and a list of findings."""
        *findings, summary = self.rows()
        return {"summary": summary, "findings": findings}

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each finding."""
        return to_frame(list(map(_flat, self.findings)), _CLAIMS_COLUMNS if self.of_claims else _LIVE_COLUMNS)

    def _repr_html_(self) -> str:
        columns = _CLAIMS_COLUMNS if self.of_claims else _LIVE_COLUMNS[:-1]
        flat = map(_flat, self.findings[:_SHOWN])
        table = html_table(columns, [[_cell(row[column]) for column in columns] for row in flat])
        return html_table(["audit"], [[repr(self)]]) + (table if self.findings else "")


@dataclass(frozen=True, slots=True, repr=False)
class EngineAudit:
    """The findings about one of our engines. An engine that promises only soundness may miss relations."""

    engine: str
    complete: bool
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    clean: bool
    graphs: str = "small"  # or medium

    def __repr__(self) -> str:
        agrees = "agrees" if self.clean else "WRONG"
        return f"EngineAudit({self.engine!r}: {agrees} in {self.counts['cases']} {self.graphs} cases)"

    def to_dict(self) -> dict[str, Any]:
        """Return the engine's line of ``--output json``."""
        row = {"engine": self.engine, "graphs": self.graphs, **self.counts}
        return {**row, "complete": self.complete, "clean": self.clean}


@dataclass(frozen=True, slots=True, repr=False)
class Crosscheck:
    """All engines compared with each other."""

    engines: tuple[EngineAudit, ...]
    cases: int
    seed: int

    @property
    def clean(self) -> bool:
        return all(engine.clean for engine in self.engines)

    def __repr__(self) -> str:
        names = dict.fromkeys(engine.engine for engine in self.engines)
        wrong = dict.fromkeys(engine.engine for engine in self.engines if not engine.clean)
        state = f"WRONG: {', '.join(wrong)}" if wrong else "all agree"
        return f"Crosscheck({len(names)} engines on {self.cases} cases of seed {self.seed}: {state})"

    def summary(self) -> dict[str, Any]:
        """Return the last line that ``--output json`` prints."""
        findings = sum(len(engine.findings) for engine in self.engines)
        names = {engine.engine for engine in self.engines}
        total = {"summary": True, "engines": len(names), "cases": self.cases, "findings": findings}
        return {**total, "clean": self.clean}

    def rows(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: findings, then a line for each engine, then the summary."""
        findings = [
            {"engine": each.engine, "graphs": each.graphs, **found.to_dict()}
            for each in self.engines
            for found in each.findings
        ]
        return [*findings, *({**each.to_dict(), "seed": self.seed} for each in self.engines), self.summary()]

    def to_dict(self) -> dict[str, Any]:
        """Return the rows of ``--output json`` as one object."""
        *rows, summary = self.rows()
        split = len(rows) - len(self.engines)
        return {"summary": summary, "engines": rows[split:], "findings": rows[:split]}

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each engine."""
        return to_frame([engine.to_dict() for engine in self.engines], _ENGINE_COLUMNS)

    def _repr_html_(self) -> str:
        rows = [engine.to_dict() for engine in self.engines]
        return html_table(_ENGINE_COLUMNS, [[row[column] for column in _ENGINE_COLUMNS] for row in rows])


def _flat(finding: Finding) -> dict[str, Any]:
    """Return a finding as a row of a frame: the pair in two columns, relations as text."""
    source, target = finding.fault.pair or (None, None)
    relations = {"claimed": finding.fault.claimed, "exact": finding.fault.exact}
    shown = {name: None if relation is None else str(relation) for name, relation in relations.items()}
    return {**finding.to_dict(), "source": source, "target": target, **shown}


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(" ".join(link) for link in value)
    return "" if value is None else str(value)
