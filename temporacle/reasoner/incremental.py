"""Links put in one after the other, each judged by those before it: entailed, contradicted, or news.

Closing the graph again for every link would be quadratic. Two observations make it cheap:

*Forests are free.* A link between two parts of the graph that no links have joined so far can be neither entailed nor
contradicted: a model of one part can be moved and stretched until the link holds, and until it does not. Such links
wait. Only a link that closes a cycle needs the closure, and then the waiting links are put in.

*Closures grow.* ``before[y]`` is the set of points at or before y, ``strict[y]`` of those strictly before it. A new
edge x -> y adds ``before[x]`` to y and to everything after y; the walk stops wherever nothing is new, and meets a point
at most twice (by a weak and by a strict path).

Cost: O(points after y) operations on bit sets per link, memory O(n^2 / 8) bytes for the n endpoints on cycles. If
more links wait than are in, everything is closed at once instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ALL, ANY, EQ, GT, LT, RelationClass, classify, mask_of
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.pointgraph import hull_edges, strong_components
from temporacle.relation import EQUAL, Relation
from temporacle.results import Verdict

if TYPE_CHECKING:
    from temporacle.model import Link

_FEW = 16  # waiting links that are put in one by one however few are in


class IncrementalClosure:
    """The closure of the convex hulls of a growing set of links. The links must be consistent.

    >>> closure = IncrementalClosure(3)
    >>> closure.add(0, 1, 1)
    >>> closure.add(1, 1, 2)
    >>> closure.relation(2, 0) == 1 << 12  # after
    True
    """

    __slots__ = ("_before", "_inside", "_parents", "_strict", "_successors", "_waiting")

    def __init__(self, entities: int) -> None:
        self._parents = list(range(entities))  # union-find over entities
        self._waiting: list[tuple[int, int, int]] = []
        self._inside = 0  # links put in
        # Point 2i is the start of entity i, 2i + 1 its end. A successor y is stored as 2y, or 2y + 1 if strict.
        self._successors: list[list[int]] = [[] for _ in range(2 * entities)]
        self._before: list[int] = [0] * (2 * entities)  # 0: the point has no links inside yet
        self._strict: list[int] = [0] * (2 * entities)

    def connected(self, source: int, target: int) -> bool:
        """Whether some chain of links joins two entities."""
        return self._part(source) == self._part(target)

    def relation(self, source: int, target: int) -> int:
        """The strongest convex relation that follows for a pair of entities."""
        if source == target:
            return int(EQUAL)
        if not self.connected(source, target):
            return ALL
        if self._waiting:
            self._put_in()
        s, t = 2 * source, 2 * target
        signs = self._signs
        return mask_of((signs(s, t), signs(s, t + 1), signs(s + 1, t), signs(s + 1, t + 1)))

    def add(self, source: int, mask: int, target: int) -> None:
        """Put in the convex hull of a link that does not contradict the others."""
        if source == target:
            return
        first, second = self._part(source), self._part(target)
        if first != second:
            self._parents[first] = second
        self._waiting.append((source, mask, target))

    def _part(self, entity: int) -> int:
        parents = self._parents
        while parents[entity] != entity:
            parents[entity] = parents[parents[entity]]
            entity = parents[entity]
        return entity

    def _signs(self, x: int, y: int) -> int:
        if self._before[y] >> x & 1:
            if self._strict[y] >> x & 1:
                return LT
            return EQ if self._before[x] >> y & 1 else LT | EQ
        if self._before[x] >> y & 1:
            return GT if self._strict[x] >> y & 1 else GT | EQ
        return ANY

    def _put_in(self) -> None:
        at_once = len(self._waiting) > max(self._inside, _FEW)
        for source, mask, target in self._waiting:
            self._make_points(source)
            self._make_points(target)
            points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
            for x, y, strict in hull_edges(mask):
                self._successors[points[x]].append(2 * points[y] + strict)
                if not at_once:
                    self._propagate(points[x], 2 * points[y] + strict)
        self._inside += len(self._waiting)
        self._waiting.clear()
        if at_once:
            self._close()

    def _make_points(self, entity: int) -> None:
        start = 2 * entity
        if not self._before[start]:
            self._successors[start].append(2 * start + 3)
            self._before[start] = self._strict[start + 1] = 1 << start
            self._before[start + 1] = 3 << start

    def _propagate(self, x: int, edge: int) -> None:
        """Tell everything after a new edge what is now before it."""
        before, strict, successors = self._before, self._strict, self._successors
        weakly, strictly = before[x], strict[x]
        stack = [edge]
        while stack:
            edge = stack.pop()
            point = edge >> 1
            old_before, old_strict = before[point], strict[point]
            before[point] |= weakly
            strict[point] |= weakly if edge & 1 else strictly
            if before[point] != old_before or strict[point] != old_strict:
                # Once a path has a strict edge it stays strict.
                stack += [further | 1 for further in successors[point]] if edge & 1 else successors[point]

    def _close(self) -> None:
        """The closure of everything inside, from scratch: components in topological order."""
        components = strong_components(self._successors)
        members: list[list[int]] = [[] for _ in range(max(components, default=-1) + 1)]
        for point, component in enumerate(components):
            members[component].append(point)
        before, strict = [0] * len(members), [0] * len(members)
        for own in reversed(range(len(members))):  # edges lead to lower numbers
            points = members[own]
            if not self._before[points[0]]:
                continue
            weakly, strictly = before[own], strict[own]
            for point in points:
                weakly |= 1 << point
            for point in points:
                self._before[point], self._strict[point] = weakly, strictly
                for edge in self._successors[point]:
                    other = components[edge >> 1]
                    if other != own:
                        before[other] |= weakly
                        strict[other] |= weakly if edge & 1 else strictly


class GrowingGraph:
    """Some links of a document, and an exact verdict about any other. Links of every class.

    The closure of hulls decides alone as long as no disjunction was added; after that it decides what it can, and an
    Oracle the rest.

    >>> network = Network.of([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c"), ("c", "BEFORE", "a")])
    >>> graph = GrowingGraph(network)
    >>> graph.add(0), graph.add(1)
    (None, None)
    >>> graph.verdict(network.constraints[2]), graph.verdict(network.constraints[3])
    (<Verdict.ENTAILED: 'entailed'>, <Verdict.REFUTED: 'refuted'>)
    """

    def __init__(self, network: Network, budget: Budget | None = None) -> None:
        self.network = network
        self.budget = budget or Budget()
        self._hulls = IncrementalClosure(len(network.entities))
        self._links: list[Link] = []
        self._convex = True
        self._oracle: Oracle | None = None

    def add(self, position: int) -> None:
        """Add the network's link at a position. It must not contradict those added before."""
        source, mask, target = self.network.constraints[position]
        self._hulls.add(source, mask, target)
        self._links.append(self.network.links[position])
        self._convex = self._convex and classify(mask) is RelationClass.CONVEX
        self._oracle = None

    def verdict(self, constraint: tuple[int, int, int]) -> Verdict:
        """What the links added so far say about (source, mask, target). Raises BudgetExceeded when undecided."""
        source, mask, target = constraint
        possible = self._hulls.relation(source, target)
        if not possible & ~mask:
            return Verdict.ENTAILED
        if not possible & mask:
            return Verdict.REFUTED
        if self._convex or not self._hulls.connected(source, target):
            return Verdict.OPEN
        names = self.network.entities
        verdict = self.oracle().entails(names[source], Relation(mask), names[target])
        if verdict is Verdict.UNKNOWN:
            raise BudgetExceeded(f"not decided within {self.budget.seconds:g} s")
        return verdict

    def strongest(self, source: int, target: int) -> int:
        """The strongest relation that follows for a pair."""
        if self._convex:
            return self._hulls.relation(source, target)
        return int(self.oracle().strongest(self.network.entities[source], self.network.entities[target]))

    def oracle(self) -> Oracle:
        """Everything else about the links added so far."""
        if self._oracle is None:
            self._oracle = Oracle(Network(self._links, self.network.entities), budget=self.budget)
        return self._oracle
