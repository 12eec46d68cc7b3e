"""Links split into cases, without a solver: a model of them, or a proof in steps that anyone can check that there is
none.

A *cycle* refutes at once: x <= ... < ... <= x, where each step follows from what one link still allows. A *split*
takes one link apart: its atoms are covered by cases, and each case is refuted by a proof of its own. Convex links need
one cycle and no split.

The search keeps, for each link, the atoms still possible:

    propagate   close the graph of the hulls; what it rules out is taken from each link, until nothing changes
    refuted     by a strict cycle, or by a link with nothing left
    otherwise   branch on the link with the fewest convex pieces, and refute each

Propagation is recorded, and turned into splits afterwards, backwards, and only where the refutation rests on it: the
atoms ruled out become cases with a cycle each. A branch whose refutation does not use the link it branched on refutes
the whole, and the other branches are never looked at. No recursion; depth is bounded by the number of atoms. Where
nothing is left to branch on and nothing contradicts, the closed graph has a model of all links.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import RelationClass, classify, convex_pieces
from temporacle.reasoner.points.cycles import CycleEdge, shortest_strict_cycle
from temporacle.reasoner.points.graph import Closure, Contradiction
from temporacle.reasoner.points.hulls import graph_of
from temporacle.relation import EQUAL, Relation
from temporacle.results import ProofCycle, ProofEdge, ProofSplit, ProofStep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.reasoner.network import Budget, Network


Step = TypeVar("Step")


class Leaf(NamedTuple):
    """A cycle of edges that cannot all hold, and the facts behind them."""

    edges: Sequence[Any]
    used: frozenset[int]


class Split(NamedTuple):
    """A link taken apart: masks that cover what it allows, each with a proof against it."""

    link: int
    cases: list[tuple[int, Leaf | Split]]
    used: frozenset[int]


def split_of(link: int, cases: list[tuple[int, Leaf | Split]]) -> Split:
    """Return a split with the facts that its cases use."""
    return Split(link, cases, frozenset((link,)).union(*(proof.used for _, proof in cases)))


def listed(proof: Leaf | Split, cycle_of: Callable[[Leaf], Step]) -> tuple[Step | ProofSplit, ...]:
    """Return the tree as a list. A split names its cases by their positions, which come later."""
    queue: list[Leaf | Split] = [proof]
    steps: list[Step | ProofSplit] = []
    for node in queue:  # grows while it is read
        if isinstance(node, Leaf):
            steps.append(cycle_of(node))
        else:
            cases = ((Relation(mask), place) for place, (mask, _) in enumerate(node.cases, len(queue)))
            steps.append(ProofSplit(node.link, tuple(cases)))
            queue += [case for _, case in node.cases]
    return tuple(steps)


class _Narrowing(NamedTuple):
    """Propagation took atoms from a link."""

    link: int
    before: int
    after: int


@dataclass(slots=True)
class _Branching:
    """A link is being taken apart; ``masks`` is the state in which that happens."""

    masks: list[int]
    trail: list[_Narrowing]
    link: int
    pieces: tuple[int, ...]
    refuted: list[tuple[int, Leaf | Split]] = field(default_factory=list)

    def next_case(self) -> list[int]:
        masks = self.masks.copy()
        masks[self.link] = self.pieces[len(self.refuted)]
        return masks


class Refutation(NamedTuple):
    """A proof, and the positions of the links it rests on."""

    steps: tuple[ProofStep, ...]
    used: tuple[int, ...]


class Decided(NamedTuple):
    """Times of all endpoints at which all links hold; None if there are none."""

    times: list[int] | None


def decide(
    entities: int, constraints: Sequence[tuple[int, int, int]], budget: Budget, most_branchings: int
) -> Decided | None:
    """Return whether links can all be true; None if that takes more branchings than allowed."""
    found = _Search(entities, constraints, budget, most_branchings).run()
    return None if found is None else Decided(found if isinstance(found, list) else None)


def refute(network: Network, budget: Budget, most_branchings: int | None = None) -> Refutation | None:
    """Return a proof that the links cannot all be true; None if they can, or if it takes more branchings than allowed.

    Exponential at worst in the number of disjunctive links: give it a minimal conflict where possible.
    """
    found = _Search(len(network.entities), network.constraints, budget, most_branchings).run()
    if found is None or isinstance(found, list):
        return None
    steps = listed(found, lambda cycle: ProofCycle(tuple(_edge(edge, network) for edge in cycle.edges)))
    return Refutation(steps, tuple(sorted(found.used)))


class _Search:
    def __init__(
        self,
        entities: int,
        constraints: Sequence[tuple[int, int, int]],
        budget: Budget,
        most_branchings: int | None,
    ) -> None:
        self._entities = entities
        self._stated = constraints
        self._budget = budget
        self._left = most_branchings
        self._closure = Closure(0, [], [], [], set())  # of the last state without a contradiction

    def run(self) -> Leaf | Split | list[int] | None:
        """Return a proof, or times of a model; None if no more branching is allowed."""
        open_branchings: list[_Branching] = []
        masks = [mask for _, mask, _ in self._stated]
        while True:
            self._budget.check()
            trail, cycle = self._propagate(masks)
            if cycle is None:
                link = _most_constrained(masks)
                if link is None:
                    return self._closure.model()
                if self._left == 0:
                    return None
                if self._left is not None:
                    self._left -= 1
                branching = _Branching(masks, trail, link, convex_pieces(masks[link]))
                open_branchings.append(branching)
                masks = branching.next_case()
                continue
            proof = self._justified(cycle, masks, trail)
            while open_branchings:
                branching = open_branchings[-1]
                if branching.link in proof.used:
                    branching.refuted.append((branching.pieces[len(branching.refuted)], proof))
                    if len(branching.refuted) < len(branching.pieces):
                        masks = branching.next_case()
                        break
                    proof = split_of(branching.link, branching.refuted)
                open_branchings.pop()
                proof = self._justified(proof, branching.masks, branching.trail)
            else:
                return proof

    def _constraints(self, masks: Sequence[int]) -> list[tuple[int, int, int]]:
        return [(source, mask, target) for (source, _, target), mask in zip(self._stated, masks, strict=True)]

    def _propagate(self, masks: list[int]) -> tuple[list[_Narrowing], Leaf | None]:
        """Narrow ``masks`` in place to the fixpoint; a cycle if that ends in a contradiction."""
        trail: list[_Narrowing] = []
        closure: Closure | None = None  # at first, only links of an entity to itself are looked at
        while True:
            changed = closure is None
            for link, (source, _, target) in enumerate(self._stated):
                before = masks[link]
                if source == target:
                    after = before & int(EQUAL)
                elif closure is None or classify(before) is RelationClass.CONVEX:
                    continue  # a convex relation is in the graph: nothing can be ruled out but all of it
                else:
                    after = before & closure.relation(source, target)
                if after != before:
                    trail.append(_Narrowing(link, before, after))
                    masks[link] = after
                    changed = True
                    if not after:
                        return trail, self._cycle(masks)
            if not changed:
                return trail, None
            try:
                closure = self._closure = graph_of(self._entities, self._constraints(masks)).close()
            except Contradiction:
                return trail, self._cycle(masks)

    def _cycle(self, masks: Sequence[int]) -> Leaf:
        if 0 in masks:  # a link with no atom left says everything, and its opposite
            link = masks.index(0)
            source, _, target = self._stated[link]
            there, back = ((2 * source, 2 * target), (2 * target, 2 * source))
            return Leaf([CycleEdge(*pair, strict=True, link=link) for pair in (there, back)], frozenset((link,)))
        edges = shortest_strict_cycle(self._entities, self._constraints(masks), self._budget)
        if edges is None:
            raise InternalError("a contradiction without a strict cycle")
        return Leaf(edges, frozenset(edge.link for edge in edges if edge.link is not None))

    def _justified(self, proof: Leaf | Split, masks: list[int], trail: list[_Narrowing]) -> Leaf | Split:
        """Return the proof for the state before propagation, and restore that state in ``masks``."""
        while trail:
            link, before, after = trail.pop()
            masks[link] = before
            if link in proof.used:
                cases: list[tuple[int, Leaf | Split]] = [(after, proof)] if after else []
                for piece in convex_pieces(before & ~after):
                    masks[link] = piece
                    cases.append((piece, self._cycle(masks)))
                masks[link] = before
                proof = split_of(link, cases)
        return proof


def _most_constrained(masks: Sequence[int]) -> int | None:
    """Return the link that is still disjunctive and has the fewest choices; None if there is none."""
    choices = [
        (len(pieces), mask.bit_count(), link)
        for link, mask in enumerate(masks)
        if len(pieces := convex_pieces(mask)) > 1
    ]
    return min(choices)[2] if choices else None


def _edge(edge: CycleEdge, network: Network) -> ProofEdge:
    left, right = (
        f"{network.entities[point >> 1]}.{'end' if point & 1 else 'start'}"
        for point in (edge.from_point, edge.to_point)
    )
    return ProofEdge(left, edge.strict, right, edge.link)
