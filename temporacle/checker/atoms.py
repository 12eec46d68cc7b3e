"""What is known about time: an example of each of Allen's thirteen atoms, and what holds in it."""

from __future__ import annotations

from typing import Any

EXAMPLES = {
    "b": ((0, 1), (2, 3)),
    "m": ((0, 1), (1, 2)),
    "o": ((0, 2), (1, 3)),
    "fi": ((0, 2), (1, 2)),
    "di": ((0, 3), (1, 2)),
    "s": ((0, 1), (0, 2)),
    "=": ((0, 1), (0, 1)),
    "si": ((0, 2), (0, 1)),
    "d": ((1, 2), (0, 3)),
    "f": ((1, 2), (0, 2)),
    "oi": ((1, 3), (0, 2)),
    "mi": ((1, 2), (0, 1)),
    "bi": ((2, 3), (0, 1)),
}
ATOMS = list(EXAMPLES)
ENDS = ("start", "end")

Link = tuple[str, frozenset[str], str]  # source, atoms, target


def order(x: Any, y: Any) -> tuple[int, ...]:
    """Return how the endpoints of x lie to those of y: -1 before, 0 equal, 1 after."""
    return tuple((p > q) - (p < q) for p in x for q in y)


ATOM_OF = {order(x, y): atom for atom, (x, y) in EXAMPLES.items()}


def follows(left: str, sign: str, right: str, link: Link, atoms: frozenset[str]) -> bool:
    """Return whether an edge holds in every atom. An entity linked to itself can be seen from either side."""
    places = [(side, end) for side in (0, 1) for end in (0, 1)]
    named = {place: f"{link[0] if place[0] == 0 else link[2]}.{ENDS[place[1]]}" for place in places}

    def holds(x: tuple[int, int], y: tuple[int, int]) -> bool:
        pairs = [(EXAMPLES[atom][x[0]][x[1]], EXAMPLES[atom][y[0]][y[1]]) for atom in atoms]
        return all(p < q if sign == "<" else p <= q for p, q in pairs)

    return any(holds(x, y) for x in places for y in places if named[x] == left and named[y] == right)
