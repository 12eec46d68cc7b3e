"""A finding about a live implementation as a test to paste: it runs as it is, and fails as long as the fault is there.

    def test_missed_inconsistency_1():
        from mypackage.closure import close as closure

        answer = closure([('x', 'b', 'y'), ('y', 'b', 'x')])
        assert answer is None  # these links contradict each other

Apart from the implementation, it needs only the standard library.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.audit.answers import Fault, FaultKind, Manner
from temporacle.readings import load_reading
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.audit.answers import Graph
    from temporacle.audit.findings import Finding
    from temporacle.relation import Relation


class Implementation(NamedTuple):
    """The code by which a test reaches the function that it tests, and reads its answers."""

    lines: tuple[str, ...] = ("# closure: the function that was audited",)
    inconsistent: tuple[str, ...] = ()  # exceptions that say so
    labels: frozenset[str] = frozenset()  # names of relations in its answers that are not atoms

    @classmethod
    def named(cls, target: str | Callable[..., Any], inconsistent: Sequence[str] = ()) -> Implementation:
        """Return the code that defines ``closure``, from ``module:function``, ``path/to/file.py:function`` or an
        object.

        >>> Implementation.named("tools/close.py:close").lines
        ('import sys', "sys.path.insert(0, 'tools')", 'from close import close as closure')
        """
        if not isinstance(target, str):
            module = getattr(target, "__module__", None) or "__main__"
            name = getattr(target, "__qualname__", "<none>")
            if module == "__main__" or "<" in name:
                return cls(inconsistent=tuple(inconsistent))
            target = f"{module}:{name}"
        place, _, name = target.rpartition(":")
        lines = []
        if place.endswith(".py"):
            path = Path(place)
            if not path.stem.isidentifier():
                run = f"closure = runpy.run_path({place!r})[{name!r}]"
                return cls(("import runpy", run), tuple(inconsistent))
            lines = ["import sys", f"sys.path.insert(0, {str(path.parent)!r})"]
            place = path.stem
        owner, _, rest = name.partition(".")
        lines.append(f"from {place} import {owner}{'' if rest else ' as closure'}")
        return cls((*lines, *([f"closure = {name}"] if rest else [])), tuple(inconsistent))


UNNAMED = Implementation()


def python_test(finding: Finding, number: int = 1, implementation: Implementation = UNNAMED) -> str:
    """Return a test in Python. ``number`` makes its name unique."""
    lines = [*implementation.lines, ""]
    if finding.history is not None:
        lines += [f"closure({_literal(graph)})" for graph in (*finding.earlier, finding.history)]
    call = f"answer = closure({_literal(finding.graph)})"
    if implementation.inconsistent:
        lines += ["try:", f"    {call}", "except Exception as error:", *_rejecting(implementation.inconsistent)]
    else:
        lines.append(call)
    lines += _assertions(finding.fault, implementation.labels)
    head = f"def test_{finding.kind.value}_{number}():"
    return "\n".join([head, *(f"    {line}" if line else "" for line in lines)]) + "\n"


def _rejecting(names: Sequence[str]) -> list[str]:
    """Return the code that handles an exception that means "inconsistent".

    Like the audit, it knows the exception by its name.
    """
    return [
        "    kinds = [(kind.__name__, f'{kind.__module__}.{kind.__qualname__}') for kind in type(error).__mro__]",
        f"    if not any(name in {tuple(names)!r} for both in kinds for name in both):",
        "        raise",
        "    answer = None",
    ]


def shell_test(finding: Finding, command: str) -> str:
    """Return a test of a finding for a command line: the command and the expected output."""
    links = "".join(f"{source}\t{relation}\t{target}\n" for source, relation, target in finding.graph)
    escaped = links.replace("\\", "\\\\").replace("%", "%%").replace("\t", "\\t").replace("\n", "\\n")
    call = command.replace("{input}", "/dev/stdin")
    return f"printf {shlex.quote(escaped) if links else repr('')} | {call}\n# must answer {_expected(finding.fault)}\n"


def _expected(fault: Fault) -> str:
    match fault.kind:
        case FaultKind.MISSED_INCONSISTENCY:
            return "inconsistent"
        case FaultKind.FALSE_INCONSISTENCY:
            return "a closure: the links do not contradict each other"
        case FaultKind.CRASH:
            return f"something; now: {fault.reason}"
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


def _assertions(fault: Fault, labels: frozenset[str]) -> list[str]:
    match fault.kind:
        case FaultKind.MISSED_INCONSISTENCY:
            return ["assert answer is None  # these links contradict each other"]
        case FaultKind.FALSE_INCONSISTENCY:
            return ["assert answer is not None  # these links do not contradict each other"]
        case FaultKind.CRASH:
            lines = [f"# it must answer; now: {' '.join(fault.reason.split())}"]
            if fault.manner is Manner.MALFORMED:
                lines += [
                    "for source, relation, target in answer or ():",
                    f"    assert set(str(relation).split('|')) <= {_known_names()!r}",
                ]
            return lines
        case FaultKind.UNSOUND | FaultKind.INCOMPLETE:
            return _about_a_pair(fault, labels)


def _about_a_pair(fault: Fault, labels: frozenset[str]) -> list[str]:
    assert fault.pair is not None  # noqa: S101 - narrows the type only
    assert fault.exact is not None  # noqa: S101 - narrows the type only
    source, target = fault.pair
    lines = []
    names = "r.split('|')"
    if labels:
        lines = [f"labels = {_meanings(labels, fault.exact)!r}"]
        names = "'|'.join(labels.get(name, name) for name in r.split('|')).split('|')"
    pairs = f"[{fault.pair!r}, {(target, source)!r}]" if source != target else f"[{fault.pair!r}]"
    lines.append(f"claims = {{(s, '|'.join(sorted({names})), t) for s, r, t in answer if (s, t) in {pairs}}}")
    if fault.exact.is_universal:
        return [
            *lines,
            f"assert all(r.count('|') == {len(ATOMS) - 1} for _, r, _ in claims)  # nothing follows about this pair",
        ]
    one = repr((source, "|".join(sorted(fault.exact.atoms)), target))
    if source == target:  # needs no claim
        return [*lines, f"assert claims <= {{{one}}}"]
    other = repr((target, "|".join(sorted(fault.exact.converse().atoms)), source))
    return [*lines, f"assert claims and claims <= {{{one}, {other}}}"]


def _meanings(used: frozenset[str], exact: Relation) -> dict[str, str]:
    """Return the meaning of the labels in the answer, and of those that a correct answer may have."""
    wanted = (exact, exact.converse())
    known = load_reading("links").labels.items()
    return {name: str(relation) for name, relation in known if name in used or relation in wanted}


def _known_names() -> set[str]:
    return {*ATOMS, *load_reading("links").labels}
