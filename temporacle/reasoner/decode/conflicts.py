"""Conflicts of a labelling, each made as wide as possible.

The labels that a labelling chooses are links, and the oracle's machinery finds links that contradict each other. A
conflict is *widened* before it is used: further labels of the same pairs are blocked, too, if they lead to the same
contradiction. The wider it is, the more labellings it rules out.

    a cycle of endpoints    every label is blocked that says as much about the two endpoints as the cycle needs. A cycle
                            needs one strict step; the others may be "at or before"
    any other conflict      one label more is tried at a time: it is blocked if the links that say "one of the blocked
                            labels" still contradict each other

In the end the widened links, which are plain disjunctions, are a contradiction by themselves. That is checked.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, CROSS_PAIRS, EQ, GT, LT, RelationClass, classify, signs_of
from temporacle.reasoner.conflicts.conflicts import conflict_numbers, minimal_conflict
from temporacle.reasoner.conflicts.reasons import PathSearch, PointOrder, link_edges
from temporacle.reasoner.decode.ranked import UNLABELLED, Conflict
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.cycles import disjoint_cycles, shortest_strict_cycle
from temporacle.reasoner.points.graph import hull_edges
from temporacle.reasoner.points.hulls import is_convex
from temporacle.relation import EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.reasoner.decode.ranked import Part, RankedPair, Ranks
    from temporacle.reasoner.points.cycles import CycleEdge


class _Stated(NamedTuple):
    """A link of the labelling: between numbered entities, and where it comes from."""

    source: int
    mask: int
    target: int
    pair: int | None  # its number, None for a hard link
    hard: int | None


class ConflictFinder:
    """Finds conflicts among the labels that labellings of one part choose."""

    def __init__(self, part: Part, pairs: Sequence[RankedPair], hard: Sequence[Link], budget: Budget) -> None:
        self._pairs = pairs
        self.budget = budget
        index: dict[str, int] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        self._masks: dict[int, tuple[int, ...]] = {}
        for number in part.pairs:
            pair = pairs[number].pair
            if pairs[number].constrains:
                ends = (index.setdefault(pair.source, len(index)), index.setdefault(pair.target, len(index)))
                self._ends[number] = ends
                self._masks[number] = tuple(int(label.relation) for label in pairs[number].labels)
        self._hard = [
            _Stated(
                index.setdefault(hard[number].source, len(index)),
                int(hard[number].relation),
                index.setdefault(hard[number].target, len(index)),
                None,
                number,
            )
            for number in part.hard
        ]
        self._size = len(index)

    @property
    def is_convex(self) -> bool:
        """Return whether all labels and hard links are convex. Then finding conflicts takes no search."""
        masks = {mask for own in self._masks.values() for mask in own} | {each.mask for each in self._hard}
        return all(classify(mask) is RelationClass.CONVEX for mask in masks)

    def some_labelling(self, costs: Mapping[int, Sequence[int]], budget: Budget) -> dict[int, int] | None:
        """Return a good labelling of the pairs that constrain; None if there is none, or none is found in time.

        The pairs that have most to lose choose first, each the best label that leaves one for all others.
        """
        from temporacle.reasoner.disjunctions.cores import SelectedLinks

        def possible(source: int, mask: int, target: int) -> int:
            return mask if source != target or mask & EQUAL else 0  # the solver leaves out links of one entity

        constraints = [(each.source, possible(each.source, each.mask, each.target), each.target) for each in self._hard]
        masks = {
            number: [possible(source, mask, target) for mask in self._masks[number]]
            for number, (source, target) in self._ends.items()
        }
        for number, (source, target) in self._ends.items():
            constraints.append((source, reduce(or_, masks[number]), target))
        chosen = list(range(len(constraints)))
        if not all(mask for _, mask, _ in constraints):
            return None
        ranks: dict[int, int] = {}
        try:
            links = SelectedLinks(self._size, constraints, budget)
            by_loss = sorted(masks, key=lambda number: (-costs[number][min(1, len(costs[number]) - 1)], number))
            for number in by_loss if links.core(chosen) is None else ():
                for rank, mask in enumerate(masks[number]):
                    link = links.add((self._ends[number][0], mask, self._ends[number][1]))
                    if mask and links.core([*chosen, link]) is None:
                        chosen.append(link)
                        ranks[number] = rank
                        break
        except (BudgetExceeded, ImportError):
            return None
        return ranks if len(ranks) == len(masks) else None

    def by_themselves(self) -> Iterator[Conflict]:
        """Yield labels that no labelling can have: an entity is not before itself."""
        for number, (source, target) in self._ends.items():
            blocked = _bits(rank for rank, mask in enumerate(self._masks[number]) if not mask & EQUAL)
            if source == target and blocked:
                yield Conflict({number: blocked})

    def find(self, ranks: Mapping[int, int]) -> list[Conflict]:
        """Return some conflicts that a labelling violates; none if its labels and the hard links are consistent.

        A pair of rank ``UNLABELLED`` takes no part.
        """
        self.budget.check()
        stated = self._stated(ranks)
        constraints = [(each.source, each.mask, each.target) for each in stated]
        cycles = disjoint_cycles(self._size, constraints, self.budget)
        if cycles:
            return [self._of_cycle(stated, [edge.link for edge in cycle if edge.link is not None]) for cycle in cycles]
        return [] if is_convex(constraints) else self._of_alternatives(stated)

    def _stated(self, ranks: Mapping[int, int]) -> list[_Stated]:
        stated = list(self._hard)
        for number, (source, target) in self._ends.items():
            rank = ranks[number]
            mask = ALL if rank == UNLABELLED else self._masks[number][rank]
            if source != target and mask != ALL:
                stated.append(_Stated(source, mask, target, number, None))
        return stated

    # --- cycles -----------------------------------------------------------------------------------------------------

    def _of_cycle(self, stated: Sequence[_Stated], numbers: Sequence[int]) -> Conflict:
        """Return the widest conflict of the shortest cycle among a few links."""
        links = [stated[number] for number in sorted(set(numbers))]
        local, size = _renumbered(links)
        cycle = shortest_strict_cycle(size, local)
        if cycle is None:
            raise InternalError("links of a cycle do not contradict each other")
        used = [edge for edge in cycle if edge.link is not None]
        loose = {edge.link: self._implying(links, local, edge, strict=False) for edge in used}
        if all(edge.link is not None for edge in cycle):  # else a start before its end is the strict step
            tight = {edge.link: self._implying(links, local, edge, strict=True) for edge in used if edge.strict}
            kept = max(tight, key=lambda link: (self._cost_of_escape(links, link, loose, tight), -(link or 0)))
            loose[kept] = tight[kept]
        blocked: dict[int, int] = {}
        for link, bits in loose.items():
            pair = links[link or 0].pair
            if pair is not None:
                blocked[pair] = blocked.get(pair, -1) & bits
        hard = sorted(number for link in loose if (number := links[link or 0].hard) is not None)
        return self._checked(Conflict(dict(sorted(blocked.items())), tuple(hard)))

    def _implying(
        self,
        links: Sequence[_Stated],
        local: Sequence[tuple[int, int, int]],
        edge: CycleEdge,
        *,
        strict: bool,
    ) -> int:
        """Return the ranks of an edge's pair whose labels imply the edge; 0 for a hard link."""
        number = edge.link or 0
        pair = links[number].pair
        if pair is None:
            return 0
        source, _, target = local[number]
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        wanted = LT if strict else LT | EQ
        for place, (x, y) in enumerate(CROSS_PAIRS):
            if (points[x], points[y]) == (edge.from_point, edge.to_point):
                allowed = wanted
            elif (points[y], points[x]) == (edge.from_point, edge.to_point):
                allowed = GT if strict else GT | EQ
            else:
                continue
            return _bits(rank for rank, mask in enumerate(self._masks[pair]) if not signs_of(mask)[place] & ~allowed)
        raise InternalError("an edge of a cycle belongs to no endpoints of its link")

    def _cost_of_escape(
        self,
        links: Sequence[_Stated],
        link: int | None,
        loose: Mapping[int | None, int],
        tight: Mapping[int | None, int],
    ) -> float:
        """Return the cost of the cheapest label that is no longer blocked if this link stays the strict step."""
        pair = links[link or 0].pair
        freed = loose[link] & ~tight[link]
        if pair is None or not freed:
            return float("inf")
        return self._pairs[pair].costs[(freed & -freed).bit_length() - 1]

    # --- other conflicts --------------------------------------------------------------------------------------------

    def _of_alternatives(self, stated: Sequence[_Stated]) -> list[Conflict]:
        """Return conflicts that share no pair, found by the oracle."""
        found = []
        left = list(stated)
        while not is_consistent(network := _network(left), self.budget):
            numbers = conflict_numbers(network, self.budget)
            found.append(self._widened([left[number] for number in numbers]))
            gone = {number for number in numbers if left[number].pair is not None}
            if not gone:
                break  # hard links alone
            left = [each for number, each in enumerate(left) if number not in gone]
        return found

    def _widened(self, conflict: Sequence[_Stated]) -> Conflict:
        """Block further labels, the cheapest first, as long as the links contradict each other."""
        masks = [each.mask for each in conflict]
        blocked: dict[int, int] = {}
        for place, each in enumerate(conflict):
            if each.pair is None:
                continue
            for mask in self._masks[each.pair]:
                wider = [*masks[:place], masks[place] | mask, *masks[place + 1 :]]
                widened = [link._replace(mask=own) for link, own in zip(conflict, wider, strict=True)]
                if wider == masks or not is_consistent(_network(widened), self.budget):
                    masks = wider
            blocked[each.pair] = _bits(
                rank for rank, mask in enumerate(self._masks[each.pair]) if not mask & ~masks[place]
            )
        hard = tuple(sorted(each.hard for each in conflict if each.hard is not None))
        return self._checked(Conflict(dict(sorted(blocked.items())), hard))

    def _checked(self, conflict: Conflict) -> Conflict:
        """Return the conflict. Raise an error if it is not one."""
        stated = [each for each in self._hard if each.hard in conflict.hard]
        for pair, bits in conflict.blocked.items():
            mask = 0
            for rank, own in enumerate(self._masks[pair]):
                mask |= own if bits >> rank & 1 else 0
            source, target = self._ends[pair]
            stated.append(_Stated(source, mask, target, pair, None))
        local, size = _renumbered(stated)
        if shortest_strict_cycle(size, local) is None and is_consistent(_network(stated), self.budget):
            raise InternalError("a widened conflict does not contradict itself")
        return conflict


