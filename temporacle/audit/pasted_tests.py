"""A finding about a live implementation as a test to paste: it fails as long as the fault is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.audit.faults import Fault, FaultKind

if TYPE_CHECKING:
    from temporacle.audit.findings import Finding
    from temporacle.audit.graphs import Graph


def python_test(finding: Finding) -> str:
    """A test in Python; ``closure`` stands for the implementation."""
    lines = [f"def test_{finding.kind.value}_{finding.case}():"]
    if finding.history is not None:
        lines.append(f"    closure({_literal(finding.history)})")
    lines.append(f"    answer = closure({_literal(finding.graph)})")
    lines += [f"    {line}" for line in _assertions(finding.fault)]
    return "\n".join(lines) + "\n"


def shell_test(finding: Finding, command: str) -> str:
    """The same for a command line: what to type, and what must come out."""
    links = "".join(f"{source}\\t{relation}\\t{target}\\n" for source, relation, target in finding.graph)
    call = command.replace("{input}", "/dev/stdin")
    return f"printf '{links}' | {call}\n# must answer {_expected(finding.fault)}\n"


def _expected(fault: Fault) -> str:
    match fault.kind:
        case FaultKind.MISSED_INCONSISTENCY:
            return "inconsistent"
        case FaultKind.FALSE_INCONSISTENCY:
            return "a closure: the links can all be true"
        case FaultKind.CRASH:
            return f"at all; now: {fault.reason}"
        case FaultKind.UNSOUND | FaultKind.INCOMPLETE:
            assert fault.pair is not None  # noqa: S101 - narrows the type only
            assert fault.exact is not None  # noqa: S101 - narrows the type only
            if fault.exact.is_universal:
                return f"nothing about {fault.pair[0]} and {fault.pair[1]}"
            if fault.pair[0] == fault.pair[1]:
                return f"nothing about {fault.pair[0]} and itself"
            return f"{fault.pair[0]} {fault.exact} {fault.pair[1]}"


def _literal(graph: Graph) -> str:
    return "[" + ", ".join(f"({source!r}, {str(relation)!r}, {target!r})" for source, relation, target in graph) + "]"


def _assertions(fault: Fault) -> list[str]:
    match fault.kind:
        case FaultKind.MISSED_INCONSISTENCY:
            return ["assert answer is None  # these links cannot all be true"]
        case FaultKind.FALSE_INCONSISTENCY:
            return ["assert answer is not None  # these links can all be true"]
        case FaultKind.CRASH:
            return [f"# must answer; now: {fault.reason}"]
        case FaultKind.UNSOUND | FaultKind.INCOMPLETE:
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
