"""Findings of an audit as rows, as the interface fixes them, and as test cases to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.audit.findings import Check, Fault, Graph, Kind, Manner
from temporacle.commands.common import link_json

if TYPE_CHECKING:
    from temporacle.audit.evidence import Evidence
    from temporacle.audit.run import Cause, Report
    from temporacle.relation import Relation
    from temporacle.results import Witness

_EVIDENCE_NAMES = {
    Kind.UNSOUND: "countermodel",
    Kind.INCOMPLETE: "links",
    Kind.MISSED_INCONSISTENCY: "conflict",
    Kind.FALSE_INCONSISTENCY: "witness",
}
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


def finding(place: dict[str, Any], fault: Fault, evidence: Evidence) -> dict[str, Any]:
    """One line a finding; ``place`` names the document or the case."""
    return {
        "kind": fault.kind.value,
        **place,
        "pair": None if fault.pair is None else list(fault.pair),
        "claimed": _atoms(fault.claimed),
        "exact": _atoms(fault.exact),
        "evidence": _evidence(fault, evidence),
        "manner": fault.manner.value,
    }


def cause_row(cause: Cause, command: str | None = None) -> dict[str, Any]:
    """A finding of a live audit, with its minimal graph and a test for a function, or for a command."""
    row = finding({"case": cause.case}, cause.fault, cause.evidence)
    row |= {"links": plain(cause.graph), "check": cause.check.value, "family": cause.family, "count": cause.count}
    if cause.history is not None:
        row["after"] = plain(cause.history)
    if cause.variant is not None:
        row["variant"] = plain(cause.variant)
    row["test"] = test_case(cause) if command is None else shell_case(cause, command)
    return row


def plain(graph: Graph) -> list[list[str]]:
    """Links as an implementation gets them."""
    return [[source, str(relation), target] for source, relation, target in graph]


def _atoms(relation: Relation | None) -> list[str] | None:
    return None if relation is None else list(relation.atoms)


def _evidence(fault: Fault, evidence: Evidence) -> dict[str, Any]:
    if fault.kind is Kind.CRASH:
        return {"reason": fault.reason}
    name = _EVIDENCE_NAMES[fault.kind]
    if evidence.model is not None:
        return {name: _times(evidence.model)}
    if not evidence.links and evidence.certificate is None:
        return {}
    shown: dict[str, Any] = {name: [link_json(link) for link in evidence.links]}
    if evidence.certificate is not None:
        from temporacle.reasoner.certificates import to_json

        shown["certificate"] = to_json(evidence.certificate, _ABOUT_LINKS)
    return shown


def _times(model: Witness) -> dict[str, list[int]]:
    return {name: list(times) for name, times in model.items()}


# --- the summary -----------------------------------------------------------------------------------------------------


def counts(report: Report) -> dict[str, Any]:
    """What an audit counted. Pairs are those of consistent cases that got an answer."""
    manners, kinds, checks = report.manners, report.kinds, report.checks
    return {
        "cases": report.cases,
        "consistent": report.consistent,
        "inconsistent": report.inconsistent,
        "declined": report.declined,
        "undecided": report.undecided,
        "pairs": report.pairs,
        "missed": manners[Manner.MISSED_ATOM] + manners[Manner.MISSED_DISJUNCTION],
        "missed_atoms": manners[Manner.MISSED_ATOM],
        "wrong": manners[Manner.WRONG],
        "over_claimed": manners[Manner.OVER_CLAIMED],
        "missed_inconsistencies": kinds[Kind.MISSED_INCONSISTENCY],
        "false_inconsistencies": kinds[Kind.FALSE_INCONSISTENCY],
        "crashes": kinds[Kind.CRASH],
        "varied": report.varied,
        "order_dependent": checks[Check.ORDER],
        "name_dependent": checks[Check.RENAMING],
        "direction_dependent": checks[Check.REVERSAL],
        "redundancy_dependent": checks[Check.REDUNDANCY],
        "state_leaks": checks[Check.STATE],
        "findings": len(report.causes),
        "unshrunk": report.uncounted,
    }


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


def rates(summary: dict[str, Any]) -> dict[str, float]:
    """Each count by what it is out of, where that is not zero."""
    return {name: summary[name] / summary[whole] for name, whole in RATES.items() if summary.get(whole)}


# --- test cases ------------------------------------------------------------------------------------------------------


def test_case(cause: Cause) -> str:
    """A test in Python that fails as long as the fault is there; ``closure`` stands for the implementation."""
    lines = [f"def test_{cause.fault.kind.value}_{cause.case}():"]
    if cause.history is not None:
        lines.append(f"    closure({_literal(cause.history)})")
    lines.append(f"    answer = closure({_literal(cause.graph)})")
    lines += [f"    {line}" for line in _assertions(cause.fault)]
    return "\n".join(lines) + "\n"


def shell_case(cause: Cause, command: str) -> str:
    """The same for a command line: what to type, and what must come out."""
    links = "".join(f"{source}\\t{relation}\\t{target}\\n" for source, relation, target in cause.graph)
    call = command.replace("{input}", "/dev/stdin")
    return f"printf '{links}' | {call}\n# must answer {_expected(cause.fault)}\n"


def _expected(fault: Fault) -> str:
    match fault.kind:
        case Kind.MISSED_INCONSISTENCY:
            return "inconsistent"
        case Kind.FALSE_INCONSISTENCY:
            return "a closure: the links can all be true"
        case Kind.CRASH:
            return f"at all; now: {fault.reason}"
        case Kind.UNSOUND | Kind.INCOMPLETE:
            assert fault.pair is not None  # noqa: S101 - narrows the type only
            assert fault.exact is not None  # noqa: S101 - narrows the type only
            if fault.exact.is_universal:
                return f"nothing about {fault.pair[0]} and {fault.pair[1]}"
            if fault.pair[0] == fault.pair[1]:
                return f"nothing about {fault.pair[0]} and itself"
            return f"{fault.pair[0]} {fault.exact} {fault.pair[1]}"


test_case.__test__ = False  # type: ignore[attr-defined]  # not a test of ours


def _literal(graph: Graph) -> str:
    return "[" + ", ".join(f"({source!r}, {str(relation)!r}, {target!r})" for source, relation, target in graph) + "]"


def _assertions(fault: Fault) -> list[str]:
    match fault.kind:
        case Kind.MISSED_INCONSISTENCY:
            return ["assert answer is None  # these links cannot all be true"]
        case Kind.FALSE_INCONSISTENCY:
            return ["assert answer is not None  # these links can all be true"]
        case Kind.CRASH:
            return [f"# must answer; now: {fault.reason}"]
        case Kind.UNSOUND | Kind.INCOMPLETE:
            assert fault.pair is not None  # noqa: S101 - narrows the type only
            assert fault.exact is not None  # noqa: S101 - narrows the type only
            source, target = fault.pair
            pairs = f"[{fault.pair!r}, {(target, source)!r}]"
            claims = f"{{(s, r, t) for s, r, t in answer if (s, t) in {pairs}}}"
            if fault.exact.is_universal:
                return [f"assert not {claims}  # nothing follows about this pair"]
            if source == target:  # needs no claim
                return [f"assert {claims} <= {{({source!r}, '=', {source!r})}}"]
            one = f"({source!r}, {str(fault.exact)!r}, {target!r})"
            other = f"({target!r}, {str(fault.exact.converse())!r}, {source!r})"
            return [f"claims = {claims}", f"assert claims and claims <= {{{one}, {other}}}"]