def _renumbered(links: Iterable[_Stated]) -> tuple[list[tuple[int, int, int]], int]:
    """Return a few links with their entities numbered anew, and the number of entities."""
    index: dict[int, int] = {}
    local = [
        (index.setdefault(each.source, len(index)), each.mask, index.setdefault(each.target, len(index)))
        for each in links
    ]
    return local, len(index)


def _bits(ranks: Iterable[int]) -> int:
    bits = 0
    for rank in ranks:
        bits |= 1 << rank
    return bits


def _network(stated: Iterable[_Stated]) -> Network:
    return Network(
        Link(str(number), f"e{each.source}", Relation(each.mask), f"e{each.target}")
        for number, each in enumerate(stated)
    )


# ----------------------------------------------------------------------------------------------------
# Why a pair could not keep its best label: a smallest conflict.
#
# The best label of the pair is put beside the labels of the pairs that did keep theirs. If that is a contradiction, the
# argmax had it. Otherwise the labels that others got instead belong to the reason. In both cases everything else is
# consistent, so every conflict contains the pair.
#
# Convex links: a smallest conflict is the label and a path with the fewest links from the later to the earlier of two
# endpoints that the label puts in order. Other links: a minimal conflict found by the oracle.


def smallest_conflicts(
    part: Part, pairs: Sequence[RankedPair], hard: Sequence[Link], ranks: Ranks, budget: Budget
) -> dict[int, tuple[Link, ...]]:
    """Return, for each pair of a part that lost its best label, the links that contradict this label, and the label
    itself.

    Empty for a pair whose reason was not found in time, and for one whose best label would fit: that happens only in a
    labelling that is not the best one.
    """
    changed = [number for number in part.pairs if ranks[number]]
    if not changed:
        return {}
    kept = [*(hard[number] for number in part.hard), *(pairs[n].link(0) for n in part.pairs if not ranks[n])]
    given = [pairs[number].link(ranks[number]) for number in changed]
    reasons = {}
    search = _Reasons(Network([*kept, *given]), len(kept))
    for place, number in enumerate(changed, len(kept)):
        try:
            reasons[number] = search.conflict_with(pairs[number].link(0), place, budget)
        except BudgetExceeded:
            reasons[number] = ()
    return reasons


