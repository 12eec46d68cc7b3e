"""The closure of convex links that come one after the other.

Closing the graph again for every link would be quadratic. Two observations make it cheap:

*Forests are free.* A link between two parts of the graph that no links have joined so far can be neither entailed nor
contradicted: a model of one part can be moved and stretched until the link holds, and until it does not. Such links
wait. Only a link that closes a cycle needs the closure, and then the waiting links are put in. For the same reason, all
that a forest says about two linked entities is their link.

*Closures grow.* A point y has the set of points at or before it, and of those strictly before it. A new edge x -> y
adds what is before x to y and to everything after y; the walk stops wherever nothing is new, and meets a point at most
twice (by a weak and by a strict path). Both sets are one integer, so that a step is one OR and one comparison.

Cost: O(points after y) operations on bit sets per link, memory O(n^2 / 8) bytes for the n endpoints on cycles. Where
putting the waiting links in takes many steps, everything is closed at once instead.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, ANY, EQ, GT, LT, converse, convex_hull, mask_of
from temporacle.reasoner.points.graph import contradictory, edges_between, hull_edges, strong_components
from temporacle.reasoner.points.hulls import graph_of
from temporacle.relation import EQUAL
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget

    Numbered = tuple[int, tuple[int, int, int]]  # the number of a link, and its source, mask and target

_EQUAL = int(EQUAL)
_STEPS = 16  # for each link, putting links in one by one may take so many: then closing everything at once is quicker


class IncrementalClosure:
    """The closure of the convex hulls of a growing set of links. The links must be consistent.

    >>> closure = IncrementalClosure(3)
    >>> closure.add(0, 1, 1)
    >>> closure.add(1, 1, 2)
    >>> closure.relation(2, 0) == 1 << 12  # after
    True
    """

    __slots__ = (
        "_after",
        "_direct",
        "_inside",
        "_is_forest",
        "_members",
        "_part",
        "_rows",
        "_successors",
        "_waiting",
        "_weak_bits",
    )

    def __init__(self, entities: int) -> None:
        self._part = list(range(entities))  # entities joined by links, directly or not, have one number
        self._members = [[entity] for entity in range(entities)]  # of each part that still has its number
        self._waiting: list[tuple[int, int, int]] = []
        self._is_forest = True  # no link closes a cycle
        self._direct: dict[tuple[int, int], int] = {}  # links by their entities, once a forest is asked about
        self._inside = 0  # links put in
        # Point 2i is the start of entity i, 2i + 1 its end. A successor y is stored as 2y, or 2y + 1 if strict.
        # These three are empty as long as no link is inside.
        self._successors: list[list[int]] = []
        self._after: list[list[int]] = []  # the same as bare points
        # In the row of y, bit 2x says that x is at or before y, bit 2x + 1 that it is strictly before. 0: not inside.
        self._rows: list[int] = []
        self._weak_bits = ((1 << 4 * entities) - 1) // 3

    def connected(self, source: int, target: int) -> bool:
        """Return whether a chain of links connects two entities."""
        return self._part[source] == self._part[target]

    def relation(self, source: int, target: int) -> int:
        """Return the strongest convex relation that follows for a pair of entities."""
        if source == target:
            return _EQUAL
        if self._part[source] != self._part[target]:
            return ALL
        if self._is_forest and not self._inside:
            direct = self._directly(source, target)
            if direct is not None:
                return direct
        return self._closed(source, target)

    def _closed(self, source: int, target: int) -> int:
        """Return the relation of connected entities, by the closure."""
        if self._waiting:
            self._put_in()
        s, t = 2 * source, 2 * target
        rows = self._rows
        # The points of an entity are neighbours: four bits say everything about both.
        return _relation_of_bits(
            rows[t] >> 2 * s & 15
            | (rows[t + 1] >> 2 * s & 15) << 4
            | (rows[s] >> 2 * t & 15) << 8
            | (rows[s + 1] >> 2 * t & 15) << 12
        )

    def orders(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return two square tables of points: whether row is known to be at or before column, and strictly before."""
        import numpy as np

        if self._waiting:
            self._put_in()
        points = 2 * len(self._part)
        bits = np.zeros((points, 2 * points), np.bool_)  # by column, as in the rows
        for point, row in enumerate(self._rows):
            if row:
                packed = np.frombuffer(row.to_bytes((points + 3) // 4, "little"), np.uint8)
                bits[point] = np.unpackbits(packed, bitorder="little", count=2 * points)
        weak, strict = bits[:, ::2].T.copy(), bits[:, 1::2].T.copy()
        weak |= np.eye(points, dtype=np.bool_)
        starts = np.arange(0, points, 2)
        weak[starts, starts + 1] = strict[starts, starts + 1] = True
        return weak, strict

    def _directly(self, source: int, target: int) -> int | None:
        """Return the hull of the link between two entities of a forest; None if they are not linked."""
        direct = self._direct
        if len(direct) < len(self._waiting):
            new = self._waiting[len(direct) :]
            direct.update(((source, target), mask) for source, mask, target in new)
        mask = direct.get((source, target))
        if mask is None:
            mask = direct.get((target, source))
            return None if mask is None else converse(convex_hull(mask))
        return convex_hull(mask)

    def add(self, source: int, mask: int, target: int) -> None:
        """Put in the convex hull of a link that does not contradict the others."""
        if source == target:
            return
        if self._part[source] != self._part[target]:
            self._join(self._part[source], self._part[target])
        else:
            self._is_forest = False
        self._waiting.append((source, mask, target))

    def walk(self, constraints: Iterable[tuple[int, int, int]]) -> list[Verdict]:
        """Judge convex links, each by those before it, and put in those that are open. Return all verdicts.

        >>> [verdict.value for verdict in IncrementalClosure(3).walk([(0, 1, 1), (1, 1, 2), (0, 1, 2), (2, 1, 0)])]
        ['open', 'open', 'entailed', 'refuted']
        """
        is_open, is_entailed, is_refuted = Verdict.OPEN, Verdict.ENTAILED, Verdict.REFUTED
        part = self._part
        found = []
        for source, mask, target in constraints:
            if part[source] != part[target]:  # nothing is known about them; most links of a sparse graph are such
                verdict = is_open if 0 < mask < ALL else is_entailed if mask else is_refuted
                if verdict is is_open:
                    self._join(part[source], part[target])
            else:
                at_most = _EQUAL if source == target else self._closed(source, target)
                verdict = is_open if at_most & ~mask else is_entailed
                if not at_most & mask:
                    verdict = is_refuted
                elif verdict is is_open:
                    self._is_forest = False
            if verdict is is_open:
                self._waiting.append((source, mask, target))
            found.append(verdict)
        return found

    def _join(self, first: int, second: int) -> None:
        """Make two parts one. Members of the smaller one move, so each entity moves O(log n) times."""
        part, members = self._part, self._members
        if len(members[first]) < len(members[second]):
            first, second = second, first
        for entity in members[second]:
            part[entity] = first
        members[first] += members[second]

    def _put_in(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not self._inside:
            points = range(2 * len(self._part))
            self._successors, self._after, self._rows = [[] for _ in points], [[] for _ in points], [0 for _ in points]
        self._inside += len(waiting)
        patience = _STEPS * self._inside
        rows, successors, after, weak_bits = self._rows, self._successors, self._after, self._weak_bits
        for source, mask, target in waiting:
            s, t = 2 * source, 2 * target
            if not rows[s]:
                self._make_points(s)
            if not rows[t]:
                self._make_points(t)
            ends = (s, s + 1, t, t + 1)
            for start, end, strict in hull_edges(mask):
                x, y = ends[start], ends[end]
                if rows[y] >> 2 * x + strict & 1:
                    continue  # a path says the same, and what comes before x later comes along it
                successors[x].append(2 * y + strict)
                after[x].append(y)
                if patience < 0:
                    continue
                # Update everything after the edge with what is now before it. A path stays strict.
                if strict:
                    strictly = [y]
                else:
                    weakly = [y]
                    strictly = self._spread_weakly(rows[x], weakly)
                    patience -= len(weakly)
                before = rows[x] & weak_bits
                before |= before << 1
                for point in strictly:  # the list grows while its points are gone through
                    old = rows[point]
                    new = old | before
                    if new != old:
                        rows[point] = new
                        strictly += after[point]
                patience -= len(strictly)
        if patience < 0:
            self._close()

    def _make_points(self, start: int) -> None:
        self._successors[start].append(2 * start + 3)
        self._after[start].append(start + 1)
        self._rows[start] = 1 << 2 * start
        self._rows[start + 1] = 7 << 2 * start

    def _spread_weakly(self, before: int, points: list[int]) -> list[int]:
        """Update some points, and all that weak edges lead to from them, with what is before.

        These are added to the points. Return the points that strict edges lead to from there.
        """
        rows, successors = self._rows, self._successors
        strictly: list[int] = []
        for point in points:
            old = rows[point]
            new = old | before
            if new != old:
                rows[point] = new
                for further in successors[point]:
                    (strictly if further & 1 else points).append(further >> 1)
        return strictly

    def _close(self) -> None:
        """Compute the closure of everything inside from scratch, with components in topological order."""
        components = strong_components(self._successors)
        members: list[list[int]] = [[] for _ in range(max(components, default=-1) + 1)]
        for point, component in enumerate(components):
            if self._rows[point]:
                members[component].append(point)
        before = [0] * len(members)  # what earlier components add, as in the rows
        for own in reversed(range(len(members))):  # edges lead to lower numbers
            row = before[own]
            for point in members[own]:
                row |= 1 << 2 * point
            at_or_before = row & self._weak_bits
            by_strict_path = at_or_before | at_or_before << 1
            for point in members[own]:
                self._rows[point] = row
                for edge in self._successors[point]:
                    other = components[edge >> 1]
                    if other != own:
                        before[other] |= by_strict_path if edge & 1 else row


@cache
def _relation_of_bits(bits: int) -> int:
    """Return the relation of a pair, given which of its points are known to be not later (even bits) or earlier (odd
    bits) than others.

    Four bits each: source start and end in the rows of target start and target end; then the other way round.
    """
    signs = []
    for source_end, target_end in product((0, 1), repeat=2):
        forward = bits >> 4 * target_end + 2 * source_end & 3
        backward = bits >> 8 + 4 * source_end + 2 * target_end & 3
        sign = ANY
        if forward:
            sign &= LT if forward & 2 else LT | EQ
        if backward:
            sign &= GT if backward & 2 else GT | EQ
        signs.append(sign)
    start_start, start_end, end_start, end_end = signs
    return mask_of((start_start, start_end, end_start, end_end))


# ----------------------------------------------------------------------------------------------------
# Which of many convex links contradict the links before them, when links that do are left out.
#
# A link contradicts others if they have a strict cycle together. The cycle lies within one strong component of the
# points, so links outside components with a strict edge do not matter, neither those that are judged nor those that
# judge them. The rest is halved: first the earlier half, then the later half together with what was kept of the earlier
# one. At each step everything outside such components goes.
#
#     no such component          nothing contradicts anything
#     one link left              it is the one
#     few entities left          a closure that grows link by link (``IncrementalClosure``)
#
# Cost: one search for components, O(V + E), for a consistent document; O(log n) of them, on what is left, for each link
# that contradicts others.

_FEW_ENTITIES = 300  # the bits of their closure take 100 kB


def refused_links(
    constraints: Sequence[tuple[int, int, int]], order: Iterable[int], budget: Budget, *, few: int = _FEW_ENTITIES
) -> set[int]:
    """Return the links that contradict those before them in an order, without the links refused before.

    >>> from temporacle.reasoner.network import Budget
    >>> links = [(0, 1, 1), (1, 1, 2), (2, 1, 0), (0, 1, 2)]  # 0 before 1 before 2 before 0
    >>> sorted(refused_links(links, [0, 1, 2, 3], Budget())), sorted(refused_links(links, [2, 3, 0, 1], Budget()))
    ([2], [1, 3])
    """
    refused: set[int] = set()
    judged: list[Numbered] = []
    for number in order:
        source, mask, target = constraint = constraints[number]
        if not mask or (source == target and not mask & EQUAL):
            refused.add(number)
        elif source != target:
            judged.append((number, constraint))
    # Each step: links that are kept, and links to be judged after them. The last step is done first.
    steps: list[tuple[list[Numbered], list[Numbered]]] = [([], judged)]
    while steps:
        budget.check()
        fixed, links = steps.pop()
        fixed = [each for each in fixed if each[0] not in refused]
        fixed, links = _entangled(fixed, links)
        if len(links) == 1:
            refused.add(links[0][0])
        elif links and _count_entities(fixed, links) <= few:
            refused |= _walked(fixed, links)
        elif links:
            half = len(links) // 2
            steps += (([*fixed, *links[:half]], links[half:]), (fixed, links[:half]))
    return refused


def _entangled(fixed: list[Numbered], links: list[Numbered]) -> tuple[list[Numbered], list[Numbered]]:
    """Return the links that have an edge within a strong component with a strict edge."""
    numbers: dict[int, int] = {}
    own = [
        (numbers.setdefault(source, len(numbers)), mask, numbers.setdefault(target, len(numbers)))
        for _, (source, mask, target) in (*fixed, *links)
    ]
    graph = graph_of(len(numbers), own)
    components = strong_components(graph.successors)
    bad = contradictory(graph.successors, components)
    if not bad:
        return [], []

    def matters(source: int, mask: int, target: int) -> bool:
        inside = ((components[x], components[y]) for x, y, _ in edges_between(source, mask, target))
        return any(x == y and x in bad for x, y in inside)

    verdicts = [matters(*each) for each in own]
    return (
        [each for each, is_in in zip(fixed, verdicts, strict=False) if is_in],
        [each for each, is_in in zip(links, verdicts[len(fixed) :], strict=True) if is_in],
    )


def _count_entities(*parts: list[Numbered]) -> int:
    return len({entity for part in parts for _, (source, _, target) in part for entity in (source, target)})


def _walked(fixed: list[Numbered], links: list[Numbered]) -> set[int]:
    """Return the links that contradict those before them, one by one: the naive way."""
    numbers: dict[int, int] = {}
    for _, (source, _, target) in (*fixed, *links):
        numbers.setdefault(source, len(numbers))
        numbers.setdefault(target, len(numbers))
    closure = IncrementalClosure(len(numbers))
    for _, (source, mask, target) in fixed:
        closure.add(numbers[source], mask, numbers[target])
    refused = set()
    for number, (source, mask, target) in links:
        if closure.relation(numbers[source], numbers[target]) & mask:
            closure.add(numbers[source], mask, numbers[target])
        else:
            refused.add(number)
    return refused
