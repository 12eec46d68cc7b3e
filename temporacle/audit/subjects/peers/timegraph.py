"""timegraph: chains of time points with pseudo-times."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from timegraph.timegraph import TimeGraph

from temporacle.audit.subjects.peers import Link, label_of
from temporacle.relation import EXAMPLES, endpoint_signs

if TYPE_CHECKING:
    from collections.abc import Iterator

# How the endpoints lie to each other: source start and end against target start, then against target end.
_SIGNS = {atom: "".join("<=>"[1 + sign] for sign in endpoint_signs(*pair)) for atom, pair in EXAMPLES.items()}
_ENTERED_AS = {"<": "before-1", "=": "same-time", ">": "after-1"}
_READ_AS = {
    "before-1": "<",
    "before": "<=",
    "before-0": "=",
    "same-time": "=",
    "equal": "=",
    "after-0": "=",
    "after": "=>",
    "after-1": ">",
}


def closure(links: list[Link]) -> list[Link]:
    """Return the closure of ``timegraph.TimeGraph`` over endpoints.

    Each link adds four relations of points, each entity one more.
    """
    graph = TimeGraph()
    names = list(dict.fromkeys(end for source, _, target in links for end in (source, target)))
    for name in names:
        graph.enter(f"{name}.start", "before-1", f"{name}.end")
    for source, relation, target in links:
        signs = label_of(relation, _SIGNS)
        for (left, right), sign in zip(_cross_pairs(source, target), signs, strict=True):
            graph.enter(left, _ENTERED_AS[sign], right)
    return [claim for x, y in combinations(names, 2) for claim in _claims(graph, x, y)]


def _cross_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """Return the four pairs of endpoints in the order of an atom's signs."""
    return [(f"{source}.{left}", f"{target}.{right}") for left in ("start", "end") for right in ("start", "end")]


def _claims(graph: TimeGraph, source: str, target: str) -> Iterator[Link]:
    """Yield the relation of the graph for each of the four pairs of endpoints, as the atoms that fit it."""
    for position, (left, right) in enumerate(_cross_pairs(source, target)):
        allowed = _READ_AS.get(graph.relation(left, right))
        if allowed is not None:
            yield source, "|".join(atom for atom, signs in _SIGNS.items() if signs[position] in allowed), target
