"""The endpoint graph: exact and polynomial for convex and pointisable links.

Entity i has the points 2i (start) and 2i + 1 (end). A convex relation is a conjunction of ``x <= y`` and ``x < y``
between points, which are edges here; a pointisable one may add ``x != y``. Every entity has the free strict edge
start -> end.

    condense    strongly connected components: points that must be equal. A strict edge, or a ``!=``, inside one
                is a contradiction; otherwise the topological rank of the components is an integer model.
    close       per component, the sets reached by any path and by a path with a strict edge, as Python integers.

Why this is complete: x <= y follows iff y can be reached from x; x < y iff it can be reached by a path with a strict
edge, or both ends of some ``!=`` lie between x and y (x = y would merge everything between them). An atom is possible
for a pair iff each of its four endpoint signs is possible on its own: the atom is a weak order of the four points, so a
contradiction would need a cycle that alternates between entailed paths and edges of that order, and evaluated in the
order such a cycle increases. An atom equates at most two pairs of points, in different components, so the same holds
with ``!=``. Therefore the possible atoms are the strongest entailed relation, for any premises made of such links.

Cost: O(V + E) to condense, O(V E / 64) to close, O(1) dictionary-free look-ups per pair after that.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import ANY, CROSS_PAIRS, DIFFERENT, EQ, GT, LT, convex_hull, mask_of, signs_of
from temporacle.reasoner.network import require_memory
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget

_NUMPY_PAYS_FROM = 24  # entities; measured: below, plain loops are faster than building arrays


class LocalEdge(NamedTuple):
    """``from_point -> to_point`` among the four endpoints 0..3 of a link (source start, end, target start, end)."""

    from_point: int
    to_point: int
    strict: bool


@cache
def hull_edges(mask: int) -> tuple[LocalEdge, ...]:
    """Return the fewest edges that express a relation's convex hull, given start < end on both sides."""
    return _convex_edges(convex_hull(mask))


@cache
def _convex_edges(hull: int) -> tuple[LocalEdge, ...]:
    """Return the edges of one of the few convex relations."""
    edges: list[LocalEdge] = []
    for (x, y), signs in zip(CROSS_PAIRS, signs_of(hull), strict=True):
        if not signs & GT:
            edges.append(LocalEdge(x, y, not signs & EQ))
        if not signs & LT:
            edges.append(LocalEdge(y, x, not signs & EQ))
    for edge in tuple(edges):
        rest = [other for other in edges if other is not edge]
        if _implied(edge, rest):
            edges = rest
    return tuple(edges)


def _implied(edge: LocalEdge, others: Iterable[LocalEdge]) -> bool:
    """Return whether an edge follows from others and start < end, by relaxing best[point] = 0 reached, 1 strictly
    reached.
    """
    edges = [LocalEdge(0, 1, strict=True), LocalEdge(2, 3, strict=True), *others]
    best = {edge.from_point: 0}
    for _ in range(4):
        for from_point, to_point, strict in edges:
            if from_point in best:
                best[to_point] = max(best.get(to_point, 0), best[from_point] | strict)
    return best.get(edge.to_point, -1) >= edge.strict


def edges_between(source: int, mask: int, target: int) -> list[tuple[int, int, bool]]:
    """Return the edges of a link between numbered entities: from a point, to a point, strict."""
    points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
    return [(points[x], points[y], strict) for x, y, strict in hull_edges(mask)]


@cache
def hull_differences(mask: int) -> tuple[tuple[int, int], ...]:
    """Return the cross pairs on which a pointisable relation says only ``!=``."""
    return tuple(pair for pair, signs in zip(CROSS_PAIRS, signs_of(mask), strict=True) if signs == DIFFERENT)


class Contradiction(Exception):  # noqa: N818 - a result inside the reasoner, never shown to users
    """The links that were put in cannot all be true."""


