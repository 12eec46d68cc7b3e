"""The results of audits: findings and counts, as values, as rows, as frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from temporacle.audit.findings import rates
from temporacle.frames import html_table, to_frame
from temporacle.model import Action

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.audit.findings import Finding
    from temporacle.model import Remark

_CLAIMS_COLUMNS = ("document", "kind", "source", "target", "claimed", "exact", "manner")
_LIVE_COLUMNS = ("case", "kind", "source", "target", "claimed", "exact", "manner", "check", "count", "links", "test")
_ENGINE_COLUMNS = (
    "engine",
    "cases",
    "declined",
    "pairs",
    "missed",
    "wrong",
    "over_claimed",
    "inconsistent",
    "missed_inconsistencies",
    "false_inconsistencies",
    "crashes",
    "clean",
)
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

    @property
    def whole(self) -> bool:
        """Return whether everything was read, answered and decided."""
        return (
            not self.counts["undecided"]
            and self.counts["declined"] < self.counts["cases"]
            and not any(remark.action is Action.DROPPED for remark in self.remarks)
        )

    def __repr__(self) -> str:
        what = "documents" if self.of_claims else "cases"
        state = "clean" if self.clean else f"findings: {len(self.findings)}"
        return f"Audit({self.subject!r}, {what}: {self.counts['cases']}, {state}{'' if self.whole else ', not whole'})"

    def summary(self) -> dict[str, Any]:
        """Return the last line that ``--output json`` prints."""
        documents = {"documents": self.counts["cases"]} if self.of_claims else {}
        row = {"summary": True, "subject": self.subject, **documents, **self.counts, **self.settings}
        return {**row, "rates": rates(self.counts), "clean": self.clean}

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

    def __repr__(self) -> str:
        return f"EngineAudit({self.engine!r}: {'agrees' if self.clean else 'WRONG'} in {self.counts['cases']} cases)"

    def to_dict(self) -> dict[str, Any]:
        """Return the engine's line of ``--output json``."""
        return {"engine": self.engine, **self.counts, "complete": self.complete, "clean": self.clean}


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
        wrong = [engine.engine for engine in self.engines if not engine.clean]
        state = f"WRONG: {', '.join(wrong)}" if wrong else "all agree"
        return f"Crosscheck({len(self.engines)} engines on {self.cases} cases of seed {self.seed}: {state})"

    def summary(self) -> dict[str, Any]:
        """Return the last line that ``--output json`` prints."""
        findings = sum(len(engine.findings) for engine in self.engines)
        total = {"summary": True, "engines": len(self.engines), "cases": self.cases, "findings": findings}
        return {**total, "clean": self.clean}

    def rows(self) -> list[dict[str, Any]]:
        """Return what ``--output json`` prints: findings, then a line for each engine, then the summary."""
        findings = [{"engine": each.engine, **found.to_dict()} for each in self.engines for found in each.findings]
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
