"""A closure to be audited: it chains BEFORE links, and knows nothing else."""

from __future__ import annotations


def close(links: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """All pairs that follow from chains of BEFORE links."""
    before = {(source, target) for source, relation, target in links if relation == "b"}
    while new := {(a, d) for a, b in before for c, d in before if b == c} - before:
        before |= new
    return [(source, "b", target) for source, target in sorted(before)]
