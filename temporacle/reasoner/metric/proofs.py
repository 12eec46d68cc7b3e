"""Proofs that facts cannot all be true: cycles that add up to less than nothing, and splits of disjunctions into cases.

The hulls of what links still allow may have a negative cycle: that refutes. Otherwise a link is split into its convex
pieces, each refuted by a proof of its own. The link is found by looking ahead: it has the fewest pieces that are not
refuted at once. A case whose proof does not use the link that was split refutes the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import RelationClass, classify, convex_pieces
from temporacle.reasoner.metric.weights import NegativeCycle, potentials
from temporacle.relation import Relation
from temporacle.results import ProofSplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.metric.weights import WeightedEdge
    from temporacle.reasoner.network import Budget

_MOST_CASES = 20_000


class MetricCycle(NamedTuple):
    """Edges, head to tail, whose weights add up to less than nothing."""

    edges: tuple[WeightedEdge, ...]


class _Leaf(NamedTuple):
    edges: list[WeightedEdge]
    used: frozenset[int]


class _Node(NamedTuple):
    link: int
    cases: list[tuple[int, _Leaf | _Node]]
    used: frozenset[int]


@dataclass(slots=True)
class _Open:
    """A link is being split; ``masks`` is what links allowed before."""

    masks: dict[int, int]
    times: list[int]
    link: int
    waiting: list[int]  # pieces not refuted yet
    tried: int = 0  # the piece that is being refuted
    refuted: list[tuple[int, _Leaf | _Node]] = field(default_factory=list)


def refute(problem: Problem, facts: Sequence[int], budget: Budget) -> tuple[MetricCycle | ProofSplit, ...]:
    """Return a proof that some facts and all assumptions contradict each other. The first step refutes everything."""
    return _steps(_Refuter(problem, facts, budget).run())


class _Refuter:
    def __init__(self, problem: Problem, facts: Sequence[int], budget: Budget) -> None:
        self._problem = problem
        self._budget = budget
        self._base = [edge for number in problem.with_assumed(facts) for edge in problem.edges_of[number]]
        self._masks = {
            number: link[1]
            for number in problem.with_assumed(facts)
            if (link := problem.relation(number)) is not None and link[0] != link[2]
        }
        self._cases = 0

    def run(self) -> _Leaf | _Node:
        stack: list[_Open] = []
        proof = self._begin({}, stack, None)
        while True:
            if proof is None:
                top = stack[-1]
                top.tried = top.waiting.pop()
                masks = top.masks | {top.link: top.tried}
                proof = self._begin(masks, stack, top.times)
                continue
            if not stack:
                return proof
            top = stack[-1]
            if top.link not in proof.used:
                stack.pop()  # the case does not matter: its proof refutes the whole
                continue
            top.refuted.append((top.tried, proof))
            if top.waiting:
                proof = None
                continue
            stack.pop()
            used = frozenset[int]().union(*(each.used for _, each in top.refuted))
            proof = _Node(top.link, top.refuted, used)

    def _begin(self, masks: dict[int, int], stack: list[_Open], start: list[int] | None) -> _Leaf | _Node | None:
        """Refute at once, or put a link to split on the stack."""
        found = self._cycle(masks, start)
        if isinstance(found, _Leaf):
            return found
        best: _Open | None = None
        for link, stated in self._masks.items():
            mask = masks.get(link, stated)
            if classify(mask) is RelationClass.CONVEX:
                continue
            trial = _Open(masks, found, link, [])
            for piece in convex_pieces(mask):
                leaf = self._cycle(masks | {link: piece}, found)
                if not isinstance(leaf, _Leaf):
                    trial.waiting.append(piece)
                elif link in leaf.used:
                    trial.refuted.append((piece, leaf))
                else:
                    return leaf
            if not trial.waiting:
                used = frozenset[int]().union(*(each.used for _, each in trial.refuted))
                return _Node(link, trial.refuted, used)
            if best is None or len(trial.waiting) < len(best.waiting):
                best = trial
            if len(best.waiting) == 1 and best.refuted:
                break
        if best is None:
            raise InternalError("facts that were thought to be a conflict are none")
        stack.append(best)
        return None

    def _cycle(self, masks: dict[int, int], start: list[int] | None) -> _Leaf | list[int]:
        """Return a cycle among hulls, or times that fit them."""
        self._cases += 1
        if self._cases > _MOST_CASES:
            raise BudgetExceeded(f"a proof would take more than {_MOST_CASES} cases")
        problem = self._problem
        extra = [edge for link, mask in masks.items() for edge in problem.link_edges(link, mask)]
        found = potentials(problem.graph((), (*self._base, *extra)), self._budget, start)
        if isinstance(found, NegativeCycle):
            return _Leaf(found.edges, frozenset(found.facts))
        return found.times


def _steps(proof: _Leaf | _Node) -> tuple[MetricCycle | ProofSplit, ...]:
    """Return the proof as a list, each step before those it refers to."""
    order: list[_Leaf | _Node] = [proof]
    places: dict[int, int] = {id(proof): 0}
    for each in order:  # grows while it is read
        if isinstance(each, _Node):
            for _, case in each.cases:
                places[id(case)] = len(order)
                order.append(case)
    return tuple(
        ProofSplit(each.link, tuple((Relation(mask), places[id(case)]) for mask, case in each.cases))
        if isinstance(each, _Node)
        else MetricCycle(tuple(each.edges))
        for each in order
    )