class _Reasons:
    """The labels of a part: first those that were kept, then those that others got."""

    def __init__(self, network: Network, kept: int) -> None:
        self._network = network
        self._kept = set(range(kept))
        self._is_convex = is_convex(network.constraints)
        self._edges = link_edges(len(network.entities), enumerate(network.constraints))

    def conflict_with(self, link: Link, instead: int, budget: Budget) -> tuple[Link, ...]:
        """Return a smallest conflict of a link and the others, in the order of a cycle if there is one.

        ``instead``: the place of the label that the pair of the link got; it explains nothing.
        """
        if self._is_convex and is_convex([(0, int(link.relation), 1)]):
            shortest = self._shortest(link, self._kept) or self._shortest(link, self._without(instead))
            return () if shortest is None else (link, *(self._network.links[place] for place in shortest))
        for places in (self._kept, self._without(instead)):
            network = Network([link, *(self._network.links[place] for place in sorted(places))])
            if not is_consistent(network, budget):
                return minimal_conflict(network, budget)
        return ()

    def _without(self, place: int) -> set[int]:
        """Return the places of all links but one."""
        return set(range(len(self._network.links))) - {place}

    def _shortest(self, link: Link, allowed: set[int]) -> list[int] | None:
        """Return the fewest links that contradict a link, all of them convex; None if there are none."""
        i, j = self._network.number(link.source), self._network.number(link.target)
        points = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        best: list[int] | None = None
        for x, y, strict in hull_edges(int(link.relation)):
            order = PointOrder(points[y], points[x], not strict)
            path = PathSearch(order, self._edges, allowed).run(Budget())
            if path is not None and (best is None or len(path) < len(best)):
                best = path
        return best
