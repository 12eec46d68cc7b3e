"""The cheapest choice that meets known conflicts, for repairs and for decoding: branch and bound, without a solver.

A *labelling* gives each pair one of its ranks, at a cost. A *conflict* blocks some ranks of some pairs: one of these
pairs must take another rank. A hitting set is the case of two ranks: an element is left out (0) or chosen (1), and a
set that must be hit blocks rank 0 of its elements.

Each pair takes the lowest rank that is still allowed. If that breaks a conflict, one of its pairs must leave its
blocked ranks. So each pair of the conflict is tried in turn, the cheapest first, each time with the pairs tried before
kept inside their blocked ranks.

*Lower bound*: a conflict costs at least ``d`` if leaving its blocked ranks costs at least ``d`` on each of its pairs.
So ``d`` can be taken off the costs of all ranks outside, on all of its pairs, and added to the bound; then the next
conflict is looked at under what is left of the costs.

*Ties*: two labellings of equal cost are compared pair by pair in the order of the pairs; ``Tie`` says which rank comes
first where they differ.

*Hitting sets* are made smaller before the search. A set that contains another is redundant. An element is never chosen
if another one hits at least the same sets and weighs less, or weighs the same and comes first: in an answer it could be
replaced by the other. Elements that hit exactly the same sets are found in linear time, so one ring of many links
leaves one element. What is too hard for branch and bound goes to CP-SAT (``solver``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InternalError
from temporacle.reasoner.optimise.solver import Tie, cheapest_by_cpsat

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from temporacle.reasoner.decode.ranked import Blocked, Ranks
    from temporacle.reasoner.network import Budget

_PATIENCE = 2000  # conflicts looked at for a hitting set, about 50 microseconds each, before CP-SAT takes over


class TooHard(Exception):  # noqa: N818 - a condition: another way to solve it takes over
    """The search has taken more steps than allowed."""


class Cheapest(NamedTuple):
    """The cheapest labelling of the pairs that occur in conflicts."""

    cost: int
    ranks: Ranks


def cheapest(
    costs: Mapping[int, Sequence[int]],
    conflicts: Sequence[Blocked],
    patience: int,
    *,
    at_most: int | None = None,
    tie: Tie = Tie.LOWEST,
) -> Cheapest | None:
    """Return the first of the cheapest labellings; None if none satisfies all conflicts, or none costs at most
    ``at_most``.

    ``costs``: of the ranks of each pair. ``patience``: how many conflicts may be looked at; beyond it TooHard.

    >>> cheapest({1: [0, 5], 2: [0, 3]}, [{1: 1, 2: 1}], 100)
    Cheapest(cost=3, ranks={1: 0, 2: 1})
    """
    return _Search(costs, conflicts, patience, tie).run(at_most)


class _Frame:
    """A conflict that is being branched on."""

    __slots__ = ("before_child", "children", "following", "start")

    def __init__(self, children: list[tuple[int, int, int]], start: int) -> None:
        self.children = children  # (extra cost, pair, blocked ranks), cheapest first
        self.following = 0  # the child that is tried next
        self.start = start  # length of the trail before the first child
        self.before_child = start  # length of the trail before the child that is being tried


class _Search:
    def __init__(
        self, costs: Mapping[int, Sequence[int]], conflicts: Sequence[Blocked], patience: int, tie: Tie
    ) -> None:
        self._conflicts = conflicts
        self._tie = tie
        pairs = sorted({pair for blocked in conflicts for pair in blocked})
        self._costs = {pair: costs[pair] for pair in pairs}
        self._allowed = {pair: (1 << len(costs[pair])) - 1 for pair in pairs}
        self._lowest = dict.fromkeys(pairs, 0)  # in the order of the pairs
        self._cost = 0
        self._holding: dict[int, list[int]] = {pair: [] for pair in pairs}
        for number, blocked in enumerate(conflicts):
            for pair in blocked:
                self._holding[pair].append(number)
        self._met_by = [sum(not bits & 1 for bits in blocked.values()) for blocked in conflicts]
        self._broken = {number for number, met in enumerate(self._met_by) if not met}
        self._trail: list[tuple[int, int]] = []  # pair, what was allowed before
        self._patience = patience

    def run(self, at_most: int | None) -> Cheapest | None:
        best: Cheapest | None = None
        limit = at_most
        frames: list[_Frame] = []
        while True:
            if not self._broken:
                if self._is_wanted(self._cost, limit, best):
                    best = Cheapest(self._cost, dict(self._lowest))
                    limit = self._cost
            else:
                bound, conflict = self._bound(limit)
                if self._is_wanted(bound, limit, best):
                    frames.append(_Frame(self._children(conflict), len(self._trail)))
            while frames and not self._next_child(frames[-1], limit):
                self._undo(frames.pop().start)
            if not frames:
                return best

    def _is_wanted(self, cost: int, limit: int | None, best: Cheapest | None) -> bool:
        """Return whether a labelling of that cost, within what is allowed, could come before the best one."""
        if limit is None or cost < limit or best is None:
            return limit is None or cost <= limit
        if cost > limit or self._tie is Tie.ANY:
            return False
        ranks = best.ranks
        if self._tie is Tie.LOWEST:
            return next((rank < ranks[pair] for pair, rank in self._lowest.items() if rank != ranks[pair]), False)
        if not self._broken:
            return next((rank > ranks[pair] for pair, rank in self._lowest.items() if rank != ranks[pair]), False)
        highest = ((pair, allowed.bit_length() - 1) for pair, allowed in self._allowed.items())
        return next((rank > ranks[pair] for pair, rank in highest if rank != ranks[pair]), False)

    def _next_child(self, frame: _Frame, limit: int | None) -> bool:
        """Go to the next child of a frame; False if there is none left."""
        if frame.following:
            self._undo(frame.before_child)
            _, pair, blocked = frame.children[frame.following - 1]
            self._restrict(pair, blocked)  # tried: from here on it stays inside
        if frame.following == len(frame.children):
            return False
        extra, pair, blocked = frame.children[frame.following]
        if limit is not None and self._cost + extra > limit:
            return False  # so do all that follow
        frame.following += 1
        frame.before_child = len(self._trail)
        self._restrict(pair, ~blocked)
        return True

    def _children(self, conflict: int) -> list[tuple[int, int, int]]:
        found = []
        for pair, blocked in self._conflicts[conflict].items():
            left = self._allowed[pair] & ~blocked
            if left:
                found.append((self._costs[pair][_lowest(left)] - self._costs[pair][self._lowest[pair]], pair, blocked))
        return sorted(found)

    def _bound(self, limit: int | None) -> tuple[int, int]:
        """Return a lower bound of the cost of every labelling from here on, and the violated conflict that costs most
        by itself.
        """
        bound = self._cost
        left: dict[int, list[int]] = {}  # costs beyond the lowest rank, as far as they are not used up
        dearest, chosen = (-1, 0), -1
        for number in sorted(self._broken):
            self._patience -= 1
            if self._patience < 0:
                raise TooHard
            blocked = self._conflicts[number]
            own: int | None = None
            least: int | None = None
            for pair, bits in blocked.items():
                open_ranks = self._allowed[pair] & ~bits
                if not open_ranks:
                    continue
                costs = self._costs[pair]
                alone = costs[_lowest(open_ranks)] - costs[self._lowest[pair]]
                own = alone if own is None else min(own, alone)
                if pair not in left:
                    lowest = costs[self._lowest[pair]]
                    left[pair] = [cost - lowest for cost in costs]
                reduced = min(cost for rank, cost in enumerate(left[pair]) if open_ranks >> rank & 1)
                least = reduced if least is None else min(least, reduced)
            if own is None or least is None:
                return (bound if limit is None else limit + 1), number  # no pair can leave: there is no labelling here
            if (own, -len(blocked)) > dearest:
                dearest, chosen = (own, -len(blocked)), number
            if least:
                bound += least
                for pair, bits in blocked.items():
                    open_ranks = self._allowed[pair] & ~bits
                    for rank in range(len(left[pair])) if open_ranks else ():
                        if open_ranks >> rank & 1:
                            left[pair][rank] -= least
                if limit is not None and bound > limit:
                    break
        return bound, chosen

    def _restrict(self, pair: int, ranks: int) -> None:
        """Allow a pair only some of its ranks, at least one of those that it has now."""
        before = self._allowed[pair]
        if before & ranks != before:
            self._trail.append((pair, before))
            self._allow(pair, before & ranks)

    def _undo(self, length: int) -> None:
        while len(self._trail) > length:
            pair, before = self._trail.pop()
            self._allow(pair, before)

    def _allow(self, pair: int, ranks: int) -> None:
        self._allowed[pair] = ranks
        old, new = self._lowest[pair], _lowest(ranks)
        if old == new:
            return
        self._lowest[pair] = new
        self._cost += self._costs[pair][new] - self._costs[pair][old]
        for number in self._holding[pair]:
            bits = self._conflicts[number][pair]
            change = (bits >> old & 1) - (bits >> new & 1)  # 1: it is met by this pair from now on
            if change:
                self._met_by[number] += change
                if self._met_by[number] == 0:
                    self._broken.add(number)
                else:
                    self._broken.discard(number)


def _lowest(ranks: int) -> int:
    return (ranks & -ranks).bit_length() - 1


def connected(conflicts: Sequence[Collection[int]]) -> Iterator[list[int]]:
    """Yield groups of conflicts, or sets, by number, that are connected by shared pairs, or elements."""
    holding: dict[int, list[int]] = {}
    for number, members in enumerate(conflicts):
        for member in members:
            holding.setdefault(member, []).append(number)
    seen: set[int] = set()
    for first in range(len(conflicts)):
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for number in group:  # grows while it is read
            for member in conflicts[number]:
                for other in holding.pop(member, ()):
                    if other not in seen:
                        seen.add(other)
                        group.append(other)
        yield sorted(group)


# --- hitting sets -----------------------------------------------------------------------------------------------------


def minimum_hitting_set(
    sets: Iterable[Iterable[int]], weights: Mapping[int, int], budget: Budget, *, any_will_do: bool = False
) -> list[int]:
    """Return elements of least weight that meet every set, sorted: the fewest of them, and among those the first.

    No set may be empty; weights are integers and not negative. ``any_will_do`` saves the search for the first among
    equals.

    >>> from temporacle.reasoner.network import Budget
    >>> minimum_hitting_set([{1, 2}, {2, 3}, {3, 4}], {1: 1, 2: 1, 3: 1, 4: 1}, Budget())
    [1, 3]
    """
    tie = Tie.ANY if any_will_do else Tie.HIGHEST  # among as many elements, the first list has the first element
    reduced = _reduced({frozenset(members) for members in sets}, weights)
    chosen: list[int] = []
    for group in connected(reduced):
        conflicts = [dict.fromkeys(sorted(reduced[number]), 1) for number in group]
        elements = {element for members in conflicts for element in members}
        # Two choices differ by fewer elements than there are, so the number never outweighs the weight.
        costs = {element: (0, weights[element] * len(elements) + 1) for element in elements}
        try:
            found = cheapest(costs, conflicts, _PATIENCE, tie=tie)
            ranks = None if found is None else found.ranks
        except TooHard:
            ranks = cheapest_by_cpsat(costs, conflicts, budget, tie)
        if ranks is None:
            raise InternalError("no elements were found that meet every set")
        chosen += [element for element, rank in ranks.items() if rank]
    return sorted(chosen)


def _reduced(sets: Iterable[frozenset[int]], weights: Mapping[int, int]) -> list[frozenset[int]]:
    """Return smaller and fewer sets with the same answer."""
    reduced = _smallest(sets)
    while True:
        useful = _useful(reduced, weights)
        smaller = _smallest({members & useful for members in reduced})
        if smaller == reduced:
            return reduced
        reduced = smaller


def _smallest(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets that contain no other set, the smallest first."""
    kept: list[frozenset[int]] = []
    by_member: dict[int, list[frozenset[int]]] = {}  # each kept set under one of its members
    for members in sorted(sets, key=lambda members: (len(members), sorted(members))):
        if not any(smaller <= members for member in members for smaller in by_member.get(member, ())):
            kept.append(members)
            by_member.setdefault(min(members), []).append(members)
    return kept


def _useful(sets: Sequence[frozenset[int]], weights: Mapping[int, int]) -> set[int]:
    """Return the elements without those that another one is better than, for every choice of the others."""
    hit_by: dict[int, list[int]] = {}
    for number, members in enumerate(sets):
        for element in members:
            hit_by.setdefault(element, []).append(number)
    best: dict[tuple[int, ...], tuple[int, int]] = {}  # of the elements that hit the same sets: weight and element
    for element, numbers in hit_by.items():
        column, key = tuple(numbers), (weights[element], element)
        best[column] = min(best.get(column, key), key)
    within: list[list[tuple[tuple[int, int], frozenset[int]]]] = [[] for _ in sets]
    for column, key in best.items():
        entry = key, frozenset(column)
        for number in column:
            within[number].append(entry)
    useful = set()
    for column, key in best.items():
        rivals = min((within[number] for number in column), key=len)
        if not any(other < key and hits.issuperset(column) for other, hits in rivals):
            useful.add(key[1])
    return useful