class PointGraph:
    """Points with ``<=``, ``<`` and ``!=`` between them.

    >>> graph = PointGraph(2)
    >>> graph.add(0, 1, 1)                      # entity 0 before entity 1
    >>> graph.close().relation(1, 0) == 1 << 12  # after
    True
    """

    __slots__ = ("budget", "differences", "entities", "successors")

    def __init__(self, entities: int) -> None:
        self.entities = entities
        # A successor y of x is stored as 2y, or 2y + 1 if the edge is strict.
        self.successors: list[list[int]] = [[] for _ in range(2 * entities)]
        for start in range(0, 2 * entities, 2):
            self.successors[start].append(2 * start + 3)
        self.differences: list[tuple[int, int]] = []
        self.budget: Budget | None = None

    def add_all(self, constraints: Iterable[tuple[int, int, int]]) -> None:
        """Add many links. Unlike ``add``, this takes no call for each of the usual ones."""
        successors = self.successors
        for source, mask, target in constraints:
            if source == target or not mask:
                self.add(source, mask, target)
                continue
            points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
            for x, y, strict in hull_edges(mask):
                successors[points[x]].append(2 * points[y] + strict)

    def add(self, source: int, mask: int, target: int, *, differences: bool = False) -> None:
        """Put in a relation's convex hull; with ``differences`` also its ``!=``. Raises on impossible self-links."""
        if source == target:
            if not mask & EQUAL:
                raise Contradiction
            return
        if not mask:
            raise Contradiction
        successors = self.successors
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        for x, y, strict in hull_edges(mask):
            successors[points[x]].append(2 * points[y] + strict)
        if differences:
            self.differences.extend((points[x], points[y]) for x, y in hull_differences(mask))

    def condense(self) -> list[int]:
        """Return the component of every point, numbered so that edges never go to a higher number.

        Raise Contradiction if contradictory.
        """
        components = strong_components(self.successors)
        for point, targets in enumerate(self.successors):
            own = components[point]
            for target in targets:
                if target & 1 and components[target >> 1] == own:
                    raise Contradiction
        self._check_differences(components)
        return components

    def _check_differences(self, components: Sequence[int]) -> None:
        if any(components[x] == components[y] for x, y in self.differences):
            raise Contradiction

    def close(self, budget: Budget | None = None) -> Closure:
        """Return the closure. Raise Contradiction if the links are inconsistent, BudgetExceeded if it is too large.

        ``budget`` counts for this and all further work with the graph.
        """
        self.budget = budget or self.budget
        components = strong_components(self.successors)
        self._check_differences(components)
        count = max(components, default=-1) + 1
        require_memory(count * count // 8, f"closing the graph of {self.entities} entities")
        reach, strict = close_points(self.successors, components, self.budget)
        differences = {(components[x], components[y]) for x, y in self.differences}
        _apply_differences(reach, strict, differences)
        return Closure(self.entities, components, reach, strict, differences, budget=self.budget)


def close_points(
    successors: Sequence[Sequence[int]], components: Sequence[int], budget: Budget | None = None
) -> tuple[list[int], list[int]]:
    """Return the components that each component reaches (itself included), and those it strictly reaches, as bit sets.

    Raises Contradiction if a strict edge lies inside a component.
    """
    members: list[list[int]] = [[] for _ in range(max(components, default=-1) + 1)]
    for point, component in enumerate(components):
        members[component].append(point)
    reach: list[int] = []
    strict: list[int] = []
    for own, points in enumerate(members):  # all that a component leads to has a lower number
        surely = weakly = 0
        if budget is not None and own & 0xFF == 0xFF:
            budget.check()
        for point in points:
            for target in successors[point]:
                other = components[target >> 1]
                if target & 1:
                    if other == own:
                        raise Contradiction
                    # Big integers are copied by every operation: the first one is taken as it is.
                    surely = surely | reach[other] if surely else reach[other]
                elif other != own:
                    weakly |= reach[other]
                    surely |= strict[other]
        reach.append(surely | weakly | 1 << own)
        strict.append(surely)
    return reach, strict


def _apply_differences(reach: list[int], strict: list[int], differences: Iterable[tuple[int, int]]) -> None:
    """Apply the "between" rule: everything before both ends of a ``!=`` is strictly before everything after both."""
    for x, y in differences:
        both = 1 << x | 1 << y
        after = reach[x] & reach[y]
        if after:
            for before, reached in enumerate(reach):
                if reached & both == both:
                    strict[before] |= after


def contradictory(successors: Sequence[Sequence[int]], components: Sequence[int]) -> set[int]:
    """Return the components with a strict edge inside. Edges are stored as 2y or 2y + 1."""
    return {
        components[point]
        for point, targets in enumerate(successors)
        for target in targets
        if target & 1 and components[target >> 1] == components[point]
    }


def strong_components(successors: Sequence[Sequence[int]]) -> list[int]:
    """Return strongly connected components by Tarjan's algorithm without recursion; successors are stored as 2y or 2y +
    1.

    Components are numbered in the order they are completed, so every edge leads to the same or a lower number.
    """
    size = len(successors)
    components = [-1] * size
    low = [0] * size  # order of discovery, then lowest order reachable; 0 = not seen
    clock = count = 0
    for root in range(size):
        if low[root]:
            continue
        clock += 1
        low[root] = clock
        path = [root]
        walks = [iter(successors[root])]
        born = [clock]
        waiting = [root]
        while path:
            point = path[-1]
            for target in walks[-1]:
                other = target >> 1
                seen = low[other]
                if not seen:
                    clock += 1
                    low[other] = clock
                    path.append(other)
                    walks.append(iter(successors[other]))
                    born.append(clock)
                    waiting.append(other)
                    break
                if components[other] < 0 and seen < low[point]:
                    low[point] = seen
            else:
                path.pop()
                walks.pop()
                lowest = low[point]
                if lowest == born.pop():
                    while True:
                        member = waiting.pop()
                        components[member] = count
                        if member == point:
                            break
                    count += 1
                elif lowest < low[path[-1]]:
                    low[path[-1]] = lowest
    return components


def model_of(components: Sequence[int]) -> list[int]:
    """Return integer times for all points: the topological rank of their components."""
    top = max(components, default=0)
    return [top - component for component in components]


class Closure:
    """All that follows from a consistent endpoint graph."""

    __slots__ = ("budget", "components", "differences", "entities", "reach", "strict")

    def __init__(
        self,
        entities: int,
        components: list[int],
        reach: list[int],
        strict: list[int],
        differences: set[tuple[int, int]],
        *,
        budget: Budget | None = None,
    ) -> None:
        self.budget = budget
        self.entities = entities
        self.components = components  # of points
        self.reach = reach  # of components, as bit sets
        self.strict = strict
        self.differences = differences  # pairs of components said to differ

    @property
    def bytes(self) -> int:
        """Return roughly how much memory the bit sets take."""
        return len(self.reach) ** 2 // 8

    def signs(self, x: int, y: int) -> int:
        """Return the signs that are possible between two points."""
        own, other = self.components[x], self.components[y]
        if own == other:
            return EQ
        if own > other:  # edges lead downwards, so only own can reach other
            if self.reach[own] >> other & 1:
                return LT if self.strict[own] >> other & 1 else LT | EQ
        elif self.reach[other] >> own & 1:
            return GT if self.strict[other] >> own & 1 else GT | EQ
        return DIFFERENT if (own, other) in self.differences or (other, own) in self.differences else ANY

    def relation(self, source: int, target: int) -> int:
        """Return the strongest relation that follows for a pair of entities."""
        s, t = 2 * source, 2 * target
        signs = self.signs
        return mask_of((signs(s, t), signs(s, t + 1), signs(s + 1, t), signs(s + 1, t + 1)))

    def possible(self, source: int, target: int, within: int) -> int:
        """Return the atoms of ``within`` that can hold between two entities."""
        return self.relation(source, target) & within

    def model(self) -> list[int]:
        """Return integer times for all points."""
        return model_of(self.components)

    def table(self) -> Sequence[Sequence[int]]:
        """Return the strongest relation of every pair, by plain look-ups for few entities and with numpy for many."""
        return self.table_by_pairs() if self.entities < _NUMPY_PAYS_FROM else self.table_by_arrays()  # type: ignore[return-value]

    def table_by_pairs(self) -> list[list[int]]:
        """Return the relations of all pairs with one look-up each: the naive twin of ``table_by_arrays``."""
        everyone = range(self.entities)
        return [[self.relation(source, target) for target in everyone] for source in everyone]

    def table_by_arrays(self) -> NDArray[np.uint16]:
        """Return the relations of all pairs at once, some rows at a time.

        The result has two bytes per pair, and little more memory is used.
        """
        import numpy as np

        size = self.entities
        require_memory(2 * size * size + 2 * _packed_size(self.reach), f"a table of all pairs of {size} entities")
        components = np.asarray(self.components, dtype=np.intp)
        reach, strict = _packed(self.reach), None if self._is_strict() else _packed(self.strict)
        masks = masks_by_code()
        table = np.empty((size, size), dtype=np.uint16)
        step = max(1, _CELLS_AT_A_TIME // max(1, len(components)))
        for first in range(0, size, step):
            if self.budget is not None and first:
                self.budget.check()
            signs = self._signs_of_rows(components[2 * first : 2 * (first + step)], components, reach, strict)
            from_starts, from_ends = signs[0::2].astype(np.uint16), signs[1::2].astype(np.uint16)
            codes = from_starts[:, 0::2] | from_starts[:, 1::2] << 3 | from_ends[:, 0::2] << 6 | from_ends[:, 1::2] << 9
            table[first : first + step] = masks[codes]
        return table

    def _is_strict(self) -> bool:
        """Return whether everything that a component reaches is strictly later. If all links are atoms, it is."""
        pairs = zip(self.reach, self.strict, strict=True)
        return all(reached ^ surely == 1 << own for own, (reached, surely) in enumerate(pairs))

    def _signs_of_rows(
        self,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        reach: NDArray[np.uint8],
        strict: NDArray[np.uint8] | None,
    ) -> NDArray[np.uint8]:
        """Return the possible signs between some components and others. ``strict`` None: see ``_is_strict``."""
        import numpy as np

        forwards, backwards = _bits(reach, rows, columns), _bits(reach, columns, rows).T
        if strict is None:  # reached both ways: the same component
            different = forwards ^ backwards
        else:
            different = _bits(strict, rows, columns) | _bits(strict, columns, rows).T
        for x, y in self.differences:
            different[np.ix_(rows == x, columns == y)] = True
            different[np.ix_(rows == y, columns == x)] = True
        # x < y is impossible iff y <= x follows, which includes x = y.
        impossible = backwards.view(np.uint8) * np.uint8(LT)
        impossible |= different.view(np.uint8) * np.uint8(EQ)
        impossible |= forwards.view(np.uint8) * np.uint8(GT)
        return impossible ^ np.uint8(ANY)


_CELLS_AT_A_TIME = 1 << 16  # pairs of points: what a processor's cache can hold


def _packed_size(rows: Sequence[int]) -> int:
    return len(rows) * ((len(rows) + 7) // 8)


def _packed(rows: Sequence[int]) -> NDArray[np.uint8]:
    """Return bit sets as a matrix with eight bits in a byte."""
    import numpy as np

    width = (len(rows) + 7) // 8
    packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in rows), dtype=np.uint8)
    return packed.reshape(len(rows), width)


def _bits(packed: NDArray[np.uint8], rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the Boolean matrix of some rows and columns. The shorter side is selected first."""
    import numpy as np

    if len(rows) <= len(columns):
        bits = np.unpackbits(packed[rows], axis=1, count=len(packed), bitorder="little")
        return bits.view(np.bool_)[:, columns]
    cut = packed[:, columns >> 3] >> (columns & 7).astype(np.uint8) & np.uint8(1)
    return cut.view(np.bool_)[rows]


@cache
def masks_by_code() -> NDArray[np.uint16]:
    """Return masks for all 8^4 combinations of sign sets on the four cross pairs."""
    import numpy as np

    return np.array(
        [mask_of((code & 7, code >> 3 & 7, code >> 6 & 7, code >> 9)) for code in range(8**4)], dtype=np.uint16
    )
