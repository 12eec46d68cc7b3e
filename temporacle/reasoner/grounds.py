"""Reasons why atoms are impossible for pairs of entities, shared between pairs: what a certificate can show.

    path      endpoints p <= ... <= q: each edge follows from one fact. Most pairs need no more
    fact      a link, or a derived relation, between the two entities
    derived   a relation with a proof that the facts before it contradict its negation; it is a fact for what follows

Paths from one endpoint form a tree, so that each path is an earlier one and one edge more. Links have *ranks*: a tree
leads to every endpoint by links of the lowest possible rank, and with few edges among these. So the same tree serves
questions about what follows from the first links of a document, for any number of links.

Cost: one search of the graph for each endpoint from which a path is asked for; it ends when all of them are found.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.certificates import refutation_to_json
from temporacle.reasoner.network import Network
from temporacle.reasoner.pointgraph import hull_edges
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.network import Budget

_HOPS = 1 << 32  # more than a path has edges


class Path(NamedTuple):
    """A question for a path between two points, by facts of a rank below ``before``."""

    from_point: int
    to_point: int
    strict: bool
    before: int


class Derived(NamedTuple):
    """A relation that follows from facts."""

    link: Link
    conflict: list[int | str]
    proof: Any


Reason = Path | int  # a path, or the number of a fact


class Grounds:
    """The facts of one graph, and the reasons that were asked for.

    A fact is a link of the network, by its position, or a derived relation; these are numbered after the links.
    """

    def __init__(self, network: Network, budget: Budget, usable: Iterable[int] | None = None) -> None:
        """``usable``: positions of the links that are facts, which are their ranks. None: all links, of one rank."""
        self._network = network
        self._budget = budget
        self._derived: list[Derived] = []
        self._wanted: dict[int, dict[Path, int]] = {}  # by the first point, with the number of the path once known
        self._edges: dict[tuple[int, int, bool, int | None], int] = {}
        self._paths: list[tuple[int | None, int]] = []
        # To each point the edges from it: point, strict, rank, fact.
        self._successors: list[list[tuple[int, bool, int, int | None]]] = [[] for _ in range(2 * len(network.entities))]
        for start in range(0, len(self._successors), 2):
            self._successors[start].append((start + 1, True, -1, None))
        for position in range(len(network.links)) if usable is None else usable:
            self._add_edges(*network.constraints[position], 0 if usable is None else position, position)

    def _add_edges(self, source: int, mask: int, target: int, rank: int, fact: int) -> None:
        if source == target:
            return
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        for x, y, strict in hull_edges(mask):
            self._successors[points[x]].append((points[y], strict, rank, fact))

    # --- reasons ------------------------------------------------------------------------------------------------------

    def paths_for(self, source: int, hull: int, target: int, before: int | None = None) -> list[Reason]:
        """Return the paths that exclude every atom outside of a convex relation, which must follow from the hulls."""
        limit = len(self._network.links) if before is None else before
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        found: list[Reason] = []
        for x, y, strict in hull_edges(hull) if source != target else ():
            path = Path(points[x], points[y], strict, limit)
            self._wanted.setdefault(path.from_point, {})[path] = -1
            found.append(path)
        return found

    def derive(
        self, source: str, excluded: int, target: str, premises: Sequence[tuple[int, Link]], *, joins: bool = False
    ) -> int:
        """Return the number of a new fact: the pair has none of the excluded atoms.

        ``premises``: numbers of facts, and what they say. ``joins``: its hull can be part of paths.
        """
        query = premises[0][1]._replace(id="query", source=source, relation=Relation(excluded), target=target, label="")
        network = Network([*(link for _, link in premises), query])
        numbers = [number for number, _ in premises]
        conflict, proof = refutation_to_json(network, self._budget, [*numbers, "query"])
        number = len(self._network.links) + len(self._derived)
        link = query._replace(relation=Relation(ALL & ~excluded))
        self._derived.append(Derived(link, conflict, proof))
        if joins:
            index = self._network.index
            self._add_edges(index[source], int(link.relation), index[target], 0, number)
        return number

    # --- the record ---------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Find all paths that were asked for and have not been found yet."""
        for start, wanted in self._wanted.items():
            self._budget.check()
            self._search(start, wanted)

    def numbered(self, reasons: Iterable[Reason]) -> list[int]:
        """Return reasons as a certificate names them: the number of a path, or -1 - the number of a fact."""
        return [
            -1 - reason if isinstance(reason, int) else self._wanted[reason.from_point][reason] for reason in reasons
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of a certificate."""
        return {
            "derived": [
                [each.link.source, list(each.link.relation.atoms), each.link.target, each.conflict, each.proof]
                for each in self._derived
            ],
            "edges": [
                [self._name(x), "<" if strict else "<=", self._name(y), fact] for x, y, strict, fact in self._edges
            ],
            "paths": [list(path) for path in self._paths],
        }

    def _name(self, point: int) -> str:
        return f"{self._network.entities[point >> 1]}.{'end' if point & 1 else 'start'}"

    def _search(self, start: int, wanted: dict[Path, int]) -> None:
        """Find the paths from one point. A state is a point, and whether a strict edge led there."""
        ends: dict[int, list[Path]] = {}  # by state; not asking for a strict path, either state will do
        for path in wanted:
            for strict in (True,) if path.strict else (False, True):
                ends.setdefault(2 * path.to_point + strict, []).append(path)
        missing = sum(number < 0 for number in wanted.values())
        best = {2 * start: 0}
        came: dict[int, tuple[int, tuple[int, int, bool, int | None]]] = {}
        numbers: dict[int, int] = {}
        heap = [(0, 2 * start)]
        while heap and missing:
            cost, state = heappop(heap)
            if cost > best[state]:
                continue
            for path in ends.get(state, ()):
                if wanted[path] < 0 and cost // _HOPS <= path.before:
                    wanted[path] = self._number(state, 2 * start, came, numbers)
                    missing -= 1
            point, strictly = state >> 1, bool(state & 1)
            for following, strict, rank, fact in self._successors[point]:
                reached = 2 * following + (strictly or strict)
                new = max(cost // _HOPS, rank + 1) * _HOPS + cost % _HOPS + 1
                if reached not in best or new < best[reached]:
                    best[reached] = new
                    came[reached] = (state, (point, following, strict, fact))
                    heappush(heap, (new, reached))
        if missing:
            raise InternalError("a relation follows from no path of endpoints")

    def _number(
        self,
        state: int,
        root: int,
        came: dict[int, tuple[int, tuple[int, int, bool, int | None]]],
        numbers: dict[int, int],
    ) -> int:
        """Return the number of the path to a settled state, after those that it extends."""
        way = []
        while state != root and state not in numbers:
            way.append(state)
            state = came[state][0]
        for reached in reversed(way):
            before, edge = came[reached]
            self._paths.append((numbers.get(before), self._edges.setdefault(edge, len(self._edges))))
            numbers[reached] = len(self._paths) - 1
        return numbers[way[0]] if way else numbers[state]
