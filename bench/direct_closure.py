"""The closure of i2b2 2012 in the rounds that its program makes: every round goes through all pairs, sorted by text."""

from __future__ import annotations

from typing import TypeAlias

Triple: TypeAlias = tuple[bytes, bytes, bytes]
LABELS = {b"BEFORE": "<", b"AFTER": ">", b"SIMULTANEOUS": "="}
_INVERSE = {b"BEFORE": b"AFTER", b"AFTER": b"BEFORE", b"SIMULTANEOUS": b"SIMULTANEOUS"}
_COMPOSED = {("<", "<"): "<", ("<", "="): "<", ("=", "<"): "<", ("=", "="): "="}
_COMPOSED |= {(">", ">"): ">", (">", "="): ">", ("=", ">"): ">"}
_NAMES = {"<": b"BEFORE", ">": b"AFTER", "=": b"OVERLAP"}


def closure_in_rounds(links: list[Triple]) -> set[Triple]:
    """Return all edges, derived as it is described for the program."""
    relations: dict[tuple[bytes, bytes], str] = {}
    done: set[tuple[bytes, bytes]] = set()
    bad = False

    def derive(p: bytes, q: bytes, first: str, second: str) -> None:
        nonlocal bad
        composed = _COMPOSED.get((first, second))
        if p == q or composed is None:
            return
        if (p, q) not in relations:
            relations[p, q] = composed
        elif relations[p, q] != composed:
            bad = True

    for x, y, label in links:
        for i, j, each in ((x, y, label), (y, x, _INVERSE[label])):
            if (i, j) in relations:
                continue
            relations[i, j] = LABELS[each]
            while not bad and any(a != b and (a, b) not in done for a, b in relations):
                for a, b in sorted(pair for pair in relations if pair[0] != pair[1]):
                    if bad:
                        break
                    if (a, b) in done:
                        continue
                    done.add((a, b))
                    for k in [k for k, other in relations if other == a]:
                        derive(k, b, relations[k, a], relations[a, b])
                    for k in [k for other, k in relations if other == b]:
                        derive(a, k, relations[a, b], relations[b, k])
    return {(*pair, _NAMES[sign]) for pair, sign in relations.items()}
