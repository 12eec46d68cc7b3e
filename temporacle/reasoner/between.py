"""The links that a question about two entities can depend on, among many convex ones.

What follows for a pair is shown by paths between their four endpoints. Time never runs backwards on a path, so it stays
between the first and the last of the endpoints in any order of time that satisfies the links. Links elsewhere belong to
no shortest path, no minimal conflict with a statement about the pair, and no minimal set of links that entails one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.pointgraph import Contradiction, hull_edges
from temporacle.reasoner.tighten import graph_of, is_convex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.model import Link
    from temporacle.reasoner.network import Network


class LinksBetween:
    """Finds the links between two entities. Making it costs one pass over the links, a question what it searches.

    >>> from temporacle.reasoner.network import Network
    >>> network = Network.of([("z", "b", "a"), ("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d")])
    >>> [(link.source, link.target) for link in LinksBetween(network).of("a", "c")]
    [('a', 'b'), ('b', 'c')]
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._ranks = _ranks(network)  # None: all links may matter
        self._edges: dict[int, list[tuple[int, int]]] = {}  # from each point: to a point, by a link (-1: start < end)
        if self._ranks is not None:
            for number, (source, mask, target) in enumerate(network.constraints):
                points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
                for x, y, _ in hull_edges(mask) if source != target else ():
                    self._edges.setdefault(points[x], []).append((points[y], number))

    def of(self, source: str, target: str) -> tuple[Link, ...]:
        """Return the links on which a question about two entities can depend, in the order of the network."""
        network = self._network
        if self._ranks is None:
            return network.links
        asked = [network.index[name] for name in (source, target) if name in network.index]
        found = self._links_after(point for entity in asked for point in (2 * entity, 2 * entity + 1))
        return tuple(network.links[number] for number in sorted(found))

    def _links_after(self, points: Iterable[int]) -> set[int]:
        """Return links with an edge that can be reached from some of the points and ends before the last of them.

        An edge that leads nowhere is returned as well: it does no harm.
        """
        ranks = self._ranks
        seen = set(points)
        if ranks is None or not seen:
            return set()
        last = min(ranks[point] for point in seen)  # edges lead to lower ranks
        waiting = list(seen)
        found: set[int] = set()
        while waiting:
            point = waiting.pop()
            edges = self._edges.get(point, ())
            for following, link in edges if point & 1 else (*edges, (point + 1, -1)):
                if ranks[following] < last:
                    continue
                found.add(link)
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        found.discard(-1)
        return found


def _ranks(network: Network) -> list[int] | None:
    """Return numbers of the points that never grow along an edge; None if the links are disjunctive or contradictory.

    Disjunctions can exclude what no path excludes, and contradictory links entail everything.
    """
    if not is_convex(network.constraints):
        return None
    try:
        return graph_of(len(network.entities), network.constraints).condense()
    except Contradiction:
        return None
