"""The links that a question about two entities can depend on, among many convex ones.

What follows for a pair is shown by paths between their four endpoints. Time never runs backwards on a path, so it stays
between the first and the last of the endpoints in any order of time that satisfies the links. Links elsewhere belong to
no shortest path, no minimal conflict with a statement about the pair, and no minimal set of links that entails one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.network import require_memory
from temporacle.reasoner.points.graph import Closure, Contradiction, close_points, edges_between, strong_components
from temporacle.reasoner.points.hulls import graph_of, is_convex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.network import Budget, Network

    Constraint = tuple[int, int, int]  # source, mask, target


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
                for x, y, _ in edges_between(source, mask, target) if source != target else ():
                    self._edges.setdefault(x, []).append((y, number))

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


# ----------------------------------------------------------------------------------------------------
# Edges of the endpoint graph without which something would not follow.
#
# Every link of a consistent graph stands for a few edges (``hull_edges``). An edge x -> y is *needed* if no other path
# leads from x to y, by a strict edge if the edge is strict. A convex link follows from all other links iff none of its
# edges is needed: it is enough to leave out one edge at a time. Suppose another path from x to y uses an edge u -> v of
# the same link, and is the first to do so. If u belongs to the other entity than x, then the path to u leads on to y by
# start < end, or the graph has a strict cycle. If u belongs to the same entity as x, then x -> y would follow from u
# -> v
# and start < end, and ``hull_edges`` has no such edges.
#
#     inside a component      points are equal: look for another path inside it
#     between components      count, for each component that is reached, whether one edge or more lead there.
#                             Nothing leads back, so the closure of all edges is right about the rest of the path.


class Needs(NamedTuple):
    """The closure of the hulls of some links, and for each link whether it has a needed edge."""

    closure: Closure
    links: list[bool]


def find_needed(entities: int, constraints: Sequence[Constraint], budget: Budget | None = None) -> Needs:
    """Return which links have a needed edge, for links whose hulls are consistent.

    >>> find_needed(3, [(0, 1, 1), (1, 1, 2), (0, 1, 2)]).links
    [True, True, False]
    """
    # An edge to y is stored as 2y, or 2y + 1 if it is strict.
    successors: list[list[int]] = [[] for _ in range(2 * entities)]
    stated: list[list[tuple[int, int]]] = [[] for _ in range(2 * entities)]  # the same with the number of the link
    for start in range(0, 2 * entities, 2):
        successors[start].append(2 * start + 3)
    for number, (source, mask, target) in enumerate(constraints):
        if source != target:
            for x, y, strict in edges_between(source, mask, target):
                edge = 2 * y + strict
                successors[x].append(edge)
                stated[x].append((edge, number))
    components = strong_components(successors)
    members: list[list[int]] = [[] for _ in range(max(components, default=-1) + 1)]
    for point, component in enumerate(components):
        members[component].append(point)
    require_memory(len(members) ** 2 // 4, f"closing the graph of {entities} entities")
    reach, surely = close_points(successors, components, budget)
    closure = Closure(entities, components, reach, surely, set())
    needed = [False] * len(constraints)
    for own, equal in enumerate(members):
        twice, twice_strictly = _reached_twice([edge for point in equal for edge in successors[point]], own, closure)
        for point in equal:
            if budget is not None:
                budget.check()
            for edge, number in stated[point]:
                other = components[edge >> 1]
                if other == own:
                    replaced = _leads_around(point, edge, successors, components)
                else:
                    replaced = bool((twice_strictly if edge & 1 else twice) >> other & 1)
                needed[number] = needed[number] or not replaced
    return Needs(closure, needed)


def _reached_twice(edges: Sequence[int], own: int, closure: Closure) -> tuple[int, int]:
    """Return the components that a component reaches by more than one of its edges; and those strictly so."""
    once = twice = once_strictly = twice_strictly = 0
    for edge in edges:
        other = closure.components[edge >> 1]
        if other != own:
            weakly = closure.reach[other]
            strictly = weakly if edge & 1 else closure.strict[other]
            twice |= once & weakly
            once |= weakly
            twice_strictly |= once_strictly & strictly
            once_strictly |= strictly
    return twice, twice_strictly


def _leads_around(start: int, edge: int, successors: Sequence[Sequence[int]], components: Sequence[int]) -> bool:
    """Return whether another path than this edge connects two equal points."""
    goal, own = edge >> 1, components[start]
    if successors[start].count(edge) > 1:
        return True
    met = {start}
    waiting = [other >> 1 for other in successors[start] if other != edge]
    while waiting:
        point = waiting.pop()
        if point == goal:
            return True
        if point not in met and components[point] == own:
            met.add(point)
            waiting += [other >> 1 for other in successors[point]]
    return False
