"""Proofs that facts cannot all be true: cycles that add up to less than nothing, and splits of disjunctions into cases.

The hulls of what links still allow may have a negative cycle: that refutes. Otherwise a link is split into its convex
pieces, each refuted by a proof of its own. The link is found by looking ahead: it has the fewest pieces that are not
refuted at once. A case whose proof does not use the link that was split refutes the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import RelationClass, classify, convex_pieces
from temporacle.reasoner.clock.conflicts import conflict_among, witness_of
from temporacle.reasoner.clock.picks import Model, judge
from temporacle.reasoner.clock.problem import Assumptions
from temporacle.reasoner.clock.weights import NegativeCycle, potentials
from temporacle.reasoner.disjunctions.cases import Leaf, Split, listed, split_of
from temporacle.reasoner.proofs.certificate import MOST_NEEDED
from temporacle.results import Certificate, ProofSplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.reasoner.clock.problem import CalendarProblem
    from temporacle.reasoner.clock.weights import WeightedEdge
    from temporacle.reasoner.conflicts.repair import GroundedRepair
    from temporacle.reasoner.network import Budget

_MOST_CASES = 20_000


class MetricCycle(NamedTuple):
    """Edges, head to tail, whose weights add up to less than nothing."""

    edges: tuple[WeightedEdge, ...]


@dataclass(slots=True)
class _Open:
    """A link is being split; ``masks`` is what links allowed before."""

    masks: dict[int, int]
    times: list[int]
    link: int
    waiting: list[int]  # pieces not refuted yet
    tried: int = 0  # the piece that is being refuted
    refuted: list[tuple[int, Leaf | Split]] = field(default_factory=list)


def refute(problem: CalendarProblem, facts: Sequence[int], budget: Budget) -> tuple[MetricCycle | ProofSplit, ...]:
    """Return a proof that some facts and all assumptions contradict each other. The first step refutes everything."""
    return listed(_Refuter(problem, facts, budget).run(), lambda leaf: MetricCycle(tuple(leaf.edges)))


class _Refuter:
    def __init__(self, problem: CalendarProblem, facts: Sequence[int], budget: Budget) -> None:
        self._problem = problem
        self._budget = budget
        self._base = [edge for number in problem.with_assumed(facts) for edge in problem.edges_of[number]]
        self._masks = {
            number: link[1]
            for number in problem.with_assumed(facts)
            if (link := problem.relation(number)) is not None and link[0] != link[2]
        }
        self._cases = 0

    def run(self) -> Leaf | Split:
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
            proof = split_of(top.link, top.refuted)

    def _begin(self, masks: dict[int, int], stack: list[_Open], start: list[int] | None) -> Leaf | Split | None:
        """Refute at once, or put a link to split on the stack."""
        found = self._cycle(masks, start)
        if isinstance(found, Leaf):
            return found
        best: _Open | None = None
        for link, stated in self._masks.items():
            mask = masks.get(link, stated)
            if classify(mask) is RelationClass.CONVEX:
                continue
            trial = _Open(masks, found, link, [])
            for piece in convex_pieces(mask):
                leaf = self._cycle(masks | {link: piece}, found)
                if not isinstance(leaf, Leaf):
                    trial.waiting.append(piece)
                elif link in leaf.used:
                    trial.refuted.append((piece, leaf))
                else:
                    return leaf
            if not trial.waiting:
                return split_of(link, trial.refuted)
            if best is None or len(trial.waiting) < len(best.waiting):
                best = trial
            if len(best.waiting) == 1 and best.refuted:
                break
        if best is None:
            raise InternalError("facts that were thought to be a conflict are none")
        stack.append(best)
        return None

    def _cycle(self, masks: dict[int, int], start: list[int] | None) -> Leaf | list[int]:
        """Return a cycle among hulls, or times that fit them."""
        self._cases += 1
        if self._cases > _MOST_CASES:
            raise BudgetExceeded(f"a proof would take more than {_MOST_CASES} cases")
        problem = self._problem
        extra = [edge for link, mask in masks.items() for edge in problem.link_edges(link, mask)]
        found = potentials(problem.graph((), (*self._base, *extra)), self._budget, start)
        if isinstance(found, NegativeCycle):
            return Leaf(found.edges, frozenset(found.facts))
        return found.times


# ----------------------------------------------------------------------------------------------------
# Certificates about links and values, in the documented form (docs/certificates.md, version 2).
#
# Times count in 1/unit of a second from the origin. ``temporacle.checker`` shares no code with this module.


def certify(problem: CalendarProblem, calendar: Calendar, budget: Budget) -> Certificate:
    """Return a certificate of consistency or of inconsistency."""
    model = _model(problem, problem.every, budget)
    if model is None:
        return certify_conflict(problem, calendar, budget)
    return _certificate("consistent", problem, calendar, {"witness": model})


def certify_conflict(
    problem: CalendarProblem, calendar: Calendar, budget: Budget, conflict: Sequence[int] | None = None
) -> Certificate:
    """Return a certificate that facts contradict each other. ``conflict`` is a minimal one if it is already known."""
    numbers = list(conflict if conflict is not None else conflict_among(problem, problem.every, budget) or ())
    needed: list[dict[str, list[int]]] | None = []
    if len(numbers) > MOST_NEEDED:
        needed = None
    for number in numbers if needed is not None else ():
        model = _model(problem, [other for other in numbers if other != number], budget)
        if model is None:
            raise InternalError("a conflict is not minimal")
        needed.append(model)  # type: ignore[union-attr]
    parts = {"conflict": _positions(problem, numbers), "needed": needed, "proof": _proof(problem, numbers, budget)}
    return _certificate("inconsistent", problem, calendar, parts)


def certify_entailment(problem: CalendarProblem, calendar: Calendar, query: Link, budget: Budget) -> Certificate:
    """Return a certificate about a link, or of the contradiction if the facts contradict each other."""
    dates = problem.values[problem.droppable - len(problem.document_links) :]
    with_query = problem.with_assumptions(Assumptions((query,), dates))
    without = problem.with_assumptions(Assumptions((query._replace(relation=~query.relation),), dates))
    holding, failing = (_model(world, world.every, budget) for world in (with_query, without))
    if holding is not None and failing is not None:
        parts: dict[str, Any] = {"witness": holding, "countermodel": failing}
        return _certificate("open", problem, calendar, parts, query)
    if holding is None and failing is None:
        return certify_conflict(problem, calendar, budget)
    claim, world = ("entailed", without) if holding is not None else ("refuted", with_query)
    numbers = conflict_among(world, world.every, budget) or []
    parts = {
        "witness": holding or failing,
        "conflict": [*_positions(world, numbers), "query"],
        "proof": _proof(world, numbers, budget),
    }
    return _certificate(claim, problem, calendar, parts, query)


def certify_repair(
    problem: CalendarProblem, calendar: Calendar, grounds: GroundedRepair, budget: Budget
) -> Certificate:
    """Return a certificate of a repair, which may drop values, too."""
    from temporacle.reasoner.proofs.cheapest import REPAIR_CLAIM, repair_form

    gone = set(grounds.dropped)
    witness = _model(problem, [number for number in problem.every if number not in gone], budget)
    if witness is None:
        raise InternalError("a repaired document is not consistent")
    say = (lambda number: _position(problem, number), lambda conflict: _proof(problem, conflict, budget))
    facts = problem.facts[: problem.droppable]
    return _certificate(REPAIR_CLAIM, problem, calendar, repair_form(grounds, facts, witness, say, budget))


def _certificate(
    claim: str, problem: CalendarProblem, calendar: Calendar, parts: dict[str, Any], query: Link | None = None
) -> Certificate:
    own = problem.droppable - len(problem.document_links)
    records = [
        {**fact.to_record(), "fact": fact.id if number < own else None}
        for number, fact in enumerate(problem.values)
        if number < own or (query is not None and fact.entity in query.entities)
    ]
    form = {"calendar": calendar.to_dict(), "values": records, "unit": problem.unit, **parts}
    return Certificate(claim, problem.document_links, query, form=form)


def _model(problem: CalendarProblem, facts: Sequence[int], budget: Budget) -> dict[str, list[int]] | None:
    """Return times of the entities that the facts mention."""
    found = judge(problem, facts, budget)
    if not isinstance(found, Model):
        return None
    times = witness_of(problem, facts, found, budget)
    return {name: list(each) for name, each in times.items()}


def _positions(problem: CalendarProblem, numbers: Sequence[int]) -> list[Any]:
    return [_position(problem, number) for number in numbers]


def _position(problem: CalendarProblem, number: int) -> Any:
    """Return the place of a fact in the certificate: a position in links or values, or the query."""
    links = len(problem.document_links)
    if number < links:
        return number
    if number < problem.droppable:
        return ["value", number - links]
    if isinstance(problem.facts[number], Link):
        return "query"
    assumed_links = len(problem.network.links) - links
    return ["value", number - links - assumed_links]


def _proof(problem: CalendarProblem, numbers: Sequence[int], budget: Budget) -> list[dict[str, Any]]:
    return [_step(problem, step) for step in refute(problem, numbers, budget)]


def _step(problem: CalendarProblem, step: MetricCycle | ProofSplit) -> dict[str, Any]:
    if isinstance(step, MetricCycle):
        return {"cycle": [_edge(problem, edge) for edge in step.edges]}
    cases = [[list(relation.atoms), place] for relation, place in step.cases]
    return {"split": _position(problem, step.link), "cases": cases}


def _edge(problem: CalendarProblem, edge: WeightedEdge) -> list[Any]:
    seconds = -(-edge.weight // problem.unit)
    strict = edge.weight != seconds * problem.unit
    fact = None if edge.fact is None else _position(problem, edge.fact)
    return [problem.name(edge.left), problem.name(edge.right), seconds, strict, fact]
